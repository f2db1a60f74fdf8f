#pragma once

#include <QString>
#include <nlohmann/json.hpp>

#include "core/lecture/lecture.h"

namespace ropelab::ui {

class LectureStage;

/// Formats the value of a quantity: "47,117", "none", "1,868 to 1,878, 1,941 to 1,984".
QString quantityValueText(const nlohmann::json& value);
/// Returns a text of a lecture with the values of its quantities ("{{…}}") for what the stage shows now.
QString filledText(const std::string& text, LectureStage& stage);
/// Describes a step for the lecturer in one line: what it says, asks or changes.
QString stepWords(const LectureStep& step);
/// Formats a duration in seconds as minutes and seconds: "12:05"; negative ones with a minus sign.
QString clockText(double seconds);

}  // namespace ropelab::ui
