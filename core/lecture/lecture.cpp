#include "core/lecture/lecture.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/lecture/lecture_rooms.h"
#include "core/lecture/lecture_text.h"

namespace ropelab {

bool is_setup_setting(std::string_view key, std::string_view room) {
    const std::vector<std::string_view> settings = setup_settings();
    if (std::find(settings.begin(), settings.end(), key) == settings.end()) return false;
    if (room.empty()) return true;
    const auto& controls = lecture_room(room).controls;
    return std::none_of(controls.begin(), controls.end(), [&](const auto& control) { return control.name == key; });
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

bool asks_for_curve(const LectureScene& scene) {
    if (scene.live && scene.lab.empty()) return false;
    return std::any_of(scene.steps.begin(), scene.steps.end(), [](const LectureStep& step) {
        return step.ask && step.ask->kind == LectureQuestion::Kind::curve;
    });
}

bool text_answers(const LectureScene& scene) {
    return scene.summary || std::any_of(scene.steps.begin(), scene.steps.end(), [&](const LectureStep& step) {
               return step.ask && (!scene.room.empty() || step.ask->hides);
           });
}

bool asks_for_curves(const Lecture& lecture) {
    return std::any_of(lecture.scenes.begin(), lecture.scenes.end(), asks_for_curve);
}

namespace {

constexpr std::size_t yaml_indent = 2;

std::string quoted_yaml(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class YamlWriter {
 public:
    void text(const std::string& key, const std::string& value) {
        if (!value.empty()) line(key, quoted_yaml(value));
    }
    void line(const std::string& key, const std::string& value) {
        lines_ += std::string(indent_, ' ') + next_ + key + ": " + value + '\n';
        if (!next_.empty()) {
            next_.clear();
            indent_ += yaml_indent;
        }
    }
    void open(const std::string& key) {
        lines_ += std::string(indent_, ' ') + key + ":\n";
        indent_ += yaml_indent;
    }
    void begin_element() { next_ = "- "; }
    void end_element() {
        if (next_.empty()) indent_ -= yaml_indent;
        next_.clear();
    }
    const std::string& lines() const { return lines_; }

 private:
    std::string lines_;
    std::string next_;
    std::size_t indent_ = 0;
};

std::string yaml_list(const std::vector<std::string>& texts) {
    return "[" + joined(texts, ", ", quoted_yaml) + "]";
}

std::string yaml_changes(const std::vector<LectureChange>& changes) {
    return "{" +
           joined(changes, ", ",
                  [](const LectureChange& change) {
                      const std::string glide = change.glide > 0 ? " over " + number_text(change.glide) + " s" : "";
                      return change.key + ": " + quoted_yaml(change.value + glide);
                  }) +
           "}";
}

std::string yaml_question(const LectureQuestion& question) {
    std::string text = "{text: " + quoted_yaml(question.text);
    switch (question.kind) {
        case LectureQuestion::Kind::choice:
            text += ", choices: " + yaml_list(question.choices) + ", right: " + std::to_string(question.right + 1);
            break;
        case LectureQuestion::Kind::number:
            text += ", quantity: " + quoted_yaml(question.quantity) + ", tolerance: " + number_text(question.tolerance);
            break;
        case LectureQuestion::Kind::curve:
            text += ", draw: true";
            if (!question.curve.empty()) text += ", curve: " + quoted_yaml(question.curve);
            break;
    }
    if (question.hides) text += ", hide: true";
    if (!question.hint.empty()) text += ", hint: " + quoted_yaml(question.hint);
    if (!question.answer.empty()) text += ", answer: " + quoted_yaml(question.answer);
    if (!question.wrong.empty()) {
        const double first = question.kind == LectureQuestion::Kind::choice ? 1 : 0;
        text += ", wrong: {" +
                joined(question.wrong, ", ",
                       [&](const LectureMistake& mistake) {
                           return number_text(mistake.answer + first) + ": " + quoted_yaml(mistake.say);
                       }) +
                "}";
    }
    return text + "}";
}

std::string yaml_checks(const std::vector<LectureCheck>& checks) {
    return "[" +
           joined(checks, ", ",
                  [](const LectureCheck& check) {
                      return "{quantity: " + quoted_yaml(check.quantity) + ", expected: " + check.expected.dump() +
                             ", tolerance: " + number_text(check.tolerance) + "}";
                  }) +
           "]";
}

void write_training(YamlWriter& writer, const LectureTraining& training) {
    writer.open("live");
    writer.text("preset", training.preset);
    if (!training.experiment.empty()) writer.line("set", training.experiment.dump());
    if (!training.check_settings.empty()) writer.line("check", training.check_settings.dump());
    if (const auto& plan = training.extrapolation) {
        const nlohmann::json methods = json_list(plan->methods, [](ScalingMethod each) { return word_of(each); });
        const nlohmann::json json = {{"factor", plan->factor}, {"scaling", methods}, {"steps", plan->steps}};
        writer.line("extrapolate", json.dump());
    }
    if (training.seconds != LectureTraining{}.seconds) writer.line("seconds", number_text(training.seconds));
    writer.end_element();
}

void write_step(YamlWriter& writer, const LectureStep& step) {
    writer.begin_element();
    writer.text("say", step.say);
    if (!step.set.empty()) writer.line("set", yaml_changes(step.set));
    writer.text("point", step.point);
    if (step.ask) writer.line("ask", yaml_question(*step.ask));
    if (!step.checks.empty()) writer.line("check", yaml_checks(step.checks));
    if (step.loop) writer.line("loop", "true");
    writer.end_element();
}

std::string block_text(const LectureScene& scene) {
    YamlWriter writer;
    writer.line("id", quoted_yaml(scene.id));
    if (!scene.room.empty()) {
        writer.line("show", scene.part.empty() ? scene.room : scene.room + "/" + scene.part);
        writer.line("setup", quoted_yaml(setups_text(scene.setup)));
    }
    writer.text("lab", scene.lab.string());
    if (scene.live) write_training(writer, *scene.live);
    if (!scene.controls.empty()) writer.line("controls", yaml_list(scene.controls));
    writer.text("question", scene.question);
    writer.text("find", scene.find);
    writer.text("notes", scene.notes);
    if (scene.summary) writer.line("summary", "true");
    const auto is_empty = [](const LectureStep& step) {
        return step.say.empty() && step.set.empty() && step.point.empty() && !step.ask && step.checks.empty();
    };
    if (!std::all_of(scene.steps.begin(), scene.steps.end(), is_empty)) {
        writer.open("steps");
        for (const LectureStep& step : scene.steps) {
            if (!is_empty(step)) write_step(writer, step);
        }
    }
    return writer.lines();
}

/// As far as they can be found, if the text has errors.
std::set<std::string> ids_in(std::string_view text) {
    std::set<std::string> ids;
    try {
        for (const LectureSection& section : split_lecture(text, "lecture").sections) {
            std::string id = scene_id(section.title);
            try {
                const YamlNode block = parse_yaml(section.block, {"lecture", section.block_line});
                for (std::size_t i = 0; i < block.keys.size(); ++i) {
                    if (block.keys[i].text == "id") id = block.items[i].text;
                }
            } catch (const BadInput&) {  // the user is still writing this block
            }
            ids.insert(id);
        }
    } catch (const BadInput&) {
    }
    return ids;
}

}  // namespace

std::string with_scene(std::string_view text, const LectureScene& scene) {
    LectureScene added = scene;
    if (added.id.empty()) added.id = scene_id(added.title);
    if (added.id.empty()) added.id = "scene";
    const std::set<std::string> taken = ids_in(text);
    const std::string wanted = added.id;
    for (int number = 2; taken.contains(added.id); ++number) added.id = wanted + "-" + std::to_string(number);
    std::string result(text);
    while (result.ends_with('\n') || result.ends_with('\r')) result.pop_back();
    const std::string fence = closing_fence(text);
    result +=
        (fence.empty() ? "" : "\n" + fence) + "\n\n## " + added.title + "\n```yaml\n" + block_text(added) + "```\n";
    if (!added.text.empty()) result += added.text + (added.text.ends_with('\n') ? "" : "\n");
    return result;
}

std::string lecture_file_name(const std::string& title) {
    if (title.ends_with(".md")) return title;
    const std::string id = scene_id(title);
    return (id.empty() ? "lecture" : id) + ".md";
}

std::string lecture_template(const std::string& title) {
    std::string heading = title.empty() ? "A lecture" : title;
    std::replace(heading.begin(), heading.end(), '\n', ' ');
    return "---\ntitle: " + quoted_yaml(heading) + R"lecture(
minutes: 15
author: ""
---
This text is on the title page. Write Markdown, and formulas as $\theta^{-2i/d}$.

<!-- Each heading of level 2 begins a scene. The block of YAML below it says what the window shows. Check the file with
     "ropelab-cli lecture check FILE"; "ropelab-cli quantity --list" lists all quantities. -->

## The slowest hand
```yaml
id: slowest-hand                  # default: made from the heading
show: rotation/dials              # a room, or a room and a part of it; without it the scene is a page of text
setup: theta=10k head_dim=64 fraction=100% context=1024     # a line as "Copy setup" gives it; "| B: …" compares
controls: [theta, m, n]           # what stays visible beside the picture
question: How long does the slowest hand need for one period?
find: wavelength(31)              # the number that the class should find, for the lecturer
notes: |
  Let the class guess first. The slowest pair is number 31, because pairs are counted from 0.
steps:
  - say: The query stands at **position 10**, the key at position 3.
    set: {m: 10, n: 3}
    point: pair 31
  - ask:                          # the class commits before the answer is shown
      text: How long is the wavelength of pair 31, in tokens?
      quantity: wavelength(31)
      tolerance: 500
      hint: "The wavelength is $2\\pi\\theta^{2i/d}$ with i = 31 and d = 64."
      answer: About 47,000 tokens, far more than the context of 1,024 tokens.
    check: {quantity: wavelength(31), expected: 47117, tolerance: 1}
  - say: The hands turn for eight seconds, until the next key.
    set: {m: 64 over 8 s}         # a number glides
    loop: true
```
Every pair of channels is a clock hand. Pair $i$ rotates by $\theta^{-2i/d}$ radians per token.

## A larger base
```yaml
show: spectrum
setup: theta=10k head_dim=64 fraction=100% context=1024
steps:
  - ask:
      text: What does a larger base do to the wavelengths?
      choices: [It shortens them., It lengthens them., It does not change them.]
      right: 2                    # choices are counted from 1
      answer: All wavelengths but the first grow.
  - say: The base grows from ten thousand to five hundred thousand.
    set: {theta: 500k over 3 s}
    check:                        # computed after the changes of this step and of those before it
      - {quantity: wavelength(0), expected: 6.283, tolerance: 0.001}
      - {quantity: pairs_beyond(1024), expected: 19, tolerance: 0}
```
Pair 0 rotates by one radian per token at every base.
)lecture";
}

}  // namespace ropelab
