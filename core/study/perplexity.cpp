#include "core/study/perplexity.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace ropelab {

double TextLoss::nats() const {
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

TextLoss text_loss(Model& model, std::span<const std::int32_t> tokens, const PerplexityWindows& how,
                   const std::function<bool(std::int64_t done)>& cancelled, const ProbeRequest& with) {
    if (tokens.size() < 2) {
        throw BadInput("The text has " + std::to_string(tokens.size()) +
                       " tokens, but a loss requires at least 2: each token is predicted from those before it.");
    }
    if (how.window < 1 || how.stride < 1 || how.stride > how.window) {
        throw BadInput("The stride is " + std::to_string(how.stride) + " and the window " + std::to_string(how.window) +
                       " tokens, but both must be 1 or more, and the stride at most the window.");
    }
    const std::int64_t targets = std::ssize(tokens) - 1;
    TextLoss result;
    std::vector<double> sums;
    for (std::int64_t begin = 0; std::ssize(result.losses) < targets; begin += how.stride) {
        if (cancelled && cancelled(result.windows)) return {};
        const std::int64_t length = std::min(how.window, targets - begin);
        const auto at = [&](std::int64_t first) { return tokens.begin() + begin + first; };
        ProbeRequest request = with;
        request.sequences = {.length = length, .tokens = {at(0), at(length)}, .targets = {at(1), at(length + 1)}};
        request.vectors = false;
        request.attention = false;
        request.sequence_losses = true;
        const std::vector<float> losses = model.probe(request).sequence_losses.values;
        sums.resize(std::max(sums.size(), static_cast<std::size_t>(length)));
        result.at_position.resize(sums.size());
        for (std::int64_t i = std::ssize(result.losses) - begin; i < length; ++i) {
            const auto position = static_cast<std::size_t>(i);
            result.losses.push_back(losses[position]);
            sums[position] += losses[position];
            ++result.at_position[position];
        }
        ++result.windows;
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
        result.loss_by_position.push_back(sums[i] /
                                          static_cast<double>(std::max<std::int64_t>(result.at_position[i], 1)));
    return result;
}

std::int64_t words_of_text(std::string_view text) {
    constexpr std::string_view whitespace = " \t\n\r\v\f";
    std::int64_t words = 0;
    for (std::size_t begin = text.find_first_not_of(whitespace); begin != std::string_view::npos; ++words)
        begin = text.find_first_not_of(whitespace, std::min(text.find_first_of(whitespace, begin), text.size()));
    return words;
}

}  // namespace ropelab
