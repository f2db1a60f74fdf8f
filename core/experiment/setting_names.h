#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/settings/run_spec.h"
#include "core/store/lab_file.h"

namespace ropelab {

// A setting is what all runs that differ only in their seed have in common.

/// Settings without seed, as JSON text. Runs with equal texts have the same setting.
std::string setting_key(const RunSpec& run);
/// Of an imported run, all its settings, also those that RoPE Lab does not know. Throws BadInput if they are damaged.
std::string setting_key(const RunRecord& run);
/// The look may have the spelling of an earlier version; nullopt if it is damaged.
std::optional<std::string> setting_key(const SettingLook& look);
std::map<std::string, std::string> setting_names(const LabFile& lab);

/// For lists and figures: the name of its setting with the seed, if the run's own name has a seed. A run that the user
/// renamed, and a run of a setting without a name (`setting` is ""), keeps its own name.
std::string shown_run_name(const std::string& setting, const std::string& run, const RunSpec& spec);

}  // namespace ropelab
