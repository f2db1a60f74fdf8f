#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace ropelab::sqlite {

class Connection;

/// The destructor resets the statement and returns it to its connection's cache. Columns are numbered from 0,
/// parameters from 1. Errors throw BadInput (see Connection).
class Query {
 public:
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    ~Query();

    /// A double that is not finite is stored as NULL.
    template <typename... Values>
    Query& with(const Values&... values) {
        int index = 0;
        (bind(++index, values), ...);
        return *this;
    }
    /// False after the last row.
    bool next();
    /// A statement without rows. Afterwards it can be bound and run again.
    void run();

    std::int64_t integer(int column) const;
    /// NaN for NULL.
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

/// `read_immutable`: in a read-only folder, no process changes the file; `memory`: a new database.
enum class Access { read, read_immutable, write, memory };

/// For one thread at a time. Errors throw BadInput with the file and the reason (damaged, disk full, busy, …).
class Connection {
 public:
    /// SQLite reads the file only when the first query runs.
    Connection(const std::filesystem::path& path, Access access);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// There must not be two Queries with the same SQL at a time, because statements are cached.
    Query query(const char* sql) const;
    void run(const char* sql) const;
    /// One statement, without rows.
    template <typename... Values>
    void change(const char* sql, const Values&... values) const {
        query(sql).with(values...).run();
    }
    /// What `of_row` returns for each row.
    template <typename OfRow, typename... Values>
    auto all(const char* sql, const OfRow& of_row, const Values&... values) const {
        std::vector<std::invoke_result_t<OfRow, const Query&>> result;
        Query row = query(sql);
        row.with(values...);
        while (row.next()) result.push_back(of_row(row));
        return result;
    }
    /// First column of the first row, or 0 if there is no row.
    std::int64_t number(const char* sql) const;
    std::int64_t last_id() const;
    int changes() const;
    bool read_only() const;
    /// If `wanted` and possible, else a rollback journal. Returns true if the log is enabled.
    bool set_write_ahead_log(bool wanted) const;
    /// Other connections may write to this database at the same time.
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

/// Rolled back unless it is committed. If `write`, it acquires the write lock immediately. Inside another transaction
/// of the same connection it is a savepoint, which can be rolled back separately.
class Transaction {
 public:
    explicit Transaction(const Connection& connection, bool write = true);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    /// Throws BadInput if that fails.
    void commit();

 private:
    const Connection& connection_;
    bool inner_ = false;
    bool open_ = true;
};

/// For sqlite3_open and ATTACH: "file:///folder/50%25.ropelab?mode=ro".
std::string uri(const std::filesystem::path& path, Access access);

}  // namespace ropelab::sqlite
