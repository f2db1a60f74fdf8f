#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "core/store/lab_file.h"
#include "core/store/sqlite.h"

namespace ropelab {

/// The database connection of a LabFile; private to the files that implement LabFile.
struct LabFile::Database {
    Database(const std::filesystem::path& path, sqlite::Access how);

    sqlite::Connection connection;
    sqlite::Access access;
    std::string writer;    // mark of this process (see process_mark.h)
    struct stat place {};  // status of the file when this connection last wrote it; its inode is that of the lab
    ino_t log = 0;         // inode of the write-ahead log then; 0 if there was none
    std::string origin;    // origin_of() the file when it was opened
    bool abandoned = false;
};

/// Returns what distinguishes the lab in a file from others: when its first experiment was created; "" without an
/// experiment, and nullopt if the file is no lab. Reads the file without its log. Throws BadInput if it cannot be read,
/// as while another connection merges the log.
std::optional<std::string> origin_of(const std::filesystem::path& path);

/// Stores a snapshot. The caller must have begun a transaction.
void write_snapshot(const sqlite::Connection& database, const event::Probed& probed);

std::filesystem::path checkpoint_folder_of(const std::filesystem::path& lab);

/// Prepares a path for a new lab: removes the SQLite log of a deleted lab of the same name, because SQLite would replay
/// it into the new lab. Throws BadInput if there are checkpoints of a deleted lab of the same name.
void prepare_new_lab(const std::filesystem::path& lab);

/// SQLite application id of lab files, the ASCII codes of "RoPE". It distinguishes labs from other databases.
constexpr int lab_application_id = 0x526F5045;

/// Returns the SQL scripts that migrate a lab from each schema version to the next one. The first script creates
/// version 1 from an empty database. A released script must never change; new ones are appended.
std::span<const char* const> lab_migrations();

/// Applies to a database all migrations after its version (user_version), each in one transaction that also sets the
/// new version. Throws BadInput if a migration fails; the database then has the version before it.
void migrate(const sqlite::Connection& database, std::span<const char* const> migrations);

/// Returns the schema version of a lab. Throws BadInput if the database is not a lab, is newer than `migrations`, or
/// has other tables, indices, views or triggers than these create.
int checked_version(const sqlite::Connection& database, const std::filesystem::path& path,
                    std::span<const char* const> migrations);

}  // namespace ropelab
