#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/guarded.h"

namespace ropelab {

// A reference implementation of causal attention in double precision, with which tests compare the kernels.

struct AttentionShape {
    std::int64_t time;
    std::int64_t heads;
    std::int64_t key_value_heads;
    std::int64_t head_dim;
    double rate;  // dropout rate
    std::int64_t runs = 2;
    std::int64_t batch = 2;

    std::int64_t width() const { return (heads + 2 * key_value_heads) * head_dim; }
    std::int64_t qkv_size() const { return runs * batch * time * width(); }
    std::int64_t mixed_size() const { return runs * batch * time * heads * head_dim; }
    std::int64_t rows() const { return runs * batch * heads * time; }
    double scale() const { return 1.0 / std::sqrt(static_cast<double>(head_dim)); }
};

/// Returns the random stream of every run's dropout.
struct DropoutOfRuns {
    std::string what;
    std::vector<std::int64_t> seeds;
    std::uint64_t step;
};

struct AttentionResult {
    Guarded<float> mixed;     // (runs, batch·time, heads, head_dim)
    Guarded<float> log_sums;  // (runs, batch, heads, time), base-2 logarithms
    Guarded<float> grad_qkv;  // the shape of qkv
};

/// Computes attention and its gradient. `qkv` is (runs, batch·time, heads + 2·key_value_heads, head_dim) with queries
/// and keys that are already rotated. `grad_mixed` is the gradient with respect to `mixed` and has its shape.
AttentionResult attention_by_definition(const AttentionShape& shape, const DropoutOfRuns& dropout,
                                        const Guarded<float>& qkv, const Guarded<float>& grad_mixed);

}  // namespace ropelab
