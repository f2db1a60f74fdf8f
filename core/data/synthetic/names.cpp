#include "core/data/synthetic/names.h"

#include "core/spec/aliases.h"

namespace ropelab {

std::optional<Language> find_language(std::string_view data) {
    data = current_name(Alias::Kind::data, data);
    if (data == "synthetic") return Language::positional;
    if (data == "synthetic-local") return Language::local;
    return std::nullopt;
}

}  // namespace ropelab
