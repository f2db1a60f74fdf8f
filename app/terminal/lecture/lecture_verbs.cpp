// The commands lecture (with its parts) and quantity.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "app/terminal/window/window_program.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/lecture/class/answer_table.h"
#include "core/lecture/class/class_work.h"
#include "core/lecture/lecture.h"
#include "core/lecture/lecture_check.h"
#include "core/lecture/quantities/quantity.h"
#include "core/store/lab_file.h"
#include "core/store/output_file.h"

namespace ropelab::terminal {

namespace {

namespace fs = std::filesystem;

struct DocumentFlags {
    std::string lecture;
    std::string output;
    bool without_answers = false;
    JobFlags fields;

    // `what` names the documents.
    void write(const char* what, const char* kind) const {
        fields.run(what, "--document",
                   {{"kind", kind}, {"lecture", lecture}, {"output", output}, {"answers", !without_answers}});
    }
};

// The flags live as long as the command.
DocumentFlags& add_document(CLI::App& verb, const char* what, const char* kind, const char* output_help) {
    auto& flags = with_flags<DocumentFlags>(verb, [=](const DocumentFlags& given) { given.write(what, kind); });
    flags.fields.begin(verb);
    verb.add_option("file", flags.lecture, "Lecture file (.md), or the name of a lecture that comes with the program")
        ->required();
    verb.add_option("--output", flags.output, output_help)->required();
    return flags;
}

void add_lecture_documents(CLI::App& lecture) {
    CLI::App* verb = lecture.add_subcommand("handout",
                                            "Write a handout of a lecture as PDF, with the text, picture, questions "
                                            "and answers of each scene; needs no display and trains nothing");
    auto& handout = add_document(*verb, "Handouts", "handout", "Output file (.pdf; - for standard output)");
    verb->add_flag("--without-answers", handout.without_answers, "Leave out the answers to the questions");
    handout.fields.text("paper", "--paper", "Paper size: a4 (default) or letter");
    handout.fields.json();

    verb =
        lecture.add_subcommand("slides", "Write one slide per step of a lecture; needs no display and trains nothing");
    auto& slides = add_document(
        *verb, "Slides", "slides",
        "Output: a file (.pdf or .html; - for standard output), or a folder for one PNG or SVG file per slide");
    slides.fields.text("format", "--format",
                       "Format: pdf, html, png or svg (default: the suffix of --output; png for a folder)");
    slides.fields.text("theme", "--theme",
                       "Colour theme: light, dark or automatic (default: light, and in HTML the one that the reader's "
                       "system prefers)");
    slides.fields.number("width", "--width-px", "Width of PNG slides in pixels, 320 to 7680 (default: 1920)");
    verb->add_flag("--without-answers", slides.without_answers,
                   "Leave out the answers to the questions; after the first question of a scene, also leave out all "
                   "text except further questions");
    slides.fields.json();
}

struct ClassFlags {
    std::string lecture;
    std::string scene;
    std::optional<int> students;
    std::vector<std::string> settings;
    std::string output;
    bool force = false;
    std::vector<std::string> pool;
    std::string lab;
    std::string measure = "best_validation_loss";
    bool json = false;
};

const LectureScene& training_scene(const Lecture& lecture, const std::string& id) {
    std::vector<const LectureScene*> live;
    for (const LectureScene& scene : lecture.scenes) {
        if (!scene.live) continue;
        if (scene.id == id) return scene;
        live.push_back(&scene);
    }
    const std::string known = joined(live, ", ", [](const LectureScene* scene) { return scene->id; });
    if (live.empty()) {
        throw BadInput(
            "No scene of the lecture \"" + lecture.title +
            "\" trains a model, so a class has no experiment to train; add \"live\" (an experiment) to a scene.");
    }
    if (!id.empty())
        throw BadInput("No scene \"" + id + "\" trains a model; choose a scene that trains a model: " + known + ".");
    // Evaluations beyond the context are of the stage, and make no experiment of a class.
    std::vector<const LectureScene*> experiments = live;
    std::erase_if(experiments, [](const LectureScene* scene) { return scene->live->extrapolation.has_value(); });
    if (experiments.size() == 1) return *experiments.front();
    if (live.size() > 1)
        throw BadInput("Several scenes of this lecture train models (" + known + "); choose one with --scene.");
    return *live.front();
}

void write_text(const fs::path& file, const std::string& text, bool force) {
    if (!force && would_replace(file)) {
        throw BadInput(file.string() + " exists already; add --force to replace it, or name another folder.");
    }
    write_output(file, text);
}

void write_tasks(const ClassFlags& flags) {
    const Lecture lecture = load_lecture(flags.lecture);
    Experiment experiment = experiment_of(*training_scene(lecture, flags.scene).live, false);
    experiment.set_assignments(flags.settings);
    const std::vector<StudentTask> tasks = student_tasks(experiment, *flags.students);
    const fs::path folder = flags.output;
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw BadInput("The folder " + flags.output + " cannot be created: " + error.message() + ".");
    const fs::path sheet = folder / "sheet.md";
    nlohmann::json files = nlohmann::json::array();
    for (const StudentTask& task : tasks) {
        const fs::path file = folder / (task.name + ".json");
        write_text(file, task.experiment.to_json().dump(2) + "\n", flags.force);
        files.push_back({{"name", task.name}, {"seed", task.seed}, {"file", file.string()}});
    }
    write_text(sheet, class_sheet(lecture.title, flags.lecture, tasks), flags.force);
    if (flags.json) return print_json({{"students", files}, {"sheet", sheet.string()}});
    print_text("Wrote " + counted(static_cast<std::int64_t>(tasks.size()), "experiment") + " and " + sheet.string() +
               ", a page with the commands that each student types.\n");
}

void pool_results(const ClassFlags& flags) {
    std::vector<fs::path> files;
    for (const std::string& file : flags.pool) {
        std::error_code error;
        // The pattern "*.ropelab" also matches the lab of an earlier call.
        if (!fs::equivalent(file, flags.lab, error)) files.emplace_back(file);
    }
    if (files.empty())
        throw BadInput(
            "--pool names only the lab file of --lab, into which the results are collected; name the students' files "
            "with --pool.");
    std::error_code error;
    const bool is_new = !fs::exists(flags.lab, error);
    auto lab = is_new ? LabFile::create(flags.lab) : LabFile::open(flags.lab);
    const ClassPool pool = pool_class(*lab, files);
    if (pool.files == 0) {
        lab.reset();
        if (is_new) fs::remove(flags.lab, error);
        const ClassPool::Refused& first = pool.refused.front();
        throw BadInput("No results could be added to " + flags.lab + ". " + first.file.string() + ": " + first.reason);
    }
    nlohmann::json refused = nlohmann::json::array();
    for (const ClassPool::Refused& one : pool.refused) {
        std::cerr << one.file.string() << " was not added: " << one.reason << std::endl;
        refused.push_back({{"file", one.file.string()}, {"reason", one.reason}});
    }
    const ResultsTable table = class_table(*lab, flags.measure);
    if (flags.json) {
        nlohmann::json result = class_json(table);
        result["lab"] = flags.lab;
        result["files"] = pool.files;
        result["added_runs"] = pool.runs;
        result["refused"] = refused;
        return print_json(result);
    }
    print_text("Pooled " + counted(pool.files, "file") + ": " + counted(pool.runs, "run") + " added to " + flags.lab +
               ".\n" + class_text(table));
}

void run_class(const ClassFlags& flags) {
    if (flags.students && !flags.pool.empty()) {
        throw BadInput(
            "--students writes the students' experiments and --pool collects their results; give only one of the two "
            "flags.");
    }
    if (flags.students) {
        if (flags.output.empty())
            throw BadInput("--students needs --output, the folder for the students' experiments.");
        return write_tasks(flags);
    }
    if (flags.pool.empty()) {
        throw BadInput(
            "Give --students and --output to write the students' experiments, or --pool and --lab to collect their "
            "results.");
    }
    if (flags.lab.empty()) throw BadInput("--pool needs --lab, the lab file that collects the results.");
    if (!flags.settings.empty() || !flags.scene.empty() || !flags.output.empty()) {
        throw BadInput("--set, --scene and --output apply to --students only; leave them out with --pool.");
    }
    measure_index(flags.measure);  // throws for an unknown measure before anything is stored
    pool_results(flags);
}

void add_lecture_class(CLI::App& lecture) {
    CLI::App* verb = lecture.add_subcommand(
        "class",
        "Write one experiment per student, each with its own seed, or collect the students' results in one lab file");
    auto& flags = with_flags<ClassFlags>(*verb, run_class);
    verb->add_option("lecture", flags.lecture, "Lecture: a file, or the name of a lecture that comes with the program")
        ->required();
    verb->add_option("--students", flags.students,
                     "Write the experiments for this number of students, one experiment per student");
    verb->add_option(
        "--scene", flags.scene,
        "Scene whose experiment the students train (default: the only scene of the lecture that trains models)");
    add_repeated(*verb, "--set", flags.settings, "Setting of the students' experiments, such as theta=500,10000");
    verb->add_option("--output", flags.output,
                     "Folder for the experiments and for sheet.md, a page with the commands that each student types");
    verb->add_flag("--force", flags.force, "Overwrite files that an earlier call wrote");
    verb->add_option(
        "--pool", flags.pool,
        "The students' results: lab files (.ropelab), or files with the output of \"sweep --json\" (.json)");
    verb->add_option("--lab", flags.lab, "Lab file that collects the results; it is created if it does not exist");
    verb->add_option("--measure", flags.measure, "Quantity in the printed table (default: best_validation_loss)");
    add_json(*verb, flags.json);
}

struct AnswerFlags {
    std::string lab;
    std::string lecture;
    std::string format = "txt";
    std::string output = "-";
    bool json = false;
};

void run_answers(const AnswerFlags& flags) {
    choice_of(flags.format, "a format of answers", {"txt", "csv"});
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    std::vector<AnsweredQuestion> questions = answered_questions(lab->answers());
    if (!flags.lecture.empty()) {
        std::erase_if(questions, [&](const AnsweredQuestion& question) { return question.lecture != flags.lecture; });
        if (questions.empty()) {
            throw BadInput("The lab file " + flags.lab + " has no answers to questions of the lecture \"" +
                           flags.lecture + "\".");
        }
    }
    if (flags.json && is_standard_output(flags.output)) return print_json(answers_json(questions));
    const std::string text = flags.json              ? answers_json(questions).dump(2) + "\n"
                             : flags.format == "csv" ? answers_csv(questions)
                                                     : answers_text(questions);
    if (is_standard_output(flags.output)) return print_text(text);
    write_output(flags.output, text);
}

void add_lecture_answers(CLI::App& lecture) {
    CLI::App* verb = lecture.add_subcommand(
        "answers", "Print the answers of classes to lecture questions, by group; a lab file stores them");
    auto& flags = with_flags<AnswerFlags>(*verb, run_answers);
    add_lab(*verb, flags.lab);
    verb->add_option("--lecture", flags.lecture,
                     "Print only answers to questions of the lecture with this title (default: all lectures)");
    verb->add_option("--format", flags.format,
                     "Format: txt (percentages of the answers by question and group) or csv (one line per answer)");
    verb->add_option("--output", flags.output, "Output file (default: standard output)");
    add_json(*verb, flags.json, "Print all answers as JSON");
}

struct LectureFlags {
    std::string file;
    std::string title;
    std::string output;
    std::string data_dir;
    bool force = false;
    bool json = false;
};

std::int64_t count_failed(const std::vector<CheckedQuantity>& checks) {
    return std::count_if(checks.begin(), checks.end(), [](const CheckedQuantity& each) { return !each.ok; });
}

nlohmann::json json_of(const std::vector<CheckedQuantity>& checks) {
    nlohmann::json list = nlohmann::json::array();
    for (const CheckedQuantity& each : checks) {
        nlohmann::json entry = {{"scene", each.scene},       {"line", each.line},   {"quantity", each.quantity},
                                {"expected", each.expected}, {"value", each.value}, {"ok", each.ok}};
        if (!each.problem.empty()) entry["problem"] = each.problem;
        list.push_back(std::move(entry));
    }
    const std::int64_t failed = count_failed(checks);
    return {{"passed", static_cast<std::int64_t>(checks.size()) - failed}, {"failed", failed}, {"checks", list}};
}

std::string value_words(const nlohmann::json& value) {
    if (value.is_null()) return "none";
    if (value.is_number()) return number_text(value.get<double>());
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string text_of(const std::vector<CheckedQuantity>& checks) {
    std::ostringstream text;
    for (const CheckedQuantity& each : checks) {
        text << (each.ok ? "ok      " : "FAILED  ") << each.scene << ", line " << each.line << ": " << each.quantity;
        if (!each.problem.empty()) {
            text << ": " << each.problem << '\n';
        } else {
            text << " is " << value_words(each.value);
            text << (each.ok ? "" : ", expected " + value_words(each.expected)) << '\n';
        }
    }
    const std::int64_t failed = count_failed(checks);
    text << counted(static_cast<std::int64_t>(checks.size()) - failed, "check") << " passed, " << failed
         << " failed.\n";
    return text.str();
}

// Only the window draws figures, so that it looks for the curves that the class draws.
void check_curves(const Lecture& lecture, std::vector<CheckedQuantity>& checks) {
    if (!asks_for_curves(lecture)) return;
    constexpr auto replace = nlohmann::json::error_handler_t::replace;
    const nlohmann::json job = {{"kind", "check"}, {"lecture", lecture.file.string()}, {"output", "-"}};
    try {
        const auto output =
            run_window_program("Figures of lectures", {"--document", job.dump(-1, ' ', false, replace), "--json"});
        if (!output) throw std::runtime_error("The program ropelab did not draw the figures that the check needs.");
        const nlohmann::json result = parse_bounded(*output);
        for (const nlohmann::json& curve : result.at("curves")) {
            const std::string problem = curve.at("problem").get<std::string>();
            checks.push_back({curve.at("scene").get<std::string>(), curve.at("line").get<int>(), "curve",
                              "in the figure", problem.empty() ? nlohmann::json("in the figure") : nlohmann::json(),
                              problem.empty(), problem});
        }
    } catch (const BadInput& error) {
        std::cerr << "ropelab-cli: The questions that the class answers by drawing a curve were not checked. "
                  << error.what() << '\n';
    }
}

void check_file(const LectureFlags& flags) {
    const Lecture lecture = load_lecture(flags.file);
    ProgressLine line;
    LectureCheckOptions options;
    options.data_dir = flags.data_dir;
    options.cancelled = interrupted;
    options.progress = [&](const std::string& scene) { line.show("checking scene " + scene); };
    watch_interrupts();
    std::vector<CheckedQuantity> checks = check_lecture(lecture, options);
    line.end();
    check_curves(lecture, checks);
    if (flags.json) {
        print_json(json_of(checks));
    } else {
        print_text(text_of(checks));
    }
    if (const std::int64_t failed = count_failed(checks); failed > 0) {
        throw std::runtime_error(std::to_string(failed) + " of " +
                                 counted(static_cast<std::int64_t>(checks.size()), "check") + " of " + flags.file +
                                 " failed.");
    }
}

void write_new(const LectureFlags& flags) {
    const bool is_file = flags.title.ends_with(".md");
    const std::string text =
        lecture_template(is_file ? std::filesystem::path(flags.title).stem().string() : flags.title);
    const std::string output = flags.output.empty() ? lecture_file_name(flags.title) : flags.output;
    check_one_output(output, flags.json);
    if (would_replace(output) && !flags.force) {
        throw BadInput("The file " + output + " exists already; add --force to overwrite it, or name another one.");
    }
    write_output(output, text);
    if (flags.json) return print_json({{"output", output}});
    if (is_standard_output(output)) return;
    print_text("Wrote " + output + ". Check it with \"ropelab-cli lecture check " + output + "\".\n");
}

void list_lectures(const LectureFlags& flags) {
    nlohmann::json all = nlohmann::json::array();
    std::ostringstream text;
    for (const ShippedLecture& each : shipped_lectures()) {
        const Lecture lecture = load_lecture(each.file);
        all.push_back({{"name", each.name},
                       {"file", each.file.string()},
                       {"title", lecture.title},
                       {"minutes", lecture.minutes},
                       {"scenes", lecture.scenes.size()}});
        text << each.name << ": " << lecture.title << ", "
             << counted(static_cast<std::int64_t>(lecture.scenes.size()), "scene");
        if (lecture.minutes > 0) text << ", " << number_text(lecture.minutes) << " minutes";
        text << "\n    " << each.file.string() << '\n';
    }
    if (flags.json) return print_json(all);
    print_text(all.empty() ? "No lectures come with this program.\n" : text.str());
}

}  // namespace

void add_lecture(CLI::App& program) {
    auto flags = std::make_shared<LectureFlags>();
    CLI::App* verb =
        program.add_subcommand("lecture",
                               "Check lectures, write an example, list the lectures that come with the program, export "
                               "handouts and slides, collect the results and answers of a class");
    verb->require_subcommand(1);
    CLI::App* check_verb = add_part(
        *verb, flags, "check",
        "Compute every check of a lecture (a quantity and its expected value), without a display: exit status 0 if "
        "all pass, 1 if one fails, 2 if the file is not a valid lecture",
        check_file);
    check_verb
        ->add_option("file", flags->file, "Lecture file (.md), or the name of a lecture that comes with the program")
        ->required();
    check_verb->add_option("--data-dir", flags->data_dir, "Folder that is searched first for known data sets");
    CLI::App* new_verb = add_part(*verb, flags, "new", "Write a commented example of a lecture", write_new);
    new_verb->add_option("name", flags->title, "Title of the lecture")->required();
    new_verb->add_option("--output", flags->output,
                         "File to write (default: the title as a file name, such as my-lecture.md; - for standard "
                         "output)");
    new_verb->add_flag("--force", flags->force, "Overwrite the file if it exists");
    add_part(*verb, flags, "list", "List the lectures that come with the program", list_lectures);
    add_lecture_documents(*verb);
    add_lecture_class(*verb);
    add_lecture_answers(*verb);
}

namespace {

struct QuantityFlags {
    std::string name;
    std::vector<std::string> arguments;
    std::string setup;
    std::string lab;
    bool list = false;
    bool json = false;
};

void print_list(bool as_json) {
    if (as_json) return print_json(quantities());
    std::ostringstream text;
    for (const QuantityDescription& each : quantities()) {
        text << each.name << each.arguments << (each.unit.empty() ? "" : "  [" + each.unit + "]")
             << (each.needs_lab ? "  --lab" : "") << "\n    " << each.description << '\n';
    }
    print_text(text.str());
}

// "wavelength(31)" for `wavelength 31`; an expression with brackets stays as it is.
std::string expression_of(const QuantityFlags& flags) {
    if (flags.arguments.empty()) return flags.name;
    if (flags.name.find('(') != std::string::npos) {
        throw BadInput("Give the arguments of " + flags.name.substr(0, flags.name.find('(')) +
                       " in brackets or after its name, not both; quote an expression with spaces.");
    }
    return flags.name + "(" + joined(flags.arguments) + ")";
}

std::string value_text(const nlohmann::json& value) {
    if (value.is_null()) return "none";
    if (value.is_number()) return number_text(value.get<double>());
    if (!value.is_array()) return value.dump();
    if (value.empty()) return "none";
    return joined(value, ", ", [](const nlohmann::json& each) {
        const bool interval = each.is_array() && each.size() == 2;
        return interval ? value_text(each[0]) + "–" + value_text(each[1]) : value_text(each);
    });
}

void run_quantity(const QuantityFlags& flags) {
    if (flags.list) {
        if (!flags.name.empty()) throw BadInput("--list lists all quantities; leave out \"" + flags.name + "\".");
        return print_list(flags.json);
    }
    if (flags.name.empty()) throw BadInput("Name a quantity, such as \"wavelength(31)\"; --list lists all.");
    QuantitySource source;
    if (!flags.setup.empty()) source.setups = parse_setups(flags.setup);
    std::unique_ptr<LabFile> lab;
    if (!flags.lab.empty()) {
        lab = LabFile::open(flags.lab, LabFile::Mode::read);
        source.lab = lab.get();
    }
    const std::string expression = expression_of(flags);
    const nlohmann::json value = evaluate_quantity(expression, source);
    if (flags.json) {
        nlohmann::json result = {{"quantity", expression}, {"value", value}, {"setup", setups_text(source.setups)}};
        if (!flags.lab.empty()) result["lab"] = flags.lab;
        return print_json(result);
    }
    print_text(value_text(value) + '\n');
}

}  // namespace

void add_quantity(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "quantity",
        "Compute a quantity by its name, such as wavelength(31), from RoPE settings or from the runs of a lab file");
    auto& flags = with_flags<QuantityFlags>(*verb, run_quantity);
    verb->add_option("name", flags.name, "Name of the quantity, or an expression such as \"wavelength(31)\"");
    verb->add_option("arguments", flags.arguments, "Arguments of the quantity, if its name is given without brackets");
    verb->add_option("--setup", flags.setup,
                     "Rotary setup (RoPE settings) as text, as the window's \"Copy setup\" copies it (default: "
                     "theta=10k head_dim=64 fraction=100% context=1024). \"A | B\" gives two setups; B.NAME is a "
                     "quantity of the second setup");
    verb->add_option("--lab", flags.lab, "Lab file, for quantities that are computed from runs");
    verb->add_flag("--list", flags.list, "List all quantities");
    add_json(*verb, flags.json);
}

}  // namespace ropelab::terminal
