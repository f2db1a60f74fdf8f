#include <algorithm>
#include <cmath>

#include "core/lecture/quantity_table.h"
#include "core/rope/context.h"
#include "core/rope/logit.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

// Longer curves take seconds.
constexpr std::int64_t longest_curve = std::int64_t{1} << 22;
constexpr double most_scan_cosines = 2e10;

std::int64_t within_curve(std::int64_t tokens, const char* name) {
    if (tokens > longest_curve) {
        throw BadInput(std::string("The argument ") + name + " is " + std::to_string(tokens) +
                       ", but it must be at most " + std::to_string(longest_curve) + ".");
    }
    return tokens;
}

std::int64_t length_of(const QuantityInput& input) {
    return within_curve(input.arguments.whole_or("L", input.setup.context), "L");
}

double context_of(const QuantityInput& input) {
    return static_cast<double>(input.arguments.whole_or("L", input.setup.context));
}

std::int64_t distance_of(const QuantityInput& input) {
    return within_curve(input.arguments.whole("distance"), "distance");
}

nlohmann::json bound(const QuantityInput& input) {
    return context_bound(input.frequencies, input.setup.head_dim, static_cast<std::size_t>(distance_of(input)) + 1)
        .back();
}

nlohmann::json kernel_at(const QuantityInput& input) {
    return kernel(input.frequencies.inverse_frequencies, static_cast<std::size_t>(distance_of(input)) + 1).back();
}

nlohmann::json first_below_zero(const QuantityInput& input) {
    const auto first = first_negative(input.frequencies, input.setup.head_dim, length_of(input));
    return first ? nlohmann::json(*first) : nlohmann::json(nullptr);
}

BaseScan scan_of_quantity(const QuantityInput& input, std::int64_t length) {
    const QuantityArguments& arguments = input.arguments;
    const double high = arguments.has("high") ? arguments.number("high") : std::max(1e6, 2 * input.setup.theta);
    BaseScan scan = base_scan(length, input.setup.head_dim, high);
    if (arguments.has("low")) scan.low = arguments.number("low");
    if (arguments.has("step")) scan.step = arguments.number("step");
    const double bases = scan.step > 0 ? (scan.high - scan.low) / scan.step : 0;
    if (bases * static_cast<double>(length) * input.setup.head_dim / 2 > most_scan_cosines) {
        throw BadInput("The scan of bases in steps of " + number_text(scan.step) +
                       " would take minutes; give a larger step or a smaller range.");
    }
    return scan;
}

std::vector<BaseInterval> scanned_bases(const QuantityInput& input) {
    const std::int64_t length = length_of(input);
    return feasible_bases(frequency_settings(input.setup), length, scan_of_quantity(input, length)).intervals;
}

nlohmann::json feasible(const QuantityInput& input) {
    nlohmann::json list = nlohmann::json::array();
    for (const BaseInterval& interval : scanned_bases(input)) list.push_back({interval.low, interval.high});
    return list;
}

nlohmann::json smallest_feasible(const QuantityInput& input) {
    const auto intervals = scanned_bases(input);
    return intervals.empty() ? nlohmann::json(nullptr) : nlohmann::json(intervals.front().low);
}

nlohmann::json decay_at(const QuantityInput& input) {
    const double distance = static_cast<double>(distance_of(input));
    return decay_bound(input.frequencies.inverse_frequencies, {&distance, 1}).front();
}

nlohmann::json expected_at(const QuantityInput& input) {
    const RandomVectors vectors{input.arguments.number("mean"), input.arguments.number("correlation")};
    return expected_logit(input.frequencies, input.setup.head_dim, static_cast<double>(distance_of(input)), vectors);
}

nlohmann::json extrapolation(const QuantityInput& input) {
    const int dimension = input.setup.partial == Partial::slice ? input.frequencies.rotary_dim : input.setup.head_dim;
    const int critical = critical_dimension(dimension, input.setup.theta, context_of(input));
    return finite_or_null(extrapolation_limit(dimension, critical, input.setup.theta));
}

constexpr const char* scan_words =
    " The scan starts at 100, ends at 1M or 2θ, and has the step that the command context uses; it misses narrower "
    "intervals.";

}  // namespace

std::vector<Quantity> context_quantities() {
    return {
        {{"bound", "(distance)", "", "Context bound B(Δ) of Men et al.: the sum of the cosines of all pairs."}, bound},
        {{"first_negative", "[(L)]", "tokens",
          "Smallest distance below L (default: the context) with B(Δ) < 0; none if the base supports L tokens."},
         first_below_zero},
        {{"lowest_bound", "[(L)]", "", "Smallest value of B(Δ) at distances below L (default: the context)."},
         [](const QuantityInput& input) -> nlohmann::json {
             return lowest_bound(input.frequencies, input.setup.head_dim, length_of(input)).value;
         }},
        {{"feasible_bases", "(L[, low, high, step])", "θ",
          std::string("Intervals of the bases with B(Δ) ≥ 0 at every distance below L.") + scan_words},
         feasible},
        {{"smallest_feasible_base", "(L[, low, high, step])", "θ",
          std::string("Smallest base with B(Δ) ≥ 0 at every distance below L; none if there is none.") + scan_words},
         smallest_feasible},
        {{"kernel", "(distance)", "", "Kernel K(Δ): the sum of the cosines of the rotated pairs."}, kernel_at},
        {{"decay_bound", "(distance)", "", "Decay bound (2/d) Σ|S_j| of Su et al. at a distance."}, decay_at},
        {{"expected_logit", "(distance, mean, correlation)", "",
          "Expected qᵀR_Δ k, not divided by √d, of random vectors with this mean of each component and this "
          "correlation between q and k."},
         expected_at},
        {{"critical_dimension", "[(L)]", "channels",
          "Critical dimension of Liu et al.: channels whose pairs complete a period within L (default: the context)."},
         [](const QuantityInput& input) -> nlohmann::json {
             return 2 * complete_pairs(input.frequencies, context_of(input));
         }},
        {{"critical_base", "(L, tuned)", "θ",
          "Critical base β₀ of Liu et al. for a model trained at L tokens and fine-tuned at `tuned` tokens."},
         [](const QuantityInput& input) {
             return finite_or_null(
                 critical_base(input.setup.theta, context_of(input), input.arguments.number("tuned")));
         }},
        {{"extrapolation_limit", "(L)", "tokens",
          "Context length to which the base extrapolates after training at L tokens (Liu et al.)."},
         extrapolation},
    };
}

}  // namespace ropelab
