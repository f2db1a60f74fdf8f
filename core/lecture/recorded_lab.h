#pragma once

#include <filesystem>
#include <memory>

#include "core/store/lab_file.h"
#include "core/store/output_file.h"

namespace ropelab {

/// Opens a temporary copy: opening an earlier lab migrates it, and the lectures' folder may be read-only.
class RecordedLab {
 public:
    /// Without its checkpoints. Throws BadInput if it cannot be read or is not a lab.
    explicit RecordedLab(const std::filesystem::path& path);

    const LabFile& lab() const { return *lab_; }

 private:
    TemporaryFolder folder_;
    std::unique_ptr<LabFile> lab_;
};

}  // namespace ropelab
