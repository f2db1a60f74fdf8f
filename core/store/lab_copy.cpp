#include <fstream>

#include "core/spec/error.h"
#include "core/store/atomic_file.h"
#include "core/store/lab_database.h"
#include "core/store/lab_schema.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;

/// Removes files and folders when it goes out of scope.
struct Leftovers {
    std::vector<fs::path> paths;
    ~Leftovers() {
        std::error_code error;
        for (const fs::path& path : paths) fs::remove_all(path, error);
    }
};

// Merges the log of a lab that will be overwritten into its file, because SQLite would replay a remaining log into the
// copy.
void settle(const fs::path& target) {
    sqlite::Connection database(target, sqlite::Access::write);
    if (database.number("PRAGMA application_id") != lab_application_id) {
        throw BadInput(target.string() + " is not a RoPE Lab file; choose another name.");
    }
    if (database.read_only()) throw BadInput(target.string() + " is read-only; choose another name.");
    if (database.set_write_ahead_log(false)) {
        throw BadInput(target.string() +
                       " is open in another window or program; close it there, or choose another name.");
    }
}

void prepare(const fs::path& target) {
    std::error_code error;
    if (fs::exists(target, error)) {
        if (!fs::is_regular_file(target, error)) {
            throw BadInput(target.string() + " is not a file; choose another name.");
        }
        settle(target);
        return;
    }
    prepare_new_lab(target);
}

// Replaces the old checkpoints and the old file by the new ones. If this fails, all replacements are undone.
void swap_in(const fs::path& file, const fs::path& checkpoints, const fs::path& target, Leftovers& leftovers) {
    const fs::path target_checkpoints = checkpoint_folder_of(target);
    const fs::path old = temporary_beside(target_checkpoints);
    const bool had_old = fs::exists(target_checkpoints);
    if (had_old) fs::rename(target_checkpoints, old);
    try {
        fs::rename(checkpoints, target_checkpoints);
        fs::rename(file, target);
    } catch (...) {
        std::error_code error;
        fs::rename(target_checkpoints, checkpoints, error);
        if (had_old) fs::rename(old, target_checkpoints, error);
        throw;
    }
    leftovers.paths.push_back(old);
    sync(fs::absolute(target).parent_path());
}

}  // namespace

void LabFile::save_as(const fs::path& given) const {
    const fs::path target = lab_file_of(given);
    std::error_code error;
    if (fs::equivalent(path_, target, error)) {
        throw BadInput(target.string() + " is this lab itself; choose another name.");
    }
    try {
        prepare(target);
        const fs::path file = temporary_beside(target);
        const fs::path checkpoints = temporary_beside(checkpoint_folder_of(target));
        Leftovers leftovers{{file, checkpoints, fs::path(file) += "-wal", fs::path(file) += "-shm"}};

        // Checkpoints are copied before metrics, so that the copied metrics of a run that is being trained reach at
        // least to its copied checkpoint.
        fs::create_directory(checkpoints);
        sqlite::Query row = database_->connection.query("SELECT id FROM run");
        while (row.next()) {
            const fs::path checkpoint = checkpoint_path(row.integer(0));
            if (fs::exists(checkpoint)) copy_file_synced(checkpoint, checkpoints / checkpoint.filename());
        }
        if (!std::ofstream(file))
            throw BadInput(target.string() + " cannot be written; choose a folder that you may write to.");
        {
            sqlite::Connection copy(file, sqlite::Access::write);
            database_->connection.back_up_to(copy);
            // The copy must not have a log, because renaming the file would leave the log behind.
            if (copy.set_write_ahead_log(false))
                throw BadInput(target.string() + " cannot be written as a single file.");
        }
        sync(file);
        swap_in(file, checkpoints, target, leftovers);
    } catch (const fs::filesystem_error& problem) {
        throw_file_error("The lab", ("saved as " + target.string()).c_str(), problem.code().value());
    }
}

}  // namespace ropelab
