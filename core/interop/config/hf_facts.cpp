#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/interop/config/hf_config.h"
#include "core/interop/config/hf_facts.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr std::int64_t widest_stage = 1 << 22;  // of all heads, or of the hidden layer

void check_width(std::int64_t heads, std::int64_t channels) {
    if (heads * channels <= widest_stage) return;
    throw BadInput("The config.json has " + std::to_string(heads) + " heads of " + std::to_string(channels) +
                   " channels, but the stages (operations) of a model can be listed for at most " +
                   std::to_string(widest_stage) + " channels over all heads.");
}

HfFacts facts_with(HfModel model) {
    HfFacts facts;
    facts.model = std::move(model);
    return facts;
}

class FactReader {
 public:
    explicit FactReader(const json& whole)
        : facts_(facts_with(read_hf_config(whole))),
          config_(text_model(whole)),
          reader_(objects_of(config_), library_defaults(facts_.model.model_type), facts_.model.values) {
        if (is_listed("two_dimensional", facts_.model.model_type)) {
            throw BadInput("The config.json belongs to a model of images (" + excerpt(json(facts_.model.model_type)) +
                           "), whose stages the program does not list; choose the config of a text model.");
        }
        facts_.decoder = hf_decoder(facts_.model.model_type, reader_, facts_.unknown);
    }

    HfFacts read() {
        read_sizes();
        read_latent();
        read_experts();
        read_linear();
        read_words();
        read_factors();
        read_layers();
        return std::move(facts_);
    }

 private:
    Count count(std::initializer_list<const char*> names, std::int64_t high) { return reader_.count(names, 1, high); }

    // nullopt if the width is unknown or a list whose layers differ (Gemma 3n).
    Count hidden_width() {
        const auto list = reader_.find({"intermediate_size"});
        if (!list || !list->value->is_array() || list->value->empty())
            return count({"intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim"}, widest_stage);
        const json& first = list->value->front();
        const bool is_one_width =
            first.is_number_integer() && first > 0 && first <= widest_stage &&
            std::all_of(list->value->begin(), list->value->end(), [&](const json& each) { return each == first; });
        return is_one_width ? Count(first.get<std::int64_t>()) : std::nullopt;
    }

    void read_sizes() {
        HfSizes& n = facts_.n;
        const HfShape& shape = facts_.model.shape;
        n.C = shape.width;
        n.V = count({"vocab_size", "padded_vocab_size"}, 1 << 30);
        n.H = hidden_width();
        if (facts_.decoder && facts_.decoder->halved_mlp && n.H) *n.H /= 2;
        if (facts_.decoder && facts_.decoder->quadruple_mlp && !n.H) n.H = product_of({4, n.C});
        n.T = facts_.model.context;
        n.D = shape.head_dim;
        n.h = shape.heads.value_or(0);
        n.kv = shape.kv_heads.value_or(n.h);
        check_width(n.h, n.D);
        if (shape.is_encoder) facts_.encoder_window = count({"local_attention"}, 1 << 30).value_or(0);
        facts_.shares_values = reader_.flag({"attention_k_eq_v"}).value_or(false);
        facts_.is_latent = facts_.model.sizes && facts_.model.sizes->kind == KvCache::latent;
    }

    void read_latent() {
        if (!facts_.is_latent) return;
        HfSizes& n = facts_.n;
        n.L = facts_.model.shape.latent_width;
        n.R = facts_.model.shape.latent_rotary_dim;
        n.D_v = count({"v_head_dim"}, widest_hf_head);
        n.D -= n.R.value_or(0);
        // A null means that queries have no latent vector; without the key, this is unknown.
        n.L_q = count({"q_lora_rank"}, 1 << 20);
        n.has_query_latent = n.L_q || !config_.contains("q_lora_rank");
    }

    void read_experts() {
        const HfExperts kind = facts_.decoder ? facts_.decoder->experts : HfExperts::none;
        if (kind == HfExperts::none) return;
        HfSizes& n = facts_.n;
        constexpr std::int64_t most_experts = 1 << 14;
        constexpr std::int64_t widest_expert = 1 << 20;
        n.E = count({"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"}, most_experts);
        n.k = count({"num_experts_per_tok", "experts_per_token", "num_experts_per_token", "moe_topk", "moe_k"},
                    most_experts);
        // The gates of DeepSeek-V2, and of other models if the config says so, do not sum to 1.
        const bool sum_to_one = reader_.flag({"norm_topk_prob"}).value_or(true) && kind != HfExperts::after_dense;
        facts_.expert_choice = sum_to_one ? "g = softmax(r_i of the k largest)" : "g = softmax(r)_i of the k largest";
        if (kind == HfExperts::interleaved) {
            n.H_e = n.H_s = n.H;
            n.H = count({"intermediate_size_mlp"}, widest_stage);
            facts_.expert_choice = "g = σ(r_i of the k largest)";
        } else {
            n.H_e = kind == HfExperts::all_layers ? n.H : count({"moe_intermediate_size"}, widest_expert);
            n.H_s = reader_.count({"shared_expert_intermediate_size", "shared_intermediate_size"}, 0, widest_expert);
            const auto shared =
                reader_.count({"n_shared_experts", "num_shared_experts", "moe_num_shared_experts"}, 0, 1 << 10);
            if (shared || (!n.H_s && kind == HfExperts::after_dense)) n.H_s = product_of({shared.value_or(0), n.H_e});
        }
        if (n.H_e && *n.H_e > widest_expert) {
            throw BadInput(
                "The experts of the config.json are " + std::to_string(*n.H_e) +
                " channels wide, but the stages (operations) of a model can be listed for experts of at most " +
                std::to_string(widest_expert) + ".");
        }
        if (n.E && n.k && *n.k > *n.E) {
            throw BadInput("The config.json uses " + std::to_string(*n.k) +
                           " experts per token, but its number of experts is only " + std::to_string(*n.E) + ".");
        }
        // DeepSeek-V3 adds a bias to the scores when it chooses the experts; configs of DeepSeek-V2 name another
        // method, and transformers' deepseek_v3 has the bias whatever its config says.
        const bool is_v3 = facts_.model.model_type == "deepseek_v3" ||
                           (reader_.find({"topk_method"}) && reader_.word({"topk_method"}) == "noaux_tc");
        facts_.has_router_bias = facts_.decoder->expert_bias || facts_.decoder->router_bias || is_v3;
        if (is_v3 || facts_.decoder->sigmoid_router)
            facts_.expert_choice = "g = σ(r_i)/Σ_j σ(r_j) of the k largest σ(r_i) + b_i";
    }

    void read_linear() {
        HfSizes& n = facts_.n;
        n.h_k = count({"linear_num_key_heads"}, most_hf_heads);
        n.h_v = count({"linear_num_value_heads"}, most_hf_heads);
        n.D_k = count({"linear_key_head_dim"}, widest_hf_head);
        n.D_u = count({"linear_value_head_dim"}, widest_hf_head);
        n.kernel = count({"linear_conv_kernel_dim"}, 1 << 10);
        if (n.h_k && n.D_k) check_width(*n.h_k, *n.D_k);
        if (n.h_v && n.D_u) check_width(*n.h_v, *n.D_u);
    }

    void read_words() {
        facts_.predicted_tokens = reader_.count({"num_nextn_predict_layers"}, 0, most_hf_layers).value_or(0);
        const auto found = reader_.find({"hidden_activation", "hidden_act", "activation_function", "activation"});
        if (!found || !found->value->is_string()) return;
        const std::string word = found->value->get<std::string>();
        // Early configs of Gemma name the exact GELU, but mean the approximation by which the models were trained.
        const bool is_early = facts_.model.model_type == "gemma" && word == "gelu";
        if (word.size() <= 40) facts_.activation = is_early ? "gelu_pytorch_tanh" : word;
    }

    void read_factors() {
        const HfDecoder decoder = facts_.decoder.value_or(HfDecoder());
        const auto number = [&](std::initializer_list<const char*> names, double low) {
            return reader_.number(names, low, 1e9);
        };
        facts_.norm_epsilon =
            number({"rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps", "norm_epsilon"}, 0);
        const double width = real(facts_.n.C);
        facts_.embedding_factor =
            number({"embedding_multiplier"}, 0).value_or(decoder.scales_embedding ? std::sqrt(width) : 1.0);
        facts_.branch_factor = number({"residual_multiplier"}, 0).value_or(1.0);
        const auto scale = reader_.find({"logit_scale"});
        const bool is_by_width = scale && *scale->value == "inv_sqrt_d_model";  // MPT
        facts_.logit_factor = is_by_width ? 1.0 / std::sqrt(width) : number({"logit_scale"}, 0).value_or(1.0);
        if (const auto scaling = number({"logits_scaling"}, 1e-9))
            facts_.logit_factor = decoder.multiplies_logits ? *scaling : 1.0 / *scaling;
        facts_.logit_cap = number({"final_logit_softcapping"}, 0).value_or(0);
        facts_.score_cap = number({"attn_logit_softcapping"}, 0).value_or(0);
        facts_.score_scale = number({"attention_multiplier"}, 0);
        if (decoder.attention_scale > 0) facts_.score_scale = decoder.attention_scale;
        if (reader_.flag({"scale_attn_weights"}) == false) facts_.score_scale = 1.0;
        facts_.divides_by_layer = reader_.flag({"scale_attn_by_inverse_layer_idx"}).value_or(false);
        if (const auto scalar = number({"query_pre_attn_scalar"}, 1e-9)) facts_.score_scale = 1.0 / std::sqrt(*scalar);
    }

    std::optional<std::vector<std::int64_t>> list_of_layers(const char* name) const {
        const auto found = reader_.find_in_file({name});
        if (!found) return std::nullopt;
        const bool indices =
            found->value->is_array() && std::all_of(found->value->begin(), found->value->end(),
                                                    [](const json& each) { return each.is_number_integer(); });
        if (!indices)
            throw BadInput("The " + std::string(name) + " of the config.json must be a list of whole numbers.");
        return found->value->get<std::vector<std::int64_t>>();
    }

    void read_layers() {
        facts_.layers = facts_.model.shape.layers;
        const HfExperts kind = facts_.decoder ? facts_.decoder->experts : HfExperts::none;
        const auto dense = list_of_layers("mlp_only_layers");
        const auto sparse = list_of_layers("moe_layers");
        const auto lists = [](const auto& layers, std::int64_t i) {
            return layers && std::find(layers->begin(), layers->end(), i) != layers->end();
        };
        const std::int64_t step = count({"decoder_sparse_step"}, most_hf_layers).value_or(1);
        const auto given = reader_.find_in_file({"mlp_layer_types"});
        const auto at_least = [&](std::initializer_list<const char*> names, std::int64_t otherwise) {
            return reader_.count(names, 0, most_hf_layers).value_or(otherwise);
        };
        const std::int64_t first = at_least({"first_k_dense_replace", "num_dense_layers", "moe_layer_start_index"}, 0);
        const std::int64_t last = reader_.count({"moe_layer_end_index"}, -1, most_hf_layers).value_or(-1);  // -1: none
        const std::int64_t interval = count({"moe_layer_interval"}, most_hf_layers).value_or(1);
        const std::int64_t frequency = count({"moe_layer_freq"}, most_hf_layers).value_or(1);
        const std::int64_t interleaved = count({"interleave_moe_layer_step"}, most_hf_layers).value_or(1);
        for (std::int64_t i = 0; i < std::ssize(facts_.layers); ++i) {
            HfLayer& layer = facts_.layers[static_cast<std::size_t>(i)];
            check_width(facts_.n.h, layer.head_dim);
            if (kind == HfExperts::all_layers) layer.has_experts = true;
            if (kind == HfExperts::sparse_steps) {
                layer.has_experts = (i + 1) % step == 0 && !lists(dense, i);
            }
            if (kind == HfExperts::interleaved) {
                layer.has_experts = sparse ? lists(sparse, i) : (i + 1) % interleaved == 0;
            }
            if (kind == HfExperts::after_dense)
                layer.has_experts =
                    i >= first && (last < 0 || i <= last) && i % frequency == 0 && (i + 1) % interval == 0;
            if (kind != HfExperts::none && given && given->value->is_array() && i < std::ssize(*given->value))
                layer.has_experts = (*given->value)[static_cast<std::size_t>(i)] != "dense";
            layer.has_attention_norm = !(facts_.decoder && facts_.decoder->is_masked && i == 0);
        }
    }

    HfFacts facts_;
    const json& config_;
    HfReader reader_;
};

}  // namespace

std::optional<Heads> HfFacts::heads(const HfLayer& layer) const {
    const bool is_whole = layer.type.empty() || layer.type == "full_attention" || layer.type == "attention";
    if (n.h == 0 || is_latent || (!is_whole && !is_local_attention(layer.type))) return std::nullopt;
    if (model.shape.is_encoder) return Heads{n.h, n.kv, n.D};
    if (layer.kv_heads == 0 || layer.value_dim != layer.head_dim) return std::nullopt;
    return Heads{n.h, layer.kv_heads, layer.head_dim};
}

bool HfFacts::has_window(const HfLayer& layer) const {
    return layer.window && *layer.window < n.T;
}

double HfFacts::keys(const HfLayer& layer) const {
    const auto tokens = static_cast<double>(n.T);
    if (model.shape.is_encoder) {
        const bool is_local = is_local_attention(layer.type) && encoder_window > 0;
        const std::int64_t before = is_local ? std::min(encoder_window / 2, n.T - 1) : n.T - 1;  // and as many after
        const auto side = static_cast<double>(before);
        return 2 * side + 1 - side * (side + 1) / tokens;
    }
    const double window = has_window(layer) ? static_cast<double>(*layer.window) : tokens;
    if (layer.type == "chunked_attention") {  // whole chunks, and a last one that may be shorter
        const double last = tokens - window * std::floor(tokens / window);
        return ((tokens - last) * (window + 1) + last * (last + 1)) / (2 * tokens);
    }
    return window - window * (window - 1) / (2 * tokens);
}

HfFacts hf_facts(const json& config) {
    return FactReader(config).read();
}

}  // namespace ropelab
