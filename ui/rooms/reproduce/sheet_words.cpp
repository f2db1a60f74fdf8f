#include "ui/rooms/reproduce/sheet_words.h"

#include <map>

#include "core/forecast/time_model.h"
#include "core/reproduce/report.h"
#include "core/results/results_cells.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/common/text.h"
#include "ui/rooms/reproduce/sheet_tables.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

namespace {

QString escaped(const std::string& words) {
    return withUnbreakablePercent(text(words)).toHtmlEscaped();
}

QString colored(const QString& words, TextTable::Tone tone) {
    const Theme& theme = ThemeManager::instance().theme();
    const QColor color = tone == TextTable::Tone::success   ? theme.success
                         : tone == TextTable::Tone::warning ? theme.warning
                         : tone == TextTable::Tone::error   ? theme.error
                                                            : theme.quietText;
    return QStringLiteral("<span style='color:%1'>%2</span>").arg(color.name(), words.toHtmlEscaped());
}

std::map<SheetVerdict, int> verdictsOf(std::span<const SheetRow> rows) {
    std::map<SheetVerdict, int> count;
    for (const SheetRow& row : rows) {
        if (row.verdict != SheetVerdict::shown && row.verdict != SheetVerdict::baseline) ++count[row.verdict];
    }
    return count;
}

QString heading(const QString& words) {
    return QStringLiteral("<h3>%1</h3>").arg(words);
}

QString list(const std::vector<std::string>& lines) {
    QString html = QStringLiteral("<ul>");
    for (const std::string& line : lines) html += QStringLiteral("<li>%1</li>").arg(escaped(line));
    return html + QStringLiteral("</ul>");
}

QString settingsHtml(const SheetPlan& plan) {
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='2' style='margin-top:8px; margin-left:8px'>");
    for (const auto& [label, runs] : settings_of(plan.experiment.expand())) {
        html += QStringLiteral("<tr><td>%1</td><td align='right'>&nbsp;&nbsp;%2</td></tr>")
                    .arg(escaped(label), countText(runs, QObject::tr("run")));
    }
    return html + QStringLiteral("</table>");
}

QString measuredWords(const SheetPlan& plan) {
    QStringList parts;
    if (plan.sequential) {
        parts << QObject::tr("Runs train sequentially, seed by seed, because their times are compared.");
    }
    if (plan.writing.samples > 0) {
        parts << QObject::tr("Each trained model then generates %1 of %2 tokens, and the generation speed is measured.")
                     .arg(countText(plan.writing.samples, QObject::tr("sample")), groupedText(plan.writing.length));
    }
    if (!plan.extensions.empty()) {
        QStringList times;
        for (const std::int64_t factor : plan.extensions) times << QStringLiteral("%1×").arg(factor);
        parts << QObject::tr("The loss is also measured at %1 the context.").arg(times.join(QStringLiteral(", ")));
    }
    if (plan.retrieval_windows > 0) {
        parts << QObject::tr("The retrieval of repeated tokens is measured for the predictions.");
    }
    return parts.join(QLatin1Char(' '));
}

QString costText(const QString& runs, const QString& time, const QString& memory, const QString& parameters) {
    return QObject::tr(
               "%1; about %2 on this machine with all evaluations and measurements, %3 of memory, at most %4 million "
               "parameters")
        .arg(runs, time, memory, parameters);
}

QString sequentialText(const QString& runs) {
    return QObject::tr("%1, trained sequentially").arg(runs);
}

QString failedText(std::int64_t runs) {
    return QObject::tr("%1 failed; failed runs do not enter the means.").arg(countText(runs, QObject::tr("run")));
}

QString endedText(std::int64_t ended, std::int64_t runs) {
    return QObject::tr("%1 of %2 have ended.").arg(ended).arg(countText(runs, QObject::tr("run")));
}

QString measuringText(std::int64_t left) {
    return QObject::tr("The program measures the trained models; %1 left.").arg(countText(left, QObject::tr("run")));
}

}  // namespace

QString costExample() {
    constexpr std::int64_t many = 1000;
    constexpr double long_time = 99 * 3600.0 + 59 * 60;
    return costText(sequentialText(countText(many, QObject::tr("run"))),
                    durationText(long_time) + QStringLiteral(" to ") + durationText(long_time),
                    bytesText(99'900'000'000), QStringLiteral("0.053")) +
           QLatin1Char('.');
}

QString notStartedWords() {
    return QObject::tr(
        "This sheet has not started. “Start” creates a lab for it, stores its rules and predictions, and trains its "
        "runs.");
}

QStringList stateExamples() {
    constexpr std::int64_t many = 1000;
    return {notStartedWords(),
            QStringList{endedText(many, many), failedText(many), measuringText(many)}.join(QLatin1Char(' '))};
}

QString costWords(const SheetPlan& plan, const std::filesystem::path& dataDir) {
    const Estimate cost = sheet_cost(plan, plan.experiment.expand(), *machine_time_model(), dataDir);
    const QString runs = countText(cost.runs, QObject::tr("run"));
    return costText(plan.sequential ? sequentialText(runs)
                                    : QObject::tr("%1 in %2").arg(runs, countText(cost.cohorts, QObject::tr("cohort"))),
                    text(expected_duration(cost.seconds)), bytesText(cost.bytes),
                    text(rough_text(static_cast<double>(cost.parameters) / 1e6)));
}

QString sheetPage(const SheetPlan& plan, std::span<const SheetRow> rows, const QString& cost) {
    QString html = heading(QObject::tr("Claims"));
    const std::vector<ClaimVerdict> verdicts = claim_verdicts(plan, rows);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        html += QStringLiteral("<p><b>%1. %2</b>").arg(i + 1).arg(escaped(plan.claims[i].words));
        if (!verdicts[i].words.empty()) {
            html += QStringLiteral("<br>") + colored(text(verdicts[i].words), toneOf(verdicts[i].verdict));
        }
        html += QStringLiteral("</p>");
    }
    const std::vector<std::string> rankings = rankings_of(rows);
    if (!rankings.empty()) html += heading(QObject::tr("Ranking by length of training")) + list(rankings);
    html += QStringLiteral("<p>%1</p>").arg(colored(text(plan.source), TextTable::Tone::quiet));
    html += heading(QObject::tr("Runs"));
    html += QStringLiteral("<p>%1. %2</p>").arg(cost.toHtmlEscaped(), measuredWords(plan).toHtmlEscaped());
    html += list(plan.notes) + settingsHtml(plan);
    html += heading(QObject::tr("Rules (preregistered and stored in the lab)"));
    if (const std::string stored = stored_rules_words(plan); !stored.empty()) {
        html += QStringLiteral("<p>%1</p>").arg(colored(text(stored), TextTable::Tone::warning));
    }
    html += list(rules_of(plan));
    const std::vector<std::string> needs = needs_of(plan);
    if (!needs.empty()) html += heading(QObject::tr("Tests that are not possible at this scale")) + list(needs);
    return html;
}

QString verdictWords(std::span<const SheetRow> rows) {
    QStringList parts;
    for (const auto& [verdict, count] : verdictsOf(rows)) {
        parts << QStringLiteral("%1 %2").arg(count).arg(text(to_string(verdict)));
    }
    return parts.isEmpty() ? QString() : parts.join(QStringLiteral(", ")) + QLatin1Char('.');
}

QString progressWords(const SheetTrainer& trainer, bool isReadOnly) {
    const auto& progress = trainer.progress();
    if (!progress) return QObject::tr("Loading the lab …");
    const QString runs = countText(progress->runs, QObject::tr("run"));
    QString words = progress->ended == progress->runs ? QObject::tr("All %1 have ended.").arg(runs)
                                                      : endedText(progress->ended, progress->runs);
    if (progress->failed > 0) {
        words += QLatin1Char(' ') + failedText(progress->failed);
    }
    switch (trainer.step()) {
        case SheetTrainer::Step::idle:
            break;
        case SheetTrainer::Step::preparing:
            return QObject::tr("Loading the data sets and storing the rules of the verdicts …");
        case SheetTrainer::Step::training:
            return QObject::tr("The runs are training.") + QLatin1Char(' ') + words;
        case SheetTrainer::Step::measuring:
            return words + QLatin1Char(' ') + measuringText(progress->unmeasured);
    }
    if (!trainer.failure().isEmpty()) {
        words += QLatin1Char(' ') + QObject::tr("The sheet stopped: %1").arg(trainer.failure());
    }
    if (progress->isComplete()) {
        const QString verdicts = verdictWords(progress->rows);
        return verdicts.isEmpty() ? words : words + QLatin1Char(' ') + verdicts;
    }
    if (isReadOnly) {
        words += QLatin1Char(' ') + QObject::tr("This lab is read-only.");
    } else if (progress->ended == progress->runs) {
        words += QLatin1Char(' ') + QObject::tr("%1 must still be measured; continue the sheet to measure them.")
                                        .arg(countText(progress->unmeasured, QObject::tr("run")));
    } else if (trainer.failure().isEmpty()) {
        words += QLatin1Char(' ') + QObject::tr("Continue the sheet to train the remaining runs.");
    }
    return words;
}

QString rowWords(const SheetRow& row) {
    QString words = text(to_string(row.verdict));
    words[0] = words[0].toUpper();
    words += QStringLiteral(". ");
    if (row.verdict == SheetVerdict::unfinished) {
        words += QObject::tr("%1 of this group and its baseline must still be trained or measured. ")
                     .arg(countText(row.waiting, QObject::tr("run")));
    }
    if (!row.words.empty()) words += numberText(row_reason(row)) + QLatin1Char(' ');
    if (row.plan.rule) words += QStringLiteral("\n") + QObject::tr("Rule: %1").arg(text(rule_words(row.plan)));
    return words.trimmed();
}

}  // namespace ropelab::ui
