#include "core/rope/rotation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/rope/cosine_sum.h"

namespace ropelab {

RotationTable rotation_table(const Frequencies& frequencies, std::span<const std::int64_t> positions) {
    RotationTable table;
    table.positions = positions.size();
    table.pairs = frequencies.inverse_frequencies.size();
    table.cosine.reserve(table.positions * table.pairs);
    table.sine.reserve(table.positions * table.pairs);
    for (std::int64_t position : positions) {
        for (double frequency : frequencies.inverse_frequencies) {
            const double angle = static_cast<double>(position) * frequency;
            table.cosine.push_back(static_cast<float>(std::cos(angle) * frequencies.attention_factor));
            table.sine.push_back(static_cast<float>(std::sin(angle) * frequencies.attention_factor));
        }
    }
    return table;
}

void rotate(std::span<float> x, std::size_t head_dim, const RotationTable& table, Pairing pairing) {
    if (head_dim == 0 || 2 * table.pairs > head_dim) {
        throw BadInput("A head of " + std::to_string(head_dim) + " channels cannot have " +
                       std::to_string(table.pairs) + " pairs; it needs at least " + std::to_string(2 * table.pairs) +
                       " channels.");
    }
    const std::size_t row = table.positions * head_dim;
    if (row == 0 || x.size() % row != 0) {
        throw BadInput("The array has " + std::to_string(x.size()) + " numbers, which is not a multiple of " +
                       std::to_string(table.positions) + " positions × " + std::to_string(head_dim) + " channels.");
    }
    const std::size_t first_step = pairing == Pairing::half ? 1 : 2;
    const std::size_t second_offset = pairing == Pairing::half ? table.pairs : 1;
    for (std::size_t vector = 0; vector * head_dim < x.size(); ++vector) {
        const std::size_t time = vector % table.positions;
        float* head = x.data() + vector * head_dim;
        for (std::size_t i = 0; i < table.pairs; ++i) {
            const float cosine = table.cosine[time * table.pairs + i];
            const float sine = table.sine[time * table.pairs + i];
            float& first = head[i * first_step];
            float& second = head[i * first_step + second_offset];
            const float rotated = first * cosine - second * sine;
            second = second * cosine + first * sine;
            first = rotated;
        }
    }
}

std::vector<std::int64_t> canonical_channels(int head_dim, int rotary_dim, Partial partial, Pairing pairing) {
    const int half = head_dim / 2;
    const int pairs = rotary_dim / 2;
    std::vector<std::int64_t> channels(static_cast<std::size_t>(head_dim));
    if (pairing == Pairing::interleaved) {
        for (int i = 0; i < half; ++i) {
            channels[i] = 2 * i;
            channels[i + half] = 2 * i + 1;
        }
    } else if (partial == Partial::truncate) {
        std::iota(channels.begin(), channels.end(), 0);
    } else {
        for (int i = 0; i < pairs; ++i) {
            channels[i] = i;
            channels[i + half] = i + pairs;
        }
        // Unrotated channels keep their order, at the end of the first half, then at the end of the second half.
        int unrotated = rotary_dim;
        for (int i = pairs; i < half; ++i) channels[i] = unrotated++;
        for (int i = pairs; i < half; ++i) channels[i + half] = unrotated++;
    }
    return channels;
}

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

namespace {

using WalkBlock = AngleWalk::Block;

/// As rounded(), for the numbers of a block at a time.
ROPELAB_AVX2_CLONE void round_all(WalkBlock& values, NumberFormat format) {
    if (format == NumberFormat::float64) return;
    // Normal numbers of float16, the format with the smallest range, are normal numbers of the others.
    constexpr double least = 0x1p-14;
    constexpr double most = 0x1p15;
    std::array<double, 4> smallest = {most, most, most, most};
    std::array<double, 4> largest = {};
    for (std::size_t k = 0; k < values.size(); k += smallest.size()) {
        for (std::size_t l = 0; l < smallest.size(); ++l) {
            const double size = std::abs(values[k + l]);
            smallest[l] = size < smallest[l] ? size : smallest[l];
            largest[l] = size < largest[l] ? largest[l] : size;  // NaN is the largest
        }
    }
    if (std::ranges::min(smallest) < least || !(std::ranges::max(largest) < most)) {
        for (double& value : values) value = rounded(value, format);
        return;
    }
    // Without branches, so that the compiler uses vectors.
    const int dropped =
        54 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(first_inexact_position(format))));
    const std::uint64_t below_half = (std::uint64_t{1} << (dropped - 1)) - 1;
    for (double& value : values) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        const std::uint64_t odd = (bits >> dropped) & 1;
        value = std::bit_cast<double>((bits + below_half + odd) >> dropped << dropped);
    }
}

/// The largest of numbers that are not negative; NaN counts as 0.
ROPELAB_AVX2_CLONE double largest_of(const WalkBlock& values) {
    std::array<double, 4> most = {};
    for (std::size_t k = 0; k < values.size(); k += most.size()) {
        for (std::size_t l = 0; l < most.size(); ++l) most[l] = values[k + l] > most[l] ? values[k + l] : most[l];
    }
    return std::ranges::max(most);
}

/// Half the distance between two subnormal numbers: no number below the normal ones has a larger error.
double half_least_unit(NumberFormat format) {
    return 0.5 * (format == NumberFormat::float16 ? 0x1p-24 : format == NumberFormat::bfloat16 ? 0x1p-133 : 0x1p-149);
}

/// `splitter` is 2^n + 1 for a significand that is n bits shorter than float64's. Veltkamp's split then rounds normal
/// numbers to the nearest in half the operations of round_all(), and a tie does not change the error.
ROPELAB_AVX2_CLONE double largest_rounding_error(const WalkBlock& values, NumberFormat format, double splitter) {
    WalkBlock errors;
    for (std::size_t k = 0; k < errors.size(); ++k) {
        const double scaled = values[k] * splitter;
        errors[k] = std::abs(scaled - (scaled - values[k]) - values[k]);
    }
    const double error = largest_of(errors);
    if (error > half_least_unit(format)) return error;
    errors = values;
    round_all(errors, format);
    for (std::size_t k = 0; k < errors.size(); ++k) errors[k] = std::abs(errors[k] - values[k]);
    return largest_of(errors);
}

}  // namespace

ROPELAB_AVX2_CLONE TableErrors table_errors(const Frequencies& frequencies, std::int64_t count, NumberFormat format) {
    constexpr std::int64_t most = std::int64_t{1} << 20;
    TableErrors errors;
    errors.stride = (count + most - 1) / most;
    errors.stride += errors.stride % 2 == 0 ? 1 : 0;
    const std::int64_t begin = (count - 1) % errors.stride;
    const std::int64_t block = errors.stride * std::int64_t{AngleWalk::block};
    const double factor = frequencies.attention_factor;
    const auto inexact = static_cast<double>(first_inexact_position(format));
    const double unit = 1 / (inexact - 1);                            // the largest relative error of rounding
    const double splitter = factor < 0x1p15 ? 0x1p53 * unit + 1 : 1;  // larger numbers may overflow
    for (const double frequency : frequencies.inverse_frequencies) {
        AngleWalk exact(static_cast<double>(errors.stride) * frequency, factor);
        const double rounded_frequency = rounded(frequency, format);
        double stored = 0;
        double computed = 0;
        // Neighbouring positions often have the same rounded angle.
        double angle = 0;
        double cosine = factor;
        double sine = 0;
        // The last positions have the largest errors of angles, with which most blocks before them need no angles.
        for (std::int64_t first = begin + (count - 1 - begin) / block * block; first >= begin; first -= block) {
            const auto size = static_cast<std::size_t>(
                std::min<std::int64_t>(AngleWalk::block, (count - first + errors.stride - 1) / errors.stride));
            exact.start(static_cast<double>(first) * frequency);
            for (WalkBlock* values : {&exact.cosines, &exact.sines}) {
                std::fill(values->begin() + static_cast<std::ptrdiff_t>(size), values->end(), 0.0);
                stored = std::max(stored, largest_rounding_error(*values, format, splitter));
            }
            if (frequency == 0) break;  // all blocks are equal
            const auto last = static_cast<double>(first + static_cast<std::int64_t>(size - 1) * errors.stride);
            // Of two or three roundings, and of numbers below the normal ones.
            const double most_error =
                (last < inexact ? 2.1 : 3.1) * unit * last * frequency + 2 * (last + 1) * half_least_unit(format);
            if (most_error * factor <= computed && std::isfinite(rounded(2 * last * std::max(1.0, frequency), format)))
                continue;
            WalkBlock positions = {};
            for (std::size_t k = 0; k < size; ++k) {
                positions[k] = static_cast<double>(first + static_cast<std::int64_t>(k) * errors.stride);
            }
            WalkBlock angles = positions;
            if (last >= inexact) round_all(angles, format);
            for (double& each : angles) each *= rounded_frequency;
            round_all(angles, format);
            WalkBlock bounds;  // an error is at most that of the angle, times the factor
            for (std::size_t k = 0; k < bounds.size(); ++k) {
                bounds[k] = std::abs(angles[k] - positions[k] * frequency) * factor;
            }
            if (!(largest_of(bounds) > computed)) continue;
            for (std::size_t k = 0; k < size; ++k) {
                if (!(bounds[k] > computed)) continue;
                if (!std::isfinite(angles[k])) {
                    computed = std::numeric_limits<double>::infinity();
                    continue;
                }
                if (angles[k] != angle) {
                    angle = angles[k];
                    cosine = std::cos(angle) * factor;
                    sine = std::sin(angle) * factor;
                }
                computed = std::max({computed, std::abs(cosine - exact.cosines[k]), std::abs(sine - exact.sines[k])});
            }
        }
        errors.stored.push_back(stored);
        errors.computed.push_back(computed);
    }
    return errors;
}

}  // namespace ropelab
