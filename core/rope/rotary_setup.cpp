#include "core/rope/rotary_setup.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

constexpr std::int64_t max_context = std::int64_t{1} << 30;
constexpr char between_setups = '|';
constexpr std::string_view setting_separators = " ,\t\r\n";

/// With the suffix k or M ("500k") if this is shorter and exact, otherwise with all digits.
std::string compact(double value) {
    std::string digits = number_text(value);
    std::string text = short_number(value);
    return text.size() < digits.size() && parse_number(text) == value ? text : digits;
}

std::string percentage(double fraction) {
    const std::string text = percent_text(fraction);
    return parse_number(text) / 100.0 == fraction ? text + "%" : number_text(fraction);
}

// In a line of text; "" for a number that is not set.
std::string line_text(const SetupKey& key, const Value& value) {
    using Kind = SettingFacts::Kind;
    if (key.kind == Kind::flag) return std::get<bool>(value) ? "yes" : "no";
    if (const auto* number = std::get_if<double>(&value)) {
        return key.kind == Kind::fraction ? percentage(*number) : compact(*number);
    }
    return to_text(value);
}

template <typename Enum, typename Values>
std::vector<ChoiceOf<Enum>> words_of(const Values& values) {
    std::vector<ChoiceOf<Enum>> words;
    for (const Enum value : values) words.push_back({word_of(value), value});
    return words;
}

std::function<bool(const RotarySetup&)> scaled_by(std::vector<ScalingMethod> methods) {
    return [methods = std::move(methods)](const RotarySetup& setup) {
        return std::ranges::find(methods, setup.scaling.method) != methods.end();
    };
}

// Only these methods use the number.
template <typename Number>
SetupKey scaling_number(SettingFacts facts, Number Scaling::*number, std::vector<ScalingMethod> methods) {
    const auto member = [number](auto& setup) -> auto& {
        return setup.scaling.*number;
    };
    if constexpr (std::is_same_v<Number, double>) {
        return number_key<RotarySetup>(std::move(facts), member).when(scaled_by(std::move(methods)));
    } else {
        return optional_number_key<RotarySetup>(std::move(facts), member).when(scaled_by(std::move(methods)));
    }
}

std::vector<SetupKey> make_setup_keys() {
    using S = RotarySetup;
    using enum ScalingMethod;
    std::vector<ChoiceOf<ScalingMethod>> methods;
    for (const ScalingName& name : scaling_names()) methods.push_back({name.word, name.method, name.title});
    return {
        number_key<S>(
            {"theta", "", "", "RoPE base θ. Pair i of a head with d channels rotates by θ^(−2i/d) radians per token.",
             1.0001, unlimited},
            &S::theta),
        number_key<S>(
            {"head_dim", "", "channels", "Head dimension d: channels per attention head. It must be even.", 2, 4096},
            &S::head_dim),
        number_key<S>({"fraction",
                       "",
                       "",
                       "Rotated fraction of each head (partial rotary factor), such as 0.25, 25 % or 6 ch (channels).",
                       0,
                       1,
                       {},
                       SettingFacts::Kind::fraction},
                      &S::fraction),
        number_key<S>({"context", "", "tokens",
                       "Context length L in tokens. "
                       "Dynamic NTK and LongRoPE use it as the current sequence length.",
                       1, max_context},
                      &S::context),
        choice_key<S, Partial>({"partial", "", "",
                                "slice: all wavelengths are spread over the rotated channels (Hugging Face, GPT-NeoX; "
                                "formula 3 of the guide). truncate: the frequencies of the whole head are used, and "
                                "the lowest ones are set to 0 (p-RoPE; formula 4 of the guide)."},
                               {{"slice", Partial::slice}, {"truncate", Partial::truncate}}, &S::partial)
            .when([](const S& s) { return s.fraction > 0 && s.fraction < 1; }),
        choice_key<S, Pairing>(
            {"pairing", "", "",
             "half: channels i and i + dᵣ/2 form a pair (Hugging Face, GPT-NeoX). interleaved: channels 2i and 2i + 1 "
             "form a pair (GPT-J, RoFormer). Both use the same frequencies (formula 6 of the guide)."},
            {{"half", Pairing::half}, {"interleaved", Pairing::interleaved}}, &S::pairing),
        choice_key<S, NumberFormat>(
            {"precision", "", "", "Number format in which the cos/sin table stores its numbers."},
            words_of<NumberFormat>(number_formats()), &S::precision),
        number_key<S>({"heads", "", "", "Number of attention heads per layer.", 1, 65536}, &S::heads),
        number_key<S>({"attention_window", "", "tokens",
                       "Sliding-window attention: number of latest tokens to which each token attends, itself "
                       "included; 0 means the whole context.",
                       0, max_context},
                      &S::attention_window),
        choice_key<S, ScalingMethod>(
            {"scaling", "", "",
             "Method that changes the frequencies of RoPE for a context longer than the training context (formulas 18 "
             "to 24 of the guide)."},
            methods, [](auto& s) -> auto& { return s.scaling.method; }),
        scaling_number(
            {"factor", "", "", "Scaling factor s: target context divided by training context.", 1, unlimited},
            &Scaling::factor, {linear, ntk, dynamic, ntk_by_parts, yarn, llama3, longrope}),
        scaling_number(
            {"original_context", "", "tokens",
             "Context length L that the model was trained with; 0 means the context of the setup.", 0, max_context},
            &Scaling::original_context, {dynamic, ntk_by_parts, yarn, llama3, longrope}),
        scaling_number({"beta_fast", "", "periods",
                        "Pairs that complete more than this number of periods in the training context are not scaled "
                        "(Peng et al. 2023; formulas 21 and 22 of the guide).",
                        0, unlimited},
                       &Scaling::beta_fast, {ntk_by_parts, yarn}),
        scaling_number(
            {"beta_slow", "", "periods",
             "The frequencies of pairs that complete fewer than this number of periods in the training context are "
             "divided by the scaling factor (Peng et al. 2023; formulas 21 and 22 of the guide).",
             0, unlimited},
            &Scaling::beta_slow, {ntk_by_parts, yarn}),
        flag_key<S>(
            {"truncate", "", "",
             "If true, the ends of yarn's ramp between scaled and unscaled pairs are rounded to whole pairs."},
            [](auto& s) -> auto& { return s.scaling.truncate; })
            .when(scaled_by({yarn})),
        scaling_number({"low_freq_factor", "", "periods",
                        "The frequencies of pairs that complete fewer than this number of periods in the training "
                        "context are divided by the scaling factor (Grattafiori et al. 2024; formula 23 of the guide).",
                        0, unlimited},
                       &Scaling::low_freq_factor, {llama3}),
        scaling_number({"high_freq_factor", "", "periods",
                        "Pairs that complete more than this number of periods in the training context are not scaled "
                        "(Grattafiori et al. 2024; formula 23 of the guide).",
                        0, unlimited},
                       &Scaling::high_freq_factor, {llama3}),
        scaling_number(
            {"attention_factor", "", "",
             "Attention factor, which multiplies cos and sin; if it is not set, the scaling method computes it.",
             -unlimited, unlimited},
            &Scaling::attention_factor, {ntk_by_parts, yarn, longrope}),
        scaling_number({"mscale", "", "",
                        "DeepSeek's mscale: with scaling factor s, the attention factor of yarn is "
                        "(0.1·mscale·ln s + 1)/(0.1·mscale_all_dim·ln s + 1) if both are set.",
                        -unlimited, unlimited},
                       &Scaling::mscale, {yarn}),
        scaling_number({"mscale_all_dim", "", "",
                        "DeepSeek's mscale_all_dim: with scaling factor s, the attention factor of yarn is "
                        "(0.1·mscale·ln s + 1)/(0.1·mscale_all_dim·ln s + 1) if both are set.",
                        -unlimited, unlimited},
                       &Scaling::mscale_all_dim, {yarn}),
        list_key<S>(
            {"short_factors", "", "",
             "Divisors of the frequencies in contexts up to the original context, one per rotated pair (LongRoPE)."},
            [](auto& s) -> auto& { return s.scaling.short_factors; })
            .when(scaled_by({longrope})),
        list_key<S>(
            {"long_factors", "", "",
             "Divisors of the frequencies in contexts longer than the original context, one per rotated pair "
             "(LongRoPE)."},
            [](auto& s) -> auto& { return s.scaling.long_factors; })
            .when(scaled_by({longrope})),
    };
}

void store_value(RotarySetup& setup, const SetupKey& key, std::string_view text) {
    key.set(setup, parse_value(key, text, setup.head_dim));
}

// "name=value". `seen` holds the settings of the entries before.
void parse_entry(RotarySetup& setup, std::string_view entry, std::vector<const SetupKey*>& seen) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) {
        throw BadInput("\"" + std::string(entry) +
                       "\" has no value; write a setting and its value, such as theta=10k or fraction=25%.");
    }
    const SetupKey& key = setup_key(entry.substr(0, equals));
    if (std::ranges::find(seen, &key) != seen.end()) {
        throw BadInput("The rotary setup has the setting " + std::string(key.name) + " twice; give it only once.");
    }
    seen.push_back(&key);
    store_value(setup, key, entry.substr(equals + 1));
}

/// Removes "A:" or "B:" in front of the settings.
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
    RotarySetup copy = setup;
    for (const SetupKey& key : setup_keys()) key.set(copy, key.get(setup));
    frequencies(frequency_settings(setup));
}

const std::vector<SetupKey>& setup_keys() {
    static const std::vector<SetupKey> all = make_setup_keys();
    return all;
}

const SetupKey& setup_key(std::string_view name) {
    std::string wanted(name);
    std::ranges::replace(wanted, '-', '_');  // options of the command line are spelled with hyphens
    std::vector<std::string_view> known;
    for (const SetupKey& key : setup_keys()) {
        if (key.name == wanted) return key;
        known.push_back(key.name);
    }
    throw BadInput("\"" + std::string(name) + "\" is not a setting of a rotary setup" + hint(wanted, known, "\""));
}

std::string text_of(const RotarySetup& setup) {
    static constexpr std::array<std::string_view, 4> always = {"theta", "head_dim", "fraction", "context"};
    const RotarySetup standard;
    std::string text;
    for (const SetupKey& key : setup_keys()) {
        const Value value = key.get(setup);
        if (std::ranges::find(always, key.name) == always.end() && value == key.get(standard)) continue;
        text += (text.empty() ? "" : " ") + std::string(key.name) + "=" + line_text(key, value);
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
    store_value(changed, setup_key(name), text);
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
