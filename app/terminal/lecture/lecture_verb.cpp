#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "app/terminal/verbs.h"
#include "core/lecture/lecture.h"
#include "core/lecture/lecture_check.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/store/output_file.h"

namespace ropelab::terminal {

namespace {

struct Flags {
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

void check(const Flags& flags) {
    const Lecture lecture = load_lecture(flags.file);
    ProgressLine line;
    LectureCheckOptions options;
    options.data_dir = flags.data_dir;
    options.cancelled = interrupted;
    options.progress = [&](const std::string& scene) { line.show("checking scene " + scene); };
    watch_interrupts();
    const std::vector<CheckedQuantity> checks = check_lecture(lecture, options);
    line.end();
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

void write_new(const Flags& flags) {
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

void list(const Flags& flags) {
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
    print_text(all.empty() ? "No lectures belong to this program.\n" : text.str());
}

}  // namespace

void add_lecture(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand(
        "lecture",
        "Check lectures, write an example, list those of the program; handouts and slides; work and answers of a class");
    verb->require_subcommand(1);
    const auto add = [&](const char* name, const char* description, void (*action)(const Flags&)) {
        CLI::App* part = verb->add_subcommand(name, description);
        part->add_flag("--json", flags->json, "Print the result as JSON");
        part->callback([flags, action] { action(*flags); });
        return part;
    };
    CLI::App* check_verb = add(
        "check",
        "Compute every check of a lecture, without a display: exit status 0 if all pass, 1 if one fails, 2 if the file "
        "is not a valid lecture",
        check);
    check_verb->add_option("file", flags->file, "Lecture (.md), or the name of a lecture of the program")->required();
    check_verb->add_option("--data-dir", flags->data_dir, "Folder that is searched first for known data sets");
    CLI::App* new_verb = add("new", "Write a commented example of a lecture", write_new);
    new_verb->add_option("name", flags->title, "Title of the lecture")->required();
    new_verb->add_option("--output", flags->output,
                         "File to write (default: the title as a file name, such as my-lecture.md; - for standard "
                         "output)");
    new_verb->add_flag("--force", flags->force, "Overwrite the file if it exists");
    add("list", "List the lectures that belong to the program", list);
    add_lecture_documents(*verb);
    add_lecture_class(*verb);
    add_lecture_answers(*verb);
}

}  // namespace ropelab::terminal
