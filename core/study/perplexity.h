#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/engine.h"
#include "core/data/tokenizer/vocabulary.h"
#include "core/stats/descriptive.h"

namespace ropelab {

/// A text is longer than what a model sees at once, so its loss depends on how it is cut: windows of `window` tokens
/// begin every `stride` tokens, and each token is predicted in the first window that contains the token before it.
struct PerplexityWindows {
    std::int64_t window = 1024;
    std::int64_t stride = 1024;  // at most the window; smaller: more context for each token, and more windows
};

struct TextLoss {
    std::vector<double> losses;             // of each token of the text from the second one on, in nats
    std::vector<double> loss_by_position;   // mean by the number of tokens before it in its window, less 1
    std::vector<std::int64_t> at_position;  // tokens of these means
    std::int64_t windows = 0;

    /// Sum over all tokens, in nats.
    double nats() const;
    double per_token() const { return nats() / static_cast<double>(losses.size()); }
};
/// "Loss on the same 1,024 tokens: 2.9333 nats per token with int8 weights, 2.9312 with float32 (+0.0021)."
std::string int8_loss_words(const TextLoss& int8, const TextLoss& float32);

/// `with`: what the probe of each window changes in the model (frozen and ablated pairs, scaling); its other members do
/// not count. Empty if `cancelled`, called between windows with the number of windows done, returns true. Throws
/// BadInput for fewer than 2 tokens, a stride that is not from 1 to the window, or if the model cannot process the
/// window.
TextLoss text_loss(Model& model, std::span<const std::int32_t> tokens, const PerplexityWindows& how,
                   const std::function<bool(std::int64_t done)>& cancelled = {}, const ProbeRequest& with = {});

/// Mean loss at neighbouring positions of a context window.
struct PositionLoss {
    std::int64_t first = 0;  // tokens before the predicted ones, less 1
    std::int64_t count = 0;  // positions
    Description loss;        // over the whole windows, which are the independent units
};
/// Up to `per_octave` bins between each position and twice as many tokens, of a loss that was measured with a stride of
/// `window`.
std::vector<PositionLoss> binned_by_position(const TextLoss& loss, std::int64_t window, int per_octave = 4);

/// A text of which the last word is predicted, as in LAMBADA.
struct LastWord {
    std::vector<std::int32_t> tokens;
    std::int64_t word = 1;  // tokens of the last word: the last ones of `tokens`
};

/// From JSON Lines such as {"text": "…"}: the last word begins at the last space of the text. Throws BadInput, naming
/// the line and the `file`, for another line.
std::vector<LastWord> last_words_of(std::string_view lines, const std::string& file, const Vocabulary& vocabulary);

struct LastWordLoss {
    std::vector<double> losses;    // sum over the tokens of each last word, in nats
    std::vector<bool> is_correct;  // each token of the word has the largest logit

    double accuracy() const;
    /// Per word, in nats.
    double mean() const;
};

/// Of a text that is longer than `window` tokens and one more, only the last ones have an effect, as in lm-eval.
/// `cancelled` and `with` as in text_loss. Throws BadInput if no token precedes a word, or the model cannot process the
/// window.
LastWordLoss last_word_loss(Model& model, std::span<const LastWord> texts, std::int64_t window,
                            const std::function<bool(std::int64_t done)>& cancelled = {},
                            const ProbeRequest& with = {});

/// Runs of characters other than whitespace (space, tab, line ends).
std::int64_t words_of_text(std::string_view text);

}  // namespace ropelab
