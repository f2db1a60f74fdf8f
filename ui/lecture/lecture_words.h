#pragma once

#include <QString>
#include <nlohmann/json.hpp>

#include "core/lecture/lecture.h"

namespace ropelab::ui {

class LectureStage;

/// "47,117", "none", "1,868 to 1,878, 1,941 to 1,984".
QString quantityValueText(const nlohmann::json& value);
/// Replaces quantities ("{{…}}") by their values for what the stage shows now.
QString filledText(const std::string& text, LectureStage& stage);
/// "tokens" for "B.wavelength(31)".
QString unitOf(const std::string& expression);
/// One line for the lecturer: what the step says, asks or changes.
QString stepWords(const LectureStep& step);
/// "12:05"; negative durations have a minus sign.
QString clockText(double seconds);

}  // namespace ropelab::ui
