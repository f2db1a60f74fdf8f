#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/data/read_file.h"
#include "core/data/utf8.h"
#include "core/experiment/experiment.h"
#include "core/lecture/answer.h"
#include "core/lecture/control_check.h"
#include "core/lecture/lecture.h"
#include "core/lecture/lecture_rooms.h"
#include "core/lecture/lecture_text.h"
#include "core/lecture/quantities/quantity.h"
#include "core/lecture/quantities/quantity_table.h"
#include "core/lecture/tex.h"
#include "core/settings/keys.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;

void check_scene_quantity(const std::string& expression, const LecturePlace& place, const LectureScene& scene) {
    place.run([&] { check_quantity(expression); });
    if (!scene.setup.b && parse_quantity_call(expression).of_b) {
        place.fail("The quantity \"" + shortened(expression) +
                   "\" is of setup B, but the scene has only setup A; name both setups: \"setup: … | B: …\".");
    }
    if (quantity_needs_lab(expression) && scene.lab.empty() && !scene.live) {
        place.fail(
            "The quantity \"" + shortened(expression) +
            "\" is computed from runs; give the scene a lab file (\"lab: FILE\") or an experiment (\"live: …\").");
    }
}

constexpr std::array<std::string_view, 6> step_keys = {"say", "set", "point", "ask", "check", "loop"};
constexpr std::array<std::string_view, 3> check_keys = {"quantity", "expected", "tolerance"};
constexpr std::array<std::string_view, 11> question_keys = {
    "text", "choices", "right", "quantity", "tolerance", "draw", "curve", "hide", "hint", "answer", "wrong"};
constexpr double longest_glide = 600;  // seconds

struct LectureSource {
    std::string name;                // as messages name it
    std::filesystem::path folder;    // against which paths are resolved
    std::set<std::string> rendered;  // formulas with a picture
};

std::set<std::string> rendered_formulas(const fs::path& folder) {
    std::set<std::string> result;
    try {
        const auto index = parse_bounded(read_regular_file(folder / "formulas" / "formulas.json", most_lecture_bytes));
        for (const auto& [formula, entry] : index.items()) result.insert(formula);
    } catch (const std::exception&) {  // without an index, or with a damaged one, all formulas are Unicode text
    }
    return result;
}

void check_formulas(const std::string& text, const LecturePlace& place, const LectureSource& source) {
    const std::string open = unclosed_formula(text);
    if (!open.empty()) place.fail("The formula \"" + shortened(open) + "\" has no end; close it with $ in its line.");
    for (const std::string& formula : formulas_in(text)) {
        if (std::any_of(formula.begin(), formula.end(), [](unsigned char c) { return c < 0x20; })) {
            place.fail("The formula \"" + shortened(formula) +
                       "\" has a control character; inside double quotes a backslash is written twice, as in "
                       "\"$\\\\theta$\".");
        }
        if (!source.rendered.contains(formula)) place.run([&] { check_tex(formula); });
    }
}

// Markdown outside of YAML, whose lines are those of the file.
void check_formula_lines(const std::string& text, const LecturePlace& first, const LectureSource& source) {
    int line = first.line;
    for (std::size_t start = 0; start < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        check_formulas(text.substr(start, end - start), first.at(line), source);
        start = end + 1;
    }
}

// The text of a key, with formulas that can be shown.
std::string formula_text(const YamlMapping& mapping, std::string_view key, const LectureSource& source) {
    std::string text = mapping.text(key);
    if (!text.empty()) check_formulas(text, mapping.place_of(key), source);
    return text;
}

void refuse_quantities(const std::string& text, const LecturePlace& place) {
    if (text.find("{{") != std::string::npos) {
        place.fail("Quantities in double braces are filled into \"say\" and \"answer\" only, not into \"" +
                   shortened(text) + "\".");
    }
}

// A text that the class sees before an answer.
std::string plain_text(const YamlMapping& mapping, std::string_view key, const LectureSource& source) {
    std::string text = formula_text(mapping, key, source);
    refuse_quantities(text, mapping.place_of(key));
    return text;
}

// A text into which quantities are filled.
std::string filled_text(const YamlMapping& mapping, std::string_view key, const LectureSource& source) {
    std::string text = formula_text(mapping, key, source);
    std::size_t opened = 0;
    for (std::size_t at = text.find("{{"); at != std::string::npos; at = text.find("{{", at + 2)) ++opened;
    if (opened > quantities_in(text).size()) {
        mapping.place_of(key).fail("A quantity in double braces has no end; write {{wavelength(3) | 2}}.");
    }
    return text;
}

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

/// `also`: further words that are right in this place.
[[noreturn]] void refuse_control(const LecturePlace& place, const std::string& room, std::string_view control,
                                 const std::string& purpose = "", const std::vector<std::string_view>& also = {}) {
    std::vector<std::string_view> known = lecture_controls(lecture_room(room));
    known.insert(known.end(), also.begin(), also.end());
    place.fail("The page \"" + room + "\" has no control \"" + shortened(control) + "\"" + purpose +
               hint(shortened(control), known, "\""));
}

void apply_change(const LectureChange& change, const LecturePlace& place, ShownState& state) {
    if (change.key == "room") {
        state.room = place.run([&] { return lecture_view(change.value); }).room;
        return;
    }
    if (state.room.empty())
        place.fail(
            "A scene without a page has no controls to set; add a page to the scene, such as \"show: rotation\".");
    const LectureRoom& room = lecture_room(state.room);
    if (change.key != "setup" && !is_lecture_control(room, change.key)) {
        refuse_control(place, state.room, change.key, "", {"setup", "room"});
    }
    place.run([&] {
        if (!apply_to_setups(change, room.name, state.setups)) state.set_control(change);
    });
}

std::vector<LectureChange> parse_changes(const YamlNode& node, const LecturePlace& place, ShownState& state) {
    if (node.kind != YamlNode::Kind::mapping) {
        place.fail(
            "\"set\" must be a mapping from the page's controls to their values, such as {m: 10, theta: 500k over 2 "
            "s}.");
    }
    std::vector<LectureChange> changes;
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
        const YamlNode& value = node.items[i];
        const LecturePlace here = place.at(node.keys[i].line);
        LectureChange& change = changes.emplace_back();
        change.key = current_name(Alias::Kind::control, node.keys[i].text);
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
        place.fail("\"expected\" must be a number, the word \"none\", or a list such as [1, 2] or [[100, 300]].");
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
    if (!expected)
        mapping.place().fail(
            "The check has no expected value; write \"expected: 47117\", or \"expected: none\" if the quantity has no "
            "value.");
    check.expected = expected_of(*expected, mapping.place_of("expected"));
    check.tolerance = tolerance_of(mapping);
    return check;
}

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
    for (auto choice = question.choices.begin(); choice != question.choices.end(); ++choice) {
        const LecturePlace place = mapping.place_of("choices");
        check_formulas(*choice, place, {});
        refuse_quantities(*choice, place);
        if (trimmed(*choice).empty()) place.fail("A choice is empty; give each choice a text.");
        if (std::find(question.choices.begin(), choice, *choice) != choice) {
            place.fail("The choice \"" + shortened(*choice) + "\" is given twice.");
        }
    }
    if (question.choices.size() < 2 || question.choices.size() > 9) {
        mapping.place_of("choices").fail("A question must have 2 to 9 choices, not " +
                                         std::to_string(question.choices.size()) + ".");
    }
    if (!mapping.has("right"))
        mapping.place().fail(
            "The question does not say which choice is right; add the number of the right choice, such as \"right: "
            "1\".");
    const double right = mapping.number("right", 1);
    if (right != std::trunc(right) || right < 1 || right > static_cast<double>(question.choices.size())) {
        mapping.place_of("right").fail("\"right\" must be the number of a choice, from 1 to " +
                                       std::to_string(question.choices.size()) + ".");
    }
    question.right = static_cast<int>(right) - 1;
}

// A mapping from wrong answers, the number of a choice or a number, to what they show to be misunderstood.
void read_mistakes(const YamlMapping& mapping, const LectureSource& source, LectureQuestion& question) {
    const YamlNode* node = mapping.find("wrong");
    if (!node) return;
    const LecturePlace place = mapping.place_of("wrong");
    if (node->kind != YamlNode::Kind::mapping || question.kind == LectureQuestion::Kind::curve) {
        place.fail(
            "\"wrong\" must be a mapping from wrong answers to sentences, such as {1: Sentence.}: from the numbers of "
            "choices, or from numbers that somebody may type.");
    }
    const bool is_choice = question.kind == LectureQuestion::Kind::choice;
    for (std::size_t i = 0; i < node->keys.size(); ++i) {
        const LecturePlace here = place.at(node->keys[i].line);
        if (node->items[i].kind != YamlNode::Kind::scalar) here.fail("A sentence of \"wrong\" must be a text.");
        const nlohmann::json given = here.run([&] { return parse_answer(node->keys[i].text); });
        if (!given.is_number()) here.fail("A wrong answer must be a number or the number of a choice.");
        LectureMistake& mistake = question.wrong.emplace_back();
        mistake.answer = given.get<double>() - (is_choice ? 1 : 0);
        mistake.say = node->items[i].text;
        check_formulas(mistake.say, here, source);
        refuse_quantities(mistake.say, here);
        const auto last = static_cast<double>(question.choices.size()) - 1;
        const bool is_wrong_choice = mistake.answer == std::trunc(mistake.answer) && mistake.answer >= 0 &&
                                     mistake.answer <= last && mistake.answer != question.right;
        if (is_choice && !is_wrong_choice) {
            here.fail("\"wrong\" names the choice " + shortened(node->keys[i].text) +
                      ", but it must name a wrong choice, from 1 to " + std::to_string(question.choices.size()) + ".");
        }
    }
}

LectureQuestion parse_question(const YamlNode& node, const LecturePlace& place, const LectureScene& scene,
                               const LectureSource& source) {
    const YamlMapping mapping(node, place, "question", question_keys);
    LectureQuestion question;
    question.line = mapping.place().line;
    question.text = plain_text(mapping, "text", source);
    question.hint = plain_text(mapping, "hint", source);
    question.answer = filled_text(mapping, "answer", source);
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
            mapping.place().fail(
                "The class draws a curve over the figure of a page; add a page to the scene, such as \"show: "
                "rotation\".");
    } else {
        mapping.place().fail(
            "The question does not say how it is answered; add \"choices\" and \"right\", \"quantity\", or \"draw: "
            "true\".");
    }
    question.hides = mapping.flag("hide");
    read_mistakes(mapping, source, question);
    return question;
}

std::string parse_point(const std::string& text, const LecturePlace& place, const LectureScene& scene,
                        ShownState& state) {
    const std::size_t space = text.find(' ');
    const std::string kind = text.substr(0, space);
    std::string_view what = space == std::string::npos ? "" : trimmed(std::string_view(text).substr(space));
    if (kind == "control") what = current_name(Alias::Kind::control, what);
    static constexpr std::array<std::string_view, 3> kinds = {"pair", "control", "figure"};
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
        place.fail("A lecture cannot point at \"" + shortened(text) + "\"" + hint(shortened(kind), kinds, "\"") +
                   " A lecture can point at \"pair 3\", \"control theta\" or \"figure spectrum\".");
    }
    if (what.empty())
        place.fail("\"point: " + kind +
                   "\" does not name the pair, control or figure to point at; write, for example, \"pair 3\" or "
                   "\"control theta\".");
    if (state.room.empty())
        place.fail(
            "A scene without a page has no pair, control or figure to point at; add a page to the scene, such as "
            "\"show: rotation\".");
    const LectureRoom& room = lecture_room(state.room);
    if (kind == "pair") {
        const double pair = place.run([&] { return parse_number(what); });
        if (pair != std::trunc(pair) || pair < 0) place.fail("Pairs are whole numbers from 0, as in \"pair 3\".");
        if (!is_lecture_control(room, kind))
            place.fail("The page \"" + state.room + "\" shows no pairs to point at; point at a control or a figure.");
        place.run([&] { state.check_pair(std::llround(std::min(pair, 1e15))); });
    }
    if (kind == "control" && !is_lecture_control(room, what)) refuse_control(place, state.room, what, " to point at");
    if (kind == "control" && std::find(scene.controls.begin(), scene.controls.end(), what) == scene.controls.end()) {
        place.fail("The scene hides the control \"" + std::string(what) + "\"; add it to \"controls: [" +
                   std::string(what) + "]\".");
    }
    if (kind == "figure") place.run([&] { check_figure_of(room, what); });
    return kind + " " + std::string(what);
}

LectureStep parse_step(const YamlNode& node, const LecturePlace& place, const LectureScene& scene, ShownState& state,
                       const LectureSource& source) {
    const YamlMapping mapping(node, place, "step", step_keys);
    LectureStep step;
    step.line = mapping.place().line;
    step.say = filled_text(mapping, "say", source);
    step.loop = mapping.flag("loop");
    if (const YamlNode* set = mapping.find("set")) step.set = parse_changes(*set, mapping.place_of("set"), state);
    LectureScene now = scene;  // checks of this step are made with the room and setup as they are then
    now.room = state.room;
    now.setup = state.setups;
    if (mapping.has("point")) step.point = parse_point(mapping.text("point"), mapping.place_of("point"), scene, state);
    if (const YamlNode* ask = mapping.find("ask"))
        step.ask = parse_question(*ask, mapping.place_of("ask"), now, source);
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

std::vector<LectureStep> parse_steps(const YamlNode& list, const LecturePlace& place, const LectureScene& scene,
                                     const LectureSource& source) {
    if (list.kind != YamlNode::Kind::list) {
        place.fail("\"steps\" must be a list; begin each step with \"- say: …\" or \"- set: …\".");
    }
    LectureScene outline = scene;  // copied for every step, so without what no check needs
    outline.text.clear();
    outline.notes.clear();
    ShownState state(scene);
    std::vector<LectureStep> steps;
    for (const YamlNode& each : list.items) {
        steps.push_back(parse_step(each, place.at(each.line), outline, state, source));
    }
    return steps;
}

constexpr std::array<std::string_view, 5> training_keys = {"preset", "set", "check", "extrapolate", "seconds"};
constexpr std::array<std::string_view, 3> extrapolation_keys = {"factor", "scaling", "steps"};
constexpr double most_tuning_steps = 10'000;
constexpr std::int64_t most_live_runs = 100;
constexpr double longest_wait = 3600;  // seconds

std::int64_t described_runs(const Experiment& experiment) {
    std::int64_t runs = std::max<std::int64_t>(1, static_cast<std::int64_t>(experiment.explicit_runs().size()));
    for (const Key& key : keys()) {
        if (!experiment.is_set(key.name)) continue;
        runs *= static_cast<std::int64_t>(experiment.values(key.name).size());
        if (runs > most_live_runs) break;
    }
    return runs;
}

/// Explicit runs, zips and exclusions are replaced as a whole; an empty list removes those of a preset.
void apply_settings(Experiment& experiment, const nlohmann::json& settings) {
    const Experiment described = Experiment::from_json(settings);
    for (const Key& key : keys()) {
        if (described.is_set(key.name)) experiment.set(key.name, described.values(key.name));
    }
    if (settings.contains("runs")) experiment.set_explicit_runs(described.explicit_runs());
    if (settings.contains("zip")) experiment.set_zips(described.zips());
    if (settings.contains("exclude")) experiment.set_exclusions(described.exclusions());
}

nlohmann::json settings_of(const YamlMapping& mapping, std::string_view key) {
    const YamlNode* node = mapping.find(key);
    if (!node) return nlohmann::json::object();
    const LecturePlace place = mapping.place_of(key);
    if (node->kind != YamlNode::Kind::mapping) {
        place.fail("\"" + std::string(key) + "\" must be a mapping of settings, such as {theta: [500, 10000]}.");
    }
    nlohmann::json settings = json_of_yaml(*node);
    if (settings.size() != node->keys.size()) place.fail("A setting is given twice; give each setting once.");
    place.run([&] {
        for (const auto& [name, value] : settings.items()) {
            if (name != "runs" && name != "zip" && name != "exclude") ropelab::key(shortened(name));
        }
        return Experiment::from_json(settings);
    });
    return settings;
}

ExtrapolationPlan parse_extrapolation(const YamlNode& node, const LecturePlace& place) {
    const YamlMapping mapping(node, place, "extrapolation", extrapolation_keys);
    ExtrapolationPlan plan;
    const auto whole = [&](std::string_view key, std::int64_t fallback, double most) {
        const double value = mapping.number(key, static_cast<double>(fallback));
        if (value >= 1 && value <= most && value == std::trunc(value)) return static_cast<std::int64_t>(value);
        mapping.place_of(key).fail("\"" + std::string(key) + "\" must be a whole number from 1 to " +
                                   number_text(most) + ".");
    };
    plan.factor = whole("factor", plan.factor, static_cast<double>(longest_extrapolation));
    plan.steps = whole("steps", plan.steps, most_tuning_steps);
    if (!mapping.has("scaling")) place.fail("Name the scaling methods, such as scaling: [none, ntk, yarn].");
    mapping.place_of("scaling").run([&] {
        for (const std::string& word : mapping.texts("scaling")) plan.methods.push_back(parse_scaling(shortened(word)));
    });
    return plan;
}

LectureTraining parse_training(const YamlNode& node, const LecturePlace& place) {
    const YamlMapping mapping(node, place, "experiment", training_keys);
    LectureTraining training;
    training.preset = mapping.text("preset");
    if (mapping.has("preset")) mapping.place_of("preset").run([&] { preset(shortened(training.preset)); });
    training.experiment = settings_of(mapping, "set");
    training.check_settings = settings_of(mapping, "check");
    training.seconds = mapping.number("seconds", training.seconds);
    if (training.seconds <= 0 || training.seconds > longest_wait) {
        mapping.place_of("seconds").fail("The time \"seconds\" that a class waits must be above 0 and at most 3600.");
    }
    if (const YamlNode* plan = mapping.find("extrapolate")) {
        training.extrapolation = parse_extrapolation(*plan, mapping.place_of("extrapolate"));
    }
    for (const bool for_checks : {false, true}) {
        mapping.place().run([&] {
            const Experiment experiment = experiment_of(training, for_checks);
            if (described_runs(experiment) > most_live_runs) {
                throw BadInput("The experiment has more than " + std::to_string(most_live_runs) +
                               " runs, too many to train in front of a class; give fewer values.");
            }
            for (const RunSpec& spec : experiment.expand()) {
                if (!training.extrapolation) break;
                for (const ScalingMethod method : training.extrapolation->methods)
                    check_fine_tuning(spec, training.extrapolation->tuning(method));
            }
        });
    }
    return training;
}

constexpr std::array<std::string_view, 11> scene_keys = {"id",       "show", "setup", "lab",     "live", "controls",
                                                         "question", "find", "notes", "summary", "steps"};

bool is_id(std::string_view text) {
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    return !text.empty() && text.size() <= 80 && std::all_of(text.begin(), text.end(), allowed);
}

/// Setups are pasted from the window, and YAML would read "B:" in "theta=10k | B: theta=500k" as a key.
std::string with_quoted_setup(const std::string& line) {
    static constexpr std::string_view key = "setup:";
    const std::size_t first = line.find_first_not_of(" -");
    if (first == std::string::npos || line.compare(first, key.size(), key) != 0) return line;
    const std::size_t start = line.find_first_not_of(' ', first + key.size());
    if (start == std::string::npos || std::string_view("\"'|>").find(line[start]) != std::string_view::npos)
        return line;
    const std::string value = line.substr(start, line.find(" #", start) - start);
    return line.substr(0, start) + nlohmann::json(std::string(trimmed(value))).dump();
}

std::string with_quoted_setups(const std::string& block) {
    std::string result;
    for (std::size_t start = 0; start < block.size();) {
        const std::size_t end = std::min(block.find('\n', start), block.size());
        result += with_quoted_setup(block.substr(start, end - start)) + '\n';
        start = end + 1;
    }
    return result;
}

/// What YAML would read otherwise than it was meant: "[1,707 tokens, 725 tokens]" has three choices, and "Pair #3" ends
/// at the comment.
void check_yaml_line(const std::string& line, const LecturePlace& place) {
    char quote = 0;
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
        const bool is_quote = line[i] == '"' || line[i] == '\'';
        if (quote == 0 && is_quote && std::string_view(" [{").find(line[i - 1]) != std::string_view::npos) {
            quote = line[i];
        } else if (line[i] == quote && line[i - 1] != '\\') {
            quote = 0;
        }
        if (quote != 0) continue;
        const auto digit = [&](std::size_t at) { return at < line.size() && line[at] >= '0' && line[at] <= '9'; };
        const bool groups = line[i] == ',' && digit(i - 1) && digit(i + 1) && digit(i + 2) && digit(i + 3);
        if (groups && line.find("choices: [") < i) {
            place.fail(
                "A comma inside brackets begins another choice; put choices with a comma into quotes, and write a "
                "space after the comma between two choices.");
        }
        if (line[i] == '#' && line[i - 1] == ' ' && line[i + 1] != ' ') {
            place.fail("YAML ignores what follows \" #\"; put the text into quotes, or write a comment as \" # …\".");
        }
    }
}

/// The texts of a block of YAML that are on the line of their key.
void check_yaml_lines(const std::string& block, const LecturePlace& first) {
    static constexpr std::array<std::string_view, 7> keys = {
        "ask: ", "say: ", "text: ", "hint: ", "answer: ", "question: ", "choices: "};
    int number = first.line;
    for (std::size_t start = 0; start < block.size(); ++number) {
        const std::size_t end = std::min(block.find('\n', start), block.size());
        const std::string line = block.substr(start, end - start);
        const std::string_view content =
            std::string_view(line).substr(std::min(line.find_first_not_of(" -"), line.size()));
        const auto begins = [&](std::string_view key) { return content.starts_with(key); };
        if (std::any_of(keys.begin(), keys.end(), begins)) check_yaml_line(line, first.at(number));
        start = end + 1;
    }
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
    for (const std::string& name : block.texts("controls")) {
        const std::string control(current_name(Alias::Kind::control, name));
        const LecturePlace place = block.place_of("controls");
        if (scene.room.empty())
            place.fail("A scene without a page has no controls; add a page to the scene, such as \"show: rotation\".");
        if (!is_lecture_control(lecture_room(scene.room), control)) refuse_control(place, scene.room, control);
        scene.controls.push_back(control);
    }
}

void read_lab(const YamlMapping& block, const LectureSource& source, LectureScene& scene) {
    if (!block.has("lab")) return;
    const std::string text = block.text("lab");
    const LecturePlace place = block.place_of("lab");
    if (text.empty())
        place.fail("\"lab\" is empty; write the path of a lab file such as \"labs/three-thetas.ropelab\".");
    scene.lab = source.folder / text;
    std::error_code error;
    if (!std::filesystem::is_regular_file(scene.lab, error)) {
        place.fail("There is no lab file \"" + shortened(text) + "\" in the folder of the lecture.");
    }
}

LectureScene parse_scene(const LectureSection& section, const LectureSource& source) {
    LectureScene scene;
    scene.title = section.title;
    scene.line = section.line;
    scene.text = section.text;
    const LecturePlace first{source.name, section.block_line > 0 ? section.block_line : section.line};
    check_yaml_lines(section.block, first);
    const YamlNode node = parse_yaml(with_quoted_setups(section.block), first);
    const YamlMapping block(node, first, "scene", scene_keys);
    read_id(block, scene);
    read_view(block, scene);
    read_lab(block, source, scene);
    if (const YamlNode* live = block.find("live")) scene.live = parse_training(*live, block.place_of("live"));
    check_formula_lines(section.text, first.at(section.text_line), source);
    scene.question = plain_text(block, "question", source);
    scene.notes = formula_text(block, "notes", source);
    scene.summary = block.flag("summary");
    scene.find = block.text("find");
    if (block.has("find")) check_scene_quantity(scene.find, block.place_of("find"), scene);
    if (const YamlNode* steps = block.find("steps")) {
        scene.steps = parse_steps(*steps, block.place_of("steps"), scene, source);
    }
    return scene;
}

constexpr std::array<std::string_view, 3> front_keys = {"title", "minutes", "author"};

void read_front(const LectureSections& parts, const LectureSource& source, Lecture& lecture) {
    const LecturePlace first{source.name, parts.front_line};
    const YamlNode node = parse_yaml(parts.front, first);
    const YamlMapping front(node, first, "front matter", front_keys);
    lecture.title = front.text("title");
    lecture.author = front.text("author");
    lecture.minutes = front.number("minutes", 0);
    lecture.text = parts.text;
    check_formula_lines(parts.text, first.at(parts.text_line), source);
    if (lecture.title.empty()) first.fail("The lecture has no title; add \"title: …\" to the front matter.");
    if (lecture.minutes < 0 || lecture.minutes > 1440) {
        front.place_of("minutes").fail("\"minutes\" must be between 0 and 1440.");
    }
}

std::vector<fs::path> lecture_folders() {
    std::vector<fs::path> folders;
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) return folders;
    // In a build folder, tests are in other folders than programs.
    for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
        folders.push_back(folder / "share" / "ropelab" / "lectures");
        folders.push_back(folder / "resources" / "lectures");
    }
    return folders;
}

/// Others follow in alphabetical order.
std::size_t course_rank(const std::string& name) {
    static constexpr std::array<std::string_view, 3> course = {"clocks", "theta-and-fraction", "two-papers"};
    return static_cast<std::size_t>(std::find(course.begin(), course.end(), name) - course.begin());
}

/// By its file or, if it comes with the program, by its name.
fs::path found_lecture(const fs::path& named) {
    std::error_code error;
    if (fs::is_regular_file(named, error) || named.has_parent_path() || named.has_extension()) return named;
    std::vector<ShippedLecture> shipped = shipped_lectures();
    std::vector<std::string_view> names;
    for (const ShippedLecture& each : shipped) {
        if (each.name == named.string()) return each.file;
        names.push_back(each.name);
    }
    const std::string sentence = "There is no lecture \"" + shortened(named.string()) + "\"";
    if (names.empty()) throw BadInput(sentence + "; name a file.");
    throw BadInput(sentence + hint(shortened(named.string()), names));
}

std::string lecture_bytes(const fs::path& file) {
    std::error_code error;
    if (!fs::exists(file, error)) throw BadInput("There is no file " + file.string() + ".");
    return read_regular_file(file, most_lecture_bytes);
}

}  // namespace

Experiment experiment_of(const LectureTraining& training, bool for_checks) {
    Experiment experiment("lecture");
    if (!training.preset.empty()) experiment = preset(training.preset).experiment;
    apply_settings(experiment, training.experiment);
    if (!for_checks) return experiment;
    const bool states_scale = training.check_settings.contains("iterations");
    if (!states_scale) apply_settings(experiment, {{"iterations", 20}, {"evaluate_every", 10}});
    apply_settings(experiment, training.check_settings);
    experiment.set("device", {"cpu"});
    // `auto` measures which precision is faster, so checks would compute other numbers while the machine is busy.
    if (experiment.values("precision").front() == "auto") experiment.set("precision", {"float32"});
    return experiment;
}

Lecture parse_lecture(std::string_view text, const fs::path& file) {
    const LectureSource source{file.string(), file.parent_path(), rendered_formulas(file.parent_path())};
    const LectureSections parts = split_lecture(text, source.name);
    Lecture lecture;
    lecture.file = file;
    read_front(parts, source, lecture);
    std::set<std::string> ids;
    for (const LectureSection& section : parts.sections) {
        const LectureScene& scene = lecture.scenes.emplace_back(parse_scene(section, source));
        if (!ids.insert(scene.id).second) {
            LecturePlace{source.name, scene.line}.fail("Two scenes have the id \"" + scene.id +
                                                       "\"; give one of them another id (\"id: …\").");
        }
    }
    if (lecture.scenes.empty()) {
        LecturePlace{source.name, 1}.fail("The lecture has no scene; begin one with a heading \"## Title\".");
    }
    return lecture;
}

Lecture load_lecture(const fs::path& file) {
    const fs::path found = found_lecture(file);
    return parse_lecture(lecture_bytes(found), found);
}

std::vector<ShippedLecture> shipped_lectures() {
    std::error_code error;
    std::vector<ShippedLecture> lectures;
    for (const fs::path& folder : lecture_folders()) {
        if (!fs::is_directory(folder, error)) continue;
        for (const auto& entry : fs::directory_iterator(folder, error)) {
            const fs::path& file = entry.path();
            if (file.extension() != ".md" || file.stem() == "README") continue;
            lectures.push_back({file.stem().string(), file});
        }
        if (!lectures.empty()) break;
    }
    std::sort(lectures.begin(), lectures.end(), [](const ShippedLecture& a, const ShippedLecture& b) {
        return std::pair(course_rank(a.name), a.name) < std::pair(course_rank(b.name), b.name);
    });
    return lectures;
}

}  // namespace ropelab
