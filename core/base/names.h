#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ropelab {

/// Names of a setting in PyTorch, nanoGPT, Hugging Face transformers and their relatives, with spaces between them.
struct ForeignNames {
    std::string_view setting;
    std::string_view same;          // same meaning and unit: imports read these
    std::string_view similar = {};  // perhaps another unit: only hints know these
};

std::span<const ForeignNames> foreign_names();
/// The setting among `known` that is called `name`, here or in other programs; "" if there is none.
std::string_view own_name_of(std::string_view name, std::span<const std::string_view> known);

/// The end of a sentence on a wrong `name`: "; did you mean theta?", with `quote` around names. It names what other
/// programs call `name`, else what contains it or is spelled like it. If nothing is similar, it is a list of `known`
/// if that is short, else `otherwise`.
std::string hint(std::string_view name, std::span<const std::string_view> known, std::string_view quote = "",
                 std::string_view otherwise = ".");

}  // namespace ropelab
