// Documents, which are preregistered before the runs of an experiment start, and measurements and other results, which
// are made after a run has ended.
#include "core/spec/aliases.h"
#include "core/spec/error.h"
#include "core/store/lab_database.h"

namespace ropelab {

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
    database
        .query(
            "INSERT INTO document (experiment, kind, text, created) "
            "VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))")
        .with(experiment, kind, text)
        .run();
    transaction.commit();
}

std::vector<DocumentRecord> LabFile::documents(std::int64_t experiment) const {
    std::vector<DocumentRecord> result;
    sqlite::Query row = database_->connection.query(
        "SELECT experiment, kind, text, created FROM document WHERE experiment = ? ORDER BY kind");
    row.with(experiment);
    while (row.next()) result.push_back({row.integer(0), row.text(1), row.text(2), row.text(3)});
    return result;
}

std::optional<std::string> LabFile::document(std::int64_t experiment, const std::string& kind) const {
    sqlite::Query row = database_->connection.query("SELECT text FROM document WHERE experiment = ? AND kind = ?");
    row.with(experiment, kind);
    return row.next() ? std::optional(row.text(0)) : std::nullopt;
}

void LabFile::set_measurement(RunId id, const std::string& name, double value) {
    run(id);  // throws if there is no such run
    database_->connection.query("INSERT OR REPLACE INTO measurement (run, name, value) VALUES (?, ?, ?)")
        .with(id, name, value)
        .run();
}

void LabFile::add_later_result(RunId id, const std::string& kind, const std::string& text) {
    run(id);  // throws if there is no such run
    database_->connection
        .query(
            "INSERT INTO run_result (run, kind, text, created) "
            "VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))")
        .with(id, kind, text)
        .run();
}

std::vector<LaterResult> LabFile::later_results(const std::string& kind) const {
    std::vector<LaterResult> results;
    sqlite::Query row = database_->connection.query(
        "SELECT run_result.run, kind, text, created FROM run_result JOIN run ON run.id = run_result.run "
        "WHERE kind = ? AND deleted = 0 ORDER BY run_result.run, run_result.id");
    row.with(kind);
    while (row.next()) results.push_back({row.integer(0), row.text(1), row.text(2), row.text(3)});
    return results;
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

}  // namespace ropelab
