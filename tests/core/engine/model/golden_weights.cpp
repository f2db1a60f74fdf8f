#include "tests/core/engine/model/golden_weights.h"

#include <algorithm>
#include <functional>

#include "core/base/error.h"
#include "core/rope/rotation.h"

namespace ropelab {

namespace {

// Returns the tensor with the given name. Throws BadInput if there is none.
const NamedTensor& tensor(std::span<const NamedTensor> tensors, const std::string& name) {
    const auto found =
        std::find_if(tensors.begin(), tensors.end(), [&](const NamedTensor& t) { return t.name == name; });
    if (found == tensors.end()) throw BadInput("The weights have no tensor \"" + name + "\".");
    return *found;
}

NamedTensor renamed(std::span<const NamedTensor> tensors, const std::string& from, const std::string& to) {
    NamedTensor result = tensor(tensors, from);
    result.name = to;
    return result;
}

// Permutes the rows of a tensor: row r of the result is row source(r) of `given`.
NamedTensor with_rows(NamedTensor given, const std::function<std::int64_t(std::int64_t)>& source) {
    const std::int64_t rows = given.shape.front();
    const std::int64_t length = static_cast<std::int64_t>(given.values.size()) / rows;
    NamedTensor result = given;
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto from = given.values.begin() + source(row) * length;
        std::copy(from, from + length, result.values.begin() + row * length);
    }
    return result;
}

// Returns, for each channel of a query or key head in the canonical layout, its index in the layout of Hugging Face.
std::vector<std::int64_t> half_paired_channels(const RunSpec& spec) {
    const int rotary = spec.rotates() ? rotary_dim(spec.head_dim(), spec.fraction) : 0;
    return canonical_channels(spec.head_dim(), rotary, Partial::slice, Pairing::half);
}

// Concatenates two tensors along their first dimension.
NamedTensor stacked(NamedTensor above, const NamedTensor& below) {
    above.shape.front() += below.shape.front();
    above.values.insert(above.values.end(), below.values.begin(), below.values.end());
    return above;
}

// Throws BadInput if the norms of `spec` are not those of the other program's model.
void require_its_norms(const RunSpec& spec, const std::string& architecture) {
    if (spec.qk_norm != QkNorm::none) {
        throw BadInput("Weights of " + architecture + " have no QK norm, so qk_norm must be false.");
    }
    RunSpec its_norm = spec;
    its_norm.norm = NormKind::automatic;
    if (spec.norm_kind() != its_norm.norm_kind() || spec.norm_position != NormPosition::pre) {
        throw BadInput(
            "Weights of " + architecture +
            " have the norms of their block before each branch, so norm must be auto and norm_position pre.");
    }
}

// Throws BadInput if the model of `spec` has weights of attention that the other program's model lacks.
void require_plain_attention(const RunSpec& spec, const std::string& architecture) {
    if (spec.attention != AttentionKind::mha || spec.attention_sinks || spec.has_delta_net()) {
        throw BadInput("Weights of " + architecture +
                       " are those of multi-head attention in every layer, so attention must be mha, attention_sinks "
                       "false, and attention_layers without deltanet.");
    }
}

// Throws BadInput if the feed-forward networks of `spec` are not those of the other program's model.
void require_feed_forward(const RunSpec& spec, FeedForward kind, const std::string& architecture) {
    if (spec.experts > 0) throw BadInput("Weights of " + architecture + " have no experts, so experts must be 0.");
    if (spec.feed_forward_kind() == kind) return;
    throw BadInput("Weights of " + architecture + " belong to networks with " +
                   (kind == FeedForward::swiglu ? "SwiGLU, so feed_forward must be auto or swiglu."
                                                : "GELU, so feed_forward must be auto or gelu."));
}

}  // namespace

std::vector<NamedTensor> from_nanogpt(std::span<const NamedTensor> tensors, const RunSpec& spec) {
    require_its_norms(spec, "nanoGPT");
    require_plain_attention(spec, "nanoGPT");
    require_feed_forward(spec, FeedForward::gelu, "nanoGPT");
    std::vector<NamedTensor> result;
    const auto move = [&](const std::string& from, const std::string& to) {
        result.push_back(renamed(tensors, from + ".weight", to + ".weight"));
        if (spec.bias) result.push_back(renamed(tensors, from + ".bias", to + ".bias"));
    };
    result.push_back(renamed(tensors, "transformer.wte.weight", "embedding.weight"));
    if (spec.learns_positions()) result.push_back(renamed(tensors, "transformer.wpe.weight", "positions.weight"));
    if (!spec.tied_head) result.push_back(renamed(tensors, "lm_head.weight", "head.weight"));
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string from = "transformer.h." + std::to_string(layer);
        const std::string to = "layers." + std::to_string(layer);
        move(from + ".ln_1", to + ".attention_norm");
        move(from + ".attn.c_attn", to + ".attention.qkv");
        move(from + ".attn.c_proj", to + ".attention.output");
        move(from + ".ln_2", to + ".mlp_norm");
        move(from + ".mlp.c_fc", to + ".mlp.up");
        move(from + ".mlp.c_proj", to + ".mlp.down");
    }
    move("transformer.ln_f", "final_norm");
    return result;
}

std::vector<NamedTensor> from_gpt_neox(std::span<const NamedTensor> tensors, const RunSpec& spec) {
    require_its_norms(spec, "GPTNeoXForCausalLM");
    require_plain_attention(spec, "GPTNeoXForCausalLM");
    require_feed_forward(spec, FeedForward::gelu, "GPTNeoXForCausalLM");
    const std::int64_t head_dim = spec.head_dim();
    const auto channels = half_paired_channels(spec);
    // Converts a row index of Layout, (kind, head, canonical channel), to one of GPT-NeoX, (head, kind, channel). The
    // kinds are q, k and v. Channels of values are not permuted, because values are not rotated.
    const auto fused_row = [&](std::int64_t row) {
        const std::int64_t kind = row / spec.width;
        const std::int64_t head = row % spec.width / head_dim;
        const std::int64_t channel = row % head_dim;
        const bool is_permuted = kind < 2;
        return head * 3 * head_dim + kind * head_dim +
               (is_permuted ? channels[static_cast<std::size_t>(channel)] : channel);
    };

    std::vector<NamedTensor> result;
    const auto move = [&](const std::string& from, const std::string& to) {
        for (const char* part : {".weight", ".bias"}) result.push_back(renamed(tensors, from + part, to + part));
    };
    result.push_back(renamed(tensors, "gpt_neox.embed_in.weight", "embedding.weight"));
    if (!spec.tied_head) result.push_back(renamed(tensors, "embed_out.weight", "head.weight"));
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string from = "gpt_neox.layers." + std::to_string(layer);
        const std::string to = "layers." + std::to_string(layer);
        move(from + ".input_layernorm", to + ".attention_norm");
        for (const char* part : {".weight", ".bias"}) {
            NamedTensor fused =
                renamed(tensors, from + ".attention.query_key_value" + part, to + ".attention.qkv" + part);
            if (fused.shape.front() != 3 * spec.width)
                throw BadInput("The tensor \"" + from + ".attention.query_key_value" + part +
                               "\" must have three times as many rows as the width.");
            result.push_back(with_rows(std::move(fused), fused_row));
        }
        move(from + ".attention.dense", to + ".attention.output");
        move(from + ".post_attention_layernorm", to + ".mlp_norm");
        move(from + ".mlp.dense_h_to_4h", to + ".mlp.up");
        move(from + ".mlp.dense_4h_to_h", to + ".mlp.down");
    }
    move("gpt_neox.final_layer_norm", "final_norm");
    return result;
}

std::vector<NamedTensor> from_llama(std::span<const NamedTensor> tensors, const RunSpec& spec) {
    require_its_norms(spec, "LlamaForCausalLM");
    require_plain_attention(spec, "LlamaForCausalLM");
    require_feed_forward(spec, FeedForward::swiglu, "LlamaForCausalLM");
    const std::int64_t head_dim = spec.head_dim();
    const auto channels = half_paired_channels(spec);
    const auto paired_row = [&](std::int64_t row) {
        return row / head_dim * head_dim + channels[static_cast<std::size_t>(row % head_dim)];
    };

    std::vector<NamedTensor> result;
    const auto move = [&](const std::string& from, const std::string& to) {
        result.push_back(renamed(tensors, from + ".weight", to + ".weight"));
    };
    move("model.embed_tokens", "embedding");
    if (!spec.tied_head) move("lm_head", "head");
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string from = "model.layers." + std::to_string(layer);
        const std::string to = "layers." + std::to_string(layer);
        move(from + ".input_layernorm", to + ".attention_norm");
        const auto projection = [&](const std::string& name) {
            return renamed(tensors, from + ".self_attn." + name + "_proj.weight", to + ".attention.qkv.weight");
        };
        result.push_back(stacked(
            stacked(with_rows(projection("q"), paired_row), with_rows(projection("k"), paired_row)), projection("v")));
        move(from + ".self_attn.o_proj", to + ".attention.output");
        move(from + ".post_attention_layernorm", to + ".mlp_norm");
        result.push_back(stacked(renamed(tensors, from + ".mlp.gate_proj.weight", to + ".mlp.gate_up.weight"),
                                 tensor(tensors, from + ".mlp.up_proj.weight")));
        move(from + ".mlp.down_proj", to + ".mlp.down");
    }
    move("model.norm", "final_norm");
    return result;
}

}  // namespace ropelab
