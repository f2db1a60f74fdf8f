#include <QComboBox>
#include <QEvent>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>

#include "ui/plot/curve_plot.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/train/plot_toolbar.h"
#include "ui/rooms/train/roofline_view.h"
#include "ui/rooms/train/run_list.h"
#include "ui/rooms/train/run_scope.h"
#include "ui/rooms/train/second_picture.h"
#include "ui/rooms/train/train_room.h"
#include "ui/session/engine_lock.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_document.h"
#include "ui/session/run_store.h"
#include "ui/session/session_actions.h"
#include "ui/session/settings.h"
#include "ui/session/sweep_meter.h"
#include "ui/session/sweep_session.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

namespace {

// The least space for two pictures, in pixels at 100 % scale: side by side, and one below the other.
constexpr int kMinWidthForTwoPictures = 560;
constexpr int kMinHeightForTwoPictures = 400;

}  // namespace

QWidget* TrainRoom::makePictures() {
    m_roofline = new RooflineView(m_access.runs, m_access.session, m_settings, this);
    m_picture = new QStackedWidget(this);
    m_picture->addWidget(m_plot);
    m_picture->addWidget(m_roofline);
    m_second = new SecondPicture(m_access, m_settings, this);
    m_second->gradientPlot().setSmoothing(m_plot->smoothing());
    m_pictures = new QSplitter(Qt::Horizontal, this);
    m_pictures->setChildrenCollapsible(false);
    m_pictures->addWidget(m_picture);
    m_pictures->addWidget(m_second);
    m_pictures->installEventFilter(this);

    // In the row above the pictures, the list of choices keeps its place while a picture is folded.
    m_scope->addButton(m_second->chooser());
    return m_pictures;
}

void TrainRoom::connectPictures() {
    connect(m_pictures, &QSplitter::splitterMoved, this, [this] { m_picturesMoved = true; });
    connect(m_second, &SecondPicture::foldChanged, this, &TrainRoom::fitPictures);
    connect(m_second, &SecondPicture::choiceChanged, this, [this] {
        fitPictures();
        // Without space for two pictures, the one that was just selected is shown.
        if (!m_second->isNone() && m_second->isHidden()) m_second->foldButton()->setChecked(true);
    });
    connect(m_toolbar, &PlotToolbar::smoothingChanged, &m_second->gradientPlot(), &CurvePlot::setSmoothing);
    for (CurvePlot* plot : plots()) {
        connect(plot, &CurvePlot::runVisibilityChanged, &m_access.runs, &RunStore::setVisible);
        connect(plot, &CurvePlot::runPicked, this, [this](RunId run) {
            m_list->pick(run);
            // The list does not report that no run is picked any more, or that its current run is picked again.
            for (CurvePlot* each : plots()) each->pickRun(run);
            m_second->setPicked(run);
            if (run != CurvePlot::kNoRun) showSample(run);
        });
    }
    const auto openMenu = [this](const QPoint& where) {
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("Export figure …"), this, &TrainRoom::openExport);
        menu->addAction(tr("Copy figure"), this, &TrainRoom::copy);
        addCaptionEntry(*menu);
        menu->addAction(tr("Show as table"), this, &TrainRoom::openTable);
        if (!m_toolbar->isRoofline() && !exportsSecond()) {
            menu->addSeparator();
            menu->addAction(tr("Reset view"), m_plot, &CurvePlot::resetView);
        }
        menu->popup(where);
    };
    connect(m_second, &SecondPicture::pictureChosen, this, [this] { m_secondChosen = true; });
    for (PlotWidget* plot : {static_cast<PlotWidget*>(m_plot), static_cast<PlotWidget*>(&m_roofline->view())}) {
        connect(plot, &PlotWidget::chosen, this, [this] { m_secondChosen = false; });
        connect(plot, &PlotWidget::contextMenuRequested, this, openMenu);
    }
    connect(m_second, &SecondPicture::contextMenuRequested, this, openMenu);
    fitPictures();
}

void TrainRoom::fitPictures() {
    const ThemeManager& theme = ThemeManager::instance();
    const bool isWide = m_pictures->width() >= theme.pixels(kMinWidthForTwoPictures);
    const bool isTall = m_pictures->height() >= theme.pixels(kMinHeightForTwoPictures);
    const bool wanted = !m_second->isNone();
    const bool folded = wanted && m_second->foldButton()->isChecked();
    m_pictures->setOrientation(isWide || !isTall ? Qt::Horizontal : Qt::Vertical);
    m_second->setVisible(wanted && (folded || isWide || isTall));
    m_picture->setVisible(!folded);
    if (!m_picturesMoved) m_pictures->setSizes({1000, 1000});  // a ratio: the splitter distributes its own size
}

std::array<CurvePlot*, 2> TrainRoom::plots() const {
    return {m_plot, &m_second->gradientPlot()};
}

bool TrainRoom::exportsSecond() const {
    if (m_second->isHidden() || !m_second->hasFigure()) return false;
    return m_secondChosen || m_picture->isHidden();
}

bool TrainRoom::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_pictures && event->type() == QEvent::Resize) fitPictures();
    return Room::eventFilter(watched, event);
}

}  // namespace ropelab::ui
