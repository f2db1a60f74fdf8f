#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/numbers.h"
#include "core/base/setting_key.h"
#include "core/settings/run_spec.h"

namespace ropelab {

/// The window's fields, the option --set, the lab file and `--help keys` all use the table that keys() returns.
using Key = SettingKey<RunSpec>;

/// In the order in which the window and `--help keys` list them.
std::span<const Key> keys();
/// Throws BadInput if there is none; the message names the most similar setting.
const Key& key(std::string_view name);
/// False for the settings of evaluation, in the table of settings.
bool changes_training(std::string_view key);

/// parse_value(SettingFacts) with the head dimension of `spec`.
Value parse_value(const Key& key, std::string_view text, const RunSpec& spec);
/// Parses "0.25", "25 %" or "6 ch" (6 of `head_dim` channels). Throws BadInput for any other text.
double parse_fraction(std::string_view text, int head_dim);

}  // namespace ropelab
