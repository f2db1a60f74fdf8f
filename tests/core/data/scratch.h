#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/scratch_folder.h"
#include "tests/support/shared_data.h"

namespace ropelab {

/// Sets an environment variable for one test, or unsets it if the value is nullptr. The destructor restores it.
class Environment {
 public:
    Environment(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        set(value);
    }
    ~Environment() { set(old_ ? old_->c_str() : nullptr); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

 private:
    void set(const char* value) const {
        if (value == nullptr) {
            ::unsetenv(name_);
        } else {
            ::setenv(name_, value, 1);
        }
    }
    const char* name_;
    std::optional<std::string> old_;
};

/// Returns the path of a file of the shared test data, or an empty path if the data are not installed; the test is then
/// skipped.
inline std::filesystem::path shared_text(const std::string& name) {
    const std::filesystem::path file = shared_data("text/" + name);
    return std::filesystem::exists(file) ? file : std::filesystem::path();
}

}  // namespace ropelab

/// Returns the message of the exception of type `Exception` that `statement` throws. Fails the test if it throws none.
#define ROPELAB_SENTENCE_OF(statement, Exception)                   \
    [&]() -> std::string {                                          \
        try {                                                       \
            statement;                                              \
        } catch (const Exception& error) {                          \
            return error.what();                                    \
        }                                                           \
        ADD_FAILURE() << #statement << " throws no " << #Exception; \
        return {};                                                  \
    }()
