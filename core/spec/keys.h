#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/spec/numbers.h"
#include "core/spec/run_spec.h"
#include "core/spec/setting_key.h"

namespace ropelab {

/// A setting of an experiment. The fields of the window, the option --set, the lab file and `--help keys` all use the
/// table of keys that keys() returns.
using Key = SettingKey<RunSpec>;

/// Returns all settings, grouped, in the order in which the window and `--help keys` list them.
std::span<const Key> keys();
/// Returns the setting with the given name. Throws BadInput if there is none; the message names the most similar
/// setting.
const Key& key(std::string_view name);

/// Parses the text that a person types as the value of a setting, as parse_value(SettingFacts) does with the head
/// dimension of `spec`.
Value parse_value(const Key& key, std::string_view text, const RunSpec& spec);
/// Parses a rotary fraction that is written as "0.25", "25 %" or "6 ch" (6 of `head_dim` channels) and returns it as a
/// number from 0 to 1. Throws BadInput if the text is not such a fraction.
double parse_fraction(std::string_view text, int head_dim);

}  // namespace ropelab
