#include "core/lecture/control_check.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/utf8.h"
#include "core/interop/model_table.h"
#include "core/lecture/lecture_rooms.h"
#include "core/lecture/recorded_lab.h"
#include "core/reproduce/rules/sheet.h"
#include "core/results/results_table.h"
#include "core/rope/frequencies.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

bool is_number(const std::string& text) {
    try {
        parse_number(text);
        return true;
    } catch (const BadInput&) {
        return false;
    }
}

bool has_word(const LectureControl& control, const std::string& value) {
    return std::any_of(control.words.begin(), control.words.end(), [&](std::string_view word) {
        return std::equal(word.begin(), word.end(), value.begin(), value.end(),
                          [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
    });
}

std::string allowed_values(const LectureControl& control) {
    const std::string words = enumerated(control.words, " or ");
    if (!control.range) return words;
    const std::string range =
        "a number from " + number_text(control.range->first) + " to " + number_text(control.range->second);
    return control.words.empty() ? range : range + ", or " + words;
}

[[noreturn]] void refuse(const LectureChange& change, const std::string& wanted) {
    throw BadInput("The control (setting of the page) \"" + change.key + "\" is \"" + shortened(change.value) +
                   "\", but it must be " + wanted + ".");
}

std::int64_t whole(const LectureChange& change, const std::string& wanted) {
    if (!is_number(change.value)) refuse(change, wanted);
    const double number = parse_number(change.value);
    if (std::abs(number) > 1e15 || number != std::trunc(number)) refuse(change, wanted);
    return std::llround(number);
}

// "layers 0 to 3".
std::string numbered(const std::string& things, std::int64_t count) {
    return things + " 0 to " + std::to_string(count - 1);
}

}  // namespace

std::vector<SceneRun> runs_of(const LectureScene& scene) {
    std::vector<SceneRun> result;
    try {
        if (!scene.lab.empty()) {
            for (const RunRecord& run : RecordedLab(scene.lab).lab().runs())
                result.push_back({run.id, stored_spec(run)});
        } else if (scene.live) {
            for (RunSpec& spec : experiment_of(*scene.live, false).expand())
                result.push_back({static_cast<RunId>(result.size()) + 1, std::move(spec)});
        }
    } catch (const std::exception&) {
        result.clear();
    }
    return result;
}

ShownState::ShownState(const LectureScene& scene) : setups(scene.setup), room(scene.room), scene_(scene) {}

const std::vector<SceneRun>& ShownState::runs() {
    if (!runs_) runs_ = runs_of(scene_);
    return *runs_;
}

template <typename Number>
std::optional<std::int64_t> ShownState::most(const Number& number_of) {
    std::optional<std::int64_t> result;
    for (const SceneRun& run : runs()) {
        if (!run_ || run.id == *run_) result = std::max<std::int64_t>(result.value_or(0), number_of(run.spec));
    }
    return result;
}

void ShownState::check_pair(std::int64_t pair) {
    const bool is_of_run = room == "inspect";
    const std::optional<std::int64_t> pairs =
        is_of_run ? most([](const RunSpec& spec) { return spec.query_dim() / 2; })
                  : static_cast<std::int64_t>(frequencies(frequency_settings(setups.a)).inverse_frequencies.size());
    if (!pairs || (pair >= 0 && pair < *pairs)) return;
    throw BadInput("There is no pair " + std::to_string(pair) + "; " +
                   (*pairs == 0
                        ? "the setup rotates no pairs."
                        : (is_of_run ? "the runs have the " : "the setup has the ") + numbered("pairs", *pairs) + "."));
}

void ShownState::set_run(const LectureChange& change) {
    if (!is_number(change.value)) return;  // the name of a run, which the user may have changed
    const std::int64_t id = whole(change, "the number of a run");
    const std::vector<SceneRun>& all = runs();
    const auto is_it = [&](const SceneRun& run) { return run.id == id; };
    if (!all.empty() && std::none_of(all.begin(), all.end(), is_it)) {
        const std::string known = joined(all, ", ", [](const SceneRun& run) { return std::to_string(run.id); });
        throw BadInput("There is no run " + std::to_string(id) + "; the scene has the runs " + shortened(known) + ".");
    }
    if (change.key == "run") run_ = id;
}

void ShownState::check_of_runs(const LectureChange& change) {
    const bool is_step = change.key == "iteration";
    const std::string things = change.key + "s";
    const std::int64_t number =
        whole(change, is_step ? "the number of a step, or \"newest\""
                              : "the number of a " + change.key + ", or " +
                                    (change.key == "layer" ? "all" : "\"automatic\" or \"mean\""));
    const auto count = most([&](const RunSpec& spec) {
        return is_step ? spec.iterations + 1 : change.key == "layer" ? spec.layers : spec.heads;
    });
    // "Take this as a scene" writes −1 for all layers or the mean of the heads, and −2 for an automatic head.
    const std::int64_t least = change.key == "head" ? -2 : is_step ? 0 : -1;
    if (!count || (number >= least && number < *count)) return;
    throw BadInput("There is no " + (is_step ? "step" : change.key) + " " + std::to_string(number) + "; " +
                   (run_ ? "run " + std::to_string(*run_) + " has" : "the runs have") + " the " +
                   numbered(is_step ? "steps" : things, *count) + ".");
}

void ShownState::set_control(const LectureChange& change) {
    const auto& [key, value, glide] = change;
    if (is_axis_control(key)) return static_cast<void>(axis_ends(value));
    const LectureRoom& shown = lecture_room(room);
    const LectureControl& control = item_named(shown.controls, key, "control");
    if (has_word(control, value)) return;
    if (key == "pair") return check_pair(whole(change, "the number of a pair, or \"none\""));
    if (key == "part") return static_cast<void>(lecture_view(room + "/" + value));
    if (key == "model") return static_cast<void>(known_model(value));
    if (key == "sheet") return static_cast<void>(sheet(value));
    if (key == "attention_layers") return static_cast<void>(windows_of_layers(value, 1, 1));
    if (key == "quantity" && room == "results") return static_cast<void>(measure_index(value));
    if (key == "run" || key == "beside") return set_run(change);
    if (room == "inspect") return check_of_runs(change);
    if (room == "rotation" && (key == "m" || key == "n" || key == "distance")) {
        const std::int64_t last = setups.a.context - 1;
        const std::string wanted = "a position of the context, from 0 to " + std::to_string(last);
        const std::int64_t position = whole(change, wanted);
        if (position < 0 || position > last) refuse(change, wanted);
        return;
    }
    if (!control.range && control.words.empty()) return;  // depends on the window
    const std::string wanted = allowed_values(control);
    if (!control.range || !is_number(value)) refuse(change, wanted);
    const double number = parse_number(value);
    if (!(number >= control.range->first && number <= control.range->second)) refuse(change, wanted);
    if (room == "spectrum" && key == "head" && number > static_cast<double>(setups.a.heads)) {
        refuse(change, "a head of the setup, from 1 to " + std::to_string(setups.a.heads));
    }
}

}  // namespace ropelab
