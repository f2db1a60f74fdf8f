#include "core/lecture/quantity.h"

#include <cmath>

#include "core/lecture/lecture_yaml.h"
#include "core/lecture/quantity_table.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

const std::vector<Quantity>& quantity_table() {
    static const std::vector<Quantity> all = [] {
        std::vector<Quantity> table;
        for (const auto& part : {pair_quantities, context_quantities, logit_quantities, memory_quantities,
                                 published_quantities, run_quantities}) {
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
    throw BadInput("There is no quantity \"" + name + "\"; did you mean " + nearest(name, names) + "?");
}

const RotarySetup& setup_of(const QuantityCall& call, const QuantitySource& source) {
    if (!call.of_b) return source.setups.a;
    if (!source.setups.b) {
        throw BadInput("The quantity B." + call.name + " is of setup B, but there is only one setup.");
    }
    return *source.setups.b;
}

}  // namespace

nlohmann::json finite_or_null(double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
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
        throw BadInput("The quantity " + call.name + " is computed from runs; name their lab.");
    }
    return quantity.compute({arguments, setup, frequencies(frequency_settings(setup)), source.lab});
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
