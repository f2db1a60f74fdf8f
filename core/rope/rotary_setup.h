#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/rope/frequencies.h"
#include "core/rope/number_format.h"
#include "core/rope/rotation.h"
#include "core/spec/setting_key.h"

namespace ropelab {

/// Parameters of a rotary position embedding, and the parameters of the model that ALiBi, sinusoidal embeddings and
/// sliding windows need. All rotary pages of the window show one such setup.
struct RotarySetup {
    int head_dim = 64;
    double theta = 10000.0;
    double fraction = 1.0;
    Partial partial = Partial::slice;
    Pairing pairing = Pairing::half;
    /// Context length in tokens; also the current sequence length for scalings that depend on it.
    std::int64_t context = 1024;
    Scaling scaling = {};
    /// Number format in which the cos/sin table is stored.
    NumberFormat precision = NumberFormat::float32;
    /// Number of attention heads per layer. ALiBi has one slope per head, and heads · head_dim is the width of the
    /// model.
    std::int64_t heads = 8;
    /// Number of tokens that a token attends to, itself included (sliding-window attention); 0 means the whole context.
    std::int64_t attention_window = 0;

    bool operator==(const RotarySetup&) const = default;
};

/// Returns the parameters of a setup that frequencies() needs.
FrequencySettings frequency_settings(const RotarySetup& setup);
/// Returns the parameters of a setup that frequencies() needs, without scaling.
FrequencySettings plain_settings(const RotarySetup& setup);

/// Returns the rotary dimension d_r of a setup (formula 10).
int rotary_dim(const RotarySetup& setup);

/// A setting of a rotary setup.
using SetupKey = SettingKey<RotarySetup>;
/// Returns all settings, in the order of a line of text.
const std::vector<SetupKey>& setup_keys();
/// Returns the setting with a name, whose words may be joined by hyphens. Throws BadInput if there is none; the message
/// names the most similar one.
const SetupKey& setup_key(std::string_view name);

/// Throws BadInput if a value of the setup is outside the range of its key, if the head dimension is odd, or if
/// frequencies() refuses the scaling. The message is one sentence that names the value.
void check(const RotarySetup& setup);

/// Formats a setup as a line of text that can be copied and pasted: "theta=500k head_dim=128 fraction=25% context=8192
/// partial=truncate scaling=yarn factor=4". The first four settings always appear; the others (pairing, precision,
/// heads, attention_window and the members of Scaling) appear only if they differ from the default. parse_setup turns
/// the line into an equal setup, with bit-identical numbers.
std::string text_of(const RotarySetup& setup);
/// Parses a line that text_of(RotarySetup) returns. Settings that are not named have their default. Spaces, commas or
/// line breaks separate settings; semicolons separate the numbers of a list. Throws BadInput for an unknown setting
/// (the message names the most similar one), for a value that is not valid, for two setups, and if check() throws.
RotarySetup parse_setup(std::string_view text);

/// Returns the names of all settings of the line, in its order.
std::vector<std::string_view> setup_settings();
/// Stores one setting from its text, such as "theta" from "500k", and calls check(). Throws BadInput as parse_setup
/// does; the setup is then unchanged.
void set_setting(RotarySetup& setup, std::string_view name, std::string_view text);

/// One setup, or two setups A and B that are compared.
struct ComparedSetups {
    RotarySetup a;
    std::optional<RotarySetup> b = {};

    bool operator==(const ComparedSetups&) const = default;
};

/// Formats one or two setups as a line of text: "theta=10k … | B: theta=500k …". Without B it is the line of A.
std::string setups_text(const ComparedSetups& setups);
/// Parses a line that setups_text or text_of returns. "B:" may be omitted. Throws BadInput as
/// parse_setup does, and for more than two setups; the message of an invalid setup says whether it is A or B.
ComparedSetups parse_setups(std::string_view text);

}  // namespace ropelab
