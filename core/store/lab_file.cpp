#include "core/store/lab_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <random>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/data/corpus.h"
#include "core/data/json_text.h"
#include "core/store/imported.h"
#include "core/store/lab_database.h"
#include "core/store/output_file.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;

// The write-ahead log must not be used there, because it needs shared memory; SQLite does not detect this. The numbers
// are from linux/magic.h and the sources of the file systems.
bool is_network_file_system(const fs::path& path) {
    constexpr std::array<unsigned long, 11> networks = {
        0x6969,      // NFS
        0x517B,      // SMB
        0xFF534D42,  // CIFS
        0xFE534D42,  // SMB 2
        0x65735546,  // FUSE (sshfs and the like)
        0x01021997,  // 9P
        0x0BD00BD0,  // Lustre
        0x47504653,  // GPFS
        0x19830326,  // BeeGFS
        0x00C36400,  // Ceph
        0x5346414F,  // AFS
    };
    struct statfs status {};
    if (::statfs(path.c_str(), &status) != 0) return false;
    for (const unsigned long network : networks) {
        if ((static_cast<unsigned long>(status.f_type) & 0xFFFFFFFFUL) == network) return true;
    }
    return false;
}

// A lab with a write-ahead log in a read-only folder or on a full disk, where SQLite cannot create the files beside it,
// can be opened only as immutable, that is, with the promise that nobody writes to it.
std::unique_ptr<LabDatabase> opened_for_reading(const fs::path& path) {
    auto database = std::make_unique<LabDatabase>(path, sqlite::Access::read);
    std::error_code error;
    const fs::path log = with_suffix(path, "-wal");
    const bool has_log = fs::exists(log, error) && fs::file_size(log, error) > 0;
    try {
        database->connection.number("SELECT COUNT(*) FROM sqlite_master");
        return database;
    } catch (const std::exception&) {
        const int code = sqlite3_errcode(database->connection.handle()) & 0xFF;
        const bool lacks_files = code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_FULL ||
                                 code == SQLITE_IOERR;  // and not SQLITE_BUSY: another program writes the lab
        if (has_log || !lacks_files) throw;
        return std::make_unique<LabDatabase>(path, sqlite::Access::read_immutable);
    }
}

// A reader cannot remove the log that it creates; closing a write connection does, unless the lab is open elsewhere.
void tidy_after_reading(const fs::path& path) {
    std::error_code error;
    const auto size = fs::file_size(with_suffix(path, "-wal"), error);
    if (error || size > 0 || ::access(path.c_str(), W_OK) != 0) return;
    try {
        sqlite::Connection(path, sqlite::Access::write).number("PRAGMA schema_version");
    } catch (const std::exception&) {
        // Another connection uses the lab and will remove the log.
    }
}

constexpr const char* run_columns = R"(
    SELECT run.id, run.experiment, run.name, run.note, run.settings, run.vocabulary, run.state, run.message,
           conditions.run, conditions.precision, conditions.device, conditions.threads, conditions.reason,
           summary.run, summary.iterations, summary.best_validation_loss, summary.best_iteration,
           summary.final_validation_loss, summary.whole_evaluated, summary.whole_validation_loss,
           summary.final_training_loss, summary.seconds, summary.tokens_per_second,
           (SELECT MAX(iteration) FROM step WHERE step.run = run.id), run.text_name, run.text_bytes, run.text_sha256,
           conditions.kernels,
           (SELECT value FROM measurement WHERE measurement.run = run.id AND
                name IN ('generated_tokens_per_second', 'written_symbols_per_second') ORDER BY name LIMIT 1),
           run.bytes_per_token, conditions.clock, summary.test_loss
    FROM run LEFT JOIN conditions ON conditions.run = run.id LEFT JOIN summary ON summary.run = run.id )";

// If all tokens have the same number; NaN for others.
double fixed_bytes_per_token(const std::string& vocabulary) {
    if (vocabulary.empty() || is_subwords_text(vocabulary)) return RunSummary::unknown;
    try {
        return Vocabulary::from_text(vocabulary).fixed_bytes_per_token().value_or(RunSummary::unknown);
    } catch (const BadInput&) {
        return RunSummary::unknown;
    }
}

RunRecord run_record(const sqlite::Query& row) {
    RunRecord run;
    run.id = row.integer(0);
    run.experiment = row.integer(1);
    run.name = row.text(2);
    run.note = row.text(3);
    run.settings = row.text(4);
    run.vocabulary = row.text(5);
    run.bytes_per_token = row.null(29) ? fixed_bytes_per_token(run.vocabulary) : row.real(29);
    run.state = run_state(row.text(6));
    run.message = row.text(7);
    if (!row.null(8))
        run.conditions =
            RunConditions{row.text(9), row.text(10), row.integer(11), row.text(12), row.text(27), row.text(30)};
    if (!row.null(13)) {
        RunSummary& summary = run.summary.emplace();
        summary.iterations = row.integer(14);
        summary.best_validation_loss = row.real(15);
        summary.best_iteration = row.integer(16);
        summary.final_validation_loss = row.real(17);
        if (row.integer(18) != 0) summary.whole_validation_loss = row.real(19);
        if (!row.null(31)) summary.test_loss = row.real(31);
        summary.final_training_loss = row.real(20);
        summary.seconds = row.real(21);
        summary.tokens_per_second = row.real(22);
        if (!row.null(28)) summary.generated_tokens_per_second = row.real(28);
        summary.bytes_per_token = run.bytes_per_token;
        // Of an imported run it is not known what a token is.
        summary.subwords = is_subwords_text(run.vocabulary) || may_be_imported(run.settings);
    }
    run.iteration = row.integer(23);
    if (!row.text(26).empty()) run.text = TextMark{row.text(24), row.integer(25), row.text(26)};
    return run;
}

std::int64_t first_number(const sqlite::Query& row) {
    return row.integer(0);
}

[[noreturn]] void no_run(const sqlite::Connection& database, const fs::path& lab, RunId id) {
    sqlite::Query all = database.query("SELECT COUNT(*), MIN(id), MAX(id) FROM run");
    all.next();
    const std::int64_t count = all.integer(0);
    const std::string first = std::to_string(all.integer(1));
    const std::string known = count == 0   ? "; it has no runs yet."
                              : count == 1 ? "; its only run is " + first + "."
                                           : "; its runs are " + first + " to " + std::to_string(all.integer(2)) + ".";
    throw BadInput("There is no run " + std::to_string(id) + " in " + lab.string() + known);
}

// The last parameter of the statement is the id. Throws BadInput if there is no such run.
template <typename... Values>
void change_run(const LabDatabase& lab, const fs::path& path, RunId id, const char* sql, const Values&... values) {
    lab.connection.change(sql, values..., id);
    if (lab.connection.changes() == 0) no_run(lab.connection, path, id);
}

}  // namespace

LabFile::LabFile(fs::path path, std::unique_ptr<LabDatabase> database)
    : path_(std::move(path)), database_(std::move(database)) {}

LabFile::~LabFile() {
    // SQLite merges the log into the file when the last connection closes. The checkpoint here does so even if a reader
    // still has the file open, so that the file alone is complete.
    if (database_->abandoned) return;
    if (database_->access == sqlite::Access::write) {
        sqlite3_wal_checkpoint_v2(database_->connection.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    } else if (database_->access == sqlite::Access::read) {
        database_.reset();
        tidy_after_reading(path_);
    }
}

namespace {

// "" if it cannot be read.
std::string known_origin(const fs::path& path) {
    try {
        return origin_of(path).value_or("");
    } catch (const BadInput&) {
        return "";  // another connection merges the log at this moment
    }
}

}  // namespace

fs::path lab_file_of(const fs::path& path) {
    fs::path file = without_links(path);
    std::error_code error;
    const bool is_beside_link =
        file != path && fs::exists(checkpoint_folder_of(path), error) && !fs::exists(checkpoint_folder_of(file), error);
    return is_beside_link ? path : file;
}

std::unique_ptr<LabFile> LabFile::create(const fs::path& given) {
    const fs::path path = lab_file_of(given);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST) {
        throw BadInput(path.string() + " already exists; open it, or choose another name.");
    }
    if (file < 0) throw_file_error(path.string(), "created", errno);
    ::close(file);
    try {
        prepare_new_lab(path);
        migrate(sqlite::Connection(path, sqlite::Access::write), lab_migrations());
        return open(path, Mode::write);
    } catch (...) {
        std::error_code error;
        fs::remove(path, error);
        throw;
    }
}

void require_lab_header(const fs::path& path) {
    constexpr std::size_t id_at = 68;  // in the header of an SQLite database
    std::array<char, 100> header{};
    std::error_code error;
    if (!fs::exists(path, error)) return;  // copying it says so
    std::ifstream stream;
    if (fs::is_regular_file(path, error)) stream.open(path, std::ios::binary);
    stream.read(header.data(), std::ssize(header));
    std::uint32_t id = 0;
    for (std::size_t i = 0; i < 4; ++i) id = id << 8 | static_cast<unsigned char>(header[id_at + i]);
    if (std::string_view(header.data(), 15) != "SQLite format 3" || id != std::uint32_t{lab_application_id})
        throw BadInput(path.string() + " is not a RoPE Lab file.");
}

std::unique_ptr<LabFile> LabFile::open(const fs::path& given, Mode mode) {
    const fs::path path = lab_file_of(given);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) throw BadInput("There is no file " + path.string() + ".");
    if (!fs::is_regular_file(status)) throw BadInput(path.string() + " is not a file, so it is not a RoPE Lab file.");
    // SQLite treats any short file as an empty database.
    constexpr std::uintmax_t smallest_database = 512;
    if (fs::file_size(path, error) < smallest_database) throw BadInput(path.string() + " is not a RoPE Lab file.");

    require_own_log(path);
    const bool writing = mode == Mode::write;
    auto database = writing ? std::make_unique<LabDatabase>(path, sqlite::Access::write) : opened_for_reading(path);
    const sqlite::Connection& connection = database->connection;
    int version = 0;
    try {
        version = checked_version(connection, path, lab_migrations());
    } catch (const BadInput&) {
        database.reset();
        tidy_after_reading(path);
        throw;
    }
    if (writing) {
        if (connection.read_only()) connection.fail(SQLITE_READONLY);
        // With a write-ahead log, NORMAL is enough to prevent damage; a rollback journal requires FULL.
        const bool log = connection.set_write_ahead_log(!is_network_file_system(path));
        connection.run(log ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
        connection.run("PRAGMA foreign_keys = ON");
        migrate(connection, lab_migrations());
    } else if (version < static_cast<int>(lab_migrations().size())) {
        database.reset();
        try {
            open(path, Mode::write);
        } catch (const BadInput& why) {
            throw BadInput(path.string() + " was written by an older RoPE Lab and cannot be updated: " + why.what());
        }
        return open(path, Mode::read);
    }
    if (::stat(path.c_str(), &database->place) != 0) throw_file_error(path.string(), "opened", errno);
    if (writing) database->origin = known_origin(path);
    database->own_log = opened_log(path);
    return std::unique_ptr<LabFile>(new LabFile(path, std::move(database)));
}

fs::path LabFile::checkpoint_folder() const {
    fs::path folder = checkpoint_folder_of(path_);
    std::error_code error;
    fs::create_directory(folder, error);
    if (error) throw_file_error("The folder " + folder.string(), "created", error.value());
    return folder;
}

fs::path LabFile::checkpoint_path(RunId id) const {
    return checkpoint_folder_of(path_) / ("run-" + std::to_string(id) + ".safetensors");
}

void LabFile::sync_log() {
    // With a write-ahead log, SQLite syncs only when it merges the log into the file; without a log, at every commit.
    sqlite3_file* log = nullptr;
    sqlite3_file_control(database_->connection.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (log == nullptr || log->pMethods == nullptr) return;
    if (const int code = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL); code != SQLITE_OK) {
        database_->connection.fail(code);
    }
}

void LabFile::settle_in_one_file() {
    // The pragma merges the log into the file, which fails on a full disk.
    database_->connection.run("PRAGMA journal_mode = DELETE");
    if (database_->connection.set_write_ahead_log(false)) {
        throw WriteError(path_.string() + " cannot be written as a single file.");
    }
    sync(path_);
}

void LabFile::in_one_transaction(const std::function<void()>& writes) {
    sqlite::Transaction transaction(database_->connection);
    writes();
    transaction.commit();
}

std::int64_t LabFile::add_experiment(const std::string& name, const std::string& description) {
    const sqlite::Connection& database = database_->connection;
    database.change(
        "INSERT INTO experiment (name, description, created) VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
        name, description);
    return database.last_id();
}

RunId LabFile::add_run(std::int64_t experiment, const std::string& name, const std::string& settings) {
    const sqlite::Connection& database = database_->connection;
    if (!database.query("SELECT 1 FROM experiment WHERE id = ?").with(experiment).next()) {
        throw BadInput("There is no experiment " + std::to_string(experiment) + " in " + path_.string() + ".");
    }
    database.change("INSERT INTO run (experiment, name, settings) VALUES (?, ?, ?)", experiment, name, settings);
    return database.last_id();
}

std::vector<ExperimentRecord> LabFile::experiments() const {
    return database_->connection.all("SELECT id, name, description, created FROM experiment ORDER BY id",
                                     [](const sqlite::Query& row) {
                                         return ExperimentRecord{row.integer(0), row.text(1), row.text(2), row.text(3)};
                                     });
}

std::vector<RunRecord> LabFile::runs() const {
    static const std::string sql = std::string(run_columns) + "WHERE run.deleted = 0 ORDER BY run.id";
    return database_->connection.all(sql.c_str(), run_record);
}

RunRecord LabFile::run(RunId id) const {
    static const std::string sql = std::string(run_columns) + "WHERE run.id = ?";
    sqlite::Query row = database_->connection.query(sql.c_str());
    if (!row.with(id).next()) no_run(database_->connection, path_, id);
    return run_record(row);
}

RunMetrics LabFile::metrics(RunId id) const {
    const sqlite::Connection& database = database_->connection;
    const sqlite::Transaction consistent_read(database, false);
    RunMetrics result = metrics_of_evaluations(id);
    sqlite::Query step = database.query(
        "SELECT iteration, training_loss, gradient_norm, learning_rate, time FROM step WHERE run = ? ORDER BY "
        "iteration");
    step.with(id);
    while (step.next()) {
        result.steps.iteration.push_back(step.integer(0));
        result.steps.training_loss.push_back(step.real(1));
        result.steps.gradient_norm.push_back(step.real(2));
        result.steps.learning_rate.push_back(step.real(3));
        result.steps.time.push_back(step.real(4));
    }
    return result;
}

RunMetrics::Steps LabFile::steps(RunId id, StepValues quantity) const {
    using Steps = RunMetrics::Steps;
    const char* sql = quantity == &Steps::training_loss
                          ? "SELECT iteration, training_loss FROM step WHERE run = ? ORDER BY iteration"
                      : quantity == &Steps::gradient_norm
                          ? "SELECT iteration, gradient_norm FROM step WHERE run = ? ORDER BY iteration"
                          : "SELECT iteration, learning_rate FROM step WHERE run = ? ORDER BY iteration";
    Steps result;
    sqlite::Query step = database_->connection.query(sql);
    step.with(id);
    while (step.next()) {
        result.iteration.push_back(step.integer(0));
        (result.*quantity).push_back(step.real(1));
    }
    return result;
}

RunMetrics LabFile::metrics_of_evaluations(RunId id) const {
    const sqlite::Connection& database = database_->connection;
    const sqlite::Transaction consistent_read(database, false);
    RunMetrics result;
    sqlite::Query evaluation = database.query(
        "SELECT iteration, training_loss, validation_loss, time FROM evaluation WHERE run = ? ORDER BY iteration");
    evaluation.with(id);
    while (evaluation.next()) {
        result.evaluations.iteration.push_back(evaluation.integer(0));
        result.evaluations.training_loss.push_back(evaluation.real(1));
        result.evaluations.validation_loss.push_back(evaluation.real(2));
        result.evaluations.time.push_back(evaluation.real(3));
    }
    sqlite::Query sample =
        database.query("SELECT iteration, text FROM sample WHERE run = ? ORDER BY iteration DESC LIMIT 1");
    if (sample.with(id).next()) result.latest_sample = event::Sampled{id, sample.integer(0), sample.text(1)};
    return result;
}

std::vector<event::Sampled> LabFile::samples(RunId id) const {
    return database_->connection.all(
        "SELECT iteration, text FROM sample WHERE run = ? ORDER BY iteration",
        [id](const sqlite::Query& row) {
            return event::Sampled{id, row.integer(0), row.text(1)};
        },
        id);
}

void LabFile::set_vocabulary(RunId id, const std::string& vocabulary, double bytes_per_token) {
    change_run(*database_, path_, id, "UPDATE run SET vocabulary = ?, bytes_per_token = ? WHERE id = ?", vocabulary,
               bytes_per_token);
}

void LabFile::rename_run(RunId id, const std::string& name) {
    change_run(*database_, path_, id, "UPDATE run SET name = ? WHERE id = ?", name);
}

void LabFile::annotate_run(RunId id, const std::string& note) {
    change_run(*database_, path_, id, "UPDATE run SET note = ? WHERE id = ?", note);
}

void LabFile::delete_run(RunId id) {
    change_run(*database_, path_, id, "UPDATE run SET deleted = 1 WHERE id = ?");
}

void LabFile::restore_run(RunId id) {
    change_run(*database_, path_, id, "UPDATE run SET deleted = 0 WHERE id = ?");
}

void LabFile::purge() {
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    for (const RunId id : database.all("SELECT id FROM run WHERE deleted = 1", first_number)) {
        // A run whose checkpoint cannot be removed stays deleted, and is purged later.
        std::error_code error;
        fs::remove(checkpoint_path(id), error);
        if (!error) database.change("DELETE FROM run WHERE id = ?", id);
    }
    transaction.commit();
}

// Documents are preregistered before the runs of an experiment start; measurements and other results follow their end.

void LabFile::add_document(std::int64_t experiment, const std::string& kind, const std::string& text) {
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    const auto exists = [&](const char* sql, const auto&... values) {
        sqlite::Query row = database.query(sql);
        return row.with(values...).next();
    };
    const std::string name = "experiment " + std::to_string(experiment) + " in " + path_.string();
    if (!exists("SELECT 1 FROM experiment WHERE id = ?", experiment)) throw BadInput("There is no " + name + ".");
    if (exists("SELECT 1 FROM document WHERE experiment = ? AND kind = ?", experiment, kind)) {
        throw BadInput("The document \"" + kind + "\" of " + name + " already exists and cannot be changed.");
    }
    if (exists("SELECT 1 FROM run WHERE experiment = ? AND state <> 'waiting'", experiment)) {
        throw BadInput("Runs of " + name + " have started; the document \"" + kind +
                       "\" can be added only before the first run starts.");
    }
    database.change(
        "INSERT INTO document (experiment, kind, text, created) "
        "VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
        experiment, kind, text);
    transaction.commit();
}

std::vector<DocumentRecord> LabFile::documents(std::int64_t experiment) const {
    return database_->connection.all(
        "SELECT experiment, kind, text, created FROM document WHERE experiment = ? ORDER BY kind",
        [](const sqlite::Query& row) {
            return DocumentRecord{row.integer(0), row.text(1), row.text(2), row.text(3)};
        },
        experiment);
}

std::optional<std::string> LabFile::document(std::int64_t experiment, const std::string& kind) const {
    sqlite::Query row = database_->connection.query("SELECT text FROM document WHERE experiment = ? AND kind = ?");
    row.with(experiment, kind);
    return row.next() ? std::optional(row.text(0)) : std::nullopt;
}

void LabFile::set_measurement(RunId id, const std::string& name, double value) {
    run(id);  // throws if there is no such run
    database_->connection.change("INSERT OR REPLACE INTO measurement (run, name, value) VALUES (?, ?, ?)", id, name,
                                 value);
}

void LabFile::add_later_result(RunId id, const std::string& kind, const std::string& text) {
    run(id);  // throws if there is no such run
    database_->connection.change(
        "INSERT INTO run_result (run, kind, text, created) "
        "VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
        id, kind, text);
}

std::vector<LaterResult> LabFile::later_results(const std::string& kind) const {
    return database_->connection.all(
        "SELECT run_result.run, kind, text, created FROM run_result JOIN run ON run.id = run_result.run "
        "WHERE kind = ? AND deleted = 0 ORDER BY run_result.run, run_result.id",
        [](const sqlite::Query& row) {
            return LaterResult{row.integer(0), row.text(1), row.text(2), row.text(3)};
        },
        kind);
}

std::map<std::string, double> LabFile::measurements(RunId id) const {
    std::map<std::string, double> result;
    sqlite::Query row = database_->connection.query("SELECT name, value FROM measurement WHERE run = ?");
    row.with(id);
    while (row.next()) {
        result[std::string(current_name(Alias::Kind::measurement, row.text(0)))] = row.real(1);
    }
    return result;
}

namespace {

Precision stored_precision(const std::string& word) {
    return precision_of(RunConditions{word, {}, 0, {}, {}});
}

// precision=auto is the default.
bool chooses_precision(const std::string& settings) {
    return settings.find("\"precision\":") == std::string::npos ||
           settings.find("\"precision\":\"auto\"") != std::string::npos;
}

}  // namespace

std::optional<ExperimentPrecision> LabFile::precision_of_experiment(std::int64_t experiment) const {
    sqlite::Query row =
        database_->connection.query("SELECT precision, reason FROM experiment_precision WHERE experiment = ?");
    if (row.with(experiment).next()) return ExperimentPrecision{stored_precision(row.text(0)), row.text(1)};
    // Experiments of earlier versions settled nothing; their first run decides.
    for (const RunRecord& run : runs()) {
        if (run.experiment != experiment || !run.conditions) continue;
        if (!chooses_precision(run.settings)) continue;
        return experiment_precision(*run.conditions);
    }
    return std::nullopt;
}

ExperimentPrecision LabFile::settle_precision(std::int64_t experiment, const ExperimentPrecision& measured) {
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    const ExperimentPrecision settled = precision_of_experiment(experiment).value_or(measured);
    database.change("INSERT OR IGNORE INTO experiment_precision (experiment, precision, reason) VALUES (?, ?, ?)",
                    experiment, settled.precision == Precision::bfloat16 ? "bfloat16" : "float32", settled.reason);
    transaction.commit();
    return settled;
}

std::string LabFile::choice(const std::string& name) const {
    sqlite::Query row = database_->connection.query("SELECT value FROM choice WHERE name = ?");
    return row.with(name).next() ? row.text(0) : std::string();
}

void LabFile::set_choice(const std::string& name, const std::string& value) {
    database_->connection.change("INSERT OR REPLACE INTO choice (name, value) VALUES (?, ?)", name, value);
}

std::vector<SettingLook> LabFile::setting_looks() const {
    return database_->connection.all(
        "SELECT settings, color, pinned, name FROM setting_look ORDER BY id", [](const sqlite::Query& row) {
            return SettingLook{row.text(0), static_cast<int>(row.integer(1)), row.integer(2) != 0, row.text(3)};
        });
}

void LabFile::set_setting_looks(std::span<const SettingLook> looks) {
    if (looks.empty()) return;
    sqlite::Transaction transaction(database_->connection);
    for (const SettingLook& look : looks) {
        database_->connection.change(
            "INSERT INTO setting_look (settings, color, pinned, name) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (settings) DO UPDATE SET color = excluded.color, pinned = excluded.pinned, "
            "name = excluded.name",
            look.settings, std::int64_t{look.color}, std::int64_t{look.pinned}, look.name);
    }
    transaction.commit();
}

namespace {

std::string random_name() {
    constexpr std::string_view digits = "0123456789abcdef";
    static thread_local std::random_device device;
    std::string name;
    for (int word = 0; word < 4; ++word) {
        unsigned bits = device();
        for (int digit = 0; digit < 8; ++digit, bits >>= 4U) name += digits[bits & 15U];
    }
    return name;
}

void check_answer(const AnswerRecord& answer) {
    if (answer.kind != "choice" && answer.kind != "number" && answer.kind != "curve") {
        throw BadInput("The kind of an answer must be choice, number or curve, not \"" + answer.kind + "\".");
    }
    if (answer.people < 1) {
        throw BadInput("The number of people who gave an answer is " + std::to_string(answer.people) +
                       ", but it must be 1 or more.");
    }
    for (const std::string& text : {answer.given, answer.truth, answer.details}) {
        if (parse_bounded(text, nullptr, false).is_discarded())
            throw BadInput("The answer \"" + text + "\" is not valid JSON.");
    }
}

}  // namespace

void LabFile::add_answers(std::span<const AnswerRecord> answers) {
    for (const AnswerRecord& answer : answers) check_answer(answer);
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    for (const AnswerRecord& answer : answers) {
        database.change(
            "INSERT OR IGNORE INTO answer (name, lecture, scene, question, kind, given, truth, details, is_right, "
            "distance, people, created, group_name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
            "coalesce(nullif(?, ''), strftime('%Y-%m-%dT%H:%M:%SZ', 'now')), ?)",
            answer.id.empty() ? random_name() : answer.id, answer.lecture, answer.scene, answer.question, answer.kind,
            answer.given, answer.truth, answer.details, std::int64_t{answer.right}, answer.distance, answer.people,
            answer.created, answer.group);
    }
    transaction.commit();
}

void LabFile::delete_answers(std::span<const std::string> ids) {
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    for (const std::string& id : ids) database.change("DELETE FROM answer WHERE name = ?", id);
    transaction.commit();
}

std::vector<AnswerRecord> LabFile::answers() const {
    return database_->connection.all(
        "SELECT name, lecture, scene, question, kind, given, truth, details, is_right, distance, people, created, "
        "group_name FROM answer ORDER BY created, id",
        [](const sqlite::Query& row) {
            return AnswerRecord{row.text(0),     row.text(1),  row.text(2), row.text(3),         row.text(4),
                                row.text(5),     row.text(6),  row.text(7), row.integer(8) != 0, row.real(9),
                                row.integer(10), row.text(11), row.text(12)};
        });
}

}  // namespace ropelab
