// Claims on runs, which prevent two programs from training the same run.
#include <algorithm>
#include <map>

#include "core/spec/error.h"
#include "core/store/lab_database.h"
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
    std::vector<RunId> lost;
    {
        sqlite::Query row =
            database.query("SELECT id, writer FROM run WHERE state IN ('running', 'paused') OR writer <> ''");
        while (row.next()) {
            const std::string writer = row.text(1);
            if (!is_other_live_process(writer) && (other_machines || other_host(writer).empty())) {
                lost.push_back(row.integer(0));
            }
        }
    }
    int stopped = 0;
    for (const RunId id : lost) {
        database.query("UPDATE run SET writer = '' WHERE id = ?").with(id).run();
        database.query("UPDATE run SET state = 'stopped' WHERE id = ? AND state IN ('running', 'paused')")
            .with(id)
            .run();
        stopped += database.changes();
    }
    transaction.commit();
    return stopped;
}

std::vector<ClaimedRun> LabFile::claimed_runs() const {
    std::vector<ClaimedRun> foreign;
    sqlite::Query row =
        database_->connection.query("SELECT id, writer FROM run WHERE writer <> '' AND deleted = 0 ORDER BY id");
    while (row.next()) {
        const std::string host = other_host(row.text(1));
        if (!host.empty() || is_other_live_process(row.text(1))) foreign.push_back({row.integer(0), host});
    }
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
                     path_.string() + ", and this machine cannot find out whether it still does; if it has ended, " +
                     "resume with 'ropelab-cli sweep --resume --take-over --lab " + path_.string() + "'.";
        }
    }
    return words;
}

void LabFile::claim(const std::vector<RunId>& runs) {
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    std::vector<ClaimedRun> foreign = claimed_runs();
    std::erase_if(foreign,
                  [&](const ClaimedRun& run) { return std::find(runs.begin(), runs.end(), run.id) == runs.end(); });
    if (!foreign.empty()) throw BadInput(words_of(foreign));
    for (const RunId id : runs) {
        if (run(id).state == RunState::finished) {
            throw BadInput("Another program has just finished the run \"" + run(id).name + "\" of " + path_.string() +
                           "; resume again to train the remaining runs.");
        }
        database.query("UPDATE run SET writer = ? WHERE id = ?").with(database_->writer, id).run();
    }
    transaction.commit();
}

}  // namespace ropelab
