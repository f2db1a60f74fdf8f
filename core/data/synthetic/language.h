#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/data/corpus.h"
#include "core/data/synthetic/names.h"

namespace ropelab {

class Source;

/// Generates the first `characters` characters (ASCII, one byte each) of the text for `seed`, beginning at the start of
/// a sentence. The result is identical on every machine, and a shorter text is a prefix of a longer one.
std::string generate_text(Language language, std::int64_t seed, std::size_t characters);

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
