#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/results/results_table.h"
#include "core/settings/run_spec.h"
#include "core/stats/least_squares.h"

namespace ropelab {

// Loss against rotated fraction, size and training tokens (formula 38): ln loss = a + b·√p + c·p + d·ln N + e·ln D.

struct LossPoint {
    double fraction = 1;    // p: rotated channels / head dimension, 0 to 1
    double parameters = 1;  // N: number of parameters without embeddings
    double tokens = 1;      // D: number of training tokens

    bool operator==(const LossPoint&) const = default;
};

/// The loss is a positive number.
struct LossFitRun {
    LossPoint at;
    std::int64_t seed = 0;
    double loss = 0;
};

enum class LossTerm { root_fraction, fraction, parameters, tokens };

struct FTest {
    double f = 0;
    double numerator = 0, denominator = 0;  // degrees of freedom
    double p = 1;
};

/// Root mean square of differences in ln loss for settings left out of the fit; about the relative error.
struct LeftOutError {
    std::int64_t settings = 0;  // number of settings that could be left out
    double error = 0;           // of the fit to the runs of all other settings
    double mean_error = 0;      // of the mean ln loss of these runs, for comparison
};

struct LossRange {
    double low = 0;
    double high = 0;
};

struct LossFit {
    std::vector<LossTerm> terms;  // only those whose variable differs between the runs
    LinearFit linear;             // of ln loss; its columns are `terms`
    IntervalEstimate constant;
    std::vector<IntervalEstimate> coefficients;  // in the order of `terms`, with 95 % confidence intervals
    std::int64_t n = 0;                          // number of runs
    std::int64_t settings = 0;                   // number of different points
    double residual_deviation = 0;               // residual standard deviation of ln loss
    double r_squared = 0;                        // of ln loss
    std::optional<LeftOutError> left_out;
    /// The settings' means against the scatter of the seeds; nullopt without both.
    std::optional<FTest> lack_of_fit;
    /// √p times ln N and ln D, added: whether the fraction's effect depends on size or tokens. nullopt if not
    /// computable.
    std::optional<FTest> interaction;
    LossRange fraction, parameters, tokens;
    double largest_leverage = 0;  // of the runs
};

/// Least squares. Throws BadInput, with a sentence on what is missing, if all runs have the same point, if there are
/// fewer runs than terms + 4 (so that at least three degrees of freedom are left), if two terms are collinear, if a
/// loss is not positive, or if the losses have no scatter.
LossFit fit_loss(std::span<const LossFitRun> runs);

struct LossPrediction {
    LossPoint at;
    double loss = 0;
    double low = 0;  // ends of the 95 % prediction interval
    double high = 0;
    std::vector<std::string> outside;  // "tokens": variables for which the point is outside the range of the runs
};
/// If `extrapolate` is false, throws BadInput for a point outside the range of a variable, or for a combination of
/// values that is farther from the runs than any run is (by its leverage). Throws BadInput if the fraction is not
/// between 0 and 1, or another number is not positive.
LossPrediction predict_loss(const LossFit& fit, const LossPoint& at, bool extrapolate = false);

/// "fraction=25%,parameters=1M,tokens=10M". Variables with one value in the runs may be omitted; else BadInput.
LossPoint parse_loss_point(const LossFit& fit, const std::string& text);

struct LossFitSource {
    RunSpec spec;
    RunState state = RunState::finished;
};

struct LossFitChoice {
    /// If the runs differ in settings for which the fit has no term, only the runs that agree with the group of this
    /// index in these settings are fitted. Without it such runs are refused.
    std::optional<std::size_t> like;
    /// How a user chooses such a group, at the end of the refusal's message.
    std::string how_to_choose;
};

struct TableLossFit {
    LossFit fit;
    std::size_t measure = 0;
    std::vector<std::optional<LossPoint>> points;  // per group of the table; nullopt if none of its runs is fitted
    std::vector<std::string> chosen_by;  // settings in which fitted runs agree with LossFitChoice::like, others do not
    std::vector<std::string>
        following;                // settings whose value is determined by size and tokens, such as a learning rate
    std::int64_t other_runs = 0;  // number of runs that do not agree with LossFitChoice::like
    std::int64_t copies = 0;      // number of runs that train the same model as another run, from the same seed
    std::int64_t diverged = 0;    // number of runs that failed or diverged
    std::int64_t undefined = 0;   // number of runs that trained, but have no finite value of the measure
};

/// The fraction of a head's channels that are rotated after rounding to whole pairs (0 for a model without RoPE),
/// non_embedding_parameters(), and iterations × batch × context.
LossPoint loss_point_of(const RunSpec& spec);

/// `runs` are all runs from which the table was made, in the same order. Unfinished runs, and all but the last of
/// copies, are left out. Throws BadInput if the compared measure is not a loss, if the runs differ in settings for
/// which the fit has no term (data set, context, θ, …), or if fit_loss() throws. A setting of training or evaluation
/// may differ if the size and the number of tokens determine its value.
TableLossFit fit_table(const ResultsTable& table, std::span<const LossFitSource> runs,
                       const LossFitChoice& choice = {});

/// Formula with coefficients and intervals, deviation, R², prediction error, tests, ranges, and unfitted runs.
std::vector<std::string> loss_fit_words(const TableLossFit& fit);
/// With its interval and the variables that are outside the range of the runs.
std::string prediction_words(const TableLossFit& fit, const LossPrediction& prediction);
/// Missing numbers are null.
nlohmann::json loss_fit_json(const TableLossFit& fit, std::span<const LossPrediction> predictions = {});

}  // namespace ropelab
