#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/lecture/lecture_yaml.h"

namespace ropelab {

/// Largest size of a lecture in bytes, and largest number of its scenes.
inline constexpr std::size_t most_lecture_bytes = std::size_t{4} << 20;
inline constexpr std::size_t most_lecture_scenes = 2000;

/// Returns the error for a lecture of too many bytes.
BadInput too_large(const std::string& file, std::size_t bytes);

/// A heading of level 2 with the text below it.
struct LectureSection {
    std::string title;
    int line = 0;        // of the heading
    std::string block;   // YAML of the fenced block directly below the heading; "" if there is none
    int block_line = 0;  // first line of the YAML; 0 if there is no block
    std::string text;    // Markdown after the block
};

/// The parts of a lecture.
struct LectureSections {
    std::string front;   // YAML of the front matter
    int front_line = 0;  // its first line
    std::string text;    // Markdown between front matter and first heading of level 2
    std::vector<LectureSection> sections;
};

/// Splits the text of a lecture at its headings of level 2; headings inside fenced code are text. Throws BadInput, with
/// file and line, if the text is not UTF-8 or contains control characters, if the front matter is missing, for a block
/// of YAML without end, for a heading without a title, and if the text is too large.
LectureSections split_lecture(std::string_view text, const std::string& file);

}  // namespace ropelab
