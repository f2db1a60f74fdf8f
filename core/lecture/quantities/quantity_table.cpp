#include "core/lecture/quantities/quantity_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/utf8.h"
#include "core/interop/model_table.h"
#include "core/results/results_table.h"
#include "core/rope/number_format.h"
#include "core/settings/keys.h"

namespace ropelab {

namespace {

constexpr std::size_t longest_expression = 500;
constexpr double largest_whole = 1e12;

/// "theta=500". A path such as "table_2/theta=500" is a value without a name.
QuantityCall::Argument argument_of(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || text.substr(0, equals).find('/') != std::string_view::npos) {
        return {"", std::string(text)};
    }
    return {std::string(trimmed(text.substr(0, equals))), std::string(trimmed(text.substr(equals + 1)))};
}

struct ArgumentGroup {
    struct Named {
        std::string name;
        bool required = true;
    };
    std::vector<Named> names;
    bool filters = false;  // any number of setting=value
};
using ArgumentForm = std::vector<ArgumentGroup>;

ArgumentGroup argument_group(std::string_view text) {
    ArgumentGroup group;
    bool optional = false;
    for (std::string_view part : parts_of(text)) {
        const bool was_optional = optional;
        while (part.ends_with('[') || part.ends_with(']')) {
            if (part.ends_with('[')) optional = true;
            part = trimmed(part.substr(0, part.size() - 1));
        }
        if (part == "setting=value" || part == "…") {
            group.filters = true;
        } else if (!part.empty()) {
            group.names.push_back({std::string(part), !was_optional});
        }
    }
    return group;
}

/// "(L) or (low, high)"; "[(L)]" can also be called without brackets.
std::vector<ArgumentForm> forms_of(std::string_view arguments) {
    std::vector<ArgumentForm> forms;
    if (arguments.empty()) return {{}};
    while (!arguments.empty()) {
        static constexpr std::string_view either = " or ";
        const std::size_t end = std::min(arguments.find(either), arguments.size());
        std::string_view form = arguments.substr(0, end);
        arguments.remove_prefix(std::min(end + either.size(), arguments.size()));
        if (form.starts_with('[')) {
            forms.emplace_back();
            form = form.substr(1, form.size() - 2);
        }
        ArgumentForm& groups = forms.emplace_back();
        for (const std::string_view group : parts_of(form.substr(1, form.size() - 2), ';')) {
            groups.push_back(argument_group(group));
        }
    }
    return forms;
}

std::string form_text(const QuantityDescription& description) {
    return description.name + description.arguments;
}

using Bound = std::map<std::string, std::string>;

bool bind_group(const ArgumentGroup& form, const std::vector<QuantityCall::Argument>& arguments, Bound& bound,
                RunFilter& filter) {
    std::size_t next = 0;
    for (const QuantityCall::Argument& argument : arguments) {
        if (argument.key.empty()) {
            if (next == form.names.size()) return false;
            if (!bound.emplace(form.names[next++].name, argument.value).second) return false;
            continue;
        }
        const auto same = [&](const ArgumentGroup::Named& named) { return named.name == argument.key; };
        const bool named = std::any_of(form.names.begin(), form.names.end(), same);
        if (!named && !form.filters) return false;
        if (!(named ? bound : filter).emplace(argument.key, argument.value).second) return false;
    }
    return std::all_of(form.names.begin(), form.names.end(), [&](const ArgumentGroup::Named& named) {
        return !named.required || bound.contains(named.name);
    });
}

bool bind_form(const ArgumentForm& form, const QuantityCall& call, Bound& bound, std::vector<RunFilter>& filters) {
    if (form.size() != call.groups.size()) {
        // "runs" means "runs()": a single group of settings may be missing.
        const bool may_be_missing = call.groups.empty() && form.size() == 1 && form[0].names.empty();
        if (!may_be_missing) return false;
        filters.emplace_back();
        return true;
    }
    for (std::size_t i = 0; i < form.size(); ++i) {
        RunFilter filter;
        if (!bind_group(form[i], call.groups[i], bound, filter)) return false;
        if (form[i].filters) filters.push_back(std::move(filter));
    }
    return true;
}

/// nullopt for arguments that are texts or any number.
std::optional<double> smallest_whole(const std::string& name) {
    for (const char* from_zero :
         {"pair", "m", "n", "by", "distance", "aimed", "layer", "head", "expert", "full_every", "pairs"}) {
        if (name == from_zero) return 0;
    }
    for (const char* from_one : {"L", "seed", "keys", "others", "layers", "kv_heads", "head_dim", "bytes", "window"}) {
        if (name == from_one) return 1;
    }
    return std::nullopt;
}

bool is_number_argument(const std::string& name) {
    static constexpr std::array<std::string_view, 9> names = {"mean", "correlation", "tuned",    "low",  "high",
                                                              "step", "theta",       "accuracy", "norms"};
    return std::find(names.begin(), names.end(), name) != names.end();
}

void check_argument(const std::string& name, const std::string& text) {
    if (const auto smallest = smallest_whole(name)) {
        const double value = parse_number(text);
        if (value != std::trunc(value) || value < *smallest || value > largest_whole) {
            throw BadInput("\"" + shortened(text) + "\" must be a whole number from " + number_text(*smallest) +
                           " to " + number_text(largest_whole) + ".");
        }
    } else if (is_number_argument(name)) {
        parse_number(text);
    } else if (name == "format") {
        parse_number_format(text);
    } else if (name == "model") {
        known_model(text);
    } else if (name == "quantity") {
        measure_index(text);
    }
}

void check_filter(const RunFilter& filter) {
    for (const auto& [name, value] : filter) {
        if (name == "run" || name == "vocabulary") {
            parse_number(value);
        } else if (name != "preset") {
            const Key& setting = key(current_name(Alias::Kind::key, name));
            if (!value.ends_with("ch")) parse_value(setting, value, RunSpec{});
        }
    }
}

}  // namespace

QuantityCall parse_quantity_call(std::string_view expression) {
    const std::string_view whole = trimmed(expression);
    if (whole.size() > longest_expression)
        throw BadInput("The expression of a quantity has more than 500 bytes; shorten it.");
    QuantityCall call;
    const std::size_t open = whole.find('(');
    std::string_view name = trimmed(whole.substr(0, open));
    if (name.starts_with("B.") || name.starts_with("A.")) {
        call.of_b = name.starts_with('B');
        name.remove_prefix(2);
    }
    call.name = name;
    if (name.empty()) throw BadInput("The quantity has no name; write a quantity such as wavelength(31).");
    if (open == std::string_view::npos) return call;
    if (!whole.ends_with(')') || whole.find(')') + 1 != whole.size() || whole.find('(', open + 1) != whole.npos) {
        throw BadInput("The quantity \"" + shortened(whole) +
                       "\" needs one pair of brackets around its arguments, as in wavelength(31).");
    }
    const std::string_view inside = trimmed(whole.substr(open + 1, whole.size() - open - 2));
    if (inside.empty()) return call;
    for (const std::string_view group : parts_of(inside, ';')) {
        std::vector<QuantityCall::Argument>& arguments = call.groups.emplace_back();
        if (group.empty()) continue;  // all runs
        for (const std::string_view part : parts_of(group)) {
            const QuantityCall::Argument argument = argument_of(part);
            if (argument.value.empty()) {
                throw BadInput("The quantity \"" + shortened(whole) +
                               "\" has an empty argument; write a value, or leave out the comma.");
            }
            arguments.push_back(argument);
        }
    }
    return call;
}

QuantityArguments::QuantityArguments(const QuantityDescription& description, const QuantityCall& call) {
    for (const ArgumentForm& form : forms_of(description.arguments)) {
        texts_.clear();
        filters_.clear();
        if (!bind_form(form, call, texts_, filters_)) continue;
        for (const auto& [name, text] : texts_) {
            try {
                check_argument(name, text);
            } catch (const BadInput& error) {
                throw BadInput("The argument " + name + " of " + call.name + " is not valid: " + error.what());
            }
        }
        for (const RunFilter& filter : filters_) check_filter(filter);
        return;
    }
    throw BadInput("The arguments of " + call.name + " do not fit; write " + form_text(description) + ".");
}

const std::string& QuantityArguments::text(const std::string& name) const {
    return texts_.at(name);
}

double QuantityArguments::number(const std::string& name) const {
    return parse_number(text(name));
}

std::int64_t QuantityArguments::whole(const std::string& name) const {
    return static_cast<std::int64_t>(number(name));
}

}  // namespace ropelab
