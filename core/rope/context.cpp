#include "core/rope/context.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/rope/checks.h"
#include "core/rope/scaling.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

void check_context(double context, const char* what) {
    if (!(context > two_pi) || !std::isfinite(context)) {
        throw BadInput(std::string(what) + " is " + number_text(context) +
                       " tokens, but it must be above 2π, the shortest wavelength of a pair.");
    }
}

void check_dimension(int dimension) {
    if (dimension <= 0) {
        throw BadInput("The dimension is " + std::to_string(dimension) + ", but it must be above 0.");
    }
}

}  // namespace

int complete_pairs(const Frequencies& frequencies, double context) {
    const auto completes = [&](double frequency) { return frequency > 0 && two_pi / frequency <= context; };
    return static_cast<int>(std::ranges::count_if(frequencies.inverse_frequencies, completes));
}

int critical_dimension(int dimension, double theta, double context) {
    check_dimension(dimension);
    check_theta(theta);
    if (!(context > two_pi)) return 0;
    const double pairs = std::ceil(dimension / 2.0 * std::log(context / two_pi) / std::log(theta));
    return 2 * static_cast<int>(std::min(pairs, std::floor(dimension / 2.0)));
}

double critical_base(double theta, double context, double tuned_context) {
    check_theta(theta);
    check_context(context, "The training context");
    check_context(tuned_context, "The tuned context");
    return std::pow(theta, std::log(tuned_context / two_pi) / std::log(context / two_pi));
}

double extrapolation_limit(int dimension, int critical_dimension, double theta) {
    check_dimension(dimension);
    check_theta(theta);
    if (critical_dimension < 0 || critical_dimension > dimension) {
        throw BadInput("The critical dimension is " + std::to_string(critical_dimension) +
                       ", but it must lie between 0 and the dimension (" + std::to_string(dimension) + ").");
    }
    return two_pi * std::pow(theta, static_cast<double>(critical_dimension) / dimension);
}

}  // namespace ropelab
