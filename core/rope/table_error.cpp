#include "core/rope/table_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ropelab {

double table_angle(std::int64_t position, double inverse_frequency, NumberFormat format, bool computed_in_format) {
    if (!computed_in_format) return static_cast<double>(position) * inverse_frequency;
    const double rounded_position = rounded(static_cast<double>(position), format);
    // The angle of an unrotated pair is 0 even if the format cannot represent the position (infinity · 0 would be NaN).
    if (inverse_frequency == 0) return 0;
    return rounded(rounded_position * rounded(inverse_frequency, format), format);
}

TableEntry table_entry(double angle, double attention_factor, NumberFormat format) {
    return {rounded(std::cos(angle) * attention_factor, format), rounded(std::sin(angle) * attention_factor, format)};
}

TableErrors table_errors(const Frequencies& frequencies, std::span<const std::int64_t> positions, NumberFormat format) {
    TableErrors errors;
    const double factor = frequencies.attention_factor;
    for (const double frequency : frequencies.inverse_frequencies) {
        double stored = 0;
        double computed = 0;
        for (const std::int64_t position : positions) {
            const double exact = static_cast<double>(position) * frequency;
            const double cosine = std::cos(exact) * factor;
            const double sine = std::sin(exact) * factor;
            stored =
                std::max({stored, std::abs(rounded(cosine, format) - cosine), std::abs(rounded(sine, format) - sine)});
            const double angle = table_angle(position, frequency, format, true);
            if (!std::isfinite(angle)) {
                computed = std::numeric_limits<double>::infinity();
            } else if (angle != exact) {
                computed = std::max(
                    {computed, std::abs(std::cos(angle) * factor - cosine), std::abs(std::sin(angle) * factor - sine)});
            }
        }
        errors.stored.push_back(stored);
        errors.computed.push_back(computed);
    }
    return errors;
}

std::vector<std::int64_t> sampled_positions(std::int64_t first, std::int64_t last, std::int64_t max_count) {
    const std::int64_t span = std::max<std::int64_t>(0, last - first);
    std::int64_t stride = span / std::max<std::int64_t>(1, max_count) + 1;
    stride += stride % 2 == 0 ? 1 : 0;
    std::vector<std::int64_t> positions;
    positions.reserve(static_cast<std::size_t>(span / stride + 2));
    for (std::int64_t position = first; position <= last; position += stride) positions.push_back(position);
    if (positions.empty() || positions.back() != last) positions.push_back(last);
    return positions;
}

}  // namespace ropelab
