#include "core/engine/operations/clear_errors.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/error.h"

namespace ropelab {

namespace {

// Errors of CUDA's runtime have their own type; errors of its libraries are recognized by their first words.
bool is_device_fault(const c10::Error& error, const std::string& sentence) {
    constexpr std::array<const char*, 4> beginnings = {"CUDA error", "CUDA driver error", "cuBLAS error",
                                                       "cuDNN error"};
    return dynamic_cast<const c10::AcceleratorError*>(&error) != nullptr ||
           std::any_of(beginnings.begin(), beginnings.end(),
                       [&](const char* beginning) { return sentence.starts_with(beginning); });
}

}  // namespace

bool is_out_of_device_memory(const c10::Error& error) {
    return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr;
}

bool is_out_of_memory(const c10::Error& error) {
    return is_out_of_device_memory(error) ||
           std::string(error.what_without_backtrace()).find("can't allocate memory") != std::string::npos;
}

void throw_clearly(const c10::Error& error) {
    const std::string words = error.what_without_backtrace();
    const std::string sentence = words.substr(0, words.find('\n'));
    if (is_out_of_device_memory(error)) {
        throw BadInput("The CUDA device does not have enough memory for this; use shorter sequences or device=cpu.");
    }
    if (is_device_fault(error, sentence)) throw DeviceFault("The CUDA device failed: " + sentence, true);
    throw std::runtime_error(sentence);
}

}  // namespace ropelab
