#pragma once

#include <filesystem>
#include <memory>

#include "core/spec/event.h"

namespace ropelab {

/// Writes a sweep's events into a lab file from a thread of its own, at least four times a second, so that a program
/// killed at any moment has on disk what was on screen a second before and training never waits for the disk.
class LabRecorder {
 public:
    /// Opens the lab for writing. Throws BadInput.
    explicit LabRecorder(const std::filesystem::path& lab);
    /// Closes.
    ~LabRecorder();

    /// From any thread; returns at once.
    void record(const Event& event);
    /// Waits until everything recorded so far is in the file and would outlast a power cut. False where the write has
    /// failed (see trouble).
    bool flush();
    /// Why the last write failed, or "" (a full disk, say): the events are kept and tried again.
    std::string trouble() const;
    /// Writes what is left, trying for seconds where that fails, and records no more. Returns "", or one sentence for
    /// people where a part of it is lost: that the lab lacks it, and why.
    std::string close();

 private:
    struct Worker;
    std::unique_ptr<Worker> worker_;
};

}  // namespace ropelab
