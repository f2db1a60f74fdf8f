#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/rope/rotary_setup.h"
#include "core/study/extrapolation.h"

namespace ropelab {

// A lecture is a Markdown file. It begins with YAML front matter (title, minutes, author) between two lines "---". Each
// heading of level 2 begins a scene. A fenced block of YAML directly below the heading describes what the window shows
// and the steps of the scene; the Markdown text after it is what the class reads.

struct LectureCheck {
    std::string quantity;     // expression for evaluate_quantity(): "wavelength(31)"
    nlohmann::json expected;  // a number, null for "none", or a list as evaluate_quantity() returns it
    double tolerance = 0;     // largest absolute difference of any number
    int line = 0;             // line in the file, from 1
};

/// What a wrong answer to a question shows to be misunderstood.
struct LectureMistake {
    double answer = 0;  // index of a choice, from 0, or a number
    std::string say;
};

struct LectureQuestion {
    /// `number`: compared with a quantity. `curve`: drawn by the class over empty axes, before the figure is shown.
    enum class Kind { choice, number, curve };
    Kind kind = Kind::choice;
    std::string text;
    std::vector<std::string> choices;  // for `choice`
    int right = 0;                     // index of the right choice, from 0
    std::string quantity;              // for `number`: expression of the right answer
    double tolerance = 0;              // for `number`: largest absolute difference of a right answer
    /// A part of the label or quantity of the curve; "" for the first curve of the figure.
    std::string curve;
    /// The figure (or the text, without a room) is hidden until the answer is given, because it shows the answer.
    bool hides = false;
    std::string hint;    // shown on request
    std::string answer;  // explains the right answer after it was given
    std::vector<LectureMistake> wrong;
    int line = 0;

    bool hides_figure() const { return hides || kind == Kind::curve; }
};

struct LectureChange {
    /// A setting of the rotary setup ("theta", "fraction", …: the keys of parse_setup), "setup" (a whole line of text,
    /// with B if two setups are compared), "room" ("rotation/dials"), or a control of the room that is shown ("m",
    /// "n", "pair", "seed", "distance", "play", …: Room::setControl).
    std::string key;
    std::string value;
    /// Seconds over which a number glides to the new value; 0: immediately.
    double glide = 0;
};

struct LectureStep {
    std::string say;                 // one or two sentences, Markdown; shown below the picture
    std::vector<LectureChange> set;  // in the order of the file
    std::string point;               // what is pointed at: "pair 3", "control theta", "figure spectrum"; "" for none
    std::optional<LectureQuestion> ask;
    std::vector<LectureCheck> checks;
    /// Until the next key.
    bool loop = false;
    int line = 0;
};

struct LectureTraining {
    nlohmann::json experiment;  // flat settings of an experiment, as `sweep --experiment` reads them
    std::string preset;         // name of a preset on which the settings are based; "" for none
    /// Replace those of the experiment where checks train without a display, such as fewer iterations.
    nlohmann::json check_settings = nlohmann::json::object();
    /// What is measured of the trained runs beyond their context.
    std::optional<ExtrapolationPlan> extrapolation;
    /// Where training would take longer, the recorded lab of the scene is shown instead.
    double seconds = 60;
};

struct LectureScene {
    std::string id;     // of the block, or made from the title: "four-clocks"
    std::string title;  // the heading
    std::string text;   // Markdown; formulas between dollar signs
    std::string room;   // "rotation"; "" for a page of text
    std::string part;   // part of the room: "dials"; "" for the whole room
    ComparedSetups setup;
    /// Recorded lab; empty for none. load_lecture() resolves it against the folder of the lecture.
    std::filesystem::path lab;
    std::optional<LectureTraining> live;
    /// Names as in LectureChange; the others are hidden.
    std::vector<std::string> controls;
    std::string question;  // the question that stays in the corner during the scene; "" for none
    std::string notes;     // for the lecturer, Markdown
    std::string find;      // expression of the number that the class should find; "" for none
    /// The scene tells the answers of other scenes.
    bool summary = false;
    std::vector<LectureStep> steps;
    int line = 0;
};

/// At a step (from 0; −1 before the first) or later. `revealed`: the answer to the question of this step is shown.
bool asks_later(const LectureScene& scene, int step, bool revealed);
/// The class is asked to draw a curve over a figure that does not depend on runs trained in front of it.
bool asks_for_curve(const LectureScene& scene);
/// The text of a scene follows its questions, or is hidden by one, so that it is left out of versions without answers.
bool text_answers(const LectureScene& scene);

struct Lecture {
    std::filesystem::path file;
    std::string title;
    std::string author;
    double minutes = 0;  // planned duration; 0 if the file names none
    std::string text;    // Markdown in front of the first scene, for the title page
    std::vector<LectureScene> scenes;
};
bool asks_for_curves(const Lecture& lecture);

/// A control of the room is none: Memory has controls of the same names as settings (heads).
bool is_setup_setting(std::string_view key, std::string_view room);
/// A single setting changes setup A. Returns whether the change concerns the rotary setup. Throws BadInput if the value
/// is not valid; the setups are then unchanged.
bool apply_to_setups(const LectureChange& change, std::string_view room, ComparedSetups& setups);

/// `for_checks`: the smaller one that checks train on the CPU. Throws BadInput if the settings are not valid.
Experiment experiment_of(const LectureTraining& training, bool for_checks);

/// `file` is named in errors; paths in the text are resolved against its folder. Throws BadInput with file, line and
/// what would be right: for bad YAML, unknown or repeated keys, unknown rooms, parts, settings or quantities, missing
/// files, two scenes of one id, and texts above 4 MB or 2,000 scenes.
Lecture parse_lecture(std::string_view text, const std::filesystem::path& file);
/// "clocks" names a lecture of the program. Throws BadInput as parse_lecture() does, and if the file cannot be read.
Lecture load_lecture(const std::filesystem::path& file);

struct ShippedLecture {
    std::string name;  // "clocks"
    std::filesystem::path file;
};
/// In the order of the course, from share/ropelab/lectures beside the program, or the sources' resources/lectures.
std::vector<ShippedLecture> shipped_lectures();

/// A commented example, for `lecture new`.
std::string lecture_template(const std::string& title);
/// "My lecture" becomes "my-lecture.md"; a title that ends in ".md" is a file name.
std::string lecture_file_name(const std::string& title);

std::string with_scene(std::string_view text, const LectureScene& scene);

}  // namespace ropelab
