#include "ui/rotary/rotary_room.h"

#include <QLocale>
#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/common/fields.h"
#include "ui/common/scaled.h"
#include "ui/plot/figure_view.h"
#include "ui/rotary/paired_view.h"
#include "ui/rotary/panel_grid.h"
#include "ui/rotary/setup_panel.h"

namespace ropelab::ui {
namespace {

constexpr int kFrameMs = 16;
constexpr int kLowestView = 150;  // smallest height of a view with axes and labels, in pixels at 100 %

}  // namespace

Figure RotaryFigure::ofBoth(const ShapedSetup& a, const ShapedSetup& b) const {
    return compare ? compare(a, b) : comparedFigure(make(a.setup, a.shape), make(b.setup, b.shape), a, b);
}

RotaryRoom::RotaryRoom(RotaryModel& model, const QString& id, QWidget* parent) : Room(parent), m_model(model) {
    setObjectName(id);
    m_timer.setSingleShot(true);
    m_timer.setInterval(kFrameMs);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (isVisible() && m_stale) {
            m_stale = false;
            renew();
        }
    });
    connect(&m_model, &RotaryModel::changed, this, &RotaryRoom::schedule);
    connect(&m_model, &RotaryModel::pairHighlighted, this, &RotaryRoom::schedule);
}

void RotaryRoom::schedule() {
    m_stale = true;
    if (isVisible() && !m_timer.isActive()) {
        m_timer.start();
    }
}

void RotaryRoom::showEvent(QShowEvent* event) {
    Room::showEvent(event);
    if (m_stale) {
        m_timer.start(0);
        m_timer.setInterval(kFrameMs);
    }
}

void RotaryRoom::refreshNow() {
    m_stale = false;
    renew();
    for (FigureView* view : std::as_const(m_views)) {
        view->refreshNow();
    }
    for (PairedView* pair : std::as_const(m_pairs)) pair->refreshNow();
    for (PanelGrid* grid : std::as_const(m_grids)) grid->refreshNow();
}

FigureView* RotaryRoom::addView(const QString& accessibleName) {
    auto* view = new FigureView(this);
    view->setAccessibleName(accessibleName);
    scaleMinimumHeight(view, kLowestView);
    m_views.append(view);
    if (!m_chosen) {
        m_chosen = view;
    }
    connect(view, &FigureView::chosen, this, [this, view] { m_chosen = view; });
    connect(view, &FigureView::contextMenuRequested, this,
            [this, view](const QPoint& where) { showMenu(view, where); });
    return view;
}

PairedView* RotaryRoom::addPair(const QString& accessibleName) {
    FigureView* view = addView(accessibleName);
    auto* pair = new PairedView(view, this);
    m_pairs.insert(view, pair);
    connect(pair, &PairedView::otherChosen, this, [this, view] { m_chosen = view; });
    connect(pair, &PairedView::otherMenuRequested, this, [this, view](const QPoint& where) { showMenu(view, where); });
    return pair;
}

PanelGrid* RotaryRoom::addGrid(const QString& accessibleName) {
    FigureView* first = addView(accessibleName);
    auto* grid = new PanelGrid(first, kLowestView, this);
    m_grids.append(grid);
    connect(grid, &PanelGrid::panelChosen, this, [this, first] { m_chosen = first; });
    connect(grid, &PanelGrid::panelMenuRequested, this, [this, first](const QPoint& where) { showMenu(first, where); });
    return grid;
}

void RotaryRoom::showPanels(PanelGrid* grid, Figure figure) {
    grid->show(figure);
    m_sideBySide.insert(grid->panelViews().first(), std::move(figure));
}

void RotaryRoom::showFigure(FigureView* view, Figure mine, const MakeFigure& make) {
    if (const auto& other = m_model.other()) return showBothIn(view, bothFigures(mine, make(*other)));
    m_sideBySide.remove(view);
    if (PairedView* pair = m_pairs.value(view)) return pair->showOne(std::move(mine));
    view->setFigure(std::move(mine));
}

void RotaryRoom::showBothIn(FigureView* view, Figure both) {
    PairedView* pair = m_pairs.value(view);
    if (both.panels.empty()) {
        m_sideBySide.remove(view);
        if (pair) return pair->showOne(std::move(both));
        return view->setFigure(std::move(both));
    }
    if (pair) {
        pair->showBoth(both, comparedNames(m_model.setupA(), *m_model.setupB(), m_model.editsB()));
    } else {
        view->setFigure(both.panels[m_model.editsB() ? 1 : 0]);
    }
    m_sideBySide.insert(view, std::move(both));
}

Figure RotaryRoom::bothFigures(const Figure& mine, const Figure& theirs) const {
    const bool editsB = m_model.editsB();
    return comparedFigure(editsB ? theirs : mine, editsB ? mine : theirs, m_model.setupA(), *m_model.setupB(), editsB);
}

QString RotaryRoom::bothValues(const QString& mine, const QString& theirs) const {
    return m_model.editsB() ? letteredValues(theirs, mine) : letteredValues(mine, theirs);
}

QString RotaryRoom::bothSentences(const QString& mine, const QString& theirs) const {
    return m_model.editsB() ? letteredSentences(theirs, mine) : letteredSentences(mine, theirs);
}

RotaryRoom::Readout RotaryRoom::bothReadouts(const Readout& mine, const Readout& theirs) const {
    return m_model.editsB() ? letteredReadout(theirs, mine) : letteredReadout(mine, theirs);
}

QString RotaryRoom::bothQuotient(const QString& quantity, double mine, double theirs) const {
    return m_model.editsB() ? quotientText(quantity, theirs, mine) : quotientText(quantity, mine, theirs);
}

void RotaryRoom::connectPairs(FigureView* view, const std::function<std::optional<int>(QPointF)>& pairAt) {
    connect(view, &FigureView::hovered, this,
            [this, pairAt](const QPointF& place) { m_model.hoverPair(pairAt(place)); });
    connect(view, &FigureView::left, this, [this] { m_model.hoverPair(std::nullopt); });
    connect(view, &FigureView::clicked, this, [this, pairAt](const QPointF& place) {
        const auto pair = pairAt(place);
        m_model.pickPair(pair == m_model.pickedPair() ? std::nullopt : pair);
    });
    connect(view, &FigureView::keyPressed, this, &RotaryRoom::stepPair);
}

void RotaryRoom::stepPair(int key) {
    if (key == Qt::Key_Escape) return m_model.pickPair(std::nullopt);
    const bool isMore = key == Qt::Key_Right || key == Qt::Key_Up;
    if (!isMore && key != Qt::Key_Left && key != Qt::Key_Down) return;
    const auto picked = m_model.pickedPair();
    const int last = std::max(0, m_model.pairs() - 1);
    m_model.pickPair(picked ? std::clamp(*picked + (isMore ? 1 : -1), 0, last) : (isMore ? 0 : last), true);
}

void RotaryRoom::showMenu(FigureView* view, const QPoint& where) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    m_chosen = view;
    menu->addAction(tr("Export …"), this, &RotaryRoom::openExport);
    menu->addAction(tr("Copy"), this, &RotaryRoom::copy);
    addCaptionEntry(*menu);
    menu->addAction(tr("Show as table"), this, &RotaryRoom::openTable);
    menu->addAction(tr("Export animation …"), this, &RotaryRoom::openAnimation);
    addToMenu(view, *menu);
    menu->popup(where);
}

void RotaryRoom::openAnimation() {
    emit animationRequested(figure().name, m_model.setup());
}

QWidget* RotaryRoom::panel() {
    if (!m_panel) {
        const auto [area, content, column] = makeScrollColumn(nullptr);
        column->addWidget(new SetupPanel(m_model, content));
        if (QWidget* own = options()) {
            column->addWidget(own);
        }
        column->addStretch(1);
        m_panel = area;
    }
    return m_panel;
}

std::vector<RoomControl> RotaryRoom::controls() {
    const QString name = QStringLiteral("pair");
    return {{name,
             [this, name](const QString& value) {
                 if (value == QLatin1String("none")) return model().pickPair(std::nullopt);
                 const std::int64_t pair = controlWhole(name, value);
                 if (pair < 0 || pair >= model().pairs()) {
                     throw BadInput(QStringLiteral("There is no pair %1; the pairs are 0 to %2.")
                                        .arg(pair)
                                        .arg(model().pairs() - 1)
                                        .toStdString());
                 }
                 model().pickPair(static_cast<int>(pair), true);
             },
             [this] {
                 const auto pair = model().pickedPair();
                 return pair ? QVariant(*pair) : QVariant(QStringLiteral("none"));
             }}};
}

QWidget* RotaryRoom::controlWidget(const QString& name) {
    if (QWidget* own = Room::controlWidget(name)) return own;
    const auto* setup = m_panel ? m_panel->findChild<SetupPanel*>() : nullptr;
    return setup ? setup->field(name) : nullptr;
}

QWidget* RotaryRoom::picture() {
    return m_chosen && m_chosen->isVisible() ? m_chosen.data() : Room::picture();
}

Figure RotaryRoom::figure() {
    // Preview and exported file show the selected pair, but not the pair that the mouse passed on its way to the menu.
    m_model.hoverPair(std::nullopt);
    if (m_stale) {
        refreshNow();
    }
    if (!m_chosen) return {};
    const auto both = m_sideBySide.constFind(m_chosen);
    return both == m_sideBySide.constEnd() ? m_chosen->figure() : *both;
}

std::vector<Figure> RotaryRoom::pageFigures() {
    if (m_stale) refreshNow();
    std::vector<Figure> result;
    for (FigureView* view : std::as_const(m_views)) {
        if (!view->isVisible()) continue;
        const auto both = m_sideBySide.constFind(view);
        result.push_back(both == m_sideBySide.constEnd() ? view->figure() : *both);
    }
    return result.empty() ? std::vector<Figure>{figure()} : result;
}

FigureOrigin RotaryRoom::originOf(const Figure& figure) {
    FigureOrigin origin;
    const QString setup = figure.settings.value(QStringLiteral("setup")).toString();
    if (setup.isEmpty()) return origin;
    origin.flags = {{QStringLiteral("figure"), figure.name}, {QStringLiteral("setup"), setup}};
    // The distribution of the figure of random vectors, which two compared setups share.
    const bool isCompared = figure.settings.contains(QStringLiteral("compared"));
    const QJsonObject settings = isCompared ? figure.settings.value(QStringLiteral("A")).toObject() : figure.settings;
    for (const char* key : {"mean", "correlation"}) {
        if (const QJsonValue value = settings.value(QLatin1String(key)); value.isDouble()) {
            origin.flags[QLatin1String(key)] = QString::number(value.toDouble(), 'g', QLocale::FloatingPointShortest);
        }
    }
    // The text of the figures of tokens, which two compared setups share too.
    if (const QString text = settings.value(QStringLiteral("text")).toString(); !text.isEmpty())
        origin.flags[QStringLiteral("text")] = text;
    return origin;
}

}  // namespace ropelab::ui
