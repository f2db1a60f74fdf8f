#pragma once

#include <stdexcept>
#include <string>

namespace ropelab {

/// Error in what the user asked for: a wrong value, an unknown setting, an unreadable file. The message is one sentence
/// that names the value and says what is allowed. A program that ends with this error has exit status 2.
class BadInput : public std::runtime_error {
 public:
    explicit BadInput(const std::string& message) : std::runtime_error(message) {}
};

/// Failure to write an output: a full disk, a closed pipe, a file that exceeds a quota. The message is one sentence
/// that names the output and the cause. A program that ends with this error has exit status 1.
class WriteError : public std::runtime_error {
 public:
    explicit WriteError(const std::string& message) : std::runtime_error(message) {}
};

/// Failure of the CUDA device while this program used it: an operation could not be launched, or the device
/// stopped responding. The data in the device's memory is lost. The message is one sentence.
class DeviceFault : public std::runtime_error {
 public:
    DeviceFault(const std::string& message, bool device_lost)
        : std::runtime_error(message), device_lost_(device_lost) {}
    /// Returns true if this process can no longer use the device; false if it may still work without CUDA graphs.
    bool device_lost() const { return device_lost_; }

 private:
    bool device_lost_;
};

}  // namespace ropelab
