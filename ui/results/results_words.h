#pragma once

#include <QString>

#include "core/stats/results_table.h"

namespace ropelab::ui {

/// Keeps numbers on the line of their "%" where the words wrap.
QString keptTogether(QString words);
/// "best validation loss".
QString measureTitle(const Measure& measure);
/// "nats", "tokens/s".
QString measureUnit(const Measure& measure);
/// What it is and where it comes from.
QString measureWhy(const Measure& measure);

/// "θ" for theta; else the key's name with spaces.
QString keyTitle(const std::string& key);
/// "10k", "25 %", "truncate".
QString settingTitle(const std::string& key, const nlohmann::json& value);
/// The swept keys that tell groups apart: without those that go one to one with a key before them, as a final learning
/// rate with its learning rate; and without the key `without`.
std::vector<std::string> tellingKeys(const ResultsTable& table, const std::string& without = {});
/// A group in few letters, by those keys: "10k · 25 %"; "all runs" where nothing was swept.
QString shortLabel(const ResultsTable& table, const ResultGroup& group);
/// What stands in it: "θ · fraction"; "group" where nothing was swept.
QString shortLabelKeys(const ResultsTable& table);
/// A group by all swept keys: "θ 10k, fraction 25 %".
QString longLabel(const ResultsTable& table, const ResultGroup& group);

/// What groups are compared with: a group's long label, or "the baseline of each text" where there are several.
QString baselineTitle(const ResultsTable& table);

/// "Welch", "Student", "paired by seed".
QString testTitle(TestKind test);

/// What the table says as a whole: how many groups differ after Holm's correction, what its seeds cannot show, and
/// which runs were left out.
QString overallWords(const ResultsTable& table);
/// The verdict on one group, in sentences.
QString groupVerdict(const ResultsTable& table, const ResultGroup& group);

}  // namespace ropelab::ui
