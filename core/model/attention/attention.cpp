#include "core/model/attention/attention.h"

#include "core/model/attention/cpu.h"
#include "core/model/attention/cuda.h"
#include "core/model/attention/reference.h"

namespace ropelab {

namespace {

// Returns the input as backends for whole batches require it: one tensor of queries, keys and values, already
// normalized.
AttentionInput packed(const AttentionInput& input) {
    if (!input.query_norm.defined()) return input;
    const LayerVectors vectors = reference_attention::vectors_of(input);
    AttentionInput result = input;
    result.qkv = torch::cat({vectors.query, vectors.key, vectors.value}, 3).flatten(3).flatten(1, 2);
    result.query_norm = torch::Tensor();
    result.key_norm = torch::Tensor();
    return result;
}

}  // namespace

AttentionBackend attention_backend(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use) {
    if (cuda_attention::supports(input, terms, use)) return AttentionBackend::cuda;
    if (cpu_attention::supports(input, terms, use)) return AttentionBackend::cpu;
    return AttentionBackend::reference;
}

torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                     const std::string& place, const AttentionUse& use) {
    switch (attention_backend(input, terms, use)) {
        case AttentionBackend::cpu:
            if (use.cache) return cpu_attention::attend_one(packed(input), terms, *use.cache, use.layer);
            return cpu_attention::attend(packed(input), terms, dropout, place);
        case AttentionBackend::cuda:
            return cuda_attention::attend(packed(input), terms, dropout, place);
        case AttentionBackend::reference:
            break;
    }
    return reference_attention::attend(input, terms, dropout, place, use);
}

}  // namespace ropelab
