#pragma once

#include <QString>

#include "core/results/results_table.h"

namespace ropelab::ui {

/// Returns the words with a non-breaking space before each "%", so that numbers and "%" stay on one line.
QString withUnbreakablePercent(QString words);
/// Returns the title of a measure, as "best validation loss".
QString measureTitle(const Measure& measure);
/// Returns the unit of a measure, as "nats" or "tokens/s".
QString measureUnit(const Measure& measure);
/// Returns an explanation of a measure: how it is computed.
QString measureWhy(const Measure& measure);

/// Returns the title of a setting: "θ" for theta, else the key's name with spaces.
QString keyTitle(const std::string& key);
/// Returns a setting's value in words, as "10k", "25 %" or "truncate". `headDim` is the head dimension for
/// fraction_text(), 0 if it is unknown.
QString settingTitle(const std::string& key, const nlohmann::json& value, int headDim = 0);
/// Returns the value of a group's swept setting in words.
QString settingTitle(const ResultsTable& table, const ResultGroup& group, const std::string& key);
/// Returns the swept settings that distinguish the groups. Omits `without` and settings whose values correspond one to
/// one to those of an earlier setting, as the final learning rate to the learning rate.
std::vector<std::string> distinguishingKeys(const ResultsTable& table, const std::string& without = {});
/// Returns a short label of a group, its name or the values of the distinguishing settings: "10k · 25 %"; "all runs" if
/// nothing was swept.
QString shortLabel(const ResultsTable& table, const ResultGroup& group);
/// Returns the names of the settings in shortLabel(): "θ · fraction"; "group" if nothing was swept.
QString shortLabelKeys(const ResultsTable& table);
/// Returns a group's name, or its label with the values of all swept settings: "θ 10k, fraction 25 %".
QString longLabel(const ResultsTable& table, const ResultGroup& group);

/// Returns the long label of the baseline, or "the baseline of each data set" if there are several data sets.
QString baselineTitle(const ResultsTable& table);

/// Returns the name of a test: "Welch", "Student" or "paired by seed".
QString testTitle(TestKind test);

/// Returns a summary of the table in sentences: the number of groups with each verdict in the words of verdict_of(), or
/// its reasons why no group can be tested, the difference that the test detects with 80 % power, and the runs that are
/// excluded.
QString overallWords(const ResultsTable& table);
/// Returns the verdict on one group in sentences.
QString groupVerdict(const ResultsTable& table, const ResultGroup& group);

}  // namespace ropelab::ui
