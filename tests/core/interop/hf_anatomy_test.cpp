#include "core/interop/config/hf_anatomy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/interop/config/hf_config.h"
#include "core/interop/config/hf_facts.h"
#include "core/interop/model_table.h"
#include "tests/support/expect_message.h"
#include "tests/support/shape_of_symbols.h"

namespace ropelab {
namespace {

using nlohmann::json;

json parsed(const char* config) {
    return json::parse(config);
}

AnatomyTotals totals_of(const std::string& name) {
    return hf_anatomy(known_model(name).config).totals();
}

/// Returns a stage of the first section that has it; the test fails if there is none.
AnatomyStage stage_of(const Anatomy& anatomy, const std::string& id) {
    const AnatomyStage* stage = anatomy.find(id);
    EXPECT_TRUE(stage) << id;
    return stage ? *stage : AnatomyStage{};
}

std::int64_t value_of(const json& config, std::initializer_list<const char*> names, std::int64_t otherwise) {
    for (const char* name : names) {
        if (config.contains(name) && config.at(name).is_number_integer()) return config.at(name).get<std::int64_t>();
    }
    return otherwise;
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&](const char* each) { return word == each; });
}

/// The tensors of a model, written down from the code of its type: sums of their sizes, of those that process a token,
/// and of the operations and the KV cache of a token.
class Tensors {
 public:
    explicit Tensors(const json& config) : config_(config), type_(config.at("model_type")) {
        C = value_of(config, {"hidden_size", "n_embd"}, 0);
        layers_ = value_of(config, {"num_hidden_layers", "n_layer", "num_layers"}, 0);
        h_ = value_of(config, {"num_attention_heads", "n_head"}, 0);
        V_ = value_of(config, {"vocab_size", "padded_vocab_size"}, 0);
        T_ = value_of(config, {"max_position_embeddings", "n_positions", "seq_length"}, 0);
        width_ = value_of(config, {"intermediate_size", "ffn_hidden_size"}, 4 * C);
        is_tied_ = config.value("tie_word_embeddings", false);
        local_keys_ = local_keys();
        count();
    }

    std::int64_t parameters = 0;
    std::int64_t active = 0;
    std::int64_t cache_bytes = 0;
    std::int64_t state_bytes = 0;
    double operations = 0;

 private:
    void vector(std::int64_t size, std::int64_t copies = 1, std::int64_t used = 1) {
        parameters += copies * size;
        active += used * size;
    }
    void matrix(std::int64_t rows, std::int64_t columns, std::int64_t copies = 1, std::int64_t used = 1) {
        vector(rows * columns, copies, used);
        operations += 2.0 * static_cast<double>(rows * columns * used);
    }

    // Numbers of one norm of the residual stream.
    std::int64_t norm() const {
        if (type_ == "olmo") return 0;
        return is_one_of(type_, {"gptj", "gpt_neox", "phi", "phi-msft", "stablelm", "falcon", "nemotron"}) ? 2 * C : C;
    }
    std::int64_t norms_per_layer() const {
        if (is_one_of(type_, {"gptj", "phi", "phi-msft", "falcon", "cohere", "cohere2"})) return 1;
        return type_.starts_with("gemma") && type_ != "gemma" ? 4 : 2;
    }

    bool is_whole(std::int64_t layer) const {
        static const std::map<std::string, std::int64_t> every = {
            {"gemma2", 2},  {"gemma3_text", 6}, {"gemma4_text", 6}, {"olmo3", 4},
            {"gpt_oss", 2}, {"cohere2", 4},     {"llama4_text", 4}};
        if (type_ == "modernbert") return layer % 3 == 0;
        if (const auto found = every.find(type_); found != every.end()) return (layer + 1) % found->second == 0;
        return !is_one_of(type_, {"mistral", "phi3"}) || window() == 0;
    }
    std::int64_t window() const {
        const std::int64_t standard = type_ == "olmo3" ? 4096 : 0;
        return value_of(config_, {"sliding_window", "local_attention"}, standard);
    }
    // Returns the mean number of keys of a token in a layer with a window, counted token by token.
    double local_keys() const {
        const std::int64_t span = window();
        const std::int64_t side = span / 2;  // of an encoder
        std::int64_t keys = 0;
        for (std::int64_t t = 0; t < T_; ++t) {
            if (const auto chunk = value_of(config_, {"attention_chunk_size"}, 0)) {
                keys += t % chunk + 1;
                continue;
            }
            keys += type_ == "modernbert" ? std::min(t, side) + 1 + std::min(T_ - 1 - t, side) : std::min(t + 1, span);
        }
        return static_cast<double>(keys) / static_cast<double>(T_);
    }
    double keys(std::int64_t layer) const {
        if (!is_whole(layer)) return local_keys_;
        // A token of a decoder attends to itself and to all tokens before it.
        return type_ == "modernbert" ? static_cast<double>(T_) : static_cast<double>(T_ + 1) / 2;
    }

    void softmax(std::int64_t layer, std::int64_t query, std::int64_t value) {
        operations += 2.0 * keys(layer) * static_cast<double>(h_ * (query + value));
    }

    void attention(std::int64_t layer) {
        if (config_.contains("kv_lora_rank")) return latent_attention(layer);
        if (type_ == "qwen3_next" && (layer + 1) % 4 != 0) return delta_net();
        std::int64_t D = value_of(config_, {"head_dim", "kv_channels"}, C / h_);
        std::int64_t kv = value_of(config_, {"num_key_value_heads", "multi_query_group_num"},
                                   config_.value("multi_query", false) ? 1 : h_);
        const bool is_global = type_ == "gemma4_text" && is_whole(layer);
        if (is_global) D = config_.at("global_head_dim");
        if (is_global) kv = config_.at("num_global_key_value_heads");
        matrix(h_ * D, C);                             // q_proj
        matrix(kv * D, C);                             // k_proj
        if (!is_global) matrix(kv * D, C);             // v_proj
        matrix(C, h_ * D);                             // o_proj
        if (type_ == "qwen3_next") matrix(h_ * D, C);  // gate, in q_proj
        if (is_one_of(type_, {"gpt_neox", "phi", "phi-msft", "qwen", "qwen2", "chatglm", "gpt_oss"})) {
            vector((h_ + 2 * kv) * D);
        }
        if (is_one_of(type_, {"gpt_neox", "phi", "phi-msft", "gpt_oss"})) vector(C);
        if (is_one_of(type_, {"qwen3", "qwen3_moe", "qwen3_next", "gemma3_text", "gemma4_text"})) vector(2 * D);
        if (is_one_of(type_, {"olmo2", "olmo3"})) vector((h_ + kv) * D);
        if (type_ == "gpt_oss") vector(h_);  // sinks
        softmax(layer, D, D);
        if (type_ != "modernbert") cache_bytes += 2 * kv * D * 2;
    }

    void latent_attention(std::int64_t layer) {
        const std::int64_t plain = config_.at("qk_nope_head_dim");
        const std::int64_t rotary = config_.at("qk_rope_head_dim");
        const std::int64_t rank = config_.at("kv_lora_rank");
        const std::int64_t query_rank = config_.at("q_lora_rank");
        const std::int64_t value = config_.at("v_head_dim");
        matrix(query_rank, C);                      // q_a_proj
        vector(query_rank);                         // q_a_layernorm
        matrix(h_ * (plain + rotary), query_rank);  // q_b_proj
        matrix(rank + rotary, C);                   // kv_a_proj_with_mqa
        vector(rank);                               // kv_a_layernorm
        matrix(h_ * (plain + value), rank);         // kv_b_proj
        matrix(C, h_ * value);                      // o_proj
        softmax(layer, plain + rotary, value);
        cache_bytes += 2 * (rank + rotary);
    }

    void delta_net() {
        const std::int64_t values = 32 * 128;
        const std::int64_t keys = 16 * 128;
        matrix(2 * keys + 2 * values, C);    // in_proj_qkvz
        matrix(2 * 32, C);                   // in_proj_ba
        matrix(2 * keys + values, 4);        // conv1d
        vector(2 * 32);                      // dt_bias and A_log
        vector(128);                         // norm
        matrix(C, values);                   // out_proj
        operations += 7.0 * 32 * 128 * 128;  // the state: decay, product with the key, update, and query
        state_bytes += 4 * 32 * 128 * 128 + 2 * 4 * (2 * keys + values);
    }

    void mlp(std::int64_t width) {
        const bool gated = !is_one_of(type_, {"gptj", "gpt_neox", "phi", "phi-msft", "falcon", "nemotron"});
        if (gated) matrix(width, C);
        matrix(width, C);
        matrix(C, width);
        if (is_one_of(type_, {"gptj", "gpt_neox", "phi", "phi-msft"})) vector(width + C);
    }

    void experts() {
        const std::int64_t E = value_of(config_, {"num_local_experts", "num_experts", "n_routed_experts"}, 0);
        const std::int64_t k = config_.at("num_experts_per_tok");
        const std::int64_t width = value_of(config_, {"moe_intermediate_size"}, width_);
        matrix(E, C);
        if (type_ == "gpt_oss" || config_.value("topk_method", "") == "noaux_tc") vector(E);
        for (int i = 0; i < 2; ++i) matrix(width, C, E, k);
        matrix(C, width, E, k);
        if (type_ == "gpt_oss") vector(2 * width + C, E, k);
        if (const auto shared = value_of(config_, {"n_shared_experts"}, 0)) mlp(shared * width);
        if (const auto shared = value_of(config_, {"shared_expert_intermediate_size"}, 0)) {
            mlp(shared);
            matrix(1, C);
        }
        if (type_ == "llama4_text") mlp(width_);  // shared_expert
    }

    void count() {
        const bool is_encoder = type_ == "modernbert";
        vector(V_ * C);
        for (std::int64_t layer = 0; layer < layers_; ++layer) {
            vector((norms_per_layer() - (is_encoder && layer == 0 ? 1 : 0)) * norm());
            attention(layer);
            const bool has_experts =
                is_one_of(type_, {"mixtral", "qwen3_moe", "qwen3_next", "gpt_oss", "llama4_text"}) ||
                (config_.contains("n_routed_experts") && layer >= config_.at("first_k_dense_replace"));
            if (has_experts) {
                experts();
            } else {
                mlp(type_ == "qwen" ? width_ / 2 : width_);
            }
        }
        vector(norm());
        if (is_encoder) {
            vector(2 * norm());  // of the embedding and of the head
            matrix(C, C);
        }
        matrix(V_, C, is_tied_ ? 0 : 1, 1);
        if (is_tied_) active -= V_ * C;
        if (is_one_of(type_, {"gptj", "phi", "phi-msft", "modernbert"})) vector(V_);
    }

    const json& config_;
    std::string type_;
    std::int64_t C = 0;
    std::int64_t layers_ = 0, h_ = 0, V_ = 0, T_ = 0, width_ = 0;
    bool is_tied_ = false;
    double local_keys_ = 0;
};

void expect_tensors(const json& config) {
    const AnatomyTotals totals = hf_anatomy(config).totals();
    const Tensors counted(config);
    EXPECT_EQ(totals.parameters, counted.parameters);
    EXPECT_EQ(totals.active_parameters, counted.active);
    EXPECT_EQ(totals.cache_bytes_per_token, counted.cache_bytes);
    EXPECT_EQ(totals.state_bytes, counted.state_bytes);
    ASSERT_TRUE(totals.operations);
    EXPECT_NEAR(*totals.operations / counted.operations, 1, 1e-9);
}

TEST(HfAnatomy, KnownModelsHaveTheTensorsOfTheirCode) {
    for (const KnownModel& model : model_table()) {
        SCOPED_TRACE(model.name);
        expect_tensors(model.config);
    }
}

TEST(HfAnatomy, AllKnownModelsHaveTotals) {
    std::vector<std::string> without;
    for (const KnownModel& model : model_table()) {
        if (!hf_anatomy(model.config).totals().parameters) without.push_back(model.name);
    }
    EXPECT_EQ(model_table().size(), 51U);
    EXPECT_TRUE(without.empty()) << without.front();
}

// Symbols are those of most layers, where layers differ in their heads.
TEST(HfAnatomy, ShapesAreThoseOfTheirSymbols) {
    for (const KnownModel& model : model_table()) {
        const Anatomy anatomy = hf_anatomy(model.config);
        const bool heads_differ = std::ranges::any_of(anatomy.remarks, [](const std::string& remark) {
            return remark.find(" key and value heads of ") != std::string::npos;
        });
        ShapeOfSymbols shape_of(anatomy.sizes);
        for (const AnatomySection& section : anatomy.sections) {
            for (const AnatomyStage& stage : section.stages) {
                if (heads_differ && stage.id.starts_with("attention.")) continue;
                EXPECT_EQ(shape_of(stage.symbols), stage.shape) << model.name << ", " << stage.id;
            }
        }
    }
}

TEST(HfAnatomy, KnownModelsHaveTheirPublishedParameters) {
    // Numbers of parameters of the weights on the Hugging Face Hub.
    std::map<std::string, std::int64_t> published = {{"GPT-J 6B", 6050882784},       {"Llama 3.2 1B", 1235814400},
                                                     {"TinyLlama 1.1B", 1100048384}, {"Phi-2", 2779683840},
                                                     {"Qwen2.5 7B", 7615616512},     {"Qwen3 8B", 8190735360},
                                                     {"Gemma 7B", 8537680896},       {"Gemma 2 9B", 9241705984},
                                                     {"Phi-3 mini 4k", 3821079552},  {"OLMo 2 7B", 7298617344}};
    for (const KnownModel& model : model_table()) {
        if (!model.published_parameters) continue;
        published[model.name] = *model.published_parameters;
        EXPECT_FALSE(model.published_in.empty()) << model.name;
    }
    EXPECT_EQ(published.size(), 27U);
    for (const auto& [name, parameters] : published) EXPECT_EQ(totals_of(name).parameters, parameters) << name;
}

TEST(HfAnatomy, MixturesOfExpertsHaveTheirActiveParameters) {
    // Billions, as the authors round them; DeepSeek's README counts neither the embedding nor the head.
    EXPECT_NEAR(static_cast<double>(totals_of("Mixtral 8x7B").active_parameters.value()), 12.9e9, 0.05e9);
    EXPECT_NEAR(static_cast<double>(totals_of("Qwen3 235B A22B").active_parameters.value()), 22e9, 0.5e9);
    EXPECT_NEAR(static_cast<double>(totals_of("DeepSeek-V2").active_parameters.value()), 21e9, 0.5e9);
    EXPECT_NEAR(static_cast<double>(totals_of("DeepSeek-V3").active_parameters.value()), 37e9, 1e9);
    EXPECT_NEAR(static_cast<double>(totals_of("Kimi K2").parameters.value()), 1e12, 0.05e12);
    EXPECT_NEAR(static_cast<double>(totals_of("Kimi K2").active_parameters.value()), 32e9, 1e9);
    const Anatomy mixtral = hf_anatomy(known_model("Mixtral 8x7B").config);
    EXPECT_EQ(stage_of(mixtral, "mlp.up").kind, "2 of 8 experts per token");
    EXPECT_EQ(stage_of(mixtral, "mlp.activation").kind, "SwiGLU");
    EXPECT_EQ(stage_of(mixtral, "mlp.activation").formula, "Z = SiLU(G) ⊙ U");
    EXPECT_EQ(stage_of(mixtral, "mlp.up").inactive_parameters, 6 * 2 * 14336 * 4096);
}

TEST(HfAnatomy, FormulasOfExpertsFollowTheConfig) {
    const auto gates = [](const json& config) { return stage_of(hf_anatomy(config), "mlp.gates").formula; };
    json config = known_model("Qwen3 235B A22B").config;
    EXPECT_EQ(gates(config), "g = softmax(r_i of the k largest)");
    config["norm_topk_prob"] = false;
    EXPECT_EQ(gates(config), "g = softmax(r)_i of the k largest");
    EXPECT_EQ(gates(known_model("DeepSeek-V2").config), "g = softmax(r)_i of the k largest");
    const Anatomy gpt_oss = hf_anatomy(known_model("gpt-oss 20B").config);
    EXPECT_EQ(stage_of(gpt_oss, "mlp.router").formula, "r = H·W_r^⊤ + b_r");
    EXPECT_EQ(stage_of(gpt_oss, "mlp.down").formula, "Y_i = Z_i·W_{down,i}^⊤ + b_{down,i}");
}

TEST(HfAnatomy, Llama4AttendsInChunksAndWeighsTheInputsOfItsExperts) {
    json config = known_model("Llama 4 Scout").config;
    const Anatomy anatomy = hf_anatomy(config);
    // Llama 4's model card: 109 billion with the vision model (0.87 billion), 17 billion active.
    EXPECT_EQ(anatomy.totals().parameters, 107769861120);
    EXPECT_NEAR(static_cast<double>(anatomy.totals().active_parameters.value()), 17e9, 0.5e9);
    EXPECT_EQ(anatomy.sections[1].title, "Layers 0–2, 4–6, 8–10, 12–14, …: chunked attention, experts");
    EXPECT_EQ(anatomy.sections[2].title, "Layers 3, 7, 11, 15, …: full attention, experts, without RoPE");
    const auto find = [](const AnatomySection& section, const char* id) {
        return std::find_if(section.stages.begin(), section.stages.end(),
                            [&](const AnatomyStage& stage) { return stage.id == id; });
    };
    const auto norm = find(anatomy.sections[1], "attention.qk_norm");
    ASSERT_NE(norm, anatomy.sections[1].stages.end());
    EXPECT_EQ(norm->formula, "q ← q/√(mean(q^2) + ε),  k ← k/√(mean(k^2) + ε)");
    EXPECT_EQ(norm->parameters, 0);
    EXPECT_EQ(std::prev(norm)->id, "attention.rotation");
    EXPECT_EQ(find(anatomy.sections[2], "attention.qk_norm"), anatomy.sections[2].stages.end());
    EXPECT_EQ(stage_of(anatomy, "mlp.gates").formula, "g = σ(r_i of the k largest)");
    EXPECT_EQ(stage_of(anatomy, "mlp.up").formula, "[G U]_i = (g_i·H)·W_{gu,i}^⊤");
    EXPECT_EQ(stage_of(anatomy, "mlp.mixture").formula, "Y = Σ_i Y_i + Y_s");
    config["interleave_moe_layer_step"] = 2;  // Maverick
    EXPECT_EQ(hf_anatomy(config).sections[1].title, "Layers 0, 2, 4, 6, …: chunked attention, dense MLP");
    config["moe_layers"] = {0, 3};
    EXPECT_EQ(hf_anatomy(config).sections[1].title, "Layer 0: chunked attention, experts");
    config["use_qk_norm"] = false;
    EXPECT_FALSE(hf_anatomy(config).find("attention.qk_norm"));
}

TEST(HfAnatomy, LatentAttentionListsItsMatricesAndCache) {
    const Anatomy anatomy = hf_anatomy(known_model("DeepSeek-V3").config);
    EXPECT_EQ(stage_of(anatomy, "attention.latent").cache_bytes_per_token, 2 * (512 + 64));
    EXPECT_EQ(stage_of(anatomy, "attention.query").parameters, 1536 * 128 * 192);
    EXPECT_EQ(stage_of(anatomy, "attention.key_value").parameters, 512 * 128 * 256);
    EXPECT_FALSE(anatomy.find("attention.qkv"));
    EXPECT_EQ(anatomy.sections[1].title, "Layers 0–2: dense MLP");
    EXPECT_EQ(anatomy.sections[1].repeats(), 3);
    EXPECT_EQ(anatomy.sections[2].title, "Layers 3–60: experts");
    EXPECT_TRUE(std::find(anatomy.remarks.begin(), anatomy.remarks.end(),
                          "The layers that predict further tokens (MTP) are not listed.") != anatomy.remarks.end());
}

TEST(HfAnatomy, QueriesWithoutALatentVectorHaveOneMatrix) {
    json config = known_model("DeepSeek-V3").config;
    config["q_lora_rank"] = nullptr;
    const Anatomy anatomy = hf_anatomy(config);
    EXPECT_FALSE(anatomy.find("attention.query_latent"));
    EXPECT_EQ(stage_of(anatomy, "attention.query").parameters, std::int64_t{7168} * 128 * 192);
    config.erase("q_lora_rank");
    EXPECT_FALSE(stage_of(hf_anatomy(config), "attention.query").parameters);
}

TEST(HfAnatomy, LinearAttentionHasAState) {
    const Anatomy anatomy = hf_anatomy(known_model("Qwen3-Next 80B A3B").config);
    EXPECT_EQ(anatomy.sections[1].title, "Layers 0–2, 4–6, 8–10, 12–14, …: linear attention, experts");
    EXPECT_EQ(stage_of(anatomy, "attention.state").state_bytes, 32 * 128 * 128 * 4);
    EXPECT_EQ(stage_of(anatomy, "attention.state").cache_bytes_per_token, 0);
    EXPECT_EQ(anatomy.totals().cache_bytes_per_token, 12 * 2 * 2 * 256 * 2);
}

TEST(HfAnatomy, GlobalLayersHaveHeadsOfTheirOwn) {
    const Anatomy anatomy = hf_anatomy(known_model("Gemma 4 31B").config);
    EXPECT_EQ(stage_of(anatomy, "attention.qkv").parameters, 5376 * (32 + 2 * 16) * 256);
    EXPECT_EQ(stage_of(anatomy, "attention.qkv#2").parameters, 5376 * (32 + 4) * 512);
}

TEST(HfAnatomy, KindsOfLayersAreSectionsOfTheirOwn) {
    const Anatomy anatomy = hf_anatomy(known_model("Gemma 3 4B").config);
    ASSERT_EQ(anatomy.sections.size(), 4U);
    EXPECT_EQ(anatomy.sections[1].title, "Layers 0–4, 6–10, 12–16, 18–22, …: sliding attention");
    EXPECT_EQ(anatomy.sections[2].title, "Layers 5, 11, 17, 23, …: full attention");
    EXPECT_EQ(anatomy.sections[1].repeats() + anatomy.sections[2].repeats(), 34);
    EXPECT_LT(stage_of(anatomy, "attention.scores").operations.value(),
              stage_of(anatomy, "attention.scores#2").operations.value())
        << "a window leaves fewer keys";
}

TEST(HfAnatomy, NormsAndSumsStandWhereTheModelComputesThem) {
    const auto norms_and_sums = [](const char* name) {
        std::vector<std::string> ids;
        const Anatomy anatomy = hf_anatomy(known_model(name).config);
        for (const AnatomyStage& stage : anatomy.sections[1].stages) {
            const bool is_norm = stage.id.ends_with("_norm") && stage.id != "attention.qk_norm";
            if (is_norm || stage.id.ends_with(".sum") || stage.id == "attention.output") ids.push_back(stage.id);
        }
        return ids;
    };
    using Ids = std::vector<std::string>;
    EXPECT_EQ(norms_and_sums("Llama 3 8B"),
              (Ids{"attention_norm", "attention.output", "attention.sum", "mlp_norm", "mlp.sum"}));
    EXPECT_EQ(norms_and_sums("OLMo 2 7B"),
              (Ids{"attention.output", "attention_output_norm", "attention.sum", "mlp_output_norm", "mlp.sum"}));
    EXPECT_EQ(norms_and_sums("Gemma 2 9B"), (Ids{"attention_norm", "attention.output", "attention_output_norm",
                                                 "attention.sum", "mlp_norm", "mlp_output_norm", "mlp.sum"}));
    EXPECT_EQ(norms_and_sums("Pythia 1B"), (Ids{"attention_norm", "attention.output", "mlp_norm", "mlp.sum"}))
        << "parallel branches have one sum";
    for (const char* name : {"DeepSeek-V3", "gpt-oss 20B", "Qwen3-Next 80B A3B", "ModernBERT base"})
        EXPECT_TRUE(hf_anatomy(known_model(name).config).find("attention.sum")) << name;
    for (const char* name : {"GPT-J 6B", "Phi-2", "Falcon 7B", "Command R"})
        EXPECT_FALSE(hf_anatomy(known_model(name).config).find("attention.sum")) << name;
    json sequential = known_model("Pythia 1B").config;
    sequential["use_parallel_residual"] = false;
    EXPECT_TRUE(hf_anatomy(sequential).find("attention.sum"));
    EXPECT_EQ(hf_anatomy(sequential).totals().parameters, totals_of("Pythia 1B").parameters);
}

TEST(HfAnatomy, SumsAndNormsHaveTheWordsOfOurOwnModels) {
    const Anatomy gemma = hf_anatomy(known_model("Gemma 2 9B").config);
    RunSpec spec;
    spec.block = Block::llama;
    spec.norm = NormKind::zero_centred_rms;
    spec.norm_position = NormPosition::sandwich;
    const Anatomy own = anatomy_of(spec, 65);
    for (const char* id :
         {"attention_norm", "attention_output_norm", "attention.sum", "mlp_norm", "mlp_output_norm", "mlp.sum"}) {
        EXPECT_EQ(stage_of(gemma, id).title(), stage_of(own, id).title());
        EXPECT_EQ(stage_of(gemma, id).symbols, stage_of(own, id).symbols);
    }
    for (const char* id : {"attention.sum", "mlp.sum"})
        EXPECT_EQ(stage_of(gemma, id).formula, stage_of(own, id).formula);
    for (const char* id : {"attention_norm", "attention_output_norm", "mlp_norm", "mlp_output_norm"})
        EXPECT_EQ(stage_of(gemma, id).parameters, 3584) << id;
    const Anatomy pythia = hf_anatomy(known_model("Pythia 1B").config);
    EXPECT_EQ(stage_of(pythia, "mlp.sum").kind, "parallel");
    EXPECT_EQ(stage_of(pythia, "mlp.sum").formula, "X ← X + Y_attention + Y_MLP");
}

TEST(HfAnatomy, BranchesWithoutANormUseTheStream) {
    const Anatomy olmo = hf_anatomy(known_model("OLMo 2 7B").config);
    EXPECT_EQ(stage_of(olmo, "attention.qkv").formula, "[Q K V] = X·W_qkv^⊤");
    EXPECT_EQ(stage_of(olmo, "mlp.up").formula, "[G U] = X·W_gu^⊤");
    EXPECT_EQ(stage_of(olmo, "attention_output_norm").formula, "Y = Y/√(mean(Y^2) + ε) ⊙ γ");
    const Anatomy bert = hf_anatomy(known_model("ModernBERT base").config);
    EXPECT_EQ(stage_of(bert, "attention.qkv").formula, "[Q K V] = X·W_qkv^⊤") << "its first layer has no first norm";
    EXPECT_EQ(stage_of(bert, "attention.qkv#2").formula, "[Q K V] = H·W_qkv^⊤");
    EXPECT_EQ(stage_of(hf_anatomy(known_model("Llama 3 8B").config), "attention.qkv").formula, "[Q K V] = H·W_qkv^⊤");
}

TEST(HfAnatomy, WindowsBoundTheCacheOfTheirLayers) {
    const auto remarks = [](const char* name) {
        std::string all;
        const Anatomy anatomy = hf_anatomy(known_model(name).config);
        for (const std::string& remark : anatomy.remarks) all += remark + '\n';
        return all;
    };
    EXPECT_THAT(remarks("gpt-oss 20B"), testing::HasSubstr("stores the last 128 tokens only"));
    EXPECT_THAT(remarks("gpt-oss 20B"), testing::HasSubstr("bytes per token times a longer context overestimate"));
    EXPECT_THAT(remarks("Gemma 2 9B"), testing::HasSubstr("stores the last 4,096 tokens only"));
    for (const char* name : {"Llama 3 8B", "DeepSeek-V3", "ModernBERT base"})
        EXPECT_THAT(remarks(name), testing::Not(testing::HasSubstr("tokens only"))) << name;
    const json chunked = parsed(R"({"model_type": "llama4_text", "hidden_size": 64, "num_hidden_layers": 4,
        "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 16, "intermediate_size": 96, "vocab_size": 10,
        "max_position_embeddings": 1024, "attention_chunk_size": 128, "no_rope_layer_interval": 4})");
    EXPECT_THAT(hf_anatomy(chunked).remarks,
                testing::Contains(testing::HasSubstr("chunked attention, the KV cache stores the last 128 tokens")));
}

TEST(HfAnatomy, CountsConfigsThatDifferFromTheTable) {
    // The config of Phi-2 in transformers, and biases that the config of a Llama adds.
    expect_tensors(parsed(R"({"model_type": "phi", "hidden_size": 2560, "intermediate_size": 10240, "vocab_size": 51200,
        "num_hidden_layers": 32, "num_attention_heads": 32, "rope_theta": 10000, "partial_rotary_factor": 0.4,
        "max_position_embeddings": 2048, "tie_word_embeddings": false})"));
    json bert = known_model("ModernBERT base").config;
    for (const int tokens : {2, 64, 65, 128, 129}) {  // the window has 64 tokens on each side
        bert["max_position_embeddings"] = tokens;
        expect_tensors(bert);
    }
    json llama = known_model("Llama 3.2 1B").config;
    llama["attention_bias"] = true;
    llama["mlp_bias"] = true;
    const std::int64_t biases = 16 * ((32 + 2 * 8) * 64 + 2048 + 2 * 8192 + 2048);
    EXPECT_EQ(hf_anatomy(llama).totals().parameters, 1235814400 + biases);
}

// Sizes from the model cards; numbers of parameters as published by bigscience (BLOOM), Keras Hub (GPT-2, Falcon) and
// the safetensors metadata on the Hugging Face Hub (OPT, StarCoder, MPT).
TEST(HfAnatomy, ModelsWithoutRotaryEmbeddingsHaveTheirPublishedParameters) {
    const auto parameters = [](const char* config) { return hf_anatomy(parsed(config)).totals().parameters; };
    EXPECT_EQ(parameters(R"({"model_type": "gpt2", "vocab_size": 50257, "n_positions": 1024, "n_embd": 768,
        "n_layer": 12, "n_head": 12, "n_inner": null})"),
              124439808);
    EXPECT_EQ(parameters(R"({"model_type": "bloom", "vocab_size": 250880, "n_embed": 1024, "n_layer": 24,
        "n_head": 16, "seq_length": 2048})"),
              559214592);
    EXPECT_EQ(parameters(R"({"model_type": "mpt", "vocab_size": 50432, "d_model": 4096, "n_layers": 32, "n_heads": 32,
        "max_seq_len": 2048, "expansion_ratio": 4, "no_bias": true, "attn_config": {"alibi": true, "qk_ln": false}})"),
              6649286656);
    EXPECT_EQ(parameters(R"({"model_type": "falcon", "vocab_size": 50304, "hidden_size": 2048, "n_layer": 24,
        "n_head": 32, "alibi": true, "bias": true, "multi_query": false, "parallel_attn": false})"),
              1311625216);
    EXPECT_EQ(parameters(R"({"model_type": "opt", "vocab_size": 50272, "hidden_size": 768, "num_hidden_layers": 12,
        "num_attention_heads": 12, "ffn_dim": 3072, "max_position_embeddings": 2048, "word_embed_proj_dim": 768})"),
              125239296);
    EXPECT_EQ(parameters(R"({"model_type": "gpt_bigcode", "vocab_size": 49152, "n_embd": 6144, "n_layer": 40,
        "n_head": 48, "n_inner": 24576, "n_positions": 8192, "multi_query": true})"),
              15517456384);
}

TEST(HfAnatomy, PositionsStandWhereTheModelHasThem) {
    const Anatomy gpt2 = hf_anatomy(parsed(R"({"model_type": "gpt2", "vocab_size": 61, "n_positions": 64,
        "n_embd": 64, "n_layer": 2, "n_head": 4})"));
    EXPECT_EQ(gpt2.totals().parameters, 108096) << "the tensors of oracles/hf_models/gpt2";
    EXPECT_EQ(stage_of(gpt2, "positions").parameters, 64 * 64);
    EXPECT_FALSE(gpt2.find("attention.rotation"));
    EXPECT_EQ(stage_of(gpt2, "attention.scores").kind, "");
    const Anatomy bloom = hf_anatomy(parsed(R"({"model_type": "bloom", "vocab_size": 61, "n_embed": 64, "n_layer": 2,
        "n_head": 4, "seq_length": 64})"));
    EXPECT_FALSE(bloom.find("positions"));
    EXPECT_FALSE(bloom.find("attention.rotation"));
    EXPECT_TRUE(bloom.find("embedding_norm"));
    EXPECT_EQ(stage_of(bloom, "attention.scores").kind, "ALiBi");
    EXPECT_EQ(bloom.totals().cache_bytes_per_token, 2 * 2 * 64 * 2);
    const Anatomy plain = hf_anatomy(parsed(R"({"model_type": "llama", "use_rope": false, "hidden_size": 64,
        "num_hidden_layers": 2, "num_attention_heads": 4})"));
    EXPECT_FALSE(plain.find("attention.rotation"));
    EXPECT_EQ(plain.sections.size(), 3U) << "all layers are equal";
}

TEST(HfAnatomy, WhatIsNotKnownHasNoTotal) {
    const auto expect_unknown = [](const json& config) {
        const Anatomy anatomy = hf_anatomy(config);
        EXPECT_FALSE(anatomy.totals().parameters);
        EXPECT_FALSE(anatomy.remarks.empty());
    };
    expect_unknown(parsed(R"({"model_type": "jetmoe", "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 10,
        "num_attention_heads": 4, "intermediate_size": 96, "num_experts": 4, "num_experts_per_tok": 2})"));
    const auto changed = [](const char* name, const char* key, const json& value) {
        json config = known_model(name).config;
        config[key] = value;
        return config;
    };
    for (const char* other : {R"("word_embed_proj_dim": 32)", R"("do_layer_norm_before": false)"}) {
        expect_unknown(parsed((R"({"model_type": "opt", "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 10,
            "num_attention_heads": 4, "ffn_dim": 256, )" +
                               std::string(other) + "}")
                                  .c_str()));
    }
    expect_unknown(parsed(R"({"model_type": "mpt", "d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 10,
        "no_bias": false})"));
    expect_unknown(changed("StableLM 3B 4E1T", "qk_layernorm", true));
    expect_unknown(changed("Gemma 4 31B", "hidden_size_per_layer_input", 256));
    expect_unknown(changed("Mixtral 8x7B", "num_local_experts", nullptr));
    expect_unknown(changed("Llama 3 8B", "vocab_size", nullptr));
}

TEST(HfAnatomy, RefusesBadConfigs) {
    EXPECT_THROW(hf_anatomy(parsed(R"({"model_type": "bert", "hidden_size": 768})")), BadInput);
    json config = known_model("Qwen3 235B A22B").config;
    config["num_experts_per_tok"] = 129;
    EXPECT_MESSAGE(hf_anatomy(config), BadInput, "129 experts per token, but its number of experts is only 128");
    config = known_model("Qwen3 235B A22B").config;
    config["mlp_only_layers"] = "none";
    EXPECT_MESSAGE(hf_anatomy(config), BadInput, "must be a list of whole numbers");
    config = known_model("Mixtral 8x7B").config;
    config["hidden_size"] = 1 << 20;
    config["intermediate_size"] = 1 << 20;
    config["num_local_experts"] = 1 << 14;
    config["num_hidden_layers"] = 10000;
    config["head_dim"] = 128;
    EXPECT_MESSAGE(hf_anatomy(config), BadInput, "more than 9·10^18 parameters");
}

TEST(HfAnatomy, TheCacheOfThePlanIsThatOfTheCacheCommand) {
    int compared = 0;
    for (const KnownModel& model : model_table()) {
        SCOPED_TRACE(model.name);
        const HfModel read = read_hf_config(model.config);
        const ModelPlan plan = hf_plan(model.config);
        if (!read.sizes) continue;
        ASSERT_TRUE(plan.caches());
        for (const std::int64_t context : {std::int64_t{512}, std::min<std::int64_t>(8192, read.context)}) {
            EXPECT_EQ(kv_cache_bytes(*plan.caches(), context, 2), kv_cache_bytes(read.caches(), context, 2)) << context;
        }
        const std::vector<CachedLayers> caches = read.caches();
        const bool is_compressed = std::any_of(caches.begin(), caches.end(),
                                               [](const CachedLayers& cache) { return cache.tokens_per_entry > 1; });
        const Count of_stages = plan.anatomy().totals().cache_bytes_per_token;
        EXPECT_EQ(of_stages.has_value(), !is_compressed);
        EXPECT_EQ(of_stages.value_or(0),
                  is_compressed ? 0 : kv_cache_bytes(caches, 1, 2) + index_cache_bytes(caches, 1, 2));
        ++compared;
    }
    EXPECT_GT(compared, 40);
}

// What the classes of transformers 5.24.0 compute from these keys.
TEST(HfPlan, HasTheFactorsCapsAndEpsilonsOfTheConfig) {
    const ModelPlan gemma2 = hf_plan({{"model_type", "gemma2"}, {"query_pre_attn_scalar", 144}, {"head_dim", 128}});
    EXPECT_DOUBLE_EQ(gemma2.embedding.factor, 48);  // √2304
    EXPECT_EQ(gemma2.head.soft_cap, 30);
    EXPECT_EQ(gemma2.scores()->soft_cap, 50);
    EXPECT_NEAR(gemma2.scores()->factor, std::sqrt(128) / 12, 1e-15);
    EXPECT_EQ(gemma2.layers[0].attention_norms.before->kind, NormPart::Kind::zero_centred_rms);
    EXPECT_EQ(std::get<Mlp>(gemma2.layers[0].feed_forward).activation.kind, FeedForward::geglu_tanh);
    EXPECT_EQ(hf_plan({{"model_type", "gemma2"}}).scores()->factor, 1);
    const Anatomy anatomy = gemma2.anatomy();
    EXPECT_TRUE(stage_of(anatomy, "attention.scores").formula.find("S ← 50·tanh(S/50)") != std::string::npos);
    EXPECT_TRUE(stage_of(anatomy, "head").formula.find("30·tanh") != std::string::npos);
    EXPECT_EQ(stage_of(anatomy, "embedding").formula, "X_t = 48·E[x_t]");

    const ModelPlan granite = hf_plan({{"model_type", "granite"},
                                       {"hidden_size", 2048},
                                       {"num_attention_heads", 32},
                                       {"embedding_multiplier", 12.0},
                                       {"residual_multiplier", 0.22},
                                       {"attention_multiplier", 0.015625},
                                       {"logits_scaling", 8.0},
                                       {"rms_norm_eps", 1e-5}});
    EXPECT_EQ(granite.embedding.factor, 12);
    EXPECT_EQ(granite.layers[3].branch_factor, 0.22);
    EXPECT_EQ(granite.scores()->factor, 0.125);
    EXPECT_EQ(granite.head.factor, 0.125);
    EXPECT_EQ(granite.layers[3].attention_norms.before->epsilon, 1e-5);
    EXPECT_EQ(stage_of(granite.anatomy(), "mlp.sum").formula, "X ← X + 0.22·Y");
    EXPECT_EQ(hf_plan({{"model_type", "cohere"}}).head.factor, 0.0625);
    EXPECT_EQ(hf_plan({{"model_type", "llama"}}).layers[0].attention_norms.before->epsilon, 1e-6);
    EXPECT_EQ(hf_plan({{"model_type", "llama"}}).head.factor, 1);
    const json by_width = {{"model_type", "mpt"}, {"d_model", 1024}, {"logit_scale", "inv_sqrt_d_model"}};
    EXPECT_EQ(hf_plan(by_width).head.factor, 1.0 / 32);
}

// The keys that change the logits of a small model of the class of transformers 5.24.0, of those in the list below;
// layer_types and sliding_window are set, use_sliding_window is true, and max_window_layers is 1.
TEST(HfPlan, DependsOnTheKeysThatTheClassReads) {
    const json keys =
        parsed(R"({"layer_types": ["full_attention", "sliding_attention", "full_attention", "full_attention"],
        "sliding_window": 13, "sliding_window_pattern": 2, "attention_chunk_size": 8, "full_attention_interval": 2,
        "layer_rope_theta": [0, 0, 0, 0], "no_rope_layers": [0, 1, 1, 1], "no_rope_layer_interval": 2,
        "rope_interleave": true, "num_key_value_heads": 1, "kv_lora_rank": 8, "attention_k_eq_v": true,
        "scale_attn_weights": false, "scale_attn_by_inverse_layer_idx": true, "query_pre_attn_scalar": 5,
        "attention_multiplier": 0.9, "attn_logit_softcapping": 0.5, "final_logit_softcapping": 0.5,
        "embedding_multiplier": 3.0, "residual_multiplier": 0.5, "logits_scaling": 3.0, "logit_scale": 0.3,
        "lm_head_bias": true, "use_post_norm": true, "rms_norm_eps": 0.5, "layer_norm_eps": 0.5,
        "layer_norm_epsilon": 0.5, "norm_epsilon": 0.5, "norm_eps": 0.5, "hidden_act": "relu",
        "hidden_activation": "relu", "activation_function": "relu", "activation": "relu"})");
    const std::map<std::string, std::string> read = {
        {"llama", "num_key_value_heads rms_norm_eps hidden_act"},
        {"mistral", "sliding_window num_key_value_heads rms_norm_eps hidden_act"},
        {"qwen2", "layer_types sliding_window num_key_value_heads rms_norm_eps hidden_act"},
        {"qwen3", "layer_types sliding_window num_key_value_heads rms_norm_eps hidden_act"},
        {"smollm3",
         "layer_types sliding_window no_rope_layers no_rope_layer_interval num_key_value_heads rms_norm_eps "
         "hidden_act"},
        {"gemma", "num_key_value_heads rms_norm_eps hidden_act"},
        {"granite",
         "num_key_value_heads attention_multiplier embedding_multiplier residual_multiplier logits_scaling "
         "rms_norm_eps hidden_act"},
        {"cohere", "num_key_value_heads logit_scale layer_norm_eps hidden_act"},
        {"cohere2",
         "layer_types sliding_window sliding_window_pattern num_key_value_heads logit_scale layer_norm_eps hidden_act"},
        {"stablelm", "num_key_value_heads layer_norm_eps hidden_act"},
        {"gemma2",
         "layer_types sliding_window num_key_value_heads query_pre_attn_scalar attn_logit_softcapping "
         "final_logit_softcapping rms_norm_eps hidden_activation"},
        {"gemma3_text",
         "layer_types sliding_window sliding_window_pattern num_key_value_heads query_pre_attn_scalar "
         "final_logit_softcapping rms_norm_eps hidden_activation"},
        {"olmo2", "num_key_value_heads rms_norm_eps hidden_act"},
        {"olmo3", "layer_types sliding_window num_key_value_heads rms_norm_eps hidden_act"},
        {"phi3", "sliding_window num_key_value_heads rms_norm_eps hidden_act"},
        {"glm", "num_key_value_heads rms_norm_eps hidden_act"},
        {"starcoder2", "sliding_window num_key_value_heads norm_epsilon hidden_act"},
        {"phi", "num_key_value_heads layer_norm_eps hidden_act"},
        {"gptj", "layer_norm_epsilon activation_function"},
        {"gpt2", "scale_attn_weights scale_attn_by_inverse_layer_idx layer_norm_epsilon activation_function"},
        {"gpt_neox", "layer_norm_eps hidden_act"}};
    for (const auto& [type, its_keys] : read) {
        json config = {{"model_type", type},
                       {"vocab_size", 131},
                       {"hidden_size", 64},
                       {"intermediate_size", 96},
                       {"num_hidden_layers", 4},
                       {"num_attention_heads", 4},
                       {"num_key_value_heads", 2},
                       {"head_dim", 16},
                       {"max_position_embeddings", 256},
                       {"sliding_window", 40},
                       {"use_sliding_window", true},
                       {"max_window_layers", 1}};
        if (type == "gptj") config["rotary_dim"] = 8;
        const ModelPlan plan = hf_plan(config);
        for (const auto& [key, value] : keys.items()) {
            json changed = config;
            changed[key] = value;
            const ModelPlan other = hf_plan(changed);
            const bool is_equal = other.layers == plan.layers && other.head == plan.head &&
                                  other.embedding.factor == plan.embedding.factor;
            EXPECT_EQ(!is_equal, (" " + its_keys + " ").find(" " + key + " ") != std::string::npos) << type << key;
        }
    }
}

// transformers 5.24.0: modeling_gpt2.py, GPT2Attention; modeling_smollm3.py, SmolLM3Model; configuration_gemma.py.
TEST(HfPlan, FollowsTheClassesOfTransformers) {
    json config = {{"model_type", "gpt2"}, {"n_embd", 64}, {"n_head", 4}, {"n_layer", 3}};
    config["scale_attn_by_inverse_layer_idx"] = true;
    EXPECT_EQ(hf_plan(config).layers[0].scores()->factor, 1);
    EXPECT_EQ(hf_plan(config).layers[2].scores()->factor, 1.0 / 3);
    config["scale_attn_weights"] = false;
    EXPECT_EQ(hf_plan(config).layers[1].scores()->factor, 4.0 / 2) << "√16 takes 1/√D back";

    const auto windows = [](const json& more) {
        json smollm3 = {{"model_type", "smollm3"}, {"num_hidden_layers", 4}, {"sliding_window", 40}};
        smollm3.update(more);
        std::string text;
        for (const LayerPlan& layer : hf_plan(smollm3).layers) text += layer.scores()->window ? 's' : 'f';
        return text;
    };
    const json types = {"sliding_attention", "full_attention", "full_attention", "sliding_attention"};
    EXPECT_EQ(windows({{"use_sliding_window", false}, {"layer_types", types}}), "sffs");
    EXPECT_EQ(windows({{"use_sliding_window", true}}), "fffs") << "layers without rotation";
    EXPECT_EQ(windows({{"use_sliding_window", false}}), "ffff");

    const auto activation = [](const char* type, const json& more) {
        json gemma = {{"model_type", type}};
        gemma.update(more);
        return std::get<Mlp>(hf_plan(gemma).layers[0].feed_forward).activation.kind;
    };
    for (const json& other : {json(), json("relu")}) {
        const json both = {{"hidden_act", "gelu"}, {"hidden_activation", other}};
        EXPECT_EQ(activation("gemma", both), FeedForward::geglu_tanh);
    }
    EXPECT_EQ(activation("gemma", {{"hidden_act", "relu"}}), FeedForward::reglu);
    EXPECT_EQ(activation("gemma2", {{"hidden_act", "relu"}, {"hidden_activation", "gelu"}}), FeedForward::geglu);
}

TEST(HfPlan, NamesASettingThatItDoesNotHave) {
    const auto unknown = [](const char* type, const char* key, const json& value) {
        return hf_facts({{"model_type", type}, {key, value}}).unknown;
    };
    EXPECT_EQ(unknown("phi", "qk_layernorm", true), "qk_layernorm to true");
    EXPECT_EQ(unknown("cohere", "use_qk_norm", true), "use_qk_norm to true");
    EXPECT_EQ(unknown("mpt", "norm_type", "rms"), "norm_type to \"rms\"");
    EXPECT_EQ(unknown("opt", "word_embed_proj_dim", 32), "word_embed_proj_dim to 32");
    EXPECT_EQ(unknown("gemma4_text", "hidden_size_per_layer_input", 256), "hidden_size_per_layer_input to 256");
    EXPECT_EQ(unknown("gemma4_text", "hidden_size_per_layer_input", 0), "");
    EXPECT_EQ(unknown("gemma4_text", "vocab_size", 10),
              "hidden_size_per_layer_input to 256, by the default of its class");
    for (const char* type : {"gemma", "gemma2", "gemma3_text"}) {
        EXPECT_EQ(unknown(type, "use_bidirectional_attention", true), "use_bidirectional_attention to true");
        EXPECT_EQ(unknown(type, "use_bidirectional_attention", nullptr), "");
    }
    EXPECT_EQ(unknown("llama", "is_causal", false), "is_causal to false");
    EXPECT_EQ(unknown("llama", "use_bidirectional_attention", true), "") << "its class does not read it";
    const Anatomy anatomy =
        hf_anatomy({{"model_type", "llama"}, {"vocab_size", 10}, {"intermediate_size", 96}, {"is_causal", false}});
    EXPECT_TRUE(anatomy.totals().parameters) << "a mask has none";
    EXPECT_EQ(anatomy.remarks.front(), "The config.json sets is_causal to false, which the program does not know.");
}

TEST(HfPlan, LayersHaveTheFrequenciesOfTheirType) {
    const HfModel model = read_hf_config(known_model("Gemma 3 4B").config);
    const ModelPlan plan = hf_plan(known_model("Gemma 3 4B").config);
    std::set<double> slowest;
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        const HfRotary& rotary = model.of(model.shape.layers[i].type);
        const std::vector<RotaryPair>& pairs = plan.layers[i].rotary()->pairs;
        ASSERT_EQ(pairs.size(), rotary.frequencies.inverse_frequencies.size());
        for (std::size_t pair = 0; pair < pairs.size(); ++pair)
            EXPECT_EQ(pairs[pair].frequency, rotary.frequencies.inverse_frequencies[pair]);
        slowest.insert(pairs.back().frequency);
    }
    EXPECT_EQ(slowest.size(), 2U);
    const ModelPlan partial = hf_plan(known_model("Pythia 1B").config);
    EXPECT_EQ(std::ranges::count_if(partial.rotary()->pairs, &RotaryPair::rotates), 32);
    EXPECT_EQ(partial.rotary()->pairs.size(), 128U);
    EXPECT_EQ(stage_of(partial.anatomy(), "attention.rotation").kind, "RoPE, 25 %");
    EXPECT_EQ(stage_of(hf_anatomy(known_model("GPT-J 6B").config), "attention.rotation").kind,
              "RoPE, 25 %, interleaved pairs");
    EXPECT_EQ(stage_of(hf_anatomy(known_model("Llama 3 8B").config), "attention.rotation").kind, "RoPE");
}

}  // namespace
}  // namespace ropelab
