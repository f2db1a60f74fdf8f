#include "core/rope/rotary_setup.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

constexpr int max_head_dim = 4096;
constexpr double max_theta = 1e15;
constexpr std::int64_t max_context = std::int64_t{1} << 30;
constexpr std::int64_t max_heads = 65536;
constexpr char between_setups = '|';
constexpr std::string_view setting_separators = " ,\t\r\n";

/// Formats a number with the suffix k or M ("500k") if this is shorter and exact, otherwise with all digits.
std::string compact(double value) {
    std::string digits = number_text(value);
    std::string text = short_number(value);
    return text.size() < digits.size() && parse_number(text) == value ? text : digits;
}

std::string percentage(double fraction) {
    const std::string text = percent_text(fraction);
    return parse_number(text) / 100.0 == fraction ? text + "%" : number_text(fraction);
}

double parse_percentage(std::string_view text) {
    if (text.ends_with('%')) return parse_number(text.substr(0, text.size() - 1)) / 100.0;
    return parse_number(text);
}

std::int64_t parse_whole(std::string_view text) {
    const double value = parse_number(text);
    if (value != std::trunc(value) || std::abs(value) > 1e15) {
        throw BadInput("\"" + std::string(text) + "\" must be a whole number, such as 4096.");
    }
    return static_cast<std::int64_t>(value);
}

void check_head_dim(std::int64_t value) {
    if (value < 2 || value > max_head_dim || value % 2 != 0) {
        throw BadInput("The head dimension is " + std::to_string(value) + ", but it must be even and between 2 and " +
                       std::to_string(max_head_dim) + ".");
    }
}

int parse_head_dim(std::string_view text) {
    const std::int64_t value = parse_whole(text);
    check_head_dim(value);
    return static_cast<int>(value);
}

bool parse_yes(std::string_view text) {
    if (text == "yes" || text == "no") return text == "yes";
    throw BadInput("\"" + std::string(text) + "\" must be yes or no.");
}

/// Returns the value of the one of two words that `text` is. Throws BadInput if it is neither.
template <typename T>
T choose(std::string_view text, std::string_view first, T first_value, std::string_view second, T second_value) {
    if (text == first) return first_value;
    if (text == second) return second_value;
    throw BadInput("\"" + std::string(text) + "\" must be " + std::string(first) + " or " + std::string(second) + ".");
}

std::string list_text(const std::vector<double>& numbers) {
    std::string text;
    for (double number : numbers) text += (text.empty() ? "" : ";") + number_text(number);
    return text;
}

std::vector<double> parse_list(std::string_view text) {
    std::vector<double> numbers;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(';', start), text.size());
        numbers.push_back(parse_number(text.substr(start, end - start)));
        start = end + 1;
    }
    return numbers;
}

/// Setting in the text form of a rotary setup: `always` is true if text_of always includes it, `text` formats its
/// value, and `parse` stores a value from text.
struct SetupKey {
    std::string_view name;
    bool always;
    std::function<std::string(const RotarySetup&)> text;
    std::function<void(RotarySetup&, std::string_view)> parse;
};

SetupKey number_key(std::string_view name, double Scaling::*member) {
    return {name, false, [member](const RotarySetup& setup) { return compact(setup.scaling.*member); },
            [member](RotarySetup& setup, std::string_view text) { setup.scaling.*member = parse_number(text); }};
}

/// Makes a setting that may have no value. No value is the default and is formatted as an empty text, so text_of omits
/// it.
SetupKey optional_key(std::string_view name, std::optional<double> Scaling::*member) {
    return {name, false,
            [member](const RotarySetup& setup) {
                return setup.scaling.*member ? compact(*(setup.scaling.*member)) : std::string();
            },
            [member](RotarySetup& setup, std::string_view text) { setup.scaling.*member = parse_number(text); }};
}

SetupKey list_key(std::string_view name, std::vector<double> Scaling::*member) {
    return {name, false, [member](const RotarySetup& setup) { return list_text(setup.scaling.*member); },
            [member](RotarySetup& setup, std::string_view text) { setup.scaling.*member = parse_list(text); }};
}

const std::vector<SetupKey>& setup_keys() {
    using S = const RotarySetup&;
    using T = std::string_view;
    static const std::vector<SetupKey> all = {
        {"theta", true, [](S s) { return compact(s.theta); }, [](RotarySetup& s, T t) { s.theta = parse_number(t); }},
        {"head_dim", true, [](S s) { return std::to_string(s.head_dim); },
         [](RotarySetup& s, T t) { s.head_dim = parse_head_dim(t); }},
        {"fraction", true, [](S s) { return percentage(s.fraction); },
         [](RotarySetup& s, T t) { s.fraction = parse_percentage(t); }},
        {"context", true, [](S s) { return std::to_string(s.context); },
         [](RotarySetup& s, T t) { s.context = parse_whole(t); }},
        {"partial", false, [](S s) { return std::string(s.partial == Partial::slice ? "slice" : "truncate"); },
         [](RotarySetup& s, T t) { s.partial = choose(t, "slice", Partial::slice, "truncate", Partial::truncate); }},
        {"pairing", false, [](S s) { return std::string(s.pairing == Pairing::half ? "half" : "interleaved"); },
         [](RotarySetup& s, T t) {
             s.pairing = choose(t, "half", Pairing::half, "interleaved", Pairing::interleaved);
         }},
        {"precision", false, [](S s) { return std::string(word_of(s.precision)); },
         [](RotarySetup& s, T t) { s.precision = parse_number_format(t); }},
        {"heads", false, [](S s) { return std::to_string(s.heads); },
         [](RotarySetup& s, T t) { s.heads = parse_whole(t); }},
        {"attention_window", false, [](S s) { return std::to_string(s.attention_window); },
         [](RotarySetup& s, T t) { s.attention_window = parse_whole(t); }},
        {"scaling", false, [](S s) { return std::string(word_of(s.scaling.method)); },
         [](RotarySetup& s, T t) { s.scaling.method = parse_scaling(t); }},
        number_key("factor", &Scaling::factor),
        number_key("original_context", &Scaling::original_context),
        number_key("beta_fast", &Scaling::beta_fast),
        number_key("beta_slow", &Scaling::beta_slow),
        {"truncate", false, [](S s) { return std::string(s.scaling.truncate ? "yes" : "no"); },
         [](RotarySetup& s, T t) { s.scaling.truncate = parse_yes(t); }},
        number_key("low_freq_factor", &Scaling::low_freq_factor),
        number_key("high_freq_factor", &Scaling::high_freq_factor),
        optional_key("attention_factor", &Scaling::attention_factor),
        optional_key("mscale", &Scaling::mscale),
        optional_key("mscale_all_dim", &Scaling::mscale_all_dim),
        list_key("short_factors", &Scaling::short_factors),
        list_key("long_factors", &Scaling::long_factors),
    };
    return all;
}

const SetupKey& find_key(std::string_view name) {
    std::string wanted(name);
    std::ranges::replace(wanted, '-', '_');  // options of the command line are spelled with hyphens
    std::vector<std::string_view> known;
    for (const SetupKey& key : setup_keys()) {
        if (key.name == wanted) return key;
        known.push_back(key.name);
    }
    throw BadInput("\"" + std::string(name) + "\" is not a setting of a rotary setup; did you mean \"" +
                   nearest(wanted, known) + "\"?");
}

void store_value(RotarySetup& setup, const SetupKey& key, std::string_view text) {
    try {
        key.parse(setup, text);
    } catch (const BadInput& error) {
        throw BadInput("The setting " + std::string(key.name) + " is not valid: " + error.what());
    }
}

// Parses one entry "name=value" and stores the value. `seen` holds the settings of the entries before.
void parse_entry(RotarySetup& setup, std::string_view entry, std::vector<const SetupKey*>& seen) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) {
        throw BadInput("\"" + std::string(entry) + "\" has no value; write settings like theta=10k or fraction=25%.");
    }
    const SetupKey& key = find_key(entry.substr(0, equals));
    if (std::ranges::find(seen, &key) != seen.end()) {
        throw BadInput("The rotary setup has the setting " + std::string(key.name) + " twice; give it only once.");
    }
    seen.push_back(&key);
    store_value(setup, key, entry.substr(equals + 1));
}

/// Returns a text without "A:" or "B:" in front of its settings.
std::string_view without_letter(std::string_view text, char letter) {
    const std::size_t start = text.find_first_not_of(setting_separators);
    const bool has_letter = start != std::string_view::npos && text.substr(start).starts_with(std::string{letter, ':'});
    return has_letter ? text.substr(start + 2) : text;
}

RotarySetup parse_compared(std::string_view text, char letter) {
    try {
        return parse_setup(without_letter(text, letter));
    } catch (const BadInput& error) {
        throw BadInput(std::string("Setup ") + letter + ": " + error.what());
    }
}

}  // namespace

FrequencySettings plain_settings(const RotarySetup& setup) {
    const auto context = static_cast<double>(setup.context);
    return {.head_dim = setup.head_dim,
            .theta = setup.theta,
            .fraction = setup.fraction,
            .partial = setup.partial,
            .scaling = {},
            .context = context,
            .length = context};
}

FrequencySettings frequency_settings(const RotarySetup& setup) {
    FrequencySettings settings = plain_settings(setup);
    settings.scaling = setup.scaling;
    return settings;
}

int rotary_dim(const RotarySetup& setup) {
    return rotary_dim(setup.head_dim, setup.fraction);
}

void check(const RotarySetup& setup) {
    check_head_dim(setup.head_dim);
    if (setup.theta > max_theta) {
        throw BadInput("The RoPE base theta is " + number_text(setup.theta) + ", but it must be at most 1e15.");
    }
    if (setup.context < 1 || setup.context > max_context) {
        throw BadInput("The context is " + std::to_string(setup.context) + " tokens, but it must be between 1 and " +
                       std::to_string(max_context) + ".");
    }
    if (setup.heads < 1 || setup.heads > max_heads) {
        throw BadInput("The number of heads is " + std::to_string(setup.heads) + ", but it must be between 1 and " +
                       std::to_string(max_heads) + ".");
    }
    if (setup.attention_window < 0 || setup.attention_window > max_context) {
        throw BadInput("The attention window is " + std::to_string(setup.attention_window) +
                       " tokens, but it must be between 0 (the whole context) and " + std::to_string(max_context) +
                       ".");
    }
    frequencies(frequency_settings(setup));
}

std::string text_of(const RotarySetup& setup) {
    const RotarySetup standard;
    std::string text;
    for (const SetupKey& key : setup_keys()) {
        const std::string value = key.text(setup);
        if (!key.always && value == key.text(standard)) continue;
        text += (text.empty() ? "" : " ") + std::string(key.name) + "=" + value;
    }
    return text;
}

RotarySetup parse_setup(std::string_view text) {
    if (text.find(between_setups) != std::string_view::npos) {
        throw BadInput(
            "The text contains two setups, separated by \"|\", but only one setup can be used here; remove \"|\" and "
            "the setup before or after it.");
    }
    RotarySetup setup;
    std::vector<const SetupKey*> seen;
    for (std::size_t start = text.find_first_not_of(setting_separators); start != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(setting_separators, start), text.size());
        parse_entry(setup, text.substr(start, end - start), seen);
        start = text.find_first_not_of(setting_separators, end);
    }
    check(setup);
    return setup;
}

std::vector<std::string_view> setup_settings() {
    std::vector<std::string_view> names;
    for (const SetupKey& key : setup_keys()) names.push_back(key.name);
    return names;
}

void set_setting(RotarySetup& setup, std::string_view name, std::string_view text) {
    RotarySetup changed = setup;
    store_value(changed, find_key(name), text);
    check(changed);
    setup = std::move(changed);
}

std::string setups_text(const ComparedSetups& setups) {
    return setups.b ? text_of(setups.a) + " | B: " + text_of(*setups.b) : text_of(setups.a);
}

ComparedSetups parse_setups(std::string_view text) {
    const std::size_t bar = text.find(between_setups);
    if (bar == std::string_view::npos) return {parse_setup(without_letter(text, 'A')), {}};
    const std::string_view rest = text.substr(bar + 1);
    if (rest.find(between_setups) != std::string_view::npos) {
        throw BadInput("The text contains more than two setups; at most two, A and B, can be compared.");
    }
    return {parse_compared(text.substr(0, bar), 'A'), parse_compared(rest, 'B')};
}

}  // namespace ropelab
