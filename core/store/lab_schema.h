#pragma once

#include <filesystem>
#include <span>

#include "core/store/sqlite.h"

namespace ropelab {

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
