#pragma once

#include <stdexcept>
#include <string>

namespace ropelab {

/// Error in what the user asked for, such as an unknown setting or an unreadable file. Exit status 2. The message is
/// one sentence that names the value and says what is allowed.
class BadInput : public std::runtime_error {
 public:
    explicit BadInput(const std::string& message) : std::runtime_error(message) {}
};

/// Failed output, as by a full disk. Exit status 1. The message is one sentence that names the output and the cause.
class WriteError : public std::runtime_error {
 public:
    explicit WriteError(const std::string& message) : std::runtime_error(message) {}
};

/// Failure of the CUDA device while this program used it. The data in its memory is lost. The message is one sentence.
class DeviceFault : public std::runtime_error {
 public:
    DeviceFault(const std::string& message, bool device_lost)
        : std::runtime_error(message), device_lost_(device_lost) {}
    /// False if this process may still use the device without CUDA graphs.
    bool device_lost() const { return device_lost_; }

 private:
    bool device_lost_;
};

}  // namespace ropelab
