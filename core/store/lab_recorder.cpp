#include "core/store/lab_recorder.h"

#include <chrono>
#include <iterator>
#include <utility>

namespace ropelab {

namespace {
constexpr std::chrono::milliseconds write_delay{150};   // between the first queued event and the write
constexpr std::chrono::milliseconds retry_delay{1000};  // after a failed write
constexpr int closing_attempts = 3;                     // when the recorder is closed
}  // namespace

//   any thread:       record ──► waiting_                      flush: waits until synced_ or failures_ changes
//   worker's thread:             waiting_ ──► LabFile::record ──► written_
LabRecorder::LabRecorder(const std::filesystem::path& lab)
    : path_(lab), lab_(LabFile::open(lab)), place_(lab_), thread_([this] { work(); }) {}

LabRecorder::~LabRecorder() {
    close();
}

std::string LabRecorder::close() {
    if (thread_.joinable()) {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        thread_.join();
    }
    if (lost_) return trouble_;
    return waiting_.empty() ? "" : "Some results of this training are missing from the lab file, because " + trouble_;
}

void LabRecorder::record(const Event& event) {
    const std::lock_guard lock(mutex_);
    // Progress events change the file only when training is paused or continues.
    if (const auto* progress = std::get_if<event::Progress>(&event)) {
        if (progress->paused == paused_) return;
        paused_ = progress->paused;
    }
    waiting_.push_back(event);
    ++recorded_;
    if (waiting_.size() == 1) wake_.notify_all();
}

bool LabRecorder::flush() {
    std::unique_lock lock(mutex_);
    const std::uint64_t goal = recorded_;
    const std::uint64_t failures = failures_;
    if (lost_) return false;
    if (synced_ >= goal) return true;
    flush_requested_ = true;
    wake_.notify_all();
    done_.wait(lock, [&] { return synced_ >= goal || failures_ > failures; });
    return synced_ >= goal && !lost_;
}

std::string LabRecorder::trouble() const {
    const std::lock_guard lock(mutex_);
    return trouble_;
}

bool LabRecorder::lost() const {
    const std::lock_guard lock(mutex_);
    return lost_;
}

void LabRecorder::require_same_file() const {
    if (lost()) throw LabLost(path_.string() + " was lost while it was in use", true);
    place_->require_same_file();
}

void LabRecorder::work() {
    std::unique_lock lock(mutex_);
    int attempts_left = closing_attempts;
    while (true) {
        wake_.wait(lock, [this] { return stopping_ || flush_requested_ || !waiting_.empty(); });
        if (stopping_ && (waiting_.empty() || attempts_left-- == 0)) return;
        wake_.wait_for(lock, trouble_.empty() ? write_delay : retry_delay,
                       [this] { return flush_requested_ || (stopping_ && trouble_.empty()); });
        write(lock, std::exchange(flush_requested_, false));
        done_.notify_all();
    }
}

void LabRecorder::write(std::unique_lock<std::mutex>& lock, bool synced) {
    std::vector<Event> events = std::move(waiting_);
    waiting_.clear();
    const bool was_lost = lost_;
    lock.unlock();
    std::string trouble;
    std::string loss;
    try {
        try {
            lab_->record(events);
        } catch (const LabLost& lost) {
            if (was_lost) throw;
            loss = rescue(lost);
            if (lost.is_readable()) lab_->record(events);
        }
        if (synced) lab_->sync_log();
    } catch (const std::exception& problem) {
        trouble = problem.what();
    }
    lock.lock();
    if (!loss.empty()) {
        lost_ = true;
        trouble_ = loss;
    }
    if (!lost_) trouble_ = trouble;
    if (trouble.empty()) {
        written_ += events.size();
        if (synced) synced_ = written_;
        return;
    }
    ++failures_;
    events.insert(events.end(), std::make_move_iterator(waiting_.begin()), std::make_move_iterator(waiting_.end()));
    waiting_ = std::move(events);
}

// Recording continues in a new file beside the lost lab. Returns what the user must know.
std::string LabRecorder::rescue(const LabLost& lost) {
    const std::string sentence = std::string(lost.what()) + ", so training stopped. ";
    if (!lost.is_readable()) {
        place_->abandon();
        return sentence +
               "The results in this lab file cannot be read any more; the checkpoints of its runs are in the folder "
               "beside it.";
    }
    try {
        std::filesystem::path target;
        for (int i = 1; target.empty() || std::filesystem::exists(target); ++i) {
            target = path_;
            target.replace_extension("rescued" + (i > 1 ? "-" + std::to_string(i) : "") + ".ropelab");
        }
        lab_->save_as(target);
        place_->abandon();
        lab_ = LabFile::open(target);
        return sentence + "The results are in " + target.string() + ".";
    } catch (const std::exception& problem) {
        return sentence + "The results could not be copied: " + problem.what();
    }
}

}  // namespace ropelab
