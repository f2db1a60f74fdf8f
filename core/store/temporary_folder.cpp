#include "core/store/temporary_folder.h"

#include <stdlib.h>

#include <stdexcept>
#include <string>
#include <system_error>

namespace ropelab {

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ropelab-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("The temporary folder " + pattern + " cannot be created.");
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

}  // namespace ropelab
