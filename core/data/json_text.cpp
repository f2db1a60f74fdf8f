#include "core/data/json_text.h"

#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "core/spec/error.h"

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

}  // namespace

nlohmann::json parse_bounded(std::string_view text, const nlohmann::json::parser_callback_t& watch, bool throws) {
    if (const std::size_t at = too_deep_at(text); at != std::string_view::npos) {
        if (!throws) return nlohmann::json::value_t::discarded;
        throw nlohmann::json::parse_error::create(101, at + 1, std::string(too_deep), nullptr);
    }
    return nlohmann::json::parse(text, watch, throws);
}

std::string trouble_of(const nlohmann::json::parse_error& error) {
    if (std::string_view(error.what()).find(too_deep) != std::string_view::npos)
        return "it is " + std::string(too_deep);
    return "there is a syntax error near byte " + std::to_string(error.byte);
}

nlohmann::json::parser_callback_t repeated_keys(std::function<void(const std::string& key)> on_repeated) {
    using Event = nlohmann::json::parse_event_t;
    // `seen`: the keys of each object that is not complete yet.
    return [on_repeated = std::move(on_repeated), seen = std::vector<std::set<std::string>>()](
               int, Event event, nlohmann::json& value) mutable {
        if (event == Event::object_start) seen.emplace_back();
        if (event == Event::object_end) seen.pop_back();
        if (event == Event::key && !seen.back().insert(value.get<std::string>()).second) {
            on_repeated(value.get<std::string>());
        }
        return true;
    };
}

nlohmann::json parse_unique(std::string_view text, const std::string& what) {
    return parse_bounded(text, repeated_keys([&](const std::string& key) {
                             throw BadInput(what + " names \"" + key + "\" twice in one object; name it once.");
                         }));
}

double number_or_nan(const nlohmann::json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace ropelab
