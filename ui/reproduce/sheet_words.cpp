#include "ui/reproduce/sheet_words.h"

#include <map>

#include "core/experiment/sheets/sheet_cells.h"
#include "core/stats/results_cells.h"
#include "ui/reproduce/sheet_tables.h"
#include "ui/results/results_words.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/format.h"
#include "ui/window/text.h"

namespace ropelab::ui {

namespace {

QString escaped(const std::string& words) {
    return keptTogether(text(words)).toHtmlEscaped();
}

QString colored(const QString& words, WordTable::Tone tone) {
    const Theme& theme = ThemeManager::instance().theme();
    const QColor color = tone == WordTable::Tone::success   ? theme.success
                         : tone == WordTable::Tone::warning ? theme.warning
                         : tone == WordTable::Tone::error   ? theme.error
                                                            : theme.quietText;
    return QStringLiteral("<span style='color:%1'>%2</span>").arg(color.name(), words.toHtmlEscaped());
}

// In the order of the enumeration.
std::map<SheetVerdict, int> verdictsOf(std::span<const SheetRow> rows, const std::string& claim) {
    std::map<SheetVerdict, int> count;
    for (const SheetRow& row : rows) {
        if (row.verdict != SheetVerdict::shown && (claim.empty() || row.plan.claim == claim)) ++count[row.verdict];
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
    if (plan.one_by_one) {
        parts << QObject::tr("Runs train alone, seed by seed, because their times are compared.");
    }
    if (plan.writing.samples > 0) {
        parts << QObject::tr("Each trained model then writes %1 of %2 symbols, and its speed is measured.")
                     .arg(countText(plan.writing.samples, QObject::tr("text")), groupedText(plan.writing.length));
    }
    if (!plan.extensions.empty()) {
        QStringList times;
        for (const std::int64_t factor : plan.extensions) times << QStringLiteral("%1×").arg(factor);
        parts << QObject::tr("Its loss is also measured at %1 the context.").arg(times.join(QStringLiteral(", ")));
    }
    if (plan.retrieval_windows > 0) {
        parts << QObject::tr("For the prediction of retrieval, its models are asked for what they read before.");
    }
    return parts.join(QLatin1Char(' '));
}

}  // namespace

QString costWords(const SheetPlan& plan, double operationsPerSecond, const std::filesystem::path& dataDir) {
    const Estimate cost = sheet_cost(plan, plan.experiment.expand(), operationsPerSecond, dataDir);
    const QString runs = countText(cost.runs, QObject::tr("run"));
    return QObject::tr("%1, about %2 here with all evaluations and measurements, %3; %4 million parameters at most")
        .arg(plan.one_by_one ? QObject::tr("%1, one by one").arg(runs)
                             : QObject::tr("%1 in %2").arg(runs, countText(cost.cohorts, QObject::tr("cohort"))),
             durationText(cost.seconds), bytesText(cost.bytes),
             text(rough_text(static_cast<double>(cost.parameters) / 1e6)));
}

QString sheetPage(const SheetPlan& plan, std::span<const SheetRow> rows, const QString& cost) {
    QString html = heading(QObject::tr("What is claimed"));
    for (const Claim& claim : plan.claims) {
        QStringList verdicts;
        for (const auto& [verdict, count] : verdictsOf(rows, claim.id)) {
            verdicts << colored(QStringLiteral("%1 %2").arg(count).arg(text(to_string(verdict))), toneOf(verdict));
        }
        html += QStringLiteral("<p><b>%1.</b> %2").arg(escaped(claim.id), escaped(claim.words));
        if (!verdicts.isEmpty()) html += QStringLiteral("<br>") + verdicts.join(QStringLiteral(", "));
        html += QStringLiteral("</p>");
    }
    html += QStringLiteral("<p>%1</p>").arg(colored(text(plan.source), WordTable::Tone::quiet));
    html += heading(QObject::tr("What runs"));
    html += QStringLiteral("<p>%1. %2</p>").arg(cost.toHtmlEscaped(), measuredWords(plan).toHtmlEscaped());
    html += list(plan.notes) + settingsHtml(plan);
    html += heading(QObject::tr("How it is judged: fixed before the first run, and kept in the lab")) +
            list(rules_of(plan));
    const std::vector<std::string> needs = needs_of(plan);
    if (!needs.empty()) html += heading(QObject::tr("Not testable at this scale: what it would take")) + list(needs);
    return html;
}

QString verdictWords(std::span<const SheetRow> rows) {
    QStringList parts;
    for (const auto& [verdict, count] : verdictsOf(rows, {})) {
        parts << QStringLiteral("%1 %2").arg(count).arg(text(to_string(verdict)));
    }
    return parts.isEmpty() ? QString() : parts.join(QStringLiteral(", ")) + QLatin1Char('.');
}

QString standingWords(const SheetTrainer& trainer, bool isReadOnly) {
    const auto& standing = trainer.standing();
    if (!standing) return QObject::tr("Reading the lab …");
    const QString runs = countText(standing->runs, QObject::tr("run"));
    QString words = standing->ended == standing->runs
                        ? QObject::tr("All %1 have ended.").arg(runs)
                        : QObject::tr("%1 of %2 have ended.").arg(standing->ended).arg(runs);
    if (standing->failed > 0) {
        words += QLatin1Char(' ') +
                 QObject::tr("%1 failed: counted, not averaged.").arg(countText(standing->failed, QObject::tr("run")));
    }
    switch (trainer.step()) {
        case SheetTrainer::Step::idle:
            break;
        case SheetTrainer::Step::preparing:
            return QObject::tr("Looking for the texts and writing down the rules …");
        case SheetTrainer::Step::training:
            return QObject::tr("Training.") + QLatin1Char(' ') + words;
        case SheetTrainer::Step::measuring:
            return words + QLatin1Char(' ') +
                   QObject::tr("Measuring what is left: %1.").arg(countText(standing->unmeasured, QObject::tr("run")));
    }
    if (!trainer.failure().isEmpty()) {
        words += QLatin1Char(' ') + QObject::tr("It went no further: %1").arg(trainer.failure());
    }
    if (standing->isComplete()) {
        const QString verdicts = verdictWords(standing->rows);
        return verdicts.isEmpty() ? words : words + QLatin1Char(' ') + verdicts;
    }
    if (isReadOnly) {
        words += QLatin1Char(' ') + QObject::tr("This lab can only be read here.");
    } else if (standing->ended == standing->runs) {
        words +=
            QLatin1Char(' ') +
            QObject::tr("%1 still to be measured: continue.").arg(countText(standing->unmeasured, QObject::tr("run")));
    } else if (trainer.failure().isEmpty()) {
        words += QLatin1Char(' ') + QObject::tr("Continue to train the rest.");
    }
    return words;
}

QString rowWords(const SheetRow& row) {
    QString words = text(to_string(row.verdict));
    words[0] = words[0].toUpper();
    words += QStringLiteral(". ");
    if (row.verdict == SheetVerdict::unfinished) {
        words += QObject::tr("%1 of this group and its baseline to be trained or measured. ")
                     .arg(countText(row.waiting, QObject::tr("run")));
    }
    if (!row.words.empty()) words += numberText(row.words) + QLatin1Char(' ');
    if (row.plan.rule) words += QStringLiteral("\n") + QObject::tr("Rule: %1").arg(text(rule_words(row.plan)));
    return words.trimmed();
}

}  // namespace ropelab::ui
