#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ropelab {

/// Parses JSON that a stranger may have written, such as that of a file or a lab. Text that is nested more than 64
/// levels deep is refused, because copying, comparing or printing deeper values could overflow the stack. The arguments
/// and the exceptions are those of nlohmann::json::parse, which tests/architecture forbids elsewhere.
nlohmann::json parse_bounded(std::string_view text, const nlohmann::json::parser_callback_t& watch = nullptr,
                             bool throws = true);

/// Returns a `watch` for parse_bounded that calls `on_repeated` with each key that an object names again.
/// nlohmann::json alone would use the last of several equal keys and ignore the others.
nlohmann::json::parser_callback_t repeated_keys(std::function<void(const std::string& key)> on_repeated);

/// Returns what is wrong with a text that parse_bounded refused, such as "there is a syntax error near byte 12".
std::string trouble_of(const nlohmann::json::parse_error& error);

/// Parses JSON that a user wrote, like parse_bounded. Throws BadInput if an object names a key twice; the message calls
/// the text `what` ("The file x.json").
nlohmann::json parse_unique(std::string_view text, const std::string& what);

}  // namespace ropelab
