#include "ui/common/results_words.h"

#include <QRegularExpression>

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/numbers.h"
#include "core/results/results_cells.h"
#include "core/results/results_compare.h"
#include "core/results/results_table.h"
#include "core/settings/run_spec.h"
#include "ui/common/choice_words.h"
#include "ui/common/format.h"
#include "ui/common/text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

struct Span {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    bool isOne() const { return low == high; }
    /// "3" or "3 to 5"; numbers that are not whole are rounded to two digits.
    QString words() const {
        const QString from = text(count_text(low));
        const QString to = text(count_text(high));
        return from == to ? from : u"%1 to %2"_s.arg(from, to);
    }
};

/// Adds the pairs that the test compares, or the seeds of the group and of its baseline.
void addSeeds(Span& seeds, const ResultsTable& table, const ResultGroup& group) {
    if (is_by_seed(group.test)) return seeds.add(group.pairs);
    for (const ResultGroup* each : {&group, table.baseline_of(group)}) {
        seeds.add(static_cast<double>(each->described[table.compared].n));
    }
}

/// The difference that the test detects with 80 % power in the tested groups; "" if it is unknown.
QString powerWords(const ResultsTable& table) {
    Span least, seeds, comparisons;
    const auto isUndecided = [&](const ResultGroup& group) {
        return verdict_of(table, group).kind == Verdict::Kind::undecided;
    };
    // What the test can detect matters where it found nothing.
    const bool anyUndecided = std::any_of(table.groups.begin(), table.groups.end(), isUndecided);
    for (const ResultGroup& group : table.groups) {
        const auto& detectable = group.decided().detectable;
        if (!detectable || (anyUndecided && !isUndecided(group))) continue;
        least.add(*detectable);
        comparisons.add(group.comparisons);
        addSeeds(seeds, table, group);
    }
    if (least.high < least.low) return {};
    const QString count = is_by_seed(table.test) ? u"%1 pairs of runs with equal seeds"_s.arg(seeds.words())
                                                 : u"%1 seeds per group"_s.arg(seeds.words());
    const QString level = comparisons.high > 1 ? u"the 5 % level divided by %1 comparisons"_s.arg(comparisons.words())
                                               : u"the 5 % level"_s;
    const QString unit = measureUnit(table);
    const QString varies = least.isOne() ? QString() : u" (depending on the standard deviations)"_s;
    return QLatin1Char(' ') +
           u"With %1, the significance test detects a true difference of %2 %3%5 with a probability (power) of 80 % "
           "at %4%6."_s.arg(count, least.words(), unit, level, varies,
                            anyUndecided
                                ? u", estimated from the spread over seeds of the settings whose differences are "
                                  "not significant; the page Train plans with that of all settings"_s
                                : QString()) +
           (anyUndecided
                ? QLatin1Char(' ') +
                      u"Each difference that is not significant is smaller than the difference that the test of its "
                      "group detects."_s
                : QString());
}

/// The reasons of verdict_of(), each once.
QString whyUntested(const ResultsTable& table) {
    if (isNothingCompared(table)) return u"each group has a %1 of its own"_s.arg(text(data_words(table)));
    QStringList reasons;
    for (const ResultGroup& group : table.groups) {
        const Verdict verdict = verdict_of(table, group);
        if (verdict.kind != Verdict::Kind::untested) continue;
        QString reason = text(verdict.words);
        reason.remove(0, reason.indexOf(": "_L1) + 2);
        reason.chop(1);  // the full stop
        if (!reasons.contains(reason)) reasons << reason;
    }
    return reasons.join(u"; "_s);
}

/// Runs that are excluded from the means; "" if there are none.
QString leftOutWords(const ResultsTable& table) {
    int unfinished = 0;
    int failed = 0;
    int repeated = 0;
    std::int64_t undefined = 0;
    for (const ResultGroup& group : table.groups) {
        undefined += std::ssize(group.summaries) - counted_runs(table, group);
        unfinished += group.unfinished;
        failed += group.failed;
        repeated += group.repeated;
    }
    QStringList parts;
    if (failed > 0) {
        parts << u"%1 that failed or diverged"_s.arg(countText(failed, u"run"_s));
    }
    if (unfinished > 0) parts << u"%1 not finished"_s.arg(countText(unfinished, u"run"_s));
    if (repeated > 0) {
        parts << u"%1 replaced by a later run with the same seed"_s.arg(countText(repeated, u"run"_s));
    }
    if (undefined > 0) {
        parts << u"%1 without a finite %2"_s.arg(countText(undefined, u"run"_s), text(measures()[table.compared].name));
    }
    return parts.isEmpty() ? QString() : u" Excluded: %1."_s.arg(parts.join(u", "_s));
}

}  // namespace

QString withUnbreakablePercent(QString words) {
    constexpr QChar narrow(0x202F);
    return words.replace(u" %"_s, QString(narrow) + QLatin1Char('%'));
}

QString headlineText(QString words) {
    words = numberText(words.toStdString());
    for (const QString& sign : {u"="_s, u"<"_s}) {
        words.replace(u"p %1 "_s.arg(sign), u"p\u00A0%1\u00A0"_s.arg(sign));
    }
    words.replace(u"  "_s, u" "_s);  // of a measure without a unit
    return withUnbreakablePercent(std::move(words));
}

QString settingInWords(QString name) {
    static const QRegularExpression fraction(u"^(θ .+?), ([\\d.]+) %"_s);
    const auto found = fraction.match(name);
    if (!found.hasMatch()) return name;
    return name.insert(found.capturedLength(), u" rotated"_s);
}

QString withSharedData(QString words, const ResultsTable& table) {
    const auto data = table.shared.find("data");
    const auto context = table.shared.find("context");
    if (data != table.shared.end() && context != table.shared.end()) {
        const std::string name = std::filesystem::path(setting_text(data->second)).filename().string();
        words.replace(u" on this text"_s,
                      u" on %1, context %2"_s.arg(name.starts_with("synthetic") ? u"synthetic text"_s : text(name),
                                                  text(setting_text(context->second))));
    }
    static const QRegularExpression rotated(u"(?<=%) rotated"_s);  // as settingInWords() adds it
    QRegularExpressionMatch last;
    if (const qsizetype at = words.lastIndexOf(rotated, -1, &last); at > words.indexOf(rotated))
        words.remove(at, last.capturedLength());
    return words;
}

QString measureTitle(const Measure& measure) {
    if (measure.name == "seconds") return u"training time"_s;
    if (measure.name == "tokens_per_second") return u"training speed"_s;
    if (measure.name == "generated_tokens_per_second") return u"generation speed"_s;
    if (measure.name == "whole_validation_loss") return u"whole-split validation loss"_s;
    return text(measure.name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString measureUnit(const Measure& measure) {
    return text(measure.unit);
}

QString measureUnit(const ResultsTable& table) {
    return text(unit_after(table)).trimmed();
}

QString measureWhy(const Measure& measure) {
    if (measure.name == "best_validation_loss") {
        return u"This measure is the lowest validation loss of a run over all its evaluations [nats per token]."_s;
    }
    if (measure.name == "final_validation_loss")
        return u"This measure is the validation loss of a run's last evaluation [nats per token]."_s;
    if (measure.name == "whole_validation_loss") {
        return u"This measure is the loss over the whole validation split after training [nats per token]."_s;
    }
    if (measure.name == "test_loss") {
        return u"This measure is the loss over the whole test split at the end of training [nats per token]. The "
               "test loss is evaluated once, and no choice depends on it. Only runs with the setting split = 90/5/5 "
               "have a test split."_s;
    }
    if (measure.name == "bits_per_character") {
        return u"This measure is the best validation loss in bits per character: loss in nats / ln 2. It is defined "
               "only for character and byte tokenizers, not for subwords; with a byte tokenizer it is per byte. "
               "Formula "
               "35 of the guide"_s;
    }
    if (measure.name == "bits_per_byte") {
        return u"This measure is the best validation loss in bits per byte of the text: loss in nats / ln 2, divided "
               u"by "
               "the "
               "bytes per token. It is the only loss that is comparable between tokenizers. Formula 35 of the guide"_s;
    }
    if (measure.name == "final_training_loss")
        return u"This measure is the training loss of a run's last evaluation [nats per token]."_s;
    if (measure.name == "seconds") {
        return u"This measure is the training time of a run, without the time for evaluations. Runs that train "
               "together as one batch (a cohort) share their time equally."_s;
    }
    if (measure.name == "generated_tokens_per_second") {
        return u"This measure is the number of tokens per second that the trained model generates (batch size 1). "
               "“Measure generation speed” on the page Results, or ropelab-cli results --measure-generation, "
               "measures the speed after training."_s;
    }
    return u"This measure is the training speed of a run: the number of training tokens per second of its training "
           "time."_s;
}

QString keyTitle(const std::string& key) {
    return text(setting_title(key));
}

QString settingTitle(const std::string& key, const nlohmann::json& value, int headDim) {
    return value.is_string() && key != "data" ? choiceTitle(key, setting_text(value))
                                              : text(setting_words(key, value, headDim));
}

QString settingTitle(const ResultsTable& table, const ResultGroup& group, const std::string& key) {
    const auto fraction = group.settings.find("fraction");
    if (key == "theta" && fraction != group.settings.end() && fraction->second == 0.0)
        return u"–"_s;  // nothing rotates
    return settingTitle(key, group.settings.at(key), head_dim_of(table, group));
}

namespace {

/// The parts of a group's label. Where θ and fraction are swept together, they are one part, written as in legends of
/// curves (label_of): "θ 10k, 25 %", "RoPE 0 %".
QStringList labelParts(const ResultsTable& table, const ResultGroup& group, const std::vector<std::string>& keys,
                       const std::function<QString(const std::string& key)>& part) {
    const auto has = [&](const char* key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
    const auto isNumber = [&](const char* key) { return group.settings.at(key).is_number(); };
    const bool together = has("theta") && has("fraction") && isNumber("theta") && isNumber("fraction");
    QStringList parts;
    bool isRotationNamed = false;
    for (const std::string& key : keys) {
        if (!together || (key != "theta" && key != "fraction")) {
            parts << part(key);
        } else if (!std::exchange(isRotationNamed, true)) {
            const QString fraction = settingTitle(table, group, "fraction");
            parts << (group.settings.at("fraction") == 0.0
                          ? u"RoPE %1"_s.arg(fraction)
                          : u"θ %1, %2"_s.arg(settingTitle(table, group, "theta"), fraction));
        }
    }
    return parts;
}

QString labelBy(const std::vector<std::string>& keys, const ResultsTable& table, const ResultGroup& group) {
    if (!group.name.empty()) return text(group_name(table, group));
    const auto part = [&](const std::string& key) { return settingTitle(table, group, key); };
    const QStringList parts = labelParts(table, group, keys, part);
    return parts.isEmpty() ? u"all runs"_s : parts.join(u" · "_s);
}

}  // namespace

QString shortLabel(const ResultsTable& table, const ResultGroup& group) {
    return labelBy(distinguishing_keys(table), table, group);
}

QStringList shortLabels(const ResultsTable& table, std::vector<std::string> keys) {
    if (keys.empty()) keys = distinguishing_keys(table);
    QStringList labels;
    for (const ResultGroup& group : table.groups) labels << labelBy(keys, table, group);
    return labels;
}

QString shortLabelKeys(const ResultsTable& table, std::vector<std::string> keys) {
    if (keys.empty()) keys = distinguishing_keys(table);
    QStringList titles;
    for (const std::string& key : keys) titles << keyTitle(key);
    return titles.isEmpty() ? u"group"_s : titles.join(u" · "_s);
}

QString longLabel(const ResultsTable& table, const ResultGroup& group) {
    if (!group.name.empty()) return text(group_name(table, group));
    const auto part = [&](const std::string& key) {
        return keyTitle(key) + QLatin1Char(' ') + settingTitle(table, group, key);
    };
    const QStringList parts = labelParts(table, group, table.swept, part);
    return parts.isEmpty() ? u"all runs"_s : parts.join(u", "_s);
}

QString settingName(const ResultsTable& table, const ResultGroup& group) {
    const auto swept = [&](const char* key) {
        return std::find(table.swept.begin(), table.swept.end(), key) != table.swept.end();
    };
    const auto position = table.shared.find("position");
    const bool rotates = position != table.shared.end() && position->second == "rope";
    if (!group.name.empty() || swept("theta") == swept("fraction") || !rotates) return longLabel(table, group);
    const char* other = swept("theta") ? "fraction" : "theta";
    ResultGroup whole = group;
    whole.settings[other] = table.shared.at(other);
    std::vector<std::string> keys = table.swept;
    keys.emplace_back(other);
    return labelParts(table, whole, keys,
                      [&](const std::string& key) {
                          return keyTitle(key) + QLatin1Char(' ') + settingTitle(table, whole, key);
                      })
        .join(u", "_s);
}

QString baselineTitle(const ResultsTable& table) {
    if (const auto target = table.target()) return u"the target of %1 nats"_s.arg(text(number_text(*target)));
    const auto count = std::count_if(table.groups.begin(), table.groups.end(),
                                     [&](const ResultGroup& group) { return table.is_baseline(group); });
    return count > 1 ? u"the baseline of each "_s + text(level_words(table))
                     : longLabel(table, table.groups[table.baseline]);
}

bool isNothingCompared(const ResultsTable& table) {
    return std::all_of(table.groups.begin(), table.groups.end(),
                       [&](const ResultGroup& group) { return table.is_baseline(group); });
}

QString testTitle(std::optional<TestKind> test) {
    if (!test) return u"paired by seed where groups share seeds, else Welch"_s;
    if (test == TestKind::student) return u"Student"_s;
    if (test == TestKind::permutation) return u"sign flips per seed"_s;
    return test == TestKind::welch ? u"Welch"_s : u"paired by seed"_s;
}

QString testedSeeds(const ResultsTable& table) {
    Span seeds;
    for (const ResultGroup& group : table.groups) {
        if (group.decided().p) addSeeds(seeds, table, group);
    }
    return seeds.words() + (seeds.high == 1 ? u" seed"_s : u" seeds"_s);
}

QString overallWords(const ResultsTable& table) {
    if (table.groups.empty()) return {};
    if (table.groups.size() == 1) {
        return u"All runs of the table differ only in their seed, so there is no other group to compare them with."_s +
               leftOutWords(table);
    }
    std::map<Verdict::Kind, int> counts;
    for (const ResultGroup& group : table.groups) ++counts[verdict_of(table, group).kind];
    const QString baseline = baselineTitle(table);
    using Kind = Verdict::Kind;
    if (table.comparisons() == 0) {
        return withUnbreakablePercent(u"No test against %1 is possible: %2."_s.arg(baseline, whyUntested(table)) +
                                      leftOutWords(table));
    }
    QStringList parts;
    for (const Kind kind : {Kind::better, Kind::worse, Kind::equivalent, Kind::undecided, Kind::untested}) {
        if (counts[kind] > 0) parts << u"%1 %2"_s.arg(counts[kind]).arg(text(to_string(kind)));
    }
    const QString test = table.sequential ? text(name_of(table.sequential->design)) : testTitle(table.test);
    const QString state = table.sequential
                              ? u" Stopping rule, fixed before the first run: %1. Result of the rule: %2."_s.arg(
                                    text(words_of(table.sequential->design)), text(stopping_state(table)))
                              : powerWords(table);
    const QString open =
        table.open() > 0 ? u"So far, with %1 left: "_s.arg(countText(table.open(), u"run"_s)) : QString();
    return withUnbreakablePercent(open +
                                  u"Compared with %1%4: %3 (test: %2, at 5 % after Holm's correction)."_s.arg(
                                      baseline, test, parts.join(u", "_s), text(text_words(table))) +
                                  state + leftOutWords(table));
}

QString groupVerdict(const ResultsTable& table, const ResultGroup& group) {
    return withUnbreakablePercent(numberText(verdict_of(table, group).words));
}

}  // namespace ropelab::ui
