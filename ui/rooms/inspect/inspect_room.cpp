#include "ui/rooms/inspect/inspect_room.h"

#include <QKeyEvent>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "ui/common/actions.h"
#include "ui/common/figure_table.h"
#include "ui/plot/figure_view.h"
#include "ui/probes/spectrum_maps.h"
#include "ui/rooms/inspect/attention_figures.h"
#include "ui/rooms/inspect/inspect_pane.h"
#include "ui/rooms/inspect/inspect_panel.h"
#include "ui/rooms/inspect/probe_figures.h"
#include "ui/rooms/inspect/replay_bar.h"
#include "ui/rooms/inspect/replay_writer.h"
#include "ui/rooms/inspect/text_strip.h"
#include "ui/session/engine_lock.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_document.h"
#include "ui/session/lab_origin.h"
#include "ui/session/rotary_model.h"
#include "ui/session/run_store.h"
#include "ui/session/session_actions.h"
#include "ui/session/settings.h"
#include "ui/session/sweep_meter.h"
#include "ui/session/sweep_session.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

constexpr int kFrameMs = 16;

using Input = InspectFigure::Input;

}  // namespace

InspectRoom::~InspectRoom() = default;

QWidget* InspectRoom::panel() {
    m_panel->show();
    return m_panel;
}

void InspectRoom::addActions(ActionRegistry& registry, const RoomHandle<InspectRoom>& room) {
    const auto here =
        [&registry](const std::function<void()>& change) {  // opens the room first, so that the change is visible
            return [&registry, change] {
                registry.action(QStringLiteral("room.inspect"))->trigger();
                change();
            };
        };
    const auto isExporting = [room] { return room.made() && room->m_writer->isRunning(); };
    registry.add({.id = "inspect.nextFigure",
                  .menu = "View",
                  .text = tr("Show next Inspect figure"),
                  .handler = here([room] { room->m_main->step(1); }),
                  .separatorBefore = true});
    registry.add({.id = "inspect.previousFigure",
                  .menu = "View",
                  .text = tr("Show previous Inspect figure"),
                  .handler = here([room] { room->m_main->step(-1); })});
    registry.add(
        {.id = "inspect.play",
         .menu = "Run",
         .text = tr("Replay run"),
         .handler = [room] { room->m_bar->setPlaying(!room->m_bar->isPlaying()); },
         .enabled = [room] { return room.isVisible() && room->m_bar->playButton()->isEnabled(); },
         .liveText = [room] { return room.made() && room->m_bar->isPlaying() ? tr("Pause replay") : tr("Replay run"); },
         .separatorBefore = true});
    registry.add(
        {.id = "inspect.exportReplay",
         .menu = "File",
         .text = tr("Export replay …"),
         .handler = [room] { room->m_bar->exportButton()->click(); },
         .enabled =  // a running export can be stopped from every room
         [room, isExporting] {
             return (room.isVisible() || isExporting()) && room->m_bar->exportButton()->isEnabled();
         },
         .liveText = [isExporting] { return isExporting() ? tr("Stop replay export") : tr("Export replay …"); }});
    for (const InspectFigure& figure : inspectFigures()) {
        const QString name = QLatin1String(figure.name);
        registry.add({.id = QStringLiteral("inspect.figure.") + name,
                      .menu = {},
                      .text = tr("Show Inspect figure: %1").arg(figure.title),
                      .handler = here([room, name] { room->m_main->choose(name); })});
    }
}

Figure InspectRoom::figure() {
    m_rotary.hoverPair(std::nullopt);  // an exported figure shows the selected pair, not the pair under the mouse
    if (m_stale) renew();
    return m_chosen->picture().figure;
}

std::vector<Figure> InspectRoom::pageFigures() {
    if (m_stale) renew();
    std::vector<Figure> result;
    for (const InspectPane* pane : {m_main, m_side}) {
        if (pane->isVisible()) result.push_back(pane->picture().figure);
    }
    if (m_loss->isVisible()) result.push_back(m_loss->figure());
    return result.empty() ? std::vector<Figure>{figure()} : result;
}

FigureOrigin InspectRoom::originOf(const Figure& figure) {
    FigureOrigin origin;
    if (!m_data.run) return origin;
    std::vector<RunId> runs = {m_data.run->id};
    if (m_data.ghost) runs.push_back(m_data.ghost->id);
    if (const LabFile* lab = m_access.lab.file()) origin.lab = labOrigin(*lab, runs);
    const InspectFigure* known = findInspectFigure(figure.name);
    if (!known) return origin;
    origin.flags = {{QStringLiteral("figure"), figure.name}, {QStringLiteral("run"), QString::number(m_data.run->id)}};
    if (m_data.ghost) origin.flags[QStringLiteral("beside")] = QString::number(m_data.ghost->id);
    ReplayJob job = replayJob();  // has all choices of the panel
    job.lab = QStringLiteral("lab");
    job.output = QStringLiteral("-");
    job.figures = {figure.name};
    if (whyNotReplayable(job).isEmpty()) {
        origin.view = {{QStringLiteral("replay"), QString::fromStdString(replayJobText(job))}};
    }
    if (m_data.snapshot()) origin.flags[QStringLiteral("step")] = QString::number(m_data.snapshot()->iteration);
    if ((known->input == Input::text || known->input == Input::bits) && !m_panel->text().isEmpty()) {
        origin.flags[QStringLiteral("text")] = m_panel->text();
        const std::optional<int> pair = pairOf(m_rotary.pickedPair());
        if (figure.name == QLatin1String("pair-logits") && pair) {
            origin.flags[QStringLiteral("pair")] = QString::number(*pair);
        }
    }
    return origin;
}

void InspectRoom::showRun(RunId run, std::int64_t step) {
    m_panel->renewRuns();
    m_panel->chooseRuns(run, 0);
    m_wantedStep = step;
    schedule();
}

bool InspectRoom::hasFigure() const {
    return !isEmpty() && !ui::isEmpty(m_chosen->picture().figure);
}

bool InspectRoom::isBusy() const {
    return m_source->isLoading() || m_answers->isBusy() || (m_stale && isVisible());
}

bool InspectRoom::isEmpty() const {
    return m_access.runs.runs().empty();
}

void InspectRoom::refreshNow() {
    renew();
    for (FigureView* view : {&m_main->view(), &m_side->view(), m_loss}) view->refreshNow();
}

void InspectRoom::showPart(const QString& figure) {
    if (!m_main->choose(figure)) throw noPart(figure, inspectFigureNames());
}

void InspectRoom::showOnlyPart(const QString& figure) {
    if (!figure.isEmpty()) showPart(figure);
    if (m_showsOnlyMain == !figure.isEmpty()) return;
    m_showsOnlyMain = !figure.isEmpty();
    fitSides();
    schedule();
}

void InspectRoom::showEvent(QShowEvent* event) {
    Room::showEvent(event);
    m_source->setActive(true);
    fitSides();
    schedule();
}

void InspectRoom::hideEvent(QHideEvent* event) {
    Room::hideEvent(event);
    m_bar->setPlaying(false);
    m_source->setActive(false);
    m_answers->pause();
}

void InspectRoom::resizeEvent(QResizeEvent* event) {
    Room::resizeEvent(event);
    fitSides();
}

void InspectRoom::keyPressEvent(QKeyEvent* event) {
    // A figure that has the keyboard focus passes these keys on.
    switch (event->key()) {
        case Qt::Key_P:
            return m_bar->setPlaying(!m_bar->isPlaying());
        case Qt::Key_Comma:
            return m_bar->step(-1);
        case Qt::Key_Period:
            return m_bar->step(1);
        case Qt::Key_F2:
            if (m_loss->hasFocus() && event->modifiers() == Qt::NoModifier) return openLossTable();
            [[fallthrough]];
        default:
            Room::keyPressEvent(event);
    }
}

void InspectRoom::openLossTable() {
    (new FigureTableWindow(m_loss->figure(), window()))->show();
}

QWidget* InspectRoom::picture() {
    return m_chosen && m_chosen->view().isVisible() ? &m_chosen->view() : Room::picture();
}

QAbstractButton* InspectRoom::playButton() const {
    return m_bar->playButton();
}

void InspectRoom::schedule() {
    m_stale = true;
    if (isVisible() && !m_timer.isActive()) m_timer.start(kFrameMs);
}

std::optional<int> InspectRoom::pairOf(std::optional<int> rotary) const {
    const std::optional<int> pair = rotary ? rotary : m_pair;
    return pair && m_data.run && *pair < m_data.run->pairs() ? pair : std::nullopt;
}

std::vector<const InspectFigure*> InspectRoom::shownFigures() const {
    std::vector<const InspectFigure*> result;
    if (const InspectFigure* figure = m_main->chosen()) result.push_back(figure);
    if (const InspectFigure* figure = m_side->chosen(); figure && m_side->isVisibleTo(this)) result.push_back(figure);
    return result;
}

void InspectRoom::renew() {
    m_stale = false;
    m_timer.stop();
    m_panel->renewRuns();
    m_pages->setCurrentIndex(isEmpty() ? 0 : 1);
    m_source->setRuns(m_panel->run(), m_panel->ghost());
    m_data.run = m_source->run(m_panel->run());
    m_data.ghost = m_source->run(m_panel->ghost());
    std::vector<std::int64_t> iterations;
    if (m_data.run) {
        m_panel->fit(m_data.run->spec);
        for (const Snapshot& snapshot : m_data.run->snapshots) iterations.push_back(snapshot.iteration);
    }
    // The cursor does not move while the same run is reloaded.
    if (m_data.run) m_cursorOf = m_data.run->id;
    if (m_data.run || m_cursorOf != m_panel->run()) m_bar->setIterations(iterations);
    if (m_wantedStep >= 0 && !iterations.empty()) m_bar->moveTo(static_cast<double>(std::exchange(m_wantedStep, -1)));
    requestAnswers();
    m_data = dataAt(m_bar->iteration());
    m_answers->fill(m_data, Input::text);
    m_main->show(pictureOf(*m_main, m_data));
    if (m_side->isVisibleTo(this)) m_side->show(pictureOf(*m_side, m_data));
    Figure loss = findInspectFigure(QStringLiteral("inspect-loss"))->make(m_data).figure;
    loss.note = m_data.ghost ? tr("solid: %1; dotted: %2").arg(m_data.run->name, m_data.ghost->name) : QString();
    m_loss->setFigure(std::move(loss));
    const auto showsText = [this](const InspectPane& pane) {
        const QString name = pane.chosenName();
        return pane.isVisibleTo(this) &&
               (name == QLatin1String("attention-map") || name == QLatin1String("attention-heads") ||
                name == QLatin1String("pair-logits"));
    };
    AttentionRow row = attentionRow(m_data, m_hoveredToken);
    m_text->setVisible(!row.tokens.isEmpty() && (showsText(*m_main) || showsText(*m_side)));
    m_text->setRow(std::move(row));
    const auto shown = shownFigures();
    m_panel->showFor(shown, m_answers->textProblem());
    const auto showsDials = [this](const InspectPane& pane) {
        return pane.isVisibleTo(this) && pane.chosenName() == QLatin1String("pair-dials");
    };
    m_panel->showLag(showsDials(*m_main) || showsDials(*m_side));
    if (std::any_of(shown.begin(), shown.end(), [](const auto* figure) { return figure->input == Input::fineTuning; }))
        m_panel->fineTune().showState(fineTuneState());
}

FineTuneState InspectRoom::fineTuneState() const {
    FineTuneState state;
    state.trainingRun = m_answers->fineTunedRun();
    if (!m_data.run) return state;
    state.hasRun = true;
    state.refusal = m_answers->whyNoFineTuning(*m_data.run, m_panel->fineTuning());
    state.problem = m_answers->fineTuningProblem(m_data.run->id);
    state.results = fineTunedNumbers(m_data);
    return state;
}

void InspectRoom::requestAnswers() {
    if (!m_data.run || !isVisible()) return;
    const auto wanted = shownFigures();
    const auto any = [&wanted](Input kind) {
        return std::any_of(wanted.begin(), wanted.end(), [kind](const auto* figure) { return figure->input == kind; });
    };
    const auto picked = pairOf(m_rotary.pickedPair());
    if (any(Input::text)) m_answers->requestText(m_data.run, m_panel->text(), picked);
    if (any(Input::ablation)) m_answers->requestAblation(m_data.run, m_panel->ablation(m_data.run->pairs(), picked));
    if (any(Input::ablationCurve)) m_answers->requestAblationCurve(m_data.run, m_panel->kind());
    if (any(Input::dataSet)) m_answers->requestStatistics(m_data.run);
    if (any(Input::bits)) m_answers->requestBits(m_data.run, m_panel->text());
    if (any(Input::beyond)) m_answers->requestExtrapolation(m_data.run, m_panel->factor());
}

InspectData InspectRoom::dataAt(std::int64_t iteration) const {
    InspectData data;
    data.run = m_data.run;
    data.ghost = m_data.ghost;
    data.iteration = iteration;
    data.choices = m_panel->choices();
    data.choices.pair = pairOf(m_rotary.highlightedPair());
    data.choices.query = m_query;
    data.fineTuning = m_panel->fineTuning();
    return data;
}

InspectPicture InspectRoom::pictureOf(const InspectPane& pane, const InspectData& data) const {
    const InspectFigure* figure = pane.chosen();
    const bool isSecondRun = !figure;  // the side pane shows the main figure of the second run
    if (isSecondRun) figure = m_main->chosen();
    InspectData own = data;
    m_answers->fill(own, figure->input);
    if (isSecondRun) {
        if (!own.ghost) return withoutNumbers(own, figure->name, tr("Choose a second run in the panel on the right."));
        own = secondRunData(own);
    }
    InspectPicture picture = own.run ? figure->make(own) : withoutNumbers(own, figure->name);
    if (!own.run && !isEmpty()) {
        picture.figure.emptyText =
            m_source->problem().isEmpty() ? tr("Loading the run’s snapshots …") : m_source->problem();
        picture.figure.summary = picture.figure.emptyText;
    }
    return picture;
}

}  // namespace ropelab::ui
