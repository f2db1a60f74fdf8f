#include "ui/rooms/reproduce/sheet_words.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/forecast/time_model.h"
#include "core/reproduce/published/published.h"
#include "core/reproduce/published/source_tests.h"
#include "core/reproduce/report.h"
#include "core/reproduce/rules/measuring.h"
#include "core/results/results_cells.h"
#include "ui/common/choice_words.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/common/text.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

using Cell = TextTable::Cell;
using Tone = TextTable::Tone;
using nlohmann::json;

QString withSpaces(const std::string& name) {
    return text(name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString numberOf(double value) {
    return numberText(sample_text({1, value, std::nan("")}));
}

// As run names show it.
QString positionWords(const std::string& position) {
    if (position == "none") return u"no position encoding"_s;
    if (position == "learned") return u"learned positions"_s;
    return position == "learned+rope" ? u"learned positions + RoPE"_s : choiceTitle("position", position);
}

Cell sampleCell(const std::optional<Sample>& sample) {
    if (!sample || sample->n == 0) return {text(missing_cell), {}, Tone::quiet};
    return {text(sample_text(*sample)), u"mean ± sample standard deviation, n = %1"_s.arg(sample->n)};
}

Cell oursCell(const SheetRow& row) {
    Cell cell = sampleCell(row.ours);
    cell.text = text(ours_text(row));
    return cell;
}

Cell pCell(const std::optional<double>& p) {
    const Tone tone = p ? Tone::normal : Tone::quiet;
    return {text(p_text(p)), p ? u"p = %1"_s.arg(*p, 0, 'g', 3) : QString(), tone};
}

Cell printedCell(const SheetRow& row) {
    if (!row.plan.paper_printed) return {text(missing_cell), {}, Tone::quiet};
    return {numberText(signed_percent(row.plan.paper_printed)),
            u"Difference from the baseline as the publication prints it."_s};
}

// Marked if it disagrees with the printed one by more than rounding explains.
Cell recomputedCell(const SheetRow& row) {
    const QString words = numberText(recomputed_text(row));
    if (!row.paper_difference_percent || !row.plan.baseline) return {words, {}, Tone::quiet};
    QString tip =
        u"Difference from the baseline in percent, with the p values of Student's and Welch's tests, computed from the "
        "means and standard deviations that the publication prints."_s;
    if (!row.plan.paper_printed) return {words, tip};
    const Improvement own = improvement_of(row.plan.paper->mean, row.plan.paper_baseline->mean);
    const bool agrees = std::abs(*row.plan.paper_printed + own.percent) <= own.rounding;
    tip +=
        QLatin1Char('\n') +
        (agrees ? u"The recomputed difference agrees with the one that the publication prints."_s
                : u"The recomputed difference disagrees with the one that the publication prints, which is %1 %."_s.arg(
                      numberText(signed_percent(row.plan.paper_printed))));
    return {words, tip, agrees ? Tone::normal : Tone::warning};
}

Cell verdictCell(const SheetRow& row) {
    QString words = text(to_string(row.verdict));
    if (row.failed > 0) {
        words += u", "_s + u"%1 failed"_s.arg(countText(row.failed, u"run"_s));
    }
    QString tip = numberText(row_reason(row));
    if (tip.isEmpty() && row.verdict == SheetVerdict::shown)
        tip = u"No rule decides on this row, so it has no verdict."_s;
    if (row.verdict == SheetVerdict::baseline) tip = u"This row is the baseline with which other rows are compared."_s;
    if (row.verdict == SheetVerdict::unfinished) {
        tip = u"No verdict yet: %1 of this group and its baseline must still be trained or measured."_s.arg(
            countText(row.waiting, u"run"_s));
    }
    if (row.plan.rule) tip += u"\n\n"_s + text(rule_words(row.plan));
    return {words, tip.trimmed(), toneOf(row.verdict)};
}

/// "10k", "2 ch", "generated instead of enwik8", "yes"; "–" if the row lacks the key.
QString keyWords(const PlannedRow& row, const std::string& key) {
    const auto found = row.keys.find(key);
    if (found == row.keys.end()) return text(missing_cell);
    const json& value = *found;
    if (key == "data") {
        const auto asked = row.keys.value("asked", value);
        const QString name = text(value.get<std::string>());
        return asked == value ? name : u"%1 instead of %2"_s.arg(name, text(asked.get<std::string>()));
    }
    if (key == "fraction" && row.keys.contains("channels") && row.keys.at("channels") == 2) return u"2 ch"_s;
    if (key == "position") return positionWords(value.get<std::string>());
    if (value.is_boolean()) return value.get<bool>() ? u"yes"_s : u"no"_s;
    return value.is_string() ? text(value.get<std::string>()) : settingTitle(key, value);
}

/// θ and the fraction first, the data set and a different baseline last. The requested data set is left out, because
/// keyWords shows it with the data set.
std::vector<std::string> keysOf(const std::vector<const PlannedRow*>& rows) {
    std::vector<std::string> keys;
    const auto add = [&](const std::string& key) {
        const bool any =
            std::any_of(rows.begin(), rows.end(), [&](const PlannedRow* row) { return row->keys.contains(key); });
        if (any && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    };
    add("theta");
    add("fraction");
    for (const PlannedRow* row : rows) {
        for (const auto& [key, value] : row->keys.items()) {
            if (key != "data" && key != "asked" && key != "against") add(key);
        }
    }
    add("data");
    add("against");
    return keys;
}

/// All keys if the rows do not differ.
std::vector<std::string> differingKeys(const std::vector<const PlannedRow*>& rows) {
    const std::vector<std::string> all = keysOf(rows);
    std::vector<std::string> keys;
    for (const std::string& key : all) {
        const bool differs = std::any_of(rows.begin(), rows.end(), [&](const PlannedRow* row) {
            return keyWords(*row, key) != keyWords(*rows.front(), key);
        });
        if (differs) keys.push_back(key);
    }
    return keys.empty() ? all : keys;
}

/// True if the value is shown with the key's name.
bool isNamed(const std::string& key) {
    return key != "data" && key != "position";
}

/// Removes those of the named columns that are empty in every row.
TextTable::Content withoutEmptyColumns(TextTable::Content content, const QStringList& titles) {
    for (std::size_t i = content.columns.size(); i-- > 0;) {
        const bool isEmpty = std::all_of(content.rows.begin(), content.rows.end(),
                                         [i](const auto& row) { return row[i].text == text(missing_cell); });
        if (!isEmpty || content.rows.empty() || !titles.contains(content.columns[i].title)) continue;
        content.columns.erase(content.columns.begin() + static_cast<std::ptrdiff_t>(i));
        for (auto& row : content.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return content;
}

Cell valuesCell(const SheetRow& row) {
    QStringList values, lines;
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        const QString value = std::isfinite(row.values[i]) ? numberOf(row.values[i]) : u"failed"_s;
        values << value;
        lines << u"seed %1: %2"_s.arg(row.seeds[i]).arg(value);
    }
    if (values.isEmpty()) return {text(missing_cell), {}, Tone::quiet};
    return {values.join(u"  "_s), lines.join(QLatin1Char('\n'))};
}

}  // namespace

QString rowTitle(const PlannedRow& row) {
    QStringList parts;
    for (const std::string& key : keysOf({&row})) {
        const QString words = keyWords(row, key);
        parts << (isNamed(key) ? keyTitle(key) + QLatin1Char(' ') + words : words);
    }
    return parts.join(u" · "_s);
}

QString askedData(const PlannedRow& row) {
    const auto found = row.keys.contains("asked") ? row.keys.find("asked") : row.keys.find("data");
    return found == row.keys.end() ? QString() : text(found->get<std::string>());
}

namespace {

/// "eager", "no rope cache": shorter than keyWords() with the key's name. A data set has the name of the one that it
/// replaces (replacedData).
QString shortWords(const PlannedRow& row, const std::string& key) {
    const json& value = row.keys.at(key);
    if (key == "data") return askedData(row);
    if (value.is_boolean()) return (value.get<bool>() ? QString() : u"no "_s) + keyTitle(key);
    if (key == "position" && value == "learned+rope") return choiceTitle("position", value.get<std::string>());
    return value.is_string() || !isNamed(key) ? keyWords(row, key)
                                              : keyTitle(key) + QLatin1Char(' ') + keyWords(row, key);
}

QStringList shortTitles(const std::vector<const PlannedRow*>& rows, const std::vector<std::string>& keys) {
    QStringList result;
    for (const PlannedRow* row : rows) {
        QStringList parts;
        for (const std::string& key : keys) {
            if (row->keys.contains(key)) parts << shortWords(*row, key);
        }
        result << parts.join(u" · "_s);
    }
    return result;
}

}  // namespace

QString leftOutData(const SheetPlan& plan) {
    QStringList names;
    for (const std::string& name : plan.missing_sets) {
        const bool isAsked =
            std::ranges::any_of(plan.rows, [&](const PlannedRow& row) { return askedData(row) == text(name); });
        if (!isAsked) names << text(name);
    }
    if (names.isEmpty()) return {};
    return u"%1 is not on disk and is left out"_s.arg(names.join(u", "_s));
}

QString replacedData(const std::vector<const PlannedRow*>& rows) {
    std::map<std::string, QStringList> replaced;
    for (const PlannedRow* row : rows) {
        if (!row->keys.contains("asked") || row->keys.at("asked") == row->keys.at("data")) continue;
        replaced[row->keys.at("data")] << text(row->keys.at("asked").get<std::string>());
    }
    QStringList parts;
    for (auto& [data, asked] : replaced) {
        asked.removeDuplicates();
        parts << u"trained on %1 instead of %2"_s.arg(text(data), asked.join(u", "_s));
    }
    return parts.join(u"; "_s);
}

QStringList rowTitles(const std::vector<const PlannedRow*>& rows) {
    std::vector<std::string> keys = differingKeys(rows);
    const auto distinct = [&](const std::vector<std::string>& by) {
        QStringList titles = shortTitles(rows, by);
        titles.removeDuplicates();
        return titles.contains(QString()) ? 0 : titles.size();
    };
    // A key that adds nothing to the others is left out, such as a θ that all rows with RoPE share.
    for (const std::string& key : std::vector<std::string>(keys)) {
        std::vector<std::string> others = keys;
        std::erase(others, key);
        if (!others.empty() && distinct(others) == distinct(keys)) keys = others;
    }
    return shortTitles(rows, keys);
}

QString measureTitleOf(const std::string& measure) {
    for (const Measure& known : measures()) {
        if (known.name == measure) return u"%1 (%2)"_s.arg(measureTitle(known), measureUnit(known));
    }
    if (measure == extension_rise) return u"loss increase beyond the context (nats)"_s;
    if (measure == spiked) return u"runs with a loss spike"_s;
    if (measure == spiked_early) return u"runs with an early loss spike"_s;
    return withSpaces(measure);
}

TextTable::Tone toneOf(SheetVerdict verdict) {
    switch (verdict) {
        case SheetVerdict::reproduced:
            return Tone::success;
        case SheetVerdict::not_reproduced:
            return Tone::error;
        case SheetVerdict::undecided:
            return Tone::warning;
        case SheetVerdict::shown:
        case SheetVerdict::baseline:
        case SheetVerdict::unfinished:
        case SheetVerdict::not_testable:
            return Tone::quiet;
    }
    return Tone::quiet;
}

QColor toneColor(TextTable::Tone tone) {
    const Theme& theme = ThemeManager::instance().theme();
    return tone == Tone::success   ? theme.success
           : tone == Tone::warning ? theme.warning
           : tone == Tone::error   ? theme.error
                                   : theme.quietText;
}

std::vector<std::size_t> comparedRows(std::span<const SheetRow> rows, const std::string& measure) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (measure.empty() || rows[i].plan.measure == measure) indices.push_back(i);
    }
    return indices;
}

TextTable::Content comparisonTable(std::span<const SheetRow> rows, const std::string& measure,
                                   std::span<const Claim> claims) {
    TextTable::Content content;
    const std::vector<std::size_t> indices = comparedRows(rows, measure);
    std::vector<const PlannedRow*> plans;
    for (const std::size_t index : indices) plans.push_back(&rows[index].plan);
    const std::vector<std::string> keys = differingKeys(plans);
    for (const std::string& key : keys) {
        const QString why = key == "against"
                                ? u"Baseline of the row, if it differs from the usual baseline of this reproduction."_s
                                : u"Setting in which the groups differ; all runs of a group have the same value."_s;
        const bool isNumber = std::ranges::all_of(
            plans, [&](const PlannedRow* row) { return row->keys.contains(key) && row->keys.at(key).is_number(); });
        content.columns.push_back({keyTitle(key), why, !isNumber});
    }
    if (measure.empty()) content.columns.push_back({u"measure"_s, {}, true});
    const std::vector<TextTable::Column> rest = {
        {u"this lab"_s,
         u"Mean ± sample standard deviation (n − 1) over the seeds of this lab. Formula 37 of the guide"_s},
        {u"published"_s,
         u"Published mean ± standard deviation. The published runs used another machine and other code, and the "
         "verdict does not use their values."_s},
        {u"difference [%]"_s,
         u"Difference from the baseline in percent, from the means of this lab: (mean − baseline's mean) / baseline's "
         "mean."_s},
        {u"verdict"_s, u"Verdict on the row by its preregistered rule. The tooltip of each cell gives the reason."_s,
         true},
        {u"p (rule, Holm)"_s,
         u"p value of the test that decides the verdict, after Holm's correction over all rows that are tested "
         "together."_s},
        {u"p (Student)"_s, u"p value of Student's two-tailed t test, with pooled variance. Formula 37 of the guide"_s},
        {u"p (Welch)"_s, u"p value of Welch's two-tailed t test, with a variance per group. Formula 37 of the guide"_s},
        {u"p (paired)"_s,
         u"p value of the two-tailed paired t test, on differences between runs of equal seed. Formula 37 of the guide"_s},
        {u"printed difference [%]"_s,
         u"Difference from the baseline as the publication prints it; negative means lower than the baseline."_s},
        {u"recomputed difference [%] (p)"_s,
         u"Difference from the baseline, recomputed from the publication's table, with the p values of Student's and "
         "Welch's tests from the published means, standard deviations and numbers of runs."_s},
        {u"n"_s, u"Number of runs of the group whose measured value is finite."_s},
        {u"values per seed"_s, {}, true}};
    content.columns.insert(content.columns.end(), rest.begin(), rest.end());
    for (const std::size_t index : indices) {
        const SheetRow& row = rows[index];
        const auto tested =
            std::find_if(claims.begin(), claims.end(), [&row](const Claim& each) { return each.id == row.plan.claim; });
        const QString claim =
            tested == claims.end() ? QString() : u"Claim: %1"_s.arg(text(tested->words)) + QLatin1Char('\n');
        std::vector<Cell> cells;
        for (const std::string& key : keys) {
            const Tone tone = row.plan.keys.contains(key) ? Tone::normal : Tone::quiet;
            cells.push_back({keyWords(row.plan, key), claim + rowTitle(row.plan), tone});
        }
        if (measure.empty()) cells.push_back({measureTitleOf(row.plan.measure)});
        const std::vector<Cell> others = {
            oursCell(row),
            sampleCell(row.plan.paper),
            {numberText(signed_percent(row.difference_percent)),
             row.difference ? u"difference of the means: %1"_s.arg(numberText(rough_text(*row.difference))) : QString(),
             row.difference_percent ? Tone::normal : Tone::quiet},
            verdictCell(row),
            {numberText(verdict_p_text(row)), {}, row.p_holm ? Tone::normal : Tone::quiet},
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
    return withoutEmptyColumns(
        std::move(content),
        {u"published"_s, u"difference [%]"_s, u"p (rule, Holm)"_s, u"p (Student)"_s, u"p (Welch)"_s, u"p (paired)"_s,
         u"printed difference [%]"_s, u"recomputed difference [%] (p)"_s, u"values per seed"_s});
}

TextTable::Content seedTable(const SheetRow& row) {
    TextTable::Content content;
    content.columns = {{u"seed"_s}, {u"this lab"_s}};
    if (row.plan.baseline) {
        content.columns.push_back({u"baseline"_s, u"Value of the run with the same seed in the baseline group."_s});
        content.columns.push_back({u"difference"_s});
    }
    const auto cell = [](double value) {
        return std::isfinite(value) ? Cell{numberOf(value)} : Cell{text(missing_cell), {}, Tone::quiet};
    };
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        std::vector<Cell> cells = {{QString::number(row.seeds[i])}, cell(row.values[i])};
        if (!std::isfinite(row.values[i])) cells[1] = {u"failed"_s, {}, Tone::error};
        if (row.plan.baseline) {
            const double baseline_value =
                i < row.paired_baseline_values.size() ? row.paired_baseline_values[i] : std::nan("");
            cells.push_back(cell(baseline_value));
            cells.push_back(cell(row.values[i] - baseline_value));
        }
        content.rows.push_back(std::move(cells));
    }
    return content;
}

namespace {

/// Per benchmark the accuracies that the source prints and the comparison of 10 % with 100 %.
void addBenchmarkRows(TextTable::Content& content, const std::string& sheet) {
    const json table = benchmark_table_json(sheet);
    if (table.is_null()) return;
    const std::vector<BenchmarkComparison> comparisons = benchmark_comparisons(0.1);
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        const BenchmarkComparison& each = comparisons[i];
        QStringList lines;
        for (const json& row : table.at("rows")) {
            lines << u"%1, %2: %3 % (standard error %4)"_s.arg(
                text(row.at("config").get<std::string>()), text(row.at("rope").get<std::string>()),
                text(fixed_text(100 * row.at("accuracy").at(i).get<double>(), 0)),
                text(fixed_text(100 * row.at("stderr").at(i).get<double>(), 0)));
        }
        const QString accuracies = lines.join(QLatin1Char('\n'));
        content.rows.push_back(
            {{u"shown"_s, accuracies, Tone::quiet},
             {u"accuracy on %1 (%2 questions)"_s.arg(text(each.benchmark)).arg(each.questions), accuracies},
             {u"%1 accuracies, listed in the tooltip"_s.arg(lines.size()), accuracies},
             {u"accuracy with 10 % of the channels rotated minus accuracy with 100 %: %1 percentage points, 90 % "
              "interval %2 to %3, equivalence: %4"_s.arg(
                  numberText(fixed_text(100 * each.difference, 2)), numberText(fixed_text(100 * each.low, 2)),
                  numberText(fixed_text(100 * each.high, 2)), numberText(p_words(each.p_equivalence))),
              accuracies}});
    }
}

}  // namespace

TextTable::Content checkTable(const std::string& sheet) {
    TextTable::Content content;
    content.columns = {
        {u"agreement"_s, u"States whether the printed and the recomputed value agree within rounding."_s, true},
        {u"statement"_s, {}, true},
        {u"printed"_s, u"Value that the publication prints."_s, true},
        {u"recomputed"_s, u"Value recomputed from the publication's tables."_s, true}};
    for (const SourceTest& test : source_tests(sheet)) {
        const Tone tone = test.verdict == SourceVerdict::holds   ? Tone::success
                          : test.verdict == SourceVerdict::fails ? Tone::error
                                                                 : Tone::warning;
        content.rows.push_back({{text(to_string(test.verdict)), text(test.test), tone},
                                {u"claim, tested on the publication's own numbers"_s, text(test.test)},
                                {text(test.claim), text(test.claim)},
                                {text(test.result), text(test.result)}});
    }
    std::vector<PaperCheck> checks = paper_checks(sheet);
    std::stable_partition(checks.begin(), checks.end(), [](const PaperCheck& check) { return !check.agrees; });
    for (const PaperCheck& check : checks) {
        content.rows.push_back(
            {check.agrees ? Cell{u"agrees"_s, {}, Tone::success} : Cell{u"disagrees"_s, {}, Tone::error},
             {text(check.what)},
             {text(check.printed)},
             {text(check.recomputed)}});
    }
    addBenchmarkRows(content, sheet);
    return content;
}

namespace {

QString escaped(const std::string& words) {
    return withUnbreakablePercent(text(words)).toHtmlEscaped();
}

std::map<SheetVerdict, int> verdictsOf(std::span<const SheetRow> rows) {
    std::map<SheetVerdict, int> count;
    for (const SheetRow& row : rows) {
        if (row.verdict != SheetVerdict::shown && row.verdict != SheetVerdict::baseline) ++count[row.verdict];
    }
    return count;
}

QString heading(const QString& words) {
    return u"<h3>%1</h3>"_s.arg(words);
}

QString list(const std::vector<std::string>& lines) {
    QString html = u"<ul>"_s;
    for (const std::string& line : lines) html += u"<li>%1</li>"_s.arg(escaped(line));
    return html + u"</ul>"_s;
}

QString settingsHtml(const SheetPlan& plan) {
    static std::pair<Experiment, QString> known;  // a change of the text size or the theme asks again
    if (known.first == plan.experiment && !known.second.isEmpty()) return known.second;
    QString html = u"<table cellspacing='0' cellpadding='2' style='margin-top:8px; margin-left:8px'>"_s;
    for (const auto& [label, runs] : settings_of(plan.experiment.expand())) {
        html += u"<tr><td>%1</td><td align='right'>&nbsp;&nbsp;%2</td></tr>"_s.arg(escaped(label),
                                                                                   countText(runs, u"run"_s));
    }
    known = {plan.experiment, html + u"</table>"_s};
    return known.second;
}

QString measuredWords(const SheetPlan& plan) {
    QStringList parts;
    if (plan.sequential) {
        parts << u"Runs train one after another, seed by seed, because their training times are compared."_s;
    }
    if (plan.writing.samples > 0) {
        parts << u"After training, each model generates %1 of %2 tokens, and its generation speed is measured."_s.arg(
            countText(plan.writing.samples, u"sample"_s), groupedText(plan.writing.length));
    }
    if (!plan.extensions.empty()) {
        QStringList times;
        for (const std::int64_t factor : plan.extensions) times << u"%1×"_s.arg(factor);
        parts << u"The loss is also measured on sequences of %1 the training context."_s.arg(times.join(u", "_s));
    }
    if (plan.retrieval_windows > 0) {
        parts << u"The accuracy at copying repeated tokens (retrieval) is measured to test the predictions."_s;
    }
    return parts.join(QLatin1Char(' '));
}

QString costText(const QString& runs, const QString& time, const QString& memory, const QString& parameters) {
    return u"%1; estimate: about %2 on this machine with all evaluations and measurements, %3 of memory; models of at "
           "most %4 million parameters"_s.arg(runs, time, memory, parameters);
}

QString sequentialText(const QString& runs) {
    return u"%1, trained sequentially"_s.arg(runs);
}

QString failedText(std::int64_t runs) {
    return u"%1 failed; the means exclude failed runs."_s.arg(countText(runs, u"run"_s));
}

QString endedText(std::int64_t ended, std::int64_t runs) {
    return u"%1 of %2 have ended."_s.arg(ended).arg(countText(runs, u"run"_s));
}

QString measuringText(std::int64_t left) {
    return u"The program is measuring the trained models; %1 left."_s.arg(countText(left, u"run"_s));
}

}  // namespace

bool isTestable(std::span<const SheetRow> rows) {
    const auto has = [&rows](auto... verdicts) {
        return std::ranges::any_of(rows, [&](const SheetRow& row) { return ((row.verdict == verdicts) || ...); });
    };
    using enum SheetVerdict;
    return !has(not_testable) || has(unfinished, reproduced, not_reproduced, undecided);
}

QString notStartedWords(std::span<const SheetRow> rows) {
    if (!isTestable(rows)) {
        return u"This reproduction has not started. Its runs can be trained, but with the data on this machine none of "
               "the claims can get a verdict: download the data first, or start without a verdict. Each claim says "
               "what "
               "it needs."_s;
    }
    return u"This reproduction has not started. “Start” creates a lab file for it, stores its rules and predictions, "
           "and trains its runs."_s;
}

QString costWords(const SheetPlan& plan, const std::filesystem::path& dataDir) {
    const Estimate cost = sheet_cost(plan, plan.experiment.expand(), *machine_time_model(), dataDir);
    const QString runs = countText(cost.runs, u"run"_s);
    return costText(
        plan.sequential ? sequentialText(runs) : u"%1 in %2"_s.arg(runs, countText(cost.cohorts, u"cohort"_s)),
        text(expected_duration(cost.seconds)), bytesText(cost.bytes),
        text(rough_text(static_cast<double>(cost.parameters) / 1e6)));
}

namespace {

/// The plan with the rows of one claim.
SheetPlan planOf(SheetPlan plan, const std::string& claim) {
    std::erase_if(plan.rows, [&](const PlannedRow& row) { return row.claim != claim; });
    return plan;
}

}  // namespace

QStringList claimRules(const SheetPlan& plan, const std::string& claim) {
    return texts(rules_of(planOf(plan, claim)));
}

QString decidingWords(const SheetPlan& plan, std::span<const SheetRow> rows, const std::string& claim) {
    std::int64_t waiting = 0;
    std::int64_t seeds = 0;
    bool isWithheld = false;
    for (const SheetRow& row : rows) {
        if (row.plan.claim != claim) continue;
        if (row.verdict == SheetVerdict::unfinished) waiting = std::max<std::int64_t>(waiting, row.waiting);
        seeds = std::max(seeds, row.seeds_to_decide.value_or(0));
        isWithheld = isWithheld || row.by_rule || (row.plan.rule && row.verdict == SheetVerdict::not_testable);
    }
    QStringList sentences = texts(needs_of(planOf(plan, claim)));
    if (const QString leftOut = leftOutData(plan); !leftOut.isEmpty()) sentences << leftOut + QLatin1Char('.');
    if (plan.scale == SheetScale::smoke && isWithheld) sentences.prepend(text(withheld_words()));
    if (waiting > 0)
        sentences << u"Up to %1 per row must still be trained or measured."_s.arg(countText(waiting, u"run"_s));
    if (seeds > 0) {
        sentences
            << u"About %1 per setting would decide this claim, if the differences between the groups stay as they "
               "are."_s.arg(countText(seeds, u"seed"_s));
    }
    return sentences.isEmpty() ? QString() : u"Needed for a verdict: "_s + sentences.join(QLatin1Char(' '));
}

QString rankingPage(std::span<const SheetRow> rows) {
    const std::vector<std::string> rankings = rankings_of(rows);
    return rankings.empty() ? QString() : heading(u"Ranking of the settings by length of training"_s) + list(rankings);
}

QString notesPage(const SheetPlan& plan, const QString& cost) {
    std::vector<std::string> notes = plan.notes;
    if (std::string stored = stored_rules_words(plan); !stored.empty()) notes.insert(notes.begin(), std::move(stored));
    return u"<p>%1. %2</p>"_s.arg(cost.toHtmlEscaped(), measuredWords(plan).toHtmlEscaped()) + list(notes) +
           settingsHtml(plan);
}

QString verdictWords(std::span<const SheetRow> rows) {
    QStringList parts;
    for (const auto& [verdict, count] : verdictsOf(rows)) {
        parts << u"%1 %2"_s.arg(count).arg(text(to_string(verdict)));
    }
    return parts.isEmpty() ? QString() : parts.join(u", "_s) + QLatin1Char('.');
}

QString progressWords(const SheetTrainer& trainer, bool isReadOnly) {
    const auto& progress = trainer.progress();
    if (!progress) return u"Loading the lab file …"_s;
    const QString runs = countText(progress->runs, u"run"_s);
    QString words = progress->ended == progress->runs ? u"All %1 of this reproduction have ended."_s.arg(runs)
                                                      : endedText(progress->ended, progress->runs);
    if (progress->failed > 0) {
        words += QLatin1Char(' ') + failedText(progress->failed);
    }
    switch (trainer.step()) {
        case SheetTrainer::Step::idle:
            break;
        case SheetTrainer::Step::preparing:
            return u"Loading the data sets and storing the rules of the verdicts …"_s;
        case SheetTrainer::Step::training:
            return u"The runs are training."_s + QLatin1Char(' ') + words;
        case SheetTrainer::Step::measuring:
            return words + QLatin1Char(' ') + measuringText(progress->unmeasured);
    }
    if (!trainer.failure().isEmpty()) {
        words += QLatin1Char(' ') + u"The reproduction stopped: %1"_s.arg(trainer.failure());
    }
    if (progress->isComplete()) {
        const QString verdicts = verdictWords(progress->rows);
        return verdicts.isEmpty() ? words : words + QLatin1Char(' ') + verdicts;
    }
    if (isReadOnly) {
        words += QLatin1Char(' ') + u"This lab file is read-only, so the reproduction cannot continue in it."_s;
    } else if (progress->ended == progress->runs) {
        words += QLatin1Char(' ') + u"%1 must still be measured; continue the reproduction to measure them."_s.arg(
                                        countText(progress->unmeasured, u"run"_s));
    } else if (trainer.failure().isEmpty()) {
        words += QLatin1Char(' ') + u"Continue the reproduction to train the remaining runs."_s;
    }
    return words;
}

QString rowWords(const SheetRow& row) {
    QString words = text(to_string(row.verdict));
    words[0] = words[0].toUpper();
    words += u". "_s;
    if (row.verdict == SheetVerdict::unfinished) {
        words += u"No verdict yet: %1 of this group and its baseline must still be trained or measured. "_s.arg(
            countText(row.waiting, u"run"_s));
    }
    if (!row.words.empty()) words += numberText(row_reason(row));
    return words.trimmed();
}

}  // namespace ropelab::ui
