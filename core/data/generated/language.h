#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/data/corpus.h"
#include "core/data/generated/names.h"

namespace ropelab {

class Source;

/// The first `characters` characters (ASCII, one byte each) of the text that `seed` gives, from the start of a
/// sentence. The same bytes on every machine; a shorter text is the beginning of a longer one.
std::string generate_text(Language language, std::int64_t seed, std::size_t characters);

/// What the optimal predictor loses on `validation_text`, in nats per character. The text is cut into consecutive
/// windows as a whole evaluation cuts it: window w covers characters [w * context, w * context + context], and there
/// are as many as satisfy (w + 1) * context + 1 <= size. In every window the predictor starts afresh: it knows the
/// language, but not where in a sentence the window begins (the stationary belief).
/// loss_by_position has `context` entries: entry t is the mean loss at character t + 1 of a window, after characters
/// 0 to t have been seen.
/// `cancelled`, which may be empty, is asked once a window; true ends the work with an empty Floor (no entries).
/// Throws BadInput for a context below 1, a text shorter than context + 1, and a text that is not of the language.
Floor language_floor(Language language, std::string_view validation_text, int context,
                     const std::function<bool()>& cancelled);

/// Nats per character of an endless text, exactly: the mean of the next character's entropy over the stationary
/// distribution (the state of the language is a function of the text since its start).
double entropy_rate(Language language);

/// The compiled rules, built on the first call and kept. May be called from any thread.
const Source& language_source(Language language);

}  // namespace ropelab
