#include "app/terminal/runs/trained_run.h"

#include <filesystem>

#include "core/spec/error.h"
#include "core/store/lab_file.h"

namespace ropelab::terminal {

namespace {

std::filesystem::path checkpoint_path(const TrainedRunFlags& flags) {
    if (!flags.checkpoint.empty()) return flags.checkpoint;
    if (flags.lab.empty())
        throw BadInput(
            "The run is missing: give a lab with --lab (and --run), or a checkpoint file with --checkpoint.");
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    const auto runs = lab->runs();
    if (runs.empty()) throw BadInput("The lab " + flags.lab + " has no runs.");
    return lab->checkpoint_path(flags.run == 0 ? runs.front().id : lab->run(flags.run).id);
}

}  // namespace

void TrainedRunFlags::add_to(CLI::App& verb) {
    verb.add_option("--lab", lab, "Lab file");
    verb.add_option("--run", run, "Number of the run in the lab (default: the first run)");
    verb.add_option("--checkpoint", checkpoint, "Checkpoint file, instead of --lab and --run");
}

Checkpoint TrainedRunFlags::read() const {
    const auto path = checkpoint_path(*this);
    auto result = read_checkpoint(path);
    if (!result)
        throw BadInput("There is no checkpoint " + path.string() + "; it is written at the run's first evaluation.");
    return *std::move(result);
}

}  // namespace ropelab::terminal
