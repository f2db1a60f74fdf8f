#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// The synthetic languages. docs/synthetic-language.md describes their grammar.
enum class Language {
    positional,  ///< data = "synthetic": words with dependencies at fixed offsets, brackets, copies at 15–90 characters
    local        ///< data = "synthetic-local": each character depends on the previous one only
};

/// Returns the language named `generated` or `synthetic-local`, or nullopt for any other name.
std::optional<Language> find_language(std::string_view data);

class Source;

/// Generates the first `characters` characters (ASCII, one byte each) of the text for `seed`, beginning at the start of
/// a sentence. The result is identical on every machine, and a shorter text is a prefix of a longer one.
std::string generate_text(Language language, std::int64_t seed, std::size_t characters);

/// The entropy floor of a synthetic corpus: the loss of the optimal predictor, which knows the language's rules, in
/// nats per character. It is the mean over sequences that begin anywhere in the text, not only at a sentence start.
struct EntropyFloor {
    /// loss_by_position[t] is the loss at character t + 1 of a sequence, given characters 0 … t, averaged over the
    /// sequences of a full evaluation of the validation split.
    std::vector<double> loss_by_position;
    /// The mean of loss_by_position. It is comparable with a full validation loss at the same context length; a sampled
    /// evaluation uses other sequences of the split.
    double mean = 0;
    /// The language's entropy rate: the limit of the loss for an infinitely long context.
    double entropy_rate = 0;
};

/// Returns the entropy floor: the loss of the optimal predictor on `validation_text`, in nats per character. The text
/// is split into consecutive sequences as in a full evaluation: sequence w covers the characters [w * context, w *
/// context + context], for all w with (w + 1) * context + 1 <= size. In each sequence the predictor starts without
/// memory: it knows the language, but not where in a sentence the sequence begins (the state has the stationary
/// distribution). loss_by_position has `context` entries: entry t is the mean loss at character t + 1 of a sequence,
/// given characters 0 to t. `cancelled` (optional) is called once per sequence; if it returns true, the result is an
/// empty EntropyFloor. Throws BadInput for a context below 1, a text shorter than context + 1, or a text that is not
/// from the language.
EntropyFloor language_floor(Language language, std::string_view validation_text, int context,
                            const std::function<bool()>& cancelled);

/// Returns the language's entropy rate in nats per character: the mean entropy of the next character over the
/// stationary distribution. This is exact, because the text since its start determines the state of the language.
double entropy_rate(Language language);

/// Returns the source that generates the language. It is built on the first call and cached. Thread-safe.
const Source& language_source(Language language);

}  // namespace ropelab
