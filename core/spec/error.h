#pragma once

#include <stdexcept>
#include <string>

namespace ropelab {

/// What a person asked for cannot be done as asked: a wrong value, an unknown key, an unreadable file. The message is
/// one sentence that names the value and says what would be right. Programs end with exit status 2.
class BadInput : public std::runtime_error {
 public:
    explicit BadInput(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace ropelab
