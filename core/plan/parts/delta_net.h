#pragma once

#include "core/plan/parts/softmax.h"

namespace ropelab {

/// Formula 46, Yang et al. 2024.
struct DeltaNet {
    Count h_k;                   // heads of keys and queries
    Count h_v;                   // heads of values
    Count D_k;                   // channels of a key
    Count D_v;                   // channels of a value
    bool has_own_sizes = false;  // keys and values have heads and channels of their own (Qwen3-Next)
    bool has_convolution = false;
    Count kernel = {};  // tokens of the short convolution
    bool has_bias = false;
    bool has_output_bias = false;

    Stages stages(const PlanSizes& sizes, const std::string& input) const;
    double kept(const PlanSizes& sizes, const TrainingWork& work) const;
    bool operator==(const DeltaNet&) const = default;
};

}  // namespace ropelab
