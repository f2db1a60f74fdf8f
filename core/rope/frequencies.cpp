#include "core/rope/frequencies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/rope/checks.h"

namespace ropelab {

namespace {

void check_head_dim(int head_dim) {
    if (head_dim <= 0 || head_dim % 2 != 0) {
        throw BadInput("The head dimension is " + std::to_string(head_dim) + ", but it must be even and above 0.");
    }
}

void use_listed(std::vector<double>& frequencies, const FrequencySettings& settings, int rotary_dim) {
    const std::vector<double>& listed = settings.listed;
    if (std::ssize(listed) != rotary_dim / 2) {
        throw BadInput("The number of listed frequencies is " + std::to_string(listed.size()) +
                       ", but it must equal the number of rotated pairs, which is " + std::to_string(rotary_dim / 2) +
                       ".");
    }
    const ScalingMethod method = settings.scaling.method;
    if (changes_theta(method)) {
        throw BadInput("The scaling " + std::string(word_of(method)) +
                       " depends on theta, but the frequencies are listed; use linear, ntk-by-parts, llama3 or "
                       "longrope.");
    }
    std::copy(listed.begin(), listed.end(), frequencies.begin());
}

}  // namespace

void check_theta(double theta) {
    if (!(theta > 1.0) || !std::isfinite(theta)) {
        throw BadInput("The RoPE base theta is " + number_text(theta) + ", but it must be above 1.");
    }
}

void check_pair_count(int head_dim, std::size_t pairs) {
    if (head_dim < 0 || static_cast<std::size_t>(head_dim) < 2 * pairs) {
        throw BadInput("A head of " + std::to_string(head_dim) + " channels cannot have " + std::to_string(pairs) +
                       " pairs; each pair needs two channels.");
    }
}

int rotary_dim(int head_dim, double fraction) {
    check_head_dim(head_dim);
    if (!(fraction >= 0.0 && fraction <= 1.0)) {
        throw BadInput("The rotary fraction is " + number_text(fraction) + ", but it must be between 0 and 1.");
    }
    if (fraction == 0.0) return 0;
    // p·d/2 is rounded half up. Without the 1e-9, rounding errors could turn a tie into a number just below it.
    const double pairs = std::floor(fraction * head_dim / 2.0 + 0.5 + 1e-9);
    return std::max(2, 2 * static_cast<int>(pairs));
}

std::vector<double> slice_frequencies(int rotary_dim, double theta) {
    check_theta(theta);
    std::vector<double> result(static_cast<std::size_t>(rotary_dim / 2));
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = std::pow(theta, -2.0 * static_cast<double>(i) / rotary_dim);
    }
    return result;
}

Frequencies frequencies(const FrequencySettings& settings) {
    check_theta(settings.theta);
    Frequencies result;
    result.rotary_dim = rotary_dim(settings.head_dim, settings.fraction);
    if (settings.partial == Partial::slice) {
        result.inverse_frequencies = slice_frequencies(result.rotary_dim, settings.theta);
    } else {
        result.inverse_frequencies = slice_frequencies(settings.head_dim, settings.theta);
        for (std::size_t i = static_cast<std::size_t>(result.rotary_dim / 2); i < result.inverse_frequencies.size();
             ++i) {
            result.inverse_frequencies[i] = 0.0;
        }
    }
    if (!settings.listed.empty()) use_listed(result.inverse_frequencies, settings, result.rotary_dim);
    if (result.rotary_dim == 0) return result;  // there is no rotated pair to scale
    const int dimension = settings.partial == Partial::slice ? result.rotary_dim : settings.head_dim;
    Scaled changed = scaled(result.inverse_frequencies, dimension, settings.theta, settings.scaling, settings.context,
                            settings.length);
    result.inverse_frequencies = std::move(changed.inverse_frequencies);
    result.attention_factor = changed.attention_factor;
    return result;
}

std::vector<double> wavelengths(const Frequencies& frequencies) {
    std::vector<double> result;
    result.reserve(frequencies.inverse_frequencies.size());
    for (double frequency : frequencies.inverse_frequencies) {
        result.push_back(frequency > 0 ? 2.0 * std::numbers::pi / frequency : std::numeric_limits<double>::infinity());
    }
    return result;
}

double digit_base(double theta, int dimension) {
    check_theta(theta);
    if (dimension < 2) {
        throw BadInput("A position has digits only with rotated channels; the rotary dimension must be 2 or more.");
    }
    return std::pow(theta, 2.0 / dimension);
}

double position_digit(double position, int digit, double base) {
    return std::fmod(std::floor(position / std::pow(base, digit)), base);
}

double coinciding_theta(int head_dim, int rotary_dim, double theta) {
    check_head_dim(head_dim);
    check_theta(theta);
    return std::pow(theta, static_cast<double>(rotary_dim) / head_dim);
}

}  // namespace ropelab
