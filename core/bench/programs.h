#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ropelab::bench {

/// A program that is to be run, with variables that its environment has besides this one's.
struct Command {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment;
};

/// Runs it to its end and returns what it wrote to standard output; standard error is dropped. Throws
/// std::runtime_error, with one sentence, where it does not start or ends with another status than 0.
std::string output_of(const Command& command);

/// The program of this name beside the running one; an empty path where there is none.
std::filesystem::path beside(const std::string& name);

/// A folder that is removed with all that is in it.
class TemporaryFolder {
 public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

 private:
    std::filesystem::path path_;
};

}  // namespace ropelab::bench
