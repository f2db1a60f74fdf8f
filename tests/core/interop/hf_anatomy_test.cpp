#include "core/interop/hf_anatomy.h"

#include <gtest/gtest.h>

#include "core/interop/hf_config.h"
#include "core/interop/model_table.h"
#include "core/spec/error.h"

namespace ropelab {
namespace {

using nlohmann::json;

/// A config.json with the number of parameters that its model's weights have on the Hugging Face Hub.
struct Published {
    const char* config;
    std::int64_t parameters;
};

const Published published[] = {
    // Llama 3 8B, Llama 3.2 1B and TinyLlama 1.1B
    {R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
         "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "rope_theta": 500000,
         "max_position_embeddings": 8192, "tie_word_embeddings": false})",
     8030261248},
    {R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
         "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64, "vocab_size": 128256,
         "rope_theta": 500000, "max_position_embeddings": 131072, "tie_word_embeddings": true})",
     1235814400},
    {R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22,
         "num_attention_heads": 32, "num_key_value_heads": 4, "rope_theta": 10000, "vocab_size": 32000,
         "max_position_embeddings": 2048, "tie_word_embeddings": false})",
     1100048384},
    // Pythia 1B, GPT-J 6B and Phi-2
    {R"({"model_type": "gpt_neox", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
         "num_attention_heads": 8, "vocab_size": 50304, "rotary_pct": 0.25, "rotary_emb_base": 10000,
         "max_position_embeddings": 2048, "tie_word_embeddings": false})",
     1011781632},
    {R"({"model_type": "gptj", "n_embd": 4096, "n_layer": 28, "n_head": 16, "n_positions": 2048, "rotary_dim": 64,
         "vocab_size": 50400, "n_inner": null, "tie_word_embeddings": false})",
     6050882784},
    {R"({"model_type": "phi", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 32,
         "num_attention_heads": 32, "rope_theta": 10000, "vocab_size": 51200, "partial_rotary_factor": 0.4,
         "max_position_embeddings": 2048, "tie_word_embeddings": false})",
     2779683840},
    // Mistral 7B v0.1, Qwen2.5 7B, Qwen3 8B, Gemma 7B, Gemma 2 9B, Phi-3 mini and OLMo 2 7B
    {R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
         "num_attention_heads": 32, "num_key_value_heads": 8, "rope_theta": 10000, "vocab_size": 32000, "sliding_window": 4096,
         "max_position_embeddings": 32768, "tie_word_embeddings": false})",
     7241732096},
    {R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
         "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064, "rope_theta": 1000000,
         "max_position_embeddings": 32768, "tie_word_embeddings": false})",
     7615616512},
    {R"({"model_type": "qwen3", "hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 36,
         "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936,
         "attention_bias": false, "rope_theta": 1000000, "max_position_embeddings": 40960,
         "tie_word_embeddings": false})",
     8190735360},
    {R"({"model_type": "gemma", "hidden_size": 3072, "intermediate_size": 24576, "num_hidden_layers": 28,
         "num_attention_heads": 16, "num_key_value_heads": 16, "head_dim": 256, "rope_theta": 10000, "vocab_size": 256000,
         "max_position_embeddings": 8192})",
     8537680896},
    {R"({"model_type": "gemma2", "hidden_size": 3584, "intermediate_size": 14336, "num_hidden_layers": 42,
         "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256, "rope_theta": 10000, "vocab_size": 256000,
         "sliding_window": 4096, "max_position_embeddings": 8192})",
     9241705984},
    {R"({"model_type": "phi3", "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 32,
         "num_attention_heads": 32, "num_key_value_heads": 32, "rope_theta": 10000, "vocab_size": 32064,
         "max_position_embeddings": 4096, "tie_word_embeddings": false})",
     3821079552},
    {R"({"model_type": "olmo2", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
         "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 100352, "rope_theta": 500000,
         "max_position_embeddings": 4096, "tie_word_embeddings": false})",
     7298617344},
};

TEST(HfAnatomy, CountsTheParametersOfPublishedModels) {
    for (const Published& model : published) {
        const json config = json::parse(model.config);
        const Anatomy anatomy = hf_anatomy(config);
        EXPECT_EQ(anatomy.totals().parameters, model.parameters) << config.at("model_type");
        EXPECT_TRUE(anatomy.remarks.empty()) << anatomy.remarks.front();
        EXPECT_TRUE(anatomy.totals().operations);
    }
}

std::int64_t value_of(const json& config, std::initializer_list<const char*> names, std::int64_t otherwise) {
    for (const char* name : names) {
        if (config.contains(name) && config.at(name).is_number_integer()) return config.at(name).get<std::int64_t>();
    }
    return otherwise;
}

// The attention of all known models, computed from their configs alone.
TEST(HfAnatomy, KnownModelsHaveTheProjectionsAndCachesOfTheirConfigs) {
    int compared = 0;
    for (const KnownModel& model : model_table()) {
        SCOPED_TRACE(model.name);
        const json& config = model.config;
        const Anatomy anatomy = hf_anatomy(config);
        EXPECT_FALSE(anatomy.totals().parameters) << "the table has neither vocabularies nor widths of MLPs";
        EXPECT_FALSE(anatomy.remarks.empty());
        const std::int64_t C = value_of(config, {"hidden_size", "n_embd"}, 0);
        const std::int64_t h = value_of(config, {"num_attention_heads", "n_head"}, 0);
        const bool is_latent = config.contains("kv_lora_rank");
        if (C == 0 || h == 0 || is_latent || config.contains("global_head_dim")) continue;
        if (config.contains("full_attention_interval")) continue;
        const std::int64_t D = value_of(config, {"head_dim", "kv_channels"}, C / h);
        const bool one_key = config.value("multi_query", false);
        const std::int64_t kv = value_of(config, {"num_key_value_heads", "multi_query_group_num"}, one_key ? 1 : h);
        const AnatomyStage* qkv = anatomy.find("attention.qkv");
        const AnatomyStage* output = anatomy.find("attention.output");
        ASSERT_TRUE(qkv && output);
        if (!qkv->parameters) continue;  // the library default of a size is not in the table
        ++compared;
        EXPECT_EQ(qkv->operations, 2.0 * static_cast<double>((h + 2 * kv) * D * C));
        EXPECT_EQ(output->operations, 2.0 * static_cast<double>(h * D * C));
        const bool is_encoder = config.at("model_type") == "modernbert";
        EXPECT_EQ(anatomy.find("attention.keys")->cache_bytes, is_encoder ? 0 : 2 * kv * D * 2);
    }
    EXPECT_GE(compared, 38);
}

TEST(HfAnatomy, LatentAttentionHasItsCacheAndNoCountOfItsProjections) {
    const Anatomy anatomy = hf_anatomy(known_model("DeepSeek-V3").config);
    EXPECT_EQ(anatomy.find("attention.keys")->cache_bytes, 2 * (512 + 64));
    EXPECT_FALSE(anatomy.find("attention.qkv")->parameters);
    EXPECT_EQ(anatomy.totals().cache_bytes, 61 * 2 * (512 + 64));
}

TEST(HfAnatomy, KindsOfLayersAreSectionsOfTheirOwn) {
    const Anatomy anatomy = hf_anatomy(known_model("Gemma 3 4B").config);
    ASSERT_EQ(anatomy.sections.size(), 4U);
    EXPECT_EQ(anatomy.sections[1].title, "Layer, sliding attention");
    EXPECT_EQ(anatomy.sections[2].title, "Layer, full attention");
    EXPECT_EQ(anatomy.sections[1].repeats() + anatomy.sections[2].repeats(), 34);
    const auto scores = [&](std::size_t section) {
        for (const AnatomyStage& stage : anatomy.sections[section].stages) {
            if (stage.id == "attention.scores") return stage.operations.value();
        }
        return 0.0;
    };
    EXPECT_LT(scores(1), scores(2)) << "a window leaves fewer keys";
}

TEST(HfAnatomy, RefusesAConfigWithoutRotaryEmbeddings) {
    EXPECT_THROW(hf_anatomy(json::parse(R"({"model_type": "gpt2", "n_embd": 768, "n_head": 12})")), BadInput);
}

}  // namespace
}  // namespace ropelab
