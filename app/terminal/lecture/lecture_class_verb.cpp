// The command `lecture class`: one experiment per student, and the pooled results of a class.
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/lecture/class_work.h"
#include "core/lecture/lecture.h"
#include "core/spec/error.h"
#include "core/store/output_file.h"

namespace ropelab::terminal {

namespace {

namespace fs = std::filesystem;

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

// Returns the scene that trains: the one that is named, or the only one.
const LectureScene& training_scene(const Lecture& lecture, const std::string& id) {
    std::string known;
    const LectureScene* found = nullptr;
    for (const LectureScene& scene : lecture.scenes) {
        if (!scene.live) continue;
        if (scene.id == id) return scene;
        known += (known.empty() ? "" : ", ") + scene.id;
        if (!found) found = &scene;
    }
    if (!found) {
        throw BadInput("No scene of the lecture \"" + lecture.title +
                       "\" trains, so there is nothing for a class to train; add \"live\" to a scene.");
    }
    if (!id.empty()) throw BadInput("No scene \"" + id + "\" trains; the scenes that train are " + known + ".");
    if (known != found->id) {
        throw BadInput("Several scenes train (" + known + "); choose one with --scene.");
    }
    return *found;
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
               ", which says what each student types.\n");
}

void pool_results(const ClassFlags& flags) {
    std::vector<fs::path> files;
    for (const std::string& file : flags.pool) {
        std::error_code error;
        // The pattern "*.ropelab" also matches the lab of an earlier call.
        if (!fs::equivalent(file, flags.lab, error)) files.emplace_back(file);
    }
    if (files.empty()) throw BadInput("--pool names no file but the lab itself; name the students' files.");
    std::error_code error;
    const bool is_new = !fs::exists(flags.lab, error);
    auto lab = is_new ? LabFile::create(flags.lab) : LabFile::open(flags.lab);
    const ClassPool pool = pool_class(*lab, files);
    if (pool.files == 0) {
        lab.reset();
        if (is_new) fs::remove(flags.lab, error);
        const ClassPool::Refused& first = pool.refused.front();
        throw BadInput("None of the files could be pooled into " + flags.lab + ". " + first.file.string() + ": " +
                       first.reason);
    }
    nlohmann::json refused = nlohmann::json::array();
    for (const ClassPool::Refused& one : pool.refused) {
        std::cerr << one.file.string() << " is not pooled: " << one.reason << std::endl;
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
        throw BadInput("--students writes the experiments and --pool pools the results; give one of them.");
    }
    if (flags.students) {
        if (flags.output.empty()) throw BadInput("--students needs --output, the folder for the experiments.");
        return write_tasks(flags);
    }
    if (flags.pool.empty()) {
        throw BadInput("Give --students and --output to write the experiments, or --pool and --lab to pool results.");
    }
    if (flags.lab.empty()) throw BadInput("--pool needs --lab, the lab that receives the results.");
    if (!flags.settings.empty() || !flags.scene.empty() || !flags.output.empty()) {
        throw BadInput("--set, --scene and --output choose the experiments of --students; leave them out with --pool.");
    }
    measure_index(flags.measure);  // throws for an unknown measure before anything is stored
    pool_results(flags);
}

}  // namespace

void add_lecture_class(CLI::App& lecture) {
    auto flags = std::make_shared<ClassFlags>();
    CLI::App* verb = lecture.add_subcommand(
        "class", "Write an experiment per student with a seed of its own, or pool the results of a class");
    verb->add_option("lecture", flags->lecture, "Lecture: a file, or the name of a lecture of the program")->required();
    verb->add_option("--students", flags->students, "Number of students; writes an experiment for each of them");
    verb->add_option("--scene", flags->scene, "Scene that trains (default: the only one)");
    verb->add_option("--set", flags->settings, "Setting of the experiments, such as theta=500,10000")
        ->allow_extra_args(false);
    verb->add_option("--output", flags->output, "Folder for the experiments and the sheet that says what to type");
    verb->add_flag("--force", flags->force, "Replace files of an earlier call");
    verb->add_option("--pool", flags->pool,
                     "Files of the students: labs (.ropelab), or what \"sweep --json\" printed (.json)");
    verb->add_option("--lab", flags->lab, "Lab that receives the results; it is created if there is none");
    verb->add_option("--measure", flags->measure, "Measure of the table (default: best_validation_loss)");
    verb->add_flag("--json", flags->json, "Print the result as JSON");
    verb->callback([flags] { run_class(*flags); });
}

}  // namespace ropelab::terminal
