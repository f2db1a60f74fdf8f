#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace ropelab {

// Causal attention as the formula has it, in double, for kernels to be compared with.

struct AttentionShape {
    std::int64_t time;
    std::int64_t heads;
    std::int64_t key_value_heads;
    std::int64_t head_dim;
    double rate;  // of dropout
    std::int64_t runs = 2;
    std::int64_t batch = 2;

    std::int64_t width() const { return (heads + 2 * key_value_heads) * head_dim; }
    std::int64_t qkv_size() const { return runs * batch * time * width(); }
    std::int64_t mixed_size() const { return runs * batch * time * heads * head_dim; }
    std::int64_t rows() const { return runs * batch * heads * time; }
    double scale() const { return 1.0 / std::sqrt(static_cast<double>(head_dim)); }
};

/// The stream that every run's dropout draws from.
struct DropoutOfRuns {
    std::string what;
    std::vector<std::int64_t> seeds;
    std::uint64_t step;
};

struct AttentionResult {
    std::vector<float> mixed;     // (runs, batch·time, heads, head_dim)
    std::vector<float> log_sums;  // (runs, batch, heads, time), of base 2
    std::vector<float> of_qkv;    // as qkv
};

/// qkv: (runs, batch·time, heads + 2·key_value_heads, head_dim), its queries and keys turned already; of_mixed: the
/// gradient that arrives, as `mixed`.
AttentionResult attention_by_definition(const AttentionShape& shape, const DropoutOfRuns& dropout,
                                        const std::vector<float>& qkv, const std::vector<float>& of_mixed);

}  // namespace ropelab
