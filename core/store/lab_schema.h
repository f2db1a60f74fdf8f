#pragma once

#include <filesystem>
#include <span>

#include "core/store/sqlite.h"

namespace ropelab {

/// "RoPE" as SQLite's application id: how `file` and this program tell a lab from another database.
constexpr int lab_application_id = 0x526F5045;

/// The statements that take a lab from one schema version to the next: the first makes version 1 of an empty database.
/// A released step never changes; new ones are added at the end.
std::span<const char* const> lab_migrations();

/// Takes a database from its version (user_version) through the migrations that follow, each step in one transaction
/// with its new version. Throws BadInput where one fails; the database then stands at the version before.
void migrate(const sqlite::Connection& database, std::span<const char* const> migrations);

/// Throws BadInput, one sentence each, for a database that is not a lab or newer than `migrations`. Returns its
/// version.
int checked_version(const sqlite::Connection& database, const std::filesystem::path& path,
                    std::span<const char* const> migrations);

}  // namespace ropelab
