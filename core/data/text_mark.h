#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/data/known_sets.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Identifies the content of a text by size and checksum, because the file behind a name may change between runs.
struct TextMark {
    std::string name;  // as `text_name` returns it
    std::int64_t bytes = 0;
    std::string sha256;  // of the whole text, in lower case; for a folder that of TextFolder::checksum

    bool operator==(const TextMark&) const = default;
};

/// Returns the name of a run's text: the setting `data`, for a synthetic language followed by its seed and length. Runs
/// with equal names are supposed to train on the same text.
std::string text_name(const RunSpec& spec);

/// Returns the name, size and checksum of `text`, the complete text of a run.
TextMark mark_of(const RunSpec& spec, std::string_view text);

/// Returns true if the text is the complete known data set of its name, not a truncated or different file. For text8
/// only the length is compared, because its publisher gives no SHA-256 checksum.
bool is_whole_known_set(const TextMark& text);

/// Throws BadInput unless `now`, the text found today, equals `then`, the text of the training so far. The message
/// names both sizes or checksums and what the user can do.
void require_same_text(const TextMark& now, const TextMark& then);

}  // namespace ropelab
