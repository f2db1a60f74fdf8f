// A log beside a lab, left by a program that was killed, is merged by whoever opens the lab next. SQLite does not
// notice that it is the log of another file, such as after a backup was restored, and destroys the lab with it.
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <map>
#include <mutex>
#include <set>

#include "core/base/error.h"
#include "core/store/lab_database.h"
#include "core/store/output_file.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;

/// Experiments and settings of runs never change, so that two views of one lab agree in them.
struct View {
    std::map<std::string, std::string> rows;
    std::exception_ptr problem;  // why it is no lab; null for a lab
};

bool is_passing(int code) {
    const std::set<int> passing = {SQLITE_BUSY, SQLITE_LOCKED, SQLITE_CANTOPEN, SQLITE_READONLY,
                                   SQLITE_PERM, SQLITE_IOERR,  SQLITE_FULL,     SQLITE_NOMEM};
    return passing.contains(code & 0xFF);
}

/// Throws BadInput if it cannot be read now. `whole`: damage anywhere is a problem.
View view_of(const fs::path& path, sqlite::Access access, bool whole) {
    View view;
    const sqlite::Connection database(path, access);
    try {
        const sqlite::Transaction consistent_read(database, false);
        checked_version(database, path, lab_migrations());
        for (const char* sql : {"SELECT 'experiment ' || id, created || description FROM experiment",
                                "SELECT 'run ' || id, settings FROM run"}) {
            sqlite::Query row = database.query(sql);
            while (row.next()) view.rows[row.text(0)] = row.text(1);
        }
        sqlite::Query check = database.query(whole ? "PRAGMA quick_check(1)" : "SELECT 'ok'");
        if (check.next() && check.text(0) != "ok") {
            throw BadInput(path.string() + " is damaged (" + check.text(0) + "); open a backup copy instead.");
        }
    } catch (const BadInput&) {
        if (is_passing(sqlite3_errcode(database.handle()))) throw;
        view.problem = std::current_exception();
    }
    return view;
}

bool agree(const View& a, const View& b) {
    return std::all_of(a.rows.begin(), a.rows.end(), [&](const auto& row) {
        const auto other = b.rows.find(row.first);
        return other == b.rows.end() || other->second == row.second;
    });
}

/// SQLite rolls back a file with a journal unless a live program writes the file.
bool is_rolled_back(const fs::path& path, const fs::path& journal) {
    if (std::ifstream(journal, std::ios::binary).get() <= 0) return false;  // none, empty or marked as done
    const sqlite::Connection database(path, sqlite::Access::read);
    sqlite3_file* file = nullptr;
    int is_reserved = 0;
    sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file && file->pMethods && file->pMethods->xCheckReservedLock(file, &is_reserved) == SQLITE_OK &&
           is_reserved == 0;
}

/// As it would be after opening. Changes nothing.
View view_through(const fs::path& path, const fs::path& log, bool is_journal) {
    if (!is_journal) return view_of(path, sqlite::Access::read, true);
    const TemporaryFolder folder;
    const fs::path copy = folder.path() / path.filename();
    copy_file_synced(path, copy);
    copy_file_synced(log, with_suffix(copy, "-journal"));
    return view_of(copy, sqlite::Access::write, true);
}

void require_own(const fs::path& path, const fs::path& log, bool is_journal) {
    std::error_code error;
    const fs::path index = with_suffix(path, "-shm");
    const bool had_index = fs::exists(index, error);
    const View through = view_through(path, log, is_journal);
    if (!through.problem && agree(view_of(path, sqlite::Access::read_immutable, false), through)) return;
    // Without its own log, a lab may be inconsistent, because the log was being merged.
    const View alone = view_of(path, sqlite::Access::read_immutable, true);
    if (alone.problem && !through.problem) return;
    if (!had_index) fs::remove(index, error);
    if (alone.problem) std::rethrow_exception(alone.problem);
    throw BadInput("The log " + log.string() + " belongs to another file than " + path.string() +
                   ", which is a whole lab file without it; move the log away to open the lab file, or restore the "
                   "file to which the log belongs.");
}

/// Device and inode; nullopt if there is no file.
using LogPlace = std::optional<std::pair<dev_t, ino_t>>;

LogPlace place_of(const fs::path& log) {
    struct stat status {};
    return ::stat(log.c_str(), &status) == 0 ? LogPlace({status.st_dev, status.st_ino}) : std::nullopt;
}

/// Logs of labs that this process has open, once per connection. A log stays while a connection to its lab is open.
struct OpenLogs {
    std::mutex mutex;
    std::multiset<LogPlace> places;
};

OpenLogs& open_logs() {
    static OpenLogs logs;
    return logs;
}

bool is_open_here(const fs::path& log) {
    const std::lock_guard lock(open_logs().mutex);
    return open_logs().places.contains(place_of(log));
}

}  // namespace

void require_own_log(const fs::path& path) {
    std::error_code error;
    const fs::path log = with_suffix(path, "-wal");
    const std::uintmax_t size = fs::file_size(log, error);
    if (!error && size > 0 && !is_open_here(log)) require_own(path, log, false);
    const fs::path journal = with_suffix(path, "-journal");
    if (is_rolled_back(path, journal)) require_own(path, journal, true);
}

std::shared_ptr<const void> opened_log(const fs::path& path) {
    const LogPlace place = place_of(with_suffix(path, "-wal"));
    if (!place) return nullptr;
    const std::lock_guard lock(open_logs().mutex);
    return {&*open_logs().places.insert(place), [place](const void*) {
                const std::lock_guard closing(open_logs().mutex);
                open_logs().places.erase(open_logs().places.find(place));
            }};
}

}  // namespace ropelab
