#include "core/store/lab_recorder.h"

#include <chrono>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/store/lab_file.h"

namespace ropelab {

namespace {
constexpr std::chrono::milliseconds gather{150};      // between the first event and the write
constexpr std::chrono::milliseconds try_again{1000};  // after a write that failed
constexpr int last_tries = 3;                         // at the end
}  // namespace

//   any thread:       record ──► waiting_                      flush: waits until synced_ or failures_ moves on
//   worker's thread:             waiting_ ──► LabFile::record ──► written_
struct LabRecorder::Worker {
    explicit Worker(const std::filesystem::path& path) : lab_(LabFile::open(path)), thread_([this] { work(); }) {}

    ~Worker() { close(); }

    std::string close() {
        if (thread_.joinable()) {
            {
                const std::lock_guard lock(mutex_);
                stopping_ = true;
            }
            wake_.notify_all();
            thread_.join();
        }
        return waiting_.empty() ? "" : "The lab does not hold all of this training, because " + trouble_;
    }

    void record(const Event& event) {
        const std::lock_guard lock(mutex_);
        // Progress says something to the file only when it turns to paused or back.
        if (const auto* progress = std::get_if<event::Progress>(&event)) {
            if (progress->paused == paused_) return;
            paused_ = progress->paused;
        }
        waiting_.push_back(event);
        ++recorded_;
        if (waiting_.size() == 1) wake_.notify_all();
    }

    bool flush() {
        std::unique_lock lock(mutex_);
        const std::uint64_t goal = recorded_;
        const std::uint64_t failures = failures_;
        if (synced_ >= goal) return true;
        hurry_ = true;
        wake_.notify_all();
        done_.wait(lock, [&] { return synced_ >= goal || failures_ > failures; });
        return synced_ >= goal;
    }

    std::string trouble() const {
        const std::lock_guard lock(mutex_);
        return trouble_;
    }

 private:
    void work() {
        std::unique_lock lock(mutex_);
        int tries_left = last_tries;
        while (true) {
            wake_.wait(lock, [this] { return stopping_ || hurry_ || !waiting_.empty(); });
            if (stopping_ && (waiting_.empty() || tries_left-- == 0)) return;
            wake_.wait_for(lock, trouble_.empty() ? gather : try_again,
                           [this] { return hurry_ || (stopping_ && trouble_.empty()); });
            write(lock, std::exchange(hurry_, false));
            done_.notify_all();
        }
    }

    void write(std::unique_lock<std::mutex>& lock, bool synced) {
        std::vector<Event> events = std::move(waiting_);
        waiting_.clear();
        lock.unlock();
        std::string trouble;
        try {
            lab_->record(events);
            if (synced) lab_->sync_log();
        } catch (const std::exception& problem) {
            trouble = problem.what();
        }
        lock.lock();
        trouble_ = trouble;
        if (trouble_.empty()) {
            written_ += events.size();
            if (synced) synced_ = written_;
            return;
        }
        ++failures_;
        events.insert(events.end(), std::make_move_iterator(waiting_.begin()), std::make_move_iterator(waiting_.end()));
        waiting_ = std::move(events);
    }

    std::unique_ptr<LabFile> lab_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    std::vector<Event> waiting_;
    std::string trouble_;
    std::uint64_t recorded_ = 0;  // events taken
    std::uint64_t written_ = 0;   // events in the file
    std::uint64_t synced_ = 0;    // events that would outlast a power cut
    std::uint64_t failures_ = 0;  // writes that failed
    bool paused_ = false;
    bool hurry_ = false;
    bool stopping_ = false;
    std::thread thread_;
};

LabRecorder::LabRecorder(const std::filesystem::path& lab) : worker_(std::make_unique<Worker>(lab)) {}

LabRecorder::~LabRecorder() = default;

void LabRecorder::record(const Event& event) {
    worker_->record(event);
}

bool LabRecorder::flush() {
    return worker_->flush();
}

std::string LabRecorder::close() {
    return worker_->close();
}

std::string LabRecorder::trouble() const {
    return worker_->trouble();
}

}  // namespace ropelab
