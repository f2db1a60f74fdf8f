#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// Grammar: docs/synthetic-language.md.
enum class Language {
    positional,  ///< data = "synthetic": words with dependencies at fixed offsets, brackets, copies at 15–90 characters
    local,       ///< data = "synthetic-local": each character depends on the previous one only
    window_8,    ///< data = "synthetic-window-8": most characters repeat one of the last 8, all equally likely
    window_32    ///< data = "synthetic-window-32"
};
struct LanguageFacts {
    Language language;
    std::string_view name;   // value of the setting `data`
    std::string_view title;  // "synthetic language"
    std::string_view about;
    std::size_t window = 0;  // characters of which one is repeated; 0: a Markov source
};
std::span<const LanguageFacts> languages();

/// nullopt for any other name.
std::optional<Language> find_language(std::string_view data);

class Source;

/// ASCII. The result is identical on every machine, and a shorter text is a prefix of a longer one.
std::string generate_text(Language language, std::int64_t seed, std::size_t characters);

/// Loss of the optimal predictor, which knows the language's rules, in nats per character. It is the mean over
/// sequences that begin anywhere in the text, not only at a sentence start.
struct EntropyFloor {
    /// Entry t: loss at character t + 1 of a sequence, given characters 0 … t, averaged over the validation split.
    std::vector<double> loss_by_position;
    /// Mean of loss_by_position: comparable with a full validation loss at the same context length, not with a sampled
    /// one.
    double mean = 0;
    /// The limit of the loss for an infinitely long context.
    double entropy_rate = 0;
};

/// The text is split into consecutive sequences as in a full evaluation: sequence w covers the characters [w * context,
/// w * context + context], for all w with (w + 1) * context + 1 <= size. In each sequence the predictor starts without
/// memory: it knows the language, but not where in a sentence the sequence begins (the state has the stationary
/// distribution). loss_by_position has `context` entries: entry t is the mean loss at character t + 1 of a sequence,
/// given characters 0 to t. Empty if `cancelled` (optional) returns true. Throws BadInput for a context below 1, a text
/// shorter than context + 1, or a text that is not from the language. The predictor of a window language knows the text
/// before the sequence too, so that its loss is a lower bound for the first characters.
EntropyFloor language_floor(Language language, std::string_view validation_text, int context,
                            const std::function<bool()>& cancelled);

/// In nats per character; exact, because the text since its start determines the state. Of a window language the mean
/// over 2^20 characters.
double entropy_rate(Language language);

/// Of a Markov source, else std::logic_error. Built on the first call and cached. Thread-safe.
const Source& language_source(Language language);

}  // namespace ropelab
