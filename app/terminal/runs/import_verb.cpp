#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/interop/foreign/foreign_import.h"
#include "core/store/lab_file.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::vector<std::string> paths;
    std::string lab;
    ForeignLosses losses;
    bool plan = false;
    bool json = false;
};

void run(const Flags& flags) {
    if (flags.lab.empty() && !flags.plan) {
        throw BadInput(
            "--lab is missing; name a lab file for the runs, or add --plan to print what would be imported.");
    }
    const std::vector<std::filesystem::path> paths(flags.paths.begin(), flags.paths.end());
    const ImportPlan plan = plan_import(paths, flags.losses);
    nlohmann::json result = import_json(plan);
    std::string text = import_table(plan).text() + import_notes(plan);
    if (!flags.plan) {
        const bool exists = std::filesystem::exists(flags.lab);
        const auto lab = exists ? LabFile::open(flags.lab) : LabFile::create(flags.lab);
        const std::int64_t experiment = store_import(*lab, plan);
        result["experiment"] = experiment;
        text += "Imported " + counted(std::ssize(plan.runs), "run") + " into experiment " + std::to_string(experiment) +
                " of " + flags.lab + ".\n";
    }
    flags.json ? print_json(result) : print_text(text);
}

}  // namespace

void add_import(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "import", "Import runs of other programs into a lab file, to group, test, plot and export them as its own");
    auto& flags = with_flags<Flags>(*verb, run);
    verb->add_option("paths", flags.paths,
                     "Files and folders, which are searched. Formats, recognized by content: " + foreign_format_words())
        ->required();
    verb->add_option("--lab", flags.lab, "Lab file for the runs; it is created if it does not exist");
    verb->add_flag("--plan", flags.plan, "Only print the runs with their recognized settings, seeds and losses");
    verb->add_option("--training-loss", flags.losses.training,
                     "Name of the metric that is the training loss (default: the usual names, such as train/loss)");
    verb->add_option("--validation-loss", flags.losses.validation,
                     "Name of the metric that is the validation loss (default: the usual names, such as val/loss)");
    add_json(*verb, flags.json, "Print the imported runs as JSON");
}

}  // namespace ropelab::terminal
