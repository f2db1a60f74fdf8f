#include "ui/reproduce/sheet_tables.h"

#include <algorithm>
#include <cmath>

#include "core/experiment/sheets/measuring.h"
#include "core/experiment/sheets/published.h"
#include "core/experiment/sheets/sheet_cells.h"
#include "core/stats/results_cells.h"
#include "ui/results/results_words.h"
#include "ui/window/format.h"

namespace ropelab::ui {

namespace {

using Cell = WordTable::Cell;
using Tone = WordTable::Tone;

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

QString spaced(const std::string& name) {
    return text(name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString numberOf(double value) {
    return text(sample_text({1, value, std::nan("")}));
}

Cell sampleCell(const std::optional<Sample>& sample) {
    if (!sample || sample->n == 0) return {text(missing_cell), {}, Tone::quiet};
    return {text(sample_text(*sample)), QObject::tr("mean ± sample standard deviation, n = %1").arg(sample->n)};
}

Cell pCell(const std::optional<double>& p) {
    const Tone tone = p ? Tone::normal : Tone::quiet;
    return {text(p_text(p)), p ? QObject::tr("p = %1").arg(*p, 0, 'g', 3) : QString(), tone};
}

Cell printedCell(const SheetRow& row) {
    if (!row.plan.paper_printed) return {text(missing_cell), {}, Tone::quiet};
    return {text(signed_percent(row.plan.paper_printed)), QObject::tr("As the source prints it.")};
}

// It disagrees with what is printed past what rounding can do.
Cell recomputedCell(const SheetRow& row) {
    const QString words = text(recomputed_text(row));
    if (!row.paper_difference_percent || !row.plan.baseline) return {words, {}, Tone::quiet};
    QString tip = QObject::tr(
        "From the means and deviations that the source prints: difference in percent, p of "
        "Student, p of Welch.");
    if (!row.plan.paper_printed) return {words, tip};
    const Improvement own = improvement_of(row.plan.paper->mean, row.plan.paper_baseline->mean);
    const bool agrees = std::abs(*row.plan.paper_printed + own.percent) <= own.rounding;
    tip += QLatin1Char('\n') + (agrees ? QObject::tr("It agrees with what is printed.")
                                       : QObject::tr("It disagrees with what is printed: %1 %.")
                                             .arg(text(signed_percent(row.plan.paper_printed))));
    return {words, tip, agrees ? Tone::normal : Tone::warning};
}

Cell verdictCell(const SheetRow& row) {
    QString words = text(to_string(row.verdict));
    if (row.failed > 0) {
        words += QStringLiteral(", ") + QObject::tr("%1 failed").arg(countText(row.failed, QObject::tr("run")));
    }
    QString tip = text(row.words);
    if (tip.isEmpty() && row.verdict == SheetVerdict::shown) tip = QObject::tr("Shown, not judged.");
    if (row.verdict == SheetVerdict::unfinished) {
        tip = QObject::tr("%1 of this group and its baseline to come.").arg(countText(row.waiting, QObject::tr("run")));
    }
    if (row.plan.rule) tip += QStringLiteral("\n\n") + text(rule_words(*row.plan.rule));
    return {words, tip.trimmed(), toneOf(row.verdict)};
}

Cell valuesCell(const SheetRow& row) {
    QStringList values, lines;
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        const QString value = std::isfinite(row.values[i]) ? numberOf(row.values[i]) : QObject::tr("failed");
        values << value;
        lines << QObject::tr("seed %1: %2").arg(row.seeds[i]).arg(value);
    }
    if (values.isEmpty()) return {text(missing_cell), {}, Tone::quiet};
    return {values.join(QStringLiteral("  ")), lines.join(QLatin1Char('\n'))};
}

}  // namespace

QString rowTitle(const PlannedRow& row) {
    QStringList parts;
    QString data;
    for (const auto& [key, value] : row.keys.items()) {
        const QString words = value.is_string() ? text(value.get<std::string>()) : settingTitle(key, value);
        if (key == "data") {
            data = words;
        } else if (key == "asked") {
            if (value != row.keys.value("data", nlohmann::json())) parts << QObject::tr("for %1").arg(words);
        } else if (key == "theta" || key == "fraction") {
            parts.prepend(keyTitle(key) + QLatin1Char(' ') + words);
        } else {
            parts << keyTitle(key) + QLatin1Char(' ') + words;
        }
    }
    if (!data.isEmpty()) parts << data;
    return parts.join(QStringLiteral(" · "));
}

QString measureTitleOf(const std::string& measure) {
    for (const Measure& known : measures()) {
        if (known.name == measure) return QObject::tr("%1 (%2)").arg(measureTitle(known), measureUnit(known));
    }
    if (measure == written_per_second) return QObject::tr("writing speed (symbols/s)");
    if (measure == extension_rise) return QObject::tr("rise of the loss beyond the context (nats)");
    if (measure == spiked) return QObject::tr("runs with a loss spike (share)");
    return spaced(measure);
}

WordTable::Tone toneOf(SheetVerdict verdict) {
    switch (verdict) {
        case SheetVerdict::reproduced:
            return Tone::success;
        case SheetVerdict::not_reproduced:
            return Tone::error;
        case SheetVerdict::undecided:
            return Tone::warning;
        case SheetVerdict::shown:
        case SheetVerdict::unfinished:
        case SheetVerdict::not_testable:
            return Tone::quiet;
    }
    return Tone::quiet;
}

std::vector<std::size_t> comparedRows(std::span<const SheetRow> rows, const std::string& measure) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (measure.empty() || rows[i].plan.measure == measure) places.push_back(i);
    }
    return places;
}

WordTable::Content comparisonTable(std::span<const SheetRow> rows, const std::string& measure) {
    WordTable::Content content;
    content.columns = {{QObject::tr("runs"), QObject::tr("What the runs of the group have in common."), true}};
    if (measure.empty()) content.columns.push_back({QObject::tr("measure"), {}, true});
    const std::vector<WordTable::Column> rest = {
        {QObject::tr("ours"), QObject::tr("Mean ± sample standard deviation over the seeds (n − 1). F37")},
        {QObject::tr("theirs"), QObject::tr("As published: of another machine and code, shown and not judged.")},
        {QObject::tr("diff. %"), QObject::tr("Ours: (mean − baseline's mean) / baseline's mean.")},
        {QObject::tr("verdict"), QObject::tr("By the rule that was fixed before the runs; the reason is on hover."),
         true},
        {QObject::tr("p rule, Holm"),
         QObject::tr("Of the rule's own test, after Holm's correction over the rows of its family.")},
        {QObject::tr("p Student"), QObject::tr("Two-tailed, pooled variance. F37")},
        {QObject::tr("p Welch"), QObject::tr("Two-tailed, each group with its own variance. F37")},
        {QObject::tr("p paired"), QObject::tr("Two-tailed, of the differences between runs of one seed. F37")},
        {QObject::tr("printed %"), QObject::tr("The same difference as the source prints it; negative is lower.")},
        {QObject::tr("recomputed % (p)"),
         QObject::tr("The same difference from the source's own table, with the p of Student's and of Welch's test "
                     "from its means, deviations and n.")},
        {QObject::tr("n"), QObject::tr("Runs that gave a number.")},
        {QObject::tr("values per seed"), {}, true}};
    content.columns.insert(content.columns.end(), rest.begin(), rest.end());
    for (const std::size_t place : comparedRows(rows, measure)) {
        const SheetRow& row = rows[place];
        std::vector<Cell> cells = {{rowTitle(row.plan), QObject::tr("Claim: %1").arg(text(row.plan.claim))}};
        if (row.plan.claim.empty()) cells.front().tip.clear();
        if (measure.empty()) cells.push_back({measureTitleOf(row.plan.measure)});
        const std::vector<Cell> others = {
            sampleCell(row.ours),
            sampleCell(row.plan.paper),
            {text(signed_percent(row.difference_percent)),
             row.difference ? QObject::tr("difference of the means: %1").arg(text(rough_text(*row.difference)))
                            : QString(),
             row.difference_percent ? Tone::normal : Tone::quiet},
            verdictCell(row),
            pCell(row.p_holm),
            pCell(row.p_student),
            pCell(row.p_welch),
            pCell(row.p_paired),
            printedCell(row),
            recomputedCell(row),
            {QString::number(row.ours.n)},
            valuesCell(row)};
        cells.insert(cells.end(), others.begin(), others.end());
        content.rows.push_back(std::move(cells));
    }
    return content;
}

WordTable::Content seedTable(const SheetRow& row) {
    WordTable::Content content;
    content.columns = {{QObject::tr("seed")}, {QObject::tr("ours")}};
    if (row.plan.baseline) {
        content.columns.push_back({QObject::tr("baseline"), QObject::tr("The baseline's run of the same seed.")});
        content.columns.push_back({QObject::tr("difference")});
    }
    const auto cell = [](double value) {
        return std::isfinite(value) ? Cell{numberOf(value)} : Cell{text(missing_cell), {}, Tone::quiet};
    };
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        std::vector<Cell> cells = {{QString::number(row.seeds[i])}, cell(row.values[i])};
        if (!std::isfinite(row.values[i])) cells[1] = {QObject::tr("failed"), {}, Tone::error};
        if (row.plan.baseline) {
            const double mate = i < row.mates.size() ? row.mates[i] : std::nan("");
            cells.push_back(cell(mate));
            cells.push_back(cell(row.values[i] - mate));
        }
        content.rows.push_back(std::move(cells));
    }
    return content;
}

WordTable::Content checkTable(const std::string& sheet) {
    WordTable::Content content;
    content.columns = {{QObject::tr("agreement"), QObject::tr("Past what rounding can do."), true},
                       {QObject::tr("what"), {}, true},
                       {QObject::tr("printed"), QObject::tr("As the source has it."), true},
                       {QObject::tr("recomputed"), QObject::tr("From the source's own tables."), true}};
    std::vector<PaperCheck> checks = paper_checks(sheet);
    std::stable_partition(checks.begin(), checks.end(), [](const PaperCheck& check) { return !check.agrees; });
    for (const PaperCheck& check : checks) {
        content.rows.push_back({check.agrees ? Cell{QObject::tr("agrees"), {}, Tone::success}
                                             : Cell{QObject::tr("disagrees"), {}, Tone::error},
                                {text(check.what)},
                                {text(check.printed)},
                                {text(check.recomputed)}});
    }
    return content;
}

WordTable::Content predictionTable(std::span<const ScoredPrediction> predictions) {
    using Outcome = ScoredPrediction::Outcome;
    WordTable::Content content;
    content.columns = {
        {QObject::tr("outcome"), QObject::tr("Scored on the means of the groups; the reason is on hover."), true},
        {QObject::tr("by luck"),
         QObject::tr("The chance of being right by luck: every order of the groups being as likely, or each as likely "
                     "to fail in retrieval as not.")},
        {QObject::tr("theory"), {}, true},
        {QObject::tr("speaks of"), QObject::tr("The quantity that the theory is about."), true},
        {QObject::tr("what it says"), {}, true},
        {QObject::tr("what came"), {}, true}};
    for (const ScoredPrediction& each : predictions) {
        const Tone tone = each.outcome == Outcome::right   ? Tone::success
                          : each.outcome == Outcome::wrong ? Tone::error
                                                           : Tone::quiet;
        const Prediction& prediction = each.prediction;
        content.rows.push_back({{text(to_string(each.outcome)), text(each.words), tone},
                                {QObject::tr("%1 %").arg(text(rough_text(100 * prediction.chance)))},
                                {text(prediction.theory), text(prediction.theory)},
                                {spaced(prediction.quantity)},
                                {text(prediction.words), text(prediction.words)},
                                {text(each.words), text(each.words)}});
    }
    return content;
}

}  // namespace ropelab::ui
