#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ropelab {

/// Refuses more than 64 levels, which could overflow the stack. Otherwise as nlohmann::json::parse, which
/// tests/architecture forbids elsewhere, and which would use the last of several equal keys: `on_repeated` gets the
/// key.
nlohmann::json parse_bounded(std::string_view text,
                             const std::function<void(const std::string& key)>& on_repeated = nullptr,
                             bool throws = true);

/// A clause such as "there is a syntax error near byte 12".
std::string trouble_of(const nlohmann::json::parse_error& error);

/// For JSON of a user. Throws BadInput, also if an object names a key twice; the message calls the text `what`.
nlohmann::json parse_unique(std::string_view text, const std::string& what);

template <typename Value>
nlohmann::json or_null(const std::optional<Value>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
}
/// What `make` returns for each item; empty if there are none.
template <typename Items, typename Make>
nlohmann::json json_list(const Items& items, const Make& make) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& item : items) list.push_back(std::invoke(make, item));
    return list;
}
/// JSON has null in place of numbers that are not finite.
double number_or_nan(const nlohmann::json& value);

}  // namespace ropelab
