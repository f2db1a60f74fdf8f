#include "core/data/json_text.h"

#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace ropelab {

namespace {

constexpr int max_levels = 64;
constexpr std::string_view too_deep = "nested more than 64 levels deep";

/// Offset of the first bracket beyond max_levels, or npos.
std::size_t too_deep_at(std::string_view text) {
    int levels = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string && c == '\\') {
            ++i;
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && (c == '[' || c == '{')) {
            if (++levels > max_levels) return i;
        } else if (!in_string && (c == ']' || c == '}')) {
            --levels;
        }
    }
    return std::string_view::npos;
}

// In linear time, unlike a callback of the parser, after which nlohmann::json searches all elements around an object.
class RepeatedKeys : public nlohmann::detail::json_sax_acceptor<nlohmann::json> {
 public:
    explicit RepeatedKeys(const std::function<void(const std::string&)>& on_repeated) : on_repeated_(on_repeated) {}
    bool start_object(std::size_t) {
        seen_.emplace_back();
        return true;
    }
    bool key(std::string& name) {
        if (!seen_.back().insert(name).second) on_repeated_(name);
        return true;
    }
    bool end_object() {
        seen_.pop_back();
        return true;
    }

 private:
    const std::function<void(const std::string&)>& on_repeated_;
    std::vector<std::set<std::string>> seen_;  // the keys of each object that is not complete yet
};

}  // namespace

nlohmann::json parse_bounded(std::string_view text, const std::function<void(const std::string& key)>& on_repeated,
                             bool throws) {
    if (const std::size_t at = too_deep_at(text); at != std::string_view::npos) {
        if (!throws) return nlohmann::json::value_t::discarded;
        throw nlohmann::json::parse_error::create(101, at + 1, std::string(too_deep), nullptr);
    }
    if (on_repeated) {
        RepeatedKeys keys(on_repeated);
        nlohmann::json::sax_parse(text, &keys);
    }
    return nlohmann::json::parse(text, nullptr, throws);
}

std::string trouble_of(const nlohmann::json::parse_error& error) {
    if (std::string_view(error.what()).find(too_deep) != std::string_view::npos)
        return "it is " + std::string(too_deep);
    return "there is a syntax error near byte " + std::to_string(error.byte);
}

nlohmann::json parse_unique(std::string_view text, const std::string& what) {
    return parse_bounded(text, [&](const std::string& key) {
        throw BadInput(what + " names \"" + key + "\" twice in one object; name it once.");
    });
}

double number_or_nan(const nlohmann::json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace ropelab
