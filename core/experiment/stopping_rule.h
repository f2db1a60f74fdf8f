#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "core/experiment/halving.h"
#include "core/stats/sequential.h"

namespace ropelab {

/// When runs of an experiment are stopped or no longer added, fixed before its first run: `halving` stops the worse
/// half of the settings during training, `group_sequential` and `anytime` (SequentialDesign) decide after how many
/// seeds a comparison ends. A lab keeps the rule that it began with.
using StoppingRule = std::variant<Halving, SequentialDesign>;

/// nullptr for another kind or no rule.
const Halving* halving_in(const std::optional<StoppingRule>& rule);
const SequentialDesign* sequential_in(const std::optional<StoppingRule>& rule);

/// Document of an experiment that stores its sequential design. The rule of halving is part of the document of the
/// search.
inline constexpr const char* stopping_document = "stopping";

nlohmann::json to_json(const SequentialDesign& design);
/// From to_json(). Throws BadInput for another text and for numbers out of range.
SequentialDesign sequential_design_from_json(const nlohmann::json& json);

}  // namespace ropelab
