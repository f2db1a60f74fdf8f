#include "core/engine/attention/attention.h"

#include "core/engine/attention/cpu.h"
#include "core/engine/attention/flash.h"
#include "core/engine/attention/reference.h"
#include "core/engine/device/accelerator.h"
#include "core/engine/operations/operations.h"

namespace ropelab {

namespace {

// One tensor, already normalized, as the CPU backend requires it.
AttentionInput packed(const AttentionInput& input, const AttentionUse& use) {
    if (!input.query_norm.defined()) return input;
    const LayerVectors vectors = reference_attention::vectors_of(input);
    AttentionInput result = input;
    result.qkv = torch::cat({vectors.query, vectors.key, vectors.value}, 3).flatten(3).flatten(1, 2);
    result.query_norm = torch::Tensor();
    result.key_norm = torch::Tensor();
    use.stages.computed("attention.qk_norm");
    return result;
}

torch::Tensor reported(const torch::Tensor& mixed, const LayerTerms& terms, const AttentionUse& use) {
    use.stages.computed("attention.scores", {"attention.weights", "attention.values"});
    if (terms.tables.defined() && use.stages.observer) {
        use.stages.observer->contained("attention.rotation", use.layer, "attention.scores", use.layer);
    }
    return mixed;
}

}  // namespace

AttentionBackend attention_backend(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use,
                                   const Dropout& dropout) {
    if (use.stages.wants_outputs() || is_eager()) return AttentionBackend::reference;
    if (is_accelerated(input.qkv.device()) && flash_attention::supports(input, terms, dropout, use)) {
        return AttentionBackend::flash;
    }
    if (cpu_attention::supports(input, terms, use)) return AttentionBackend::cpu;
    return AttentionBackend::reference;
}

torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                     const std::string& place, const AttentionUse& use) {
    switch (attention_backend(input, terms, use, dropout)) {
        case AttentionBackend::cpu:
            if (use.cache) return cpu_attention::attend_one(packed(input, use), terms, *use.cache, use.layer);
            return reported(cpu_attention::attend(packed(input, use), terms, dropout, place), terms, use);
        case AttentionBackend::flash:
            return reported(flash_attention::attend(input, terms, use.stages), terms, use);
        case AttentionBackend::reference:
            break;
    }
    return reference_attention::attend(input, terms, dropout, place, use);
}

}  // namespace ropelab
