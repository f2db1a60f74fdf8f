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

/// The CUDA device failed while it worked for this program: a kernel was refused, or the device stopped answering. What
/// was in its memory is lost. The message is one sentence.
class DeviceFault : public std::runtime_error {
 public:
    DeviceFault(const std::string& message, bool device_lost)
        : std::runtime_error(message), device_lost_(device_lost) {}
    /// Whether this process can no longer use the device; else LibTorch's own operations can be tried on it.
    bool device_lost() const { return device_lost_; }

 private:
    bool device_lost_;
};

}  // namespace ropelab
