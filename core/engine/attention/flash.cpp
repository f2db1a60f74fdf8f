#include "core/engine/attention/flash.h"

#include "core/engine/attention/reference.h"

namespace ropelab::flash_attention {

bool supports(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout, const AttentionUse& use) {
    const auto type = input.qkv.scalar_type();
    return (type == torch::kFloat32 || type == torch::kBFloat16) && !dropout.active() && !use.cache && !use.hook &&
           terms.tables.plain() && terms.only_causal() && terms.only_products() && !terms.sinks.defined();
}

torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const StageMarks& stages) {
    // Norms and rotation are computed in float32, as the reference defines them.
    LayerVectors vectors = reference_attention::vectors_of(input);
    if (input.query_norm.defined()) stages.computed("attention.qk_norm");
    vectors.query = encoded_queries(vectors.query, terms);
    vectors.key = encoded_keys(vectors.key, terms);
    vectors = reference_attention::repeat_heads(std::move(vectors));
    const auto by_head = [&](const torch::Tensor& x) {  // (runs·batch, heads, time, head_dim)
        return x.to(input.qkv.scalar_type()).flatten(0, 1).transpose(1, 2);
    };
    const torch::Tensor mixed = torch::scaled_dot_product_attention(by_head(vectors.query), by_head(vectors.key),
                                                                    by_head(vectors.value), {}, 0.0, true);
    return mixed.transpose(1, 2).reshape({input.qkv.size(0), input.qkv.size(1), -1});
}

}  // namespace ropelab::flash_attention
