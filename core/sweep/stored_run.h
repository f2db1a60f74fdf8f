#pragma once

#include <nlohmann/json.hpp>

#include "core/experiment/experiment.h"
#include "core/store/lab_file.h"

namespace ropelab {

// The settings of a run in a lab file. Both functions throw BadInput if they are damaged.

/// Returns the stored settings as flat JSON. They may contain keys of a newer version of RoPE Lab.
nlohmann::json stored_settings(const RunRecord& run);
/// Returns the stored settings as a RunSpec; unknown keys are ignored.
RunSpec stored_spec(const RunRecord& run);

}  // namespace ropelab
