#include "core/rope/encodings.h"

#include <bit>
#include <cmath>

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

double sinusoidal_embedding(std::size_t position, std::size_t channel, std::size_t width) {
    const double exponent = static_cast<double>(channel - channel % 2) / static_cast<double>(width);
    const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
    return channel % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

std::vector<double> sinusoidal_embeddings(std::size_t positions, std::size_t width) {
    std::vector<double> rows;
    rows.reserve(positions * width);
    for (std::size_t position = 0; position < positions; ++position) {
        for (std::size_t channel = 0; channel < width; ++channel) {
            rows.push_back(sinusoidal_embedding(position, channel, width));
        }
    }
    return rows;
}

}  // namespace ropelab
