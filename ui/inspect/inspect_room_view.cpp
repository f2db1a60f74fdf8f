// How the Inspect room looks and what its widgets do; export of the replay.
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/inspect/inspect_pane.h"
#include "ui/inspect/inspect_panel.h"
#include "ui/inspect/inspect_room.h"
#include "ui/inspect/replay_bar.h"
#include "ui/inspect/replay_dialog.h"
#include "ui/inspect/replay_writer.h"
#include "ui/inspect/text_strip.h"
#include "ui/plot/figure_view.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/empty_page.h"
#include "ui/window/fields.h"
#include "ui/window/format.h"
#include "ui/window/scaled.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {
namespace {

constexpr int kRoomForTwo = 720;  // pixels at 100 %
constexpr int kRoomForLoss = 420;
constexpr int kLossHeight = 116;
constexpr int kUsualFrames = 200;

}  // namespace

InspectRoom::InspectRoom(Workspace& workspace, QWidget* parent)
    : Room(parent),
      m_workspace(workspace),
      m_source(new InspectSource(workspace, this)),
      m_answers(new ModelAnswers(workspace, this)),
      m_writer(new ReplayWriter(this)),
      m_panel(new InspectPanel(workspace, this)),
      m_pages(new QStackedWidget(this)) {
    setObjectName(QStringLiteral("inspect"));
    m_panel->hide();
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
    connect(m_panel, &InspectPanel::ghostChosen, this, &InspectRoom::showSecondRun);
    connect(&m_panel->fineTune(), &FineTunePanel::asked, this, [this] {
        if (m_answers->isFineTuning()) return m_answers->cancelFineTuning();
        if (m_data.run) m_answers->startFineTuning(m_data.run, m_panel->fineTuning());
    });
    connect(m_answers, &ModelAnswers::fineTuned, &m_panel->fineTune(), &FineTunePanel::showProgress);
    connect(m_bar, &ReplayBar::moved, this, &InspectRoom::schedule);
    connectWriter();
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
                              {QLatin1String(ReplayJob::secondRun), tr("the same of the second run")}},
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
    chooseData(m_bar->pace(), settings.value("replay/pace").toInt());
    connect(m_bar->pace(), &QComboBox::currentIndexChanged, this,
            [this] { m_workspace.settings().setValue("replay/pace", m_bar->pace()->currentData().toInt()); });
    connectPane(*m_main);
    connectPane(*m_side);
    connect(m_loss, &FigureView::lineDragged, this, [this](const QString&, double at) { m_bar->moveTo(at); });
    connect(m_loss, &FigureView::clicked, this, [this](const QPointF& place) { m_bar->moveTo(place.x()); });
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
        if (!main) m_besideBefore.clear();
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
        if (!m_data.run) return;
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

void InspectRoom::showSecondRun() {
    const QString second = QLatin1String(ReplayJob::secondRun);
    if (m_panel->ghost() == 0) {
        if (!m_besideBefore.isEmpty()) m_side->choose(QString(m_besideBefore));
        return;
    }
    const QString before = m_side->chosenName();
    if (before == second) return;
    m_side->choose(second);
    m_besideBefore = before;
    // Without a second run, as at the next start, there would be nothing beside.
    m_workspace.settings().setValue("inspect/beside", before);
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

ReplayJob InspectRoom::replayJob() const {
    ReplayJob job;
    job.lab = m_workspace.lab().path();
    job.run = m_panel->run();
    job.beside = m_panel->ghost();
    job.figures << m_main->chosenName();
    const bool second = m_side->chosenName() == QLatin1String(ReplayJob::secondRun);
    if (m_side->isVisibleTo(this) && (job.beside != 0 || !second)) job.figures << m_side->chosenName();
    job.choices = dataAt(m_bar->iteration()).choices;
    job.asked.text = m_panel->text();
    job.asked.knockOut =
        m_panel->knockOut(m_data.run ? m_data.run->pairs() : 1, pairOf(m_workspace.rotary().pickedPair()));
    job.asked.factor = m_panel->factor();
    job.framesPerSecond = m_bar->pace()->currentData().toDouble();
    job.most = kUsualFrames;
    return job;
}

QString InspectRoom::whyNoReplay(const ReplayJob& job) const {
    if (m_writer->isRunning()) return tr("One replay is being written; stop it or wait until it is done.");
    if (const QString why = whyNotReplayed(job); !why.isEmpty() || !asksModel(job)) return why;
    const QString words =
        tr("The chosen figures ask the run’s model, and %1 has the processor and the engine to "
           "itself; export the replay when it is done.");
    if (m_workspace.session().isActive()) return words.arg(tr("training"));
    if (m_workspace.meter().isActive()) return words.arg(tr("the measurement of the sweep"));
    if (m_answers->isFineTuning()) return words.arg(tr("fine-tuning"));
    return {};
}

ReplayDialog* InspectRoom::askReplay() {
    if (m_stale) renew();
    if (!m_data.run || m_data.run->snapshots.empty()) return nullptr;
    const auto refused = [this](const ReplayJob& job) {
        const QString why = whyNoReplay(job);
        if (!why.isEmpty()) emit m_workspace.problem(QStringLiteral("replay"), why);
        return !why.isEmpty();
    };
    if (refused(replayJob())) return nullptr;
    if (m_dialog && m_dialog->isVisible()) {
        m_dialog->setJob(replayJob());
        m_dialog->raise();
        m_dialog->activateWindow();
        return m_dialog;
    }
    m_dialog =
        new ReplayDialog(m_workspace.settings(), replayJob(), static_cast<int>(m_data.run->snapshots.size()), this);
    connect(m_dialog, &ReplayDialog::wanted, this, [this, refused](const ReplayJob& job) {
        if (refused(job)) return;  // a sweep may have begun meanwhile
        emit m_workspace.solved(QStringLiteral("replay"));
        m_bar->showExport(tr("starting …"));
        m_replayFile = QFileInfo(job.output).absoluteFilePath();
        m_writer->start(job);
    });
    m_dialog->show();
    return m_dialog;
}

void InspectRoom::connectWriter() {
    connect(&m_workspace.lab(), &LabDocument::opened, this, [this] {
        m_cursorOf = 0;
        if (m_dialog) m_dialog->close();
    });
    connect(m_writer, &ReplayWriter::progressed, this,
            [this](int done, int all) { m_bar->showExport(tr("frame %1 of %2").arg(done).arg(all)); });
    connect(m_writer, &ReplayWriter::finished, this, [this](int frames) {
        m_bar->endExport(
            tr("%1 written to %2").arg(countText(frames, tr("frame")), QFileInfo(m_replayFile).fileName()));
        m_bar->words()->setToolTip(QDir::toNativeSeparators(m_replayFile));
    });
    connect(m_writer, &ReplayWriter::stopped, this, [this](int frames) {
        m_bar->endExport(frames > 0 ? tr("stopped; %1 stay").arg(countText(frames, tr("frame")))
                                    : tr("export stopped"));
    });
    connect(m_writer, &ReplayWriter::failed, this, [this](const QString& sentence) {
        m_bar->endExport({});
        emit m_workspace.problem(QStringLiteral("replay"), sentence);
    });
    connect(m_bar, &ReplayBar::exportAsked, this, [this] {
        if (m_writer->isRunning()) {
            m_bar->showStopping();
            m_writer->stop();
        } else {
            askReplay();
        }
    });
}

}  // namespace ropelab::ui
