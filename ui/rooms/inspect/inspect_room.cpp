#include "ui/rooms/inspect/inspect_room.h"

#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>
#include <utility>

#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/figures/job_fields.h"
#include "ui/plot/figure_view.h"
#include "ui/probes/spectrum_maps.h"
#include "ui/rooms/inspect/figures/figures.h"
#include "ui/rooms/inspect/inspect_pane.h"
#include "ui/rooms/inspect/inspect_panel.h"
#include "ui/rooms/inspect/probe_work.h"
#include "ui/rooms/inspect/replay_bar.h"
#include "ui/session/experiment_model.h"
#include "ui/session/rotary_model.h"
#include "ui/session/settings.h"
#include "ui/shell/actions.h"
#include "ui/shell/notices/empty_page.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kFrameMs = 16;

}  // namespace

InspectRoom::~InspectRoom() = default;

QWidget* InspectRoom::panel(QWidget* /*parent*/) {
    m_panel->show();
    return m_panel;
}

void InspectRoom::addActions(ActionRegistry& registry, const RoomHandle<InspectRoom>& room) {
    const auto here = [&registry](const std::function<void()>& change) { return registry.inRoom("inspect", change); };
    const auto isExporting = [room] { return room.made() && room->m_writer->isRunning(); };
    registry.add({.id = "inspect.nextFigure",
                  .menu = "View",
                  .text = u"Show next Inspect figure"_s,
                  .handler = here([room] { room->m_main->step(1); }),
                  .separatorBefore = true});
    registry.add({.id = "inspect.previousFigure",
                  .menu = "View",
                  .text = u"Show previous Inspect figure"_s,
                  .handler = here([room] { room->m_main->step(-1); })});
    registry.add(
        {.id = "inspect.play",
         .menu = "Run",
         .text = u"Replay run"_s,
         .handler = [room] { room->m_bar->setPlaying(!room->m_bar->isPlaying()); },
         .enabled = [room] { return room.isVisible() && room->m_bar->playButton()->isEnabled(); },
         .liveText = [room] { return room.made() && room->m_bar->isPlaying() ? u"Pause replay"_s : u"Replay run"_s; },
         .separatorBefore = true});
    registry.add(
        {.id = "inspect.exportReplay",
         .menu = "File",
         .text = u"Export replay …"_s,
         .handler = [room] { room->m_bar->exportButton()->click(); },
         .enabled =  // a running export can be stopped from every room
         [room, isExporting] {
             return (room.isVisible() || isExporting()) && room->m_bar->exportButton()->isEnabled();
         },
         .liveText = [isExporting] { return isExporting() ? u"Stop replay export"_s : u"Export replay …"_s; }});
    for (const InspectFigure& figure : inspectFigures()) {
        const QString name = QLatin1String(figure.name);
        registry.add({.id = u"inspect.figure."_s + name,
                      .menu = {},
                      .text = u"Show Inspect figure: %1"_s.arg(figure.title),
                      .handler = here([room, name] { room->m_main->choose(name); })});
    }
}

FigureOrigin InspectRoom::originOf(const Figure& figure) {
    const LabFile* lab = m_access.lab.file();
    if (!m_data.run) return {};
    FigureOrigin origin = inspectOrigin(lab, m_data);
    if (!findInspectFigure(figure.name)) return {.lab = origin.lab};
    origin.flags[u"figure"_s] = figure.name;
    if (m_data.snapshot()) origin.flags[u"step"_s] = QString::number(m_data.snapshot()->iteration);
    const QByteArray choices = QByteArray::fromStdString(jobText(request()));
    origin.view = {{kRecordedChoices, QJsonDocument::fromJson(choices).object()}};
    return origin;
}

void InspectRoom::showRun(RunId run, std::int64_t step) {
    m_panel->renewRuns();
    m_panel->chooseRuns(run, 0);
    m_wantedStep = step;
    schedule();
}

bool InspectRoom::hasFigure() const {
    return !isEmpty() && !ui::isEmpty(static_cast<FigureView*>(chosenView())->figure());
}

bool InspectRoom::isBusy() const {
    return m_source->isLoading() || m_answers->isBusy() || (m_stale && isVisible());
}

void InspectRoom::refreshNow() {
    renew();
    for (FigureView* view : {&m_main->view(), &m_side->view(), m_loss}) view->refreshNow();
}

void InspectRoom::fitOnlyPart() {
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
        default:
            Room::keyPressEvent(event);
    }
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
    m_source->setRuns(m_panel->run(), m_panel->ghost(), m_panel->modelText());
    m_data.run = m_source->run(m_panel->run());
    m_data.ghost = m_source->run(m_panel->ghost());
    fitSides();
    std::vector<std::int64_t> iterations;
    if (m_data.run) {
        m_panel->fit(m_data.run->spec, m_data.run->pairs());
        requestAnswers();
        m_answers->fill(m_data, nullptr);  // the snapshots of an opened model
        if (m_data.run->hasSteps()) {
            for (const Snapshot& snapshot : m_data.run->snapshots) iterations.push_back(snapshot.iteration);
        }
    }
    // The cursor does not move while the same run is reloaded.
    if (m_data.run) m_cursorOf = m_data.run->id;
    if (m_data.run || m_cursorOf != m_panel->run()) {
        const bool isOneModel = m_data.run && !m_data.run->hasSteps();
        const bool isMeasured = isOneModel && !m_data.run->snapshots.empty();
        m_bar->setIterations(iterations, isMeasured                             ? u"one measurement"_s
                                         : isOneModel && m_data.run->isOpened() ? u"not measured yet"_s
                                                                                : u"no snapshots"_s);
    }
    if (m_wantedStep >= 0 && !iterations.empty()) m_bar->moveTo(static_cast<double>(std::exchange(m_wantedStep, -1)));
    m_data = dataAt(m_bar->iteration());
    m_answers->fill(m_data, &need::text);
    InspectPicture main = pictureOf(*m_main, m_data);
    applyFixedAxes(main.figure);
    m_main->show(std::move(main));
    if (m_side->isVisibleTo(this)) m_side->show(pictureOf(*m_side, m_data));
    Figure loss = lossFigure();
    loss.x.label.clear();  // the bar below names the step
    m_loss->setFigure(std::move(loss));
    const auto showsText = [this](const InspectPane& pane) {
        const QString name = pane.chosenName();
        return pane.isVisibleTo(this) &&
               (name == "attention-map"_L1 || name == "attention-heads"_L1 || name == "pair-logits"_L1);
    };
    AttentionRow row = attentionRow(m_data, m_hoveredToken);
    m_text->setVisible(!row.tokens.isEmpty() && (showsText(*m_main) || showsText(*m_side)));
    m_text->setRow(std::move(row));
    const auto shown = shownFigures();
    m_panel->showFor(shown, m_answers->problemOf(need::text));
    const auto showsDials = [this](const InspectPane& pane) {
        return pane.isVisibleTo(this) && pane.chosenName() == "pair-dials"_L1;
    };
    m_panel->showLag(showsDials(*m_main) || showsDials(*m_side));
    if (std::any_of(shown.begin(), shown.end(), [](const auto* figure) { return figure->need == &need::fineTuning; }))
        m_panel->fineTune().showState(fineTuneState());
}

Figure InspectRoom::lossFigure() const {
    const InspectFigure& course = *findInspectFigure(u"inspect-loss"_s);
    Figure loss = m_data.run ? course.make(m_data).figure : withoutRun(course.name).figure;
    const bool isMeasuring =
        m_data.run && m_data.run->training && m_data.run->snapshots.size() < m_data.run->training->steps().size();
    if (isMeasuring) return loss;  // its note says how many checkpoints are measured
    loss.note = m_data.ghost ? u"solid: %1; dotted: %2"_s.arg(m_data.run->name, m_data.ghost->name) : QString();
    return loss;
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
    const ModelInputs inputs = modelInputs();
    if (m_data.run->isOpened()) m_answers->request(need::opened, m_data.run, inputs);
    for (const InspectFigure* figure : shownFigures()) {
        // The user starts what is not a part of training.
        const bool isStarted = figure->need && figure->need->isOfTraining;
        if (isStarted && !isStored(*figure->need, dataAt(m_bar->iteration())))
            m_answers->request(*figure->need, m_data.run, inputs);
    }
}

ModelInputs InspectRoom::modelInputs() const {
    const auto picked = pairOf(m_rotary.pickedPair());
    return {.text = m_panel->text(),
            .ablation = m_panel->ablation(m_data.run ? m_data.run->pairs() : 1, picked),
            .factor = m_panel->factor(),
            .pair = picked};
}

InspectData InspectRoom::dataAt(std::int64_t iteration) const {
    InspectData data;
    data.run = m_data.run;
    data.ghost = m_data.ghost;
    data.iteration = iteration;
    data.choices = m_panel->choices();
    data.choices.pair = pairOf(m_rotary.highlightedPair());
    data.choices.query = m_query;
    data.flags = m_panel->flags();
    data.fineTuning = m_panel->fineTuning();
    fillStored(data);
    return data;
}

InspectPicture InspectRoom::pictureOf(const InspectPane& pane, const InspectData& data) const {
    const InspectFigure* figure = pane.chosen();
    const bool isSecondRun = !figure;  // the side pane shows the main figure of the second run
    if (isSecondRun) figure = m_main->chosen();
    InspectData own = data;
    m_answers->fill(own, figure->need);
    if (isSecondRun) {
        if (!own.ghost)
            return withoutNumbers(own, figure->name,
                                  u"Choose a second run in the panel on the right to compare it with the first run."_s);
        own = secondRunData(own);
    }
    return own.run ? inspectPicture(*figure, own) : withoutRun(figure->name);
}

InspectPicture InspectRoom::withoutRun(const char* name) const {
    InspectPicture picture = withoutNumbers({}, name);
    if (isEmpty()) return picture;
    const QString loading =
        m_panel->run() < 0 ? u"Reading the config and tokenizer of the model …"_s : u"Loading the run’s snapshots …"_s;
    picture.figure.emptyText = m_source->problem().isEmpty() ? loading : m_source->problem();
    picture.figure.summary = picture.figure.emptyText;
    return picture;
}

namespace {

// Sizes are in pixels at 100 % scale.
constexpr int kMinWidthForTwo = 720;    // two figures side by side
constexpr int kGoodWidthForTwo = 960;   // from here on, without a choice of the user
constexpr int kMinHeightForLoss = 420;  // the figure of the loss
constexpr int kLossHeight = 96;
constexpr int kDefaultFrames = 200;   // the most frames that the dialog suggests
const QString kNewest = u"newest"_s;  // step of the newest snapshot
const QString kUsualSide = u"attention-map"_s;

}  // namespace

InspectRoom::InspectRoom(SessionActions& actions, RunAccess access, RotaryModel& rotary, Settings& settings,
                         QWidget* parent)
    : Room(parent),
      m_actions(actions),
      m_access(std::move(access)),
      m_rotary(rotary),
      m_settings(settings),
      m_source(new InspectSource(m_access, this)),
      m_answers(new ModelAnswers(m_access, this)),
      m_writer(new ReplayWriter(this)),
      m_panel(new InspectPanel(m_access.runs, m_access.lab, m_settings, this)),
      m_pages(new QStackedWidget(this)) {
    setObjectName(u"inspect"_s);
    m_panel->hide();
    auto* layout = scaledColumn(this, 8, {12, 8, 12, 12});
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
    connect(&m_panel->fineTune(), &FineTunePanel::toggleRequested, this, [this] {
        if (m_answers->isFineTuning()) return m_answers->cancelFineTuning();
        if (m_data.run) m_answers->startFineTuning(m_data.run, m_panel->fineTuning());
    });
    connect(m_answers, &ModelAnswers::fineTuningProgressed, &m_panel->fineTune(), &FineTunePanel::showProgress);
    connect(m_bar, &ReplayBar::moved, this, &InspectRoom::schedule);
    connectWriter();
    RunStore& runs = m_access.runs;
    connect(&runs, &RunStore::reloaded, this, &InspectRoom::schedule);
    connect(&m_access.lab, &LabDocument::modelsChanged, this, &InspectRoom::schedule);
    connect(&m_rotary, &RotaryModel::pairHighlighted, this, &InspectRoom::schedule);
    connect(&m_rotary, &RotaryModel::pickRestored, this, [this] { m_pair = m_rotary.pickedPair(); });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        fitSides();
        schedule();
    });
    fitSides();
}

void InspectRoom::addPartsAndControls() {
    for (const QString& name : inspectFigureNames()) {
        addPart({name, [this, name] { m_main->choose(name); }, [this, name] { return m_main->chosenName() == name; }});
    }
    // The lists follow the selected run when the room is drawn; a lecture that sets the run and then a head needs them
    // now.
    const auto addRenewed = [this](RoomControl control) {
        control.set = [this, set = std::move(control.set)](const QString& value) {
            if (m_stale) renew();
            set(value);
        };
        addControl(std::move(control));
    };
    const QString iteration = u"iteration"_s;
    const QString pair = u"pair"_s;
    for (const auto& [name, field] :
         {std::pair("run", "run"), {"beside", "ghost"}, {"layer", "layer"}, {"head", "head"}})
        addRenewed(controlOf(QLatin1String(name), m_panel->form().field<QComboBox>(field)));
    addControl({iteration,
                [this, iteration](const QString& value) {
                    m_wantedStep = value == kNewest ? std::numeric_limits<std::int64_t>::max()
                                                    : std::max<std::int64_t>(0, controlWhole(iteration, value));
                    schedule();
                },
                [this] {
                    return m_bar->isAtNewest() ? QVariant(kNewest)
                                               : QVariant(static_cast<qlonglong>(m_bar->iteration()));
                },
                m_bar});
    addControl({pair,
                [this, pair](const QString& value) {
                    m_pair = std::nullopt;
                    if (value != "none"_L1) m_pair = static_cast<int>(controlWhole(pair, value));
                    m_rotary.pickPair(m_pair, true);
                    schedule();
                },
                [this] { return m_pair ? QVariant(*m_pair) : QVariant(u"none"_s); }, nullptr});
    addControl({u"part"_s, [this](const QString& part) { showPart(part); }, [this] { return QVariant(shownPart()); },
                m_main->chooser()});
    addBars({m_main->chooser(), m_side->chooser(), m_bar});
    for (const char* field : {"difference", "rows", "axis", "text", "kind", "pairs", "first", "last", "length"})
        addChoice(m_panel->form().field<QWidget>(field));
    addChoice(m_panel->form().field<QWidget>("lag"), Settings::standard("inspect/lag"));
    addChoice(m_panel->form().field<QWidget>("modelText"), Settings::standard("inspect/modelText"));
    addChoice({[this] { return m_panel->flags(); },
               [this](const QVariant& flags) { m_panel->setFlags(flags.toJsonObject()); }, QJsonObject()});
    addChoice({[this] { return m_query; },
               [this](const QVariant& token) {
                   m_query = token.toInt();
                   schedule();
               },
               -1});
}

QWidget* InspectRoom::makeEmptyState() {
    const EmptyPage empty =
        makeEmptyPage(u"Inspect how a run learns to use its rotary frequencies"_s,
                      u"Train a sweep: every evaluation stores a snapshot of each run’s internals. This page shows "
                      "the logit contribution of each rotary pair, the attention weights and the retrieval accuracy "
                      "by distance, and plays back how these change over training."_s,
                      u"inspect"_s, this);
    m_goToTrain = empty.button;
    connect(m_goToTrain, &QPushButton::clicked, this, [this] { emit roomRequested(u"train"_s); });
    return empty.page;
}

QWidget* InspectRoom::makePictures() {
    auto* page = new QWidget(this);
    auto* column = scaledColumn(page, 8);
    m_split = new QSplitter(Qt::Horizontal, page);
    m_split->setChildrenCollapsible(false);
    m_main = new InspectPane(u"Main figure"_s, {}, m_split);
    m_side = new InspectPane(u"Side figure"_s,
                             {{u"nothing"_s, u"no side figure"_s},
                              {QLatin1String(ReplayJob::kSecondRun), u"main figure for the second run"_s}},
                             m_split);
    m_split->setSizes({1100, 900});
    auto* choosers = scaledRow(nullptr, 8);
    choosers->addWidget(m_main->chooser(), 1);
    choosers->addWidget(m_side->chooser(), 1);
    column->addLayout(choosers);
    column->addWidget(m_split, 1);
    m_text = new TextStrip(page);
    column->addWidget(m_text);
    m_loss = new FigureView(page);
    m_loss->setAccessibleName(u"Validation loss during training, with a cursor at the shown step"_s);
    column->addWidget(m_loss);
    m_bar = new ReplayBar(page);
    column->addWidget(m_bar);

    Settings& settings = m_settings;
    m_main->choose(settings.value("inspect/figure").toString());
    m_side->choose(settings.value("inspect/beside").toString());
    m_isSideChosen = settings.value("inspect/beside") != kUsualSide;
    chooseData(m_bar->pace(), settings.value("replay/pace").toInt());
    connect(m_bar->pace(), &QComboBox::currentIndexChanged, this,
            [this] { m_settings.setValue("replay/pace", m_bar->pace()->currentData().toInt()); });
    connectPane(*m_main);
    connectPane(*m_side);
    addFigure({m_loss, [this] {
                   if (m_stale) renew();
                   return lossFigure();
               }});
    addPartsAndControls();
    connect(m_loss, &FigureView::lineDragged, this, [this](const QString&, double at) { m_bar->moveTo(at); });
    connect(m_loss, &FigureView::clicked, this, [this](const QPointF& place) { m_bar->moveTo(place.x()); });
    connect(m_text, &TextStrip::hovered, this, [this](int token) {
        m_hoveredToken = token;
        schedule();
    });
    connect(m_text, &TextStrip::left, this, [this] {
        m_hoveredToken = -1;
        schedule();
    });
    connect(m_text, &TextStrip::picked, this, [this](int token) {
        m_query = token;
        schedule();
    });
    return page;
}

void InspectRoom::connectPane(InspectPane& pane) {
    RotaryModel& rotary = m_rotary;
    connect(&pane, &InspectPane::figureChosen, this, [this, &pane] {
        if (m_isFitting) return;
        const bool main = &pane == m_main;
        if (!main) {
            m_besideBefore.clear();
            m_isSideChosen = true;
        }
        m_settings.setValue(main ? "inspect/figure" : "inspect/beside", pane.chosenName());
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
    connect(&pane, &InspectPane::tokenHovered, this, [this](int token) {
        if (token == m_hoveredToken) return;
        m_hoveredToken = token;
        schedule();
    });
    connect(&pane, &InspectPane::tokenClicked, this, [this](int token) {
        m_query = token == m_query ? -1 : token;
        schedule();
    });
    connect(&pane, &InspectPane::headClicked, this, [this](int layer, int head) { m_panel->chooseHead(layer, head); });
    FigureView& view = pane.view();
    connect(&view, &FigureView::keyPressed, this, [this, &rotary](int key) {
        if (!m_data.run) return;
        const int by = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
        if (by == 0) return;
        const int last = static_cast<int>(m_data.run->pairs()) - 1;
        m_pair = std::clamp(pairOf(rotary.pickedPair()).value_or(by > 0 ? -1 : last + 1) + by, 0, last);
        rotary.pickPair(m_pair, true);
        schedule();
    });
    addFigure({&view, [this, &pane, &rotary] {
                   rotary.hoverPair(std::nullopt);  // an exported figure shows the selected pair
                   if (m_stale) renew();
                   return pane.picture().figure;
               }});
}

void InspectRoom::showSecondRun() {
    const QString second = QLatin1String(ReplayJob::kSecondRun);
    if (m_panel->ghost() == 0) {
        if (!m_besideBefore.isEmpty()) m_side->choose(QString(m_besideBefore));
        return;
    }
    const QString before = m_side->chosenName();
    if (before == second) return;
    const QVariant stored = m_settings.value("inspect/beside");
    m_side->choose(second);
    m_besideBefore = before;
    // At the next start there is no second run, so the setting must not name it.
    m_settings.setValue("inspect/beside", stored);
}

void InspectRoom::fitSides() {
    const ThemeManager& theme = ThemeManager::instance();
    if (!m_isSideChosen) {
        m_isFitting = true;
        // A run without snapshots would say so twice.
        const bool hasSide = !m_data.run || !m_data.run->snapshots.empty();
        m_side->choose(hasSide && width() >= theme.pixels(kGoodWidthForTwo) ? kUsualSide : u"nothing"_s);
        m_isFitting = false;
    }
    const bool fits = onlyPart().isEmpty() && width() >= theme.pixels(kMinWidthForTwo);
    const bool shows = fits && m_side->chosenName() != "nothing"_L1;
    m_side->chooser()->setVisible(fits);
    m_side->setVisible(shows);
    if (!shows && chosenView() == &m_side->view()) emit m_main->view().chosen();
    m_loss->setFixedHeight(theme.pixels(kLossHeight));
    // The figure above it says why a run could not be loaded.
    const bool hasRun = m_data.run || m_source->problem().isEmpty();
    m_loss->setVisible(hasRun && onlyPart().isEmpty() && height() >= theme.pixels(kMinHeightForLoss));
}

InspectRequest InspectRoom::request() const {
    const ModelMark* model = m_access.lab.model(m_panel->run());
    return {.run = model ? 0 : m_panel->run(),
            .model = model ? QString::fromStdString(model->path) : QString(),
            .modelText = model ? m_panel->modelText() : QString(),
            .beside = m_panel->ghost(),
            .choices = dataAt(m_bar->iteration()).choices,
            .modelInputs = modelInputs(),
            .flags = m_panel->flags()};
}

ReplayJob InspectRoom::replayJob() const {
    ReplayJob job;
    static_cast<InspectRequest&>(job) = request();
    job.lab = m_access.lab.path();
    job.figures << m_main->chosenName();
    const bool second = m_side->chosenName() == QLatin1String(ReplayJob::kSecondRun);
    if (m_side->isVisibleTo(this) && (job.beside != 0 || !second)) job.figures << m_side->chosenName();
    job.framesPerSecond = m_bar->pace()->currentData().toDouble();
    job.most = kDefaultFrames;
    return job;
}

QString InspectRoom::whyNoReplay(const ReplayJob& job) const {
    if (m_writer->isRunning())
        return u"Another animation of a run's training (a replay) is being exported; stop that export, or wait until "
               "it has ended."_s;
    if (const QString why = whyNotReplayable(job); !why.isEmpty() || !needsModel(job)) return why;
    const QString words =
        u"The selected figures evaluate the run’s model, but %1 uses the engine that evaluates models. Export the "
        u"replay "
        "after it has ended."_s;
    if (m_access.session.isActive()) return words.arg(u"training"_s);
    if (m_access.meter.isActive()) return words.arg(u"the measurement of the sweep's cost"_s);
    if (m_answers->isFineTuning()) return words.arg(u"fine-tuning"_s);
    return {};
}

ReplayDialog* InspectRoom::openReplayDialog() {
    if (m_stale) renew();
    if (!m_data.run || m_data.run->snapshots.empty()) return nullptr;
    const auto isRefused = [this](const ReplayJob& job) {
        const QString why = whyNoReplay(job);
        if (!why.isEmpty()) emit m_actions.problem(u"replay"_s, why);
        return !why.isEmpty();
    };
    if (isRefused(replayJob())) return nullptr;
    if (m_dialog && m_dialog->isVisible()) {
        m_dialog->setJob(replayJob());
        m_dialog->raise();
        m_dialog->activateWindow();
        return m_dialog;
    }
    m_dialog = new ReplayDialog(m_settings, replayJob(), static_cast<int>(m_data.run->snapshots.size()), this);
    connect(m_dialog, &ReplayDialog::exportConfirmed, this, [this, isRefused](const ReplayJob& job) {
        if (isRefused(job)) return;  // a sweep may have started in the meantime
        emit m_actions.solved(u"replay"_s);
        m_bar->showExport(u"starting export …"_s);
        m_replayFile = QFileInfo(job.output).absoluteFilePath();
        m_writer->start(job);
    });
    m_dialog->show();
    return m_dialog;
}

void InspectRoom::connectWriter() {
    connect(&m_access.lab, &LabDocument::opened, this, [this] {
        m_cursorOf = 0;
        m_panel->forgetRuns();
        if (m_dialog) m_dialog->close();
    });
    connect(m_writer, &ReplayWriter::progressed, this,
            [this](int done, int all) { m_bar->showExport(u"frame %1 of %2"_s.arg(done).arg(all)); });
    connect(m_writer, &ReplayWriter::finished, this, [this](int frames) {
        m_bar->endExport(u"%1 exported to %2"_s.arg(countText(frames, u"frame"_s), QFileInfo(m_replayFile).fileName()));
        m_bar->words()->setToolTip(QDir::toNativeSeparators(m_replayFile));
    });
    connect(m_writer, &ReplayWriter::stopped, this, [this](int frames) {
        m_bar->endExport(frames > 0 ? u"export stopped; %1 saved"_s.arg(countText(frames, u"frame"_s))
                                    : u"export stopped"_s);
    });
    connect(m_writer, &ReplayWriter::failed, this, [this](const QString& sentence) {
        m_bar->endExport({});
        emit m_actions.problem(u"replay"_s, sentence);
    });
    connect(m_bar, &ReplayBar::exportRequested, this, [this] {
        if (m_writer->isRunning()) {
            m_bar->showStopping();
            m_writer->stop();
        } else {
            openReplayDialog();
        }
    });
}

}  // namespace ropelab::ui

#include "moc_inspect_room.cpp"
