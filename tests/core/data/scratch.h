#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace ropelab {

/// A folder of its own for one test, removed with everything in it.
class ScratchFolder {
 public:
    ScratchFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "ropelab-data-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path_ / name;
    }

 private:
    std::filesystem::path path_;
};

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

inline std::string read_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A file of the shared test data; empty where that folder is not there (the test then skips, saying so).
inline std::filesystem::path shared_text(const std::string& name) {
    const std::filesystem::path file = std::filesystem::path(ROPELAB_SHARED_DATA) / "text" / name;
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
