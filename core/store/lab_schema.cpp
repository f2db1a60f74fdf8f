#include "core/store/lab_database.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <compare>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace ropelab {

namespace {

// Metrics are stored in tables without rowid, clustered by run and iteration: about 50 bytes per step, and one range
// scan reads a run. AUTOINCREMENT never reuses a run's id, so that a purged run's checkpoint cannot be mistaken for
// that of another run. NULL in a REAL column represents a number that is not finite.
constexpr const char* version_1 = R"sql(
CREATE TABLE experiment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    description TEXT NOT NULL,                         -- JSON, as it was started
    created TEXT NOT NULL                              -- UTC, ISO 8601
);
CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    name TEXT NOT NULL,
    note TEXT NOT NULL DEFAULT '',
    settings TEXT NOT NULL,                            -- flat JSON
    vocabulary TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'waiting',
    message TEXT NOT NULL DEFAULT '',
    writer TEXT NOT NULL DEFAULT '',                   -- the process that trains or trained it
    deleted INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX run_of_experiment ON run (experiment);
CREATE TABLE conditions (
    run INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
    precision TEXT NOT NULL,
    device TEXT NOT NULL,
    threads INTEGER NOT NULL,
    reason TEXT NOT NULL
);
CREATE TABLE summary (                                 -- losses in nats per symbol
    run INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
    iterations INTEGER NOT NULL,
    best_validation_loss REAL,
    best_iteration INTEGER NOT NULL,
    final_validation_loss REAL,
    whole_evaluated INTEGER NOT NULL,                  -- 0: whole_validation_loss was not measured
    whole_validation_loss REAL,
    final_training_loss REAL,
    seconds REAL,
    tokens_per_second REAL
);
CREATE TABLE step (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    iteration INTEGER NOT NULL,
    training_loss REAL,
    gradient_norm REAL,
    learning_rate REAL,
    PRIMARY KEY (run, iteration)
) WITHOUT ROWID;
CREATE TABLE evaluation (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    iteration INTEGER NOT NULL,
    training_loss REAL,
    validation_loss REAL,
    PRIMARY KEY (run, iteration)
) WITHOUT ROWID;
CREATE TABLE sample (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    iteration INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, iteration)
) WITHOUT ROWID;
)sql";

// `document` stores what is preregistered before an experiment's runs start (decision rules, predictions). Triggers
// keep it from changes. `measurement` is not part of the summary.
constexpr const char* version_2 = R"sql(
CREATE TABLE document (
    experiment INTEGER NOT NULL REFERENCES experiment (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,                                -- JSON
    created TEXT NOT NULL,                             -- UTC, ISO 8601
    PRIMARY KEY (experiment, kind)
) WITHOUT ROWID;
CREATE TRIGGER document_stands BEFORE UPDATE ON document BEGIN
    SELECT RAISE(ABORT, 'a document of an experiment cannot be changed');
END;
CREATE TRIGGER document_stays BEFORE DELETE ON document
WHEN EXISTS (SELECT 1 FROM experiment WHERE id = OLD.experiment) BEGIN
    SELECT RAISE(ABORT, 'a document of an experiment cannot be removed');
END;
CREATE TRIGGER document_comes_once BEFORE INSERT ON document        -- also before INSERT OR REPLACE
WHEN EXISTS (SELECT 1 FROM document WHERE experiment = NEW.experiment AND kind = NEW.kind) BEGIN
    SELECT RAISE(ABORT, 'a document of an experiment cannot be replaced');
END;
CREATE TRIGGER document_comes_first BEFORE INSERT ON document
WHEN EXISTS (SELECT 1 FROM run WHERE experiment = NEW.experiment AND state <> 'waiting') BEGIN
    SELECT RAISE(ABORT, 'a document cannot be added once a run of its experiment has started');
END;
CREATE TABLE measurement (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value REAL,
    PRIMARY KEY (run, name)
) WITHOUT ROWID;
)sql";

// `snapshot` stores the results of a run's fixed probe batch. Each part (core/contract/probe.h) has a row of its own,
// so that one part can be loaded over the course of training without the others. Blobs are row-major and little-endian.
constexpr const char* version_3 = R"sql(
CREATE TABLE snapshot (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    iteration INTEGER NOT NULL,
    part TEXT NOT NULL,
    shape TEXT NOT NULL,                               -- "2,4,16"
    type TEXT NOT NULL,                                -- "float32", or "share16": unsigned, in parts of 65535
    numbers BLOB NOT NULL,
    PRIMARY KEY (run, part, iteration)
);
)sql";

// The text_… columns store the text with which a run began (core/data/text_source.h), older runs have none. `writer` is
// the process that trains or has claimed a run; empty after its end.
constexpr const char* version_4 = R"sql(
ALTER TABLE run ADD COLUMN text_name TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN text_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN text_sha256 TEXT NOT NULL DEFAULT '';
UPDATE run SET writer = '' WHERE state NOT IN ('running', 'paused');
)sql";

// `kernels` stores whether a run began with CUDA graphs (core/contract/device_trust.h); earlier versions stored which
// CUDA kernels of their own they used. It is empty for runs on the CPU.
constexpr const char* version_5 = R"sql(
ALTER TABLE conditions ADD COLUMN kernels TEXT NOT NULL DEFAULT '';
)sql";

// `setting_look` stores the colour of each setting (the settings of runs that differ only in their seed). It stays when
// the runs are removed, so that a later run of the setting gets the same colour.
constexpr const char* version_6 = R"sql(
CREATE TABLE setting_look (
    id INTEGER PRIMARY KEY,
    settings TEXT NOT NULL UNIQUE,                     -- flat JSON without the seed
    color INTEGER NOT NULL,                            -- index of colour and dash pattern, from 0
    pinned INTEGER NOT NULL DEFAULT 0
);
)sql";

// `time`: end of a step or evaluation in seconds since 1970 (UTC); NULL for points of older versions.
constexpr const char* version_7 = R"sql(
ALTER TABLE step ADD COLUMN time REAL;
ALTER TABLE evaluation ADD COLUMN time REAL;
)sql";

// `experiment_precision` stores the precision of an experiment's runs with precision=auto, which its first measurement
// settled. `choice` stores what the user chose for this lab, such as the runs that its results include.
constexpr const char* version_8 = R"sql(
CREATE TABLE experiment_precision (
    experiment INTEGER PRIMARY KEY REFERENCES experiment (id) ON DELETE CASCADE,
    precision TEXT NOT NULL,
    reason TEXT NOT NULL
);
CREATE TABLE choice (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL                                -- JSON
) WITHOUT ROWID;
)sql";

// `name` is what the user calls a setting; it is empty where the program names it.
constexpr const char* version_9 = R"sql(
ALTER TABLE setting_look ADD COLUMN name TEXT NOT NULL DEFAULT '';
)sql";

// `answer`: AnswerRecord in lab_file.h. `name` is unique among all labs, so that merging does not repeat it.
constexpr const char* version_10 = R"sql(
CREATE TABLE answer (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    lecture TEXT NOT NULL,
    scene TEXT NOT NULL,
    question TEXT NOT NULL,
    kind TEXT NOT NULL,                                -- choice, number or curve
    given TEXT NOT NULL,                               -- JSON
    truth TEXT NOT NULL,                               -- JSON
    details TEXT NOT NULL,                             -- JSON
    is_right INTEGER NOT NULL,
    distance REAL,                                     -- NULL for a choice
    people INTEGER NOT NULL DEFAULT 1,
    created TEXT NOT NULL,                             -- UTC, ISO 8601
    group_name TEXT NOT NULL DEFAULT ''
);
)sql";

// `bytes_per_token` is the mean number of bytes of the validation split's tokens; NULL in labs of older versions.
constexpr const char* version_11 = R"sql(
ALTER TABLE run ADD COLUMN bytes_per_token REAL;
)sql";

// `run_result` stores results of later work on a run, such as a conversion of its heads. They stay if the run resumes,
// because each names the step of the checkpoint that it began with.
constexpr const char* version_12 = R"sql(
CREATE TABLE run_result (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,                                -- such as head-conversion
    text TEXT NOT NULL,                                -- JSON
    created TEXT NOT NULL                              -- UTC, ISO 8601
);
CREATE INDEX result_of_run ON run_result (run);
)sql";

// `clock`: core/contract/training_clock.h. Older runs have none, except where training times are compared: each trained
// alone, in a random order within its seed. `test_loss` is NULL for runs without a test split.
constexpr const char* version_13 = R"sql(
ALTER TABLE summary ADD COLUMN test_loss REAL;
ALTER TABLE conditions ADD COLUMN clock TEXT NOT NULL DEFAULT '';
UPDATE conditions SET clock = (
    SELECT 'random ' || run.id || ' experiment ' || experiment.id || ' ' || experiment.created    -- unique among labs
    FROM run JOIN experiment ON experiment.id = run.experiment WHERE run.id = conditions.run)
WHERE run IN (SELECT run.id FROM run JOIN document ON document.experiment = run.experiment
              WHERE json_valid(document.text) AND json_extract(document.text, '$.one_by_one') = 1);
)sql";

constexpr std::array<const char*, 13> migrations_in_order = {version_1,  version_2,  version_3, version_4, version_5,
                                                             version_6,  version_7,  version_8, version_9, version_10,
                                                             version_11, version_12, version_13};

bool is_plain_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char letter) {
        return letter == '_' || std::isalnum(static_cast<unsigned char>(letter)) != 0;
    });
}

/// Without comments and quotes of plain names, and with one space in the place of white space: the comments of a script
/// may have changed since a lab was written, and SQLite quotes a name that it changes. What is quoted otherwise stays
/// as it is, so that nothing in it is taken for a comment.
std::string plain_sql(std::string_view sql) {
    std::string result;
    for (std::size_t i = 0; i < sql.size(); ++i) {
        if (const auto quote = std::string_view("\"'`[").find(sql[i]); quote != std::string_view::npos) {
            const std::size_t end = std::min(sql.find("\"'`]"[quote], i + 1), sql.size() - 1);
            const std::string_view inside = sql.substr(i + 1, end - i - 1);
            result += sql[i] == '"' && is_plain_name(inside) ? inside : sql.substr(i, end - i + 1);
            i = end;
            continue;
        }
        if (sql.substr(i, 2) == "--") i = std::min(sql.find('\n', i), sql.size() - 1);
        const bool is_space = sql[i] == ' ' || sql[i] == '\n' || sql[i] == '\t';
        if (!is_space) {
            result += sql[i];
        } else if (!result.empty() && result.back() != ' ') {
            result += ' ';
        }
    }
    return result;
}

struct SchemaObject {
    std::string type, name, table, sql;
    auto operator<=>(const SchemaObject&) const = default;
};

std::set<SchemaObject> schema_of(const sqlite::Connection& database) {
    std::set<SchemaObject> result;
    sqlite::Query row = database.query("SELECT type, name, tbl_name, sql FROM sqlite_master");
    while (row.next()) result.insert({row.text(0), row.text(1), row.text(2), plain_sql(row.text(3))});
    return result;
}

/// A trigger without a call or query but RAISE can only refuse a change.
bool is_guard(const SchemaObject& object) {
    constexpr std::string_view begin = " BEGIN SELECT RAISE(ABORT, '";
    constexpr std::string_view end = "'); END";
    const std::string_view sql = object.sql;
    const std::size_t at = sql.find(begin);
    if (object.type != "trigger" || at == std::string_view::npos || !sql.ends_with(end)) return false;
    if (sql.find("/*") != std::string_view::npos) return false;  // a comment may hide what the trigger does
    const std::string_view message = sql.substr(at + begin.size());
    return sql.substr(0, at).find_first_of("(;'") == std::string_view::npos &&
           message.substr(0, message.size() - end.size()).find('\'') == std::string_view::npos;
}

/// Made once per version: making one takes as long as opening a lab.
const std::set<SchemaObject>& schema_after(std::span<const char* const> migrations) {
    static std::mutex mutex;
    static std::map<std::vector<std::string>, std::set<SchemaObject>> known;
    const std::scoped_lock lock(mutex);
    std::vector<std::string> key(migrations.begin(), migrations.end());
    if (const auto found = known.find(key); found != known.end()) return found->second;
    const sqlite::Connection model(":memory:", sqlite::Access::memory);
    migrate(model, migrations);
    return known.emplace(std::move(key), schema_of(model)).first->second;
}

/// Beside it, the database has at most guards.
bool has_schema_of(const sqlite::Connection& database, std::span<const char* const> migrations) {
    const std::set<SchemaObject>& expected = schema_after(migrations);
    const std::set<SchemaObject> found = schema_of(database);
    return std::includes(found.begin(), found.end(), expected.begin(), expected.end()) &&
           std::all_of(found.begin(), found.end(),
                       [&](const SchemaObject& object) { return expected.contains(object) || is_guard(object); });
}

}  // namespace

std::span<const char* const> lab_migrations() {
    return migrations_in_order;
}

void migrate(const sqlite::Connection& database, std::span<const char* const> migrations) {
    const auto size = static_cast<std::int64_t>(migrations.size());
    while (database.number("PRAGMA user_version") < size) {
        sqlite::Transaction transaction(database);
        // The version is read again under the lock, because another program may have migrated the file in the meantime.
        const std::int64_t version = database.number("PRAGMA user_version");
        if (version >= size) return;
        if (version == 0) {
            database.run(("PRAGMA application_id = " + std::to_string(lab_application_id)).c_str());
        }
        database.run(migrations[static_cast<std::size_t>(version)]);
        database.run(("PRAGMA user_version = " + std::to_string(version + 1)).c_str());
        transaction.commit();
    }
}

int checked_version(const sqlite::Connection& database, const std::filesystem::path& path,
                    std::span<const char* const> migrations) {
    const sqlite::Transaction consistent_read(database, false);  // another program may migrate the file
    if (database.number("PRAGMA application_id") != lab_application_id) {
        throw BadInput(path.string() + " is an SQLite database, but not a RoPE Lab file.");
    }
    const std::int64_t version = database.number("PRAGMA user_version");
    if (version < 1) {
        throw BadInput(path.string() + " has the file version " + std::to_string(version) +
                       ", but the versions of lab files start at 1; the file is damaged or was changed by another "
                       "program.");
    }
    if (version > static_cast<std::int64_t>(migrations.size())) {
        throw BadInput(path.string() + " was written by a newer RoPE Lab (file version " + std::to_string(version) +
                       ", this program reads up to " + std::to_string(migrations.size()) +
                       "); update RoPE Lab to open it.");
    }
    // Views and triggers of a stranger would run with this program's queries.
    if (!has_schema_of(database, migrations.first(static_cast<std::size_t>(version)))) {
        throw BadInput(path.string() + " has other tables, views or triggers than a lab file of version " +
                       std::to_string(version) +
                       ", so it is not opened: foreign views or triggers could run SQL commands of their author.");
    }
    return static_cast<int>(version);
}

}  // namespace ropelab
