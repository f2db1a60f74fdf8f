#include "ui/results/results_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStyle>
#include <QVBoxLayout>
#include <utility>

#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "ui/results/results_memory.h"
#include "ui/results/results_words.h"
#include "ui/window/fields.h"
#include "ui/window/format.h"
#include "ui/window/scaled.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

namespace {

std::optional<double> lossOf(const QString& typed) {
    if (typed.trimmed().isEmpty()) return std::nullopt;
    try {
        const double loss = parse_number(typed.trimmed().toStdString());
        return loss > 0 ? std::optional(loss) : std::nullopt;
    } catch (const BadInput&) {
        return std::nullopt;
    }
}

QVariantMap settingsOf(const ResultGroup& group) {
    QVariantMap result;
    for (const auto& [key, value] : group.settings) {
        result[QString::fromStdString(key)] = QString::fromStdString(setting_text(value));
    }
    return result;
}

}  // namespace

ResultsPanel::ResultsPanel(Workspace& workspace, QWidget* parent) : QFrame(parent), m_workspace(workspace) {
    const auto [area, content, column] = makePanel(this, tr("Results"));
    column->addWidget(makeHeading(tr("Results"), content));

    QGridLayout* grid = makeFieldGrid();
    m_experiment = makeChoice(tr("Experiment"), content);
    addField(grid, tr("runs of"), m_experiment,
             tr("Groups are runs that differ only in their seed, so runs of one sweep belong together."));
    m_measure = makeChoice(tr("Compared measure"), content);
    for (const Measure& measure : measures()) {
        m_measure->addItem(measureTitle(measure), QString::fromUtf8(measure.name.data()));
        m_measure->setItemData(m_measure->count() - 1, measureWhy(measure), Qt::ToolTipRole);
    }
    addField(grid, tr("measure"), m_measure, tr("What the tests and the picture compare."));
    m_baseline = makeChoice(tr("Baseline"), content);
    addField(grid, tr("baseline"), m_baseline, tr("The group that every other is compared with."));
    m_test = makeChoice(tr("Test"), content);
    for (const TestKind test : {TestKind::welch, TestKind::student, TestKind::paired}) {
        m_test->addItem(testTitle(test), QString::fromStdString(to_string(test)));
    }
    addField(
        grid, tr("test"), m_test,
        tr("What the verdicts follow, two-tailed at 5 % after Holm's correction. Choose it before you look: of three "
           "tests one is more often significant by luck. Formula 37"));
    m_target = new QLineEdit(content);
    m_target->setPlaceholderText(tr("nats, as 1.6"));
    m_target->setClearButtonEnabled(true);
    m_target->setAccessibleName(tr("Target loss"));
    connect(m_target, &QLineEdit::textChanged, this, [this](const QString& typed) {
        m_target->setProperty("wrong", !typed.trimmed().isEmpty() && !lossOf(typed));
        m_target->style()->unpolish(m_target);
        m_target->style()->polish(m_target);
    });
    addField(grid, tr("until loss"), m_target,
             tr("Adds the steps to the first evaluation at or below this validation loss, in nats."));
    column->addLayout(grid);
    m_unfinished = new QCheckBox(tr("Also unfinished runs"), content);
    m_unfinished->setToolTip(tr("Runs in training, stopped or failed, with the losses that they have so far."));
    column->addWidget(m_unfinished);
    m_published = new QCheckBox(tr("Published values"), content);
    m_published->setToolTip(
        tr("What the theta paper prints for the same text, in grey beside the own numbers: of another machine and "
           "code, so shown and not judged. Not where only a part of the text is here."));
    column->addWidget(m_published);
    m_output = new TableOutput(content);
    connect(m_output, &TableOutput::copyAsked, this, &ResultsPanel::copyAsked);
    connect(m_output, &TableOutput::saveAsked, this, &ResultsPanel::saveAsked);
    column->addWidget(m_output);
    column->addStretch(1);
    renew({});
    recall();
    const auto tell = [this] {
        keep();
        emit changed();
    };
    for (QComboBox* combo : {m_experiment, m_measure, m_baseline, m_test}) {
        connect(combo, &QComboBox::currentIndexChanged, this, tell);
    }
    for (QCheckBox* box : {m_unfinished, m_published}) connect(box, &QCheckBox::toggled, this, tell);
    connect(m_target, &QLineEdit::textChanged, this, tell);
    connect(m_output, &TableOutput::formatChanged, this, &ResultsPanel::keep);
    connect(&workspace.lab(), &LabDocument::opened, this, &ResultsPanel::recallLab);
    recallLab();
}

void ResultsPanel::recall() {
    const Settings& settings = m_workspace.settings();
    chooseData(m_measure, settings.value("results/measure"));
    chooseData(m_test, settings.value("results/test"));
    m_target->setText(settings.value("results/target").toString());
    m_unfinished->setChecked(settings.value("results/unfinished").toBool());
    m_published->setChecked(settings.value("results/published").toBool());
    m_output->choose(settings.value("results/format").toString());
}

void ResultsPanel::recallLab() {
    const QJsonObject choices = labChoices(m_workspace.settings(), m_workspace.lab().path());
    m_wanted = Wanted{choices.value(QStringLiteral("experiment")).toInteger(ResultsChoices::latestExperiment),
                      choices.value(QStringLiteral("baseline")).toObject().toVariantMap()};
}

void ResultsPanel::keep() {
    Settings& settings = m_workspace.settings();
    settings.setValue("results/measure", m_measure->currentData());
    settings.setValue("results/test", m_test->currentData());
    settings.setValue("results/target", m_target->text());
    settings.setValue("results/unfinished", m_unfinished->isChecked());
    settings.setValue("results/published", m_published->isChecked());
    settings.setValue("results/format", suffixOf(format()));
    if (m_wanted) return;  // the lists are still another lab's
    QJsonObject choices = labChoices(settings, m_workspace.lab().path());
    choices[QStringLiteral("experiment")] = m_experiment->currentData().toLongLong();
    choices[QStringLiteral("baseline")] = QJsonObject::fromVariantMap(m_baseline->currentData().toMap());
    keepLabChoices(settings, m_workspace.lab().path(), choices);
}

ResultsChoices ResultsPanel::choices() const {
    ResultsChoices result;
    result.experiment = m_experiment->currentData().toLongLong();
    result.options.compare = m_measure->currentData().toString().toStdString();
    result.options.test = test_kind(m_test->currentData().toString().toStdString());
    result.options.unfinished = m_unfinished->isChecked();
    result.options.target_loss = lossOf(m_target->text());
    const QVariantMap baseline = m_baseline->currentData().toMap();
    for (auto it = baseline.begin(); it != baseline.end(); ++it) {
        result.options.baseline[it.key().toStdString()] = it.value().toString().toStdString();
    }
    return result;
}

ResultsPanel::Format ResultsPanel::format() const {
    return m_output->format();
}

void ResultsPanel::renew(const Results& results) {
    const std::optional<Wanted> wanted = results.runs.empty() ? std::nullopt : std::exchange(m_wanted, std::nullopt);
    renewExperiments(wanted ? QVariant::fromValue<qlonglong>(wanted->experiment) : m_experiment->currentData());
    const ResultsTable& table = results.table;
    const QString standard = table.groups.empty() || m_baseline->currentIndex() > 0
                                 ? tr("defaults")
                                 : tr("defaults: %1").arg(longLabel(table, table.groups[table.baseline]));
    QList<QPair<QString, QVariant>> entries = {{standard, QVariantMap()}};
    if (table.groups.size() > 1) {
        for (const ResultGroup& group : table.groups) entries.append({longLabel(table, group), settingsOf(group)});
    }
    refillChoice(m_baseline, entries, wanted ? QVariant(wanted->baseline) : m_baseline->currentData());
    const bool any = !table.groups.empty();
    m_output->setReady(any);
}

void ResultsPanel::renewExperiments(const QVariant& chosen) {
    QList<QPair<QString, QVariant>> entries = {
        {tr("latest experiment"), QVariant::fromValue<qlonglong>(ResultsChoices::latestExperiment)},
        {tr("all experiments"), QVariant::fromValue<qlonglong>(ResultsChoices::allExperiments)}};
    for (const ExperimentRecord& experiment : m_workspace.lab().experiments()) {
        const QString name = experiment.name.empty() ? tr("a sweep") : QString::fromStdString(experiment.name);
        entries.append({tr("%1 · %2").arg(experiment.id).arg(name), QVariant::fromValue<qlonglong>(experiment.id)});
    }
    refillChoice(m_experiment, entries, chosen);
}

QString formatted(const ResultsTable& table, std::span<const Ledger> ledgers, ResultsPanel::Format format) {
    switch (format) {
        case ResultsPanel::Format::text:
            return QString::fromStdString(
                results_text(table) + ledgers_text(ledgers, QObject::tr("What they speak of is not measured of every "
                                                                        "run yet.")
                                                                .toStdString()));
        case ResultsPanel::Format::csv:
            return QString::fromStdString(results_csv(table));
        case ResultsPanel::Format::latex:
            return QString::fromStdString(results_latex(table));
        case ResultsPanel::Format::json: {
            nlohmann::json json = results_json(table);
            json["predictions"] = ledgers_json(ledgers);
            return QString::fromStdString(json.dump(2)) + QLatin1Char('\n');
        }
    }
    return {};
}

}  // namespace ropelab::ui
