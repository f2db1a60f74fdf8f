#pragma once

#include <filesystem>
#include <memory>

#include "core/store/lab_file.h"
#include "core/store/output_file.h"

namespace ropelab {

/// A recorded lab of a lecture. It is read from a temporary copy, because opening a lab of an earlier version migrates
/// its file, and because the folder of the lectures may be read-only.
class RecordedLab {
 public:
    /// Copies and opens a lab, without its checkpoints. Throws BadInput if it cannot be read or is not a lab.
    explicit RecordedLab(const std::filesystem::path& path);

    const LabFile& lab() const { return *lab_; }

 private:
    TemporaryFolder folder_;
    std::unique_ptr<LabFile> lab_;
};

}  // namespace ropelab
