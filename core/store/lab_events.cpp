#include <sqlite3.h>

#include <chrono>
#include <map>
#include <thread>

#include "core/store/lab_database.h"

namespace ropelab {

namespace {

/// Deletes everything that was recorded for a run after `iteration`.
void drop_after(const sqlite::Connection& database, RunId run, std::int64_t iteration) {
    database.query("DELETE FROM step WHERE run = ? AND iteration > ?").with(run, iteration).run();
    database.query("DELETE FROM evaluation WHERE run = ? AND iteration > ?").with(run, iteration).run();
    database.query("DELETE FROM sample WHERE run = ? AND iteration > ?").with(run, iteration).run();
    database.query("DELETE FROM snapshot WHERE run = ? AND iteration > ?").with(run, iteration).run();
    database.query("DELETE FROM summary WHERE run = ? AND iterations > ?").with(run, iteration).run();
}

/// Stores events. The caller must have begun a transaction.
class EventWriter {
 public:
    EventWriter(const sqlite::Connection& database, const std::string& writer) : database_(database), writer_(writer) {}

    void operator()(const event::CohortStarted& started) {
        for (const RunId run : started.runs) {
            if (!is_stored(run)) continue;
            drop_after(database_, run, started.iteration);
            // The summary and the measurements describe the previous end of the run, so a resumed run has none.
            database_.query("DELETE FROM summary WHERE run = ?").with(run).run();
            database_.query("DELETE FROM measurement WHERE run = ?").with(run).run();
            database_.query("UPDATE run SET state = 'running', message = '', writer = ? WHERE id = ?")
                .with(writer_, run)
                .run();
            const RunConditions& conditions = started.conditions;
            database_
                .query(
                    "INSERT OR REPLACE INTO conditions (run, precision, device, threads, reason, kernels, clock) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)")
                .with(run, conditions.precision, conditions.device, conditions.threads, conditions.reason,
                      conditions.graphs, conditions.clock)
                .run();
        }
    }

    void operator()(const event::Step& step) {
        if (!is_stored(step.run)) return;
        database_
            .query(
                "INSERT OR REPLACE INTO step (run, iteration, training_loss, gradient_norm, learning_rate, time) "
                "VALUES (?, ?, ?, ?, ?, ?)")
            .with(step.run, step.iteration, step.training_loss, step.gradient_norm, step.learning_rate, step.time)
            .run();
    }

    void operator()(const event::Evaluated& evaluated) {
        if (!is_stored(evaluated.run)) return;
        database_
            .query(
                "INSERT OR REPLACE INTO evaluation (run, iteration, training_loss, validation_loss, time) "
                "VALUES (?, ?, ?, ?, ?)")
            .with(evaluated.run, evaluated.iteration, evaluated.training_loss, evaluated.validation_loss,
                  evaluated.time)
            .run();
    }

    void operator()(const event::Sampled& sampled) {
        if (!is_stored(sampled.run)) return;
        database_.query("INSERT OR REPLACE INTO sample (run, iteration, text) VALUES (?, ?, ?)")
            .with(sampled.run, sampled.iteration, sampled.text)
            .run();
    }

    void operator()(const event::Probed& probed) {
        if (is_stored(probed.run)) write_snapshot(database_, probed);
    }

    void operator()(const event::Progress& progress) {
        database_.query("UPDATE run SET state = ? WHERE state = ? AND writer = ?")
            .with(progress.paused ? "paused" : "running", progress.paused ? "running" : "paused", writer_)
            .run();
    }

    void operator()(const event::RunEnded& ended) {
        if (!is_stored(ended.run)) return;
        database_.query("UPDATE run SET state = ?, message = ?, writer = '' WHERE id = ?")
            .with(to_string(ended.state), ended.message, ended.run)
            .run();
        const RunSummary& summary = ended.summary;
        database_
            .query(
                "INSERT OR REPLACE INTO summary (run, iterations, best_validation_loss, best_iteration, "
                "final_validation_loss, whole_evaluated, whole_validation_loss, final_training_loss, seconds, "
                "tokens_per_second, test_loss) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .with(ended.run, summary.iterations, summary.best_validation_loss, summary.best_iteration,
                  summary.final_validation_loss, static_cast<int>(summary.whole_validation_loss.has_value()),
                  summary.whole_validation_loss.value_or(0), summary.final_training_loss, summary.seconds,
                  summary.tokens_per_second, summary.test_loss.value_or(RunSummary::unknown))
            .run();
    }

    // If a whole sweep fails, some of its runs have no RunEnded event.
    void operator()(const event::SweepEnded& ended) {
        const bool failed = ended.state == RunState::failed;
        database_.query("UPDATE run SET state = ?, message = ? WHERE state IN ('running', 'paused') AND writer = ?")
            .with(failed ? "failed" : "stopped", failed ? ended.message : "", writer_)
            .run();
        // Runs that never started are released, so that another program can train them.
        database_.query("UPDATE run SET writer = '' WHERE writer = ?").with(writer_).run();
    }

 private:
    bool is_stored(RunId run) {
        const auto known = stored_.find(run);
        if (known != stored_.end()) return known->second;
        return stored_[run] = database_.query("SELECT 1 FROM run WHERE id = ?").with(run).next();
    }

    const sqlite::Connection& database_;
    const std::string& writer_;
    std::map<RunId, bool> stored_;
};

}  // namespace

void LabFile::require_same_file() const {
    struct stat now {};
    if (::stat(path_.c_str(), &now) != 0) {
        throw LabLost(path_.string() + " was removed or renamed while it was in use", true);
    }
    if (now.st_dev != database_->place.st_dev || now.st_ino != database_->place.st_ino) {
        throw LabLost(path_.string() + " was replaced by another file while it was in use", true);
    }
}

namespace {

// Throws LabLost if the file was cut or overwritten since this connection last wrote it. Its time of change differs too
// if another program has merged the log into it.
void require_same_content(const std::filesystem::path& path, const struct stat& place, const std::string& origin) {
    struct stat now {};
    if (::stat(path.c_str(), &now) != 0) return;
    const auto is_equal = [](const timespec& a, const timespec& b) {
        return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
    };
    if (now.st_size == place.st_size && is_equal(now.st_mtim, place.st_mtim)) return;
    constexpr int attempts = 10;
    for (int i = 0; i < attempts && now.st_size >= place.st_size; ++i) {
        try {
            const std::optional<std::string> found = origin_of(path);
            if (found && (found->empty() || origin.empty() || *found == origin)) return;
        } catch (const std::exception&) {
            return;  // the log is being merged into it; the next write looks again
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    throw LabLost(path.string() + " was cut or overwritten by another program while it was in use", false);
}

}  // namespace

void LabFile::record(std::span<const Event> events) {
    if (events.empty()) return;
    const sqlite::Connection& database = database_->connection;
    require_same_file();
    require_same_content(path_, database_->place, database_->origin);
    sqlite::Transaction transaction(database);
    EventWriter writer(database, database_->writer);
    for (const Event& event : events) std::visit(writer, event);
    transaction.commit();
    struct stat now {};
    if (::stat(path_.c_str(), &now) == 0 && now.st_ino == database_->place.st_ino) {
        database_->place.st_size = now.st_size;
        database_->place.st_mtim = now.st_mtim;
    }
    struct stat log {};
    database_->log = ::stat((path_.string() + "-wal").c_str(), &log) == 0 ? log.st_ino : 0;
}

void LabFile::abandon() {
    database_->abandoned = true;
    sqlite3_db_config(database_->connection.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    struct stat log {};
    const std::string name = path_.string() + "-wal";
    if (::stat(name.c_str(), &log) != 0 || log.st_ino != database_->log) return;  // the log of another program
    std::error_code error;
    std::filesystem::remove(name, error);
    std::filesystem::remove(path_.string() + "-shm", error);
}

void LabFile::discard_after(RunId id, std::int64_t iteration) {
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    drop_after(database, id, iteration);
    transaction.commit();
}

}  // namespace ropelab
