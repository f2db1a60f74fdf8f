#include "core/sweep/slurm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/data/known_sets.h"
#include "core/data/text_source.h"
#include "core/forecast/estimate.h"
#include "core/settings/run_names.h"
#include "core/store/output_file.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;

std::string lab_name(std::size_t task) {
    return "task-" + std::to_string(task) + ".ropelab";
}

// Letters, digits and hyphens, because the script has the name in a comment, where it cannot be quoted.
std::string job_name(const Experiment& experiment) {
    std::string name = "ropelab";
    for (const char c : experiment.name().empty() ? std::string() : "-" + experiment.name()) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (letter) {
            name += c;
        } else if (name.back() != '-') {
            name += '-';
        }
    }
    while (name.back() == '-') name.pop_back();
    return name;
}

// Absolute path of a file or folder, because jobs start in another working directory; names of data sets stay.
std::string data_from_anywhere(const std::string& data) {
    if (find_language(data) || find_known_set(data) != nullptr) return data;
    std::error_code error;
    return fs::is_regular_file(data, error) || fs::is_directory(data, error)
               ? fs::absolute(data).lexically_normal().string()
               : data;
}

Experiment with_absolute_paths(Experiment experiment) {
    if (experiment.is_set("data")) {
        std::vector<std::string> sets = experiment.values("data");
        for (std::string& data : sets) data = data_from_anywhere(data);
        experiment.set("data", std::move(sets));
    }
    const auto with_data_paths = [](std::vector<std::map<std::string, std::string>> sets) {
        for (auto& set : sets) {
            if (const auto data = set.find("data"); data != set.end()) data->second = data_from_anywhere(data->second);
        }
        return sets;
    };
    experiment.set_explicit_runs(with_data_paths(experiment.explicit_runs()));
    experiment.set_exclusions(with_data_paths(experiment.exclusions()));
    return experiment;
}

SlurmArray resources_of(const std::vector<RunSpec>& runs, const SlurmOptions& options) {
    constexpr double mega = 1e6;
    constexpr std::int64_t program_megabytes = 2048;   // the engine, the data and evaluations
    constexpr std::int64_t gpu_host_megabytes = 4096;  // additional host memory of CUDA
    SlurmArray array;
    array.runs = static_cast<int>(runs.size());
    std::int64_t bytes = 0;
    for (const auto& task : tasks_of(runs, options.runs_per_task)) {
        std::vector<RunSpec> members;
        members.reserve(task.size());
        for (const std::size_t index : task) members.push_back(runs[index]);
        const Estimate cost = estimate(members, *machine_time_model(), options.data_dir);
        ++array.tasks;
        array.estimated_seconds = std::max(array.estimated_seconds, cost.seconds);
        bytes = std::max(bytes, cost.bytes);
        array.cores = std::max(array.cores, members.front().threads);
        array.gpu = array.gpu || members.front().device == Device::cuda;
    }
    // The number of cores that estimate() assumes.
    if (array.cores == 0) array.cores = std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, 16);
    array.time = slurm_time(array.estimated_seconds);
    array.megabytes =
        program_megabytes + (array.gpu ? gpu_host_megabytes
                                       : static_cast<std::int64_t>(std::ceil(1.5 * static_cast<double>(bytes) / mega)));
    return array;
}

std::string variables(const SlurmOptions& options) {
    return "# Path of the program on every machine of the cluster.\nprogram=" +
           shell_quoted(fs::absolute(options.program).string()) + "\n";
}

std::string job_script(const std::string& name, const SlurmArray& array, const SlurmOptions& options) {
    const auto whole = [](std::int64_t value) { return std::to_string(value); };
    std::string script = "#!/bin/bash\n#SBATCH --job-name=" + name + "\n#SBATCH --array=0-" + whole(array.tasks - 1) +
                         "%" + whole(std::min<std::int64_t>(array.tasks, options.at_once)) +
                         "\n#SBATCH --cpus-per-task=" + whole(array.cores) +
                         "\n#SBATCH --mem=" + whole(array.megabytes) + "M\n#SBATCH --time=" + array.time + "\n";
    if (array.gpu) script += "#SBATCH --gres=gpu:1\n";
    script +=
        "#SBATCH --output=task-%a.log\n"
        "#SBATCH --open-mode=append\n"
        "#SBATCH --requeue\n"
        "\n";
    script += variables(options);
    if (!options.data_dir.empty()) {
        script += "# Folder that is searched first for known data sets.\ndata_dir=" +
                  shell_quoted(fs::absolute(options.data_dir).string()) + "\n";
    }
    script +=
        "\n"
        "set -euo pipefail\n"
        "export OMP_NUM_THREADS=\"${SLURM_CPUS_PER_TASK:-1}\"\n"
        "# One cohort, or a part of it, per task. exec lets Slurm's signal reach the program, which then writes its "
        "checkpoints.\n"
        "# --take-over is safe: a task that restarts on another machine has ended on the first.\n"
        "exec \"$program\" sweep --experiment experiment.json --cohort \"$SLURM_ARRAY_TASK_ID\"";
    if (options.runs_per_task > 0) script += " --runs-per-task " + whole(options.runs_per_task);
    script +=
        " \\\n"
        "    --lab \"task-$SLURM_ARRAY_TASK_ID.ropelab\" --resume --take-over";
    return script + (options.data_dir.empty() ? "\n" : " --data-dir \"$data_dir\"\n");
}

std::string merge_script(const std::string& name, const SlurmArray& array, const SlurmOptions& options) {
    return "#!/bin/bash\n#SBATCH --job-name=" + name +
           "-merge\n"
           "#SBATCH --cpus-per-task=1\n"
           "#SBATCH --mem=1024M\n"
           "#SBATCH --time=0-00:30:00\n"
           "#SBATCH --output=merge.log\n"
           "#SBATCH --open-mode=append\n"
           "\n" +
           variables(options) + "tasks=" + std::to_string(array.tasks) +
           "\n\n"
           "set -euo pipefail\n"
           "# The lab file of an earlier merge is renamed, because it may contain notes.\n"
           "for file in merged.ropelab*; do\n"
           "    [[ ! -e $file ]] || mv -- \"$file\" \"before-$SLURM_JOB_ID-$file\"\n"
           "done\n"
           "labs=()\n"
           "for ((task = 0; task < tasks; ++task)); do labs+=(\"task-$task.ropelab\"); done\n"
           "\"$program\" results --lab merged.ropelab --merge \"${labs[@]}\"\n";
}

std::string submit_script() {
    return "#!/bin/bash\n"
           "# submit.sh [OPTION OF sbatch…]: submits the job array and the job that merges its labs. Submit again\n"
           "# after all jobs have ended to resume unfinished tasks from their checkpoints; finished runs are not\n"
           "# repeated.\n"
           "set -euo pipefail\n"
           "command -v sbatch >/dev/null || { echo 'The command sbatch was not found; run this script where Slurm jobs "
           "are submitted.' >&2; "
           "exit 1; }\n"
           "cd \"$(dirname \"${BASH_SOURCE[0]}\")\"\n"
           "array=$(sbatch --parsable \"$@\" job.sbatch)\n"
           "array=${array%%;*} # the name of the cluster may follow\n"
           "merge=$(sbatch --parsable \"$@\" --dependency=\"afterany:$array\" merge.sbatch)\n"
           "echo \"Job $array trains; job ${merge%%;*} then merges the labs into merged.ropelab.\"\n";
}

void make_folder(const fs::path& folder) {
    std::error_code error;
    if (fs::exists(folder, error) && !(fs::is_directory(folder, error) && fs::is_empty(folder, error))) {
        throw BadInput(folder.string() +
                       " exists already and is not an empty folder; name another folder for the job array.");
    }
    fs::create_directories(folder, error);
    if (error) throw_file_error("The folder " + folder.string(), "created", error.value());
}

// Copies of the first lab, because experiments only merge if they are identical, including the start time.
void make_labs(const fs::path& folder, const Experiment& experiment, const std::vector<RunSpec>& runs,
               std::int64_t runs_per_task) {
    const auto tasks = tasks_of(runs, runs_per_task);
    const std::vector<std::string> names =
        run_names(runs);  // unique over all tasks, so that they stay valid after merging
    auto first = LabFile::create(folder / lab_name(0));
    const std::int64_t id = first->add_experiment(experiment.name(), experiment.to_json().dump());
    first->settle_in_one_file();
    first.reset();
    for (std::size_t task = 1; task < tasks.size(); ++task) {
        fs::copy_file(folder / lab_name(0), folder / lab_name(task));
    }
    // Each lab waits for the disk several times, so that many are written at once.
    constexpr std::size_t at_once = 32;
    const auto fill = [&](std::size_t from) {
        for (std::size_t task = from; task < tasks.size(); task += at_once) {
            const auto lab = LabFile::open(folder / lab_name(task));
            lab->in_one_transaction([&] {
                for (const std::size_t index : tasks[task]) lab->add_run(id, names[index], to_json(runs[index]).dump());
            });
        }
    };
    std::vector<std::future<void>> writers;
    for (std::size_t from = 0; from < std::min(at_once, tasks.size()); ++from) {
        writers.push_back(std::async(std::launch::async, fill, from));
    }
    for (std::future<void>& writer : writers) writer.get();
}

}  // namespace

std::vector<std::vector<std::size_t>> tasks_of(const std::vector<RunSpec>& runs, std::int64_t runs_per_task) {
    if (runs_per_task < 0) {
        throw BadInput("The number of runs per task is " + std::to_string(runs_per_task) +
                       ", but it must be 1 or more.");
    }
    std::vector<std::vector<std::size_t>> tasks;
    for (const auto& cohort : group_into_cohorts(runs)) {
        const std::size_t most = runs_per_task > 0 ? static_cast<std::size_t>(runs_per_task) : cohort.size();
        const std::size_t parts = (cohort.size() + most - 1) / most;
        for (std::size_t part = 0; part < parts; ++part) {
            tasks.emplace_back(cohort.begin() + static_cast<std::ptrdiff_t>(part * cohort.size() / parts),
                               cohort.begin() + static_cast<std::ptrdiff_t>((part + 1) * cohort.size() / parts));
        }
    }
    return tasks;
}

std::vector<std::size_t> indices_of_cohort(const std::vector<RunSpec>& runs, std::int64_t cohort,
                                           std::int64_t runs_per_task) {
    auto cohorts = tasks_of(runs, runs_per_task);
    const auto count = static_cast<std::int64_t>(cohorts.size());
    if (cohort < 0 || cohort >= count) {
        throw BadInput("There is no cohort (runs trained as one batch) with the number " + std::to_string(cohort) +
                       ": this experiment has " +
                       (count == 1 ? "one, number 0." : "cohorts 0 to " + std::to_string(count - 1) + "."));
    }
    return std::move(cohorts[static_cast<std::size_t>(cohort)]);
}

Plan plan_new_cohort(LabFile& lab, const Experiment& experiment, std::int64_t cohort, std::int64_t runs_per_task,
                     const StoreMore& more) {
    return plan_new_runs(lab, experiment, indices_of_cohort(experiment.expand(), cohort, runs_per_task), more);
}

void check_contains_cohort(const LabFile& lab, const Experiment& experiment, std::int64_t cohort,
                           std::int64_t runs_per_task) {
    std::vector<RunSpec> stored, members;
    for (const RunRecord& run : lab.runs()) stored.push_back(stored_spec(run));
    const std::vector<RunSpec> runs = experiment.expand();
    for (const std::size_t place : indices_of_cohort(runs, cohort, runs_per_task)) members.push_back(runs[place]);
    if (stored != members) {
        throw BadInput("The lab file " + lab.path().string() + " contains other runs than cohort (batch of runs) " +
                       std::to_string(cohort) + " of the experiment; name the lab file of that cohort.");
    }
}

SettlePrecision settle_precision_in_file(const fs::path& file, const Experiment& experiment) {
    const auto read = [file, description = experiment.to_json()]() -> std::optional<ExperimentPrecision> {
        std::ifstream stream(file);
        const auto json = parse_bounded(std::string(std::istreambuf_iterator<char>(stream), {}), nullptr, false);
        if (!json.is_object() || json.value("experiment", nlohmann::json()) != description) return std::nullopt;
        const bool rounds = json.value("precision", "") == "bfloat16";
        return ExperimentPrecision{rounds ? Precision::bfloat16 : Precision::float32, json.value("reason", "")};
    };
    return [file, read, description = experiment.to_json()](const PlannedRun&,
                                                            const std::optional<ExperimentPrecision>& measured) {
        auto settled = read();
        if (settled || !measured) return settled;
        const nlohmann::json json = {{"experiment", description},
                                     {"precision", measured->precision == Precision::bfloat16 ? "bfloat16" : "float32"},
                                     {"reason", measured->reason}};
        const fs::path temporary = temporary_beside(file);
        std::error_code error;
        try {
            write_output(temporary, json.dump(2) + "\n");
            // A link is created only if there is no such file, also on a network file system: the first task decides.
            fs::create_hard_link(temporary, file, error);
        } catch (const std::exception&) {  // the folder cannot be written
        }
        fs::remove(temporary, error);
        settled = read();
        return settled ? settled : measured;
    };
}

std::string slurm_time(double estimated_seconds) {
    constexpr std::int64_t step = 300;
    const auto seconds = static_cast<std::int64_t>(std::ceil(3.0 * estimated_seconds)) + step;
    const std::int64_t limit = (seconds + step - 1) / step * step;
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%lld-%02lld:%02lld:00", static_cast<long long>(limit / 86400),
                  static_cast<long long>(limit % 86400 / 3600), static_cast<long long>(limit % 3600 / 60));
    return text.data();
}

std::string shell_quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

SlurmArray write_slurm_array(const Experiment& described, const SlurmOptions& options) {
    if (options.at_once < 1) {
        throw BadInput("The maximum number of parallel tasks is " + std::to_string(options.at_once) +
                       ", but it must be 1 or more.");
    }
    const Experiment experiment = with_absolute_paths(described);
    const std::vector<RunSpec> runs = experiment.expand();
    SlurmArray array = resources_of(runs, options);
    make_folder(options.folder);
    write_output(options.folder / "experiment.json", experiment.to_json().dump(2) + "\n");
    make_labs(options.folder, experiment, runs, options.runs_per_task);
    const std::string name = job_name(experiment);
    write_output(options.folder / "job.sbatch", job_script(name, array, options));
    write_output(options.folder / "merge.sbatch", merge_script(name, array, options));
    write_output(options.folder / "submit.sh", submit_script());
    fs::permissions(options.folder / "submit.sh",
                    fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
    return array;
}

}  // namespace ropelab
