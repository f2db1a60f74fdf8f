#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/source_file.h"

namespace ropelab::documentation {

/// Returns the lines of the first fenced block under `heading` in docs/synthetic-language.md, so that the tests compare
/// the program with its documentation.
inline std::vector<std::string> block_under(const std::string& heading) {
    std::ifstream file(source_file("docs/synthetic-language.md"));
    if (!file) throw std::runtime_error("docs/synthetic-language.md cannot be read");
    std::string line;
    while (std::getline(file, line) && line != heading) {
    }
    while (std::getline(file, line) && !line.starts_with("```")) {
    }
    std::vector<std::string> lines;
    while (std::getline(file, line) && line != "```") lines.push_back(line);
    if (lines.empty()) throw std::runtime_error("docs/synthetic-language.md has no block under '" + heading + "'");
    return lines;
}

inline std::vector<std::string> words_of(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

inline std::vector<std::string> words_under(const std::string& heading) {
    std::vector<std::string> words;
    for (const std::string& line : block_under(heading)) {
        for (std::string& word : words_of(line)) words.push_back(std::move(word));
    }
    return words;
}

}  // namespace ropelab::documentation
