#include "core/engine/attention/backend.h"

#include "core/engine/attention/cpu.h"
#include "core/engine/attention/reference.h"
#include "core/engine/device/accelerator.h"
#include "core/engine/operations/operations.h"

namespace ropelab {

namespace {

// One tensor, already normalized, as the CPU backend requires it.
AttentionInput packed(const AttentionInput& input, const AttentionUse& use) {
    if (!input.query_norm.defined()) return input;
    const LayerVectors vectors = vectors_of(input);
    AttentionInput result = input;
    result.qkv = torch::cat({vectors.query, vectors.key, vectors.value}, 3).flatten(3).flatten(1, 2);
    result.query_norm = torch::Tensor();
    result.key_norm = torch::Tensor();
    use.stages.computed("attention.qk_norm");
    return result;
}

torch::Tensor reported(const torch::Tensor& mixed, const LayerTerms& terms, const AttentionUse& use) {
    use.stages.computed("attention.scores", {"attention.weights", "attention.values"});
    const auto within = [&](const char* stage, std::int64_t layer) {
        if (use.stages.observer) use.stages.observer->contained(stage, layer, "attention.scores", use.layer);
    };
    const RelativeTerms& relative = terms.relative;
    if (terms.tables.defined()) within("attention.rotation", use.layer);
    if (std::holds_alternative<DistanceBiasTerms>(relative) || std::holds_alternative<KerpleTerms>(relative)) {
        within("distances", -1);
    } else if (!std::holds_alternative<PlainScores>(relative) && !std::holds_alternative<AlibiTerms>(relative)) {
        within("attention.relative_keys", use.layer);
    }
    if (std::holds_alternative<ShawTerms>(relative)) within("attention.relative_values", use.layer);
    return mixed;
}

// Whole batches on a device by LibTorch's scaled_dot_product_attention, in the type of the input: for bfloat16,
// LibTorch chooses flash attention, which stores no scores. The reference converts such an input to float32.
bool flash_supports(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                    const AttentionUse& use) {
    const auto type = input.qkv.scalar_type();
    return (type == torch::kFloat32 || type == torch::kBFloat16) && !dropout.active() && !use.cache && !use.hook &&
           terms.tables.plain() && terms.only_causal() && terms.only_products() && !terms.sinks.defined();
}

torch::Tensor attend_by_flash(const AttentionInput& input, const LayerTerms& terms, const StageMarks& stages) {
    // Norms and rotation are computed in float32, as the reference defines them.
    LayerVectors vectors = vectors_of(input);
    if (input.query_norm.defined()) stages.computed("attention.qk_norm");
    vectors.query = encoded_queries(vectors.query, terms);
    vectors.key = encoded_keys(vectors.key, terms);
    vectors = repeat_heads(std::move(vectors));
    const auto by_head = [&](const torch::Tensor& x) { return heads_first(x.to(input.qkv.scalar_type())); };
    const torch::Tensor mixed = torch::scaled_dot_product_attention(by_head(vectors.query), by_head(vectors.key),
                                                                    by_head(vectors.value), {}, 0.0, true);
    return mixed.transpose(1, 2).reshape({input.qkv.size(0), input.qkv.size(1), -1});
}

}  // namespace

AttentionBackend attention_backend(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use,
                                   const Dropout& dropout) {
    if (use.stages.wants_outputs() || is_eager()) return AttentionBackend::reference;
    if (is_accelerated(input.qkv.device()) && flash_supports(input, terms, dropout, use)) {
        return AttentionBackend::flash;
    }
    if (cpu_attention_supports(input, terms, use)) return AttentionBackend::cpu;
    return AttentionBackend::reference;
}

torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                     const std::string& place, const AttentionUse& use) {
    switch (attention_backend(input, terms, use, dropout)) {
        case AttentionBackend::cpu:
            if (use.cache && input.time() == 1)
                return attend_one_on_cpu(packed(input, use), terms, *use.cache, use.layer);
            if (use.cache) return attend_first_on_cpu(packed(input, use), terms, *use.cache, use.layer);
            return reported(attend_on_cpu(packed(input, use), terms, dropout, place, use.stages), terms, use);
        case AttentionBackend::flash:
            return reported(attend_by_flash(input, terms, use.stages), terms, use);
        case AttentionBackend::reference:
            break;
    }
    return attend_by_reference(input, terms, dropout, place, use);
}

}  // namespace ropelab
