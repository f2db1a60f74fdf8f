#include "ui/rooms/train/sweep_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/error.h"
#include "core/data/known_sets.h"
#include "core/forecast/time_model.h"
#include "core/sweep/sequential_runs.h"
#include "ui/common/format.h"
#include "ui/common/icons.h"
#include "ui/common/paths.h"
#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/plot/distinct_names.h"
#include "ui/rooms/train/chip_list_edit.h"
#include "ui/rooms/train/sweep_fields.h"
#include "ui/session/experiment_model.h"
#include "ui/session/rotary_model.h"
#include "ui/session/settings.h"
#include "ui/shell/findables.h"
#include "ui/shell/notices/data_offer.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kImpatientMs = 2000;

Estimate costOf(const std::vector<RunSpec>& runs, const std::filesystem::path& dataDir) {
    return estimate(runs, *machine_time_model(), dataDir);
}

QString unbreakable(QString text) {
    return text.replace(QLatin1Char(' '), QChar::Nbsp);
}

QString changeOf(const QString& before, const QString& after) {
    return before == after ? unbreakable(after) : unbreakable(before) + u" → "_s + unbreakable(after);
}

QString runsText(const Estimate& cost) {
    return countText(cost.runs, u"run"_s);
}

}  // namespace

QString estimateSentence(const std::vector<RunSpec>& runs, const std::filesystem::path& dataDir) {
    return estimateSentence(costOf(runs, dataDir));
}

QString estimateSentence(const Estimate& cost) {
    return u"%1 in about %2, %3"_s.arg(runsText(cost),
                                       unbreakable(QString::fromStdString(expected_duration(cost.seconds))),
                                       unbreakable(bytesText(cost.bytes)));
}

SweepPanel::SweepPanel(SessionActions& actions, RunAccess access, ExperimentModel& experiment, QWidget* parent)
    : QFrame(parent), m_actions(actions), m_access(std::move(access)), m_experiment(experiment) {
    const auto [area, content, column] = makePanel(this, u"Sweep"_s);
    m_area = area;
    column->addWidget(makeSimple());
    m_search = new SearchGroup(m_experiment, content);
    column->addWidget(m_search);
    column->addWidget(makeMore());
    column->addStretch(1);
    layout()->addWidget(makeFooter());

    connect(&m_experiment, &ExperimentModel::changed, this, &SweepPanel::renew);
    connect(&m_access.session, &SweepSession::stateChanged, this, &SweepPanel::renewEstimate);
    connect(&m_access.runs, &RunStore::reloaded, this, &SweepPanel::renewEstimate);
    connect(&m_access.session, &SweepSession::ended, this, &SweepPanel::renewEstimate);
    renew();
}

void SweepPanel::setMoreShown(bool shown) {
    m_more->setVisible(shown);
    m_moreButton->setText(shown ? u"Fewer settings ▲"_s : u"More settings ▼"_s);
    m_moreButton->setChecked(shown);
    if (!shown) return;
    // The new fields are scrolled into view, once the layout has placed them.
    QTimer::singleShot(0, this, [this] {
        m_area->verticalScrollBar()->setValue(m_moreButton->mapTo(m_area->widget(), QPoint()).y());
    });
}

QWidget* SweepPanel::makeSimple() {
    auto* box = new QWidget(m_area->widget());  // to be styled once
    auto* column = scaledColumn(box, 8);
    column->addWidget(makeHeading(u"Sweep"_s, box));

    m_preset = makeChoice(u"Preset"_s, box);
    for (const Preset& preset : presets()) {
        m_preset->addItem(QString::fromStdString(preset.name));
        m_preset->setItemData(m_preset->count() - 1, QString::fromStdString(preset.summary), Qt::ToolTipRole);
    }
    connect(m_preset, &QComboBox::highlighted, this, [this](int index) {
        if (index >= static_cast<int>(presets().size())) return stopConsidering();
        consider(
            [index](Experiment& experiment) { experiment = presets()[static_cast<std::size_t>(index)].experiment; });
    });
    connect(m_preset, &QComboBox::activated, this, &SweepPanel::pickPreset);
    column->addWidget(m_preset);

    // Without a label beside it, because the names of two runs need the width of the panel.
    m_runs = new ChipListEdit(u"runs"_s, box);
    m_runs->setToolTip(
        u"The runs of this sweep, listed one by one. If you add a value of θ, of the rotary fraction or of the seed "
        "to the fields of the sweep, this list gets further runs. A sweep without such a list has one run per "
        "combination of the values in the fields."_s);
    column->addWidget(m_runs);
    m_runs->setTypable(false);
    m_runs->setLines(3);
    connect(m_runs, &ChipListEdit::considered, this, [this](const QStringList& left) {
        const QStringList before = explicitRunLabels(m_experiment.value());
        if (left.size() >= before.size()) return stopConsidering();
        qsizetype removed = 0;
        while (removed < left.size() && left[removed] == before[removed]) ++removed;
        consider(
            [removed](Experiment& experiment) { removeExplicitRun(experiment, static_cast<std::size_t>(removed)); });
    });
    connect(m_runs, &ChipListEdit::edited, this, [this](const QStringList& left) {
        const QStringList before = explicitRunLabels(m_experiment.value());
        for (qsizetype i = 0; i < before.size(); ++i) {
            if (i < left.size() && left[i] == before[i]) continue;
            m_experiment.edit(u"remove %1"_s.arg(before[i]), [i](Experiment& experiment) {
                removeExplicitRun(experiment, static_cast<std::size_t>(i));
            });
            break;
        }
    });

    QGridLayout* grid = makeFieldGrid();
    column->addLayout(grid);
    m_theta =
        addSwept(grid, "theta", u"θ"_s, parseTheta, showTheta,
                 {"100", "500", "1k", "5k", "10k", "20k", "50k", "100k", "500k", "1M"},
                 u"RoPE theta, the base of the frequencies, for example 500, 10k or 1e6.\n"
                 "Pair i of a head rotates by θ^(−2i/d_r) radians per token. Su et al. 2021; formula 3 of the guide"_s);
    m_fraction = addSwept(
        grid, "fraction", u"fraction"_s, parseFraction, showFraction,
        {"0 %", "2 ch", "10 %", "25 %", "50 %", "75 %", "100 %"},
        u"Rotary fraction p of each head (partial rotary factor): 25 %, 0.25 or 6 ch (channels).\n"
        "The number of rotated channels d_r is the even number nearest to p·d. Khan et al.; formula 10 of the guide"_s);
    m_fraction->setWhy([](const QString& value) {
        const QString shown = showFraction(value);
        return shown.endsWith(u" ch"_s) ? u"Rotates %1 channels of each head"_s.arg(shown.chopped(3))
                                        : u"Rotates %1 of the channels of each head"_s.arg(shown);
    });
    m_seed = addSwept(
        grid, "seed", u"seeds"_s, parseSeed, [](const QString& value) { return value; },
        {"1337", "1338", "1339", "1340", "1341"},
        u"Each seed repeats the whole sweep with different initial weights and batches."_s);
    addStopping(grid);

    auto* text = new DataChoice(m_experiment, m_access.dataDir, box);
    connect(text, &DataChoice::refused, this,
            [this](const QString& sentence) { emit m_actions.problem(u"data"_s, sentence); });
    addField(grid, u"data"_s, text, {});
    addField(grid, u"model"_s, new ModelChoice(m_experiment, box), {});
    for (const char* name : {"iterations", "batch", "learning_rate"}) {
        const Key& entry = key(name);
        const QString title = std::string_view(name) == "batch" ? u"batch size"_s : KeyField::title(entry);
        auto* field = new KeyField(entry, m_experiment, box);
        considerFor(field);
        QLabel* label = addField(grid, title, field, ropelab::ui::text(entry.meaning));
        label->setWordWrap(true);
    }
    return box;
}

namespace {

enum StopChoice { kFixed, kAnytime, kLooks };
constexpr int kLeastCap = 3;

}  // namespace

void SweepPanel::addStopping(QGridLayout* grid) {
    m_stop = makeChoice(u"Number of seeds"_s, this);
    m_stop->addItems({u"as listed"_s, u"until decided"_s, u"until decided, 5 looks"_s});
    addField(grid, u"train"_s, m_stop,
             u"As listed: every setting trains the listed seeds. Until decided: further seeds are trained until each "
             "setting is significantly different from the baseline, equivalent to it, or unlikely to be either; p "
             "values and intervals then hold however often one looks. 5 looks: the comparisons are tested at five "
             "numbers of seeds only, with more power if the largest number is small. The lab stores the rule before "
             "the first run. Formulas 64 and 65 of the guide"_s);
    m_cap = new QSpinBox(this);
    m_cap->setSuffix(u" seeds"_s);
    m_cap->setKeyboardTracking(false);
    m_cap->setAccessibleName(u"Largest number of seeds"_s);
    addField(grid, u"at most"_s, m_cap,
             u"Largest number of seeds per setting. The seeds follow the listed ones in ascending order; the results "
             "decide only how many of them are used."_s);
    connect(m_stop, &QComboBox::activated, this, &SweepPanel::adoptStopping);
    connect(m_cap, &QSpinBox::valueChanged, this, &SweepPanel::adoptStopping);
}

void SweepPanel::adoptStopping() {
    const std::int64_t cap = m_cap->value() >= kLeastCap ? m_cap->value() : SequentialDesign{}.cap;
    std::optional<SequentialDesign> design;
    if (m_stop->currentIndex() == kAnytime) design = SequentialDesign{.cap = cap};
    if (m_stop->currentIndex() == kLooks) design = group_sequential_design(cap);
    m_experiment.editOptions(u"change number of seeds"_s,
                             [&design](Experiment&, SweepOptions& options) { options.stopping = design; });
}

void SweepPanel::renewPower() {
    if (m_access.session.isActive()) return;  // it is the power before training
    std::vector<RunSpec> runs;
    const std::optional<SequentialDesign>& stopping = m_experiment.options().stopping;
    problemOf([&] { runs = sampledExperiment(m_experiment.value(), m_experiment.options()).expand(); });
    const auto ended = std::ranges::count_if(m_access.runs.runs(),
                                             [](const RunView& run) { return run.record.state == RunState::finished; });
    // Which settings vary decides how many comparisons there are.
    const std::string asked = m_experiment.value().to_json().dump() + " " + std::to_string(ended) + " " +
                              (stopping ? words_of(*stopping) : "") + m_access.lab.path().toStdString();
    if (asked == m_powerAsked) return;
    m_powerAsked = asked;
    m_powerJob.start([this, runs = std::move(runs), stopping, ended, path = m_access.lab.path()](const Cancelled&) {
        std::optional<PowerForecast> forecast;
        problemOf([&] {
            std::optional<Sample> deviation;
            if (ended > 0) deviation = paired_deviation(*LabFile::open(toPath(path), LabFile::Mode::read));
            if (!runs.empty()) forecast = power_forecast(runs, stopping, {}, deviation);
        });
        return [this, forecast] {
            m_power->setText(forecast ? withUnbreakablePercent(QString::fromStdString(short_words_of(*forecast)))
                                      : QString());
            m_power->setToolTip(forecast ? QString::fromStdString(words_of(*forecast)) : QString());
            m_power->setVisible(!m_power->text().isEmpty());
        };
    });
}

QString SweepPanel::powerText() const {
    return m_power->text();
}

void SweepPanel::setPlanShown(bool shown) {
    m_plan->setText(shown ? u"Show curves"_s : u"Show runs and queue"_s);
    m_plan->setChecked(shown);
}

QWidget* SweepPanel::makeFooter() {
    auto* footer = new QFrame(this);
    footer->setProperty("panel", true);
    auto* column = scaledColumn(footer, 8, {12, 8, 12, 12});
    m_estimate = new QLabel(footer);
    m_estimate->setAccessibleName(u"Estimate"_s);
    m_estimate->setToolTip(
        u"The time follows from the speed of earlier runs on this machine, or of a typical processor before the first "
        "run. Its range follows from how much faster or slower the last sweeps were than predicted. Other programs "
        "that use the processor lengthen it."_s);
    m_estimate->setWordWrap(true);
    m_power = new QLabel(footer);
    m_power->setAccessibleName(u"Power before training"_s);
    m_power->setWordWrap(true);
    m_power->hide();
    m_problem = new QLabel(footer);
    m_problem->setWordWrap(true);
    colorAsError(m_problem);
    m_data = new DataOffer(footer);
    connect(m_data, &DownloadOffer::ended, this, [this] { renewEstimate(); });
    m_continue = makeButton<QPushButton>({}, u"Resumes the unfinished runs of this lab (Ctrl+Shift+Return)."_s, footer);
    connect(m_continue, &QPushButton::clicked, this, [this] { m_actions.resumeRuns(m_actions.unfinishedRuns()); });
    m_start = makeButton<QPushButton>(
        u"Start"_s,
        u"Starts the sweep (Ctrl+Return). While another sweep trains, the button adds the runs to the queue."_s,
        footer);
    m_start->setObjectName(u"start"_s);
    m_start->setProperty("primary", true);
    setIcon(m_start, outline::kStart);
    connect(m_start, &QPushButton::clicked, this, [this] { m_actions.enqueue(); });
    m_plan = makeButton<QPushButton>(
        {},
        u"Shows the runs of this sweep with the estimated time and memory, and the queue of runs that wait for "
        "training."_s,
        footer);
    m_plan->setCheckable(true);
    connect(m_plan, &QPushButton::clicked, this, &SweepPanel::planAsked);
    setPlanShown(false);
    // What comes and goes stands above the buttons that are always there, which keep their place at the lower end.
    for (QWidget* each :
         std::initializer_list<QWidget*>{m_power, m_estimate, m_problem, m_data, m_continue, m_plan, m_start}) {
        column->addWidget(each);
    }
    return footer;
}

ChipListEdit* SweepPanel::addSwept(QGridLayout* grid, const char* name, const QString& title,
                                   QString (*parse)(const QString&), QString (*display)(const QString&),
                                   const QStringList& suggestions, const QString& why) {
    auto* edit = new ChipListEdit(title, this);
    addChips(grid, title, edit, why);
    edit->setParser(parse);
    edit->setDisplay(display);
    edit->setSuggestions(suggestions);
    edit->setLines(3);
    connect(edit, &ChipListEdit::edited, this, [this, edit, name, title](const QStringList& values) {
        const QString refusal = problemOf([&] {
            m_experiment.edit(u"change %1"_s.arg(title),
                              [&](Experiment& experiment) { setSwept(experiment, name, values); });
        });
        renew();  // an empty list shows the default value of the setting again
        edit->showError(refusal);
    });
    connect(edit, &ChipListEdit::considered, this, [this, edit, name](const QStringList& values) {
        if (values == edit->values()) return stopConsidering();
        consider([name, values](Experiment& experiment) { setSwept(experiment, name, values); });
    });
    return edit;
}

void SweepPanel::addChips(QGridLayout* grid, const QString& title, ChipListEdit* edit, const QString& why) {
    QLabel* label = addField(grid, title, edit, why);
    scaleMargins(label, {0, 4, 0, 0});  // aligns the label with the first line of chips
    grid->setAlignment(label, Qt::AlignTop);
}

void SweepPanel::renew() {
    const Experiment& experiment = m_experiment.value();
    const auto& known = presets();
    // The experiments are compared by value, not by spelling: a reopened lab contains 0.003 for 3e-3.
    const nlohmann::json json = experiment.to_json();
    const auto same = std::find_if(known.begin(), known.end(),
                                   [&json](const Preset& preset) { return preset.experiment.to_json() == json; });
    while (m_preset->count() > static_cast<int>(known.size())) m_preset->removeItem(m_preset->count() - 1);
    if (same != known.end()) {
        m_preset->setCurrentIndex(static_cast<int>(same - known.begin()));
        m_preset->setToolTip(QString::fromStdString(same->summary));
    } else {
        const QString name = experiment.name().empty() ? u"custom sweep"_s : QString::fromStdString(experiment.name());
        const bool isOriginal = json == m_experiment.original().to_json();
        // A sweep of the lab keeps the name of the preset from which it was made.
        const bool hasPresetsName = std::any_of(known.begin(), known.end(),
                                                [&](const Preset& preset) { return preset.name == experiment.name(); });
        m_preset->addItem(!isOriginal      ? u"%1, changed"_s.arg(name)
                          : hasPresetsName ? u"%1 of this lab"_s.arg(name)
                                           : name);
        m_preset->setCurrentIndex(m_preset->count() - 1);
        m_preset->setToolTip(isOriginal ? u"The fields show the latest sweep of this lab."_s
                                        : u"This sweep contains your changes. Undo reverts the changes one by one."_s);
    }

    const QStringList labels = explicitRunLabels(experiment);
    m_runs->setDisplay([labels, listed = listedNames(labels)](const QString& label) {
        return listed.value(labels.indexOf(label), label);
    });
    m_runs->setWhy([labels, experiment](const QString& label) {
        return runWords(experiment, static_cast<std::size_t>(labels.indexOf(label)));
    });
    m_runs->setValues(labels);
    m_runs->setVisible(!labels.isEmpty());  // a sweep of all combinations has no list
    const SweepOptions& options = m_experiment.options();
    // A setting that explicit runs set has no common value; adding a value here adds a run.
    for (const auto& [edit, name] :
         {std::pair(m_theta, "theta"), std::pair(m_fraction, "fraction"), std::pair(m_seed, "seed")}) {
        const bool isSampled = options.samples(name);
        edit->setValues(isSampled || isSetByRuns(experiment, name) ? QStringList() : texts(experiment.values(name)));
        edit->setPlaceholder(isSampled ? u"sampled by the search"_s : u"as in the runs above"_s);
        edit->setEnabled(!isSampled);
    }
    QStringList zips;
    for (const auto& zip : experiment.zips()) zips << zipText(zip);
    m_zips->setValues(zips);
    QStringList exclusions;
    for (const auto& exclusion : experiment.exclusions()) {
        exclusions << QString::fromStdString(assignments_text(exclusion));
    }
    m_exclusions->setValues(exclusions);
    const bool canStop = !options.extends && !(options.search && options.search->method == Search::Method::halving);
    m_stop->setEnabled(canStop || options.stopping);
    m_stop->setCurrentIndex(!options.stopping                                           ? kFixed
                            : options.stopping->kind == SequentialDesign::Kind::anytime ? kAnytime
                                                                                        : kLooks);
    {
        const QSignalBlocker block(m_cap);
        // Without a rule, the field shows a word instead of its lowest value.
        m_cap->setRange(options.stopping ? kLeastCap : kLeastCap - 1, 200);
        m_cap->setSpecialValueText(options.stopping ? QString() : u"the listed seeds"_s);
        m_cap->setValue(options.stopping ? static_cast<int>(options.stopping->cap) : m_cap->minimum());
    }
    m_cap->setEnabled(options.stopping.has_value());
    renewEstimate();
}

void SweepPanel::renewEstimate() {
    m_considering = false;
    renewPower();
    m_now.reset();
    QString problem, first;
    try {
        m_now =
            costOf(runsToTrain(m_experiment.value(), m_experiment.options(), m_access.lab.file()), m_access.dataDir);
        const QString sentence = estimateSentence(*m_now);
        const auto& stopping = m_experiment.options().stopping;
        first = stopping
                    ? u"First look: %1; at most %2 per setting"_s.arg(sentence, countText(stopping->cap, u"seed"_s))
                    : sentence;
    } catch (const BadInput& error) {
        problem = QString::fromStdString(error.what());
    }
    std::vector<std::string> missing;
    for (const std::string& data : m_experiment.value().values("data")) {
        const KnownSet* set = find_known_set(data);
        if (set && !find_on_disk(*set, m_access.dataDir)) missing.push_back(data);
    }
    m_data->offer(missing, u"Not on this machine yet: %1."_s);
    m_estimate->setVisible(problem.isEmpty());
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    const bool idle = !m_access.session.isActive();
    m_start->setEnabled(problem.isEmpty() && m_access.session.state() != SweepSession::State::stopping);
    // A second click of an impatient hand shall not queue the sweep once more.
    if (!idle && m_wasIdle) {
        m_start->setEnabled(false);
        QTimer::singleShot(kImpatientMs, this, [this] { renewEstimate(); });
    }
    m_wasIdle = idle;
    const auto unfinished = m_actions.unfinishedRuns();
    m_start->setText(!idle ? u"Add to the queue"_s : unfinished.empty() ? u"Start"_s : u"Start new runs"_s);
    // Beside a sweep that trains or can resume, the estimate names the runs to which it belongs.
    m_estimate->setText(!idle                ? u"If added to the queue: %1"_s.arg(first)
                        : unfinished.empty() ? first
                                             : u"%1: %2"_s.arg(m_start->text(), first));
    m_continue->setVisible(!unfinished.empty());
    m_continue->setText(u"Resume %1"_s.arg(countText(std::ssize(unfinished), u"run"_s)));
}

void SweepPanel::consider(const std::function<void(Experiment&)>& change) {
    m_considering = true;
    try {
        Experiment after = m_experiment.value();
        change(after);
        const Estimate then = costOf(runsToTrain(after, m_experiment.options(), m_access.lab.file()), m_access.dataDir);
        const Estimate& now = m_now ? *m_now : then;  // without an estimate, the change repairs the sweep
        m_estimate->setText(u"%1 in about %2, %3"_s.arg(changeOf(runsText(now), runsText(then)),
                                                        changeOf(durationText(now.seconds), durationText(then.seconds)),
                                                        changeOf(bytesText(now.bytes), bytesText(then.bytes))));
        m_estimate->show();
        m_problem->hide();
    } catch (const BadInput& error) {
        m_problem->setText(QString::fromStdString(error.what()));
        m_problem->show();
        m_estimate->hide();
    }
}

void SweepPanel::considerFor(KeyField* field) {
    connect(field, &KeyField::considered, this, [this, field](const std::vector<std::string>& values) {
        if (values.empty() || values == m_experiment.value().values(field->key().name)) return stopConsidering();
        consider([field, &values](Experiment& experiment) { experiment.set(field->key().name, values); });
    });
}

void SweepPanel::pickPreset(int index) {
    if (index >= static_cast<int>(presets().size())) return;
    const Preset& preset = presets()[static_cast<std::size_t>(index)];
    m_experiment.editOptions(u"preset %1"_s.arg(QString::fromStdString(preset.name)),
                             [&preset](Experiment& experiment, SweepOptions& options) {
                                 experiment = preset.experiment;
                                 options.search.reset();
                             });
}

namespace {

constexpr std::array<std::string_view, 7> kSimpleKeys = {"theta", "fraction",      "seed",      "data",
                                                         "batch", "learning_rate", "iterations"};

}  // namespace

QWidget* SweepPanel::makeMore() {
    auto* box = new QWidget(m_area->widget());
    auto* column = scaledColumn(box, 8);
    m_moreButton = makeButton<QPushButton>({}, {}, box);
    connect(m_moreButton, &QPushButton::clicked, this, [this] { setMoreShown(m_more->isHidden()); });
    column->addWidget(m_moreButton);
    m_more = new QWidget(box);
    column->addWidget(m_more);
    shownBy(m_more, m_moreButton);
    auto* grid = new QGridLayout(m_more);
    scaleLayout(grid, {0, 0, 0, 0}, 8);
    grid->setColumnStretch(1, 1);
    addCombining(grid);
    std::string_view group;
    for (const Key& entry : keys()) {
        if (std::find(kSimpleKeys.begin(), kSimpleKeys.end(), entry.name) != kSimpleKeys.end()) continue;
        if (entry.group != group) {
            group = entry.group;
            grid->addWidget(makeHeading(ropelab::ui::text(group), m_more), grid->rowCount(), 0, 1, 2);
        }
        auto* field = new KeyField(entry, m_experiment, m_more);
        considerFor(field);
        QLabel* label = addField(grid, KeyField::title(entry), field, field->toolTip());
        label->setWordWrap(true);
    }
    setMoreShown(false);
    return box;
}

void SweepPanel::addCombining(QGridLayout* grid) {
    grid->addWidget(makeHeading(u"combinations"_s, m_more), grid->rowCount(), 0, 1, 2);
    // Errors of the list as a whole (for example a setting that is zipped twice) are found when the experiment changes.
    const auto connectEdit = [this](ChipListEdit* edit, const QString& what, auto change) {
        connect(edit, &ChipListEdit::edited, this, [this, what, change](const QStringList& values) {
            m_actions.attempt(u"combinations"_s, [&] {
                m_experiment.edit(u"change %1"_s.arg(what),
                                  [&](Experiment& experiment) { change(experiment, values); });
            });
            renew();
        });
    };
    m_zips = new ChipListEdit(u"zipped"_s, m_more);
    m_zips->setParser([](const QString& typed) {
        Experiment scratch;
        scratch.add_zip(typed.toStdString());
        return zipText(scratch.zips().front());
    });
    connectEdit(m_zips, u"zipped settings"_s, [](Experiment& experiment, const QStringList& values) {
        experiment.set_zips({});
        for (const QString& value : values) experiment.add_zip(value.toStdString());
    });
    addChips(
        grid, u"zipped"_s, m_zips,
        u"Zipped settings vary together (first value with first value, second with second) instead of forming a grid, "
        "for example: theta, context."_s);
    m_exclusions = new ChipListEdit(u"excluded"_s, m_more);
    m_exclusions->setParser([](const QString& typed) {
        Experiment scratch;
        scratch.add_exclusion(typed.toStdString());
        return QString::fromStdString(assignments_text(scratch.exclusions().front()));
    });
    connectEdit(m_exclusions, u"exclusions"_s, [](Experiment& experiment, const QStringList& values) {
        experiment.set_exclusions({});
        for (const QString& value : values) experiment.add_exclusion(value.toStdString());
    });
    addChips(
        grid, u"excluded"_s, m_exclusions,
        u"Excludes runs by their settings. Each entry is a list of settings; a run is excluded if it matches all settings of an entry, for example: fraction = 0, theta = 500."_s);
}

}  // namespace ropelab::ui

#include "moc_sweep_panel.cpp"
