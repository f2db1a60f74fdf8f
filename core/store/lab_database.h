#pragma once

#include <filesystem>
#include <string>

#include "core/store/lab_file.h"
#include "core/store/sqlite.h"

namespace ropelab {

/// What a LabFile holds; shared by the files that implement it.
struct LabFile::Database {
    Database(const std::filesystem::path& path, sqlite::Access how);

    sqlite::Connection connection;
    sqlite::Access access;
    std::string writer;  // this process's mark
};

/// Writes a snapshot down, inside a transaction of the caller.
void write_snapshot(const sqlite::Connection& database, const event::Probed& probed);

/// `name.ropelab.checkpoints/` of a lab.
std::filesystem::path checkpoint_folder_of(const std::filesystem::path& lab);

/// Prepares the place of a new lab: throws BadInput where checkpoints of a removed lab of this name lie there, and
/// removes the log that SQLite left of it, which would be played back into the new one.
void clear_place_of(const std::filesystem::path& lab);

}  // namespace ropelab
