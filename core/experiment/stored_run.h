#pragma once

#include <nlohmann/json.hpp>

#include "core/experiment/experiment.h"
#include "core/store/lab_file.h"

namespace ropelab {

// What a lab file holds of a run's settings. Both throw BadInput where it is damaged.

/// As they stand there: flat JSON, with keys that a newer program may have written.
nlohmann::json stored_settings(const RunRecord& run);
/// As this program knows them.
RunSpec stored_spec(const RunRecord& run);

}  // namespace ropelab
