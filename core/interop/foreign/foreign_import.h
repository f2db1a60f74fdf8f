#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/interop/foreign/foreign_run.h"
#include "core/store/lab_file.h"
#include "core/table/table.h"

namespace ropelab {

/// In the order in which a file is tested for them.
std::span<const ForeignFormat* const> foreign_formats();
/// "TensorBoard (event files, in folders), wandb (…), …".
std::string foreign_format_words();
/// Whether a file is of one of the formats; true for a folder, which is not searched here.
bool may_be_foreign(const std::filesystem::path& path);

/// Names of the metrics that become the losses of the lab; "" to find them by their usual names.
struct ForeignLosses {
    std::string training;
    std::string validation;
};

/// A run to be imported. Of points of one metric with equal steps, such as after a restart, the last one counts.
struct PlannedImport {
    std::string program;
    std::string name;
    std::filesystem::path source;
    nlohmann::json config;  // as logged
    nlohmann::json
        settings;  // of the run in the lab: imported_setting, seed, what was recognized, the rest of `config`
    std::optional<std::int64_t> seed;           // nullopt if neither name nor config has one
    std::string training, validation;           // names of the metrics that became the losses; "" if there are none
    RunMetrics metrics;                         // steps and evaluations
    std::map<std::string, double> last_values;  // of the other metrics
    std::vector<std::string> notes;
    std::int64_t last_step = 0;  // of the other metrics
};

struct ImportPlan {
    std::vector<PlannedImport> runs;  // in the order of their names
    std::vector<std::string> notes;   // on all runs
};

/// Files and folders, which are searched; links inside folders are not followed. Throws BadInput if a file is of no
/// known format, a folder has none, no run has numbers, a metric of `losses` does not exist, there are more than 20
/// million points, or `cancelled` returns true.
ImportPlan plan_import(std::span<const std::filesystem::path> paths, const ForeignLosses& losses = {},
                       const std::function<bool()>& cancelled = nullptr);

/// In one transaction, as finished runs of a new experiment. Returns its number.
std::int64_t store_import(LabFile& lab, const ImportPlan& plan);

/// For people: the settings in which the runs differ, seed and losses of each; below it the shared settings and notes.
Table import_table(const ImportPlan& plan);
std::string import_notes(const ImportPlan& plan);
nlohmann::json import_json(const ImportPlan& plan);

}  // namespace ropelab
