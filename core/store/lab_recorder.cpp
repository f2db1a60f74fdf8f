#include "core/store/lab_recorder.h"

#include <chrono>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

#include "core/store/lab_file.h"

namespace ropelab {

namespace {
constexpr std::chrono::milliseconds gather{150};      // between the first event and the write
constexpr std::chrono::milliseconds try_again{1000};  // after a write that failed
constexpr int last_tries = 3;                         // of the destructor
}  // namespace

//   any thread:       record ──► waiting_                      flush: waits until written_ or failures_ moves on
//   worker's thread:             waiting_ ──► LabFile::record ──► written_
struct LabRecorder::Worker {
    explicit Worker(const std::filesystem::path& path) : lab_(LabFile::open(path)), thread_([this] { work(); }) {}

    ~Worker() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        thread_.join();
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

    void flush() {
        std::unique_lock lock(mutex_);
        const std::uint64_t goal = recorded_;
        const std::uint64_t failures = failures_;
        if (written_ >= goal) return;
        hurry_ = true;
        wake_.notify_all();
        done_.wait(lock, [&] { return written_ >= goal || failures_ > failures; });
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
            wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            if (stopping_ && tries_left-- == 0) return;
            wake_.wait_for(lock, trouble_.empty() ? gather : try_again, [this] { return hurry_ || stopping_; });
            hurry_ = false;
            write(lock);
            done_.notify_all();
        }
    }

    void write(std::unique_lock<std::mutex>& lock) {
        std::vector<Event> events = std::move(waiting_);
        waiting_.clear();
        lock.unlock();
        std::string trouble;
        try {
            lab_->record(events);
        } catch (const std::exception& problem) {
            trouble = problem.what();
        }
        lock.lock();
        trouble_ = trouble;
        if (trouble_.empty()) {
            written_ += events.size();
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

void LabRecorder::flush() {
    worker_->flush();
}

std::string LabRecorder::trouble() const {
    return worker_->trouble();
}

}  // namespace ropelab
