#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/setting_key.h"
#include "core/rope/frequencies.h"
#include "core/rope/number_format.h"
#include "core/rope/rotation.h"

namespace ropelab {

/// With parameters for ALiBi, sinusoidal embeddings and sliding windows. All rotary pages show one such setup.
struct RotarySetup {
    int head_dim = 64;
    double theta = 10000.0;
    double fraction = 1.0;
    Partial partial = Partial::slice;
    Pairing pairing = Pairing::half;
    /// In tokens; also the current sequence length for scalings that depend on it.
    std::int64_t context = 1024;
    Scaling scaling = {};
    NumberFormat precision = NumberFormat::float32;
    /// Per layer. ALiBi has one slope per head, and heads · head_dim is the width of the model.
    std::int64_t heads = 8;
    /// Tokens that a token attends to, itself included; 0 means the whole context.
    std::int64_t attention_window = 0;

    bool operator==(const RotarySetup&) const = default;
};

/// Parameters for frequencies().
FrequencySettings frequency_settings(const RotarySetup& setup);
FrequencySettings plain_settings(const RotarySetup& setup);

/// d_r (formula 10).
int rotary_dim(const RotarySetup& setup);

using SetupKey = SettingKey<RotarySetup>;
/// In the order of a line of text.
const std::vector<SetupKey>& setup_keys();
/// Words may be joined by hyphens. Throws BadInput if there is none; the message names the most similar one.
const SetupKey& setup_key(std::string_view name);

/// Throws BadInput, naming the value, if it is out of range, head_dim is odd, or frequencies() refuses the scaling.
void check(const RotarySetup& setup);

/// "theta=500k head_dim=128 fraction=25% context=8192 partial=truncate scaling=yarn factor=4". The first four settings
/// always appear; the others (pairing, precision, heads, attention_window and the members of Scaling) appear only if
/// they differ from the default. parse_setup restores bit-identical numbers.
std::string text_of(const RotarySetup& setup);
/// Settings that are not named have their default. Spaces, commas or line breaks separate settings; semicolons separate
/// the numbers of a list. Throws BadInput for an unknown setting (the message names the most similar one), for a value
/// that is not valid, for two setups, and if check() throws.
RotarySetup parse_setup(std::string_view text);

std::vector<std::string_view> setup_settings();
/// "theta" from "500k". Calls check(); throws BadInput as parse_setup does, the setup is then unchanged.
void set_setting(RotarySetup& setup, std::string_view name, std::string_view text);

struct ComparedSetups {
    RotarySetup a;
    std::optional<RotarySetup> b = {};

    bool operator==(const ComparedSetups&) const = default;
};

/// "theta=10k … | B: theta=500k …"; without B the line of A.
std::string setups_text(const ComparedSetups& setups);
/// "B:" may be omitted. Throws BadInput as parse_setup, saying whether A or B is invalid, and for more than two setups.
ComparedSetups parse_setups(std::string_view text);

}  // namespace ropelab
