#include "core/rope/encodings.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "core/base/error.h"

namespace ropelab {

std::vector<double> alibi_slopes(std::size_t heads) {
    const auto slopes_of_power = [](std::size_t count) {
        std::vector<double> slopes;
        for (std::size_t head = 1; head <= count; ++head) {
            slopes.push_back(std::exp2(-8.0 * static_cast<double>(head) / static_cast<double>(count)));
        }
        return slopes;
    };
    const std::size_t lower = std::bit_floor(heads);
    std::vector<double> slopes = slopes_of_power(lower);
    const std::vector<double> finer = slopes_of_power(2 * lower);
    for (std::size_t head = 0; slopes.size() < heads; head += 2) slopes.push_back(finer[head]);
    return slopes;
}

double sinusoidal_embedding(std::size_t position, std::size_t channel, std::size_t width, double base) {
    const double exponent = static_cast<double>(channel - channel % 2) / static_cast<double>(width);
    const double angle = static_cast<double>(position) / std::pow(base, exponent);
    return channel % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

std::vector<double> sinusoidal_embeddings(std::size_t positions, std::size_t width, double base) {
    std::vector<double> rows;
    rows.reserve(positions * width);
    for (std::size_t position = 0; position < positions; ++position) {
        for (std::size_t channel = 0; channel < width; ++channel) {
            rows.push_back(sinusoidal_embedding(position, channel, width, base));
        }
    }
    return rows;
}

std::vector<int> shaw_indices(std::size_t distances, int clip) {
    std::vector<int> indices;
    for (std::size_t distance = 0; distance < distances; ++distance) {
        indices.push_back(static_cast<int>(std::min(distance, static_cast<std::size_t>(clip))));
    }
    return indices;
}

std::vector<int> t5_buckets(std::size_t distances, int buckets, int max_distance) {
    const int exact = buckets / 2;
    if (buckets < 2 || max_distance <= exact) {
        throw BadInput("T5's bias has " + std::to_string(buckets) + " buckets up to distance " +
                       std::to_string(max_distance) +
                       ", but it needs at least 2 buckets and a distance above half their number.");
    }
    std::vector<int> result;
    for (std::size_t distance = 0; distance < distances; ++distance) {
        if (distance < static_cast<std::size_t>(exact)) {
            result.push_back(static_cast<int>(distance));
            continue;
        }
        const double share = std::log(static_cast<double>(distance) / exact) /
                             std::log(static_cast<double>(max_distance) / exact);  // 1 at max_distance
        result.push_back(static_cast<int>(std::min(exact + std::floor(share * (buckets - exact)), buckets - 1.0)));
    }
    return result;
}

double KerpleKernel::bias(double distance) const {
    return -r1 * std::log1p(r2 * distance);
}

std::vector<KerpleKernel> initial_kernels(std::size_t heads) {
    std::vector<KerpleKernel> kernels;
    for (std::size_t head = 0; head < heads; ++head) {
        const double middle = (static_cast<double>(head) + 0.5) / static_cast<double>(heads);
        kernels.push_back({.r1 = 2 * middle, .r2 = middle});
    }
    return kernels;
}

std::vector<double> xpos_decay(int rotary_dim) {
    std::vector<double> decay;
    for (int channel = 0; channel < rotary_dim; channel += 2) {
        decay.push_back((channel + 0.4 * rotary_dim) / (1.4 * rotary_dim));
    }
    return decay;
}

std::vector<double> xpos_decay(int rotary_dim, double distance, double scale_base) {
    std::vector<double> factors = xpos_decay(rotary_dim);
    for (double& factor : factors) factor = std::pow(factor, distance / scale_base);
    return factors;
}

bool fits_xpos(std::int64_t length, double scale_base) {
    constexpr double largest_exponent = 80;  // of the product of two factors; float32 ends at e^88
    return -std::log(0.4 / 1.4) * static_cast<double>(length) / scale_base <= largest_exponent;
}

std::vector<std::int64_t> receptive_fields(std::span<const std::int64_t> windows, std::int64_t context) {
    std::vector<std::int64_t> fields(windows.size());
    std::int64_t tokens = 1;
    for (std::size_t layer = windows.size(); layer-- > 0;) {
        const std::int64_t window = windows[layer] == 0 ? context : windows[layer];
        tokens = std::min(context, tokens + window - 1);
        fields[layer] = tokens;
    }
    return fields;
}

std::vector<std::int64_t> layer_windows(std::int64_t layers, std::int64_t window, std::int64_t full_every) {
    std::vector<std::int64_t> windows;
    for (std::int64_t layer = 1; layer <= layers; ++layer) {
        windows.push_back(full_every > 0 && layer % full_every == 0 ? 0 : window);
    }
    return windows;
}

}  // namespace ropelab
