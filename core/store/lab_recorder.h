#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/contract/event.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// Writes in a background thread, at least four times per second: training never waits for the disk.
class LabRecorder {
 public:
    /// Throws BadInput if the lab cannot be opened for writing.
    explicit LabRecorder(const std::filesystem::path& lab);
    ~LabRecorder();

    /// Returns immediately. Thread-safe.
    void record(const Event& event);
    /// Until all events so far are synced to the disk; false if writing failed (see `trouble`) or the lab is lost.
    bool flush();
    /// Error message of the last write, or empty. After an error, the events stay queued and are written later.
    std::string trouble() const;
    /// Training must then stop. Its results are written to a copy beside the lab, if the lab can still be read.
    bool lost() const;
    /// Throws LabLost if another file, or none, is now at the path of the lab. Thread-safe.
    void require_same_file() const;
    /// Tries for a few seconds to write the rest. Returns a message if that fails or the lab is lost, else "".
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
