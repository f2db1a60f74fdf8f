#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/interop/metrics_csv.h"
#include "core/interop/model_export.h"
#include "core/interop/tensorboard.h"
#include "core/store/lab_file.h"
#include "core/store/output_file.h"
#include "core/sweep/stored_run.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::string lab;
    std::string format;
    std::string output;
    std::string hugging_face;
    std::string gguf;
    std::vector<RunId> runs;
    bool force = false;
    bool json = false;
};

// --run, or all runs, each once and in the lab's order.
std::vector<RunRecord> chosen_runs(const LabFile& lab, const Flags& flags) {
    std::vector<RunRecord> runs = lab.runs();
    if (runs.empty()) throw BadInput("The lab file " + flags.lab + " has no runs yet; name a lab file with runs.");
    if (flags.runs.empty()) return runs;
    for (const RunId id : flags.runs) (void)lab.run(id);  // throws BadInput for a number that the lab does not have
    std::erase_if(runs, [&](const RunRecord& run) {
        return std::find(flags.runs.begin(), flags.runs.end(), run.id) == flags.runs.end();
    });
    return runs;
}

void export_event_files(const LabFile& lab, const std::vector<RunRecord>& runs, const Flags& flags) {
    const auto files = write_event_files(lab, runs, flags.output, flags.force);
    if (flags.json) {
        const auto file_json = [](const EventFile& file) -> nlohmann::json {
            return {{"run", file.run},
                    {"file", file.path.string()},
                    {"steps", file.steps},
                    {"evaluations", file.evaluations},
                    {"times", file.times_stored     ? "stored"
                              : file.times_measured ? "even"
                                                    : "nominal"}};
        };
        return print_json(
            {{"format", "tensorboard"}, {"output", flags.output}, {"files", json_list(files, file_json)}});
    }
    std::string text = "Wrote " + counted(files.size(), "event file") + " in " + flags.output + ".\n";
    if (!std::all_of(files.begin(), files.end(), [](const EventFile& file) { return file.times_stored; })) {
        text +=
            "An older version of RoPE Lab recorded some steps of this lab file without their times, so the exported "
            "times of these steps are approximate. The steps of a run are spread evenly over its training time, "
            "beginning at the start of its experiment. If a run has no training time yet, each step counts one "
            "millisecond.\n";
    }
    print_text(text);
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
    if (is_standard_output(flags.output)) return;
    print_text("Wrote " + std::to_string(written.rows) + " measurements of " + counted(runs.size(), "run") + " to " +
               flags.output + ".\n");
}

void export_model(const LabFile& lab, const Flags& flags) {
    if (flags.runs.size() > 1) throw BadInput("A model is exported from one run; give --run once.");
    const RunRecord record = run_of(lab, flags.lab, flags.runs.empty() ? 0 : flags.runs.front());
    const RunCheckpoint known = run_checkpoint(lab, record);
    if (known.path.empty()) throw BadInput(no_model_words(record.name));
    std::optional<Checkpoint> checkpoint = read_checkpoint(known);
    if (!checkpoint)
        throw BadInput("There is no checkpoint file " + known.path.string() +
                       "; a run writes its checkpoint at its first evaluation.");
    const ExportedRun exported = {.checkpoint = *std::move(checkpoint),
                                  .name = record.name,
                                  .lab = std::filesystem::path(flags.lab).filename().string(),
                                  .version = ROPELAB_VERSION};
    watch_interrupts();
    const bool is_folder = !flags.hugging_face.empty();
    const auto written = is_folder ? export_hugging_face(exported, flags.hugging_face, interrupted)
                                   : export_gguf(exported, flags.gguf, flags.force, interrupted);
    if (!written) throw std::runtime_error("Interrupted before the model was written; nothing is left of it.");
    if (flags.json) {
        return print_json({{"format", is_folder ? "hugging-face" : "gguf"},
                           {"output", written->path.string()},
                           {"layout", written->layout},
                           {"parameters", written->parameters}});
    }
    print_text("Wrote the model of \"" + record.name + "\" in the layout of " + written->layout + " to " +
               written->path.string() + ".\n");
}

void run(const Flags& flags) {
    const bool is_model = !flags.hugging_face.empty() || !flags.gguf.empty();
    const int outputs =
        (flags.format.empty() ? 0 : 1) + (flags.hugging_face.empty() ? 0 : 1) + (flags.gguf.empty() ? 0 : 1);
    if (outputs != 1 || (is_model && !flags.output.empty())) {
        throw BadInput(
            "Give one of --format (with --output), --hugging-face and --gguf, which say what is exported and where.");
    }
    if (is_model) return export_model(*LabFile::open(flags.lab, LabFile::Mode::read), flags);
    choice_of(flags.format, "an export format", {"tensorboard", "csv"});
    if (flags.output.empty()) throw BadInput("--output is empty; name a folder (tensorboard) or a file (csv).");
    if (flags.format == "csv") check_one_output(flags.output, flags.json);
    if (flags.format == "tensorboard" && is_standard_output(flags.output))
        throw BadInput("Event files cannot be written to standard output; name a folder with --output.");
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    const std::vector<RunRecord> runs = chosen_runs(*lab, flags);
    if (flags.format == "tensorboard") return export_event_files(*lab, runs, flags);
    export_table(*lab, runs, flags);
}

}  // namespace

void add_export(CLI::App& program) {
    CLI::App* verb = program.add_subcommand("export",
                                            "Export the model of a run to Hugging Face or GGUF, or measurements of a "
                                            "lab file's runs to TensorBoard or CSV");
    auto& flags = with_flags<Flags>(*verb, run);
    add_lab(*verb, flags.lab);
    verb->add_option("--format", flags.format,
                     "Format: tensorboard (event files, one folder per run) or csv (one table of all measurements)");
    verb->add_option("--output", flags.output,
                     "Folder (tensorboard) or file (csv) to write; - for standard output (csv)");
    verb->add_option("--hugging-face", flags.hugging_face,
                     "New folder for the model of a run, which Hugging Face transformers loads");
    verb->add_option("--gguf", flags.gguf, "File for the model of a run as GGUF in float16, which llama.cpp loads");
    add_repeated(
        *verb, "--run", flags.runs,
        "Number of a run to export; repeat the flag for several runs (default: all runs; of a model, the first "
        "run)");
    verb->add_flag("--force", flags.force,
                   "Allow a folder that is not empty (tensorboard), or overwrite the file (csv, --gguf)");
    add_json(*verb, flags.json, "Print the names of the written files as JSON");
}

}  // namespace ropelab::terminal
