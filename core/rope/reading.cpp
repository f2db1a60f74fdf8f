#include "core/rope/reading.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

std::vector<std::int64_t> possible_positions(const Frequencies& frequencies, std::int64_t m, std::int64_t first,
                                             std::int64_t count, double accuracy, std::size_t pairs) {
    constexpr double degrees = 360;
    if (!(accuracy >= 0 && accuracy <= degrees / 2)) {
        throw BadInput("The accuracy of a read angle is " + number_text(accuracy) +
                       " degrees, but it must be from 0 to 180.");
    }
    const std::vector<double>& all = frequencies.inverse_frequencies;
    const auto read = static_cast<std::ptrdiff_t>(std::min(pairs, all.size()));
    std::vector<std::int64_t> possible;
    for (std::int64_t position = first; position < first + count; ++position) {
        const auto agrees = [&](double frequency) {
            const double periods = frequency * static_cast<double>(position - m) / two_pi;
            return degrees * std::abs(periods - std::round(periods)) <= accuracy;
        };
        if (std::all_of(all.begin(), all.begin() + read, agrees)) possible.push_back(position);
    }
    return possible;
}

}  // namespace ropelab
