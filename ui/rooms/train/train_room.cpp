#include "ui/rooms/train/train_room.h"

#include <QComboBox>
#include <QEvent>
#include <QFrame>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/sweep/lab_results.h"
#include "ui/common/format.h"
#include "ui/common/icons.h"
#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/controls/fitting_label.h"
#include "ui/figure/ticks.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/train/figures/second_picture.h"
#include "ui/rooms/train/libtorch_offer.h"
#include "ui/rooms/train/plan_page.h"
#include "ui/rooms/train/run_list.h"
#include "ui/rooms/train/run_scope.h"
#include "ui/rooms/train/sweep_panel.h"
#include "ui/rooms/train/sweep_plane.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_origin.h"
#include "ui/session/rotary_model.h"
#include "ui/session/settings.h"
#include "ui/shell/actions.h"
#include "ui/shell/notices/banners.h"
#include "ui/shell/notices/empty_page.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kHeadlineMs = 300;               // between two sentences while runs train
constexpr int kHeadlineHeight = 32;            // in pixels at 100 %, also without a sentence
constexpr std::size_t kMostComparedNow = 500;  // the tests of more runs would stop the window
constexpr int kMostStepsNow = 60;              // curves whose steps one handler reads: about 6 ms
constexpr std::size_t kMostRunsNow = 2000;     // which one handler gives to the plots: about 4 ms

}  // namespace

TrainRoom::TrainRoom(SessionActions& actions, RunAccess access, ExperimentModel& experiment, Settings& settings,
                     QWidget* parent)
    : Room(parent), m_actions(actions), m_access(std::move(access)), m_experiment(experiment), m_settings(settings) {
    setObjectName(u"train"_s);
    auto* column = scaledColumn(this, 4, {4, 0, 4, 0});
    auto* card = new QFrame(this);
    card->setProperty("paper", true);
    auto* layout = scaledColumn(card, 0);
    column->addWidget(card, 1);

    m_plot = new CurvePlot(this);
    m_plot->setName(u"training"_s);
    m_list = new RunList(m_actions, m_access, this);
    m_toolbar = new PlotToolbar(*m_plot, m_list->table(), m_settings, card);  // in its place: styled once
    layout->addWidget(m_toolbar);
    m_headline = new FittingLabel(card);
    m_headline->setAccessibleName(u"Summary of the shown runs"_s);
    scaleMinimumHeight(m_headline, kHeadlineHeight);
    scaleMargins(m_headline, {12, 8, 12, 0});
    layout->addWidget(m_headline);
    m_scope = new RunScope(m_access.runs, this);
    m_pages = new QStackedWidget(card);
    m_pages->addWidget(makeEmptyState());
    m_split = new QSplitter(Qt::Vertical, m_pages);
    m_split->setChildrenCollapsible(false);
    m_split->addWidget(makePictures());
    m_split->addWidget(makeRuns());
    m_split->setStretchFactor(0, 1);
    m_pages->addWidget(m_split);
    m_pages->addWidget(makePlan());
    layout->addWidget(m_pages, 1);
    m_takeOver = new TakeOver(m_actions, m_access, this);
    column->addWidget(m_takeOver);  // below all controls, which keep their place
    m_libTorch = new LibTorchOffer(this);
    column->addWidget(m_libTorch);
    connect(&m_actions, &SessionActions::libTorchMissing, m_libTorch, [this] { m_libTorch->insist(); });
    connect(&m_access.session, &SweepSession::started, m_libTorch, [this] { m_libTorch->renew(); });
    m_unitAdvice = new BannerArea(this);
    column->addWidget(m_unitAdvice);
    connectPictures();
    connectRuns();
    addContents();
    syncRuns();
}

TrainRoom::~TrainRoom() {
    hide();  // Hiding commits an open text field while the objects that react to its value still exist.
}

void TrainRoom::connectRuns() {
    RunStore& runs = m_access.runs;
    connect(&runs, &RunStore::reloaded, this, &TrainRoom::syncRuns);
    connect(&runs, &RunStore::runChanged, this, [this](RunId run) {
        const RunView* view = m_access.runs.find(run);
        for (CurvePlot* plot : plots()) {
            if (view) showState(*plot, *view);
        }
        if (view && view->record.summary) m_visibleTimer.start();  // the run may decide the verdict
        if (m_access.session.isActive() && !m_headlineTimer.isActive()) m_headlineTimer.start();
        if (run == m_sampled || m_sampled == 0) showSample(run);
    });
    m_headlineTimer.setSingleShot(true);
    m_headlineTimer.setInterval(kHeadlineMs);
    connect(&m_headlineTimer, &QTimer::timeout, this, [this] {
        if (!isVisible()) m_isStale = true;
        if (isVisible()) renewHeadline();
    });
    m_visibleTimer.setSingleShot(true);
    m_visibleTimer.setInterval(0);
    connect(&m_visibleTimer, &QTimer::timeout, this, &TrainRoom::renewIfShown);
    m_stepsTimer.setSingleShot(true);
    connect(&m_stepsTimer, &QTimer::timeout, this, [this] {
        if (isVisible()) readSteps();
    });
    connect(&runs, &RunStore::visibilityChanged, this, [this](const std::vector<RunId>& changed) {
        for (const RunId run : changed) {
            for (CurvePlot* plot : plots()) plot->setRunVisible(run, m_access.runs.find(run)->visible);
        }
        m_visibleTimer.start();
    });
    connect(&m_access.lab, &LabDocument::renamed, this, [this] { m_labPath = m_access.lab.path(); });
    connect(&m_experiment, &ExperimentModel::changed, this, &TrainRoom::renewEmptyState);
    connect(&m_access.session, &SweepSession::stateChanged, this, &TrainRoom::renewEmptyState);
    connect(&m_access.session, &SweepSession::delivered, this, &TrainRoom::applyDeliveries);
    connect(&m_access.session, &SweepSession::started, this, [this] {
        m_isStarting = false;
        showPlan(false);
        renewHeadline();
    });
    connect(&m_actions, &SessionActions::starting, this, [this] {
        m_isStarting = true;
        for (CurvePlot* plot : plots()) plot->keepGhosts();
    });
    connect(&m_actions, &SessionActions::problem, this, [this] {
        if (std::exchange(m_isStarting, false)) dropGhosts();
    });
    connect(&m_access.session, &SweepSession::ended, this, [this](RunState how) {
        // The user who stops a sweep still compares with the curves before.
        if (how == RunState::finished) dropGhosts();
        renewHeadline();
    });

    connect(m_list, &RunList::runPicked, this, [this](RunId run) {
        for (CurvePlot* plot : plots()) plot->pickRun(run);
        if (m_painted && !m_painted->contains(run)) isLarge() ? m_visibleTimer.start() : renewGroups();
        m_roofline->pickRun(run);
        m_second->setPicked(run);
        m_access.session.pick(run);
        m_access.runs.pick(run);
        m_scope->setPicked(run);
        showSample(run);
    });
    connect(&runs, &RunStore::runPicked, m_list, &RunList::pick);
    connect(m_list, &RunList::settingsAsked, this, &TrainRoom::takeSettings);
    connect(m_list, &RunList::exported, this, [this](const QString& sentence) {
        m_unitAdvice->show(u"model.export"_s, BannerArea::Kind::information, sentence);
    });
    for (CurvePlot* plot : plots()) connect(m_list, &RunList::runHovered, plot, &CurvePlot::hoverRun);
    connect(&m_floor, &EntropyFloorJob::found, this,
            [this](const std::optional<double>& nats) { m_plot->setFloor(nats, u"entropy floor"_s); });
}

void TrainRoom::addContents() {
    const auto flushed = [this](const std::function<Figure()>& figure) {
        return [this, figure] {
            showAll(true);
            return figure();
        };
    };
    const auto addReset = [this](QMenu& menu) {
        menu.addSeparator();
        menu.addAction(u"Reset view"_s, m_plot, &CurvePlot::resetView);
    };
    addFigure({m_plot, flushed([this] { return m_plot->toFigure(); }), addReset});
    addFigure({&m_roofline->view(), flushed([this] { return m_roofline->figure(); })});
    addFigure({&m_second->view(), flushed([this] { return m_second->figure(); })});
    addViewOf(&m_second->view(), &m_second->gradientPlot());
    addPart({u"plan"_s, [this] { showPlan(true); }, [this] { return m_planShown; }});
    addControl({u"quantity"_s, [this](const QString& id) { m_toolbar->showQuantity(id); },
                [this] { return m_toolbar->quantity()->currentData(); }, m_toolbar->quantity()});
    addControl(m_scope->control());
    addChoice({[this] { return m_planShown; }, [this](const QVariant& shown) { showPlan(shown.toBool()); }, false});
    addChoice(m_toolbar->quantity(), Settings::standard("train/quantity"));
    addChoice(m_toolbar->unit(), Settings::standard("train/unit"));
    addChoice(m_toolbar->findChild<QSlider*>(), Settings::standard("train/smoothing"));
    addChoice({[this] { return m_plot->isYLogarithmic(); },
               [this](const QVariant& on) { m_plot->setYLogarithmic(on.toBool()); },
               Settings::standard("train/logarithmic")});
    addChoice({[this] { return m_settings.value("train/bands"); },
               [this](const QVariant& word) {
                   m_toolbar->chooseBands(word.toString());
                   renewGroups();
               },
               Settings::standard("train/bands")});
    addChoice(m_second->chooser(), Settings::standard("train/second"));
    addChoice({[this] { return m_settings.value("train/picked_only"); },
               [this](const QVariant& on) { m_second->wantPicked(on.toBool()); },
               Settings::standard("train/picked_only")});
    addChoice(m_second->foldButton(), Settings::standard("train/fold_curves"));
    addChoice({[this] { return m_settings.value("train/list_shown"); },
               [this](const QVariant& shown) { setListShown(shown.toBool()); },
               Settings::standard("train/list_shown")});
    addBars({m_toolbar, m_scope});
}

QWidget* TrainRoom::panel(QWidget* parent) {
    if (!m_panel) {
        m_panel = new SweepPanel(m_actions, m_access, m_experiment, parent ? parent : this);
        connect(m_panel, &SweepPanel::planAsked, this, &TrainRoom::showPlan);
        m_panel->setPlanShown(m_planShown);
    }
    return m_panel;
}

Figure TrainRoom::figure() {
    showAll(true);
    for (CurvePlot* plot : plots()) plot->setSettings(shownSettings(m_access.runs));
    if (exportsSecond()) return m_second->figure();
    return m_toolbar->isRoofline() ? m_roofline->figure() : m_plot->toFigure();
}

FigureOrigin TrainRoom::originOf(const Figure& figure) {
    const LabFile* lab = m_access.lab.file();
    if (!lab) return {};
    const CurveView* view = findCurveView(m_settings.value("train/quantity").toString());
    // The command line computes neither the roofline nor the figures of the newest probes.
    if (!view || view->quantities.empty() || figure.name != m_plot->toFigure().name) {
        return {.lab = labOrigin(*lab, shownRuns(m_access.runs))};
    }
    return trainingOrigin(*lab, m_access.runs, *view, m_settings.value("train/unit").toString(),
                          m_settings.value("train/smoothing").toInt(), m_plot->isYLogarithmic(), m_toolbar->isBands());
}

void TrainRoom::refreshNow() {
    showAll();
    m_plot->refreshNow();
    m_roofline->view().refreshNow();
    m_second->refreshNow();
}

bool TrainRoom::isBusy() const {
    return m_visibleTimer.isActive() || m_stepsTimer.isActive() || m_verdict.isRunning() || m_floor.isPending() ||
           m_second->isBusy() || (m_headlineTimer.isActive() && !m_access.session.isActive());
}

QString TrainRoom::sampleText() const {
    return m_second->sampleText();
}

void TrainRoom::renewGroups() {
    m_groups = seedGroups(m_access.runs);
    {
        const QSignalBlocker quiet(m_toolbar);  // its bandsChanged() would renew the groups twice
        m_toolbar->setBandsPossible(anyRepeats(m_groups), anyRepeats(m_groups));
    }
    const std::vector<CurveGroup> shown = m_toolbar->isBands() ? m_groups : std::vector<CurveGroup>();
    m_painted = runsToPaint(m_access.runs, shown, m_list->picked());
    for (CurvePlot* plot : plots()) {
        plot->setGroups(shown);
        plot->setPainted(m_painted, u"those with the lowest validation losses"_s);
    }
    if (isVisible()) readSteps();
}

QString TrainRoom::headline() const {
    return m_headline->text();
}

void TrainRoom::renewHeadline() {
    m_verdict.cancel();
    renewPages();
    const RunStore& runs = m_access.runs;
    const bool perByte = m_tokenizersDiffer;
    const LabFile* lab = m_access.lab.file();
    if (m_access.session.isActive()) return showVerdict({});
    // The Results room says what is wrong with damaged settings of a lab.
    std::string margin;
    problemOf([&] { margin = lab ? stored_selection(*lab).margin : std::string(); });
    const auto compared = [perByte, margin](std::vector<ComparedRun> shown, const std::vector<CurveGroup>& groups) {
        RunsVerdict verdict;
        problemOf([&] { verdict = verdictOf(std::move(shown), groups, perByte, margin); });
        return verdict;
    };
    std::vector<ComparedRun> shown = visibleRuns(runs.runs());
    if (!isLarge()) return showVerdict(compared(std::move(shown), seedGroups(runs)));
    m_headline->setText({});
    m_verdict.start([this, compared, shown = std::move(shown), groups = m_groups](const Cancelled&) {
        const RunsVerdict verdict = compared(shown, groups);
        return [this, verdict] { showVerdict(verdict); };
    });
}

void TrainRoom::showVerdict(RunsVerdict verdict) {
    // Stopped runs keep the sentence of their last common step.
    const auto isAt = [this](RunState state) {
        return std::ranges::any_of(m_access.runs.runs(), [state](const RunView& run) {
            return run.visible && run.record.state == state && run.last && run.last->iteration > 0;
        });
    };
    if (m_access.session.isActive() ||
        (verdict.headline.isEmpty() && isAt(RunState::stopped) && !isAt(RunState::finished)))
        problemOf([&] { verdict = verdictSoFar(m_access.runs, m_tokenizersDiffer); });
    const QString words = headlineText(verdict.headline);
    // The sentence and the points are of the same step.
    if (m_access.session.progress() && words != m_headline->text()) m_plot->renderQueued();
    m_headline->setText(words);
    m_headline->setToolTip(verdict.details);
}

void TrainRoom::dropGhosts() {
    for (CurvePlot* plot : plots()) plot->dropGhosts();
}

void TrainRoom::renewUnitAdvice() {
    const auto id = u"unit"_s;
    const bool isUseful = m_tokenizersDiffer && m_toolbar->isLossPerToken();
    if (std::exchange(m_advisesUnit, isUseful) == isUseful) return;  // a dismissed banner does not come back
    if (!isUseful) return m_unitAdvice->dismiss(id);
    m_unitAdvice->show(id, BannerArea::Kind::information,
                       u"The shown runs have different tokenizers, so their losses per token cannot be compared."_s,
                       {{u"Show bits per byte"_s, [this] { m_toolbar->showUnit(u"bits-per-byte"_s); }}});
}

void TrainRoom::renewEmptyState() {
    renewPages();
    if (!isEmpty()) return;
    QString sentence;
    bool ready = false;
    try {
        const Experiment& experiment = m_experiment.value();
        const std::vector<RunSpec> runs = runsToTrain(experiment, m_experiment.options(), m_access.lab.file());
        const std::string text = experiment.values("data").front();
        const QString dataSet = text == "synthetic"         ? u"a synthetic language"_s
                                : text == "synthetic-local" ? u"a synthetic language without long-range dependencies"_s
                                                            : QString::fromStdString(text);
        sentence =
            u"The Start button trains %1 on %2 and plots their losses above figures of their rotary frequencies. At "
            "each evaluation one of the models generates a text that shows what it has learned so far. Estimate: %3."_s
                .arg(countText(std::ssize(runs), u"small model"_s), dataSet, estimateSentence(runs, m_access.dataDir));
        ready = true;
    } catch (const BadInput& error) {
        sentence = QString::fromStdString(error.what());
    }
    m_emptyText->setText(sentence);
    m_emptyStart->setEnabled(ready && !m_access.session.isActive());
}

void TrainRoom::syncRuns() {
    if (m_access.lab.path() != m_labPath) {  // Run ids of another lab refer to other runs.
        m_labPath = m_access.lab.path();
        for (CurvePlot* plot : plots()) {
            plot->clear();
            if (isLarge()) plot->setPainted(std::set<RunId>());  // until the groups of seeds are known
        }
        if (!m_isStarting) dropGhosts();
        m_roofline->clear();
        m_second->setPicked(0);
        m_sampled = 0;
    }
    m_nextRun = 0;
    m_isStale = true;
    if (!isLarge()) renewRuns();
    isLarge() ? m_visibleTimer.start() : renewIfShown();
    showSample(m_sampled);
    renewEmptyState();
}

bool TrainRoom::isLarge() const {
    return m_access.runs.runs().size() > kMostComparedNow;
}

void TrainRoom::readSteps() {
    m_stepsTimer.stop();
    if (!showSteps(false, kMostStepsNow)) m_stepsTimer.start();
}

bool TrainRoom::showSteps(bool visible, int most) {
    if (!m_access.lab.file()) return true;
    bool isComplete = true;
    // While the lab is locked by another program, the curves stay incomplete, and the next update tries again.
    problemOf([&] {
        const std::optional<std::set<RunId>> only = visible ? std::nullopt : m_painted;
        isComplete = ui::showSteps(*m_plot, m_access.runs, *m_access.lab.file(), only, most);
        if (isComplete && m_second->isGradient())
            isComplete = ui::showSteps(m_second->gradientPlot(), m_access.runs, *m_access.lab.file(), only, most);
    });
    return isComplete;
}

void TrainRoom::showAll(bool visible) {
    renewStale();
    showSteps(visible);
}

void TrainRoom::renewStale() {
    if (m_visibleTimer.isActive() || m_isStale) renewVisible();
}

void TrainRoom::showEvent(QShowEvent* event) {
    Room::showEvent(event);
    renewStale();
    readSteps();
}

void TrainRoom::renewIfShown() {
    m_isStale = true;
    if (m_nextRun) {  // of a large lab
        renewRuns(kMostRunsNow);
        m_visibleTimer.start();  // the rest in other handlers
    } else if (isVisible()) {
        renewVisible();
    }
}

void TrainRoom::renewRuns(std::size_t most) {
    if (m_nextRun) m_nextRun = showRuns(plots(), m_access.runs, *m_nextRun, most);
}

void TrainRoom::renewVisible() {
    m_visibleTimer.stop();
    renewRuns();
    m_isStale = false;
    m_tokenizersDiffer = showExtent(plots(), m_access.runs);
    renewGroups();
    renewUnitAdvice();
    if (isLarge() && !m_access.session.isActive()) {  // in a handler of its own
        m_verdict.cancel();
        m_headline->setText({});
        m_headlineTimer.start();
    } else {
        renewHeadline();
    }
    m_floor.ask(specWithFloor(m_access.runs));
    // The sample of a run that was hidden, for example by a newer sweep, is replaced unless the user picked that run.
    const RunView* sampled = m_access.runs.find(m_sampled);
    if (sampled && !sampled->visible && m_list->picked() != m_sampled) showSample(0);
}

void TrainRoom::applyDeliveries(const std::vector<Delivery>& deliveries) {
    renewRuns();  // plots drop what they get of runs that they do not know
    for (const Delivery& delivery : deliveries) {
        if (const auto* cut = std::get_if<DiscardAfter>(&delivery)) {
            for (CurvePlot* plot : plots()) plot->truncate(cut->run, static_cast<double>(cut->iteration));
            continue;
        }
        const Event& event = std::get<Event>(delivery);
        if (const auto* step = std::get_if<event::Step>(&event)) {
            m_plot->append(*step);
            m_second->gradientPlot().append(CurveId{step->run, Quantity::gradient_norm},
                                            static_cast<double>(step->iteration), step->gradient_norm);
        } else if (const auto* evaluated = std::get_if<event::Evaluated>(&event)) {
            m_plot->append(*evaluated);
        } else if (const auto* cohort = std::get_if<event::CohortStarted>(&event)) {
            m_cohort = cohort->runs;
            const LabFile* lab = m_access.lab.file();
            for (CurvePlot* plot : plots()) {
                for (const RunId run : m_cohort) {
                    if (lab) problemOf([&] { ui::readSteps(*plot, run, *lab); });
                    plot->truncate(run, static_cast<double>(cohort->iteration));
                }
            }
        } else if (const auto* progress = std::get_if<event::Progress>(&event)) {
            // The reported speed is that of the whole cohort; each of its runs counts an equal part.
            if (progress->paused || m_cohort.empty() || progress->tokens_per_second <= 0) continue;
            for (const RunId run : m_cohort) {
                m_plot->append(CurveId{run, Quantity::tokens_per_second}, static_cast<double>(progress->iteration),
                               progress->tokens_per_second / static_cast<double>(m_cohort.size()));
                m_roofline->setSpeed(run, progress->tokens_per_second);
            }
        } else if (const auto* ended = std::get_if<event::SweepEnded>(&event)) {
            m_roofline->setPeakMemory(ended->peak_memory_bytes);
        }
    }
}

void TrainRoom::showSample(RunId run) {
    const RunView* view = m_access.runs.find(run);
    if (!view) {  // No run is picked: the first visible one is shown.
        for (const RunView& candidate : m_access.runs.runs()) {
            if (candidate.visible) {
                view = &candidate;
                break;
            }
        }
    }
    m_sampled = view ? view->record.id : 0;
    renewWhy();
    if (!view || view->sample.isEmpty()) {
        const bool isOver =
            view && (view->record.state == RunState::finished || view->record.state == RunState::failed);
        m_second->setSample(view ? u"Sample: %1"_s.arg(view->name) : u"Sample"_s,
                            isOver ? u"This run has ended without generating a sample text."_s
                                   : u"The run generates its first sample text at its first evaluation."_s);
        return;
    }
    m_second->setSample(u"Sample: %1, step %2"_s.arg(view->name, groupedText(view->sampleIteration)), view->sample);
}

void TrainRoom::renewWhy() {
    const RunView* run = m_access.runs.find(m_sampled);  // the run whose sample is shown
    for (CurvePlot* plot : plots()) {
        if (!run) {
            plot->setWhatsThis(QString());
            continue;
        }
        const Quantity quantity = plot->shownQuantities().front();
        const QList<double> values = plot->yValues({m_sampled, quantity});
        const std::optional<double> now = values.isEmpty() ? std::nullopt : std::optional(values.back());
        plot->setWhatsThis(quantityExplanation(quantity, run->spec, now) + QLatin1Char('\n') +
                           u"The values in this explanation are those of the run \"%1\"."_s.arg(run->name));
    }
}

void TrainRoom::takeSettings(RunId id) {
    const RunView* run = m_access.runs.find(id);
    if (!run) return;
    m_actions.attempt(u"settings"_s, [&] {
        Experiment taken = Experiment::from_json(to_json(run->spec));
        taken.set_name(run->name.toStdString());
        m_experiment.edit(u"use the settings of %1"_s.arg(run->name),
                          [&taken](Experiment& experiment) { experiment = taken; });
    });
}

void TrainRoom::addActions(ActionRegistry& registry, const RoomHandle<TrainRoom>& room) {
    // In another room the user cannot see which run is picked here.
    const auto picked = [room] { return room.isVisible() && room->m_list->picked() != 0; };
    const auto pictures = [room] { return room.isVisible() && !room->isEmpty() && !room->m_planShown; };
    const auto curves = [room, pictures] {
        return pictures() && !room->m_picture->isHidden() && !room->m_toolbar->isRoofline();
    };
    registry.add({.id = "run.rename",
                  .menu = "Edit",
                  .text = u"Rename selected run"_s,
                  .handler = [room] { room->m_list->rename(room->m_list->picked()); },
                  .enabled = picked,
                  .separatorBefore = true});
    registry.add({.id = "run.rename_setting",
                  .menu = "Edit",
                  .text = u"Rename setting of selected run …"_s,
                  .handler = [room] { room->m_list->renameSetting(room->m_list->picked()); },
                  .enabled = picked});
    registry.add({.id = "run.annotate",
                  .menu = "Edit",
                  .text = u"Edit note of selected run"_s,
                  .handler = [room] { room->m_list->annotate(room->m_list->picked()); },
                  .enabled = picked});
    registry.add({.id = "run.export",
                  .menu = "Edit",
                  .text = u"Export model of selected run …"_s,
                  .handler = [room] { room->m_list->exportModel(room->m_list->picked()); },
                  .enabled = picked});
    registry.add({.id = "run.delete",
                  .menu = "Edit",
                  .text = u"Delete selected run"_s,
                  .handler = [room] { room->m_actions.deleteRun(room->m_list->picked()); },
                  .enabled = picked});
    registry.add(
        {.id = "run.stop_picked",
         .menu = "Run",
         .text = u"Stop selected run"_s,
         .handler = [room] { room->m_access.session.stopRun(room->m_list->picked()); },
         .enabled = [room] { return room.isVisible() && room->m_access.session.isTraining(room->m_list->picked()); }});
    registry.add({.id = "run.plan",
                  .menu = "Run",
                  .text = u"Show runs and queue"_s,
                  .handler =
                      [room, &registry] {
                          const bool show = !room.isVisible() || !room->m_planShown;
                          registry.action(u"room.train"_s)->trigger();
                          room->showPlan(show);
                      },
                  .checked = [room] { return room.made() && room->m_planShown; }});
    registry.add({.id = "plot.log",
                  .menu = "View",
                  .text = u"Logarithmic y axis"_s,
                  .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_L)},
                  .handler = [room] { room->m_plot->setYLogarithmic(!room->m_plot->isYLogarithmic()); },
                  .enabled = curves,
                  .checked = [room] { return room.made() && room->m_plot->isYLogarithmic(); },
                  .separatorBefore = true});
    registry.add({.id = "plot.reset",
                  .menu = "View",
                  .text = u"Reset axes of the plot"_s,
                  .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_R)},
                  .handler = [room] { room->m_plot->resetView(); },
                  .enabled = curves});
    registry.add({.id = "plot.curves",
                  .menu = "View",
                  .text = u"Show plot of the curves"_s,
                  .handler = [room] { room->m_second->foldButton()->toggle(); },
                  .enabled = [room, pictures] { return pictures() && !room->m_second->isNone(); },
                  .checked = [room] { return !room.made() || !room->m_picture->isHidden(); }});
    for (const SecondPicture::Choice& choice : SecondPicture::choices()) {
        const QString name = choice.name;
        registry.add({.id = u"plot.second."_s + name,
                      .menu = {},
                      .text = u"Below the curves: %1"_s.arg(choice.title),
                      .handler = registry.inRoom("train", [room, name] {
                          room->showPlan(false);
                          room->m_second->choose(name);
                      })});
    }
}

QWidget* TrainRoom::makeEmptyState() {
    const EmptyPage empty = makeEmptyPage(u"Train small models and compare their curves"_s, {}, u"train"_s, m_pages);
    m_emptyText = empty.text;
    m_emptyText->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    keepLines(m_emptyText, 4);  // the button below keeps its place with every sweep
    m_emptyStart = empty.button;
    m_emptyStart->setText(u"Start"_s);
    setIcon(m_emptyStart, outline::kStart);
    connect(m_emptyStart, &QPushButton::clicked, this, [this] { m_actions.start(); });
    return empty.page;
}

QWidget* TrainRoom::makePlan() {
    auto* split = new QSplitter(Qt::Vertical, m_pages);
    split->setChildrenCollapsible(false);
    m_queue = new QueueView(m_actions, m_access, split);
    m_plane = new SweepPlane(m_actions, m_experiment, m_access.runs, split);
    m_preview = new SweepPreview(m_actions, m_access, m_experiment, split);
    split->addWidget(m_queue);
    split->addWidget(m_plane);
    split->addWidget(m_preview);
    split->setStretchFactor(1, 3);
    split->setStretchFactor(2, 2);
    return split;
}

void TrainRoom::showPlan(bool shown) {
    m_planShown = shown;
    renewPages();
    if (m_panel) m_panel->setPlanShown(shown);
}

void TrainRoom::renewPages() {
    m_toolbar->setVisible(!m_planShown);                 // the toolbar applies only to the plot
    m_headline->setVisible(!m_planShown && !isEmpty());  // it keeps its line while it has no text
    m_pages->setCurrentIndex(m_planShown ? 2 : isEmpty() ? 0 : 1);
}

namespace {

// Heights in pixels at 100 % scale.
constexpr int kStrip = 72;  // of the second picture
constexpr int kMinHeightForTwoPictures = 260;
constexpr int kMostList = 240;  // until the user moves the splitter

}  // namespace

QWidget* TrainRoom::makePictures() {
    m_roofline = new RooflineView(m_access.runs, m_access.session, m_access.engineLock, m_settings, this);
    m_pictures = new QSplitter(Qt::Vertical, m_split);
    m_pictures->setChildrenCollapsible(false);
    m_picture = new QStackedWidget(m_pictures);
    m_picture->addWidget(m_plot);
    m_picture->addWidget(m_roofline);
    m_second = new SecondPicture(m_access, m_settings, m_pictures);
    m_second->gradientPlot().setSmoothing(m_plot->smoothing());
    m_pictures->addWidget(m_picture);
    m_pictures->addWidget(m_second);
    m_pictures->setStretchFactor(0, 1);
    m_pictures->installEventFilter(this);
    // In the row below the pictures, the controls keep their place while a picture is folded.
    m_scope->addButton(m_second->chooser());
    m_scope->addButton(m_second->pickedButton());
    m_scope->addButton(m_second->foldButton());
    return m_pictures;
}

QWidget* TrainRoom::makeRuns() {
    auto* box = new QWidget(this);
    auto* column = scaledColumn(box, 0);
    column->addWidget(m_scope);
    column->addWidget(m_list, 1);
    connect(m_scope->foldButton(), &QAbstractButton::clicked, this, [this] { setListShown(m_list->isHidden()); });
    setListShown(m_settings.value("train/list_shown").toBool());
    return box;
}

void TrainRoom::setListShown(bool shown) {
    m_settings.setValue("train/list_shown", shown);
    m_list->setVisible(shown);
    m_scope->setListShown(shown);
    QWidget* box = m_scope->parentWidget();
    box->setSizePolicy(QSizePolicy::Preferred, shown ? QSizePolicy::Preferred : QSizePolicy::Maximum);
    const int most = ThemeManager::instance().pixels(kMostList);
    const int list = shown ? std::min(m_list->sizeHintForRow(0) * (m_list->table().rowCount() + 2), most) : 0;
    const int runs = m_scope->sizeHint().height() + list;
    m_split->setSizes({std::max(1, m_split->height() - runs), runs});
}

void TrainRoom::connectPictures() {
    const auto showRoofline = [this](bool on) {
        m_picture->setCurrentIndex(on ? 1 : 0);
        renewWhy();
    };
    connect(m_toolbar, &PlotToolbar::rooflineChanged, this, showRoofline);
    connect(m_toolbar, &PlotToolbar::bandsChanged, this, &TrainRoom::renewGroups);
    connect(m_toolbar, &PlotToolbar::unitChanged, this, &TrainRoom::renewUnitAdvice);
    connect(m_toolbar, &PlotToolbar::unitChanged, this, [this] {
        if (isVisible()) readSteps();
    });
    connect(m_toolbar, &PlotToolbar::exportRequested, this, [this] {
        emit m_plot->chosen();
        openExport();
    });
    showRoofline(m_toolbar->isRoofline());
    connect(m_plot, &CurvePlot::crosshairMoved, this, [this](double x) {
        const bool isShown = std::isfinite(x) && m_list->isVisible();
        m_list->table().showValues(isShown ? u"at step %1"_s.arg(readableCount(x)) : QString(),
                                   [this, x](RunId run) { return m_plot->shownValue(run, x); });
    });
    connect(m_pictures, &QSplitter::splitterMoved, this, [this] { m_picturesMoved = true; });
    connect(m_second, &SecondPicture::foldChanged, this, &TrainRoom::fitPictures);
    connect(m_second, &SecondPicture::choiceChanged, this, [this] {
        readSteps();
        fitPictures();
        // Without space for two pictures, the one that was just selected is shown.
        if (!m_second->isNone() && m_second->isHidden()) m_second->foldButton()->setChecked(true);
    });
    connect(m_toolbar, &PlotToolbar::smoothingChanged, &m_second->gradientPlot(), &CurvePlot::setSmoothing);
    for (CurvePlot* plot : plots()) {
        connect(plot, &CurvePlot::runVisibilityChanged, &m_access.runs, qOverload<RunId, bool>(&RunStore::setVisible));
        connect(plot, &CurvePlot::runPicked, this, [this](RunId run) {
            m_list->pick(run);
            // The list does not report that no run is picked any more, or that its current run is picked again.
            for (CurvePlot* each : plots()) each->pickRun(run);
            m_second->setPicked(run);
            if (run != CurvePlot::kNoRun) showSample(run);
        });
    }
    fitPictures();
}

void TrainRoom::fitPictures() {
    const ThemeManager& theme = ThemeManager::instance();
    const bool isTall = !m_pictures->isVisible() || m_pictures->height() >= theme.pixels(kMinHeightForTwoPictures);
    const bool wanted = !m_second->isNone();
    const bool folded = wanted && m_second->foldButton()->isChecked();
    m_second->setVisible(wanted && (folded || isTall));
    m_picture->setVisible(!folded);
    const int strip = theme.pixels(kStrip);
    if (!m_picturesMoved) m_pictures->setSizes({std::max(1, m_pictures->height() - strip), strip});
}

std::array<CurvePlot*, 2> TrainRoom::plots() const {
    return {m_plot, &m_second->gradientPlot()};
}

bool TrainRoom::exportsSecond() const {
    if (m_second->isHidden() || !m_second->hasFigure()) return false;
    return chosenView() == &m_second->view() || m_picture->isHidden();
}

bool TrainRoom::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_pictures && event->type() == QEvent::Resize) fitPictures();
    return Room::eventFilter(watched, event);
}

}  // namespace ropelab::ui

#include "moc_train_room.cpp"
