#include "core/study/perplexity.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/results/result_group.h"

namespace ropelab {

namespace {

constexpr std::string_view whitespace = " \t\n\r\v\f";

ProbeResult losses_of(Model& model, ProbeSequences sequences, const ProbeRequest& with) {
    ProbeRequest request = with;
    request.sequences = std::move(sequences);
    request.vectors = false;
    request.attention = false;
    request.sequence_losses = true;
    return model.probe(request);
}

}  // namespace

double TextLoss::nats() const {
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

std::string int8_loss_words(const TextLoss& int8, const TextLoss& float32) {
    const double more = int8.per_token() - float32.per_token();
    return "Loss on the same " + grouped(std::ssize(int8.losses)) + " tokens: " + fixed_text(int8.per_token(), 4) +
           " nats per token with int8 weights, " + fixed_text(float32.per_token(), 4) + " with float32 (" +
           (more < 0 ? "−" : "+") + fixed_text(std::abs(more), 4) + ").";
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
        const std::vector<float> losses =
            losses_of(model, {.length = length, .tokens = {at(0), at(length)}, .targets = {at(1), at(length + 1)}},
                      with)
                .sequence_losses.values;
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

std::vector<PositionLoss> binned_by_position(const TextLoss& loss, std::int64_t window, int per_octave) {
    std::vector<PositionLoss> bins;
    const std::int64_t windows = std::ssize(loss.losses) / window;
    for (std::int64_t first = 0; first < window;) {
        const double ratio = std::exp2(1.0 / per_octave);
        const auto end = static_cast<std::int64_t>(std::ceil(static_cast<double>(first + 1) * ratio)) - 1;
        const std::int64_t last = std::min(std::max(end, first + 1), window);
        std::vector<double> means;
        for (std::int64_t each = 0; each < windows; ++each) {
            const auto from = loss.losses.begin() + each * window;
            means.push_back(std::accumulate(from + first, from + last, 0.0) / static_cast<double>(last - first));
        }
        bins.push_back({first, last - first, describe(means)});
        first = last;
    }
    return bins;
}

std::vector<LastWord> last_words_of(std::string_view lines, const std::string& file, const Vocabulary& vocabulary) {
    std::vector<LastWord> result;
    for (std::size_t number = 1; !lines.empty(); ++number) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
        if (line.find_first_not_of(whitespace) == std::string_view::npos) continue;
        const nlohmann::json json = parse_bounded(line, nullptr, false);
        const bool has_text = json.is_object() && json.contains("text") && json["text"].is_string();
        const std::string text = has_text ? json["text"].get<std::string>() : "";
        // As in lm-eval, the spaces before the last word belong to it.
        const std::string before = text.substr(0, text.find_last_of(' ') + 1);
        const std::size_t end = before.find_last_not_of(whitespace);
        if (end == std::string::npos || before.size() == text.size()) {
            throw BadInput("Line " + std::to_string(number) + " of " + file +
                           " is not a JSON object whose \"text\" has at least two words and ends with a word, as "
                           "each line must be.");
        }
        LastWord& last = result.emplace_back(LastWord{vocabulary.encode(text)});
        last.word = std::ssize(last.tokens) - std::ssize(vocabulary.encode(before.substr(0, end + 1)));
    }
    if (result.empty()) throw BadInput(file + " has no lines; each must be a JSON object with a \"text\".");
    return result;
}

double LastWordLoss::accuracy() const {
    return static_cast<double>(std::ranges::count(is_correct, true)) / static_cast<double>(is_correct.size());
}

double LastWordLoss::mean() const {
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

LastWordLoss last_word_loss(Model& model, std::span<const LastWord> texts, std::int64_t window,
                            const std::function<bool(std::int64_t done)>& cancelled, const ProbeRequest& with) {
    LastWordLoss result;
    for (const LastWord& text : texts) {
        if (cancelled && cancelled(std::ssize(result.losses))) return {};
        const std::int64_t length = std::min(window, std::ssize(text.tokens) - 1);
        if (text.word < 1 || text.word > length) {
            throw BadInput("The last word of text " + std::to_string(result.losses.size() + 1) + " has " +
                           std::to_string(text.word) + " tokens, but it must have at least 1, and at most the " +
                           std::to_string(length) + " tokens that are predicted.");
        }
        std::vector<std::int32_t> targets(text.tokens.end() - length, text.tokens.end());
        std::fill(targets.begin(), targets.end() - text.word, -1);
        const ProbeResult probed = losses_of(model,
                                             {.length = length,
                                              .tokens = {text.tokens.end() - length - 1, text.tokens.end() - 1},
                                              .targets = std::move(targets)},
                                             with);
        const auto of_word = [&](const ProbeArray& all) { return std::span(all.values).last(text.word); };
        const std::span<const float> losses = of_word(probed.sequence_losses);
        result.losses.push_back(std::accumulate(losses.begin(), losses.end(), 0.0));
        result.is_correct.push_back(
            std::ranges::all_of(of_word(probed.sequence_correct), [](float c) { return c == 1; }));
    }
    return result;
}

std::int64_t words_of_text(std::string_view text) {
    std::int64_t words = 0;
    for (std::size_t begin = text.find_first_not_of(whitespace); begin != std::string_view::npos; ++words)
        begin = text.find_first_not_of(whitespace, std::min(text.find_first_of(whitespace, begin), text.size()));
    return words;
}

}  // namespace ropelab
