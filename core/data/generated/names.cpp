#include "core/data/generated/names.h"

namespace ropelab {

std::optional<Language> find_language(std::string_view data) {
    if (data == "generated") return Language::positional;
    if (data == "generated-local") return Language::local;
    return std::nullopt;
}

}  // namespace ropelab
