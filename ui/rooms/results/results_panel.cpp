#include "ui/rooms/results/results_panel.h"

#include <QAction>
#include <QComboBox>
#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <utility>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/rooms/results/group_table.h"
#include "ui/session/lab_document.h"
#include "ui/session/settings.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr const char* kSettingsKey = "results/labs";
constexpr int kMaxLabs = 20;
const QString kLabField = u"lab"_s;
const QString kBaselineField = u"baseline"_s;

QJsonArray storedLabs(const Settings& settings) {
    return QJsonDocument::fromJson(settings.value(kSettingsKey).toString().toUtf8()).array();
}

QJsonObject currentBaseline(const QJsonObject& saved) {
    std::map<std::string, std::string> settings;
    for (const QString& key : saved.keys()) settings[key.toStdString()] = saved[key].toString().toStdString();
    QJsonObject result;
    for (const auto& [key, value] : current_settings(settings)) {
        result[QString::fromStdString(key)] = QString::fromStdString(value);
    }
    return result;
}

}  // namespace

QJsonObject labChoices(const Settings& settings, const QString& lab) {
    for (const QJsonValue& entry : storedLabs(settings)) {
        if (entry[kLabField].toString() != lab) continue;
        QJsonObject choices = entry.toObject();
        if (choices.contains(kBaselineField))
            choices[kBaselineField] = currentBaseline(choices[kBaselineField].toObject());
        return choices;
    }
    return {};
}

void saveLabChoices(Settings& settings, const QString& lab, const QJsonObject& choices) {
    if (lab.isEmpty()) return;
    QJsonObject newest = choices;
    newest[kLabField] = lab;
    QJsonArray labs = {newest};
    for (const QJsonValue& entry : storedLabs(settings)) {
        if (entry[kLabField].toString() != lab && labs.size() < kMaxLabs) labs.append(entry);
    }
    settings.setValue(kSettingsKey, QString::fromUtf8(QJsonDocument(labs).toJson(QJsonDocument::Compact)));
}

namespace {

const QString kShort = u"short"_s;

}  // namespace

ColumnChoice::ColumnChoice(QWidget* parent) : QToolButton(parent) {
    setText(u"Columns"_s);
    setAccessibleName(u"Columns of the table"_s);
    setToolTip(
        u"Chooses the columns of the table on screen and in its exports. If no columns are chosen, exports to CSV "
        "and LaTeX have all columns. To change the order of the columns, drag the column titles. In the terminal, "
        "ropelab-cli results --columns chooses the columns."_s);
    setFocusPolicy(Qt::TabFocus);
    setPopupMode(QToolButton::InstantPopup);
    setMenu(new QMenu(this));
    refill();
}

void ColumnChoice::setColumns(const QList<QPair<QString, QString>>& columns, const ResultsTable& table) {
    std::map<QString, QStringList> presets;
    for (const QString& preset : {kShort, u"paper"_s}) presets[preset] = presetColumns(table, preset.toStdString());
    for (const auto& [name, title] : columns) {
        if (name != u"mark"_s) presets[u"full"_s] << name;  // the verdict says the same in words
    }
    if (columns == m_columns && presets == m_presets) return;  // an open menu stays open
    m_columns = columns;
    m_presets = std::move(presets);
    refill();
}

std::vector<std::string> ColumnChoice::columns() const {
    std::vector<std::string> result;
    for (const QString& name : m_chosen) result.push_back(name.toStdString());
    return result;
}

void ColumnChoice::choose(const QString& words) {
    m_chosen = words.split(QLatin1Char(','), Qt::SkipEmptyParts);
    if (m_chosen.isEmpty()) m_chosen = {kShort};
    refill();
}

QAction* ColumnChoice::actionOf(const QString& name) const {
    for (QAction* action : menu()->actions()) {
        if (action->data().toString() == name) return action;
    }
    return nullptr;
}

QStringList ColumnChoice::shown() const {
    const auto preset = m_presets.find(words());
    return preset == m_presets.end() ? m_chosen : preset->second;
}

void ColumnChoice::refill() {
    menu()->clear();
    const auto add = [this](const QString& name, const QString& title) {
        QAction* action = menu()->addAction(title);
        action->setData(name);
        action->setCheckable(true);
        return action;
    };
    for (const auto& [name, title] : {QPair(kShort, u"Main columns"_s), QPair(u"paper"_s, u"Columns for a paper"_s),
                                      QPair(u"full"_s, u"All columns"_s)}) {
        QAction* action = add(name, title);
        connect(action, &QAction::triggered, this, [this, preset = name] { choosePreset(preset); });
    }
    menu()->addSeparator();
    for (const auto& [name, title] : m_columns) {
        QAction* action = add(name, title);
        connect(action, &QAction::triggered, this, [this, column = name](bool on) { toggleColumn(column, on); });
    }
    renewChecks();
}

void ColumnChoice::renewChecks() {
    const QStringList now = shown();
    for (QAction* action : menu()->actions()) {
        const QString name = action->data().toString();
        action->setChecked(m_presets.contains(name) ? words() == name : now.contains(name));
    }
}

void ColumnChoice::choosePreset(const QString& name) {
    m_chosen = {name};
    renewChecks();
    emit changed();
}

void ColumnChoice::toggleColumn(const QString& name, bool on) {
    QStringList wanted = shown();
    wanted.removeAll(name);
    if (on) {  // after the columns that precede it in the full table
        qsizetype place = 0;
        for (const auto& [column, title] : m_columns) {
            if (column == name) break;
            place = std::max(place, wanted.indexOf(column) + 1);
        }
        wanted.insert(place, name);
    }
    setShown(wanted);
}

void ColumnChoice::setShown(const QStringList& names) {
    m_chosen = names.isEmpty() ? QStringList(kShort) : names;
    for (const auto& [preset, columns] : m_presets) {
        if (names == columns) m_chosen = {preset};
    }
    renewChecks();
    emit changed();
}

namespace {

/// In nats per token; nullopt if the text is empty or not a positive number.
std::optional<double> parsedLoss(const QString& typed) {
    if (typed.trimmed().isEmpty()) return std::nullopt;
    try {
        const double loss = parse_number(typed.trimmed().toStdString());
        return loss > 0 ? std::optional(loss) : std::nullopt;
    } catch (const BadInput&) {
        return std::nullopt;
    }
}

QList<FormRow> tableRows() {
    QList<ChoiceRow::Entry> compared = {
        {u"automatic"_s, u"auto"_s,
         u"This measure is the best validation loss. If groups are not evaluated equally often on the same batches, it "
         "is the validation loss after training."_s}};
    for (const Measure& measure : measures())
        compared.append({measureTitle(measure), QString::fromUtf8(measure.name.data()), measureWhy(measure)});
    QList<ChoiceRow::Entry> tests = {{u"automatic"_s, u"auto"_s}};
    for (const TestKind test : {TestKind::welch, TestKind::student, TestKind::paired, TestKind::permutation})
        tests.append({testTitle(test), QString::fromStdString(to_string(test))});
    QList<ChoiceRow::Entry> conditions = {{u"settings only"_s, QString()}};
    for (const std::string_view name : condition_names) conditions.append({text(name), text(name)});
    return {
        {"experiment", u"experiment"_s, u"Experiment"_s,
         u"The table shows the runs of the selected experiment (sweep). Runs that differ only in their seed form one "
         "group."_s},
        {"measure", u"measure"_s, u"Compared measure"_s,
         u"Selects the measure that the table, the tests and the figures compare between the groups of runs."_s,
         ChoiceRow{compared}, "results/measure"},
        {"baseline", u"baseline"_s, u"Baseline"_s,
         u"The baseline is the group of runs that every other group is compared with. By default, each value of the "
         "other swept settings has a baseline of its own."_s},
        {"test", u"test"_s, u"Test"_s,
         u"The verdicts use the selected significance test. Sign flips per seed assumes no normal distribution and "
         u"needs at "
         "least 6 pairs of seeds. Automatic is, for each comparison, the test paired by seed "
         "if its two groups share at least two seeds and half of those of the smaller group, else Welch's test. Every "
         "test is two-tailed at 5 % after Holm's correction. Choose the test before you look at the results: the best "
         "of three tests is significant by chance more often than 5 %. Formula 37 of the guide"_s,
         ChoiceRow{tests}, "results/test"},
        {"split", u"split by"_s, u"Split groups by"_s,
         u"Runs with equal settings can be trained in different precisions, on different devices, or with or without "
         "CUDA graphs (kernels). The selected property puts such runs into separate groups."_s,
         ChoiceRow{conditions}},
        {"margin", u"margin"_s, u"Relevance margin"_s,
         u"Differences whose 95 % interval lies within the relevance margin are equivalent. It is a percentage of the "
         "baseline's mean, or the word seeds for the standard deviation of the seeds. Choose it before you look at the "
         "results; the lab stores it."_s,
         TextRow{u"0.1 %"_s}},
        {"target", u"target loss"_s, u"Target loss"_s,
         u"The table shows after how many training steps the runs first reach the target validation loss [nats per "
         "token]."_s,
         TextRow{u"e.g. 1.6"_s}, "results/target"},
        {"unfinished",
         u"Include unfinished runs"_s,
         {},
         u"Includes runs that are training, stopped or failed in the table and figures, with their latest losses."_s,
         CheckRow{.isWide = true},
         "results/unfinished"},
        {"published",
         u"Show published values, if any"_s,
         {},
         u"Shows in grey the losses that Huang et al. 2025 report for the same data set. The published losses come "
         "from another machine and other code, so no test uses them. Published values are left out if your runs "
         "trained on a part of the data set, or if the model or the training of your runs differs from those of the "
         "paper; the figure's note then says why."_s,
         CheckRow{.isWide = true},
         "results/published"}};
}

QList<FormRow> decisionRows() {
    QList<ChoiceRow::Entry> losses = {{u"compared measure"_s, QString()}};
    for (const std::string_view loss : decision_losses()) {
        const Measure& measure = measures()[measure_index(std::string(loss))];
        losses.append({measureTitle(measure), text(measure.name)});
    }
    QList<ChoiceRow::Entry> costs = {{u"automatic"_s, QString()}};
    for (const DecisionCost& cost : decision_costs()) costs.append({text(cost.title), text(cost.name)});
    return {
        {"loss", u"loss"_s, u"Loss of the decision aid"_s,
         u"Selects the loss for the decision aid. The decision aid names the settings that no test finds to be "
         "Pareto-dominated in loss and cost, in a sentence under “Tests”."_s,
         ChoiceRow{losses}, "results/decisionLoss"},
        {"cost", u"cost"_s, u"Cost of the decision aid"_s,
         u"Selects the cost that the decision aid weighs against the loss. Automatic is the generation speed if it is "
         "measured, else the training speed if it can be tested, else the cache size, which follows from the settings "
         "and needs no test."_s,
         ChoiceRow{costs}, "results/decisionCost"}};
}

QList<FormRow> latexRows() {
    return {{"bold",
             u"Best mean in bold (LaTeX)"_s,
             {},
             u"Prints the best mean of each measure and data set in bold in LaTeX tables."_s,
             CheckRow{.isWide = true},
             "results/bestBold"}};
}

}  // namespace

ResultsPanel::ResultsPanel(LabDocument& lab, Settings& settings, QWidget* parent)
    : QFrame(parent), m_lab(lab), m_settings(settings), m_form(this) {
    const auto [area, content, column] = makePanel(this, u"Results"_s);
    column->addWidget(makeHeading(u"Results"_s, content));
    m_form.add(column, tableRows());
    column->addWidget(makeHeading(u"Decision aid, under “Tests”"_s, content));
    m_form.add(column, decisionRows());
    m_columns = new ColumnChoice(content);
    column->addWidget(m_columns);
    m_form.add(column, latexRows());
    m_output = new TableOutput(content);
    connect(m_output, &TableOutput::copyRequested, this, &ResultsPanel::copyRequested);
    connect(m_output, &TableOutput::saveRequested, this, &ResultsPanel::saveRequested);
    column->addWidget(m_output);
    m_fields = new QVBoxLayout;
    column->addLayout(m_fields);
    column->addStretch(1);
    renew({});
    m_form.restore(m_settings);
    m_columns->choose(m_settings.value("results/columns").toString());
    m_output->choose(m_settings.value("results/format").toString());
    const auto markTarget = [this](const QString& typed) {
        setLook(m_form.field<QLineEdit>("target"), "wrong", !typed.trimmed().isEmpty() && !parsedLoss(typed));
    };
    markTarget(m_form.field<QLineEdit>("target")->text());
    connect(m_form.field<QLineEdit>("target"), &QLineEdit::textChanged, this, markTarget);
    connect(m_form.field<QLineEdit>("margin"), &QLineEdit::textChanged, this, [this](const QString& typed) {
        const QString refusal = problemOf([&] { parsed_margin(typed.trimmed().toStdString()); });
        setLook(m_form.field<QLineEdit>("margin"), "wrong", !refusal.isEmpty());
    });
    connect(&m_form, &Form::changed, this, [this](std::string_view id) {
        m_form.save(m_settings, id);
        saveChoices();
        emit changed();
    });
    connect(m_columns, &ColumnChoice::changed, this, [this] {
        saveChoices();
        emit changed();
    });
    connect(m_output, &TableOutput::formatChanged, this, &ResultsPanel::saveChoices);
    connect(&m_lab, &LabDocument::opened, this, &ResultsPanel::loadLabChoices);
    connect(&m_lab, &LabDocument::runsChanged, this, [this] {  // extending a lab chooses all its experiments
        if (!m_saved && m_lab.choice(selection_choice) != m_storedSelection) loadLabChoices();
    });
    loadLabChoices();
}

void ResultsPanel::loadLabChoices() {
    const QJsonObject choices = labChoices(m_settings, m_lab.path());
    m_saved = SavedChoices{choices.value(u"experiment"_s).toInteger(ResultsChoices::kLatestExperiment),
                           choices.value(u"baseline"_s).toObject().toVariantMap()};
    m_storedSelection = m_lab.choice(selection_choice);
    RunSelection selection = run_selection(m_storedSelection);
    if (m_storedSelection.empty()) {
        selection.unfinished = m_form.value("unfinished").toBool();
    } else {
        m_saved->experiment = selection.experiment;
    }
    applySelection(selection);
}

void ResultsPanel::applySelection(const RunSelection& selection) {
    const QSignalBlocker block(&m_form);
    m_form.setValue("unfinished", selection.unfinished);
    m_form.setValue("split",
                    selection.split_by.empty() ? QString() : QString::fromStdString(selection.split_by.front()));
    m_form.setValue("margin", QString::fromStdString(selection.margin));
    m_excluded = selection.excluded;
}

void ResultsPanel::setExcluded(RunId run, bool excluded) {
    excluded ? (void)m_excluded.insert(run) : (void)m_excluded.erase(run);
    saveChoices();
    emit changed();
}

void ResultsPanel::saveChoices() {
    Settings& settings = m_settings;
    settings.setValue("results/columns", m_columns->words());
    settings.setValue("results/format", suffixOf(format()));
    if (m_saved) return;  // the lists still belong to the previous lab
    QJsonObject choices = labChoices(settings, m_lab.path());
    choices[u"experiment"_s] = m_form.value("experiment").toLongLong();
    choices[u"baseline"_s] = QJsonObject::fromVariantMap(m_form.value("baseline").toMap());
    saveLabChoices(settings, m_lab.path(), choices);
    const RunSelection selection = this->choices().selection();
    if (m_storedSelection.empty() && selection == RunSelection()) return;
    const std::string text = to_text(selection);
    if (text != m_storedSelection && m_lab.storeChoice(selection_choice, text)) m_storedSelection = text;
}

ResultsChoices ResultsPanel::choices() const {
    ResultsChoices result;
    result.experiment = m_form.value("experiment").toLongLong();
    result.options.compare = m_form.value("measure").toString().toStdString();
    result.options.test = test_kind(m_form.value("test").toString().toStdString());
    result.options.unfinished = m_form.value("unfinished").toBool();
    result.excluded = m_excluded;
    if (const QString split = m_form.value("split").toString(); !split.isEmpty()) {
        result.options.split_by = {split.toStdString()};
    }
    const std::string margin = m_form.value("margin").toString().trimmed().toStdString();
    if (problemOf([&] { parsed_margin(margin); }).isEmpty()) result.options.margin = margin;
    result.options.target_loss = parsedLoss(m_form.value("target").toString());
    const QVariantMap baseline = m_form.value("baseline").toMap();
    for (auto it = baseline.begin(); it != baseline.end(); ++it) {
        result.options.baseline[it.key().toStdString()] = it.value().toString().toStdString();
    }
    return result;
}

TableStyle ResultsPanel::style() const {
    const bool isDefault = m_columns->words() == kShort;
    return {isDefault ? std::vector<std::string>() : m_columns->columns(), m_form.value("bold").toBool()};
}

DecisionChoice ResultsPanel::decision() const {
    return {m_form.value("loss").toString().toStdString(), m_form.value("cost").toString().toStdString()};
}

void ResultsPanel::addWidget(QWidget* widget) {
    m_fields->addWidget(widget);
}

ResultsPanel::Format ResultsPanel::format() const {
    return m_output->format();
}

void ResultsPanel::renew(const Results& results) {
    const std::optional<SavedChoices> saved =
        results.runs.empty() ? std::nullopt : std::exchange(m_saved, std::nullopt);
    renewExperiments(saved ? QVariant::fromValue<qlonglong>(saved->experiment) : m_form.value("experiment"));
    const ResultsTable& table = results.table;
    const ResultGroup* first = table.groups.empty() ? nullptr : &table.groups[table.baseline];
    const QString title = first ? baselineTitle(table) : QString();
    const QString standard =
        !first || m_form.field<QComboBox>("baseline")->currentIndex() > 0
            ? u"default"_s
            : u"%1 (default)"_s.arg(title == longLabel(table, *first) ? settingName(table, *first) : title);
    const QList<QPair<QString, QVariant>> entries =
        QList<QPair<QString, QVariant>>{{standard, QVariantMap()}} + results.baselines;
    refillChoice(m_form.field<QComboBox>("baseline"), entries,
                 saved ? QVariant(saved->baseline) : m_form.value("baseline"));
    const bool any = !table.groups.empty();
    m_output->setReady(any);
}

void ResultsPanel::renewExperiments(const QVariant& chosen) {
    QList<QPair<QString, QVariant>> entries = {
        {u"latest experiment"_s, QVariant::fromValue<qlonglong>(ResultsChoices::kLatestExperiment)},
        {u"all experiments"_s, QVariant::fromValue<qlonglong>(ResultsChoices::kAllExperiments)}};
    for (const ExperimentRecord& experiment : m_lab.experiments()) {
        const QString name = experiment.name.empty() ? u"unnamed sweep"_s : QString::fromStdString(experiment.name);
        // A preset's name is also that of the example's sweep.
        const QDateTime started = QDateTime::fromString(QString::fromStdString(experiment.created), Qt::ISODate);
        const QString when = QLocale::c().toString(started.toLocalTime(), u"d MMM hh:mm"_s);
        entries.append(
            {u"%1 · %2, %3"_s.arg(experiment.id).arg(name, when), QVariant::fromValue<qlonglong>(experiment.id)});
    }
    refillChoice(m_form.field<QComboBox>("experiment"), entries, chosen);
}

QString formatted(const Results& results, std::span<const SweepPredictions> sweeps, ResultsPanel::Format format,
                  const TableStyle& style, const DecisionChoice& decision) {
    const ResultsTable& table = results.table;
    switch (format) {
        case ResultsPanel::Format::text:
            return QString::fromStdString(
                results.words.toStdString() + '\n' + results_text(table, style) + decision_text(table, decision) +
                sweep_predictions_text(
                    sweeps,
                    u"Some runs still lack the measurements that are needed to test the predictions."_s.toStdString()));
        case ResultsPanel::Format::csv:
            return QString::fromStdString(results_csv(table, style));
        case ResultsPanel::Format::latex:
            return u"% "_s + results.words + QLatin1Char('\n') +
                   QString::fromStdString(sweep_predictions_latex(sweeps) + results_latex(table, style));
        case ResultsPanel::Format::json: {
            nlohmann::json json = results_json(table);
            json["selection"] = {{"words", results.words.toStdString()}};
            json["decision_aid"] = decision_json(table, decision);
            add_sweep_predictions(json, sweeps);
            return QString::fromStdString(json.dump(2)) + QLatin1Char('\n');
        }
    }
    return {};
}

}  // namespace ropelab::ui

#include "moc_results_panel.cpp"
