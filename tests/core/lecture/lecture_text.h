#pragma once

#include <string>

#include "core/lecture/lecture.h"

namespace ropelab {

/// Returns a lecture with one scene whose block has this YAML. The first line of the YAML is line 6 of the file.
inline std::string lecture_with_block(const std::string& yaml) {
    return "---\ntitle: Test\n---\n## A scene\n```yaml\n" + yaml + "\n```\nText of the scene.\n";
}
/// Returns the scene of this YAML.
inline LectureScene scene_of_block(const std::string& yaml, const std::filesystem::path& file = "test.md") {
    return parse_lecture(lecture_with_block(yaml), file).scenes.at(0);
}

}  // namespace ropelab
