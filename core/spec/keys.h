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

/// The value of a key. Choices are their words.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// One key of the experiment description: the window's fields, the terminal's --set, the lab file and --help keys all
/// read this table.
struct Key {
    std::string_view name;
    std::string_view group;  // "data", "model", "training", "evaluation" or "machine"
    std::string_view unit;   // "" where it has none
    std::string_view meaning;
    std::vector<std::string_view> choices;  // of a key whose values are words; else empty
    double minimum;                         // of a number; inclusive
    double maximum;
    std::function<Value(const RunSpec&)> get;
    /// Throws BadInput for a value of the wrong kind, outside the range or not among the choices.
    std::function<void(RunSpec&, const Value&)> set;
};

/// Every key, in the order in which people meet them.
std::span<const Key> keys();
/// Throws BadInput, naming the nearest known key, for an unknown one.
const Key& key(std::string_view name);

/// What a person types for a key, as a value: numbers also as "1e6", "10k", "2M"; for `fraction` also "25 %" and
/// "6 ch" (channels of the spec's head dimension). Throws BadInput.
Value parse_value(const Key& key, std::string_view text, const RunSpec& spec);
/// A fraction as typed: "0.25", "25 %", "6 ch" of `head_dim` channels. Throws BadInput.
double parse_fraction(std::string_view text, int head_dim);
/// A value as people read it, in the C locale: 10000 as "10000", 0.25 as "0.25", true as "true".
std::string to_text(const Value& value);

}  // namespace ropelab
