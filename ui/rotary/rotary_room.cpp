#include "ui/rotary/rotary_room.h"

#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/plot/figure_view.h"
#include "ui/rotary/figure_views.h"
#include "ui/rotary/setup_panel.h"
#include "ui/rotary/spectrum_data.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kFrameMs = 16;
constexpr int kLowestView = 150;  // smallest height of a view with axes and labels, in pixels at 100 %
constexpr double kMostContext = 1 << 30;

}  // namespace

RotaryRoom::RotaryRoom(RotaryModel& model, const QString& id, std::span<const RotaryFigure> figures, QWidget* parent)
    : Room(parent), m_model(model), m_figures(figures) {
    setObjectName(id);
    m_timer.setSingleShot(true);
    m_timer.setInterval(kFrameMs);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (isVisible() && m_stale) {
            m_stale = false;
            renew();
            for (FigureView* view : findChildren<FigureView*>()) view->renderQueued();
        }
    });
    connect(&m_model, &RotaryModel::changed, this, &RotaryRoom::schedule);
    connect(&m_model, &RotaryModel::pairHighlighted, this, &RotaryRoom::schedule);
    connect(&m_model, &RotaryModel::dragEnded, this, &RotaryRoom::schedule);
    const QString name = u"pair"_s;
    addControl(
        {name,
         [this, name](const QString& value) {
             if (value == "none"_L1) return m_model.pickPair(std::nullopt);
             const std::int64_t pair = controlWhole(name, value);
             if (pair < 0 || pair >= m_model.pairs()) {
                 throw BadInput(
                     u"There is no pair %1; the pairs are 0 to %2."_s.arg(pair).arg(m_model.pairs() - 1).toStdString());
             }
             m_model.pickPair(static_cast<int>(pair), true);
         },
         [this] {
             const auto pair = m_model.pickedPair();
             return pair ? QVariant(*pair) : QVariant(u"none"_s);
         }});
}

RotaryRoom::~RotaryRoom() {
    if (m_options && !m_options->parent()) delete m_options;
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
    m_isSynchronous = true;
    renew();
    m_isSynchronous = false;
    for (FigureView* view : findChildren<FigureView*>()) {
        if (view->isVisible() || !isVisible()) view->refreshNow();  // others are painted when they are shown
    }
}

const RotarySetup& RotaryRoom::setupOf(Side side) const {
    return side == Side::edited ? m_model.setup() : m_model.other()->setup;
}

ShapedSetup RotaryRoom::shapedOf(Side side) const {
    return side == Side::edited ? ShapedSetup{m_model.setup(), m_model.shape()} : *m_model.other();
}

const Frequencies& RotaryRoom::frequenciesOf(Side side) const {
    return side == Side::edited ? m_model.frequencies() : m_model.otherFrequencies();
}

std::vector<Side> RotaryRoom::sides() const {
    return compares() ? std::vector{Side::edited, Side::other} : std::vector{Side::edited};
}

void RotaryRoom::changeSetup(const QString& what, const RotarySetup& setup) {
    try {
        m_model.changeCustom(what, setup);
    } catch (const BadInput& error) {
        m_words->setText(QString::fromStdString(error.what()));
    }
}

void RotaryRoom::dragContext(double tokens) {
    RotarySetup next = m_model.setup();
    const double rounded = roundedDrag(std::max(1.0, tokens), static_cast<double>(next.context), true);
    next.context = static_cast<std::int64_t>(std::clamp(rounded, 1.0, kMostContext));
    changeSetup(u"change context"_s, next);
}

FigureView* RotaryRoom::addView(const QString& accessibleName, const std::function<void(QMenu&)>& addToMenu) {
    auto* view = new FigureView(this);
    view->setAccessibleName(accessibleName);
    scaleMinimumHeight(view, kLowestView);
    m_views.append(view);
    addFigure({view, [this, view] { return m_sideBySide.value(view, view->figure()); },
               [this, addToMenu](QMenu& menu) {
                   menu.addAction(u"Export animation …"_s, this, &RotaryRoom::openAnimation);
                   if (addToMenu) addToMenu(menu);
               }});
    return view;
}

FigureView* RotaryRoom::addPair(const QString& accessibleName, const std::function<void(QMenu&)>& addToMenu) {
    FigureView* view = addView(accessibleName, addToMenu);
    auto* pair = new PairedView(view, this);
    m_pairs.insert(view, pair);
    connect(pair, &PairedView::viewAdded, this, [this, view](FigureView* other) { addViewOf(view, other); });
    return view;
}

PanelGrid* RotaryRoom::addGrid(const QString& accessibleName) {
    FigureView* first = addView(accessibleName);
    auto* grid = new PanelGrid(first, kLowestView, this);
    connect(grid, &PanelGrid::viewAdded, this, [this, first](FigureView* panel) { addViewOf(first, panel); });
    return grid;
}

void RotaryRoom::setWords(QLabel* label, const QString& accessibleName) {
    m_words = label;
    m_words->setAccessibleName(accessibleName);
    m_words->setProperty("paper", true);
    scaleMargins(m_words, {12, 4, 12, 4});
}

QString RotaryRoom::words() const {
    return m_words->text();
}

void RotaryRoom::showPanels(PanelGrid* grid, Figure figure) {
    grid->show(figure);
    m_sideBySide.insert(grid->panelViews().first(), std::move(figure));
}

/// Of setups A and B, or of the only setup.
template <typename T, typename Join>
auto RotaryRoom::joined(const std::function<T(Side)>& of, Join join) const {
    const bool editsB = m_model.editsB();
    return join(of(editsB ? Side::other : Side::edited), of(editsB ? Side::edited : Side::other));
}

void RotaryRoom::showFigure(FigureView* view, const std::function<Figure(Side)>& make) {
    if (!compares()) return showBothIn(view, make(Side::edited));
    showBothIn(view, joined(make, [this](const Figure& a, const Figure& b) {
                   return comparedFigure(a, b, m_model.setupA(), *m_model.setupB(), m_model.editsB());
               }));
}

void RotaryRoom::showBothIn(FigureView* view, Figure both) {
    PairedView* pair = pairOf(view);
    applyFixedAxes(both);
    if (m_isProbing) return widen(view, both);
    if (both.panels.empty()) {
        m_sideBySide.remove(view);
        if (pair) return pair->showOne(std::move(both));
        const bool wasHeld = m_beforeDrag.contains(view);
        Figure shown = held(view, std::move(both));
        const bool isReleased = wasHeld && !m_beforeDrag.contains(view);
        return isReleased ? view->rescaleTo(std::move(shown)) : view->setFigure(std::move(shown));
    }
    if (pair) {
        pair->showBoth(both, comparedNames(m_model.setupA(), *m_model.setupB(), m_model.editsB()));
    } else {
        view->setFigure(both.panels[m_model.editsB() ? 1 : 0]);
    }
    m_sideBySide.insert(view, std::move(both));
}

void RotaryRoom::widen(FigureView* view, const Figure& figure) {
    const auto glide = m_glides.find(view);
    if (glide == m_glides.end() || !figure.panels.empty() || figure.map || figure.drawing) return;
    const auto join = [](Range& range, const Range& other) {
        range.minimum = std::min(range.minimum, other.minimum);
        range.maximum = std::max(range.maximum, other.maximum);
    };
    join(glide->x, xRange(figure));
    join(glide->y, yRange(figure));
}

void RotaryRoom::holdAxes(const std::function<void()>& toEnd, const std::function<void()>& back) {
    releaseAxes();
    if (std::exchange(m_stale, false)) renew();
    for (FigureView* view : std::as_const(m_views)) {
        const Figure& now = view->figure();
        if (now.curves.empty() || now.map || now.drawing) continue;
        m_glides.insert(view, {now, xRange(now), yRange(now)});
    }
    if (m_glides.isEmpty()) return;
    m_isProbing = true;
    toEnd();
    renew();
    back();
    m_isProbing = false;
    schedule();
}

void RotaryRoom::releaseAxes() {
    if (!m_glides.isEmpty()) schedule();
    m_glides.clear();
}

Figure RotaryRoom::held(FigureView* view, Figure figure) {
    const auto addGhost = [&figure](const Figure& before) {
        const std::size_t shown = figure.curves.size();
        bool arePoints = true;
        for (FigureCurve ghost : before.curves) {
            const auto covers = [&ghost](const FigureCurve& each) { return each.x == ghost.x && each.y == ghost.y; };
            // Secondary lines and the red part of a line would only repeat another one.
            const bool repeats = ghost.companion || ghost.ink.kind == Ink::Kind::error;
            if (ghost.shape == FigureCurve::Shape::line && repeats) continue;
            if (std::any_of(figure.curves.begin(), figure.curves.end(), covers)) continue;
            ghost.label.clear();
            ghost.emphasis = FigureCurve::Emphasis::normal;
            ghost.companion = true;
            ghost.solid = true;
            ghost.dots = false;
            ghost.ink = {Ink::Kind::quiet};
            if (ghost.shape == FigureCurve::Shape::points) {
                ghost.pointPt *= 0.6;
                for (qsizetype i = ghost.x.size() - 1; i >= 0; --i) {  // a point that stays would fill its ring
                    const auto stays = [x = ghost.x[i], y = ghost.y[i]](const FigureCurve& each) {
                        return each.y.value(each.x.indexOf(x), y + 1) == y;
                    };
                    if (!std::any_of(figure.curves.begin(), figure.curves.end(), stays)) continue;
                    ghost.x.removeAt(i);
                    ghost.y.removeAt(i);
                }
            }
            if (ghost.x.isEmpty()) continue;
            arePoints = arePoints && ghost.shape == FigureCurve::Shape::points;
            figure.curves.push_back(std::move(ghost));
        }
        if (figure.curves.size() == shown) return;
        const QString grey = arePoints ? u"small and grey: before the change"_s : u"grey: before the change"_s;
        figure.note.prepend(figure.note.isEmpty() ? grey : grey + u"; "_s);
    };
    if (const auto glide = m_glides.constFind(view); glide != m_glides.constEnd()) {
        const bool isSameKind = figure.x.label == glide->before.x.label && figure.y.unit == glide->before.y.unit;
        if (!isSameKind || figure.map || figure.drawing) return figure;
        std::tie(figure.x.minimum, figure.x.maximum) = std::pair(glide->x.minimum, glide->x.maximum);
        std::tie(figure.y.minimum, figure.y.maximum) = std::pair(glide->y.minimum, glide->y.maximum);
        addGhost(glide->before);
        return figure;
    }
    if (!m_model.isDragging() || !QGuiApplication::mouseButtons().testFlag(Qt::LeftButton)) {
        m_beforeDrag.remove(view);
        return figure;
    }
    if (!m_beforeDrag.contains(view)) m_beforeDrag.insert(view, view->figure());
    const Figure& before = m_beforeDrag[view];
    const auto hold = [](Axis& axis, const Axis& earlier, const Range& range) {
        if (axis.label != earlier.label || axis.logarithmic != earlier.logarithmic) return;
        axis.minimum = range.minimum;
        axis.maximum = range.maximum;
    };
    if (figure.map || figure.drawing || before.curves.empty()) return figure;
    hold(figure.x, before.x, xRange(before));
    hold(figure.y, before.y, yRange(before));
    addGhost(before);
    return figure;
}

QString RotaryRoom::bothValues(const std::function<QString(Side)>& text) const {
    return compares() ? joined(text, letteredValues) : text(Side::edited);
}

QString RotaryRoom::bothSentences(const std::function<QString(Side)>& text) const {
    return compares() ? joined(text, letteredSentences) : text(Side::edited);
}

QString RotaryRoom::bothQuotient(const QString& quantity, const std::function<double(Side)>& value) const {
    if (!compares()) return {};
    return joined(value, [&quantity](double a, double b) { return quotientText(quantity, a, b); });
}

void RotaryRoom::setReadout(FigureView* view, const std::function<Readout(Side, QPointF)>& readout) {
    if (PairedView* pair = pairOf(view)) {
        view->setReadout([readout](QPointF place) { return readout(Side::edited, place); });
        return pair->setOtherReadout(
            [this, readout](QPointF place) { return compares() ? readout(Side::other, place) : Readout(); });
    }
    view->setReadout([this, readout](QPointF place) {
        if (!compares()) return readout(Side::edited, place);
        return joined(std::function([&](Side side) { return readout(side, place); }), letteredReadout);
    });
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

std::optional<int> RotaryRoom::pairNear(double x) const {
    const auto pair = static_cast<int>(std::lround(x));
    return pair >= 0 && pair < m_model.pairs() ? std::optional(pair) : std::nullopt;
}

void RotaryRoom::stepPair(int key) {
    if (key == Qt::Key_Escape) return m_model.pickPair(std::nullopt);
    const bool isMore = key == Qt::Key_Right || key == Qt::Key_Up;
    if (!isMore && key != Qt::Key_Left && key != Qt::Key_Down) return;
    const auto picked = m_model.pickedPair();
    const int last = std::max(0, m_model.pairs() - 1);
    m_model.pickPair(picked ? std::clamp(*picked + (isMore ? 1 : -1), 0, last) : (isMore ? 0 : last), true);
}

void RotaryRoom::fitFigures(const QSize& page, int low, QWidget* bar, QWidget* figures) {
    const ThemeManager& theme = ThemeManager::instance();
    auto* column = static_cast<QVBoxLayout*>(layout());
    const bool isLow = page.height() < theme.pixels(low);
    if (!m_figuresPlace) m_figuresPlace = column->indexOf(figures);
    const int place = isLow ? column->indexOf(bar) + 1 : *m_figuresPlace;
    if (column->indexOf(figures) != place) {
        column->removeWidget(figures);
        column->insertWidget(place, figures, 1);
    }
    const QMargins margins = column->contentsMargins();
    const int above = margins.top() + bar->heightForWidth(page.width() - margins.left() - margins.right());
    const int visible = page.height() - above - column->spacing() - margins.bottom();
    figures->setMinimumHeight(std::max(theme.pixels(kLowestView), isLow ? visible : 0));
}

void RotaryRoom::openAnimation() {
    emit animationRequested(figure().name, m_model.setup());
}

QWidget* RotaryRoom::panel(QWidget* parent) {
    if (!m_panel) {
        const auto [area, content, column] = makeScrollColumn(parent);
        auto* setup = new SetupPanel(m_model, content, m_withoutEffect);
        column->addWidget(setup);
        if (m_options) column->addWidget(m_options);
        column->addWidget(setup->summary());
        column->addStretch(1);
        m_panel = area;
    }
    return m_panel;
}

QWidget* RotaryRoom::controlWidget(const QString& name) {
    if (QWidget* own = Room::controlWidget(name)) return own;
    const auto* setup = m_panel ? m_panel->findChild<SetupPanel*>() : nullptr;
    return setup ? setup->field(name) : nullptr;
}

Figure RotaryRoom::figure() {
    // Preview and exported file show the selected pair, but not the pair that the mouse passed on its way to the menu.
    m_model.hoverPair(std::nullopt);
    if (m_stale) refreshNow();
    return Room::figure();
}

std::vector<Figure> RotaryRoom::pageFigures() {
    if (m_stale) refreshNow();
    return Room::pageFigures();
}

FigureOrigin RotaryRoom::originOf(const Figure& figure) {
    return {.flags = rotaryFlags(m_figures, figure)};
}

}  // namespace ropelab::ui

#include "moc_rotary_room.cpp"
