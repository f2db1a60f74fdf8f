// How the Inspect room looks and what its widgets do; frames of the replay.
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QPaintEngine>
#include <QPainter>
#include <QPicture>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/spec/error.h"
#include "ui/figure/export.h"
#include "ui/figure/figure_painter.h"
#include "ui/inspect/inspect_pane.h"
#include "ui/inspect/inspect_panel.h"
#include "ui/inspect/inspect_room.h"
#include "ui/inspect/replay_bar.h"
#include "ui/inspect/text_strip.h"
#include "ui/plot/figure_view.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/empty_page.h"
#include "ui/window/format.h"
#include "ui/window/scaled.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {
namespace {

constexpr int kRoomForTwo = 720;  // pixels at 100 %
constexpr int kRoomForLoss = 420;
constexpr int kLossHeight = 116;
constexpr double kLossShare = 0.28;  // of a frame's height

/// A figure inside another's drawing: pixels on a device of pixels, where vectors would leave seams between cells.
void paintPart(QPainter& painter, const Figure& figure, const QRectF& where, const FigureStyle& style) {
    const QSize size = where.size().toSize();
    if (painter.paintEngine()->type() == QPaintEngine::Raster) {
        QImage image(size, QImage::Format_ARGB32_Premultiplied);
        image.fill(style.theme.paper);
        paintFigure(figure, image, size, style, false);
        painter.drawImage(where.topLeft(), image);
        return;
    }
    QPicture picture;
    paintFigure(figure, picture, size, style, true);
    painter.save();
    painter.translate(where.topLeft());
    // Qt enlarges a picture by the resolutions' ratio; these units are the painter's already.
    painter.scale(static_cast<double>(picture.logicalDpiX()) / painter.device()->logicalDpiX(),
                  static_cast<double>(picture.logicalDpiY()) / painter.device()->logicalDpiY());
    painter.drawPicture(0, 0, picture);
    painter.restore();
}

ExportOptions frameOptions(FigureFormat format) {
    ExportOptions options;
    options.format = format;
    options.widthMm = 200;
    options.heightMm = 112;
    options.dpi = 150;
    options.dashes = false;
    return options;
}

}  // namespace

InspectRoom::InspectRoom(Workspace& workspace, QWidget* parent)
    : Room(parent),
      m_workspace(workspace),
      m_source(new InspectSource(workspace, this)),
      m_answers(new ModelAnswers(workspace, this)),
      m_panel(new InspectPanel(workspace, this)),
      m_pages(new QStackedWidget(this)) {
    setObjectName(QStringLiteral("inspect"));
    m_panel->hide();
    askFrames = [this](const QString& suggestion) {
        return QFileDialog::getSaveFileName(this, tr("Write frames as"), suggestion, tr("Pictures (*.png *.svg)"));
    };
    auto* layout = new QVBoxLayout(this);
    scaleLayout(layout, {12, 8, 12, 12}, 8);
    m_pages->addWidget(makeEmptyState());
    m_pages->addWidget(makePictures());
    layout->addWidget(m_pages, 1);

    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (isVisible() && m_stale) renew();
    });
    connect(m_source, &InspectSource::changed, this, &InspectRoom::schedule);
    connect(m_answers, &ModelAnswers::changed, this, &InspectRoom::schedule);
    connect(m_panel, &InspectPanel::changed, this, &InspectRoom::schedule);
    connect(m_bar, &ReplayBar::moved, this, &InspectRoom::schedule);
    connect(m_bar, &ReplayBar::framesAsked, this, [this] {
        const QString path = askFrames(QStringLiteral("replay.png"));
        if (!path.isEmpty()) writeFrames(path);
    });
    RunStore& runs = workspace.runs();
    connect(&runs, &RunStore::reloaded, this, &InspectRoom::schedule);
    connect(&workspace.rotary(), &RotaryModel::pairLit, this, &InspectRoom::schedule);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        fitSides();
        schedule();
    });
    fitSides();
}

QWidget* InspectRoom::makeEmptyState() {
    const EmptyPage empty = makeEmptyPage(
        tr("What training does to the frequencies"),
        tr("Train a sweep: at every evaluation each run is looked into, and this room shows which pairs it learns to "
           "read, how its heads look back, and how far back it can retrieve. Afterwards the whole run can be "
           "replayed."),
        this);
    m_goToTrain = empty.goToTrain;
    connect(m_goToTrain, &QPushButton::clicked, this, &InspectRoom::trainAsked);
    return empty.page;
}

QWidget* InspectRoom::makePictures() {
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    m_split = new QSplitter(Qt::Horizontal, page);
    m_split->setChildrenCollapsible(false);
    m_main = new InspectPane(tr("Picture"), {}, m_split);
    m_side = new InspectPane(tr("Picture beside it"),
                             {{QStringLiteral("nothing"), tr("nothing beside it")},
                              {QStringLiteral("second-run"), tr("the same of the second run")}},
                             m_split);
    m_split->setSizes({1100, 900});
    auto* choosers = new QHBoxLayout;
    scaleLayout(choosers, {0, 0, 0, 0}, 8);
    choosers->addWidget(m_main->chooser(), 1);
    choosers->addWidget(m_side->chooser(), 1);
    column->addLayout(choosers);
    column->addWidget(m_split, 1);
    m_text = new TextStrip(page);
    column->addWidget(m_text);
    m_loss = new FigureView(page);
    m_loss->setAccessibleName(tr("Validation loss, with the time cursor"));
    column->addWidget(m_loss);
    m_bar = new ReplayBar(page);
    column->addWidget(m_bar);

    Settings& settings = m_workspace.settings();
    m_main->choose(settings.value("inspect/figure").toString());
    m_side->choose(settings.value("inspect/beside").toString());
    m_chosen = m_main;
    connectPane(*m_main);
    connectPane(*m_side);
    connect(m_loss, &FigureView::lineDragged, this, [this](const QString&, double at) { m_bar->moveTo(at); });
    connect(m_loss, &FigureView::clicked, this, [this](const QPointF& place) { m_bar->moveTo(place.x()); });
    connect(m_loss, &FigureView::keyPressed, this, [this](int key) { usesKey(key); });
    connect(m_text, &TextStrip::hovered, this, [this](int symbol) {
        m_hoveredSymbol = symbol;
        schedule();
    });
    connect(m_text, &TextStrip::left, this, [this] {
        m_hoveredSymbol = -1;
        schedule();
    });
    connect(m_text, &TextStrip::picked, this, [this](int symbol) {
        m_symbol = symbol;
        schedule();
    });
    return page;
}

void InspectRoom::connectPane(InspectPane& pane) {
    RotaryModel& rotary = m_workspace.rotary();
    connect(&pane, &InspectPane::figureChosen, this, [this, &pane] {
        const bool main = &pane == m_main;
        m_workspace.settings().setValue(main ? "inspect/figure" : "inspect/beside", pane.chosenName());
        fitSides();
        schedule();
    });
    connect(&pane, &InspectPane::pairHovered, this, [&rotary](std::optional<int> pair) { rotary.hoverPair(pair); });
    connect(&pane, &InspectPane::pairClicked, this, [this, &rotary](std::optional<int> pair) {
        const bool same = pair == pairOf(rotary.pickedPair());
        m_pair = same ? std::nullopt : pair;
        rotary.pickPair(m_pair);
        schedule();
    });
    connect(&pane, &InspectPane::symbolHovered, this, [this](int symbol) {
        if (symbol == m_hoveredSymbol) return;
        m_hoveredSymbol = symbol;
        schedule();
    });
    connect(&pane, &InspectPane::symbolClicked, this, [this](int symbol) {
        m_symbol = symbol == m_symbol ? -1 : symbol;
        schedule();
    });
    connect(&pane, &InspectPane::headClicked, this, [this](int layer, int head) { m_panel->chooseHead(layer, head); });
    FigureView& view = pane.view();
    connect(&view, &FigureView::chosen, this, [this, &pane] { m_chosen = &pane; });
    connect(&view, &FigureView::keyPressed, this, [this, &rotary](int key) {
        if (usesKey(key) || !m_data.run) return;
        const int by = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
        if (by == 0) return;
        const int last = static_cast<int>(m_data.run->pairs()) - 1;
        m_pair = std::clamp(pairOf(rotary.pickedPair()).value_or(by > 0 ? -1 : last + 1) + by, 0, last);
        rotary.pickPair(m_pair);
        schedule();
    });
    connect(&view, &FigureView::contextMenuAsked, this, [this, &pane](const QPoint& where) {
        m_chosen = &pane;
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("Export …"), this, &InspectRoom::openExport);
        menu->addAction(tr("Copy"), this, &InspectRoom::copy);
        menu->popup(where);
    });
}

void InspectRoom::fitSides() {
    const ThemeManager& theme = ThemeManager::instance();
    const bool fits = width() >= theme.pixels(kRoomForTwo);
    const bool shows = fits && m_side->chosenName() != QLatin1String("nothing");
    m_side->chooser()->setVisible(fits);
    m_side->setVisible(shows);
    if (!shows) m_chosen = m_main;
    m_loss->setFixedHeight(theme.pixels(kLossHeight));
    m_loss->setVisible(height() >= theme.pixels(kRoomForLoss));
}

Figure InspectRoom::frameAt(std::int64_t iteration) {
    const InspectData data = dataAt(iteration);
    std::vector<Figure> upper = {pictureOf(*m_main, data).figure};
    if (m_side->isVisibleTo(this)) upper.push_back(pictureOf(*m_side, data).figure);
    const Figure loss = findInspectFigure(QStringLiteral("inspect-loss"))->make(data).figure;
    Figure frame = inspectFigure(data, "inspect-frame");
    frame.summary = tr("%1 after %2 steps.").arg(data.run ? data.run->name : QString(), groupedText(iteration));
    frame.drawing = [upper, loss](QPainter& painter, const QRectF& all, const FigureStyle& style) {
        const auto paint = [&](const Figure& figure, const QRectF& where) { paintPart(painter, figure, where, style); };
        const double below = kLossShare * all.height();
        const double width = all.width() / static_cast<double>(upper.size());
        for (std::size_t i = 0; i < upper.size(); ++i) {
            paint(upper[i], {all.left() + static_cast<double>(i) * width, all.top(), width, all.height() - below});
        }
        paint(loss, {all.left(), all.bottom() - below, all.width(), below});
    };
    return frame;
}

void InspectRoom::writeFrames(const QString& path) {
    if (m_stale) renew();
    if (!m_data.run || m_data.run->snapshots.empty()) return;
    const QFileInfo file(path);
    const QString suffix = file.suffix().toLower();
    if (suffix != QLatin1String("png") && suffix != QLatin1String("svg")) {
        emit m_workspace.problem(QStringLiteral("frames"),
                                 tr("Frames are written as .png or .svg, not as \"%1\".").arg(file.fileName()));
        return;
    }
    m_frames = Frames{path.chopped(suffix.size() + 1), suffix, 0};
    QTimer::singleShot(0, this, &InspectRoom::writeNextFrame);
}

void InspectRoom::writeNextFrame() {
    if (!m_frames) return;
    const auto& snapshots = m_data.run ? m_data.run->snapshots : std::vector<Snapshot>();
    if (m_frames->next >= snapshots.size()) {
        const int count = static_cast<int>(m_frames->next);
        m_frames.reset();
        m_bar->say(tr("%1 written").arg(countText(count, tr("frame"))));
        emit m_workspace.solved(QStringLiteral("frames"));
        emit framesWritten(count);
        return;
    }
    const std::size_t index = m_frames->next++;
    const QString path = QStringLiteral("%1-%2.%3")
                             .arg(m_frames->stem)
                             .arg(static_cast<int>(index + 1), 4, 10, QLatin1Char('0'))
                             .arg(m_frames->suffix);
    try {
        exportFigure(frameAt(snapshots[index].iteration), frameOptions(formatOf(path)), path);
        QTimer::singleShot(0, this, &InspectRoom::writeNextFrame);
    } catch (const std::exception& error) {
        m_frames.reset();
        emit m_workspace.problem(QStringLiteral("frames"), QString::fromUtf8(error.what()));
        emit framesWritten(static_cast<int>(index));
    }
}

}  // namespace ropelab::ui
