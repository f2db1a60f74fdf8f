#include <algorithm>
#include <array>
#include <cmath>

#include "core/lecture/lecture_rooms.h"
#include "core/lecture/lecture_scene.h"
#include "core/lecture/quantity.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

constexpr std::array<std::string_view, 6> step_keys = {"say", "set", "point", "ask", "check", "loop"};
constexpr std::array<std::string_view, 3> check_keys = {"quantity", "expected", "tolerance"};
constexpr std::array<std::string_view, 10> question_keys = {"text", "choices", "right", "quantity", "tolerance",
                                                            "draw", "curve",   "hide",  "hint",     "answer"};
constexpr double longest_glide = 600;  // seconds

/// What the steps of a scene have changed so far.
struct StepState {
    ComparedSetups setups;
    std::string room;
};

/// Parses "64 over 8 s" into a value and a duration.
void read_value(const std::string& text, const LecturePlace& place, LectureChange& change) {
    static constexpr std::string_view over = " over ";
    const std::size_t found = text.rfind(over);
    change.value = std::string(trimmed(std::string_view(text).substr(0, found)));
    if (found == std::string::npos) return;
    std::string_view duration = trimmed(std::string_view(text).substr(found + over.size()));
    if (!duration.ends_with('s')) place.fail("A duration needs its unit, as in \"" + change.value + " over 2 s\".");
    duration.remove_suffix(1);
    change.glide = place.run([&] { return parse_number(duration); });
    if (change.glide < 0 || change.glide > longest_glide) {
        place.fail("The duration \"" + shortened(duration) + "s\" must be between 0 s and 600 s.");
    }
    std::string_view number = change.value;
    if (number.ends_with('%')) number.remove_suffix(1);
    place.run([&] { return parse_number(number); });  // only a number can glide
}

void apply_change(const LectureChange& change, const LecturePlace& place, StepState& state) {
    if (change.key == "room") {
        state.room = place.run([&] { return lecture_view(change.value); }).room;
        return;
    }
    if (state.room.empty()) place.fail("A scene without a room has nothing to set; add \"show: ROOM\" to the scene.");
    const LectureRoom& room = lecture_room(state.room);
    if (change.key != "setup" && !is_lecture_control(room, change.key)) {
        std::vector<std::string_view> known = lecture_controls(room);
        known.insert(known.end(), {"setup", "room"});
        place.fail("The room \"" + state.room + "\" has no control \"" + shortened(change.key) + "\"; did you mean \"" +
                   nearest(shortened(change.key), known) + "\"?");
    }
    place.run([&] { apply_to_setups(change, room.name, state.setups); });
}

std::vector<LectureChange> parse_changes(const YamlNode& node, const LecturePlace& place, StepState& state) {
    if (node.kind != YamlNode::Kind::mapping) {
        place.fail("\"set\" must be a mapping of controls to values, such as {m: 10, theta: 500k over 2 s}.");
    }
    std::vector<LectureChange> changes;
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
        const YamlNode& value = node.items[i];
        const LecturePlace here = place.at(node.keys[i].line);
        LectureChange& change = changes.emplace_back();
        change.key = node.keys[i].text;
        if (value.kind != YamlNode::Kind::scalar) {
            here.fail("The value of \"" + shortened(change.key) + "\" must be a number or a text.");
        }
        read_value(value.text, here, change);
        const auto same = [&](const LectureChange& other) { return other.key == change.key; };
        if (std::count_if(changes.begin(), changes.end(), same) > 1) {
            here.fail("\"" + shortened(change.key) + "\" is set twice in this step; use one step for each value.");
        }
        apply_change(change, here, state);
    }
    return changes;
}

bool is_expected(const nlohmann::json& value) {
    const auto number_or_list = [](const nlohmann::json& each) { return each.is_number() || is_expected(each); };
    return value.is_null() || value.is_number() ||
           (value.is_array() && std::all_of(value.begin(), value.end(), number_or_list));
}

nlohmann::json expected_of(const YamlNode& node, const LecturePlace& place) {
    nlohmann::json value = json_of_yaml(node);
    if (node.kind == YamlNode::Kind::scalar && value.is_string()) {
        if (node.text == "none") return nullptr;
        value = place.run([&] { return parse_number(node.text); });
    }
    if (!is_expected(value)) {
        place.fail("\"expected\" must be a number, none, or a list such as [1, 2] or [[100, 300]].");
    }
    return value;
}

double tolerance_of(const YamlMapping& mapping) {
    const double tolerance = mapping.number("tolerance", 0);
    if (tolerance < 0) mapping.place_of("tolerance").fail("The tolerance must not be negative.");
    return tolerance;
}

LectureCheck parse_check(const YamlNode& node, const LecturePlace& place, const LectureScene& scene) {
    const YamlMapping mapping(node, place, "check", check_keys);
    LectureCheck check;
    check.line = mapping.place().line;
    check.quantity = mapping.text("quantity");
    if (check.quantity.empty()) {
        mapping.place().fail("The check has no quantity; write \"quantity: wavelength(31)\".");
    }
    check_scene_quantity(check.quantity, mapping.place_of("quantity"), scene);
    const YamlNode* expected = mapping.find("expected");
    if (!expected) mapping.place().fail("The check has no expected value; write \"expected: 47117\", or none.");
    check.expected = expected_of(*expected, mapping.place_of("expected"));
    check.tolerance = tolerance_of(mapping);
    return check;
}

/// Throws BadInput if a question has a key that does not belong to its kind.
void refuse_keys(const YamlMapping& mapping, std::initializer_list<std::string_view> keys, const std::string& kind) {
    for (const std::string_view key : keys) {
        if (mapping.has(key)) {
            mapping.place_of(key).fail("\"" + std::string(key) + "\" does not belong to a question " + kind +
                                       "; a question has choices and right, or a quantity, or \"draw: true\".");
        }
    }
}

void read_choices(const YamlMapping& mapping, LectureQuestion& question) {
    refuse_keys(mapping, {"quantity", "tolerance", "draw", "curve"}, "with choices");
    question.kind = LectureQuestion::Kind::choice;
    question.choices = mapping.texts("choices");
    if (question.choices.size() < 2 || question.choices.size() > 9) {
        mapping.place_of("choices").fail("A question must have 2 to 9 choices, not " +
                                         std::to_string(question.choices.size()) + ".");
    }
    if (!mapping.has("right"))
        mapping.place().fail("The question does not say which choice is right; add \"right: 1\".");
    const double right = mapping.number("right", 1);
    if (right != std::trunc(right) || right < 1 || right > static_cast<double>(question.choices.size())) {
        mapping.place_of("right").fail("\"right\" must be the number of a choice, from 1 to " +
                                       std::to_string(question.choices.size()) + ".");
    }
    question.right = static_cast<int>(right) - 1;
}

LectureQuestion parse_question(const YamlNode& node, const LecturePlace& place, const LectureScene& scene) {
    const YamlMapping mapping(node, place, "question", question_keys);
    LectureQuestion question;
    question.line = mapping.place().line;
    question.text = mapping.text("text");
    question.hint = mapping.text("hint");
    question.answer = mapping.text("answer");
    if (question.text.empty()) mapping.place().fail("The question has no text; add \"text: …\".");
    if (mapping.has("choices")) {
        read_choices(mapping, question);
    } else if (mapping.has("quantity")) {
        refuse_keys(mapping, {"right", "draw", "curve"}, "with a quantity");
        question.kind = LectureQuestion::Kind::number;
        question.quantity = mapping.text("quantity");
        check_scene_quantity(question.quantity, mapping.place_of("quantity"), scene);
        question.tolerance = tolerance_of(mapping);
    } else if (mapping.flag("draw")) {
        refuse_keys(mapping, {"right", "tolerance", "hide"}, "that is drawn");
        question.kind = LectureQuestion::Kind::curve;
        question.curve = mapping.text("curve");
        if (scene.room.empty())
            mapping.place().fail("A curve is drawn over a figure; add \"show: ROOM\" to the scene.");
    } else {
        mapping.place().fail(
            "The question has no kind of answer; add \"choices\" and \"right\", \"quantity\", or \"draw: true\".");
    }
    question.hides = mapping.flag("hide");
    return question;
}

std::string parse_point(const std::string& text, const LecturePlace& place, const std::string& room) {
    const std::size_t space = text.find(' ');
    const std::string kind = text.substr(0, space);
    const std::string_view what = space == std::string::npos ? "" : trimmed(std::string_view(text).substr(space));
    static constexpr std::array<std::string_view, 3> kinds = {"pair", "control", "figure"};
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
        place.fail("A lecture cannot point at \"" + shortened(text) + "\"; did you mean \"" +
                   nearest(shortened(kind), kinds) +
                   " …\"? It points at \"pair 3\", \"control theta\" or \"figure spectrum\".");
    }
    if (what.empty())
        place.fail("\"point: " + kind + "\" does not say which one, as in \"pair 3\" or \"control theta\".");
    if (kind == "pair") {
        const double pair = place.run([&] { return parse_number(what); });
        if (pair != std::trunc(pair) || pair < 0) place.fail("Pairs are whole numbers from 0, as in \"pair 3\".");
    }
    if (room.empty()) place.fail("A scene without a room has nothing to point at; add \"show: ROOM\" to the scene.");
    if (kind == "control" && !is_lecture_control(lecture_room(room), what)) {
        place.fail("The room \"" + room + "\" has no control \"" + shortened(what) + "\" to point at; did you mean \"" +
                   nearest(shortened(what), lecture_controls(lecture_room(room))) + "\"?");
    }
    return kind + " " + std::string(what);
}

LectureStep parse_step(const YamlNode& node, const LecturePlace& place, const LectureScene& scene, StepState& state) {
    const YamlMapping mapping(node, place, "step", step_keys);
    LectureStep step;
    step.line = mapping.place().line;
    step.say = mapping.text("say");
    step.loop = mapping.flag("loop");
    if (const YamlNode* set = mapping.find("set")) step.set = parse_changes(*set, mapping.place_of("set"), state);
    LectureScene now = scene;  // checks of this step are made with the room and setup as they are then
    now.room = state.room;
    now.setup = state.setups;
    if (mapping.has("point")) step.point = parse_point(mapping.text("point"), mapping.place_of("point"), state.room);
    if (const YamlNode* ask = mapping.find("ask")) step.ask = parse_question(*ask, mapping.place_of("ask"), now);
    if (const YamlNode* check = mapping.find("check")) {
        const LecturePlace here = mapping.place_of("check");
        if (check->kind != YamlNode::Kind::list) {
            step.checks.push_back(parse_check(*check, here, now));
        } else {
            for (const YamlNode& each : check->items) step.checks.push_back(parse_check(each, here, now));
        }
    }
    for (const std::string& text : {step.say, step.ask ? step.ask->answer : std::string()}) {
        for (const std::string& each : quantities_in(text)) check_scene_quantity(each, mapping.place(), now);
    }
    if (step.loop && step.set.empty()) {
        mapping.place_of("loop").fail("The step repeats, but it changes nothing; add \"set: {m: 64 over 8 s}\".");
    }
    return step;
}

}  // namespace

std::vector<LectureStep> parse_steps(const YamlNode& list, const LecturePlace& place, const LectureScene& scene) {
    if (list.kind != YamlNode::Kind::list) {
        place.fail("\"steps\" must be a list; begin each step with \"- say: …\" or \"- set: …\".");
    }
    LectureScene outline = scene;  // copied for every step, so without what no check needs
    outline.text.clear();
    outline.notes.clear();
    StepState state{scene.setup, scene.room};
    std::vector<LectureStep> steps;
    for (const YamlNode& each : list.items) steps.push_back(parse_step(each, place.at(each.line), outline, state));
    return steps;
}

}  // namespace ropelab
