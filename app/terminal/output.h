#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/rope/frequencies.h"
#include "core/rope/rotation.h"

namespace ropelab::terminal {

/// Writes a result to standard output, with a newline. Numbers that are not finite become null, and bytes that are not
/// UTF-8 become U+FFFD: what comes out is always JSON.
void print_json(const nlohmann::json& json);
void print_text(const std::string& text);

/// The whole of a file, or of standard input for "-". Throws BadInput.
std::string read_all(const std::string& file);
/// The whole of a file as JSON. Throws BadInput, naming the file.
nlohmann::json read_json(const std::string& file);

/// "slice" or "truncate". Throws BadInput.
Partial parse_partial(const std::string& word);
/// "half" or "interleaved". Throws BadInput.
Pairing parse_pairing(const std::string& word);

}  // namespace ropelab::terminal
