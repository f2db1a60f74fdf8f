#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ropelab {

/// An enumeration is its word, a list its numbers with semicolons between them; a number that is not set is "".
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// C locale: 10000 as "10000", 0.25 as "0.25", true as "true".
std::string to_text(const Value& value);

/// Largest number of a setting that has no limit of its own.
inline constexpr double unlimited = 1e15;

/// A value of a setting: its word in files and on the command line, its title in the window (the word if it is empty),
/// what it means (one or two sentences, or nothing), and its clause in the help of the setting.
template <typename Kind>
struct ChoiceOf {
    std::string_view word;
    Kind value{};
    std::string_view title = {};
    std::string_view meaning = {};
    std::string_view help = {};
};

struct ChoiceText {
    std::string_view word;
    std::string_view title = {};
    std::string_view meaning = {};
};

/// What is known of a setting, whatever it belongs to.
struct SettingFacts {
    enum class Kind { flag, whole, number, fraction, optional_number, choice, text, list };

    std::string_view name;
    std::string_view group = {};           // "data", "model", "training", "evaluation" or "machine"
    std::string_view unit = {};            // "" if the value has no unit
    std::string meaning = {};              // help text: one to three sentences
    double minimum = 0;                    // smallest number allowed (inclusive)
    double maximum = 0;                    // largest number allowed (inclusive)
    std::vector<ChoiceText> choices = {};  // allowed values of a choice or flag, else empty
    Kind kind = Kind::text;
};

/// Numbers as "1e6", "10k" or "2M", fractions also "25 %" or "6 ch" (of `head_dim` channels), flags as true, false,
/// yes, no, 1 or 0. Throws BadInput, with the setting's name, for text in place of a number.
Value parse_value(const SettingFacts& setting, std::string_view text, int head_dim);

// Throw BadInput, with the setting's name and what would be right, for a wrong type, range or choice.
double number_of(const SettingFacts& setting, const Value& value);
bool flag_of(const SettingFacts& setting, const Value& value);
std::size_t choice_of(const SettingFacts& setting, const Value& value);  // index in SettingFacts::choices
std::vector<double> list_of(const SettingFacts& setting, const Value& value);
std::string list_text(const std::vector<double>& numbers);

/// Tables of such settings of `Settings` serve the window, the command line, files and links.
template <typename Settings>
struct SettingKey : SettingFacts {
    std::function<Value(const Settings&)> get;
    /// Throws BadInput as number_of(); the settings are then unchanged.
    std::function<void(Settings&, const Value&)> set;
    /// False if the value has no effect, given the other settings.
    std::function<bool(const Settings&)> matters = [](const Settings&) { return true; };

    SettingKey when(std::function<bool(const Settings&)> condition) && {
        matters = std::move(condition);
        return std::move(*this);
    }
};

// `member` is a pointer to a member, or a generic function from the settings to a reference.

/// Of a whole number (int or std::int64_t), a number (double) or, if the facts say so, a fraction.
template <typename Settings, typename Member>
SettingKey<Settings> number_key(SettingFacts facts, Member member) {
    using Number = std::remove_cvref_t<std::invoke_result_t<Member, Settings&>>;
    if (std::is_integral_v<Number>) {
        facts.kind = SettingFacts::Kind::whole;
    } else if (facts.kind != SettingFacts::Kind::fraction) {
        facts.kind = SettingFacts::Kind::number;
    }
    SettingKey<Settings> key{facts, {}, {}};
    key.get = [member](const Settings& settings) -> Value {
        using Stored = std::conditional_t<std::is_integral_v<Number>, std::int64_t, double>;
        return static_cast<Stored>(std::invoke(member, settings));
    };
    key.set = [member, facts = std::move(facts)](Settings& settings, const Value& value) {
        std::invoke(member, settings) = static_cast<Number>(number_of(facts, value));
    };
    return key;
}

/// Of a std::optional<double>.
template <typename Settings, typename Member>
SettingKey<Settings> optional_number_key(SettingFacts facts, Member member) {
    facts.kind = SettingFacts::Kind::optional_number;
    SettingKey<Settings> key{facts, {}, {}};
    key.get = [member](const Settings& settings) -> Value {
        const auto& number = std::invoke(member, settings);
        return number ? Value(*number) : Value(std::string());
    };
    key.set = [member, facts = std::move(facts)](Settings& settings, const Value& value) {
        const auto* word = std::get_if<std::string>(&value);
        if (word && word->empty()) {
            std::invoke(member, settings).reset();
        } else {
            std::invoke(member, settings) = number_of(facts, value);
        }
    };
    return key;
}

/// Of a bool.
template <typename Settings, typename Member>
SettingKey<Settings> flag_key(SettingFacts facts, Member member) {
    facts.kind = SettingFacts::Kind::flag;
    facts.choices = {{"false"}, {"true"}};
    SettingKey<Settings> key{facts, {}, {}};
    key.get = [member](const Settings& settings) -> Value { return static_cast<bool>(std::invoke(member, settings)); };
    key.set = [member, facts = std::move(facts)](Settings& settings, const Value& value) {
        std::invoke(member, settings) = flag_of(facts, value);
    };
    return key;
}

/// Of an enumeration.
template <typename Settings, typename Enum, typename Member>
SettingKey<Settings> choice_key(SettingFacts facts, const std::vector<ChoiceOf<Enum>>& choices, Member member) {
    facts.kind = SettingFacts::Kind::choice;
    for (const ChoiceOf<Enum>& each : choices) facts.choices.push_back({each.word, each.title, each.meaning});
    SettingKey<Settings> key{facts, {}, {}};
    key.get = [member, choices](const Settings& settings) -> Value {
        for (const ChoiceOf<Enum>& choice : choices) {
            if (choice.value == std::invoke(member, settings)) return std::string(choice.word);
        }
        return std::string();
    };
    key.set = [member, choices, facts = std::move(facts)](Settings& settings, const Value& value) {
        std::invoke(member, settings) = choices[choice_of(facts, value)].value;
    };
    return key;
}

/// Of a std::vector<double>.
template <typename Settings, typename Member>
SettingKey<Settings> list_key(SettingFacts facts, Member member) {
    facts.kind = SettingFacts::Kind::list;
    SettingKey<Settings> key{facts, {}, {}};
    key.get = [member](const Settings& settings) -> Value { return list_text(std::invoke(member, settings)); };
    key.set = [member, facts = std::move(facts)](Settings& settings, const Value& value) {
        std::invoke(member, settings) = list_of(facts, value);
    };
    return key;
}

}  // namespace ropelab
