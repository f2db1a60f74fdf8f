#include "core/plan/parts/relative.h"

#include <cmath>

#include "core/rope/encodings.h"

namespace ropelab {

namespace {

struct Context {
    const PlanSizes& n;
    const Heads& heads;
    const std::string& score;

    double C() const { return real(product_of({heads.h, heads.D})); }
    static Tensor table(std::string name, std::int64_t rows, Count columns, double deviation) {
        return {.name = std::move(name),
                .shape = {rows, columns},
                .place = storage::distance_table,
                .deviation = deviation,
                .multiplies = false,
                .embeds = true};
    }
};

constexpr double table_deviation = 0.02;

RelativeFacts facts(const PlainScores& /*unused*/, const Context& at) {
    return {.score = at.score};
}

RelativeFacts facts(const Alibi& /*unused*/, const Context& at) {
    return {.name = "ALiBi", .score = at.score + " − slope_h·(m − n)"};
}

RelativeFacts facts(const DistanceBias& bias, const Context& at) {
    RelativeFacts result = {.name = "T5 bias", .score = at.score + " + b_h(m − n)", .kept_per_score = 3.0};
    Tensor table = Context::table("distance_bias.weight", 0, bias.buckets, table_deviation);
    table.shape = {at.heads.h, bias.buckets};
    result.shared.push_back({.id = "distances",
                             .name = "Bias by distance",
                             .kind = "T5",
                             .symbols = "(h, M)",
                             .shape = extents({at.heads.h, bias.buckets}),
                             .formula = "b_h(m − n) = B[h, bucket(m − n)]",
                             .settings = {"position", "distance_buckets", "largest_distance"},
                             .tensors = {std::move(table)}});
    return result;
}

RelativeFacts facts(const Shaw& shaw, const Context& at) {
    RelativeFacts result = {.name = "Shaw",
                            .score = "S_mn = (q_m·k_n + P_{m,Δ})/√D",
                            .kept_per_score = 4.5,
                            .kept_logits_by_libtorch = 1.0};
    const double products = 2.0 * at.C() * real(shaw.vectors);
    result.keys.push_back(
        {.id = "attention.relative_keys",
         .name = "Relative positions of keys",
         .kind = "Shaw",
         .symbols = "(B, h, T, M)",
         .shape = extents({at.n.B, at.heads.h, at.n.T, shaw.vectors}),
         .formula = "P_{m,Δ} = q_m·a^K_{min(Δ, M − 1)},  Δ = m − n",
         .settings = {"position", "relative_clip"},
         .tensors = {Context::table("attention.relative_keys.weight", shaw.vectors, at.heads.D, table_deviation)},
         .operations = products});
    result.values.push_back(
        {.id = "attention.relative_values",
         .name = "Relative position embeddings of values",
         .kind = "Shaw",
         .symbols = "(B, h, T, D)",
         .shape = extents({at.n.B, at.heads.h, at.n.T, at.heads.D}),
         .formula = "O_m ← O_m + Σ_n A_mn·a^V_{min(m − n, M − 1)}",
         .settings = {"position", "relative_clip"},
         .tensors = {Context::table("attention.relative_values.weight", shaw.vectors, at.heads.D, table_deviation)},
         .operations = products});
    return result;
}

RelativeFacts facts(const TransformerXl& encoding, const Context& at) {
    RelativeFacts result = {.name = "Transformer-XL",
                            .score = "S_mn = ((q_m + u)·k_n + P_{m,Δ})/√D",
                            .kept_per_score = 5.5,
                            .kept_logits_by_libtorch = 2.0};
    const PlanSizes& n = at.n;
    const Count rows = product_of({at.heads.kv, at.heads.D});
    const auto of_heads = [&](const char* name) {
        return Tensor{
            .name = name, .shape = {at.heads.h, at.heads.D}, .deviation = table_deviation, .multiplies = false};
    };
    result.shared.push_back({.id = "distances",
                             .name = "Embedding of distances",
                             .kind = "Transformer-XL, with the biases u and v",
                             .symbols = "(T, C)",
                             .shape = extents({n.T, n.C}),
                             .formula = "R_Δ = PE(Δ),  Δ = m − n",
                             .settings = {"position"},
                             .tensors = {of_heads("content_bias.weight"), of_heads("distance_query.weight")}});
    result.keys.push_back({.id = "attention.relative",
                           .name = "Keys of distances",
                           .kind = "Transformer-XL, once per batch",
                           .symbols = "(T, h_kv·D)",
                           .shape = extents({n.T, rows}),
                           .formula = "k^R_Δ = R_Δ·W_R^⊤",
                           .settings = {"position", "key_value_heads", "batch", "micro_batch"},
                           .tensors = {{.name = "attention.relative.weight",
                                        .shape = {rows, n.C},
                                        .place = storage::distance_table,
                                        .deviation = n.matrix_deviation(n.C, rows),
                                        .multiplies = false}},
                           .operations = 2.0 * at.C() * real(rows) / real(encoding.sequences)});
    result.keys.push_back({.id = "attention.relative_keys",
                           .name = "Relative positions of keys",
                           .kind = "Transformer-XL",
                           .symbols = "(B, h, T, T)",
                           .shape = extents({n.B, at.heads.h, n.T, n.T}),
                           .formula = "P_{m,Δ} = (q_m + v)·k^R_Δ,  Δ = m − n",
                           .settings = {"position", "context"},
                           .operations = 2.0 * at.C() * real(n.T)});
    return result;
}

RelativeFacts facts(const Cope& cope, const Context& at) {
    RelativeFacts result = {.name = "CoPE",
                            .score = at.score + " + P_m interpolated at p_n",
                            .kept_per_score = 16.0,
                            .kept_logits_by_libtorch = 13.0};
    result.keys.push_back({.id = "attention.relative_keys",
                           .name = "Contextual positions",
                           .kind = "CoPE",
                           .symbols = "(B, h, T, M)",
                           .shape = extents({at.n.B, at.heads.h, at.n.T, cope.positions}),
                           .formula = "P_mi = q_m·e_i,  p_n = min(Σ_{j=n…m} σ(q_m·k_j/√D), M − 1)",
                           .settings = {"position", "cope_positions"},
                           .tensors = {Context::table("attention.contextual.weight", cope.positions, at.heads.D, 0.0)},
                           .operations = 2.0 * at.C() * real(cope.positions)});
    return result;
}

// The logarithms of r1 and r2 are trained, so that both stay positive without a bound at which gradients vanish.
RelativeFacts facts(const Kerple& /*unused*/, const Context& at) {
    RelativeFacts result = {
        .name = "KERPLE", .score = at.score + " − r_{1,h}·ln(1 + r_{2,h}·(m − n))", .kept_per_score = 3.0};
    const auto of_heads = [&](const char* name, double KerpleKernel::*number) {
        Tensor tensor = {.name = name, .shape = {at.heads.h}, .place = storage::decay, .embeds = true};
        for (const KerpleKernel& kernel : initial_kernels(static_cast<std::size_t>(at.heads.h.value_or(0)))) {
            tensor.initial.push_back(std::log(kernel.*number));
        }
        return tensor;
    };
    result.shared.push_back({.id = "distances",
                             .name = "Bias by distance",
                             .kind = "KERPLE",
                             .symbols = "(h, T)",
                             .shape = extents({at.heads.h, at.n.T}),
                             .formula = "b_h(m − n) = −r_{1,h}·ln(1 + r_{2,h}·(m − n))",
                             .settings = {"position", "heads"},
                             .tensors = {of_heads("distance_kernel.log_r1", &KerpleKernel::r1),
                                         of_heads("distance_kernel.log_r2", &KerpleKernel::r2)}});
    return result;
}

}  // namespace

bool is_fused(const Relative& relative) {
    return std::holds_alternative<PlainScores>(relative) || std::holds_alternative<Alibi>(relative);
}

RelativeFacts facts_of(const Relative& relative, const PlanSizes& sizes, const Heads& heads, const std::string& score) {
    return std::visit([&](const auto& encoding) { return facts(encoding, Context{sizes, heads, score}); }, relative);
}

}  // namespace ropelab
