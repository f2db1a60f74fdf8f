#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ropelab {

/// Throws BadInput for what is no regular file (a pipe or device would be read for ever), for more than `largest`
/// bytes, and if the file cannot be read; the sentence begins with the path.
std::string read_regular_file(const std::filesystem::path& file, std::int64_t largest);

}  // namespace ropelab
