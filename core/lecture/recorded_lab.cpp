#include "core/lecture/recorded_lab.h"

#include <system_error>

#include "core/base/error.h"

namespace ropelab {

RecordedLab::RecordedLab(const std::filesystem::path& path) {
    require_lab_header(path);
    const std::filesystem::path copy = folder_.path() / path.filename();
    std::error_code error;
    std::filesystem::copy_file(path, copy, error);
    if (error) throw BadInput("The lab file " + path.string() + " cannot be read: " + error.message() + ".");
    // Changes that another program has not merged into the file yet.
    std::filesystem::path log = path;
    log += "-wal";
    if (std::filesystem::exists(log, error)) {
        std::filesystem::copy_file(log, folder_.path() / log.filename(), error);
    }
    std::filesystem::permissions(copy, std::filesystem::perms::owner_write, std::filesystem::perm_options::add, error);
    lab_ = LabFile::open(copy, LabFile::Mode::read);
}

}  // namespace ropelab
