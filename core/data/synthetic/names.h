#pragma once

#include <optional>
#include <string_view>

// This is a header of its own for programs that need the names of the languages but not the rest of core/data.

namespace ropelab {

/// The synthetic languages. docs/synthetic-language.md describes their grammar.
enum class Language {
    positional,  ///< data = "synthetic": words with dependencies at fixed offsets, brackets, copies at 15–90 characters
    local        ///< data = "synthetic-local": each character depends on the previous one only
};

/// Returns the language named `generated` or `synthetic-local`, or nullopt for any other name.
std::optional<Language> find_language(std::string_view data);

}  // namespace ropelab
