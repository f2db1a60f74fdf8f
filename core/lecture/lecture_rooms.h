#pragma once

#include <string_view>
#include <vector>

#include "core/lecture/lecture_text.h"

namespace ropelab {

struct LectureRoom {
    std::string_view name;                   // "rotation"
    std::vector<std::string_view> parts;     // "dials"
    std::vector<std::string_view> controls;  // beside the settings of the rotary setup: "m", "n"
};

/// Parts and controls that a lecture can name. A test compares them with the window.
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
std::vector<std::string_view> lecture_controls(const LectureRoom& room);

}  // namespace ropelab
