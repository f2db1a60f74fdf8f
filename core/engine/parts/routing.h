#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <vector>

namespace ropelab {

/// Formulas 49 and 51. Choices descend by router logit; choice c of token t is element t·per_token + c.
struct Routing {
    std::int64_t experts = 0;
    std::int64_t per_token = 0;
    /// −1 for a second expert that a random routing skips.
    std::vector<std::int64_t> expert;
    /// 1 for a choice that an expert processes; 0 for one that is skipped or dropped.
    std::vector<char> kept;
    std::vector<std::int64_t> counts;  // per expert: tokens that choose it, dropped ones included
    std::int64_t dropped = 0;          // choices beyond the capacity of their experts

    /// Without skipped ones.
    std::int64_t choices() const;
};

struct RoutingLimits {
    std::int64_t capacity = 0;  // most tokens per expert; 0: no limit
    /// Uniform, per token: the second expert is skipped if twice its probability is less. Empty: none is skipped.
    std::span<const double> second = {};
};

/// `logits`: one row of `experts` numbers per token; the first of equal ones wins. An expert beyond its capacity drops
/// tokens: all first choices come before all second ones, and the tokens of a choice in their order.
Routing route(std::span<const float> logits, std::int64_t experts, std::int64_t per_token,
              const RoutingLimits& limits = {});

/// factor · per_token · tokens / experts, rounded up; 0, no limit, for factor 0.
std::int64_t expert_capacity_of(double factor, std::int64_t tokens, std::int64_t experts, std::int64_t per_token);

struct ExpertLayer {
    std::int64_t layer = 0;
    torch::Tensor balance;         // (runs) float32, with a gradient: load-balancing loss (formula 50)
    std::vector<Routing> routing;  // one per run
};

/// One element per layer with experts.
struct ExpertRecord {
    std::vector<ExpertLayer> layers;
};

}  // namespace ropelab
