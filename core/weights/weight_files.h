#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/weights/gguf.h"
#include "core/weights/stored_tensor.h"

namespace ropelab {

/// The weights of a model: one file of safetensors, several with an index (model.safetensors.index.json), or a GGUF
/// file. Numbers are read when they are asked for.
class WeightFiles {
 public:
    /// A folder or a file. Throws BadInput, with the reason, for a folder without weights or with pickled ones, an
    /// index that names other files than those of its folder, and files that are truncated or invalid.
    explicit WeightFiles(const std::filesystem::path& path);

    struct Entry {
        StoredTensor tensor;
        const WeightFile* file;
    };
    const std::map<std::string, Entry>& tensors() const { return tensors_; }
    /// Null if there is none.
    const Entry* find(const std::string& name) const;
    /// Of all files.
    std::uint64_t bytes() const;
    /// Null for safetensors.
    const GgufHeader* gguf() const { return gguf_ ? &*gguf_ : nullptr; }

 private:
    void add(const WeightFile& file, const std::vector<StoredTensor>& tensors);
    const WeightFile& open(const std::filesystem::path& path);
    void open_file(const std::filesystem::path& path);
    void open_folder(const std::filesystem::path& folder);
    void open_shards(const std::filesystem::path& index);

    std::vector<std::unique_ptr<WeightFile>> files_;
    std::map<std::string, Entry> tensors_;
    std::optional<GgufHeader> gguf_;
};

}  // namespace ropelab
