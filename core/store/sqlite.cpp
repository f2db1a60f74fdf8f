#include "core/store/sqlite.h"

#include <sqlite3.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace ropelab::sqlite {

namespace {
constexpr int busy_timeout_ms = 5000;  // maximum wait for a locked file
}

Query::~Query() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
}

void Query::bind(int index, std::int64_t value) {
    if (const int code = sqlite3_bind_int64(statement_, index, value); code != SQLITE_OK) connection_.fail(code);
}

void Query::bind(int index, double value) {
    const int code =
        std::isfinite(value) ? sqlite3_bind_double(statement_, index, value) : sqlite3_bind_null(statement_, index);
    if (code != SQLITE_OK) connection_.fail(code);
}

void Query::bind(int index, std::string_view value) {
    // The data pointer of an empty view may be null, which SQLite would store as NULL.
    const char* data = value.empty() ? "" : value.data();
    const int code = sqlite3_bind_text64(statement_, index, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    if (code != SQLITE_OK) connection_.fail(code);
}

void Query::bind(int index, std::span<const std::byte> value) {
    const int code = value.empty()
                         ? sqlite3_bind_zeroblob(statement_, index, 0)
                         : sqlite3_bind_blob64(statement_, index, value.data(), value.size(), SQLITE_TRANSIENT);
    if (code != SQLITE_OK) connection_.fail(code);
}

bool Query::next() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) connection_.fail(code);
    return false;
}

void Query::run() {
    while (next()) {
    }
    sqlite3_reset(statement_);
}

std::int64_t Query::integer(int column) const {
    return sqlite3_column_int64(statement_, column);
}

double Query::real(int column) const {
    return null(column) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(statement_, column);
}

std::string Query::text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))) : "";
}

std::vector<std::byte> Query::bytes(int column) const {
    const auto* first = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
    return first ? std::vector<std::byte>(first, first + sqlite3_column_bytes(statement_, column))
                 : std::vector<std::byte>();
}

bool Query::null(int column) const {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

void Connection::Close::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

Connection::Connection(const std::filesystem::path& path, Access access) : path_(path) {
    const int flags =
        SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
        (access == Access::write || access == Access::memory ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
    const int code = sqlite3_open_v2(uri(path, access).c_str(), &handle_, flags, nullptr);
    try {
        if (code != SQLITE_OK) fail(code);
        sqlite3_extended_result_codes(handle_, 1);
        sqlite3_busy_timeout(handle_, busy_timeout_ms);
        // A stranger's schema must not call functions with side effects or change SQLite's tables; damage is an error.
        sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        sqlite3_exec(handle_, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
    } catch (...) {
        sqlite3_close(handle_);
        throw;
    }
}

Connection::~Connection() {
    statements_.clear();
    sqlite3_close(handle_);
}

Query Connection::query(const char* sql) const {
    auto found = statements_.find(std::string_view(sql));
    if (found == statements_.end()) {
        sqlite3_stmt* statement = nullptr;
        const int code = sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
        if (code != SQLITE_OK) fail(code);
        found = statements_.emplace(sql, statement).first;
    }
    return {*this, found->second.get()};
}

void Connection::run(const char* sql) const {
    if (const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr); code != SQLITE_OK) fail(code);
}

std::int64_t Connection::number(const char* sql) const {
    Query row = query(sql);
    return row.next() ? row.integer(0) : 0;
}

std::int64_t Connection::last_id() const {
    return sqlite3_last_insert_rowid(handle_);
}

int Connection::changes() const {
    return sqlite3_changes(handle_);
}

bool Connection::read_only() const {
    return sqlite3_db_readonly(handle_, "main") == 1;
}

bool Connection::set_write_ahead_log(bool wanted) const {
    // If the mode cannot be changed (because the file system has no shared memory or another connection uses the file),
    // SQLite either reports an error or silently keeps the old mode. Therefore the resulting mode is queried.
    const char* sql = wanted ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE";
    sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
    Query mode = query("PRAGMA journal_mode");
    return mode.next() && mode.text(0) == "wal";
}

void Connection::back_up_to(Connection& target) const {
    sqlite3_backup* backup = sqlite3_backup_init(target.handle_, "main", handle_, "main");
    if (!backup) target.fail(sqlite3_errcode(target.handle_));
    // All pages in one step: an incremental backup starts over whenever another process commits.
    const int code = sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
    if (code != SQLITE_DONE) target.fail(code);
}

void Connection::fail(int code) const {
    const std::string file = path_.string();
    switch (code & 0xFF) {
        case SQLITE_NOTADB:
            throw BadInput(file + " is not a RoPE Lab file.");
        case SQLITE_CORRUPT:
            throw BadInput(file + " is damaged (" + sqlite3_errmsg(handle_) + "); open a backup copy instead.");
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            throw BadInput(file + " is being written by another program; try again when that program has finished.");
        case SQLITE_READONLY:
        case SQLITE_PERM:
            throw BadInput(file + " cannot be written: the file or its folder is read-only.");
        case SQLITE_FULL:
            throw WriteError(file + " cannot be written: the disk is full.");
        default:
            if (code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC ||
                code == SQLITE_IOERR_TRUNCATE || code == SQLITE_IOERR_SHMSIZE) {
                throw WriteError(file + " cannot be written: " + sqlite3_errstr(code) + ".");
            }
            throw BadInput(file + " cannot be read or written: " + sqlite3_errstr(code) + ".");
    }
}

Transaction::Transaction(const Connection& connection, bool write)
    : connection_(connection), inner_(sqlite3_get_autocommit(connection.handle()) == 0) {
    connection_.run(inner_ ? "SAVEPOINT inner_part" : write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
    // After some errors (a full disk) SQLite has rolled back by itself; a second ROLLBACK then fails harmlessly.
    const char* back = inner_ ? "ROLLBACK TO inner_part; RELEASE inner_part" : "ROLLBACK";
    if (open_) sqlite3_exec(connection_.handle(), back, nullptr, nullptr, nullptr);
}

void Transaction::commit() {
    connection_.run(inner_ ? "RELEASE inner_part" : "COMMIT");
    open_ = false;
}

std::string uri(const std::filesystem::path& path, Access access) {
    if (access == Access::memory) return "file::memory:";
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string result = "file://";
    for (const char c : std::filesystem::absolute(path).string()) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '%' || c == '?' || c == '#') {
            result += '%';
            result += digits[byte >> 4];
            result += digits[byte & 15];
        } else {
            result += c;
        }
    }
    if (access == Access::write) return result + "?mode=rw";
    return result + (access == Access::read ? "?mode=ro" : "?mode=ro&immutable=1");
}

}  // namespace ropelab::sqlite
