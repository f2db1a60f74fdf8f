#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/scratch_folder.h"
#include "tests/support/shared_data.h"

namespace ropelab {

/// Sets an environment variable for one test (nullptr: unsets it).
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

/// A file of the shared test data; empty where that folder is not there (the test then skips, saying so).
inline std::filesystem::path shared_text(const std::string& name) {
    const std::filesystem::path file = shared_data("text/" + name);
    return std::filesystem::exists(file) ? file : std::filesystem::path();
}

}  // namespace ropelab

/// The sentence of the BadInput (or other exception type) that `statement` throws, to match against.
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
