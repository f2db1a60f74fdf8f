#include "core/sweep/stored_run.h"

#include "core/data/json_text.h"
#include "core/spec/error.h"
#include "core/store/run_settings.h"

namespace ropelab {

nlohmann::json stored_settings(const RunRecord& run) {
    nlohmann::json settings = parse_bounded(run.settings, nullptr, false);
    if (settings.is_object()) return current_settings(settings);
    throw BadInput("The settings of run " + std::to_string(run.id) + ", \"" + run.name +
                   "\", are damaged in the lab file: they are not a JSON object. Restore the file from a backup.");
}

RunSpec stored_spec(const RunRecord& run) {
    return run_spec_from_json(stored_settings(run));
}

}  // namespace ropelab
