#include <algorithm>
#include <array>
#include <iterator>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "app/terminal/window/window_program.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/bench/machine.h"
#include "core/report/lab_report.h"
#include "core/store/lab_file.h"

namespace ropelab::terminal {

namespace {

namespace fs = std::filesystem;

struct Flags {
    std::string lab;
    std::string output;
    std::vector<std::string> baseline;
    std::string compare = ResultsOptions{}.compare;
    std::string test = "auto";
    std::string margin;
    bool without_figures = false;
    bool force = false;
    bool json = false;
};

void prepare_folder(const Flags& flags) {
    std::error_code error;
    const fs::path folder = flags.output;
    if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
        throw BadInput(flags.output + " is a file; name a folder.");
    }
    if (fs::exists(folder / "report.md", error) && !flags.force) {
        throw BadInput("The folder " + flags.output + " contains a report already; add --force to overwrite it.");
    }
    fs::create_directories(folder / "figures", error);
    if (error) throw BadInput("The folder " + flags.output + " cannot be created: " + error.message() + ".");
}

// PDF for LaTeX and SVG for Markdown and HTML. Returns the names of figures that exist.
std::vector<std::string> draw_figures(const Flags& flags, const LabFile& lab, const ResultsOptions& results,
                                      const std::vector<std::string>& names) {
    const fs::path folder = fs::path(flags.output) / "figures";
    std::vector<std::string> arguments = {"--each", "--lab", flags.lab, "--output", folder.string()};
    const auto files_of = [&](const std::string& name) {
        return std::array{folder / (name + ".svg"), folder / (name + ".pdf")};
    };
    std::error_code error;
    for (const std::string& name : names) {
        arguments.insert(arguments.end(), {"--figure", name});
        for (const fs::path& file : files_of(name)) fs::remove(file, error);
    }
    const std::vector<std::string> same_results = figure_flags(lab, names, results);
    arguments.insert(arguments.end(), same_results.begin(), same_results.end());
    if (!names.empty()) run_window_program("The figures of a report", arguments);
    std::vector<std::string> drawn;
    std::copy_if(names.begin(), names.end(), std::back_inserter(drawn), [&](const std::string& name) {
        const auto files = files_of(name);
        return std::all_of(files.begin(), files.end(), [&](const fs::path& file) { return fs::exists(file, error); });
    });
    return drawn;
}

std::string machine_sentence() {
    const bench::Machine machine = bench::this_machine();
    return "The report was written on a machine with the processor " + machine.processor + ", " +
           counted(machine.cores, "core") + " and " + bytes_text(machine.memory_bytes) + " of memory.";
}

void run(const Flags& flags) {
    ReportOptions options;
    options.results.baseline = baseline_settings(flags.baseline);
    options.results.compare = flags.compare;
    options.results.test = test_kind(flags.test);
    options.results.margin = flags.margin;
    options.version = ROPELAB_VERSION;
    options.date = bench::today();
    options.machine = machine_sentence();
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    std::vector<std::string> names = suitable_figures(*lab, options.results);  // throws for a lab without runs
    prepare_folder(flags);
    if (flags.without_figures) {
        options.figure_problem = "The report was written without figures (--no-figures).";
        names.clear();
    }
    options.figures = draw_figures(flags, *lab, options.results, names);
    std::erase_if(names, [&](const std::string& name) {
        return std::find(options.figures.begin(), options.figures.end(), name) != options.figures.end();
    });
    if (!names.empty()) {
        options.figure_problem = "These figures could not be drawn:";
        for (const std::string& name : names) options.figure_problem += " " + name;
        options.figure_problem += ".";
    }
    write_report(flags.output, *lab, options);
    if (flags.json) {
        return print_json({{"output", flags.output},
                           {"files", {"report.md", "report.html", "report.tex"}},
                           {"figures", options.figures},
                           {"missing_figures", names}});
    }
    print_text("Wrote report.md, report.html and report.tex with " + counted(options.figures.size(), "figure") +
               " to " + flags.output + ".\n" + (names.empty() ? "" : options.figure_problem + '\n'));
}

}  // namespace

void add_report(CLI::App& program) {
    CLI::App* verb =
        program.add_subcommand("report",
                               "Write a report of a lab file as Markdown, HTML and LaTeX: settings, data, environment, "
                               "tables, tests, verdicts, figures, and the commands that repeat them");
    auto& flags = with_flags<Flags>(*verb, run);
    verb->add_option("--lab", flags.lab,
                     "Lab file; the report includes the runs that are chosen in this file, as the command results does")
        ->required();
    verb->add_option("--output", flags.output, "Folder for the report; it is created if it does not exist")->required();
    add_baseline(*verb, flags.baseline);
    verb->add_option("--compare", flags.compare,
                     "Quantity that the significance tests compare; the command results accepts the same quantities")
        ->capture_default_str();
    add_test(*verb, flags.test);
    add_margin(*verb, flags.margin);
    verb->add_flag("--no-figures", flags.without_figures, "Write the report without figures");
    verb->add_flag("--force", flags.force, "Overwrite the report that an earlier call wrote");
    add_json(*verb, flags.json, "Print the names of the written files as JSON");
}

}  // namespace ropelab::terminal
