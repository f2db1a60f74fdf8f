#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace ropelab {

struct LecturePlace {
    std::string file;
    int line = 0;  // from 1

    /// "FILE, line 12: SENTENCE".
    [[noreturn]] void fail(const std::string& sentence) const;
    LecturePlace at(int other) const { return {file, other}; }
    /// BadInput passes with this place in front of its message.
    template <typename F>
    auto run(const F& function) const {
        try {
            return function();
        } catch (const BadInput& error) {
            fail(error.what());
        }
    }
};

/// Mappings keep the order of the text.
struct YamlNode {
    enum class Kind { null, scalar, list, mapping };
    Kind kind = Kind::null;
    int line = 0;  // line in the lecture file, from 1
    std::string text = {};
    bool quoted = false;               // a scalar in quotes or a block of text, which is never a number
    std::vector<YamlNode> keys = {};   // of a mapping
    std::vector<YamlNode> items = {};  // of a list, or the values of a mapping
};

/// An empty text is an empty mapping. Throws BadInput, with the line, for invalid YAML, for several documents, anchors,
/// aliases and tags, for keys that are lists or mappings, for more than 20 levels, and for texts above 64 kB.
YamlNode parse_yaml(std::string_view text, const LecturePlace& first);

/// A scalar without quotes can be true, false, null or a number; others are strings.
nlohmann::json json_of_yaml(const YamlNode& node);

/// With a fixed set of keys. All functions throw BadInput, with the line and what would be right, for another type.
class YamlMapping {
 public:
    /// `what`: "scene" or "question", for messages. BadInput if the node is no mapping, for unknown and repeated keys.
    YamlMapping(const YamlNode& node, LecturePlace place, std::string what, std::span<const std::string_view> known);

    /// The mapping's place, or a value's.
    const LecturePlace& place() const { return place_; }
    LecturePlace place_of(std::string_view key) const;
    /// Null if there is none.
    const YamlNode* find(std::string_view key) const;
    bool has(std::string_view key) const { return find(key) != nullptr; }

    /// "" if the key is missing.
    std::string text(std::string_view key) const;
    double number(std::string_view key, double fallback) const;
    /// False if the key is missing.
    bool flag(std::string_view key) const;
    /// A single text is a list of one; empty if the key is missing.
    std::vector<std::string> texts(std::string_view key) const;

 private:
    const YamlNode& node_;
    LecturePlace place_;
    std::string what_;
};

inline constexpr std::size_t most_lecture_bytes = std::size_t{4} << 20;
inline constexpr std::size_t most_lecture_scenes = 2000;

BadInput too_large(const std::string& file, std::size_t bytes);

/// A heading of level 2 with the text below it.
struct LectureSection {
    std::string title;
    int line = 0;        // of the heading
    std::string block;   // YAML of the fenced block directly below the heading; "" if there is none
    int block_line = 0;  // first line of the YAML; 0 if there is no block
    std::string text;    // Markdown after the block
    int text_line = 0;   // its first line
};

struct LectureSections {
    std::string front;   // YAML of the front matter
    int front_line = 0;  // its first line
    std::string text;    // Markdown between front matter and first heading of level 2
    int text_line = 0;   // its first line
    std::vector<LectureSection> sections;
};

/// Headings inside fenced code are text. Throws BadInput, with file and line, for text that is not UTF-8, control
/// characters, missing front matter, open YAML blocks, empty headings and texts that are too large.
LectureSections split_lecture(std::string_view text, const std::string& file);

/// "" if the last fenced code of the text is closed.
std::string closing_fence(std::string_view text);

/// "Four clocks" becomes "four-clocks"; empty if the title has neither ASCII letters nor digits.
std::string scene_id(std::string_view title);

}  // namespace ropelab
