#pragma once

#include <optional>

#include "core/plan/parts/norm.h"

namespace ropelab {

/// Before the layers: a row for each token, and vectors of positions that are added to it.
struct Embedding {
    enum class Positions { none, learned, sinusoidal };
    Positions positions = Positions::none;
    Count position_rows = {};  // of the table of learned ones

    Stages stages(const PlanSizes& sizes) const;
};

/// After the layers: the norm of the stream, and the product with a row for each token.
struct OutputHead {
    std::optional<NormPart> norm = {};
    bool is_tied = false;  // the rows are those of the embedding
    bool has_bias = false;
    bool is_known = true;  // false for a model type that may tie it

    /// `between`: stages after the norm, before the product.
    Stages stages(const PlanSizes& sizes, const Stages& between = {}) const;
};

}  // namespace ropelab
