#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/store/sqlite.h"

namespace ropelab {

struct LabDatabase {
    LabDatabase(const std::filesystem::path& path, sqlite::Access how);

    sqlite::Connection connection;
    sqlite::Access access;
    std::string writer;    // mark of this process (see process_mark.h)
    struct stat place {};  // status of the file when this connection last wrote it; its inode is that of the lab
    ino_t log = 0;         // inode of the write-ahead log then; 0 if there was none
    std::string origin;    // origin_of() the file when it was opened
    std::shared_ptr<const void> own_log;  // opened_log()
    bool abandoned = false;
};

/// When its first experiment was created; "" without one, nullopt for no lab. Reads the file without its log; BadInput
/// if that fails.
std::optional<std::string> origin_of(const std::filesystem::path& path);

inline std::filesystem::path with_suffix(std::filesystem::path path, const char* suffix) {
    return path += suffix;
}

/// Before a lab is opened. Throws BadInput, having changed nothing, if the write-ahead log or the rollback journal
/// beside it is not its own: what is seen through it is no lab, is damaged or has other experiments or runs.
void require_own_log(const std::filesystem::path& path);
/// Of a lab that was just opened: its log is its own as long as the result lives.
std::shared_ptr<const void> opened_log(const std::filesystem::path& path);

std::filesystem::path checkpoint_folder_of(const std::filesystem::path& lab);

/// Removes the SQLite log of a deleted lab of the same name, because SQLite would replay it into the new lab. Throws
/// BadInput if there are checkpoints of a deleted lab of the same name.
void prepare_new_lab(const std::filesystem::path& lab);

/// The ASCII codes of "RoPE" distinguish labs from other databases.
constexpr int lab_application_id = 0x526F5045;

/// SQL from each version to the next, first from an empty database. Released scripts must never change.
std::span<const char* const> lab_migrations();

/// Each migration is one transaction, with user_version. BadInput if one fails; the version is then that before it.
void migrate(const sqlite::Connection& database, std::span<const char* const> migrations);

/// Throws BadInput for no lab, a newer one, or other tables, indices, views or triggers than `migrations` create.
int checked_version(const sqlite::Connection& database, const std::filesystem::path& path,
                    std::span<const char* const> migrations);

}  // namespace ropelab
