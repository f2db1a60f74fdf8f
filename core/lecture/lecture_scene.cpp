#include "core/lecture/lecture_scene.h"

#include <algorithm>
#include <array>

#include "core/lecture/lecture_rooms.h"
#include "core/lecture/quantity.h"
#include "core/lecture/quantity_call.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

constexpr std::array<std::string_view, 10> scene_keys = {"id",       "show",     "setup", "lab",   "live",
                                                         "controls", "question", "find",  "notes", "steps"};

bool is_id(std::string_view text) {
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    return !text.empty() && text.size() <= 80 && std::all_of(text.begin(), text.end(), allowed);
}

void read_id(const YamlMapping& block, LectureScene& scene) {
    scene.id = block.text("id");
    if (!block.has("id")) {
        scene.id = scene_id(scene.title);
        if (scene.id.empty()) scene.id = "scene-" + std::to_string(scene.line);
    } else if (!is_id(scene.id)) {
        block.place_of("id").fail(
            "The id \"" + shortened(scene.id) +
            "\" must consist of lower-case letters, digits and hyphens, such as \"four-clocks\".");
    }
}

void read_view(const YamlMapping& block, LectureScene& scene) {
    if (block.has("show")) {
        const std::string text = block.text("show");
        const LectureView view = block.place_of("show").run([&] { return lecture_view(text); });
        scene.room = view.room;
        scene.part = view.part;
    }
    if (block.has("setup")) {
        scene.setup = block.place_of("setup").run([&] { return parse_setups(block.text("setup")); });
    }
    for (const std::string& control : block.texts("controls")) {
        const LecturePlace place = block.place_of("controls");
        if (scene.room.empty()) place.fail("A scene without a room has no controls; add \"show: ROOM\".");
        const LectureRoom& room = lecture_room(scene.room);
        if (!is_lecture_control(room, control)) {
            place.fail("The room \"" + scene.room + "\" has no control \"" + shortened(control) +
                       "\"; did you mean \"" + nearest(shortened(control), lecture_controls(room)) + "\"?");
        }
        scene.controls.push_back(control);
    }
}

void read_lab(const YamlMapping& block, const LectureSource& source, LectureScene& scene) {
    if (!block.has("lab")) return;
    const std::string text = block.text("lab");
    const LecturePlace place = block.place_of("lab");
    if (text.empty()) place.fail("The lab has no name; write a path such as \"labs/three-thetas.ropelab\".");
    scene.lab = source.folder / text;
    std::error_code error;
    if (!std::filesystem::is_regular_file(scene.lab, error)) {
        place.fail("There is no lab \"" + shortened(text) + "\" in the folder of the lecture.");
    }
}

}  // namespace

std::string scene_id(std::string_view title) {
    std::string id;
    for (const char c : title) {
        const bool upper = c >= 'A' && c <= 'Z';
        const char lower = upper ? static_cast<char>(c - 'A' + 'a') : c;
        if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9')) {
            id += lower;
        } else if (!id.empty() && id.back() != '-') {
            id += '-';
        }
        if (id.size() == 80) break;
    }
    while (id.ends_with('-')) id.pop_back();
    return id;
}

void check_scene_quantity(const std::string& expression, const LecturePlace& place, const LectureScene& scene) {
    place.run([&] { check_quantity(expression); });
    if (!scene.setup.b && parse_quantity_call(expression).of_b) {
        place.fail("The quantity \"" + shortened(expression) +
                   "\" is of setup B, but the scene has only one setup; write \"setup: … | B: …\".");
    }
    if (quantity_needs_lab(expression) && scene.lab.empty() && !scene.live) {
        place.fail("The quantity \"" + shortened(expression) +
                   "\" is computed from runs; give the scene a lab (\"lab: FILE\") or an experiment (\"live: …\").");
    }
}

LectureScene parse_scene(const LectureSection& section, const LectureSource& source) {
    LectureScene scene;
    scene.title = section.title;
    scene.line = section.line;
    scene.text = section.text;
    const LecturePlace first{source.name, section.block_line > 0 ? section.block_line : section.line};
    const YamlNode node = parse_yaml(section.block, first);
    const YamlMapping block(node, first, "scene", scene_keys);
    read_id(block, scene);
    read_view(block, scene);
    read_lab(block, source, scene);
    if (const YamlNode* live = block.find("live")) scene.live = parse_training(*live, block.place_of("live"));
    scene.question = block.text("question");
    scene.notes = block.text("notes");
    scene.find = block.text("find");
    if (block.has("find")) check_scene_quantity(scene.find, block.place_of("find"), scene);
    if (const YamlNode* steps = block.find("steps")) scene.steps = parse_steps(*steps, block.place_of("steps"), scene);
    return scene;
}

}  // namespace ropelab
