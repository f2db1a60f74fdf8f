#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ropelab {

struct Checksum {
    enum class Algorithm { sha256, md5 };
    Algorithm algorithm = Algorithm::sha256;
    std::string hex;  // hexadecimal digits in lower case

    bool operator==(const Checksum&) const = default;
};

std::string_view name_of(Checksum::Algorithm algorithm);

Checksum checksum_of(std::string_view bytes, Checksum::Algorithm algorithm);

/// Pieces of 1 MiB; if `step`, called with the bytes processed so far, returns false, the result is nullopt. Throws
/// std::runtime_error if the file cannot be read.
std::optional<Checksum> checksum_of_file(const std::filesystem::path& file, Checksum::Algorithm algorithm,
                                         const std::function<bool(std::int64_t)>& step = {});

}  // namespace ropelab
