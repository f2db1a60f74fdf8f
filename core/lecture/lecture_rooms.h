#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/lecture/lecture_text.h"

namespace ropelab {

struct LectureControl {
    std::string_view name;  // "vectors"
    /// Words that it can be, in any case: "random".
    std::vector<std::string_view> words = {};
    /// Smallest and largest number. Without numbers and words, control_check.cpp or the window knows the values.
    std::optional<std::pair<double, double>> range = {};
};

struct LectureRoom {
    std::string_view name;                 // "rotation"
    std::vector<std::string_view> parts;   // "dials"
    std::vector<LectureControl> controls;  // beside the settings of the rotary setup
    /// Names of the figures: "logit-split".
    std::vector<std::string_view> figures;
};

/// Parts, controls with their values, and figures that a lecture can name. A test compares them with the window.
const std::vector<LectureRoom>& lecture_rooms();

/// Current or earlier name. Throws BadInput, naming the most similar one, if there is none.
const LectureRoom& lecture_room(std::string_view name);

/// "rotation/dials" or "context". `part` is "" for the whole room.
struct LectureView {
    std::string_view room;
    std::string_view part;
};
/// Throws BadInput, naming the most similar one, if the room or the part does not exist.
LectureView lecture_view(std::string_view text);

/// A control of the room, or a setting of the rotary setup, which all rooms have.
bool is_lecture_control(const LectureRoom& room, std::string_view key);
/// x_axis and y_axis, which all rooms of the rotary setup have: the ends of an axis, "0 to 256", or "automatic".
bool is_axis_control(std::string_view key);
/// Nullopt for "automatic". Throws BadInput.
std::optional<std::pair<double, double>> axis_ends(std::string_view value);
/// The room's own controls, then settings of the rotary setup.
std::vector<std::string_view> lecture_controls(const LectureRoom& room);
/// Throws BadInput, naming the most similar one, if the room has no such figure.
void check_figure_of(const LectureRoom& room, std::string_view figure);

}  // namespace ropelab
