#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/spec/event.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// Writes a sweep's events to a lab file in a background thread, at least four times per second. Training never waits
/// for the disk, and a program that is killed loses less than the last second.
class LabRecorder {
 public:
    /// Opens the lab for writing. Throws BadInput if that fails.
    explicit LabRecorder(const std::filesystem::path& lab);
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
    void work();
    void write(std::unique_lock<std::mutex>& lock, bool synced);
    std::string rescue(const LabLost& lost);

    const std::filesystem::path path_;
    std::shared_ptr<LabFile> lab_;
    const std::shared_ptr<LabFile> place_;  // the lab that training began with
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    std::vector<Event> waiting_;
    std::string trouble_;
    std::uint64_t recorded_ = 0;  // number of events received
    std::uint64_t written_ = 0;   // number of events in the file
    std::uint64_t synced_ = 0;    // number of events synced to the disk
    std::uint64_t failures_ = 0;  // number of failed writes
    bool lost_ = false;
    bool paused_ = false;
    bool flush_requested_ = false;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace ropelab
