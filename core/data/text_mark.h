#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/data/known_sets.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Which text a name stood for when it was read: a file, or what a name finds in a folder, may be another one later.
struct TextMark {
    std::string name;  // the key `data`; of a generated text with its seed and length
    std::int64_t bytes = 0;
    std::string sha256;  // of all of it, lower case

    bool operator==(const TextMark&) const = default;
};

/// What the text of a run is called: two runs of one name are meant to train on one text.
std::string text_name(const RunSpec& spec);

/// The mark of a run's text, read in full.
TextMark mark_of(const RunSpec& spec, std::string_view text);

/// Whether it is all of the known set that it is named after, and not its first part or something else. text8, whose
/// publisher gives another checksum, is told by its length.
bool is_whole_known_set(const TextMark& text);

/// Throws BadInput, naming both sizes or checksums and what to do, unless the text is the one that was trained on.
void require_same_text(const TextMark& now, const TextMark& then);

}  // namespace ropelab
