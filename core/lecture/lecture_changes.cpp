#include <algorithm>

#include "core/lecture/lecture.h"
#include "core/lecture/lecture_rooms.h"
#include "core/spec/error.h"

namespace ropelab {

bool is_setup_setting(std::string_view key, std::string_view room) {
    const auto has = [&](const std::vector<std::string_view>& names) {
        return std::find(names.begin(), names.end(), key) != names.end();
    };
    return has(setup_settings()) && (room.empty() || !has(lecture_room(room).controls));
}

bool apply_to_setups(const LectureChange& change, std::string_view room, ComparedSetups& setups) {
    if (change.key == "setup") {
        setups = parse_setups(change.value);
        return true;
    }
    if (!is_setup_setting(change.key, room)) return false;
    set_setting(setups.a, change.key, change.value);
    return true;
}

bool asks_later(const LectureScene& scene, int step, bool revealed) {
    const auto from = static_cast<std::size_t>(std::max(0, revealed ? step + 1 : step));
    return std::any_of(scene.steps.begin() + static_cast<std::ptrdiff_t>(std::min(from, scene.steps.size())),
                       scene.steps.end(), [](const LectureStep& each) { return each.ask.has_value(); });
}

}  // namespace ropelab
