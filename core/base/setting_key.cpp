#include "core/base/setting_key.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

[[noreturn]] void refuse(const SettingFacts& setting, const std::string& value, const std::string& right) {
    throw BadInput("The setting " + std::string(setting.name) + " is " + value + ", but it must be " + right + ".");
}

std::string quoted(const Value& value) {
    return "\"" + to_text(value) + "\"";
}

// The message of a number that is no fraction says how to write one.
double fraction_number(std::string_view text, std::string_view unit) {
    try {
        return parse_number(trimmed(text.substr(0, text.size() - unit.size())));
    } catch (const BadInput&) {
        throw BadInput("\"" + std::string(text) + "\" is not a fraction; enter 25 %, 0.25 or 6 ch.");
    }
}

double parse_fraction_text(std::string_view text, int head_dim) {
    if (text.ends_with('%')) return fraction_number(text, "%") / 100.0;
    if (!text.ends_with("ch")) {
        const double number = fraction_number(text, "");
        if (number > 1 && number <= 100) {
            throw BadInput("The fraction " + std::string(text) + " is larger than 1; enter " + number_text(number) +
                           " % for a percentage, or " + number_text(number / 100) + ".");
        }
        return number;
    }
    const double channels = fraction_number(text, "ch");
    if (channels < 0 || channels > head_dim || std::fmod(channels, 2.0) != 0.0) {
        throw BadInput(number_text(channels) + " channels cannot be rotated in a head of " + std::to_string(head_dim) +
                       "; the number must be even and at most " + std::to_string(head_dim) + ".");
    }
    return channels / head_dim;
}

Value parsed_flag(std::string_view text) {
    if (text == "true" || text == "yes" || text == "1") return true;
    if (text == "false" || text == "no" || text == "0") return false;
    return std::string(text);  // flag_of() refuses it with the name of the setting
}

Value parsed_number(const SettingFacts& setting, std::string_view text, int head_dim) {
    const bool is_fraction = setting.kind == SettingFacts::Kind::fraction;
    const double number = is_fraction ? parse_fraction_text(text, head_dim) : parse_number(text);
    const bool whole = setting.kind == SettingFacts::Kind::whole && number == std::trunc(number);
    if (whole && std::abs(number) <= unlimited) return static_cast<std::int64_t>(number);
    return number;
}

}  // namespace

std::string to_text(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&value)) return number_text(*real);
    return std::get<std::string>(value);
}

Value parse_value(const SettingFacts& setting, std::string_view text, int head_dim) {
    using Kind = SettingFacts::Kind;
    text = trimmed(text);
    try {
        switch (setting.kind) {
            case Kind::flag:
                return parsed_flag(text);
            case Kind::whole:
            case Kind::number:
            case Kind::fraction:
            case Kind::optional_number:
                return parsed_number(setting, text, head_dim);
            case Kind::list:
                if (text.empty()) parse_number(text);  // refuses it
                list_of(setting, std::string(text));
                break;
            case Kind::choice:
            case Kind::text:
                break;
        }
        return std::string(text);
    } catch (const BadInput& error) {
        throw BadInput("The setting " + std::string(setting.name) + " is not valid: " + error.what());
    }
}

double number_of(const SettingFacts& setting, const Value& value) {
    double number = 0;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        number = static_cast<double>(*whole);
    } else if (const auto* real = std::get_if<double>(&value)) {
        number = *real;
    } else {
        refuse(setting, quoted(value), "a number");
    }
    if (setting.kind == SettingFacts::Kind::whole && number != std::trunc(number)) {
        refuse(setting, number_text(number), "a whole number");
    }
    if (!(number >= setting.minimum && number <= setting.maximum)) {
        const bool is_small = setting.maximum >= unlimited && !(number > setting.maximum);
        refuse(setting, number_text(number),
               is_small ? number_text(setting.minimum) + " or more"
                        : "between " + number_text(setting.minimum) + " and " + number_text(setting.maximum));
    }
    return number;
}

bool flag_of(const SettingFacts& setting, const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag;
    refuse(setting, quoted(value), "true or false");
}

std::size_t choice_of(const SettingFacts& setting, const Value& value) {
    const auto* word = std::get_if<std::string>(&value);
    const auto found = word ? std::ranges::find(setting.choices, *word, &ChoiceText::word) : setting.choices.end();
    if (found != setting.choices.end()) return static_cast<std::size_t>(found - setting.choices.begin());
    refuse(setting, quoted(value), "one of: " + joined(setting.choices, ", ", &ChoiceText::word));
}

std::vector<double> list_of(const SettingFacts& setting, const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (!text) refuse(setting, quoted(value), "numbers with semicolons between them");
    std::vector<double> numbers;
    if (text->empty()) return numbers;
    for (const std::string& part : parts_of(*text, ';')) numbers.push_back(parse_number(part));
    return numbers;
}

std::string list_text(const std::vector<double>& numbers) {
    return joined(numbers, ";", number_text);
}

}  // namespace ropelab
