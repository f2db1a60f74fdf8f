#include "core/interop/hf_anatomy_parts.h"
#include "core/rope/memory.h"

namespace ropelab {

namespace {

namespace stage_words = stages::words;

using stages::stage_with;

constexpr int hf_cached_number_bytes = 2;  // bfloat16 or float16
constexpr int hf_state_number_bytes = 4;   // float32

double real_or_zero(HfCount count) {
    return static_cast<double>(count.value_or(0));
}

AnatomyStage shaped(const stages::StageWords& said, std::initializer_list<HfCount> shape) {
    AnatomyStage stage = stage_with(said);
    shape_stage(stage, shape);
    return stage;
}

bool has_qkv_bias(const HfFacts& facts) {
    return facts.decoder && facts.decoder->qkv_bias;
}

// Adds the scores, weights and weighted values of softmax attention. A query or key has `channels` channels, a value
// `value_channels`.
void add_softmax(std::vector<AnatomyStage>& stages, const HfFacts& facts, const HfLayer& layer, HfCount heads,
                 HfCount channels, HfCount value_channels, const std::string& score) {
    const HfSizes& n = facts.n;
    const bool has_sink = facts.decoder && facts.decoder->has_sinks;
    const auto operations = [&](HfCount width) {
        return heads && width ? std::optional(2.0 * facts.keys(layer) * real_or_zero(heads) * real_or_zero(width))
                              : std::nullopt;
    };
    AnatomyStage scores = hf_stage("attention.scores", "Attention scores", "(B, h, T, T)", {1, heads, n.T, n.T},
                                   facts.is_encoder ? score : score + " for n ≤ m, else −∞");
    scores.operations = operations(channels);
    stages.push_back(std::move(scores));
    AnatomyStage weights =
        shaped(has_sink ? stage_words::weights_with_sink : stage_words::weights, {1, heads, n.T, n.T});
    if (has_sink) weights.parameters = heads;
    stages.push_back(std::move(weights));
    AnatomyStage values = shaped(stage_words::values, {1, heads, n.T, value_channels});
    values.operations = operations(value_channels);
    stages.push_back(std::move(values));
}

void add_output(std::vector<AnatomyStage>& stages, const HfFacts& facts, HfCount columns) {
    const bool has_bias = facts.decoder && facts.decoder->output_bias;
    AnatomyStage output = hf_stage("attention.output", "Attention output", "(B, T, C)", {1, facts.n.T, facts.n.C},
                                   std::string("Y = [O_1 … O_h]·W_o^⊤") + (has_bias ? " + b_o" : ""));
    set_matrix(output, facts.n.C, columns, has_bias);
    stages.push_back(std::move(output));
}

HfCount cache_per_token(const HfFacts& facts, const std::optional<HfHeads>& heads) {
    if (facts.is_encoder) return 0;
    if (!facts.model.cache || (!heads && !facts.is_latent)) return std::nullopt;
    CacheShape layer = *facts.model.cache;
    layer.layers = 1;
    layer.global_layers = 0;
    if (heads) layer.kv_heads = heads->kv;
    if (heads) layer.head_dim = heads->D;
    return kv_cache_bytes(layer, heads ? KvCache::grouped : KvCache::latent, 1, hf_cached_number_bytes);
}

// Adds queries, keys and values of latent attention.
void add_latent(std::vector<AnatomyStage>& stages, const HfFacts& facts, const HfLayer& layer) {
    const HfSizes& n = facts.n;
    const bool has_bias = has_qkv_bias(facts);
    const std::string bias = has_bias ? " + b" : "";
    const std::string input = facts.attention_input(layer);
    const HfCount channels = sum_of({n.D, n.R});
    if (n.has_query_latent) {
        AnatomyStage query_latent = hf_stage("attention.query_latent", "Latent vector of the queries", "(B, T, L_q)",
                                             {1, n.T, n.L_q}, "c^Q = " + input + "·W_{cq}^⊤" + bias);
        set_matrix(query_latent, n.L_q, n.C, has_bias);
        stages.push_back(std::move(query_latent));
        AnatomyStage norm = shaped(stage_words::latent_norm, {1, n.T, n.L_q});
        norm.id = "attention.query_norm";
        norm.name = "Norm of the latent vector of the queries";
        norm.symbols = "(B, T, L_q)";
        norm.parameters = n.L_q;
        stages.push_back(std::move(norm));
    }
    AnatomyStage query =
        hf_stage("attention.query", "Queries", "(B, T, h·(D + D_r))", {1, n.T, product_of({n.h, channels})},
                 "[Q Q^R] = " + (n.has_query_latent ? "c^Q" : input) + "·W_q^⊤");
    query.kind = "with rotary channels";
    set_matrix(query, product_of({n.h, channels}), n.has_query_latent ? n.L_q : n.C, false);
    stages.push_back(std::move(query));

    AnatomyStage latent = hf_stage("attention.latent", "Latent vector and rotary key", "(B, T, L + D_r)",
                                   {1, n.T, sum_of({n.L, n.R})}, "[c k^R] = " + input + "·W_c^⊤" + bias);
    set_matrix(latent, sum_of({n.L, n.R}), n.C, has_bias);
    latent.cache_bytes = cache_per_token(facts, std::nullopt);
    stages.push_back(std::move(latent));
    AnatomyStage norm = shaped(stage_words::latent_norm, {1, n.T, n.L});
    norm.parameters = n.L;
    stages.push_back(std::move(norm));
    const HfCount rows = product_of({n.h, sum_of({n.D, n.D_v})});
    AnatomyStage key_value =
        hf_stage("attention.key_value", "Keys and values", "(B, T, h·(D + D_v))", {1, n.T, rows}, "[K V] = c·W_kv^⊤");
    key_value.kind = "from the latent vector";
    set_matrix(key_value, rows, n.L, false);
    stages.push_back(std::move(key_value));
    AnatomyStage rotation = shaped(stage_words::rotary_channels, {1, n.h, n.T, n.R});
    rotation.kind = "RoPE";
    stages.push_back(std::move(rotation));
    add_softmax(stages, facts, layer, n.h, channels, n.D_v, stage_words::latent_scores);
    add_output(stages, facts, product_of({n.h, n.D_v}));
}

// Adds the stages of a gated DeltaNet as in Qwen3-Next: a short convolution, and more heads of values than of keys.
void add_linear(std::vector<AnatomyStage>& stages, const HfFacts& facts, const HfLayer& layer) {
    const HfSizes& n = facts.n;
    const std::string input = facts.attention_input(layer);
    const HfCount keys = product_of({n.h_k, n.D_k});
    const HfCount values = product_of({n.h_v, n.D_u});
    const HfCount channels = sum_of({keys, keys, values});
    AnatomyStage qkv = hf_stage("attention.qkv", "Queries, keys, values", "(B, T, 2h_k·D_k + h_v·D_v)",
                                {1, n.T, channels}, "[Q K V] = " + input + "·W_qkv^⊤");
    set_matrix(qkv, channels, n.C, false);
    stages.push_back(std::move(qkv));
    AnatomyStage convolution = hf_stage("attention.convolution", "Short convolution", "(B, T, 2h_k·D_k + h_v·D_v)",
                                        {1, n.T, channels}, "x_t ← SiLU(Σ_j w_j ⊙ x_{t−j})");
    convolution.kind = n.kernel ? std::to_string(*n.kernel) + " tokens of each channel" : "";
    set_matrix(convolution, channels, n.kernel, false);
    if (channels && n.kernel) convolution.state_bytes = *channels * *n.kernel * hf_cached_number_bytes;
    stages.push_back(std::move(convolution));
    AnatomyStage unit = shaped(stage_words::unit_norm, {1, n.h_k, n.T, n.D_k});
    unit.symbols = "(B, h_k, T, D_k)";
    stages.push_back(std::move(unit));
    AnatomyStage rates = shaped(stage_words::rates, {2, 1, n.h_v, n.T});
    rates.symbols = "2 × (B, h_v, T)";
    set_matrix(rates, product_of({2, n.h_v}), n.C, true);  // as many shifts and decays as a bias has
    stages.push_back(std::move(rates));

    const HfCount numbers = product_of({n.h_v, n.D_k, n.D_u});
    AnatomyStage state = shaped(stage_words::state, {1, n.h_v, n.D_k, n.D_u});
    state.symbols = "(B, h_v, D_k, D_v)";
    state.operations.reset();
    AnatomyStage output = shaped(stage_words::state_output, {1, n.h_v, n.T, n.D_u});
    output.symbols = "(B, h_v, T, D_v)";
    output.operations.reset();
    if (numbers) {
        state.operations = stage_words::operations_of_state * real_or_zero(numbers);
        state.state_bytes = *numbers * hf_state_number_bytes;
        output.operations = stage_words::operations_of_state_output * real_or_zero(numbers);
    }
    stages.push_back(std::move(state));
    stages.push_back(std::move(output));
    AnatomyStage norm = shaped(stage_words::head_norm, {1, n.h_v, n.T, n.D_u});
    norm.symbols = "(B, h_v, T, D_v)";
    norm.parameters = n.D_u;
    stages.push_back(std::move(norm));
    AnatomyStage gate = stages::gate_stage("SiLU", "SiLU", input, "");
    gate.symbols = "(B, T, h_v·D_v)";
    shape_stage(gate, {1, n.T, values});
    set_matrix(gate, values, n.C, false);
    stages.push_back(std::move(gate));
    add_output(stages, facts, values);
}

std::string kind_of_heads(const std::optional<HfHeads>& heads) {
    if (!heads) return "unknown";
    return heads->kv == heads->h ? "multi-head" : heads->kv == 1 ? "multi-query" : "grouped";
}

// Adds queries, keys and values with their norm and rotation, and the scores of softmax attention; all of them unknown
// if the heads are.
void add_heads(std::vector<AnatomyStage>& stages, const HfFacts& facts, const HfLayer& layer) {
    const HfSizes& n = facts.n;
    const std::optional<HfHeads> heads = facts.heads(layer);
    const HfCount h = heads ? HfCount(heads->h) : std::nullopt;
    const HfCount kv = heads ? HfCount(heads->kv) : std::nullopt;
    const HfCount D = heads ? HfCount(heads->D) : std::nullopt;
    const bool shared = heads && heads->shares_values;
    const bool has_bias = has_qkv_bias(facts);
    const std::string input = facts.attention_input(layer);
    const HfCount rows = product_of({sum_of({h, kv, shared ? 0 : kv}), D});
    AnatomyStage qkv =
        hf_stage("attention.qkv", "Queries, keys, values", shared ? "(B, T, (h + h_kv)·D)" : "(B, T, (h + 2h_kv)·D)",
                 {1, n.T, rows}, shared ? "[Q K] = " + input + "·W_qk^⊤,  V = K" : "[Q K V] = " + input + "·W_qkv^⊤");
    set_matrix(qkv, rows, n.C, has_bias);
    if (has_bias) qkv.formula += " + b_qkv";
    stages.push_back(std::move(qkv));

    AnatomyStage keys = shaped(stage_words::key_heads, {2, 1, kv, n.T, D});
    keys.kind = kind_of_heads(heads);
    keys.cache_bytes = layer.type == "linear_attention" ? 0 : cache_per_token(facts, heads);
    stages.push_back(std::move(keys));
    if (facts.decoder && facts.decoder->qk_norm != HfQkNorm::none) {
        const bool whole = facts.decoder->qk_norm == HfQkNorm::projection;
        AnatomyStage norm = shaped(stage_words::qk_norm, {1, h, n.T, D});
        norm.kind = whole ? "all heads together" : "per head";
        norm.parameters = whole ? product_of({sum_of({h, kv}), D}) : product_of({2, D});
        stages.push_back(std::move(norm));
    }
    if (layer.rotates) {
        AnatomyStage rotation = shaped(stage_words::rotation, {1, h, n.T, D});
        rotation.kind = "RoPE";
        stages.push_back(std::move(rotation));
    }
    add_softmax(stages, facts, layer, h, D, D, "S_mn = q_m·k_n/√D");
    if (facts.decoder && facts.decoder->gates_attention) {
        AnatomyStage gate = stages::gate_stage("sigmoid", "σ", input, has_bias ? " + b_g" : "");
        shape_stage(gate, {1, n.T, product_of({h, D})});
        set_matrix(gate, product_of({h, D}), n.C, has_bias);
        stages.push_back(std::move(gate));
    }
    add_output(stages, facts, product_of({h, D}));
}

}  // namespace

void add_hf_attention(std::vector<AnatomyStage>& stages, const HfFacts& facts, const HfLayer& layer) {
    if (facts.is_latent) {
        add_latent(stages, facts, layer);
    } else if (layer.type == "linear_attention" && facts.decoder) {
        add_linear(stages, facts, layer);
    } else {
        add_heads(stages, facts, layer);
    }
}

}  // namespace ropelab
