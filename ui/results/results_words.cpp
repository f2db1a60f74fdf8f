#include "ui/results/results_words.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/spec/numbers.h"
#include "core/stats/results_cells.h"
#include "ui/experiment/choice_words.h"
#include "ui/window/format.h"
#include "ui/window/text.h"

namespace ropelab::ui {

namespace {

// "3", "3 to 5": how many seeds the groups have.
QString seedsOf(const ResultsTable& table) {
    std::int64_t fewest = 0;
    std::int64_t most = 0;
    for (const ResultGroup& group : table.groups) {
        const std::int64_t n = group.described[table.compared].n;
        fewest = fewest == 0 ? n : std::min(fewest, n);
        most = std::max(most, n);
    }
    return fewest == most ? QString::number(most) : QObject::tr("%1 to %2").arg(fewest).arg(most);
}

QString powerWords(const ResultsTable& table) {
    double low = 0;
    double high = 0;
    for (const ResultGroup& group : table.groups) {
        const auto& least = table.test == TestKind::paired ? group.detectable_paired : group.detectable;
        if (!least) continue;
        low = low == 0 ? *least : std::min(low, *least);
        high = std::max(high, *least);
    }
    if (high == 0) return {};
    const QString from = text(rough_text(low));
    const QString to = text(rough_text(high));
    return QLatin1Char(' ') + QObject::tr("With %1 seeds a difference below %2 %3 cannot be detected.")
                                  .arg(seedsOf(table), from == to ? from : QObject::tr("%1 to %2").arg(from, to),
                                       measureUnit(measures()[table.compared]));
}

QString leftOutWords(const ResultsTable& table) {
    int unfinished = 0;
    int failed = 0;
    int repeated = 0;
    for (const ResultGroup& group : table.groups) {
        unfinished += group.unfinished;
        failed += group.failed;
        repeated += group.repeated;
    }
    QStringList parts;
    if (failed > 0) {
        parts << QObject::tr("%1 that failed or diverged").arg(countText(failed, QObject::tr("run")));
    }
    if (unfinished > 0) parts << QObject::tr("%1 not finished").arg(countText(unfinished, QObject::tr("run")));
    if (repeated > 0) {
        parts << QObject::tr("%1 of a seed that was run again").arg(countText(repeated, QObject::tr("run")));
    }
    return parts.isEmpty() ? QString() : QObject::tr(" Left out: %1.").arg(parts.join(QStringLiteral(", ")));
}

}  // namespace

QString keptTogether(QString words) {
    constexpr QChar narrow(0x202F);
    return words.replace(QStringLiteral(" %"), QString(narrow) + QLatin1Char('%'));
}

QString measureTitle(const Measure& measure) {
    if (measure.name == "seconds") return QObject::tr("training time");
    if (measure.name == "tokens_per_second") return QObject::tr("speed");
    if (measure.name == "whole_validation_loss") return QObject::tr("whole-split validation loss");
    return text(measure.name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString measureUnit(const Measure& measure) {
    return text(measure.unit);
}

QString measureWhy(const Measure& measure) {
    if (measure.name == "best_validation_loss") {
        return QObject::tr("The lowest validation loss of all evaluations of a run.");
    }
    if (measure.name == "final_validation_loss") return QObject::tr("The validation loss of the last evaluation.");
    if (measure.name == "whole_validation_loss") {
        return QObject::tr("Over every non-overlapping window of the validation split, once at the end.");
    }
    if (measure.name == "bits_per_character") {
        return QObject::tr("Best validation loss in nats / ln 2. Formula 35");
    }
    if (measure.name == "final_training_loss") return QObject::tr("The training loss of the last evaluation.");
    if (measure.name == "seconds") {
        return QObject::tr("A run's share of its cohort's training time, evaluations left out.");
    }
    return QObject::tr("Trained symbols per second of a run's share of its cohort's training time.");
}

QString keyTitle(const std::string& key) {
    if (key == "theta") return QStringLiteral("θ");
    return text(key).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString settingTitle(const std::string& key, const nlohmann::json& value) {
    if (value.is_null()) return QStringLiteral("–");
    if (value.is_boolean()) return value.get<bool>() ? QObject::tr("yes") : QObject::tr("no");
    if (key == "data") return text(setting_text(value)).section(QLatin1Char('/'), -1);
    if (!value.is_number()) return choiceTitle(key, setting_text(value));
    const double number = value.get<double>();
    if (key == "attention_window" && number == 0) return QObject::tr("whole context");
    if (key == "fraction") return QObject::tr("%1 %").arg(text(number_text(std::round(1e6 * number) / 1e4)));
    return std::abs(number) < 1 ? text(number_text(number)) : text(short_number(number));
}

std::vector<std::string> tellingKeys(const ResultsTable& table, const std::string& without) {
    const auto goesWith = [&table](const std::string& key, const std::string& before) {
        return std::all_of(table.groups.begin(), table.groups.end(), [&](const ResultGroup& a) {
            return std::all_of(table.groups.begin(), table.groups.end(), [&](const ResultGroup& b) {
                return (a.settings.at(key) == b.settings.at(key)) == (a.settings.at(before) == b.settings.at(before));
            });
        });
    };
    std::vector<std::string> keys;
    for (const std::string& key : table.swept) {
        if (key == without) continue;
        const bool says =
            std::none_of(keys.begin(), keys.end(), [&](const auto& before) { return goesWith(key, before); });
        if (says) keys.push_back(key);
    }
    return keys;
}

QString shortLabel(const ResultsTable& table, const ResultGroup& group) {
    QStringList parts;
    for (const std::string& key : tellingKeys(table)) parts << settingTitle(key, group.settings.at(key));
    return parts.isEmpty() ? QObject::tr("all runs") : parts.join(QStringLiteral(" · "));
}

QString shortLabelKeys(const ResultsTable& table) {
    QStringList keys;
    for (const std::string& key : tellingKeys(table)) keys << keyTitle(key);
    return keys.isEmpty() ? QObject::tr("group") : keys.join(QStringLiteral(" · "));
}

QString longLabel(const ResultsTable& table, const ResultGroup& group) {
    QStringList parts;
    for (const std::string& key : table.swept) {
        parts << keyTitle(key) + QLatin1Char(' ') + settingTitle(key, group.settings.at(key));
    }
    return parts.isEmpty() ? QObject::tr("all runs") : parts.join(QStringLiteral(", "));
}

QString baselineTitle(const ResultsTable& table) {
    const auto count = std::count_if(table.groups.begin(), table.groups.end(),
                                     [&](const ResultGroup& group) { return table.is_baseline(group); });
    return count > 1 ? QObject::tr("the baseline of each text") : longLabel(table, table.groups[table.baseline]);
}

QString testTitle(TestKind test) {
    if (test == TestKind::student) return QObject::tr("Student");
    return test == TestKind::welch ? QObject::tr("Welch") : QObject::tr("paired by seed");
}

QString overallWords(const ResultsTable& table) {
    if (table.groups.empty()) return {};
    if (table.groups.size() == 1) {
        return QObject::tr(
                   "These runs differ in nothing but their seed: there is no other group to compare them "
                   "with.") +
               leftOutWords(table);
    }
    int better = 0;
    int worse = 0;
    int undecided = 0;
    int untested = 0;
    for (const ResultGroup& group : table.groups) {
        const Verdict::Kind kind = verdict_of(table, group).kind;
        better += kind == Verdict::Kind::better;
        worse += kind == Verdict::Kind::worse;
        undecided += kind == Verdict::Kind::undecided;
        untested += kind == Verdict::Kind::untested;
    }
    const QString baseline = baselineTitle(table);
    if (better + worse + undecided == 0) {
        return QObject::tr("No test against %1 is possible: it takes two seeds or more in a group and in the baseline.")
                   .arg(baseline) +
               leftOutWords(table);
    }
    QStringList parts;
    if (better > 0) parts << QObject::tr("%1 better").arg(better);
    if (worse > 0) parts << QObject::tr("%1 worse").arg(worse);
    if (undecided > 0) parts << QObject::tr("%1 not significantly different").arg(undecided);
    if (untested > 0) parts << QObject::tr("%1 without a test").arg(untested);
    return keptTogether(QObject::tr("Against %1, at 5 % after Holm (%2): %3.")
                            .arg(baseline, testTitle(table.test), parts.join(QStringLiteral(", "))) +
                        powerWords(table) + leftOutWords(table));
}

QString groupVerdict(const ResultsTable& table, const ResultGroup& group) {
    return keptTogether(numberText(verdict_of(table, group).words));
}

}  // namespace ropelab::ui
