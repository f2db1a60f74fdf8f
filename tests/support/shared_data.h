#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace ropelab {

/// A file of ../shared/data: real text and reference numbers that other programs computed.
inline std::filesystem::path shared_data(const std::string& name) {
    return std::filesystem::path(ROPELAB_SHARED_DATA) / name;
}

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline nlohmann::json read_json_file(const std::filesystem::path& path) {
    return nlohmann::json::parse(read_file(path));
}

}  // namespace ropelab

/// Skips the test, saying why, where that file is not there.
#define SKIP_WITHOUT_SHARED_DATA(name)                                                     \
    if (!std::filesystem::exists(ropelab::shared_data(name))) {                            \
        GTEST_SKIP() << "The reference data ../shared/data/" << (name) << " is not here."; \
    }
