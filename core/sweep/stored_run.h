#pragma once

#include <nlohmann/json.hpp>

#include "core/run/checkpoint.h"
#include "core/store/lab_file.h"

namespace ropelab {

// The functions throw BadInput if stored settings are damaged.

/// Flat; may contain keys of a newer version of RoPE Lab.
nlohmann::json stored_settings(const RunRecord& run);
/// Without those that have their defaults: a run has eighty, and labs have thousands of runs.
nlohmann::json changed_settings(const RunRecord& run);
/// Whether another program trained it (imported_setting).
bool is_imported(const RunRecord& run);
/// Why what needs the model of an imported run is not possible: one sentence.
std::string no_model_words(const std::string& run_name);
/// Unknown keys are ignored.
RunSpec stored_spec(const RunRecord& run);
/// The file may not exist. The path is empty for an imported run.
RunCheckpoint run_checkpoint(const LabFile& lab, const RunRecord& run);

}  // namespace ropelab
