#pragma once

#include <QString>
#include <QStringList>

#include "core/results/results_table.h"

namespace ropelab::ui {

/// Puts a non-breaking space before each "%".
QString withUnbreakablePercent(QString words);
/// The same, "p = 0.013" stays on one line, and negative numbers have a minus sign.
QString headlineText(QString words);
/// "best validation loss".
QString measureTitle(const Measure& measure);
/// "nats" or "tokens/s".
QString measureUnit(const Measure& measure);
/// Of the compared measure; "" for losses of imported runs (unit_after).
QString measureUnit(const ResultsTable& table);
QString measureWhy(const Measure& measure);

/// "θ" for theta, else the key's name with spaces.
QString keyTitle(const std::string& key);
/// "10k", "25 %" or "truncate". `headDim` is the head dimension for fraction_text(), 0 if it is unknown.
QString settingTitle(const std::string& key, const nlohmann::json& value, int headDim = 0);
QString settingTitle(const ResultsTable& table, const ResultGroup& group, const std::string& key);
/// A group's name or the values of the distinguishing settings: "10k", "θ 10k, 25 % · 256"; "all runs" if nothing was
/// swept.
QString shortLabel(const ResultsTable& table, const ResultGroup& group);
/// Of every group.
QStringList shortLabels(const ResultsTable& table, std::vector<std::string> keys = {});
/// Names of the settings in shortLabel(): "θ · fraction"; "group" if nothing was swept.
QString shortLabelKeys(const ResultsTable& table, std::vector<std::string> keys = {});
/// A group's name or all swept settings: "θ 10k, 25 %, context 256".
QString longLabel(const ResultsTable& table, const ResultGroup& group);

/// The name of a setting outside of exported figures. A swept θ or fraction stands with the other, which all runs
/// share, as in legends of curves and lists of runs: "θ 10k, 25 %".
QString settingName(const ResultsTable& table, const ResultGroup& group);

/// "the baseline of each data set", or of each tokenizer or split, if there are several.
QString baselineTitle(const ResultsTable& table);

/// Every group is the only one of its data set, tokenizer or split.
bool isNothingCompared(const ResultsTable& table);

/// "Welch", "Student" or "paired by seed"; nullopt: each comparison has its own.
QString testTitle(std::optional<TestKind> test);

/// Of the tested groups and their baselines: "3 seeds" or "3 to 5 seeds".
QString testedSeeds(const ResultsTable& table);
/// Verdicts with their numbers of groups or why none can be tested, the detectable difference, and the excluded runs.
QString overallWords(const ResultsTable& table);
QString groupVerdict(const ResultsTable& table, const ResultGroup& group);

/// "θ 10k, 25 % rotated" for "θ 10k, 25 %": a sentence has no legend beside it that says of what the percentage is.
/// Other names stay as they are.
QString settingInWords(QString name);
/// A headline says on what text and at which context, if all runs share them, and "rotated" once: "Lowest loss on
/// synthetic text, context 128: θ 100, 100 % rotated; 0.055 nats below θ 10k, 100 %".
QString withSharedData(QString words, const ResultsTable& table);

}  // namespace ropelab::ui
