#include "core/data/text_mark.h"

#include "core/data/text_source.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

constexpr std::size_t shown_digits = 12;  // of a checksum in messages; enough for a person to compare
}  // namespace

std::string text_name(const RunSpec& spec) {
    if (!find_language(spec.data)) return spec.data;
    return spec.data + " (seed " + std::to_string(spec.data_seed) + ", " + grouped(spec.data_length) + " characters)";
}

TextMark mark_of(const RunSpec& spec, std::string_view text) {
    return {text_name(spec), std::ssize(text), checksum_of(text, Checksum::Algorithm::sha256).hex};
}

bool is_whole_known_set(const TextMark& text) {
    const KnownSet* set = find_known_set(text.name);
    if (set == nullptr || text.bytes != set->bytes) return false;
    return set->checksum.algorithm != Checksum::Algorithm::sha256 || text.sha256 == set->checksum.hex;
}

void require_same_text(const TextMark& now, const TextMark& then) {
    if (now.bytes == then.bytes && now.sha256 == then.sha256) return;
    const auto difference = [&](const TextMark& text) {
        return now.bytes != then.bytes ? grouped(text.bytes) + " bytes"
                                       : "the SHA-256 checksum " + text.sha256.substr(0, shown_digits) + "…";
    };
    throw BadInput("The text \"" + then.name + "\" has " + difference(now) +
                   ", but training began with a text that has " + difference(then) +
                   "; restore that text (--data-dir names its folder), or train in another lab.");
}

}  // namespace ropelab
