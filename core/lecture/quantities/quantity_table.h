#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/rope/frequencies.h"
#include "core/rope/rotary_setup.h"

namespace ropelab {

class LabFile;

struct QuantityDescription {
    std::string name;         // "wavelength"
    std::string arguments;    // "(pair)"; "" if it has none
    std::string unit;         // "tokens"
    std::string description;  // one sentence
    bool needs_lab = false;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(QuantityDescription, name, arguments, unit, description, needs_lab)

/// "B.difference(final_validation_loss; theta=500; theta=10k)".
struct QuantityCall {
    struct Argument {
        std::string key;  // "" if the argument has no name
        std::string value;
    };
    bool of_b = false;
    std::string name;
    std::vector<std::vector<Argument>> groups;  // separated by semicolons; no group if there are no brackets
};

/// Throws BadInput for missing brackets, empty arguments and texts above 500 bytes.
QuantityCall parse_quantity_call(std::string_view expression);

using RunFilter = std::map<std::string, std::string>;

/// Bound to the names of a quantity's description and checked for type and range.
class QuantityArguments {
 public:
    /// Binds the first form that fits. Throws BadInput with the forms of the quantity.
    QuantityArguments(const QuantityDescription& description, const QuantityCall& call);

    bool has(const std::string& name) const { return texts_.contains(name); }
    const std::string& text(const std::string& name) const;
    double number(const std::string& name) const;
    std::int64_t whole(const std::string& name) const;
    std::int64_t whole_or(const std::string& name, std::int64_t fallback) const {
        return has(name) ? whole(name) : fallback;
    }
    /// `index` counts the groups of settings of the expression.
    const RunFilter& filter(std::size_t index = 0) const { return filters_.at(index); }
    std::size_t filters() const { return filters_.size(); }

 private:
    std::map<std::string, std::string> texts_;
    std::vector<RunFilter> filters_;
};

struct QuantityInput {
    const QuantityArguments& arguments;
    const RotarySetup& setup;
    const Frequencies& frequencies;
    const LabFile* lab = nullptr;
};

struct Quantity {
    QuantityDescription description;
    std::function<nlohmann::json(const QuantityInput&)> compute;  // a number that is not finite is no value
    /// The value depends only on the arguments, so an expression can be checked by computing it.
    bool constant = false;
};

/// In the order of `quantity --list`; derived: from published values.
std::vector<Quantity> pair_quantities();
std::vector<Quantity> context_quantities();
std::vector<Quantity> logit_quantities();
std::vector<Quantity> setup_quantities();
std::vector<Quantity> memory_quantities();
std::vector<Quantity> published_quantities();
std::vector<Quantity> derived_quantities();
std::vector<Quantity> run_quantities();

inline constexpr double unknown_value = std::numeric_limits<double>::quiet_NaN();

}  // namespace ropelab
