#pragma once

#include <filesystem>
#include <string>

#include "core/store/lab_file.h"
#include "core/store/sqlite.h"

namespace ropelab {

/// The database connection of a LabFile; private to the files that implement LabFile.
struct LabFile::Database {
    Database(const std::filesystem::path& path, sqlite::Access how);

    sqlite::Connection connection;
    sqlite::Access access;
    std::string writer;  // mark of this process (see process_mark.h)
};

/// Stores a snapshot. The caller must have begun a transaction.
void write_snapshot(const sqlite::Connection& database, const event::Probed& probed);

/// Returns the path of a lab's checkpoint folder, `name.ropelab.checkpoints/`.
std::filesystem::path checkpoint_folder_of(const std::filesystem::path& lab);

/// Prepares a path for a new lab: removes the SQLite log of a deleted lab of the same name, because SQLite would replay
/// it into the new lab. Throws BadInput if there are checkpoints of a deleted lab of the same name.
void prepare_new_lab(const std::filesystem::path& lab);

}  // namespace ropelab
