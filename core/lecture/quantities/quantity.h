#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/lecture/quantities/quantity_table.h"
#include "core/rope/rotary_setup.h"

namespace ropelab {

struct QuantitySource {
    ComparedSetups setups;
    const LabFile* lab = nullptr;
};

const std::vector<QuantityDescription>& quantities();

/// A name with arguments in brackets, "wavelength(31)", "logit(100, 60)", "final_validation_loss(theta=500)". "B." in
/// front of the name computes it from setup B. The functions are those that the figures use. Returns a number, null if
/// there is no such value ("no negative B(Δ) below the context"), or a list of numbers or of intervals [low, high].
/// Throws BadInput for an unknown name (the message names the most similar one), for missing, superfluous or invalid
/// arguments, and if a lab is required that is not there.
nlohmann::json evaluate_quantity(std::string_view expression, const QuantitySource& source);
/// Throws BadInput as evaluate_quantity() does for an expression that no setup or lab makes valid; computes nothing.
void check_quantity(std::string_view expression);

/// Throws BadInput if there is no such quantity.
bool quantity_needs_lab(std::string_view expression);

/// Expressions in double braces, "{{final_validation_loss(theta=500)}}", also with "| 4" for four decimals.
std::vector<std::string> quantities_in(std::string_view text);
/// Sentences then tell the numbers of the runs that are shown. Values that cannot be computed become "…".
std::string with_quantities(std::string_view text, const QuantitySource& source);

}  // namespace ropelab
