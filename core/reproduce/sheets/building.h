#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/reproduce/rules/sheet.h"

namespace ropelab {

struct SheetData {
    std::string requested;  // requested data set: "enwik8"
    std::string data;       // value of the setting `data`
    bool whole = true;      // false if `data` is only a part of the requested set or a substitute
    /// For a substitute, on which no claim about the requested set can be tested: what is missing and how to get it.
    std::string missing;
};

/// A set that is not complete on disk is replaced by its available beginning, or else by a synthetic language, and
/// the plan's notes say so; a set without a remaining substitute is left out. At `paper` scale throws MissingSet
/// instead.
std::vector<SheetData> data_for(const std::vector<std::string>& names, const SheetRequest& request, SheetPlan& plan);

/// 1337, 1338, …: the requested number (2 to 1000, else BadInput), or two at `smoke` scale and `usual` at others.
std::vector<std::string> seeds_for(const SheetRequest& request, std::int64_t usual);

/// Title, source, seeds (see seeds_for), notes on the scale and the seeds, and an otherwise empty experiment.
SheetPlan begin_plan(const char* name, const SheetRequest& request, const nlohmann::json& source,
                     std::int64_t usual_seeds);

/// "layers=12 position=rope".
GroupKeys settings_in(std::string_view text);
/// "width=" restores the default.
void set_all(Experiment& experiment, std::string_view settings);

/// At `smoke` scale one layer, one head of 64 channels, eight iterations, at `laptop` two layers and context 256, for
/// runs of a minute at most on two cores, changed by `at_laptop`.
void set_small_shape(SheetPlan& plan, std::string_view at_laptop = "");

/// In steps. Two lengths, because a model that only learns faster than another one has a lower loss after few steps,
/// and not after many. At `paper` scale they are a quarter of `paper_steps` and all of them.
std::vector<std::string> training_lengths(SheetScale scale, std::int64_t paper_steps);
/// "after 800 and after 2,400 steps".
std::string lengths_words(const std::vector<std::string>& lengths);
inline constexpr const char* lengths_note =
    "Each length of training is trained separately, with a learning rate that decays until its end. A claim has a "
    "verdict only if the verdicts after both lengths agree.";

/// With the default test, significance level and power of VerdictRule.
VerdictRule rule_of(VerdictRule::Kind kind, int direction, double margin, std::string family);

VerdictRule difference_rule(int direction, double margin, std::string family);
/// The ratio of the group's mean to the baseline's is claimed to lie in a range.
VerdictRule size_rule(double low, double high, std::string family);
VerdictRule proportion_rule(int direction, double bound, std::string family);
/// The theta paper's table 2 has speeds at other bases of 0.42 to 0.55 of that at θ = 10,000 ("about half").
inline constexpr double half_low = 0.4, half_high = 0.6;
/// "About 11 % longer": 11 % ± 5 percentage points. The theta paper's table 3 prints 10.8 to 11.9 %.
inline constexpr double eleven_percent_low = 1.06, eleven_percent_high = 1.16;

/// Shown if a control with half of the training has no higher loss.
inline constexpr const char* half_is_enough = "half of the training is enough for these models";

inline constexpr const char* micro_batch_note =
    "A forward and backward pass has as many sequences as on each of the paper's 32 GPUs: 64 of 2,048 tokens (two "
    "passes per step there, 64 here, where one device computes the whole step), 128 of 1,024, 32 of 4,096, 16 of "
    "8,192, and 4 for the 8B models. The paper accumulates the gradients of its 8B models in bfloat16 and reduces them "
    "in float32; this program accumulates all gradients in float32.";

inline constexpr const char* order_note =
    "Runs train sequentially, seed by seed; each seed repeats the measurement of times and speeds. Within a seed the "
    "settings run in an order that is sampled from the seed, so that a drift of the machine's speed does not align "
    "with a setting.";

/// From `first` on, rows with a rule are not testable if their data set is a substitute.
void mark_untestable(SheetPlan& plan, const SheetData& set, std::size_t first = 0);

/// Difference that the plan's testable rows for a direction detect with its seeds, after Holm's correction, if any.
void add_power_note(SheetPlan& plan);

PlannedRow compared_row(std::string claim, nlohmann::json keys, std::string measure, GroupKeys group,
                        GroupKeys baseline, VerdictRule rule);
PlannedRow shown_row(nlohmann::json keys, std::string measure, GroupKeys group);

/// With the baseline 10,000.
const std::vector<std::string>& theta_paper_bases();

/// Up to four epochs of repeated text train almost as well as new text (Muennighoff et al. 2023, arXiv:2305.16264).
inline constexpr double most_epochs = 4;

/// Folders of text (core/data/text_folder.h) with the given names are looked for in `request.data_dir`, in ROPELAB_DATA
/// and in the cache. The first one is required; a note says which others are left out, and how many epochs of each
/// folder a run of `tokens` training tokens takes. Throws BadInput if the first folder is missing or if a run would
/// take more than `most_epochs` epochs of a folder.
std::vector<SheetData> corpora_for(const std::vector<std::string>& names, double tokens, const SheetRequest& request,
                                   std::vector<std::string>& notes);

}  // namespace ropelab
