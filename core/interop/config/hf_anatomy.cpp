#include "core/interop/config/hf_anatomy.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/interop/config/hf_facts.h"
#include "core/interop/tensor_names.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr int cached_bytes = 2;  // bfloat16 or float16

bool is_masked(const HfFacts& facts) {
    return facts.decoder && facts.decoder->is_masked;
}

NormPart norm_of(const HfFacts& facts) {
    if (!facts.decoder) return {.kind = NormPart::Kind::unknown};
    switch (facts.decoder->norm) {
        case HfNorm::rms:
            return {.kind = facts.decoder->zero_centred_norms ? NormPart::Kind::zero_centred_rms : NormPart::Kind::rms,
                    .epsilon = facts.norm_epsilon};
        case HfNorm::layer:
            return {.kind = NormPart::Kind::layer, .epsilon = facts.norm_epsilon, .has_bias = true};
        case HfNorm::layer_without_bias:
            return {.kind = NormPart::Kind::layer, .epsilon = facts.norm_epsilon};
        case HfNorm::plain_layer:
            return {.kind = NormPart::Kind::layer, .epsilon = facts.norm_epsilon, .has_weight = false};
    }
    return {};
}

// With two norms per layer, before the branches or on their outputs; with four, both; with one, only attention's.
BranchNorms branch_norms(const HfFacts& facts, bool is_attention, bool has_attention_norm) {
    const int norms = facts.decoder ? facts.decoder->norms : 2;
    const bool on_outputs = facts.decoder && facts.decoder->normalizes_outputs;
    BranchNorms result;
    if (!on_outputs && (is_attention ? has_attention_norm : norms > 1)) result.before = norm_of(facts);
    if (on_outputs || norms == 4) result.output = norm_of(facts);
    return result;
}

// `channels` are those of a head that can rotate.
std::optional<Rotary> rotary_of(const HfFacts& facts, const HfLayer& layer, std::int64_t channels) {
    if (!layer.rotates) return std::nullopt;
    Rotary result;
    const HfRotary* its = facts.model.find_rotary(layer.type);
    if (!its) return result;
    result.pairs.resize(static_cast<std::size_t>(channels / 2));
    const Frequencies frequencies = facts.tokens > 0 ? its->at(static_cast<double>(facts.tokens)) : its->frequencies;
    const std::vector<double>& each = frequencies.inverse_frequencies;
    for (std::size_t i = 0; i < std::min(each.size(), result.pairs.size()); ++i) {
        result.pairs[i] = {.rotates = each[i] != 0, .frequency = each[i]};
    }
    result.pairing = its->setup.pairing;
    if (its->rotary_dim < channels) {
        const double fraction = static_cast<double>(its->rotary_dim) / static_cast<double>(channels);
        result.channels = fraction_text(fraction, static_cast<int>(channels));
    }
    result.attention_factor = frequencies.attention_factor;
    result.settings = frequency_settings(its->setup);
    return result;
}

// `softmax_factor` is that of the rotary embedding (DeepSeek).
Scores scores_of(const HfFacts& facts, const HfLayer& layer, std::int64_t channels) {
    Scores scores = {.has_sinks = facts.decoder && facts.decoder->has_sinks, .keys = facts.keys(layer)};
    if (facts.score_scale) scores.factor = *facts.score_scale * std::sqrt(static_cast<double>(channels));
    const HfRotary* rotary = layer.rotates ? facts.model.find_rotary(layer.type) : nullptr;
    if (rotary) scores.factor *= rotary->softmax_factor;
    scores.soft_cap = facts.score_cap;
    if (facts.model.position == HfPosition::alibi) scores.relative = Alibi();
    scores.caches = facts.model.shape.is_encoder ? std::vector<CachedLayers>() : layer.caches;
    if (facts.has_window(layer)) {
        scores.window = layer.window;
        if (layer.type == "chunked_attention") scores.window_name = "chunked attention";
    }
    return scores;
}

AttentionPart attention_of(const HfFacts& facts, const HfLayer& layer) {
    const HfSizes& n = facts.n;
    const bool has_bias = facts.decoder && facts.decoder->qkv_bias;
    const bool has_output_bias = facts.decoder && facts.decoder->output_bias;
    if (facts.is_latent) {
        return Latent{.h = n.h,
                      .D = n.D,
                      .L = n.L,
                      .R = n.R,
                      .D_v = n.D_v,
                      .has_other_values = true,
                      .has_query_latent = n.has_query_latent,
                      .L_q = n.L_q,
                      .has_bias = has_bias,
                      .has_output_bias = has_output_bias,
                      .norm_epsilon = facts.norm_epsilon,
                      .rotary = rotary_of(facts, layer, n.R.value_or(0)),
                      .scores = scores_of(facts, layer, n.D + n.R.value_or(0))};
    }
    if (layer.type == "linear_attention" && facts.decoder) {
        return DeltaNet{.h_k = n.h_k,
                        .h_v = n.h_v,
                        .D_k = n.D_k,
                        .D_v = n.D_u,
                        .has_own_sizes = true,
                        .has_convolution = true,
                        .kernel = n.kernel};
    }
    Softmax attention = {.has_bias = has_bias,
                         .has_output_bias = has_output_bias,
                         .is_gated = facts.decoder && facts.decoder->gates_attention};
    std::int64_t channels = n.D;
    if (const std::optional<Heads> heads = facts.heads(layer)) {
        attention.heads = *heads;
        attention.shares_values = facts.shares_values && !is_local_attention(layer.type);
        channels = *heads->D;
    }
    attention.rotary = rotary_of(facts, layer, channels);
    attention.scores = scores_of(facts, layer, channels);
    const HfQkNorm norm = facts.decoder ? facts.decoder->qk_norm : HfQkNorm::none;
    attention.head_norm.has_weight = norm != HfQkNorm::rotated_heads;
    if (facts.norm_epsilon != NormPart::usual_epsilon(false)) attention.head_norm.epsilon = facts.norm_epsilon;
    if (facts.decoder && facts.decoder->zero_centred_norms) attention.head_norm.kind = NormPart::Kind::zero_centred_rms;
    if (norm == HfQkNorm::projection) attention.qk_norm = Softmax::QkNorm::projection;
    if (norm == HfQkNorm::head || (norm == HfQkNorm::rotated_heads && layer.rotates)) {
        attention.qk_norm = Softmax::QkNorm::head;
    }
    return attention;
}

// As transformers names functions; `automatic` for one that the program does not compute.
FeedForward kind_of(const std::string& name, bool is_gated) {
    struct Named {
        const char* name;
        FeedForward plain;
        FeedForward gated;
    };
    using F = FeedForward;
    static constexpr std::array<Named, 10> all = {{{"silu", F::swish, F::swiglu},
                                                   {"swish", F::swish, F::swiglu},
                                                   {"gelu", F::gelu, F::geglu},
                                                   {"gelu_python", F::gelu, F::geglu},
                                                   {"gelu_new", F::gelu_tanh, F::geglu_tanh},
                                                   {"gelu_fast", F::gelu_tanh, F::geglu_tanh},
                                                   {"gelu_pytorch_tanh", F::gelu_tanh, F::geglu_tanh},
                                                   {"relu", F::relu, F::reglu},
                                                   {"relu2", F::relu2, F::automatic},
                                                   {"mish", F::mish, F::automatic}}};
    const auto found = std::ranges::find_if(all, [&](const Named& each) { return name == each.name; });
    if (found == all.end()) return F::automatic;
    return is_gated ? found->gated : found->plain;
}

Activation named_activation(const HfFacts& facts, bool is_gated) {
    const FeedForward kind = kind_of(facts.activation, is_gated);
    const bool is_computed = kind != FeedForward::automatic;
    return {.kind = kind,
            .name = is_computed ? activation_of(kind).name : facts.activation,
            .formula = is_computed ? activation_of(kind).formula
                       : is_gated  ? "Z = f(G) ⊙ U"
                                   : "Z = f(U)",
            .is_gated = is_gated,
            .is_known = facts.decoder.has_value()};
}

Mlp mlp_of(const HfFacts& facts, Count width) {
    return {.width = width,
            .activation = named_activation(facts, facts.decoder && facts.decoder->gated),
            .has_bias = facts.decoder && facts.decoder->mlp_bias};
}

FeedForwardPart feed_forward_of(const HfFacts& facts, const HfLayer& layer) {
    const HfSizes& n = facts.n;
    if (!layer.has_experts) return mlp_of(facts, facts.decoder ? n.H : std::nullopt);
    // All model types with experts in the table have gated ones.
    Experts experts = {.E = n.E,
                       .k = n.k,
                       .expert = {.width = n.H_e,
                                  .activation = named_activation(facts, true),
                                  .has_bias = facts.decoder->expert_bias,
                                  .symbol = "F_e"},
                       .choice = facts.expert_choice,
                       .has_router_bias = facts.has_router_bias,
                       .says_router_bias = facts.decoder->expert_bias,
                       .gates_shared = facts.decoder->gates_shared_expert,
                       .weighs_inputs = facts.decoder->experts == HfExperts::interleaved};
    if (n.H_s != 0 && (n.H_s || facts.decoder->experts == HfExperts::after_dense)) {
        experts.shared = mlp_of(facts, n.H_s);
        experts.shared->id = "mlp.shared_";
        experts.shared->name = "Shared expert";
        experts.shared->symbol = "F_s";
    }
    return experts;
}

std::string words_of(std::string type) {
    std::replace(type.begin(), type.end(), '_', ' ');
    return type;
}

// "sliding attention, experts".
std::string layer_words(const HfFacts& facts, const HfLayer& layer) {
    std::string words = words_of(layer.type);
    const auto add = [&](const char* word) { words += (words.empty() ? "" : ", ") + std::string(word); };
    if (facts.decoder && facts.decoder->experts != HfExperts::none) add(layer.has_experts ? "experts" : "dense MLP");
    if (facts.model.position == HfPosition::rotary && !layer.rotates && attends(layer.type)) add("without RoPE");
    if (!layer.has_attention_norm) add("without attention norm");
    return words;
}

// Of masked models.
Stages stages_before_head(const HfFacts& facts, const PlanSizes& n) {
    return {{.id = "head.dense",
             .name = "Dense layer before the output head",
             .kind = named_activation(facts, false).name,
             .symbols = "(B, T, C)",
             .shape = extents({n.B, n.T, n.C}),
             .formula = "U = f(H·W^⊤)",
             .tensors = linear_tensors("head.dense", n.C, n.C, 0, false)},
            norm_of(facts).stage(n, "head.norm", "Norm before the output head", "head.norm")};
}

std::vector<AnatomySize> symbols_of(const HfFacts& facts) {
    const HfSizes& n = facts.n;
    std::vector<AnatomySize> result = {
        {"B", "sequences per batch", 1},
        {"T", "tokens per sequence", n.T},
        {"C", "width", n.C},
        {"h", "heads", n.h},
        {"h_kv", "key and value heads", n.kv},
        {"D", facts.is_latent ? "channels per head without rotation" : "channels per head", n.D},
        {"F", "hidden width of the MLP", n.H},
        {"V", "vocabulary", n.V}};
    const auto add = [&](bool is_part, const char* symbol, const char* meaning, Count value) {
        if (is_part) result.push_back({symbol, meaning, value});
    };
    const auto sliding = std::find_if(facts.layers.begin(), facts.layers.end(), [&](const HfLayer& layer) {
        return facts.has_window(layer) && layer.type != "chunked_attention";
    });
    const bool has_window = sliding != facts.layers.end();
    add(has_window, "W", "length of the sliding window in tokens", has_window ? sliding->window : Count());
    add(facts.is_latent, "L", "width of the latent vector", n.L);
    add(facts.is_latent && n.has_query_latent, "L_q", "width of the latent vector of the queries", n.L_q);
    add(facts.is_latent, "D_r", "rotary channels per head", n.R);
    add(facts.is_latent, "D_v", "channels of a value", n.D_v);
    const bool has_experts = facts.decoder && facts.decoder->experts != HfExperts::none;
    add(has_experts, "E", "experts", n.E);
    add(has_experts, "k", "experts per token", n.k);
    add(has_experts, "F_e", "hidden width of an expert", n.H_e);
    add(has_experts && n.H_s.has_value(), "F_s", "hidden width of the shared expert", n.H_s);
    const bool is_linear = n.h_k.has_value();
    add(is_linear, "h_k", "key heads of the gated DeltaNet", n.h_k);
    add(is_linear, "D_k", "channels of a key of the gated DeltaNet", n.D_k);
    add(is_linear, "h_v", "value heads of the gated DeltaNet", n.h_v);
    add(is_linear, "D_v", "channels of a value of the gated DeltaNet", n.D_u);
    return result;
}

std::vector<std::string> remarks_of(const HfFacts& facts) {
    std::vector<std::string> result;
    if (!facts.unknown.empty())
        result.push_back("The config.json sets " + facts.unknown + ", which the program does not know.");
    if (!facts.decoder) {
        result.emplace_back(
            "The norms, biases and feed-forward networks of this model type are unknown; the parameters of projections "
            "are only those of their weight matrices.");
    }
    if (facts.layers.empty()) result.emplace_back("The config.json does not define the number of layers.");
    for (const HfLayer& layer : facts.layers) {
        const std::optional<Heads> heads = facts.heads(layer);
        if (!heads || layer.type.empty() || (heads->kv == facts.n.kv && heads->D == facts.n.D)) continue;
        result.push_back("Layers with " + words_of(layer.type) + " have " + std::to_string(*heads->kv) +
                         " key and value heads of " + std::to_string(*heads->D) + " channels.");
        break;
    }
    if (facts.predicted_tokens > 0) {
        result.emplace_back("The layers that predict further tokens (MTP) are not listed.");
    }
    const auto local = std::find_if(facts.layers.begin(), facts.layers.end(),
                                    [&](const HfLayer& layer) { return facts.has_window(layer); });
    if (!facts.model.shape.is_encoder && local != facts.layers.end()) {
        result.push_back(window_remark(*local->window, local->type == "chunked_attention"));
    }
    return result;
}

}  // namespace

std::string hf_activation(FeedForward kind) {
    for (const char* name : {"silu", "gelu", "gelu_new", "relu", "relu2", "mish"}) {
        if (kind_of(name, false) == kind || kind_of(name, true) == kind) return name;
    }
    return "";
}

ModelPlan hf_plan(const json& config, std::int64_t tokens) {
    HfFacts facts = hf_facts(config);
    const std::int64_t context = facts.n.T;
    if (tokens > 0) facts.n.T = facts.tokens = tokens;
    ModelPlan plan;
    plan.sizes = {.B = 1,
                  .T = facts.n.T,
                  .C = facts.n.C,
                  .V = facts.n.V,
                  .layers = std::ssize(facts.layers),
                  .cached_number_bytes = facts.model.shape.is_encoder ? Count(0)
                                         : facts.model.sizes          ? Count(cached_bytes)
                                                                      : std::nullopt,
                  .decoder = !facts.model.shape.is_encoder};
    plan.embedding.factor = facts.embedding_factor;
    if (facts.model.position == HfPosition::learned) {
        plan.embedding.positions = Embedding::Positions::learned;
        if (facts.decoder) plan.embedding.position_rows = context + facts.decoder->unused_positions;
        if (tokens > context) {
            throw BadInput("The model has learned positions for " + std::to_string(context) +
                           " tokens, so it cannot process " + std::to_string(tokens) + "; use fewer tokens.");
        }
    }
    if (facts.decoder && facts.decoder->normalizes_embedding) {
        plan.shared = {norm_of(facts).stage(plan.sizes, "embedding_norm", "Norm of the embedding", "embedding_norm")};
    }
    if (is_masked(facts)) plan.before_head = stages_before_head(facts, plan.sizes);
    for (const HfLayer& layer : facts.layers) {
        plan.layers.push_back({.words = layer_words(facts, layer),
                               .attention_norms = branch_norms(facts, true, layer.has_attention_norm),
                               .attention = attention_of(facts, layer),
                               .feed_forward_norms = branch_norms(facts, false, true),
                               .feed_forward = feed_forward_of(facts, layer),
                               .is_parallel = facts.decoder && facts.decoder->parallel,
                               .is_order_known = facts.decoder.has_value(),
                               .branch_factor = facts.branch_factor,
                               .visible_tokens = facts.has_window(layer) ? *layer.window : facts.n.T});
        Scores* scores = plan.layers.back().scores();
        if (scores && facts.divides_by_layer) scores->factor /= static_cast<double>(plan.layers.size());
    }
    plan.head = {.norm = norm_of(facts),
                 .is_tied = facts.decoder && facts.decoder->tied,
                 .has_bias = facts.decoder && facts.decoder->head_bias,
                 .is_known = facts.decoder.has_value(),
                 .factor = facts.logit_factor,
                 .soft_cap = facts.logit_cap};
    plan.symbols = symbols_of(facts);
    plan.remarks = remarks_of(facts);
    plan.names_settings = false;
    plan.tensor_names = hf_tensor_names(facts.model.model_type);
    return plan;
}

Anatomy hf_anatomy(const json& config) {
    Anatomy anatomy = hf_plan(config).anatomy();
    if (!anatomy.totals().parameters) {
        anatomy.remarks.emplace_back(
            "There is no total of parameters, because the config.json does not define all sizes (often the vocabulary "
            "and the width of the MLP).");
    }
    return anatomy;
}

}  // namespace ropelab
