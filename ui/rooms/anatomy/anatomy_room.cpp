#include "ui/rooms/anatomy/anatomy_room.h"

#include <QApplication>
#include <QButtonGroup>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>
#include <utility>

#include "core/contract/anatomy_times.h"
#include "core/interop/model_table.h"
#include "core/report/anatomy_report.h"
#include "core/run/checkpoint.h"
#include "ui/common/paths.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/controls/flow_layout.h"
#include "ui/controls/table_view.h"
#include "ui/rooms/anatomy/activation_figure.h"
#include "ui/session/experiment_model.h"
#include "ui/shell/actions.h"
#include "ui/theme/dialogs.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// Lengths in pixels at 100 %.
constexpr int kLowestListing = 160;
constexpr int kLowPage = 400;       // height of a page that scrolls
constexpr int kDetailHeight = 196;  // of a stage with its weights and activation
constexpr int kStageHeight = 108;   // of a stage alone
// Margin that a view leaves around its drawing, in points.
constexpr double kDrawingMarginPt = 9;

const QString kSweep = u"sweep"_s;
const QString kRun = u"run:"_s;
const QString kKnown = u"model:"_s;
const QString kConfig = u"config:"_s;
const QString kOpened = u"opened:"_s;

}  // namespace

AnatomyRoom::AnatomyRoom(SessionActions& actions, RunAccess access, ExperimentModel& experiment, QWidget* parent)
    : Room(parent), m_actions(actions), m_access(access), m_experiment(experiment), m_panel(new AnatomyPanel) {
    m_view.picked = u"attention.qkv"_s;
    auto* column = scaledColumn(this, 8, {12, 8, 12, 12});
    m_bar = makeBar();
    column->addWidget(m_bar);
    m_pages = new QStackedWidget(this);
    m_scroll = new QScrollArea(m_pages);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    scaleMinimumHeight(m_scroll, kLowestListing);
    m_listing = addView(m_scroll, u"Stages of the model"_s);
    m_scroll->setWidget(m_listing);
    m_pages->addWidget(m_scroll);
    m_pages->addWidget(makeTable());
    column->addWidget(m_pages, 1);
    column->addWidget(makeDetail());
    addParts();
    connectTable();
    connectEvents();
    connectPanel();
}

AnatomyRoom::~AnatomyRoom() {
    if (m_panel && m_panel->parent() == nullptr) delete m_panel;
}

QWidget* AnatomyRoom::panel(QWidget* /*parent*/) {
    return m_panel;
}

QWidget* AnatomyRoom::makeBar() {
    auto* bar = new QWidget(this);
    auto* flow = new FlowLayout(bar);
    scaleLayout(flow, {0, 0, 0, 0}, 16);
    const auto addChoice = [&](const Toggle& first, const Toggle& second) {
        auto* box = new QWidget(bar);
        const auto buttons = addToggles(scaledRow(box, 4), {first, second}, {})->buttons();
        flow->addWidget(box);
        return std::pair(static_cast<QToolButton*>(buttons[0]), static_cast<QToolButton*>(buttons[1]));
    };
    std::tie(m_asPicture, m_asTable) = addChoice(
        {u"Picture"_s, u"Stages as a picture"_s,
         u"Shows the residual stream with a block and bars for each stage "
         "(operation of the forward pass)."_s},
        {u"Table"_s, u"Stages as a table"_s,
         u"Lists the stages (operations of the forward pass) with their output shapes, and the parameters, FLOPs and "
         "KV cache of each stage in one layer."_s});
    std::tie(m_single, m_pair) =
        addChoice({u"Model"_s, u"Stages of the model"_s,
                   u"Shows the stages (operations of the forward pass) of the "
                   "chosen model."_s},
                  {u"Traditional | Modern"_s, u"Traditional and modern decoder"_s,
                   u"Compares two decoders with the chosen numbers of layers, heads and channels: GPT-2 with learned "
                   "positions, LayerNorm and GELU, and Llama with RoPE, grouped-query attention, RMSNorm and SwiGLU. "
                   "Differences are marked."_s});
    m_fold = makeButton<QToolButton>(
        u"Fold layers"_s,
        u"Shows the attention and the MLP of each layer as one block, with the sums over the stages (operations) in "
        "the block."_s,
        bar);
    m_fold->setCheckable(true);
    flow->addWidget(m_fold);
    m_measure = makeButton<QToolButton>(u"Measure times"_s, {}, bar);
    flow->addWidget(m_measure);
    connect(m_measure, &QToolButton::clicked, this, &AnatomyRoom::measure);
    connect(m_asTable, &QToolButton::toggled, this, [this](bool isTable) {
        m_pages->setCurrentIndex(isTable ? 1 : 0);
        m_fold->setEnabled(!isTable);
    });
    connect(m_pair, &QToolButton::toggled, this, [this] {
        renewListing();
        offerMeasurement();
    });
    connect(m_fold, &QToolButton::toggled, this, [this](bool isFolded) {
        m_view.isFolded = isFolded;
        renewListing();
    });
    return bar;
}

QWidget* AnatomyRoom::makeTable() {
    auto* box = new QWidget(m_pages);
    auto* column = scaledColumn(box, 4);
    m_stages = new TextTable(this);
    m_table = makeTableView(u"Table of stages"_s, m_stages, box);
    column->addWidget(m_table, 1);
    m_notes = makeNote(box);
    column->addWidget(m_notes);
    return box;
}

QWidget* AnatomyRoom::makeDetail() {
    m_detail = new QWidget(this);
    auto* row = scaledRow(m_detail, 12);
    m_stage = addView(m_detail, u"Selected stage"_s);
    row->addWidget(m_stage, 1);
    m_weightsBox = new QWidget(m_detail);
    auto* column = scaledColumn(m_weightsBox, 4);
    m_tensors = makeChoice(u"Weights of the stage"_s, m_weightsBox, 12);
    m_tensors->setToolTip(
        u"Selects the weight tensor that the heat map shows. The tensors belong to the selected "
        "stage (operation of the forward pass)."_s);
    column->addWidget(m_tensors);
    m_weights = addView(m_weightsBox, u"Weights of the selected stage"_s);
    column->addWidget(m_weights, 1);
    row->addWidget(m_weightsBox, 1);
    m_activation = new ActivationPane(m_access, m_detail);
    addToRoom(m_activation->view());
    row->addWidget(m_activation, 1);
    return m_detail;
}

FigureView* AnatomyRoom::addView(QWidget* parent, const QString& name) {
    auto* view = new FigureView(parent);
    view->setAccessibleName(name);
    addToRoom(view);
    return view;
}

void AnatomyRoom::addToRoom(FigureView* view) {
    addFigure({view, [this, view] {
                   if (m_isStale) renew();
                   return view->figure();
               }});
}

void AnatomyRoom::addParts() {
    addPart({u"stages"_s, [this] { m_single->setChecked(true); }, [this] { return m_single->isChecked(); }});
    addPart({QLatin1String(kComparedAnatomyFigure), [this] { m_pair->setChecked(true); },
             [this] { return m_pair->isChecked(); }});
    addControl({.name = u"stage"_s,
                .set =
                    [this](const QString& id) {
                        if (m_isStale) renew();
                        if (!AnatomyPicture(m_shown, {}).ids().contains(id)) {
                            throw BadInput("The model has no stage \"" + id.toStdString() +
                                           "\"; the table of the page Anatomy lists the stages of the model.");
                        }
                        pick(id);
                    },
                .value = [this] { return QVariant(m_view.picked); },
                .widget = m_listing});
    addBars({m_bar, m_tensors, m_activation->outputs(), m_activation->textField()});
    addChoices({m_asPicture, m_asTable, m_fold});
    using Copy = std::pair<QString, std::map<QString, QString>>;
    addChoice({[this] { return QVariant::fromValue(Copy(m_isSourceChosen ? m_source : QString(), m_edits)); },
               [this](const QVariant& value) {
                   std::tie(m_source, m_edits) = value.value<Copy>();
                   m_isSourceChosen = !m_source.isEmpty();
                   renew();  // also finds a source where none is chosen
               },
               QVariant::fromValue(Copy())});
}

void AnatomyRoom::connectTable() {
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        const QString id = m_tableIds.value(index.row());
        if (!id.isEmpty() && id != m_view.picked) pick(id);
    });
}

void AnatomyRoom::connectEvents() {
    connect(m_listing, &FigureView::clicked, this, [this](const QPointF& place) {
        if (!m_picture) return;
        const QString id = m_picture->stageAt(m_listing->canvasRect(), m_listing->style(), place.y());
        if (id == "layer"_L1) {
            m_fold->click();
        } else if (!id.isEmpty()) {
            pick(id);
        }
    });
    connect(m_listing, &FigureView::keyPressed, this, [this](int key) {
        if (key == Qt::Key_Down) movePicked(1);
        if (key == Qt::Key_Up) movePicked(-1);
    });
    connect(m_tensors, &QComboBox::currentIndexChanged, this,
            [this] { loadTensor(m_tensors->currentData().toString()); });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        if (isVisible()) renewListing();
    });
    const auto age = [this] {
        m_isStale = true;
        if (isVisible()) renew();
    };
    connect(&m_experiment, &ExperimentModel::changed, this, age);
    connect(&m_access.runs, &RunStore::reloaded, this, age);
    connect(&m_access.runs, &RunStore::runPicked, this, [this, age](RunId run) {
        const bool isPublished = m_source.startsWith(kKnown) || m_source.startsWith(kConfig);
        const QString source = sourceOf(run);
        if ((isPublished && run > 0) || !m_edits.empty() || m_source == source) return;
        m_source = source;
        m_isSourceChosen = true;
        age();
    });
    connect(&m_access.session, &SweepSession::stateChanged, this, &AnatomyRoom::offerMeasurement);
    connect(&m_access.meter, &SweepMeter::started, this, &AnatomyRoom::offerMeasurement);
    connect(&m_access.meter, &SweepMeter::ended, this, &AnatomyRoom::offerMeasurement);
    connect(&m_timing, &LatestJob::runningChanged, this, &AnatomyRoom::offerMeasurement);
}

void AnatomyRoom::connectPanel() {
    connect(m_panel->source(), &QComboBox::activated, this,
            [this] { showSource(m_panel->source()->currentData().toString()); });
    connect(m_panel->openButton(), &QPushButton::clicked, this, [this] {
        const QString path =
            dialogs().open(this, {.title = u"Open config.json"_s, .filters = u"Hugging Face config (*.json)"_s});
        if (!path.isEmpty()) showSource(kConfig + path);
    });
    connect(m_panel, &AnatomyPanel::edited, this, &AnatomyRoom::editCopy);
    connect(m_panel->useButton(), &QPushButton::clicked, this, &AnatomyRoom::useInSweep);
    connect(m_panel->resetButton(), &QPushButton::clicked, this, [this] {
        m_edits.clear();
        renew();
    });
    connect(&m_panel->output(), &TableOutput::copyRequested, this, &AnatomyRoom::copyTable);
    connect(&m_panel->output(), &TableOutput::saveRequested, this, &AnatomyRoom::saveTable);
}

void AnatomyRoom::addActions(ActionRegistry& registry, const RoomHandle<AnatomyRoom>& room) {
    registry.add({.id = u"anatomy.save"_s, .menu = u"File"_s, .text = u"Save table of stages …"_s, .handler = [room] {
                      room->saveTable();
                  }});
}

FigureOrigin AnatomyRoom::originOf(const Figure& figure) {
    if (figure.name == QLatin1String(kActivationFigure) && figure.map) {
        return activationOrigin(figure, *m_access.lab.file(), sourceRun());
    }
    const bool isListing = figure.name == QLatin1String(kAnatomyFigure);
    const bool isPair = figure.name == QLatin1String(kComparedAnatomyFigure);
    // Measured times differ from measurement to measurement.
    const bool isTimed = isListing && !m_model.anatomy.times.empty();
    if ((!isListing && !isPair) || isTimed) return {};
    QJsonObject flags{{u"figure"_s, figure.name}};
    if (!m_model.spec) {
        flags[m_source.startsWith(kConfig) ? u"hf-config"_s : u"model"_s] = m_source.mid(m_source.indexOf(u':') + 1);
    }
    FigureOrigin origin = anatomyOrigin(m_model, m_view);
    origin.flags = withFlags(flags, origin.flags);
    return origin;
}

void AnatomyRoom::refreshNow() {
    if (m_isStale) renew();
    for (FigureView* view : {m_listing, m_stage, m_weights, m_activation->view()}) {
        if (view->isVisible() || !isVisible()) view->refreshNow();  // others are painted when they are shown
    }
}

bool AnatomyRoom::isBusy() const {
    return m_job.isRunning() || m_timing.isRunning() || m_activation->isRunning();
}

void AnatomyRoom::showSource(const QString& source) {
    const QString before = std::exchange(m_source, source);
    m_isSourceChosen = true;
    const bool isShown = m_actions.attempt(u"anatomy"_s, [this] {
        originalModel();
        m_edits.clear();
    });
    if (!isShown) m_source = before;
    if (m_source.startsWith(kRun)) m_access.runs.pick(sourceRun());
    renew();
}

std::optional<RunSpec> AnatomyRoom::sweepSpec() const {
    const std::vector<RunSpec> runs = m_experiment.value().expand();
    return runs.empty() ? std::nullopt : std::optional(runs.front());
}

AnatomyModel AnatomyRoom::originalModel() const {
    if (m_source.startsWith(kKnown)) return model_of_name(m_source.mid(kKnown.size()).toStdString());
    if (m_source.startsWith(kConfig)) return model_of_config(toPath(m_source.mid(kConfig.size())));
    if (m_source.startsWith(kOpened)) return model_of_name(m_source.mid(kOpened.size()).toStdString());
    if (m_source.startsWith(kRun)) {
        const RunId id = sourceRun();
        if (!m_access.lab.file()) throw BadInput("There are no runs to choose; train a run, or open a lab file.");
        return model_of_run(*m_access.lab.file(), id);
    }
    return model_of_settings(sweepSpec().value_or(RunSpec{}), 0, u"sweep"_s.toStdString());
}

QString AnatomyRoom::sourceOf(RunId run) const {
    const ModelMark* model = m_access.lab.model(run);
    return model ? kOpened + QString::fromStdString(model->path) : kRun + QString::number(run);
}

void AnatomyRoom::renewSources() {
    QList<QPair<QString, QVariant>> entries = {{u"First run of the sweep in Train"_s, kSweep}};
    std::vector<const RunView*> runs;  // models of imported runs are not known
    for (const RunView& run : m_access.runs.runs()) {
        if (!run.imported) runs.push_back(&run);
    }
    if (!m_isSourceChosen && m_edits.empty() && !runs.empty()) {
        const auto rotated = [](const RunView* run) { return run->spec.rotates() ? run->spec.fraction : 0; };
        m_source = kRun + QString::number((*std::ranges::max_element(runs, {}, rotated))->record.id);
    }
    if (!m_isSourceChosen && m_edits.empty() && m_access.lab.model(m_access.runs.picked()))
        m_source = sourceOf(m_access.runs.picked());
    for (const ModelMark& model : m_access.lab.models()) entries.append({text(model.name), kOpened + text(model.path)});
    for (const RunView* run : runs) {
        entries.append({u"Run %1: %2"_s.arg(run->record.id).arg(run->name), kRun + QString::number(run->record.id)});
    }
    if (m_source.startsWith(kConfig)) entries.append({m_source.mid(kConfig.size()), m_source});
    for (const KnownModel& known : model_table()) entries.append({text(known.name), kKnown + text(known.name)});
    const bool isThere =
        std::any_of(entries.begin(), entries.end(), [this](const auto& entry) { return entry.second == m_source; });
    if (!isThere) {  // the run was deleted, or another lab was opened
        m_source = kSweep;
        m_isSourceChosen = false;
        m_edits.clear();
    }
    refillChoice(m_panel->source(), entries, m_source);
}

void AnatomyRoom::renew() {
    m_isStale = false;
    renewSources();
    QString problem;
    try {
        // The files of an opened model are read when it is chosen.
        if (!m_source.startsWith(kOpened) || m_originalSource != m_source) m_original = originalModel();
        m_originalSource = m_source;
    } catch (const std::exception& error) {
        m_originalSource.clear();
        problem = QString::fromUtf8(error.what());
        m_original = model_of_settings(RunSpec{}, 0, u"default settings"_s.toStdString());
    }
    m_model = m_original;
    if (m_original.spec && !m_edits.empty()) {
        try {
            RunSpec copy = *m_original.spec;
            for (const auto& [name, value] : m_edits) {
                const Key& setting = key(name.toStdString());
                setting.set(copy, parse_value(setting, value.toStdString(), copy));
            }
            m_model = model_of_settings(copy, m_original.vocabulary, m_original.name);
        } catch (const BadInput& error) {  // the original changed, so that the edits no longer fit
            problem = QString::fromUtf8(error.what());
            m_edits.clear();
        }
    }
    if (m_model.spec && m_timedSpec == m_model.spec && m_timedVocabulary == m_model.vocabulary) {
        add_times(m_model.anatomy, m_times);
    }
    offerMeasurement();
    m_panel->showSettings(m_model.spec);
    m_panel->showTotals(m_model, m_original);
    m_panel->showProblem(problem);
    const bool isEdited = m_model.spec && m_original.spec && *m_model.spec != *m_original.spec;
    m_panel->offer(isEdited, m_model.spec && (isEdited || m_source != kSweep));
    renewListing();
    renewWeights();
}

void AnatomyRoom::renewListing() {
    if (m_isStale) return;
    m_shown = {m_model};
    if (m_pair->isChecked()) {
        try {
            m_shown = traditionalAndModern(m_model.spec ? *m_model.spec : RunSpec{}, m_model.vocabulary);
        } catch (const BadInput& error) {
            m_panel->showProblem(QString::fromUtf8(error.what()));
        }
    }
    // Another model may lack the picked stage.
    if (!pickedStage()) m_view.picked = text(m_model.anatomy.sections.front().stages.front().id);
    const FigureStyle& style = m_listing->style();
    const double margin = style.units(kDrawingMarginPt);
    m_picture.emplace(m_shown, m_view);
    const QSizeF least = m_picture->size(style);
    m_listing->setMinimumHeight(static_cast<int>(std::ceil(least.height() + margin)));
    m_listing->setFigure(anatomyFigure(m_shown, *m_picture));
    StageTable table = stageTable(m_shown);
    m_tableIds = table.ids;
    m_stages->setContent(std::move(table.content));
    m_table->resizeColumnsToContents();
    m_table->selectRow(static_cast<int>(m_tableIds.indexOf(m_view.picked)));
    m_notes->setText(anatomyNotes(m_shown).join(u"\n"_s));
    m_listing->setToolTip(anatomyNotes(m_shown).join(u"\n"_s));
    renewStage();
}

const AnatomyStage* AnatomyRoom::pickedStage() const {
    const AnatomyStage* stage = m_model.anatomy.find(m_view.picked.toStdString());
    for (std::size_t i = 0; !stage && i < m_shown.size(); ++i) {
        stage = m_shown[i].anatomy.find(m_view.picked.toStdString());
    }
    return stage;
}

void AnatomyRoom::renewStage() {
    const AnatomyStage* stage = pickedStage();
    AnatomyStage shown = stage ? *stage : m_model.anatomy.sections.front().stages.front();
    const auto isOfLayer = [&shown](const AnatomySection& section) {
        return !section.layers.empty() && std::any_of(section.stages.begin(), section.stages.end(),
                                                      [&](const AnatomyStage& each) { return each.id == shown.id; });
    };
    const auto& sections = m_model.anatomy.sections;
    const bool repeats = std::any_of(sections.begin(), sections.end(), isOfLayer);
    if (m_shown.size() > 1 && repeats) shown.name += " (chosen model)";  // not one of the two that are compared
    m_stage->setFigure(stageFigure(shown, repeats, whyNoModel()));
}

QString AnatomyRoom::whyNoModel() const {
    if (!m_source.startsWith(kRun)) return u"Choose a run to see weights and activations."_s;
    if (!m_edits.empty())
        return u"The settings of the modified copy differ from those of the run, so the run's "
               "weights are not shown."_s;
    const RunCheckpoint checkpoint = shownCheckpoint();
    if (std::filesystem::exists(checkpoint.path)) return {};
    return checkpoint.is_written
               ? u"The checkpoint with the weights of this run is missing; restore the file, or train the run again."_s
               : u"This run has no stored weights yet; weights are stored at each evaluation and when a run "
                 "is paused or ends."_s;
}

void AnatomyRoom::renewWeights() {
    QList<QPair<QString, QVariant>> entries;
    const bool isRun = m_source.startsWith(kRun) && m_edits.empty();
    const AnatomyStage* picked = m_model.anatomy.find(m_view.picked.toStdString());
    for (const AnatomySection& section : m_model.anatomy.sections) {
        for (const AnatomyStage& stage : section.stages) {
            if (!isRun || &stage != picked) continue;
            for (const Tensor& tensor : stage.tensors) {
                if (section.layers.empty()) entries.append({text(tensor.name), text(tensor.name)});
                for (const std::int64_t layer : section.layers) {
                    const QString name = u"layers.%1.%2"_s.arg(layer).arg(text(tensor.name));
                    entries.append({name, name});
                }
            }
        }
    }
    const bool hasTensors = !entries.isEmpty();
    if (!hasTensors) entries.append({u"no weights"_s, QString()});
    refillChoice(m_tensors, entries, entries.front().second);
    m_tensors->setEnabled(hasTensors);
    // Where there is nothing to show, the card of the stage has the whole width and says why.
    const bool hasModel = whyNoModel().isEmpty();
    m_weightsBox->setVisible(hasModel && hasTensors);
    m_activation->setVisible(hasModel);
    m_detail->setFixedHeight(ThemeManager::instance().pixels(hasModel ? kDetailHeight : kStageHeight));
    loadTensor(m_tensors->currentData().toString());
    renewActivation();
}

RunId AnatomyRoom::sourceRun() const {
    return m_source.mid(kRun.size()).toLongLong();
}

RunCheckpoint AnatomyRoom::shownCheckpoint() const {
    const LabFile& lab = *m_access.lab.file();
    return checkpointOfRun(lab, sourceRun());
}

void AnatomyRoom::renewActivation() {
    const bool isRun = m_source.startsWith(kRun) && m_edits.empty();
    if (!isRun) return m_activation->showStage({}, nullptr, nullptr, 0, whyNoModel());
    const AnatomyStage* picked = m_model.anatomy.find(m_view.picked.toStdString());
    const AnatomySection* owner = nullptr;
    for (const AnatomySection& section : m_model.anatomy.sections) {
        for (const AnatomyStage& stage : section.stages) {
            if (&stage == picked) owner = &section;
        }
    }
    m_activation->showStage(shownCheckpoint(), owner, picked, m_model.spec->heads,
                            u"The run's model has no stage (step of the forward pass) of the selected kind."_s);
}

void AnatomyRoom::offerMeasurement() {
    QString why;
    if (m_pair->isChecked()) {
        why = u"Times can be measured for one model only; choose “Model” instead of “Traditional | Modern”."_s;
    } else if (!m_model.spec) {
        why = u"The stages of a published model cannot be computed here, so their times cannot be measured."_s;
    } else if (m_timing.isRunning()) {
        why = u"The times are being measured."_s;
    } else if (m_access.session.isActive() || m_access.meter.isActive()) {
        why = u"A sweep is being trained or measured; the times of the stages can be measured after it has ended."_s;
    }
    m_measure->setEnabled(why.isEmpty());
    m_measure->setToolTip(why.isEmpty() ? u"Measures how long each stage of a forward pass takes on this machine: the "
                                          "median over several passes of one batch, with untrained weights. The list "
                                          "of stages then has a column with these times."_s
                                        : why);
}

void AnatomyRoom::measure() {
    if (m_isStale) renew();
    offerMeasurement();
    if (!m_measure->isEnabled()) return;
    const auto work = [spec = *m_model.spec, vocabulary = m_model.vocabulary](Engine& engine,
                                                                              const Cancelled& cancelled) {
        return measure_stages(engine, spec, vocabulary, cancelled);
    };
    startWithEngine<StageTimes>(
        m_timing, m_access.engineLock, work,
        [this, spec = m_model.spec, vocabulary = m_model.vocabulary](const Outcome<StageTimes>& outcome) {
            if (outcome.answer) {
                m_times = *outcome.answer;
                m_timedSpec = spec;
                m_timedVocabulary = vocabulary;
                emit m_actions.solved(u"anatomy"_s);
            } else if (!outcome.problem.isEmpty()) {
                emit m_actions.problem(u"anatomy"_s, outcome.problem);
            } else {
                emit m_actions.problem(
                    u"anatomy"_s,
                    u"The measurement of times was interrupted because other work needed the engine, which evaluates "
                    "models. Start the measurement again."_s);
            }
            renew();
        });
    offerMeasurement();
}

void AnatomyRoom::loadTensor(const QString& name) {
    if (name.isEmpty()) {
        m_job.cancel();
        const QString why = whyNoModel();
        m_weights->setFigure(weightsFigure(std::nullopt, why.isEmpty() ? u"This stage has no weights."_s : why));
        return;
    }
    m_job.start([this, file = shownCheckpoint(), name](const Cancelled&) -> std::function<void()> {
        std::optional<NamedTensor> found;
        QString why = text(whyNoCheckpoint(file));
        try {
            if (const auto checkpoint = read_checkpoint(file)) {
                why = u"The checkpoint has no tensor %1."_s.arg(name);
                for (const NamedTensor& tensor : checkpoint->state) {
                    if (tensor.name == "model." + name.toStdString()) found = tensor;
                }
            }
        } catch (const std::exception& error) {
            why = QString::fromUtf8(error.what());
        }
        return [this, figure = weightsFigure(found, why)] { m_weights->setFigure(figure); };
    });
}

void AnatomyRoom::pick(const QString& id) {
    m_view.picked = id;
    renewListing();
    renewWeights();
    const QRectF place = m_picture->place(m_listing->canvasRect(), m_listing->style(), id);
    m_scroll->ensureVisible(0, static_cast<int>(place.center().y()), 0, static_cast<int>(2 * place.height()));
}

void AnatomyRoom::movePicked(int steps) {
    if (!m_picture) return;
    const QStringList ids = m_picture->ids();
    if (ids.isEmpty()) return;
    const qsizetype at = std::clamp<qsizetype>(ids.indexOf(m_view.picked) + steps, 0, ids.size() - 1);
    pick(ids[at]);
}

void AnatomyRoom::editCopy(const QString& name, const QString& value) {
    if (m_isStale) renew();
    if (!m_model.spec) return;
    const QString problem = problemOf([&] {
        const Key& setting = key(name.toStdString());
        RunSpec copy = *m_model.spec;
        setting.set(copy, parse_value(setting, value.toStdString(), copy));
        model_of_settings(copy, m_original.vocabulary);
        m_edits[name] = value;
        if (setting.get(copy) == setting.get(*m_original.spec)) m_edits.erase(name);
    });
    renew();
    if (!problem.isEmpty()) m_panel->showRefusal(name, problem);
}

void AnatomyRoom::useInSweep() {
    if (m_isStale) renew();
    if (!m_model.spec) return;
    try {
        const RunSpec before = sweepSpec().value_or(RunSpec{});
        const RunSpec& copy = *m_model.spec;
        m_experiment.edit(u"use the model of the page Anatomy"_s, [&](Experiment& experiment) {
            for (const Key* setting : anatomySettings()) {
                if (setting->get(copy) == setting->get(before)) continue;
                experiment.set(setting->name, {to_text(setting->get(copy))});
            }
            experiment.expand();  // throws if the settings contradict others of the sweep
        });
        if (m_source == kSweep) m_edits.clear();
        renew();
    } catch (const BadInput& error) {
        m_panel->showProblem(QString::fromUtf8(error.what()));
    }
}

QString AnatomyRoom::tableText() const {
    switch (m_panel->output().format()) {
        case TableFormat::csv:
            return text(anatomy_table(m_model, AnatomyFormat::csv));
        case TableFormat::latex:
            return text(anatomy_table(m_model, AnatomyFormat::latex));
        case TableFormat::json:
            return text(anatomy_json(m_model).dump(2) + "\n");
        case TableFormat::text:
            break;
    }
    return text(anatomy_table(m_model, AnatomyFormat::text));
}

void AnatomyRoom::copyTable() {
    if (m_isStale) renew();
    QApplication::clipboard()->setText(tableText());
}

void AnatomyRoom::saveTable() {
    if (m_isStale) renew();
    const QString suggestion = u"anatomy."_s + suffixOf(m_panel->output().format());
    const QString path = dialogs().save(this, {.title = u"Save table"_s, .path = suggestion});
    if (path.isEmpty()) return;
    m_actions.attempt(u"anatomy"_s, [&] { ropelab::ui::saveTable(path, tableText()); });
}

void AnatomyRoom::showEvent(QShowEvent* event) {
    Room::showEvent(event);
    if (m_isStale) renew();
}

void AnatomyRoom::fitPage(const QSize& page) {
    // A low page scrolls as a whole, and the listing in it does not.
    const ThemeManager& theme = ThemeManager::instance();
    const bool isLow = page.height() < theme.pixels(kLowPage);
    m_scroll->setMinimumHeight(std::max(theme.pixels(kLowestListing), isLow ? m_listing->minimumHeight() : 0));
}

void AnatomyRoom::resizeEvent(QResizeEvent* event) {
    Room::resizeEvent(event);
    if (isVisible() && !m_isStale) renewListing();
}

}  // namespace ropelab::ui

#include "moc_anatomy_room.cpp"
