#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ropelab {

/// The size of a text after compression by another program's method.
struct ArchiveSize {
    std::string_view method;  // "gzip" or "xz"
    std::int64_t bytes = 0;   // of the compressed file, its header included
};

/// Returns the sizes of a text compressed with gzip and with xz, each at its highest level (9). Methods that the
/// installed libarchive does not have are omitted.
std::vector<ArchiveSize> archive_sizes(std::string_view text);

}  // namespace ropelab
