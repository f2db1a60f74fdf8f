#pragma once

#include "core/plan/parts/softmax.h"

namespace ropelab {

/// Formula 44: keys and values come from one latent vector per token, which the cache stores; separate channels rotate.
struct Latent {
    Count h;                        // heads
    Count D;                        // channels per head without rotation
    Count L;                        // width of the latent vector
    Count R;                        // rotary channels per head
    Count D_v = {};                 // channels of a value; nullopt: D
    bool has_other_values = false;  // D_v, known or not, is a number of its own
    bool has_query_latent = false;
    Count L_q = {};  // width of the latent vector of the queries
    bool has_bias = false;
    bool has_query_bias = false;
    bool has_output_bias = false;
    std::optional<double> norm_epsilon = {};  // of the norms of latent vectors, as NormPart::epsilon
    std::optional<Rotary> rotary = {};
    Scores scores = {};

    Stages stages(const PlanSizes& sizes, const std::string& input) const;
    /// In the KV cache, per token.
    Count latent_numbers() const { return sum_of({L, R}); }
    double kept(const PlanSizes& sizes, const TrainingWork& work) const;
    bool operator==(const Latent&) const = default;
};

}  // namespace ropelab
