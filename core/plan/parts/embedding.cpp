#include "core/plan/parts/embedding.h"

namespace ropelab {

namespace {

Tensor token_table(const char* name, Count rows, Count width, bool multiplies) {
    return {.name = name,
            .shape = {rows, width},
            .place = storage::token_table,
            .deviation = 0.02,
            .multiplies = multiplies,
            .embeds = true};
}

}  // namespace

Stages Embedding::stages(const PlanSizes& n) const {
    const auto rows = extents({n.B, n.T, n.C});
    Stages result = {{.id = "tokens",
                      .name = "Tokens",
                      .symbols = "(B, T)",
                      .shape = extents({n.B, n.T}),
                      .formula = "x_t ∈ {0, …, V − 1}",
                      .settings = {"batch", "context", "tokenizer", "vocabulary_size"}},
                     {.id = "embedding",
                      .name = "Token embedding",
                      .symbols = "(B, T, C)",
                      .shape = rows,
                      .formula = "X_t = " + (positions == Positions::sinusoidal ? "" : factor_text(factor)) + "E[x_t]",
                      .settings = {"width", "tokenizer", "vocabulary_size"},
                      .tensors = {token_table("embedding.weight", n.V, n.C, false)}}};
    if (smear_channels > 0) {
        const auto vector = [](const char* name, std::int64_t size) {
            return Tensor{.name = name, .shape = {size}, .place = storage::smear, .multiplies = false, .embeds = true};
        };
        const auto own = product_of({n.C, n.state_number_bytes});
        result.push_back({.id = "smear",
                          .name = "Token smear",
                          .symbols = "(B, T, C)",
                          .shape = rows,
                          .formula = "X_t ← X_t + λ·σ(w·X_t[0 … " + std::to_string(smear_channels - 1) + "])·X_{t−1}",
                          .settings = {"token_smear"},
                          .tensors = {vector("smear.gate", smear_channels), vector("smear.factor", 1)},
                          .state_bytes = own.value_or(0)});
    }
    switch (positions) {
        case Positions::none:
            break;
        case Positions::learned:
            result.push_back({.id = "positions",
                              .name = "Position embedding",
                              .kind = "learned",
                              .symbols = "(B, T, C)",
                              .shape = rows,
                              .formula = "X_t ← X_t + P[t]",
                              .settings = {"position", "context"},
                              .tensors = {token_table("positions.weight", position_rows, n.C, false)}});
            break;
        case Positions::sinusoidal:
            result.push_back({.id = "positions",
                              .name = "Position embedding",
                              .kind = "sinusoidal",
                              .symbols = "(B, T, C)",
                              .shape = rows,
                              .formula = "X_t ← √C·X_t + PE(t)",
                              .settings = {"position"}});
            break;
    }
    return result;
}

Stages OutputHead::stages(const PlanSizes& n, const Stages& between) const {
    Stages result;
    if (norm) result.push_back(norm->stage(n, "final_norm", "Final norm", "final_norm"));
    result.insert(result.end(), between.begin(), between.end());
    AnatomyStage head = {.id = "head",
                         .name = "Output head",
                         .kind = is_tied ? "tied to the embedding" : "",
                         .symbols = "(B, T, V)",
                         .shape = extents({n.B, n.T, n.V}),
                         .formula = "logits = " + factor_text(factor) + (norm ? "H" : "X") +
                                    (is_tied ? "·E^⊤" : "·W_head^⊤") + (has_bias ? " + β_head" : ""),
                         .settings = {"tied_head", "head_bias", "tokenizer", "vocabulary_size"}};
    if (soft_cap > 0) head.formula += ",  " + soft_cap_text("logits", soft_cap);
    if (is_tied) {
        const Count numbers = product_of({n.V, n.C});
        head.operations = numbers ? std::optional(2.0 * real(numbers)) : std::nullopt;
    } else {
        head.tensors.push_back(token_table("head.weight", n.V, n.C, true));
    }
    if (has_bias) {
        head.tensors.push_back({.name = "head.bias", .shape = {n.V}, .place = storage::bias, .embeds = true});
    }
    if (!is_known) head.parameters.reset();
    result.push_back(std::move(head));
    return result;
}

}  // namespace ropelab
