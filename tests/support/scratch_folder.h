#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace ropelab {

/// Temporary folder that is created by the constructor and removed with its content by the destructor.
class ScratchFolder {
 public:
    ScratchFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "ropelab-test-XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~ScratchFolder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    /// Returns the path of a file in the folder.
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    /// Returns the path of the folder.
    const std::filesystem::path& path() const { return path_; }

    /// Writes a file in the folder and returns its path. Subfolders in `name` are created.
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path_ / name;
    }

 private:
    std::filesystem::path path_;
};

/// Returns a text of `size` characters from which a model can learn: lines of a rhyme in pseudorandom order.
inline std::string small_text(std::size_t size) {
    const std::string lines[] = {"one for the rook\n", "two for the crow\n", "three to rot\n", "four to grow\n"};
    std::string text;
    for (unsigned i = 1; text.size() < size; i = i * 1664525U + 1013904223U) text += lines[(i >> 16) % 4];
    text.resize(size);
    return text;
}

}  // namespace ropelab
