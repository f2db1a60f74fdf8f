#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/spec/numbers.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Value of a setting. The value of an enumeration is the word that stands for it, as a string.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// Describes one setting of an experiment: its name, unit, help text and range. The fields of the window, the option
/// --set, the lab file and `--help keys` all use the table of settings that keys() returns.
struct Key {
    std::string_view name;
    std::string_view group;                 // "data", "model", "training", "evaluation" or "machine"
    std::string_view unit;                  // "" if the value has no unit
    std::string_view meaning;               // help text: one to three sentences
    std::vector<std::string_view> choices;  // allowed words of an enumeration, else empty
    double minimum;                         // smallest number allowed (inclusive)
    double maximum;                         // largest number allowed (inclusive)
    /// Returns the value of this setting in a RunSpec.
    std::function<Value(const RunSpec&)> get;
    /// Stores a value of this setting in a RunSpec. Throws BadInput if the value has the wrong type, is outside the
    /// range or is not one of the choices.
    std::function<void(RunSpec&, const Value&)> set;
};

/// Returns all settings, grouped, in the order in which the window and `--help keys` list them.
std::span<const Key> keys();
/// Returns the setting with the given name. Throws BadInput if there is none; the message names the most similar
/// setting.
const Key& key(std::string_view name);

/// Parses the text that a person types as the value of a setting. Numbers may be written as "1e6", "10k" or "2M", and
/// `fraction` also as "25 %" or "6 ch" (6 channels of the head dimension of `spec`). Throws BadInput if the text is not
/// a number where the setting needs one.
Value parse_value(const Key& key, std::string_view text, const RunSpec& spec);
/// Parses a rotary fraction that is written as "0.25", "25 %" or "6 ch" (6 of `head_dim` channels) and returns it as a
/// number from 0 to 1. Throws BadInput if the text is not such a fraction.
double parse_fraction(std::string_view text, int head_dim);
/// Formats a value as text in the C locale: 10000 as "10000", 0.25 as "0.25", true as "true".
std::string to_text(const Value& value);

}  // namespace ropelab
