#pragma once

#include <filesystem>

namespace ropelab {

/// A temporary folder. The destructor removes it and its content.
class TemporaryFolder {
 public:
    /// Throws std::runtime_error if the folder cannot be created.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    /// Path of the folder.
    const std::filesystem::path& path() const { return path_; }

 private:
    std::filesystem::path path_;
};

}  // namespace ropelab
