#pragma once

#include <optional>
#include <string_view>

// On its own, for what reckons with a text's name and reads no text: programs that lack the rest of core/data.

namespace ropelab {

/// The generated languages; docs/generated-language.md is their grammar.
enum class Language {
    positional,  ///< data = "generated": spelling at stated offsets, brackets, copies 15 to 90 characters away
    local        ///< data = "generated-local": every character depends on the one before only
};

/// The language of `generated` or `generated-local`; nullopt for any other name.
std::optional<Language> find_language(std::string_view data);

}  // namespace ropelab
