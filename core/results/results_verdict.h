#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/result_group.h"

namespace ropelab {

/// The level is 5 % after Holm's correction.
struct Verdict {
    /// `equivalent`: the 95 % interval of the difference lies within the relevance margin.
    enum class Kind { baseline, untested, undecided, equivalent, better, worse } kind = Kind::untested;
    std::string words;
    bool so_far = false;  // runs have not ended (ResultsTable::open), so that nothing is decided yet
};
Verdict verdict_of(const ResultsTable& table, const ResultGroup& group);
/// "" unless a search chose settings by a loss that the table compares.
std::string search_warning(const ResultsTable& table);
/// "" unless experiments added seeds to groups that already had some.
std::string look_warning(const ResultsTable& table);
/// On looks, evaluations, runs that diverged without failing and a test that has no effect, and one sentence per
/// condition in which runs differ, with the option that separates them.
std::vector<std::string> condition_warnings(const ResultsTable& table);

std::string to_string(Verdict::Kind kind);
/// "better", or "better so far".
std::string to_string(const Verdict& verdict);
/// "float32", or "bfloat16 (2), float32 (1)".
std::string condition_text(const ResultGroup& group, std::string_view name);

/// " on this text", which all seeds share, so that no verdict on a loss is about other texts (" on 1 of 3 texts" if the
/// table has several); "" for speeds and times.
std::string text_words(const ResultsTable& table);
/// Number of texts (data sets) of the groups.
std::size_t count_texts(const ResultsTable& table);

/// "0.1 % of the baseline's mean", and where it comes from if that is not the default.
std::string margin_words(const ResultsTable& table);

/// The interval of the difference lies within the table's relevance margin.
bool is_equivalent(const ResultsTable& table, const std::optional<DifferenceInterval>& estimate);

using GroupNamer = std::function<std::string(const ResultGroup&)>;

/// What the verdict on a group says against the target of the stopping rule: seeds, mean, bound, p, iterations and
/// seconds of a run, and iterations to the first evaluation below the target.
nlohmann::json target_json(const ResultsTable& table, const ResultGroup& group);

/// "anytime-valid e-process" or "group-sequential t tests".
std::string name_of(const SequentialDesign& design);

/// "3 comparisons: 1 settled, 2 open after 4 of at most 42 seeds (2 looks, anytime-valid e-process)"; "" without a
/// stopping rule.
std::string stopping_state(const ResultsTable& table);

/// The largest decided difference from a baseline, a better group before a worse one: "Lowest loss on this text: θ 100;
/// 0.04 nats below θ 10k (3 seeds, p = 0.002)", or "Lower loss" if a third group, whose difference is not decided, is
/// ahead of both. "" if no difference is significant after Holm's correction and at least as large as the relevance
/// margin. While runs have not ended: "Not decided until all runs end. " and leader().
std::string headline(const ResultsTable& table, const GroupNamer& name);
/// "Equivalent: no setting differs from θ 10k on this text by more than the relevance margin of 0.1 % …", if every
/// group but the baselines is equivalent; else "". `baseline` names what they are compared with.
std::string equivalence_headline(const ResultsTable& table, const std::string& baseline);
/// The group that is ahead now, whether or not that is decided, against its baseline, or against the second group if it
/// is the baseline itself: "Lowest loss: θ 100; 0.04 nats below θ 10k (95 % interval 0.021 … 0.062)". The interval is
/// not corrected for the choice of the group; where p is and contradicts it, p stands beside it. "" for fewer than two
/// groups with values, or if the two trained on different data.
std::string leader(const ResultsTable& table, const GroupNamer& name);

}  // namespace ropelab
