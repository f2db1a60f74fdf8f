#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/lecture/quantity_call.h"
#include "core/rope/frequencies.h"

namespace ropelab {

/// What a quantity is computed from: its arguments, one setup with its frequencies, and a lab.
struct QuantityInput {
    const QuantityArguments& arguments;
    const RotarySetup& setup;
    const Frequencies& frequencies;
    const LabFile* lab = nullptr;
};

/// A quantity and the function that computes it.
struct Quantity {
    QuantityDescription description;
    nlohmann::json (*compute)(const QuantityInput&);
    /// True if the value depends only on the arguments, so that an expression can be checked by computing it.
    bool constant = false;
};

/// Return the quantities of rotary pairs; of logits, context and rounding; of caches and publications; and of runs.
std::vector<Quantity> pair_quantities();
std::vector<Quantity> context_quantities();
std::vector<Quantity> logit_quantities();
std::vector<Quantity> memory_quantities();
std::vector<Quantity> published_quantities();
std::vector<Quantity> run_quantities();

/// Returns a number as JSON; null if it is not finite.
nlohmann::json finite_or_null(double value);

}  // namespace ropelab
