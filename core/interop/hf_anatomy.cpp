#include "core/interop/hf_anatomy.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/interop/hf_config.h"
#include "core/interop/hf_reader.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

using nlohmann::json;

using Count = std::optional<std::int64_t>;

constexpr int hf_cached_number_bytes = 2;  // bfloat16 or float16
constexpr std::int64_t widest_model = 1 << 22;

// Norm of queries and keys of a model type.
enum class HfQkNorm { none, head, projection };

// What the code of a model type in Hugging Face transformers defines besides the config.
struct HfDecoder {
    std::string_view type;
    bool rms = true;        // RMSNorm; false: LayerNorm with a bias
    int norms = 2;          // norms of the residual stream per layer
    bool gated = true;      // the MLP has a gate
    bool qkv_bias = false;  // without attention_bias in the config
    bool output_bias = false;
    bool mlp_bias = false;
    bool head_bias = false;
    bool tied = false;  // without tie_word_embeddings in the config
    bool reads_attention_bias = false;
    HfQkNorm qk_norm = HfQkNorm::none;
    bool parallel = false;
};

constexpr std::array<HfDecoder, 13> hf_decoders = {{
    {.type = "llama", .reads_attention_bias = true},
    {.type = "mistral"},
    {.type = "qwen2", .qkv_bias = true},
    {.type = "qwen3", .reads_attention_bias = true, .qk_norm = HfQkNorm::head},
    {.type = "gemma", .tied = true, .reads_attention_bias = true},
    {.type = "gemma2", .norms = 4, .tied = true, .reads_attention_bias = true},
    {.type = "gemma3_text", .norms = 4, .tied = true, .reads_attention_bias = true, .qk_norm = HfQkNorm::head},
    {.type = "phi3"},
    {.type = "olmo2", .reads_attention_bias = true, .qk_norm = HfQkNorm::projection},
    {.type = "olmo3", .reads_attention_bias = true, .qk_norm = HfQkNorm::projection},
    {.type = "gpt_neox",
     .rms = false,
     .gated = false,
     .qkv_bias = true,
     .output_bias = true,
     .mlp_bias = true,
     .reads_attention_bias = true,
     .parallel = true},
    {.type = "gptj", .rms = false, .norms = 1, .gated = false, .mlp_bias = true, .head_bias = true, .parallel = true},
    {.type = "phi",
     .rms = false,
     .norms = 1,
     .gated = false,
     .qkv_bias = true,
     .output_bias = true,
     .mlp_bias = true,
     .head_bias = true,
     .parallel = true},
}};

double real_of(std::int64_t count) {
    return static_cast<double>(count);
}

// Sizes of a model; nullopt where the config does not define them.
struct HfSizes {
    std::int64_t T = 0;
    std::int64_t h = 0;
    std::int64_t kv = 0;
    std::int64_t D = 0;
    Count C, H, V, layers;

    std::int64_t query_rows() const { return h * D; }
    std::int64_t qkv_rows() const { return (h + 2 * kv) * D; }
};

// Reads a model and builds its stages.
class HfStages {
 public:
    explicit HfStages(const json& whole)
        : model_(read_hf_config(whole)),
          config_(text_model(whole)),
          defaults_(library_defaults(model_.model_type)),
          reader_({&config_}, defaults_, model_.values) {
        const auto known = std::find_if(hf_decoders.begin(), hf_decoders.end(),
                                        [&](const HfDecoder& each) { return each.type == model_.model_type; });
        if (known != hf_decoders.end()) decoder_ = *known;
        read_sizes();
        read_biases();
    }

    Anatomy anatomy() {
        Anatomy result;
        result.sizes = {{"B", "sequences per batch", 1},
                        {"T", "tokens per sequence", n_.T},
                        {"C", "width", n_.C},
                        {"h", "heads", n_.h},
                        {"h_kv", "key and value heads", n_.kv},
                        {"D", "channels per head", n_.D},
                        {"H", "hidden width of the MLP", n_.H},
                        {"V", "vocabulary", n_.V}};
        result.sections.push_back({"", {}, embeddings()});
        for (AnatomySection& section : layer_kinds()) result.sections.push_back(std::move(section));
        result.sections.push_back({"", {}, head()});
        result.remarks = remarks(result);
        return result;
    }

 private:
    void read_sizes() {
        n_.C = reader_.count({"hidden_size", "n_embd", "n_embed", "d_model"}, 1, 1 << 20);
        n_.V = reader_.count({"vocab_size", "padded_vocab_size"}, 1, 1 << 30);
        n_.layers = reader_.count({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, 1, 10000);
        n_.H = reader_.count({"intermediate_size", "n_inner", "ffn_hidden_size"}, 1, widest_model);
        if (!n_.H && model_.model_type == "gptj" && n_.C) n_.H = 4 * *n_.C;
        n_.T = model_.context;
        n_.D = model_.rotary.back().setup.head_dim;
        n_.h = reader_.count({"num_attention_heads", "n_head", "n_heads", "num_heads"}, 1, 65536).value_or(0);
        n_.kv = model_.cache ? model_.cache->kv_heads : n_.h;
        if (n_.h * n_.D > widest_model) {
            throw BadInput("The config has " + std::to_string(n_.h) + " heads of " + std::to_string(n_.D) +
                           " channels, but the stages can be listed for at most " + std::to_string(widest_model) +
                           " channels of all heads.");
        }
        is_encoder_ = reader_.find({"encoder"}) && reader_.flag({"encoder"}).value_or(false);
        is_latent_ = model_.kind == KvCache::latent;
        has_other_heads_ = reader_.find({"global_head_dim"}) || reader_.find({"num_global_key_value_heads"});
    }

    void read_biases() {
        if (!decoder_) return;
        if (decoder_->reads_attention_bias && reader_.find({"attention_bias"})) {
            const bool given = reader_.flag({"attention_bias"}).value_or(decoder_->qkv_bias);
            decoder_->qkv_bias = given;
            decoder_->output_bias = given;
        }
        if (model_.model_type == "llama" && reader_.find({"mlp_bias"})) {
            decoder_->mlp_bias = reader_.flag({"mlp_bias"}).value_or(false);
        }
        if (reader_.find({"tie_word_embeddings"})) {
            decoder_->tied = reader_.flag({"tie_word_embeddings"}).value_or(decoder_->tied);
        }
    }

    // Returns a stage whose output has the shape (1, T, extent).
    AnatomyStage stage(const std::string& id, const std::string& name, const std::string& symbols, Count extent,
                       const std::string& formula) const {
        AnatomyStage result;
        result.id = id;
        result.name = name;
        result.symbols = symbols;
        if (extent) result.shape = {1, n_.T, *extent};
        result.formula = formula;
        return result;
    }
    // Gives a stage the weights of a matrix and of its bias; unknown if an extent is.
    static void multiply(AnatomyStage& stage, Count rows, Count columns, bool has_bias) {
        stage.parameters.reset();
        stage.operations.reset();
        if (!rows || !columns) return;
        stage.parameters = *rows * *columns + (has_bias ? *rows : 0);
        stage.operations = 2.0 * real_of(*rows) * real_of(*columns);
    }

    std::vector<AnatomyStage> embeddings() const {
        AnatomyStage tokens;
        tokens.id = "tokens";
        tokens.name = "Tokens";
        tokens.symbols = "(B, T)";
        tokens.shape = {1, n_.T};
        tokens.formula = "x_t ∈ {0, …, V − 1}";
        AnatomyStage embedding = stage("embedding", "Token embedding", "(B, T, C)", n_.C, "X_t = E[x_t]");
        embedding.parameters = n_.C && n_.V ? Count(*n_.C * *n_.V) : std::nullopt;
        return {tokens, embedding};
    }

    AnatomyStage norm(const std::string& id, const std::string& name, int count) const {
        AnatomyStage result = stage(id, name, "(B, T, C)", n_.C, "");
        result.parameters.reset();
        if (!decoder_) {
            result.kind = "unknown";
            result.formula = "unknown";
            return result;
        }
        result.kind = decoder_->rms ? "RMSNorm" : "LayerNorm";
        result.formula = decoder_->rms ? "H = X/√(mean(X^2) + ε) ⊙ γ" : "H = (X − mean(X))/√(var(X) + ε) ⊙ γ + β";
        if (n_.C) result.parameters = (decoder_->rms ? 1 : 2) * count * *n_.C;
        return result;
    }

    bool is_local(const std::string& type) const {
        return type == "sliding_attention" || type == "chunked_attention" || type == "local_attention";
    }

    // Returns the mean number of keys that a token of this type of layer attends to.
    double keys(const std::string& type) const {
        const double T = real_of(n_.T);
        if (is_encoder_) return T;
        if (is_local(type) && model_.cache && model_.cache->window < n_.T) {
            const double N = real_of(model_.cache->window);
            return N - N * (N - 1) / (2 * T);
        }
        return T / 2;
    }

    // Returns whether the heads of this type of layer are known.
    bool knows_heads(const std::string& type) const {
        const bool is_softmax = type.empty() || type == "full_attention" || type == "attention" || is_local(type);
        return n_.h > 0 && is_softmax && !is_latent_ && !(has_other_heads_ && !is_local(type));
    }

    void add_attention(std::vector<AnatomyStage>& stages, const std::string& type) const {
        const bool known = knows_heads(type);
        AnatomyStage qkv = stage("attention.qkv", "Queries, keys, values", "(B, T, (h + 2h_kv)·D)",
                                 known ? Count(n_.qkv_rows()) : std::nullopt, "[Q K V] = H·W_qkv^⊤");
        multiply(qkv, known ? Count(n_.qkv_rows()) : std::nullopt, n_.C, decoder_ && decoder_->qkv_bias);
        if (decoder_ && decoder_->qkv_bias) qkv.formula += " + b_qkv";
        stages.push_back(qkv);

        AnatomyStage heads = stage("attention.keys", "Key and value heads", "2 × (B, h_kv, T, D)", std::nullopt,
                                   "K → K_1, …, K_{h_kv},  V → V_1, …, V_{h_kv}");
        if (known) heads.shape = {2, 1, n_.kv, n_.T, n_.D};
        heads.kind = kind_of_keys(type);
        heads.cache_bytes = cache_of(type);
        stages.push_back(heads);

        if (decoder_ && decoder_->qk_norm != HfQkNorm::none) {
            const bool whole = decoder_->qk_norm == HfQkNorm::projection;
            AnatomyStage both = stage("attention.qk_norm", "Norm of queries and keys", "(B, h, T, D)", std::nullopt,
                                      "q ← q/√(mean(q^2) + ε) ⊙ γ_q,  k ← k/√(mean(k^2) + ε) ⊙ γ_k");
            both.kind = whole ? "all heads together" : "per head";
            both.shape = {1, n_.h, n_.T, n_.D};
            both.parameters = whole ? (n_.h + n_.kv) * n_.D : 2 * n_.D;
            stages.push_back(both);
        }
        AnatomyStage rotation = stage("attention.rotation", "Rotation of queries and keys", "(B, h, T, D)",
                                      std::nullopt, "q_m ← R(m·g)·q_m,  k_n ← R(n·g)·k_n");
        rotation.kind = "RoPE";
        if (known) rotation.shape = {1, n_.h, n_.T, n_.D};
        stages.push_back(rotation);

        const auto add_product = [&](const char* id, const char* name, const char* symbols,
                                     std::vector<std::int64_t> shape, const char* formula, bool has_product) {
            AnatomyStage each = stage(id, name, symbols, std::nullopt, formula);
            if (known) each.shape = std::move(shape);
            if (has_product) each.operations.reset();
            if (has_product && known) each.operations = 2.0 * keys(type) * real_of(n_.query_rows());
            stages.push_back(each);
        };
        add_product("attention.scores", "Attention scores", "(B, h, T, T)", {1, n_.h, n_.T, n_.T},
                    is_encoder_ ? "S_mn = q_m·k_n/√D" : "S_mn = q_m·k_n/√D for n ≤ m, else −∞", true);
        add_product("attention.weights", "Attention weights", "(B, h, T, T)", {1, n_.h, n_.T, n_.T}, "A = softmax(S)",
                    false);
        add_product("attention.values", "Weighted values", "(B, h, T, D)", {1, n_.h, n_.T, n_.D}, "O = A·V", true);

        AnatomyStage output = stage("attention.output", "Attention output", "(B, T, C)", n_.C, "Y = [O_1 … O_h]·W_o^⊤");
        multiply(output, n_.C, known ? Count(n_.query_rows()) : std::nullopt, decoder_ && decoder_->output_bias);
        if (decoder_ && decoder_->output_bias) output.formula += " + b_o";
        stages.push_back(output);
    }

    std::string kind_of_keys(const std::string& type) const {
        if (is_latent_) return "latent";
        if (!knows_heads(type)) return "unknown";
        return n_.kv == n_.h ? "multi-head" : n_.kv == 1 ? "multi-query" : "grouped";
    }
    Count cache_of(const std::string& type) const {
        if (is_encoder_ || type == "linear_attention") return 0;
        if (!model_.cache || (!knows_heads(type) && !is_latent_)) return std::nullopt;
        CacheShape layer = *model_.cache;
        layer.layers = 1;
        layer.global_layers = 0;
        return kv_cache_bytes(layer, is_latent_ ? KvCache::latent : KvCache::grouped, 1, hf_cached_number_bytes);
    }

    void add_mlp(std::vector<AnatomyStage>& stages) const {
        const Count H = decoder_ ? n_.H : std::nullopt;
        const bool gated = decoder_ && decoder_->gated;
        const bool has_bias = decoder_ && decoder_->mlp_bias;
        const Count rows = H ? Count(gated ? 2 * *H : *H) : std::nullopt;
        AnatomyStage up = stage("mlp.up", "MLP up", gated ? "(B, T, 2H)" : "(B, T, H)", rows,
                                !decoder_ ? "unknown"
                                : gated   ? "[G U] = H·W_gu^⊤"
                                          : "U = H·W_up^⊤");
        multiply(up, rows, n_.C, has_bias);
        AnatomyStage activation = stage("mlp.activation", "Activation", "(B, T, H)", H,
                                        !decoder_ ? "unknown"
                                        : gated   ? "Z = f(G) ⊙ U"
                                                  : "Z = f(U)");
        if (const auto word = reader_word({"hidden_act", "hidden_activation", "activation_function"})) {
            activation.kind = *word;
        }
        AnatomyStage down = stage("mlp.down", "MLP down", "(B, T, C)", n_.C, decoder_ ? "Y = Z·W_down^⊤" : "unknown");
        multiply(down, n_.C, H, has_bias);
        stages.insert(stages.end(), {up, activation, down});
    }

    std::optional<std::string> reader_word(std::initializer_list<const char*> names) const {
        const auto found = reader_.find_in_file(names);
        if (!found || !found->value->is_string()) return std::nullopt;
        const std::string word = found->value->get<std::string>();
        return word.size() <= 40 ? std::optional(word) : std::nullopt;
    }

    std::vector<AnatomyStage> layer(const std::string& type) const {
        std::vector<AnatomyStage> stages;
        const int norms = decoder_ ? decoder_->norms : 2;
        const auto title = [](int count, const char* one, const char* two) { return count == 2 ? two : one; };
        stages.push_back(norm("attention_norm",
                              title(norms / 2, norms == 1 ? "Norm of the layer" : "Norm of attention",
                                    "Norms before and after attention"),
                              norms == 4 ? 2 : 1));
        add_attention(stages, type);
        if (norms > 1) {
            stages.push_back(
                norm("mlp_norm", title(norms / 2, "Norm of MLP", "Norms before and after MLP"), norms == 4 ? 2 : 1));
        }
        add_mlp(stages);
        AnatomyStage sum = stage("mlp.sum", "Residual sum", "(B, T, C)", n_.C, "X ← X + Y_attention + Y_MLP");
        if (decoder_ && decoder_->parallel) sum.kind = "parallel";
        stages.push_back(sum);
        return stages;
    }

    std::vector<AnatomySection> layer_kinds() {
        std::vector<AnatomySection> sections;
        if (!n_.layers) return sections;
        std::vector<std::string> types = layer_types_of(config_, defaults_, *n_.layers);
        types.resize(static_cast<std::size_t>(*n_.layers), types.empty() ? "" : types.back());
        for (std::int64_t i = 0; i < *n_.layers; ++i) {
            std::string type = types[static_cast<std::size_t>(i)];
            const std::string title = type.empty() ? "Layer" : "Layer, " + words_of(type);
            const auto same = std::find_if(sections.begin(), sections.end(),
                                           [&](const AnatomySection& each) { return each.title == title; });
            if (same != sections.end()) {
                same->layers.push_back(i);
            } else {
                sections.push_back({title, {i}, layer(type)});
            }
        }
        return sections;
    }

    static std::string words_of(std::string type) {
        std::replace(type.begin(), type.end(), '_', ' ');
        return type;
    }

    std::vector<AnatomyStage> head() const {
        AnatomyStage head = stage("head", "Output head", "(B, T, V)", n_.V, "logits = H·W_head^⊤");
        multiply(head, n_.V, n_.C, decoder_ && decoder_->head_bias);
        if (!decoder_) {
            head.parameters.reset();
        } else if (decoder_->tied) {
            head.kind = "tied to the embedding";
            head.formula = "logits = H·E^⊤";
            head.parameters = 0;
        }
        return {norm("final_norm", "Final norm", 1), head};
    }

    std::vector<std::string> remarks(const Anatomy& anatomy) const {
        std::vector<std::string> result;
        if (!decoder_) {
            result.emplace_back(
                "The norms, biases and feed-forwards of this model type are unknown; parameters of projections are "
                "those of their matrices.");
        }
        if (is_latent_) result.emplace_back("The projections of latent attention are unknown; the KV cache is known.");
        if (!n_.layers) result.emplace_back("The config does not define the number of layers.");
        if (!anatomy.totals().parameters) {
            result.emplace_back(
                "There is no total of parameters, because the config does not define all sizes (often the vocabulary "
                "and the width of the MLP).");
        }
        return result;
    }

    HfModel model_;
    const json& config_;
    const json& defaults_;
    HfReader reader_;
    std::optional<HfDecoder> decoder_;
    HfSizes n_;
    bool is_encoder_ = false;
    bool is_latent_ = false;
    bool has_other_heads_ = false;
};

}  // namespace

Anatomy hf_anatomy(const json& config) {
    return HfStages(config).anatomy();
}

}  // namespace ropelab
