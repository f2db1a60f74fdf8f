#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/source_file.h"

namespace ropelab {

/// Returns the path of a file in ../shared/data, which has texts and reference numbers of other programs.
inline std::filesystem::path shared_data(const std::string& name) {
    return std::filesystem::path(source_file("../shared/data")) / name;
}

/// Returns the content of a file.
inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Returns the content of a JSON file.
inline nlohmann::json read_json_file(const std::filesystem::path& path) {
    return nlohmann::json::parse(read_file(path));
}

}  // namespace ropelab

/// Skips the test with a message if a file of the shared data does not exist.
#define SKIP_WITHOUT_SHARED_DATA(name)                                                        \
    if (!std::filesystem::exists(ropelab::shared_data(name))) {                               \
        GTEST_SKIP() << "The reference data ../shared/data/" << (name) << " does not exist."; \
    }
