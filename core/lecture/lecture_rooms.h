#pragma once

#include <string_view>
#include <vector>

#include "core/lecture/lecture_text.h"

namespace ropelab {

/// A room of the window as lectures name it.
struct LectureRoom {
    std::string_view name;                   // "rotation"
    std::vector<std::string_view> parts;     // "dials"
    std::vector<std::string_view> controls;  // beside the settings of the rotary setup: "m", "n"
};

/// Returns the rooms with the parts and controls that a lecture can name. A test compares them with the window.
const std::vector<LectureRoom>& lecture_rooms();

/// Returns a room, under its current or an earlier name. Throws BadInput, naming the most similar one, if there is
/// none.
const LectureRoom& lecture_room(std::string_view name);

/// A room and a part of it, from a text such as "rotation/dials" or "context". `part` is "" for the whole room.
struct LectureView {
    std::string_view room;
    std::string_view part;
};
/// Throws BadInput, naming the most similar one, if the room or the part does not exist.
LectureView lecture_view(std::string_view text);

/// Returns whether a scene can change this: a control of the room, or a setting of the rotary setup, which all rooms
/// have.
bool is_lecture_control(const LectureRoom& room, std::string_view key);
/// Returns all names for which is_lecture_control() returns true.
std::vector<std::string_view> lecture_controls(const LectureRoom& room);

}  // namespace ropelab
