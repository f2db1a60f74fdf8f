#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <span>
#include <system_error>
#include <thread>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/contract/probe.h"
#include "core/data/utf8.h"
#include "core/store/lab_database.h"
#include "core/store/lab_file.h"
#include "core/store/process_mark.h"

namespace ropelab {

namespace {

std::string counted_runs(std::size_t count) {
    return count == 1 ? "a run" : std::to_string(count) + " runs";
}

}  // namespace

int LabFile::recover(bool other_machines) {
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    const auto marked = database.all("SELECT id, writer FROM run WHERE state IN ('running', 'paused') OR writer <> ''",
                                     [](const sqlite::Query& row) { return std::pair(row.integer(0), row.text(1)); });
    int stopped = 0;
    for (const auto& [id, writer] : marked) {
        if (is_other_live_process(writer) || (!other_machines && !other_host(writer).empty())) continue;
        database.change("UPDATE run SET writer = '' WHERE id = ?", id);
        database.change("UPDATE run SET state = 'stopped' WHERE id = ? AND state IN ('running', 'paused')", id);
        stopped += database.changes();
    }
    transaction.commit();
    return stopped;
}

namespace {

void add_if_foreign(std::vector<ClaimedRun>& foreign, const sqlite::Query& row) {
    const std::string host = other_host(row.text(1));
    if (!host.empty() || is_other_live_process(row.text(1))) foreign.push_back({row.integer(0), host});
}

}  // namespace

std::vector<ClaimedRun> LabFile::claimed_runs() const {
    std::vector<ClaimedRun> foreign;
    sqlite::Query row =
        database_->connection.query("SELECT id, writer FROM run WHERE writer <> '' AND deleted = 0 ORDER BY id");
    while (row.next()) add_if_foreign(foreign, row);
    return foreign;
}

std::string LabFile::words_of(const std::vector<ClaimedRun>& foreign) const {
    std::map<std::string, std::size_t> by_host;
    for (const ClaimedRun& run : foreign) ++by_host[run.host];
    std::string words;
    for (const auto& [host, count] : by_host) {
        if (!words.empty()) words += ' ';
        if (host.empty()) {
            words += "Another program is training " + counted_runs(count) + " of " + path_.string() + "; resume " +
                     (count == 1 ? "it" : "them") + " when that program has ended.";
        } else {
            words += "A program on the machine " + host + " was training " + counted_runs(count) + " of " +
                     path_.string() +
                     ", and this machine cannot find out whether that program still runs; if it has ended, " +
                     "resume with 'ropelab-cli sweep --resume --take-over --lab " + path_.string() + "'.";
        }
    }
    return words;
}

void LabFile::claim(const std::vector<RunId>& runs) {
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    std::vector<ClaimedRun> foreign;
    for (const RunId id : runs) {  // a look at all runs of a large lab takes longer
        sqlite::Query row = database.query("SELECT id, writer FROM run WHERE id = ? AND deleted = 0");
        if (row.with(id).next()) add_if_foreign(foreign, row);
    }
    if (!foreign.empty()) throw BadInput(words_of(foreign));
    for (const RunId id : runs) {
        if (run(id).state == RunState::finished) {
            throw BadInput("Another program has just finished the run \"" + run(id).name + "\" of " + path_.string() +
                           "; resume again to train the remaining runs.");
        }
        database.change("UPDATE run SET writer = ? WHERE id = ?", database_->writer, id);
    }
    transaction.commit();
}

void LabFile::bind_to_text(RunId id, const TextMark& text, bool begins) {
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    if (const auto own = run(id).text) {
        require_same_text(text, *own);
    } else if (begins) {
        {
            sqlite::Query other = database.query(
                "SELECT text_bytes, text_sha256 FROM run WHERE text_name = ? AND text_sha256 <> '' AND deleted = 0 "
                "ORDER BY id LIMIT 1");
            if (other.with(text.name).next()) require_same_text(text, {text.name, other.integer(0), other.text(1)});
        }
        database.change("UPDATE run SET text_name = ?, text_bytes = ?, text_sha256 = ? WHERE id = ?", text.name,
                        text.bytes, text.sha256, id);
    }
    transaction.commit();
}

namespace {

static_assert(std::endian::native == std::endian::little, "blobs are little-endian");

constexpr const char* float32 = "float32";
constexpr const char* share16 = "share16";
constexpr float share16_scale = 65535.0F;  // stored value of an attention weight of 1

std::string text_of(const std::vector<std::int64_t>& shape) {
    return joined(shape, ",", [](std::int64_t size) { return std::to_string(size); });
}

/// Empty if the text is not a shape of `count` numbers.
std::vector<std::int64_t> shape_of(const std::string& text, std::int64_t count) {
    if (count == 0) return text == "0" ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>();
    std::vector<std::int64_t> shape;
    std::int64_t product = 1;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at < end;) {
        std::int64_t length = 0;
        const auto [after, error] = std::from_chars(at, end, length);
        const bool is_length = error == std::errc{} && length > 0 && length <= count / product;
        if (!is_length || (after != end && *after != ',')) return {};
        product *= length;
        shape.push_back(length);
        at = after == end ? end : after + 1;
    }
    if (product != count) return {};
    return shape;
}

/// The attention weights: by far the largest part, and between 0 and 1.
bool is_stored_in_16_bits(const NamedTensor& part) {
    return part.name == "attention";
}

std::vector<std::byte> bytes_of(const NamedTensor& part) {
    const auto copied = [](const auto& numbers) {
        std::vector<std::byte> bytes(numbers.size() * sizeof(numbers[0]));
        if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
        return bytes;
    };
    if (!is_stored_in_16_bits(part)) return copied(part.values);
    std::vector<std::uint16_t> weights;
    for (const float weight : part.values) {
        // Values that are not finite, in a run that diverged, are stored as 0.
        weights.push_back(static_cast<std::uint16_t>(
            std::lround(std::isfinite(weight) ? std::clamp(weight, 0.0F, 1.0F) * share16_scale : 0)));
    }
    return copied(weights);
}

/// Columns: part, shape, type and numbers.
NamedTensor part_of(const sqlite::Query& row) {
    NamedTensor part{row.text(0), {}, {}};
    const std::vector<std::byte> bytes = row.bytes(3);
    if (row.text(2) == share16) {
        std::vector<std::uint16_t> weights(bytes.size() / sizeof(std::uint16_t));
        if (!weights.empty()) std::memcpy(weights.data(), bytes.data(), weights.size() * sizeof(std::uint16_t));
        for (const std::uint16_t weight : weights) part.values.push_back(static_cast<float>(weight) / share16_scale);
    } else {
        part.values.resize(bytes.size() / sizeof(float));
        if (!part.values.empty()) std::memcpy(part.values.data(), bytes.data(), part.values.size() * sizeof(float));
    }
    part.shape = shape_of(row.text(1), std::ssize(part.values));
    if (part.shape.empty()) {
        throw BadInput("The part \"" + part.name + "\" of a stored measurement (snapshot) has " +
                       std::to_string(part.values.size()) + " numbers, which do not fill its shape \"" + row.text(1) +
                       "\"; the lab file is damaged.");
    }
    return part;
}

/// The caller must have begun a transaction.
void write_snapshot(const sqlite::Connection& database, const event::Probed& probed) {
    // A resumed run probes again, but cannot measure the training step before it: its three measurements stay.
    database.change(
        "DELETE FROM snapshot WHERE run = ? AND iteration = ? AND "
        "part NOT IN ('gradient_norm', 'update_ratio', 'accumulated_update')",
        probed.run, probed.iteration);
    for (const NamedTensor& part : parts_of(*probed.result)) {
        const std::vector<std::byte> bytes = bytes_of(part);
        database.change(
            "INSERT OR REPLACE INTO snapshot (run, iteration, part, shape, type, numbers) VALUES (?, ?, ?, ?, ?, "
            "?)",
            probed.run, probed.iteration, part.name, text_of(part.shape),
            is_stored_in_16_bits(part) ? share16 : float32, std::span(bytes));
    }
}

}  // namespace

std::vector<std::int64_t> LabFile::snapshots(RunId id) const {
    constexpr int most = 1000;  // a run has about 100 (probes_at), a stranger's file could have millions
    auto newest = database_->connection.all(
        "SELECT iteration FROM snapshot WHERE run = ? AND part IN (?, ?) ORDER BY iteration DESC LIMIT ?",
        [](const sqlite::Query& row) { return row.integer(0); }, id, "sequences",
        earlier_name(Alias::Kind::snapshot, "sequences"), most);
    std::reverse(newest.begin(), newest.end());
    return newest;
}

std::optional<ProbeResult> LabFile::snapshot(RunId id, std::int64_t iteration) const {
    const auto parts = database_->connection.all(
        "SELECT part, shape, type, numbers FROM snapshot WHERE run = ? AND iteration = ?", part_of, id, iteration);
    if (parts.empty()) return std::nullopt;
    ProbeResult result = probe_result_of(parts);
    sqlite::Query context = database_->connection.query(
        "SELECT CASE WHEN json_valid(settings) THEN json_extract(settings, '$.context') END FROM run WHERE id = ?");
    context.with(id).next();
    const std::int64_t most = context.null(0) ? RunSpec{}.context : context.integer(0);
    if (result.length <= most) return result;
    throw BadInput("The measurement (snapshot) of step " + std::to_string(iteration) + " of run " + std::to_string(id) +
                   " in " + path_.string() + " has sequences of " + std::to_string(result.length) +
                   " tokens, but the context of the run is " + std::to_string(most) + "; the lab file is damaged.");
}

namespace {

void drop_after(const sqlite::Connection& database, RunId run, std::int64_t iteration) {
    database.change("DELETE FROM step WHERE run = ? AND iteration > ?", run, iteration);
    database.change("DELETE FROM evaluation WHERE run = ? AND iteration > ?", run, iteration);
    database.change("DELETE FROM sample WHERE run = ? AND iteration > ?", run, iteration);
    database.change("DELETE FROM snapshot WHERE run = ? AND iteration > ?", run, iteration);
    database.change("DELETE FROM summary WHERE run = ? AND iterations > ?", run, iteration);
}

/// The caller must have begun a transaction.
class EventWriter {
 public:
    EventWriter(const sqlite::Connection& database, const std::string& writer) : database_(database), writer_(writer) {}

    void operator()(const event::CohortStarted& started) {
        for (const RunId run : started.runs) {
            if (!is_stored(run)) continue;
            drop_after(database_, run, started.iteration);
            // The summary and the measurements describe the previous end of the run, so a resumed run has none.
            database_.change("DELETE FROM summary WHERE run = ?", run);
            database_.change("DELETE FROM measurement WHERE run = ?", run);
            database_.change("UPDATE run SET state = 'running', message = '', writer = ? WHERE id = ?", writer_, run);
            const RunConditions& conditions = started.conditions;
            database_.change(
                "INSERT OR REPLACE INTO conditions (run, precision, device, threads, reason, kernels, clock) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                run, conditions.precision, conditions.device, conditions.threads, conditions.reason, conditions.graphs,
                conditions.clock);
        }
    }

    void operator()(const event::Step& step) {
        if (!is_stored(step.run)) return;
        database_.change(
            "INSERT OR REPLACE INTO step (run, iteration, training_loss, gradient_norm, learning_rate, time) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            step.run, step.iteration, step.training_loss, step.gradient_norm, step.learning_rate, step.time);
    }

    void operator()(const event::Evaluated& evaluated) {
        if (!is_stored(evaluated.run)) return;
        database_.change(
            "INSERT OR REPLACE INTO evaluation (run, iteration, training_loss, validation_loss, time) "
            "VALUES (?, ?, ?, ?, ?)",
            evaluated.run, evaluated.iteration, evaluated.training_loss, evaluated.validation_loss, evaluated.time);
    }

    void operator()(const event::Sampled& sampled) {
        if (!is_stored(sampled.run)) return;
        constexpr const char* sql = "INSERT OR REPLACE INTO sample (run, iteration, text) VALUES (?, ?, ?)";
        // Other programs require that text is UTF-8, and a model of bytes generates any bytes: these are a blob then.
        if (first_invalid_utf8(sampled.text)) {
            database_.change(sql, sampled.run, sampled.iteration, std::as_bytes(std::span(sampled.text)));
        } else {
            database_.change(sql, sampled.run, sampled.iteration, sampled.text);
        }
    }

    void operator()(const event::Probed& probed) {
        if (is_stored(probed.run)) write_snapshot(database_, probed);
    }

    void operator()(const event::Progress& progress) {
        database_.change("UPDATE run SET state = ? WHERE state = ? AND writer = ?",
                         progress.paused ? "paused" : "running", progress.paused ? "running" : "paused", writer_);
    }

    void operator()(const event::RunEnded& ended) {
        if (!is_stored(ended.run)) return;
        database_.change("UPDATE run SET state = ?, message = ?, writer = '' WHERE id = ?", to_string(ended.state),
                         ended.message, ended.run);
        const RunSummary& summary = ended.summary;
        database_.change(
            "INSERT OR REPLACE INTO summary (run, iterations, best_validation_loss, best_iteration, "
            "final_validation_loss, whole_evaluated, whole_validation_loss, final_training_loss, seconds, "
            "tokens_per_second, test_loss) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ended.run, summary.iterations, summary.best_validation_loss, summary.best_iteration,
            summary.final_validation_loss, static_cast<int>(summary.whole_validation_loss.has_value()),
            summary.whole_validation_loss.value_or(0), summary.final_training_loss, summary.seconds,
            summary.tokens_per_second, summary.test_loss.value_or(RunSummary::unknown));
    }

    // If a whole sweep fails, some of its runs have no RunEnded event.
    void operator()(const event::SweepEnded& ended) {
        const bool failed = ended.state == RunState::failed;
        database_.change("UPDATE run SET state = ?, message = ? WHERE state IN ('running', 'paused') AND writer = ?",
                         failed ? "failed" : "stopped", failed ? ended.message : "", writer_);
        // Runs that never started are released, so that another program can train them.
        database_.change("UPDATE run SET writer = '' WHERE writer = ?", writer_);
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

// The time of change differs too if another program has merged the log into the file.
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

namespace {

constexpr const char* copies_of_history[] = {
    "INSERT INTO step (run, iteration, training_loss, gradient_norm, learning_rate, time) "
    "SELECT ?2, iteration, training_loss, gradient_norm, learning_rate, time FROM step WHERE run = ?1 AND "
    "iteration <= ?3 AND ?4 = ?4",
    "INSERT INTO evaluation (run, iteration, training_loss, validation_loss, time) "
    "SELECT ?2, iteration, training_loss, validation_loss, time FROM evaluation WHERE run = ?1 AND "
    "iteration <= ?3 AND iteration <> ?4",
    "INSERT INTO sample SELECT ?2, iteration, text FROM sample WHERE run = ?1 AND iteration <= ?3 AND iteration <> ?4",
    "INSERT INTO snapshot SELECT ?2, iteration, part, shape, type, numbers FROM snapshot WHERE run = ?1 AND "
    "iteration <= ?3 AND iteration <> ?4",
};

}  // namespace

void LabFile::copy_history(RunId from, RunId to, std::int64_t iteration, std::int64_t without,
                           const RunSummary& summary) {
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    const RunRecord shorter = run(from);  // throws if there is no such run
    for (const char* copy : copies_of_history) database.change(copy, from, to, iteration, without);
    database.change(
        "INSERT OR REPLACE INTO conditions SELECT ?2, precision, device, threads, reason, kernels, '' FROM "
        "conditions WHERE run = ?1",
        from, to);
    if (!shorter.vocabulary.empty()) set_vocabulary(to, shorter.vocabulary, shorter.bytes_per_token);
    if (shorter.text) bind_to_text(to, *shorter.text, true);
    record(std::vector<Event>{event::RunEnded{to, RunState::stopped, "", summary}});
    transaction.commit();
}

}  // namespace ropelab
