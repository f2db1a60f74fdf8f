#pragma once

#include <optional>

#include "core/plan/parts/norm.h"

namespace ropelab {

/// Before the layers: a row for each token, and vectors of positions that are added to it.
struct Embedding {
    enum class Positions { none, learned, sinusoidal };
    Positions positions = Positions::none;
    double base = 10000.0;     // of the sinusoidal ones
    Count position_rows = {};  // of the table of learned ones
    double factor = 1.0;       // of the tokens' rows: √C with sinusoidal positions and in Gemma
    /// Formula 67: the first channels, from which the gate of the previous token's row is computed; 0: no smear.
    std::int64_t smear_channels = 0;

    Stages stages(const PlanSizes& sizes) const;
    bool operator==(const Embedding&) const = default;
};

/// After the layers: the norm of the stream, and the product with a row for each token.
struct OutputHead {
    std::optional<NormPart> norm = {};
    bool is_tied = false;  // the rows are those of the embedding
    bool has_bias = false;
    bool is_known = true;  // false for a model type that may tie it
    double factor = 1.0;   // of the logits
    double soft_cap = 0;   // c of c·tanh(logits/c), after the factor; 0: none

    /// `between`: stages after the norm, before the product.
    Stages stages(const PlanSizes& sizes, const Stages& between = {}) const;
    bool operator==(const OutputHead&) const = default;
};

}  // namespace ropelab
