#include "core/data/splits.h"

#include <array>

#include "core/data/utf8.h"

namespace ropelab {

namespace {

// Returns the byte offset of each of the ascending `characters` of a text in UTF-8.
std::array<std::size_t, 2> offsets_of(std::string_view text, std::array<std::int64_t, 2> characters) {
    std::array<std::size_t, 2> offsets = {text.size(), text.size()};
    std::size_t next = 0;
    std::int64_t character = 0;
    for (std::size_t offset = 0; offset < text.size() && next < offsets.size(); ++character) {
        while (next < offsets.size() && characters[next] == character) offsets[next++] = offset;
        offset += decode_utf8(text, offset).length;
    }
    return offsets;
}

}  // namespace

SplitSizes split_sizes(std::int64_t tokens, Split split) {
    SplitSizes sizes;
    sizes.training = static_cast<std::int64_t>(0.9 * static_cast<double>(tokens));
    const std::int64_t rest = tokens - sizes.training;
    sizes.validation = split == Split::ninety_ten ? rest : rest / 2;
    sizes.test = rest - sizes.validation;
    return sizes;
}

TextParts parts_of_text(std::string_view text, Split split, bool as_bytes) {
    const bool bytes = as_bytes || first_invalid_utf8(text);
    std::int64_t units = 0;
    for (std::size_t offset = 0; offset < text.size(); ++units) offset += bytes ? 1 : decode_utf8(text, offset).length;
    const SplitSizes sizes = split_sizes(units, split);
    std::array<std::size_t, 2> ends = {static_cast<std::size_t>(sizes.training),
                                       static_cast<std::size_t>(sizes.training + sizes.validation)};
    if (!bytes) ends = offsets_of(text, {sizes.training, sizes.training + sizes.validation});
    return {text.substr(0, ends[0]), text.substr(ends[0], ends[1] - ends[0]), text.substr(ends[1])};
}

}  // namespace ropelab
