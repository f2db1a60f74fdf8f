#pragma once

#include <filesystem>
#include <memory>

#include "core/spec/event.h"

namespace ropelab {

/// Writes a sweep's events to a lab file in a background thread, at least four times per second. Training never waits
/// for the disk, and a program that is killed loses less than the last second.
class LabRecorder {
 public:
    /// Opens the lab for writing. Throws BadInput if that fails.
    explicit LabRecorder(const std::filesystem::path& lab);
    /// Calls `close`.
    ~LabRecorder();

    /// Queues an event for writing and returns immediately. Thread-safe.
    void record(const Event& event);
    /// Waits until all events recorded so far are in the file and synced to the disk. Returns false if writing failed
    /// (see `trouble`) or the lab is lost.
    bool flush();
    /// Returns the error message of the last write (for example, a full disk), or an empty string if it succeeded.
    /// After an error, the events stay queued and are written later.
    std::string trouble() const;
    /// Returns whether the lab was removed, replaced or overwritten by another program. Training must then stop. Its
    /// results are written to a copy beside the lab, if the lab can still be read.
    bool lost() const;
    /// Throws LabLost if another file, or none, is now at the path of the lab. Thread-safe.
    void require_same_file() const;
    /// Writes the remaining events, with several attempts over a few seconds if writing fails, and stops recording.
    /// Returns an empty string, or an error message for the user if some events could not be written or the lab is
    /// lost.
    std::string close();

 private:
    struct Worker;
    std::unique_ptr<Worker> worker_;
};

}  // namespace ropelab
