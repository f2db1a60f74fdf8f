#include <algorithm>
#include <fstream>

#include "core/base/error.h"
#include "core/store/lab_database.h"
#include "core/store/lab_file.h"
#include "core/store/output_file.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;

/// Files and folders that are removed when it goes out of scope.
struct Leftovers {
    std::vector<fs::path> paths;
    ~Leftovers() {
        std::error_code error;
        for (const fs::path& path : paths) fs::remove_all(path, error);
    }
};

// SQLite would replay a remaining log into the copy that overwrites the lab.
void settle(const fs::path& target) {
    require_own_log(target);
    sqlite::Connection database(target, sqlite::Access::write);
    if (database.number("PRAGMA application_id") != lab_application_id) {
        throw BadInput(target.string() + " is not a RoPE Lab file; choose another name.");
    }
    if (database.read_only()) throw BadInput(target.string() + " is read-only; choose another name.");
    if (database.set_write_ahead_log(false)) {
        throw BadInput(target.string() +
                       " is open in another window or program; close it there, or choose another name.");
    }
}

void prepare(const fs::path& target) {
    std::error_code error;
    if (fs::exists(target, error)) {
        if (!fs::is_regular_file(target, error)) {
            throw BadInput(target.string() + " is not a file; choose another name.");
        }
        settle(target);
        return;
    }
    prepare_new_lab(target);
}

// Ended between two steps, it leaves a lab without checkpoints, never one with those of another. If replacing the lab
// fails, the checkpoints are back in place.
void swap_in(const fs::path& file, const fs::path& checkpoints, const fs::path& target, Leftovers& leftovers) {
    const fs::path target_checkpoints = checkpoint_folder_of(target);
    const fs::path old = temporary_beside(target_checkpoints);
    const bool had_old = fs::exists(target_checkpoints);
    if (had_old) fs::rename(target_checkpoints, old);
    try {
        fs::rename(file, target);
    } catch (...) {
        std::error_code error;
        if (had_old) fs::rename(old, target_checkpoints, error);
        throw;
    }
    leftovers.paths.push_back(old);
    sync(fs::absolute(target).parent_path());
    fs::rename(checkpoints, target_checkpoints);
    sync(fs::absolute(target).parent_path());
}

}  // namespace

void LabFile::save_as(const fs::path& given) const {
    const fs::path target = lab_file_of(given);
    std::error_code error;
    if (fs::equivalent(path_, target, error)) {
        throw BadInput(target.string() + " is the open lab file itself; choose another file name.");
    }
    try {
        prepare(target);
        const fs::path file = temporary_beside(target);
        const fs::path checkpoints = temporary_beside(checkpoint_folder_of(target));
        Leftovers leftovers{{file, checkpoints, fs::path(file) += "-wal", fs::path(file) += "-shm"}};

        // Checkpoints before metrics, so that copied metrics of a training run reach at least to its checkpoint.
        fs::create_directory(checkpoints);
        sqlite::Query row = database_->connection.query("SELECT id FROM run");
        while (row.next()) {
            const fs::path checkpoint = checkpoint_path(row.integer(0));
            if (fs::exists(checkpoint)) copy_file_synced(checkpoint, checkpoints / checkpoint.filename());
        }
        if (!std::ofstream(file))
            throw BadInput(target.string() + " cannot be written; choose a folder that you may write to.");
        {
            sqlite::Connection copy(file, sqlite::Access::write);
            database_->connection.back_up_to(copy);
            // The copy must not have a log, because renaming the file would leave the log behind.
            if (copy.set_write_ahead_log(false))
                throw BadInput(target.string() + " cannot be written as a single file.");
        }
        sync(file);
        swap_in(file, checkpoints, target, leftovers);
    } catch (const fs::filesystem_error& problem) {
        throw_file_error("The lab", ("saved as " + target.string()).c_str(), problem.code().value());
    }
}

namespace {

/// The attached database is called "other".
class Attachment {
 public:
    Attachment(const sqlite::Connection& database, const std::string& uri) : database_(database) {
        database_.change("ATTACH ? AS other", uri);
    }
    ~Attachment() {
        try {
            database_.run("DETACH other");
        } catch (const std::exception&) {  // closing the connection detaches it
        }
    }
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;

 private:
    const sqlite::Connection& database_;
};

/// Names are temporary until the transaction that adds the runs has been committed.
class StagedCheckpoints {
 public:
    StagedCheckpoints() = default;
    StagedCheckpoints(const StagedCheckpoints&) = delete;
    StagedCheckpoints& operator=(const StagedCheckpoints&) = delete;
    ~StagedCheckpoints() {
        std::error_code error;
        for (const auto& [temporary, target] : files_) fs::remove(temporary, error);
    }
    void add(const fs::path& from, const fs::path& target) {
        files_.emplace_back(temporary_beside(target), target);
        copy_file_synced(from, files_.back().first);
    }
    void move_into_place() {
        for (const auto& [temporary, target] : files_) fs::rename(temporary, target);
        if (!files_.empty()) sync(files_.front().second.parent_path());
        files_.clear();
    }

 private:
    std::vector<std::pair<fs::path, fs::path>> files_;
};

// EXCEPT treats two NULLs (NaN) as equal, unlike =. Imported runs may have neither steps nor evaluations.
constexpr const char* same_measurements = R"sql(
    SELECT (SELECT COUNT(*) FROM main.step WHERE run = ?1) = (SELECT COUNT(*) FROM other.step WHERE run = ?2)
       AND (SELECT COUNT(*) FROM main.evaluation WHERE run = ?1) =
           (SELECT COUNT(*) FROM other.evaluation WHERE run = ?2)
       AND NOT EXISTS (
           SELECT iteration, training_loss, gradient_norm, learning_rate FROM main.step WHERE run = ?1
           EXCEPT
           SELECT iteration, training_loss, gradient_norm, learning_rate FROM other.step WHERE run = ?2)
       AND NOT EXISTS (
           SELECT iteration, training_loss, validation_loss FROM main.evaluation WHERE run = ?1
           EXCEPT
           SELECT iteration, training_loss, validation_loss FROM other.evaluation WHERE run = ?2)
       AND (EXISTS (SELECT 1 FROM main.evaluation WHERE run = ?1) OR EXISTS (SELECT 1 FROM main.step WHERE run = ?1) OR
            (SELECT COUNT(*) FROM main.measurement WHERE run = ?1) =
                (SELECT COUNT(*) FROM other.measurement WHERE run = ?2)
            AND NOT EXISTS (SELECT name, value FROM main.measurement WHERE run = ?1
                            EXCEPT SELECT name, value FROM other.measurement WHERE run = ?2)
            AND NOT EXISTS (SELECT best_validation_loss, final_training_loss FROM main.summary WHERE run = ?1
                            EXCEPT SELECT best_validation_loss, final_training_loss FROM other.summary WHERE run = ?2)))sql";

// A run that is being trained in the other lab is not being trained in this one, so its copy is marked as stopped.
constexpr const char* copy_run = R"sql(
    INSERT INTO main.run (experiment, name, note, settings, vocabulary, state, message, text_name, text_bytes,
                          text_sha256, bytes_per_token)
    SELECT ?2, name, note, settings, vocabulary,
           CASE WHEN state IN ('running', 'paused') THEN 'stopped' ELSE state END, message,
           text_name, text_bytes, text_sha256, bytes_per_token
    FROM other.run WHERE id = ?1)sql";

constexpr const char* copies_of_parts[] = {
    "INSERT INTO main.conditions SELECT ?2, precision, device, threads, reason, kernels, clock FROM other.conditions "
    "WHERE run = ?1",
    "INSERT INTO main.summary SELECT ?2, iterations, best_validation_loss, best_iteration, final_validation_loss, "
    "whole_evaluated, whole_validation_loss, final_training_loss, seconds, tokens_per_second, test_loss "
    "FROM other.summary WHERE run = ?1",
    "INSERT INTO main.step SELECT ?2, iteration, training_loss, gradient_norm, learning_rate, time "
    "FROM other.step WHERE run = ?1",
    "INSERT INTO main.evaluation SELECT ?2, iteration, training_loss, validation_loss, time "
    "FROM other.evaluation WHERE run = ?1",
    "INSERT INTO main.sample SELECT ?2, iteration, text FROM other.sample WHERE run = ?1",
    "INSERT INTO main.snapshot SELECT ?2, iteration, part, shape, type, numbers FROM other.snapshot WHERE run = ?1",
    "INSERT INTO main.measurement SELECT ?2, name, value FROM other.measurement WHERE run = ?1",
};

// Later work may be done on either copy of a run, so that a run which both labs have gets the results that it lacks.
constexpr const char* copy_later_results = R"sql(
    INSERT INTO main.run_result (run, kind, text, created)
    SELECT ?2, kind, text, created FROM other.run_result AS there
    WHERE run = ?1 AND NOT EXISTS (
        SELECT 1 FROM main.run_result AS here
        WHERE here.run = ?2 AND here.kind = there.kind AND here.text = there.text AND here.created = there.created)
    ORDER BY id)sql";

// Colours and names of this lab never change: a colour of the other lab is adopted only if it is free here. A named
// setting whose colour is not free gets one after all others, so that its name is kept.
constexpr const char* copy_looks = R"sql(
    UPDATE main.setting_look
    SET name = (SELECT there.name FROM other.setting_look AS there WHERE there.settings = setting_look.settings)
    WHERE name = '' AND settings IN (SELECT settings FROM other.setting_look);
    INSERT INTO main.setting_look (settings, color, pinned, name)
    SELECT settings, color, pinned, name FROM other.setting_look AS there
    WHERE settings NOT IN (SELECT settings FROM main.setting_look)
      AND color NOT IN (SELECT color FROM main.setting_look)
    ORDER BY there.id;
    INSERT INTO main.setting_look (settings, color, pinned, name)
    SELECT settings, (SELECT MAX(color) FROM main.setting_look) + ROW_NUMBER() OVER (ORDER BY id), 0, name
    FROM other.setting_look
    WHERE name <> '' AND settings NOT IN (SELECT settings FROM main.setting_look)
    ORDER BY id)sql";

// A merged run (those from ?1 on) that differs from a run of its name in the seed alone gets the seed into its name, as
// runs of one sweep have it: "θ 100, 100 %, seed 3" beside "θ 100, 100 %, seed 1".
constexpr const char* name_seeds = R"sql(
    UPDATE main.run SET name = COALESCE(name || ', seed ' || json_extract(settings, '$.seed'), name)
    WHERE id >= ?1 AND CASE WHEN json_valid(settings) THEN
        (json_remove(settings, '$.seed'), name) IN (
            SELECT json_remove(settings, '$.seed'), substr(name, 1, instr(name || ', seed ', ', seed ') - 1)
            FROM main.run WHERE deleted = 0 AND CASE WHEN json_valid(settings) THEN
                json_extract(settings, '$.imported') IS NULL END
            GROUP BY 1, 2 HAVING COUNT(DISTINCT json_extract(settings, '$.seed')) > 1) END)sql";

// Answers have names that are unique among all labs.
constexpr const char* copy_answers = R"sql(
    INSERT OR IGNORE INTO main.answer (name, lecture, scene, question, kind, given, truth, details, is_right, distance,
                                       people, created, group_name)
    SELECT name, lecture, scene, question, kind, given, truth, details, is_right, distance, people, created, group_name
    FROM other.answer ORDER BY id)sql";

struct Incoming {
    RunId id;
    std::int64_t experiment;
    std::string settings;
};

/// Each run matches at most one of the other lab, so that intentional duplicates remain.
struct Present {
    RunId id;
    std::string settings;
    bool matched = false;
};

// Added unless an earlier merge has added the same one (with the same name, description and time).
std::int64_t imported_experiment(const sqlite::Connection& database, std::int64_t other) {
    sqlite::Query known = database.query(
        "SELECT here.id FROM main.experiment AS here JOIN other.experiment AS there "
        "USING (name, description, created) WHERE there.id = ?");
    if (known.with(other).next()) return known.integer(0);
    database.change(
        "INSERT INTO main.experiment (name, description, created) "
        "SELECT name, description, created FROM other.experiment WHERE id = ?",
        other);
    const std::int64_t id = database.last_id();
    database.change(
        "INSERT INTO main.document (experiment, kind, text, created) "
        "SELECT ?2, kind, text, created FROM other.document WHERE experiment = ?1",
        other, id);
    database.change(
        "INSERT INTO main.experiment_precision (experiment, precision, reason) "
        "SELECT ?2, precision, reason FROM other.experiment_precision WHERE experiment = ?1",
        other, id);
    return id;
}

}  // namespace

int LabFile::merge(const fs::path& other) {
    std::error_code error;
    if (fs::equivalent(path_, other, error)) {
        throw BadInput(other.string() + " is the open lab file itself; choose another lab file.");
    }
    const std::unique_ptr<LabFile> source = open(other, Mode::read);  // throws if it is not a valid lab
    const sqlite::Connection& database = database_->connection;
    StagedCheckpoints checkpoints;
    std::vector<RunId> added;
    const Attachment attachment(database, sqlite::uri(other, source->database_->access));
    sqlite::Transaction transaction(database);

    std::vector<Present> present =
        database.all("SELECT id, settings FROM main.run WHERE deleted = 0 ORDER BY id", [](const sqlite::Query& row) {
            return Present{row.integer(0), row.text(1)};
        });
    const std::vector<Incoming> incoming = database.all(
        "SELECT id, experiment, settings FROM other.run WHERE deleted = 0 ORDER BY id", [](const sqlite::Query& row) {
            return Incoming{row.integer(0), row.integer(1), row.text(2)};
        });
    const auto add_checkpoint = [&](RunId from, RunId to) {
        const fs::path checkpoint = source->checkpoint_path(from);
        if (!fs::exists(checkpoint, error)) return;
        checkpoint_folder();  // creates it
        checkpoints.add(checkpoint, checkpoint_path(to));
    };
    for (const Incoming& run : incoming) {
        const auto same = std::find_if(present.begin(), present.end(), [&](const Present& known) {
            if (known.matched || known.settings != run.settings) return false;
            sqlite::Query compared = database.query(same_measurements);
            return compared.with(known.id, run.id).next() && compared.integer(0) != 0;
        });
        if (same != present.end()) {
            same->matched = true;
            database.change(copy_later_results, run.id, same->id);
            // A merge that was killed leaves runs without their checkpoints.
            if (!fs::exists(checkpoint_path(same->id), error)) add_checkpoint(run.id, same->id);
            continue;
        }
        const std::int64_t experiment = imported_experiment(database, run.experiment);
        database.change(copy_run, run.id, experiment);
        const RunId id = database.last_id();
        for (const char* copy : copies_of_parts) database.change(copy, run.id, id);
        database.change(copy_later_results, run.id, id);
        add_checkpoint(run.id, id);
        added.push_back(id);
    }
    if (!added.empty()) database.change(name_seeds, added.front());
    database.run(copy_looks);
    database.run(copy_answers);
    transaction.commit();
    try {
        checkpoints.move_into_place();
    } catch (const fs::filesystem_error& problem) {
        throw_file_error("A checkpoint from " + other.string(), ("moved into " + checkpoint_folder().string()).c_str(),
                         problem.code().value());
    }
    return static_cast<int>(added.size());
}

}  // namespace ropelab
