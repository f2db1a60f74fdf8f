#include "core/lecture/quantities/quantity.h"

#include <cmath>
#include <iomanip>
#include <sstream>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace {

const std::vector<Quantity>& quantity_table() {
    static const std::vector<Quantity> all = [] {
        std::vector<Quantity> table;
        for (const auto& part : {pair_quantities, context_quantities, logit_quantities, memory_quantities,
                                 published_quantities, setup_quantities, derived_quantities, run_quantities}) {
            for (Quantity& each : part()) table.push_back(std::move(each));
        }
        return table;
    }();
    return all;
}

const Quantity& quantity_named(const QuantityCall& call) {
    std::vector<std::string_view> names;
    for (const Quantity& each : quantity_table()) {
        if (each.description.name == call.name) return each;
        names.push_back(each.description.name);
    }
    const std::string name = shortened(call.name);
    throw BadInput("There is no quantity \"" + name + "\"" + hint(name, names));
}

const RotarySetup& setup_of(const QuantityCall& call, const QuantitySource& source) {
    if (!call.of_b) return source.setups.a;
    if (!source.setups.b) {
        throw BadInput("The quantity B." + call.name +
                       " is of setup B, but there is only one setup; omit \"B.\" or add a setup B.");
    }
    return *source.setups.b;
}

struct Braces {
    std::size_t begin = std::string_view::npos;  // of the braces; npos if there are none
    std::size_t end = 0;
    std::string expression;
    std::string decimals;  // "" for none
};

Braces next_braces(std::string_view text, std::size_t from) {
    Braces result;
    const std::size_t begin = text.find("{{", from);
    const std::size_t end = begin == std::string_view::npos ? begin : text.find("}}", begin);
    if (end == std::string_view::npos) return result;
    const std::string_view inside = text.substr(begin + 2, end - begin - 2);
    const std::size_t bar = inside.rfind('|');
    result = {begin, end + 2, std::string(trimmed(inside.substr(0, bar))), ""};
    if (bar != std::string_view::npos) result.decimals = trimmed(inside.substr(bar + 1));
    return result;
}

std::string value_text(const Braces& braces, const QuantitySource& source) {
    try {
        const nlohmann::json value = evaluate_quantity(braces.expression, source);
        if (!value.is_number()) return "\u2026";
        std::string words = number_text(value.get<double>());
        if (!braces.decimals.empty()) {
            constexpr double most = 20;
            const double decimals = parse_number(braces.decimals);
            if (!(decimals >= 0 && decimals <= most)) return "\u2026";
            std::ostringstream fixed;
            fixed << std::fixed << std::setprecision(static_cast<int>(decimals)) << value.get<double>();
            words = fixed.str();
        }
        return words.starts_with('-') ? "\u2212" + words.substr(1) : words;
    } catch (const std::exception&) {
        return "\u2026";
    }
}

}  // namespace

std::vector<std::string> quantities_in(std::string_view text) {
    std::vector<std::string> result;
    for (Braces at = next_braces(text, 0); at.begin != std::string_view::npos; at = next_braces(text, at.end)) {
        result.push_back(at.expression);
    }
    return result;
}

std::string with_quantities(std::string_view text, const QuantitySource& source) {
    std::string result;
    std::size_t done = 0;
    for (Braces at = next_braces(text, 0); at.begin != std::string_view::npos; at = next_braces(text, done)) {
        result += text.substr(done, at.begin - done);
        result += value_text(at, source);
        done = at.end;
        if (result.ends_with("\u2026") && text.substr(done).starts_with('.')) ++done;  // no four dots at the end
    }
    return result += text.substr(done);
}

const std::vector<QuantityDescription>& quantities() {
    static const std::vector<QuantityDescription> all = [] {
        std::vector<QuantityDescription> descriptions;
        for (const Quantity& each : quantity_table()) descriptions.push_back(each.description);
        return descriptions;
    }();
    return all;
}

nlohmann::json evaluate_quantity(std::string_view expression, const QuantitySource& source) {
    const QuantityCall call = parse_quantity_call(expression);
    const Quantity& quantity = quantity_named(call);
    const QuantityArguments arguments(quantity.description, call);
    const RotarySetup& setup = setup_of(call, source);
    if (quantity.description.needs_lab && !source.lab) {
        throw BadInput("The quantity " + call.name + " is computed from runs; name the lab file of the runs.");
    }
    nlohmann::json value = quantity.compute({arguments, setup, frequencies(frequency_settings(setup)), source.lab});
    if (value.is_number_float() && !std::isfinite(value.get<double>())) return nullptr;
    return value;
}

void check_quantity(std::string_view expression) {
    const QuantityCall call = parse_quantity_call(expression);
    const Quantity& quantity = quantity_named(call);
    const QuantityArguments arguments(quantity.description, call);
    if (quantity.constant) quantity.compute({arguments, RotarySetup{}, Frequencies{}, nullptr});
}

bool quantity_needs_lab(std::string_view expression) {
    return quantity_named(parse_quantity_call(expression)).description.needs_lab;
}

}  // namespace ropelab
