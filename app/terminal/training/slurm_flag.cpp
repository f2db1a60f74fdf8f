#include "app/terminal/training/slurm_flag.h"

#include "app/terminal/output.h"
#include "core/data/corpus.h"
#include "core/sweep/slurm.h"

namespace ropelab::terminal {

void write_slurm(const Experiment& experiment, const SlurmFlags& flags, const std::string& data_dir, bool as_json) {
    for (const RunSpec& spec : experiment.expand())
        open_corpus(spec, data_dir);  // reports bad data now rather than in a queued job
    const SlurmArray array = write_slurm_array(
        experiment, {flags.folder, std::filesystem::read_symlink("/proc/self/exe"), data_dir, flags.at_once});
    if (as_json) {
        return print_json({{"folder", flags.folder},
                           {"tasks", array.tasks},
                           {"runs", array.runs},
                           {"estimated_seconds", array.estimated_seconds},
                           {"time", array.time},
                           {"memory_megabytes", array.megabytes},
                           {"cores", array.cores},
                           {"gpu", array.gpu}});
    }
    print_text("Wrote " + counted(array.tasks, "task") + " with " + counted(array.runs, "run") +
               " in all; each task requests " + counted(array.cores, "core") + ", " + std::to_string(array.megabytes) +
               " MB, " + (array.gpu ? "one GPU, " : "") + "and " + array.time +
               " (days-hours:minutes:seconds).\nSubmit the job array with " + flags.folder + "/submit.sh.\n");
}

}  // namespace ropelab::terminal
