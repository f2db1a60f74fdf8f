#include "ui/rooms/results/group_table.h"

#include <algorithm>
#include <cmath>

#include "core/base/aliases.h"
#include "core/base/numbers.h"
#include "core/results/results_cells.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/common/text.h"
#include "ui/session/run_store.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr const char* kSettings = "settings";  // name of all columns of settings in TableStyle::columns

QVariant keyOf(const std::optional<double>& number) {
    return number ? *number : std::nan("");
}

QVariant keyOf(const nlohmann::json& setting) {
    if (setting.is_null()) return std::nan("");
    return setting.is_number() ? QVariant(setting.get<double>()) : QVariant(text(setting_text(setting)));
}

/// "t = −4.03 with 4 degrees of freedom, p = 0.016 before the correction for several tests".
QString testTip(const Comparison& comparison) {
    if (comparison.sequential && comparison.p)
        return u"p = %1 of the stopping rule at all looks together, before the correction for several tests"_s.arg(
            QString::number(*comparison.p, 'g', 3));
    if (!comparison.test)
        return u"No significance test is possible: the group or the baseline has fewer than two values, or the values "
               "do not vary."_s;
    return u"t = %1 with %2 degrees of freedom, p = %3 before the correction for several tests"_s.arg(
        numberText(fixed_text(comparison.test->t, 3)), text(count_text(comparison.test->degrees_of_freedom)),
        QString::number(comparison.test->p, 'g', 3));
}

TextTable::Tone toneOf(const Verdict& verdict) {
    if (verdict.so_far) return TextTable::Tone::quiet;
    if (verdict.kind == Verdict::Kind::better) return TextTable::Tone::success;
    return verdict.kind == Verdict::Kind::worse ? TextTable::Tone::error : TextTable::Tone::quiet;
}

}  // namespace

QStringList presetColumns(const ResultsTable& table, const std::string& preset) {
    QStringList result = {u"settings"_s};
    for (const ResultsColumn& column : chosen_columns(table, PrintedFormat::text, {{preset}})) {
        const std::string& name = column.chosen_name();
        const bool isSetting = std::find(table.swept.begin(), table.swept.end(), name) != table.swept.end();
        if (!isSetting && name != "name") result << text(name);
    }
    // What decides is beside the settings: as the last column it was beyond the edge of a window of 1280 pixels.
    if (const qsizetype verdict = result.indexOf(u"verdict"_s); verdict > 1) result.move(verdict, 1);
    return result;
}

QList<QPair<QString, QString>> GroupTable::choices() const {
    QList<QPair<QString, QString>> result;
    for (const Column& column : allColumns()) {
        const bool isSetting = column.name == kSettings;
        const QPair entry(text(column.name), isSetting ? u"settings of the sweep"_s : column.title);
        if (!result.contains(entry)) result.append(entry);
    }
    return result;
}

void GroupTable::setResults(std::shared_ptr<const Results> results, const std::vector<std::string>& chosen) {
    m_results = std::move(results);
    m_printed = results_columns(m_results->table);
    m_columns = columns(chosen);
    Content content;
    for (const Column& column : m_columns) {
        const QString title = column.unit.isEmpty() ? column.title : u"%1 (%2)"_s.arg(column.title, column.unit);
        content.columns.push_back({title, column.why, column.isWord, true});
    }
    content.rows.resize(m_results->table.groups.size());
    setContent(std::move(content));
}

TextTable::Cell GroupTable::cellAt(std::size_t row, std::size_t place) const {
    const ResultGroup& group = m_results->table.groups[row];
    const Column& column = m_columns[place];
    return {column.text(group), column.tip ? column.tip(group) : QString(),
            column.name == "verdict" ? toneOf(m_results->verdictOf(group)) : Tone::normal,
            place == 0 ? std::optional(m_results->inkOf(group)) : std::nullopt};
}

int GroupTable::columnOf(const QString& title) const {
    const QString current = QString::fromStdString(std::string(current_name(Alias::Kind::column, title.toStdString())));
    const auto found =
        std::find_if(m_columns.begin(), m_columns.end(), [&](const Column& column) { return column.title == current; });
    return found == m_columns.end() ? -1 : static_cast<int>(found - m_columns.begin());
}

QString GroupTable::titleOf(int column) const {
    return column < 0 || column >= columnCount() ? QString() : m_columns[static_cast<std::size_t>(column)].title;
}

QString GroupTable::nameOf(int column) const {
    return column < 0 || column >= columnCount() ? QString() : text(m_columns[static_cast<std::size_t>(column)].name);
}

GroupTable::Column GroupTable::keyColumn(const std::string& key, const QString& why) const {
    return {kSettings,
            keyTitle(key),
            {},
            why,
            [this, key](Group group) { return settingTitle(m_results->table, group, key); },
            [key](Group group) { return keyOf(group.settings.at(key)); },
            [key](Group group) { return text(key + " = " + setting_text(group.settings.at(key))); }};
}

// The cells and numbers are those of the printed table's column `name`.
GroupTable::Column GroupTable::printedColumn(const std::string& name, const QString& title, const QString& unit,
                                             const QString& why, std::function<QString(Group)> tip) const {
    const ResultsColumn& column = item_named(m_printed, name, "column");
    return {name,
            title,
            unit,
            why,
            [cell = column.cell](Group group) { return numberText(cell(group)); },
            [number = column.number](Group group) { return keyOf(number(group)); },
            std::move(tip)};
}

GroupTable::Column GroupTable::measureColumn(std::size_t measure) const {
    const Measure& known = measures()[measure];
    const QString unit = measureUnit(m_results->table, known);
    return printedColumn(
        std::string(known.name), measureTitle(known), unit + (unit.isEmpty() ? u"± std"_s : u", ± std"_s),
        measureWhy(known) + QLatin1Char('\n') +
            u"Each cell shows the mean ± sample standard deviation √(Σ(x − x̄)² / (n − 1)) over the seeds of a group. "
            "Formula 37 of the guide"_s,
        [measure, decimals = known.decimals](Group group) {
            const Description& described = group.described[measure];
            if (described.n == 0)
                return u"The measure has no value, because it was not measured for the runs of "
                       "this group."_s;
            return u"mean over %1; lowest value %2, highest value %3"_s.arg(
                countText(described.n, u"seed"_s), text(fixed_text(described.minimum, decimals)),
                text(fixed_text(described.maximum, decimals)));
        });
}

std::vector<GroupTable::Column> GroupTable::columns(const std::vector<std::string>& chosen) const {
    std::vector<Column> all = allColumns();
    std::vector<std::string> wanted;
    for (const std::string& name : chosen) {
        if (name == "paper" || name == "short") {
            for (const QString& each : presetColumns(m_results->table, name)) wanted.push_back(each.toStdString());
        } else {
            wanted.push_back(name);
        }
    }
    std::vector<Column> result;
    for (const std::string& name : wanted) {
        std::copy_if(all.begin(), all.end(), std::back_inserter(result), [&](const Column& column) {
            return name == "full" ? column.name != "mark" : column.name == name;  // the verdict has the mark's meaning
        });
    }
    if (!result.empty()) return result;
    std::erase_if(all, [](const Column& column) { return column.name == "mark"; });
    return all;
}

std::vector<GroupTable::Column> GroupTable::allColumns() const {
    const ResultsTable& table = m_results->table;
    std::vector<Column> result;
    if (has_names(table)) {
        const auto name = [this](Group group) { return text(group_name(m_results->table, group)); };
        result.push_back(
            {kSettings,
             u"name"_s,
             {},
             u"This column shows the name that you gave to a setting with “Rename setting” in the menu of a row."_s,
             name,
             [name](Group group) { return QVariant(name(group)); },
             {},
             true});
    }
    const std::vector<std::string> distinguishing = distinguishing_keys(table);
    for (const std::string& key : distinguishing)
        result.push_back(keyColumn(key, u"This column shows a setting in which the groups of runs differ."_s));
    if (table.swept.empty()) {
        result.push_back({kSettings,
                          u"group"_s,
                          {},
                          u"All runs have equal settings and differ only in their seed, so they form one group."_s,
                          [](Group) { return u"all runs"_s; },
                          [](Group) { return QVariant(QString()); },
                          {},
                          true});
    }
    result.push_back(printedColumn(
        "n", u"seeds"_s, {}, u"This column shows the number of runs in the mean: finished runs, one per seed."_s,
        [](Group group) {
            QStringList parts = {
                u"%1 in total"_s.arg(countText(static_cast<std::int64_t>(group.members.size()), u"run"_s))};
            if (group.failed > 0) parts << u"%1 failed or diverged"_s.arg(group.failed);
            if (group.unfinished > 0) parts << u"%1 not finished"_s.arg(group.unfinished);
            if (group.repeated > 0) parts << u"%1 replaced by a later run with the same seed"_s.arg(group.repeated);
            return parts.join(u", "_s);
        }));
    if (is_loss(measures()[table.compared])) {
        result.push_back(printedColumn("texts", u"texts"_s, {},
                                       u"This column shows the number of texts (data sets) that the row is about. Its "
                                       "seeds share one text, so it says nothing about other texts."_s));
    }
    addComparison(result);
    for (const std::size_t measure : measured(table)) {
        if (measure != table.compared) result.push_back(measureColumn(measure));
    }
    for (const std::string& key : table.swept) {
        if (std::find(distinguishing.begin(), distinguishing.end(), key) != distinguishing.end()) continue;
        result.push_back(keyColumn(
            key,
            u"This column shows a setting whose value follows from a setting in one of the first columns, because "
            "both settings change together."_s));
    }
    return result;
}

void GroupTable::addComparison(std::vector<Column>& result) const {
    const ResultsTable& table = m_results->table;
    const std::size_t compared = table.compared;
    const QString unit = measureUnit(table);
    const int decimals = measures()[compared].decimals;
    const bool comparing = table.groups.size() > 1;
    result.push_back(measureColumn(compared));
    if (comparing) {
        result.push_back(printedColumn(
            "improvement_percent", u"improvement"_s, u"%"_s,
            u"The improvement is the difference of the compared measure from the baseline, in percent of the "
            "baseline's mean; positive means better. The paired test uses the mean difference between runs with equal "
            "seeds, the other tests the difference of the means."_s,
            [unit](Group group) {
                const auto& estimate = group.decided().estimate;
                if (!estimate) return QString();
                const QString words =
                    u"difference from the baseline: %1 %2"_s.arg(numberText(rough_text(estimate->difference)), unit);
                if (!std::isfinite(estimate->low)) return words;
                return words + u", 95 % interval %1 … %2 %3"_s.arg(numberText(rough_text(estimate->low)),
                                                                   numberText(rough_text(estimate->high)), unit);
            }));
        result.push_back(
            {"verdict",
             table.open() > 0 ? u"verdict so far"_s : u"verdict"_s,
             {},
             u"The verdict states whether the compared measure of the group differs significantly from the baseline "
             "(test: %1, two-tailed at 5 % after Holm's correction). The groups are equivalent if the 95 % interval of "
             "the difference lies within %2."_s.arg(testTitle(table), text(margin_words(table))),
             [this](Group group) { return text(to_string(m_results->verdictOf(group).kind)); },
             [this](Group group) { return QVariant(text(to_string(m_results->verdictOf(group).kind))); },
             [this](Group group) { return text(m_results->verdictOf(group).words); },
             true});
        result.push_back({"mark",
                          u"mark"_s,
                          {},
                          text(mark_legend()),
                          [this](Group group) { return text(significance_mark(m_results->table, group)); },
                          [this](Group group) { return QVariant(text(significance_mark(m_results->table, group))); },
                          [this](Group group) { return text(m_results->verdictOf(group).words); },
                          true});
        addTests(result);
        if (table.sequential) {
            result.push_back(printedColumn(
                "stopped", u"stopped"_s, {},
                u"This column shows how the comparison ended: settled (significantly different), equivalent (within "
                "the relevance margin), stopped for futility (a verdict by the largest number of seeds is improbable, "
                "which shows no equivalence), budget spent, diverged or excluded run. An open comparison trains "
                "further seeds."_s));
            result.push_back(printedColumn("seeds_used", u"seeds used"_s, {},
                                           u"This column shows the number of pairs of runs with equal seeds, in their "
                                           "fixed order, that the comparison used."_s));
            result.push_back(printedColumn(
                "looks", u"looks"_s, {},
                u"This column shows how often the stopping rule tested the comparison. Its p value and interval hold "
                "at all looks together. Formula 64 of the guide"_s));
        }
    }
    result.push_back(
        {"interval", u"95 % interval"_s, unit,
         table.sequential
             ? u"This column shows the confidence interval of the mean that holds at all looks of the stopping rule "
               "together. It has no bounds after few seeds. Formula 64 of the guide"_s
             : u"The 95 % confidence interval of the mean x̄ over n seeds with standard deviation s is x̄ ± t(0.975; n − "
               u"1) "
               "· s/√n. All seeds train on one data set, so the interval does not generalise to other data sets. "
               "Formula 37 "
               "of the guide"_s,
         [compared, decimals](Group group) { return text(interval_text(group.described[compared], decimals)); },
         [compared](Group group) { return keyOf(std::optional(group.described[compared].confidence_low)); }});
    result.push_back(printedColumn(
        "standard_error", u"standard error"_s, unit,
        u"The standard error of the mean is s/√n, with the standard deviation s over the n seeds of the group."_s));
    if (comparing) {
        result.push_back(printedColumn(
            "detectable", u"detectable difference"_s, unit,
            u"The detectable difference is the true difference from the baseline that the test (%1) detects with 80 % "
            "power, two-tailed at the first and strictest level of Holm's correction (5 % / number of comparisons). It "
            "is δ times the standard error of the difference, where δ is the noncentrality at which the t test has 80 "
            "% power. Smaller differences are detected less often."_s.arg(testTitle(table.test)),
            [](Group group) {
                const auto& needed = group.decided().seeds_needed;
                return needed ? u"About %1 per group are needed to detect a difference as large as the observed one."_s
                                    .arg(countText(*needed, u"seed"_s))
                              : QString();
            }));
    }
    if (table.target_loss) {
        result.push_back(printedColumn(
            "iterations_until", u"steps to %1 nats"_s.arg(text(number_text(*table.target_loss))), {},
            u"This column shows the number of training steps until the validation loss first reaches the target loss, "
            "averaged over the seeds that reach it."_s));
    }
}

void GroupTable::addTests(std::vector<Column>& result) const {
    const auto why = [this](TestKind kind) {
        if (m_results->table.sequential && kind == TestKind::paired) {
            return u"This column shows the p value of the stopping rule's test, which holds at all looks together. "
                   "Formula 64 of the guide"_s;
        }
        if (kind == TestKind::student) {
            return u"This column shows the p value of Student's two-tailed t test with the pooled variance: t = (x̄₁ − "
                   "x̄₂) / (s_p √(1/n₁ + 1/n₂)). Formula 37 of the guide"_s;
        }
        if (kind == TestKind::welch) {
            return u"This column shows the p value of Welch's two-tailed t test, in which each group has its own "
                   "variance: t = (x̄₁ − x̄₂) / √(s₁²/n₁ + s₂²/n₂). Formula 37 of the guide"_s;
        }
        if (kind == TestKind::permutation) {
            return u"This column shows the share of all signs of the differences between runs with equal seeds for "
                   "which the absolute mean is at least the observed one. It assumes no normal distribution; fewer "
                   "than "
                   "6 pairs are never significant. Formula 37 of the guide"_s;
        }
        return u"This column shows the p value of a two-tailed t test of the differences between runs with equal "
               "seeds: t = d̄ / (s_d/√n). Formula 37 of the guide"_s;
    };
    const TestKind first = m_results->table.test.value_or(TestKind::paired);
    std::vector<TestKind> kinds = {first};
    for (const TestKind kind : {TestKind::welch, TestKind::student, TestKind::paired}) {
        if (kind != first) kinds.push_back(kind);
    }
    // This count is for the table's baseline. It also holds for other data sets if they have the same groups.
    const ResultsTable& table = m_results->table;
    const int count = table.groups.empty() ? 0 : table.groups[table.baseline].comparisons;
    for (const TestKind kind : kinds) {
        const QString name = kind != TestKind::paired ? testTitle(kind)
                             : table.sequential       ? u"stopping rule"_s
                                                      : u"paired"_s;
        const auto tip = [kind](Group group) { return testTip(group.comparison(kind)); };
        const std::string printed = "p_" + to_string(kind);
        result.push_back(
            printedColumn(printed + "_holm", u"p %1, Holm"_s.arg(name), {},
                          why(kind) + QLatin1Char('\n') +
                              u"The p value is corrected for multiple tests by Holm's step-down method over %1."_s.arg(
                                  countText(count, u"comparison"_s)),
                          tip));
        result.push_back(printedColumn(printed, u"p %1"_s.arg(name), {}, why(kind), tip));
    }
}

QVariant GroupTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || role != kSortRole) return TextTable::data(index, role);
    return m_columns[static_cast<std::size_t>(index.column())].key(
        m_results->table.groups[static_cast<std::size_t>(index.row())]);
}

bool GroupOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(GroupTable::kSortRole);
    const QVariant b = right.data(GroupTable::kSortRole);
    const auto isNumber = [](const QVariant& value) { return value.typeId() == QMetaType::Double; };
    if (isNumber(a) && isNumber(b)) {
        const bool missingA = std::isnan(a.toDouble());
        const bool missingB = std::isnan(b.toDouble());
        if (missingA || missingB)
            return sortOrder() == Qt::AscendingOrder ? !missingA && missingB : missingA && !missingB;
        return a.toDouble() < b.toDouble();
    }
    if (isNumber(a) != isNumber(b)) return isNumber(a);
    return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
}

TextTable::Content seedTable(const Results& results, int group, const QStringList& columns, const RunStore& store) {
    const ResultsTable& table = results.table;
    std::vector<std::size_t> shown = measured(table);
    std::erase_if(shown, [&](std::size_t measure) {
        return measure != table.compared && !columns.contains(text(measures()[measure].name));
    });
    const auto compared = std::find(shown.begin(), shown.end(), table.compared);
    if (compared != shown.end()) std::rotate(shown.begin(), compared, compared + 1);

    TextTable::Content content;
    content.columns.push_back({u"seed"_s});
    for (const std::size_t each : shown) {
        const Measure& measure = measures()[each];
        content.columns.push_back(
            {Axis{measureTitle(measure), measureUnit(table, measure)}.title(), measureWhy(measure)});
    }
    if (table.target_loss) content.columns.push_back({u"steps to target loss"_s});
    content.columns.push_back(
        {u"state"_s,
         u"Runs are excluded from the means if they are unfinished, failed, replaced by a later run with the "
         "same seed, or excluded by you in the context menu of a run."_s,
         true});
    content.columns.push_back({u"run"_s, {}, true, true});
    if (group < 0 || group >= static_cast<int>(table.groups.size())) return content;

    const ResultGroup& own = table.groups[static_cast<std::size_t>(group)];
    for (const std::size_t member : own.members) {
        std::vector<TextTable::Cell>& row = content.rows.emplace_back();
        const RunView* run = store.find(results.runAt(member));
        if (!run) {  // it was deleted
            row.resize(content.columns.size());
            continue;
        }
        const auto found = std::find(own.counted.begin(), own.counted.end(), member);
        const bool counts = found != own.counted.end();
        const auto place = static_cast<std::size_t>(found - own.counted.begin());
        const auto add = [&](const QString& words, const QString& tip = {}) {
            row.push_back({words, tip, counts ? TextTable::Tone::normal : TextTable::Tone::quiet});
        };
        add(QString::number(run->spec.seed));
        row.back().ink = run->ink;
        for (const std::size_t each : shown) {
            const Measure& measure = measures()[each];
            add(counts ? text(fixed_text(measure.of(own.summaries[place]), measure.decimals)) : u"–"_s);
        }
        if (table.target_loss) {
            const double until = counts ? own.iterations_until[place] : 0;
            add(!counts ? u"–"_s : std::isfinite(until) ? groupedText(std::llround(until)) : u"never"_s);
        }
        add(counts ? stateText(*run) : u"%1, excluded"_s.arg(stateText(*run)),
            QString::fromStdString(run->record.message));
        add(run->name, run->name);
    }
    return content;
}

}  // namespace ropelab::ui

#include "moc_group_table.cpp"
