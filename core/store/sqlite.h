#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace ropelab::sqlite {

class Connection;

/// A prepared statement in use: bound, stepped, read; given back to its connection's cache when it goes out of scope.
/// Columns count from 0, parameters from 1. Errors throw BadInput (see Connection).
class Query {
 public:
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    ~Query();

    /// Binds the parameters from the first on. A double that is not finite is stored as NULL.
    template <typename... Values>
    Query& with(const Values&... values) {
        int index = 0;
        (bind(++index, values), ...);
        return *this;
    }
    /// The next row; false after the last.
    bool next();
    /// Runs a statement that returns no rows; it can be bound and run again.
    void run();

    std::int64_t integer(int column) const;
    /// NULL reads as NaN.
    double real(int column) const;
    std::string text(int column) const;
    std::vector<std::byte> bytes(int column) const;
    bool null(int column) const;

 private:
    friend class Connection;
    Query(const Connection& connection, sqlite3_stmt* statement) : connection_(connection), statement_(statement) {}
    void bind(int index, std::int64_t value);
    void bind(int index, int value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, double value);
    void bind(int index, std::string_view value);
    void bind(int index, std::span<const std::byte> value);
    void bind(int index, const std::string& value) { bind(index, std::string_view(value)); }
    void bind(int index, const char* value) { bind(index, std::string_view(value)); }

    const Connection& connection_;
    sqlite3_stmt* statement_;
};

/// What a connection may do. `immutable` reads a file whose folder cannot be written and that nobody changes.
enum class Access { read, read_immutable, write };

/// One database connection, used by one thread at a time. Every error throws BadInput: one sentence with the file's
/// name and what is the matter (not a database, damaged, read-only, full, busy).
class Connection {
 public:
    /// Opens an existing file. SQLite reads it at the first query only.
    Connection(const std::filesystem::path& path, Access access);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Prepares a statement, or takes it from the cache. One Query of a text at a time.
    Query query(const char* sql) const;
    /// Runs statements that take no parameters and return nothing that matters.
    void run(const char* sql) const;
    /// The first column of the first row as a number, 0 without a row.
    std::int64_t number(const char* sql) const;
    std::int64_t last_id() const;
    /// Rows that the last statement changed.
    int changes() const;
    bool read_only() const;
    /// Takes the write-ahead log where `wanted` and possible, else a rollback journal. Returns whether it is the log.
    bool set_write_ahead_log(bool wanted) const;
    /// Copies the whole database into `target`, page by page, while others may write here.
    void back_up_to(Connection& target) const;

    sqlite3* handle() const { return handle_; }
    [[noreturn]] void fail(int code) const;

 private:
    struct Close {
        void operator()(sqlite3_stmt* statement) const;
    };
    std::filesystem::path path_;
    sqlite3* handle_ = nullptr;
    mutable std::map<std::string, std::unique_ptr<sqlite3_stmt, Close>, std::less<>> statements_;
};

/// Begins a transaction, for writing at once where `write`; rolled back unless committed. Inside another transaction of
/// the connection it is a part of that one, which can be rolled back by itself.
class Transaction {
 public:
    explicit Transaction(const Connection& connection, bool write = true);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

 private:
    const Connection& connection_;
    bool inner_ = false;
    bool open_ = true;
};

/// "file:///folder/50%25.ropelab?mode=ro", for sqlite3_open and ATTACH.
std::string uri(const std::filesystem::path& path, Access access);

}  // namespace ropelab::sqlite
