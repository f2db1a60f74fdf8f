#pragma once

#include <filesystem>

#include "core/lecture/lecture.h"
#include "core/lecture/lecture_sections.h"

namespace ropelab {

/// The file that is parsed.
struct LectureSource {
    std::string name;              // as messages name it
    std::filesystem::path folder;  // against which paths are resolved
};

/// Returns the scene of a section. Throws BadInput with the line and with what would be right.
LectureScene parse_scene(const LectureSection& section, const LectureSource& source);

/// Returns the steps of a scene, whose room, setup and lab are known. Throws BadInput as parse_scene() does.
std::vector<LectureStep> parse_steps(const YamlNode& list, const LecturePlace& place, const LectureScene& scene);

/// Returns the training of a scene. Throws BadInput as parse_scene() does.
LectureTraining parse_training(const YamlNode& node, const LecturePlace& place);

/// Throws BadInput, with the place, if an expression is not a valid quantity or needs a lab that the scene lacks.
void check_scene_quantity(const std::string& expression, const LecturePlace& place, const LectureScene& scene);

/// Returns an identifier made from a title: "Four clocks" becomes "four-clocks". It is empty if the title has neither
/// ASCII letters nor digits.
std::string scene_id(std::string_view title);

}  // namespace ropelab
