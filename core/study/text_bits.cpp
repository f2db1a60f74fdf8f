#include "core/study/text_bits.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace ropelab {

namespace {

constexpr std::int64_t most_blocks = 32;

}  // namespace

double bits_of_token(std::span<const float> logits, std::int32_t token) {
    const double most = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - most);
    return (std::log(sum) + most - static_cast<double>(logits[static_cast<std::size_t>(token)])) / std::numbers::ln2;
}

std::int64_t restart_overlap(std::int64_t context) {
    return context - std::max<std::int64_t>(1, context / 2);
}

TextBits text_bits(Model& model, std::int64_t context, int vocabulary, std::span<const std::int32_t> tokens,
                   const TokenProgress& progress) {
    TextBits result;
    if (tokens.empty()) return result;
    const std::int64_t count = std::ssize(tokens);
    result.bits = {std::log2(static_cast<double>(vocabulary))};
    result.seen = {0};
    for (std::int64_t start = 0; std::ssize(result.bits) < count; start += context - restart_overlap(context)) {
        if (progress && !progress(std::ssize(result.bits))) break;
        const std::int64_t length = std::min(context, count - 1 - start);
        const std::vector<float> logits =
            model.logits(tokens.subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(length)));
        for (std::int64_t next = std::ssize(result.bits); next <= start + length; ++next) {
            const auto row = static_cast<std::size_t>(next - 1 - start) * static_cast<std::size_t>(vocabulary);
            result.bits.push_back(bits_of_token(std::span(logits).subspan(row, static_cast<std::size_t>(vocabulary)),
                                                tokens[static_cast<std::size_t>(next)]));
            result.seen.push_back(next - start);
        }
    }
    return result;
}

Description bits_per_unit(std::span<const double> bits, std::span<const std::int64_t> units, std::int64_t block) {
    const std::int64_t count = std::ssize(bits);
    const std::int64_t blocks = std::clamp<std::int64_t>(count / std::max<std::int64_t>(1, block), 1, most_blocks);
    std::vector<double> means;
    for (std::int64_t i = 0; i < blocks; ++i) {
        const std::int64_t first = i * count / blocks;
        const std::int64_t end = (i + 1) * count / blocks;
        const double sum = std::accumulate(bits.begin() + first, bits.begin() + end, 0.0);
        const auto number = std::accumulate(units.begin() + first, units.begin() + end, std::int64_t{0});
        if (number > 0) means.push_back(sum / static_cast<double>(number));
    }
    Description result = describe(means);
    const auto all = std::accumulate(units.begin(), units.end(), std::int64_t{0});
    if (all == 0) return result;
    const double mean = std::accumulate(bits.begin(), bits.end(), 0.0) / static_cast<double>(all);
    const Interval interval = mean_interval(mean, result.standard_error, result.n - 1);
    result.mean = mean;
    result.confidence_low = interval.low;
    result.confidence_high = interval.high;
    return result;
}

}  // namespace ropelab
