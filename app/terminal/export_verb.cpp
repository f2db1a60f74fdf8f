#include <algorithm>
#include <memory>

#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/interop/metrics_csv.h"
#include "core/interop/tensorboard.h"
#include "core/spec/error.h"
#include "core/store/lab_file.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::string lab;
    std::string format;
    std::string output;
    std::vector<RunId> runs;
    bool force = false;
    bool json = false;
};

// The chosen runs, or all, each once and in the lab's order.
std::vector<RunRecord> chosen_runs(const LabFile& lab, const Flags& flags) {
    std::vector<RunRecord> runs = lab.runs();
    if (runs.empty()) throw BadInput("The lab " + flags.lab + " has no runs yet.");
    if (flags.runs.empty()) return runs;
    const auto chosen = [&](const RunRecord& run) {
        return std::find(flags.runs.begin(), flags.runs.end(), run.id) != flags.runs.end();
    };
    for (const RunId id : flags.runs) (void)lab.run(id);  // refuses one that is not there
    std::erase_if(runs, [&](const RunRecord& run) { return !chosen(run); });
    return runs;
}

void export_event_files(const LabFile& lab, const std::vector<RunRecord>& runs, const Flags& flags) {
    const auto files = write_event_files(lab, runs, flags.output, flags.force);
    if (flags.json) {
        nlohmann::json list = nlohmann::json::array();
        for (const EventFile& file : files) {
            list.push_back({{"run", file.run},
                            {"file", file.path.string()},
                            {"steps", file.steps},
                            {"evaluations", file.evaluations},
                            {"times", file.times_measured ? "even" : "nominal"}});
        }
        return print_json({{"format", "tensorboard"}, {"output", flags.output}, {"files", list}});
    }
    print_text("Written: " + std::to_string(files.size()) + (files.size() == 1 ? " event file" : " event files") +
               " below " + flags.output +
               ".\nA lab keeps no time of each step: steps are spread evenly over a run's training time, from when "
               "its experiment was started (a millisecond a step where a run has no training time yet).\n");
}

void export_table(const LabFile& lab, const std::vector<RunRecord>& runs, const Flags& flags) {
    const MetricsCsv written = write_metrics_csv(lab, runs, flags.output, flags.force);
    if (flags.json) {
        return print_json({{"format", "csv"},
                           {"output", flags.output},
                           {"runs", runs.size()},
                           {"keys", written.keys},
                           {"rows", written.rows}});
    }
    print_text("Written: " + std::to_string(written.rows) + " measurements of " + std::to_string(runs.size()) +
               (runs.size() == 1 ? " run" : " runs") + " to " + flags.output + ".\n");
}

void run(const Flags& flags) {
    if (flags.format != "tensorboard" && flags.format != "csv") {
        throw BadInput("\"" + flags.format + "\" is no format; it must be tensorboard or csv.");
    }
    if (flags.output.empty()) throw BadInput("The output has no name; name a folder (tensorboard) or a file (csv).");
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    const std::vector<RunRecord> runs = chosen_runs(*lab, flags);
    if (flags.format == "tensorboard") return export_event_files(*lab, runs, flags);
    export_table(*lab, runs, flags);
}

}  // namespace

void add_export(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand("export", "Write a lab's curves for other programs");
    verb->add_option("--lab", flags->lab, "The lab file")->required();
    verb->add_option("--format", flags->format,
                     "tensorboard: a folder of event files, one folder a run; csv: one table of all measurements")
        ->required();
    verb->add_option("--output", flags->output, "The folder (tensorboard) or file (csv) to write")->required();
    verb->add_option("--run", flags->runs, "A run's number; more of them for several, none for all")
        ->allow_extra_args(false);
    verb->add_flag("--force", flags->force, "Write into a folder that is not empty, or over a file");
    verb->add_flag("--json", flags->json, "Write JSON: what was written");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
