#include "core/store/lab_database.h"

#include <sqlite3.h>

#include "core/base/error.h"
#include "core/store/process_mark.h"

namespace ropelab {

namespace fs = std::filesystem;

LabDatabase::LabDatabase(const fs::path& path, sqlite::Access how)
    : connection(path, how), access(how), writer(process_mark()) {}

std::optional<std::string> origin_of(const fs::path& path) {
    const sqlite::Connection database(path, sqlite::Access::read_immutable);
    try {
        if (database.number("PRAGMA application_id") != lab_application_id) return std::nullopt;
        sqlite::Query first = database.query("SELECT created FROM experiment ORDER BY id LIMIT 1");
        return first.next() ? first.text(0) : "";
    } catch (const BadInput&) {
        if ((sqlite3_errcode(database.handle()) & 0xFF) == SQLITE_NOTADB) return std::nullopt;
        throw;
    }
}

fs::path checkpoint_folder_of(const fs::path& lab) {
    return with_suffix(lab, ".checkpoints");
}

void prepare_new_lab(const fs::path& lab) {
    std::error_code error;
    const fs::path checkpoints = checkpoint_folder_of(lab);
    if (fs::exists(checkpoints, error) && !fs::is_empty(checkpoints, error)) {
        throw BadInput("The folder " + checkpoints.string() +
                       " contains checkpoints of another lab file; move the folder, or choose another name.");
    }
    for (const char* suffix : {"-wal", "-shm", "-journal"}) fs::remove(with_suffix(lab, suffix), error);
}

}  // namespace ropelab
