#include "core/lecture/recorded_lab.h"

#include <stdlib.h>

#include <stdexcept>
#include <string>
#include <system_error>

#include "core/spec/error.h"

namespace ropelab {

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ropelab-lecture-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("The temporary folder " + pattern + " cannot be created.");
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

RecordedLab::RecordedLab(const std::filesystem::path& path) {
    const std::filesystem::path copy = folder_.path() / path.filename();
    std::error_code error;
    std::filesystem::copy_file(path, copy, error);
    if (error) throw BadInput("The lab " + path.string() + " cannot be read: " + error.message() + ".");
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
