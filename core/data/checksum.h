#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ropelab {

/// A published checksum of a file.
struct Checksum {
    enum class Algorithm { sha256, md5 };
    Algorithm algorithm = Algorithm::sha256;
    std::string hex;  // lower case

    bool operator==(const Checksum&) const = default;
};

/// "SHA-256" or "MD5".
std::string_view name_of(Checksum::Algorithm algorithm);

/// The checksum of bytes in memory.
Checksum checksum_of(std::string_view bytes, Checksum::Algorithm algorithm);

/// The checksum of a file, read in pieces. `step` hears how many bytes are done after each piece and says whether to go
/// on; false ends the work with nullopt. Throws std::runtime_error, in one sentence, where the file cannot be read.
std::optional<Checksum> checksum_of_file(const std::filesystem::path& file, Checksum::Algorithm algorithm,
                                         const std::function<bool(std::int64_t)>& step = {});

}  // namespace ropelab
