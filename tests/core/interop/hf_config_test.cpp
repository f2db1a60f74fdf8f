#include "core/interop/config/hf_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "tests/support/expect_message.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

using nlohmann::json;

// Returns a config with a head of 64 channels.
json small(json more = json::object()) {
    json config = {
        {"hidden_size", 256}, {"num_attention_heads", 4}, {"num_hidden_layers", 2}, {"max_position_embeddings", 1024}};
    config.update(more);
    return config;
}

// At a current length in tokens (0: within the training context).
Frequencies hf_frequencies(const json& config, std::string_view layer_type = "", double length = 0) {
    return read_hf_config(config).of(layer_type).at(length);
}

const HfValue& value_of(const HfModel& model, const std::string& name) {
    const auto found = std::find_if(model.values.begin(), model.values.end(),
                                    [&](const HfValue& value) { return value.name == name; });
    EXPECT_NE(found, model.values.end()) << name;
    return *found;
}

TEST(HuggingFaceConfig, FrequenciesAgreeWithTransformers) {
    SKIP_WITHOUT_SHARED_DATA("oracles/hf_inverse_frequencies.json");
    const auto reference = read_json_file(shared_data("oracles/hf_inverse_frequencies.json"));
    int records = 0;
    for (const auto& record : reference.at("records")) {
        const std::string layer_type =
            record.at("layer_type").is_null() ? "" : record.at("layer_type").get<std::string>();
        const double length = record.at("seq_len").is_null() ? 0 : record.at("seq_len").get<double>();
        const auto theirs = record.at("inv_freq").get<std::vector<double>>();
        SCOPED_TRACE(record.at("name").get<std::string>() + " at " + std::to_string(length));
        // The config is read with and without the model type, which determines the library defaults.
        json typed = record.at("config");
        typed["model_type"] = record.at("model_type");
        for (const json& config : {record.at("config"), typed}) {
            const Frequencies ours = hf_frequencies(config, layer_type, length);
            ASSERT_EQ(ours.inverse_frequencies.size(), theirs.size());
            for (std::size_t i = 0; i < theirs.size(); ++i) {
                EXPECT_LE(std::abs(ours.inverse_frequencies[i] - theirs[i]), 1e-6 * theirs[i]) << "pair " << i;
            }
            EXPECT_NEAR(ours.attention_factor, record.at("attention_scaling").get<double>(), 1e-6);
        }
        ++records;
    }
    EXPECT_EQ(records, 60);
}

TEST(HuggingFaceConfig, ReadsConfigsOfTransformers4And5) {
    SKIP_WITHOUT_SHARED_DATA("oracles/hf_models/neox_25/config.json");
    for (const char* name : {"config.json", "config.v4.json"}) {
        const auto neox =
            read_hf_config(load_model_config(shared_data(std::string("oracles/hf_models/neox_25/") + name)));
        EXPECT_EQ(neox.rotary.front().rotary_dim, 4) << name;
        const auto llama =
            read_hf_config(load_model_config(shared_data(std::string("oracles/hf_models/llama_gqa/") + name)));
        EXPECT_EQ(llama.rotary.front().setup.theta, 5000) << name;
        EXPECT_EQ(llama.sizes->kind, KvCache::grouped) << name;
        const HfModel gpt2 =
            read_hf_config(load_model_config(shared_data(std::string("oracles/hf_models/gpt2/") + name)));
        EXPECT_EQ(gpt2.position, HfPosition::learned) << name;
        EXPECT_EQ(gpt2.sizes->layers, 2) << name;
        EXPECT_EQ(gpt2.sizes->head_dim, 16) << name;
        EXPECT_MESSAGE(gpt2.of(""), BadInput, "without rotary embeddings (\"gpt2\")");
    }
}

TEST(HuggingFaceConfig, KnowsAllNamesOfTheFraction) {
    const json base = {{"hidden_size", 64}, {"num_attention_heads", 1}};
    for (const char* name : {"partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_percentage", "rope_percent"}) {
        auto config = base;
        config[name] = 0.25;
        const HfModel model = read_hf_config(config);
        EXPECT_EQ(model.rotary.front().rotary_dim, 16) << name;
        EXPECT_EQ(value_of(model, "partial_rotary_factor").key, name);
    }
    auto counted = base;
    counted["rotary_dim"] = 20;
    EXPECT_EQ(hf_frequencies(counted).rotary_dim, 20);
    auto version5 = base;
    version5["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 500.0}, {"partial_rotary_factor", 0.5}};
    EXPECT_EQ(hf_frequencies(version5).rotary_dim, 32);
    EXPECT_NEAR(hf_frequencies(version5).inverse_frequencies[1], std::pow(500.0, -2.0 / 32), 1e-12);
}

TEST(HuggingFaceConfig, HeadDimensionMayDifferFromWidthOverHeads) {
    EXPECT_EQ(hf_frequencies({{"head_dim", 128}, {"hidden_size", 64}, {"num_attention_heads", 1}}).rotary_dim, 128);
    EXPECT_EQ(hf_frequencies({{"kv_channels", 128}, {"hidden_size", 64}, {"num_attention_heads", 1}}).rotary_dim, 128);
    // In this Gemma config, head_dim is missing.
    EXPECT_EQ(read_hf_config({{"model_type", "gemma2"}}).rotary.front().setup.head_dim, 256);
}

TEST(HuggingFaceConfig, RoundsTheRotaryDimensionDown) {
    // int(0.1 · 64) is 6, as in the partial-RoPE paper; int(0.3 · 64) is 19, where the paper has 20.
    EXPECT_EQ(hf_frequencies(small({{"partial_rotary_factor", 0.1}})).rotary_dim, 6);
    const HfModel odd = read_hf_config(small({{"partial_rotary_factor", 0.3}}));
    EXPECT_EQ(odd.rotary.front().rotary_dim, 19);
    EXPECT_EQ(odd.rotary.front().frequencies.inverse_frequencies.size(), 10U);
    EXPECT_NEAR(odd.rotary.front().frequencies.inverse_frequencies[9], std::pow(10000.0, -18.0 / 19), 1e-12);
    EXPECT_EQ(rotary_dim(odd.rotary.front().setup), 20);
    ASSERT_EQ(odd.remarks.size(), 1U);
    EXPECT_THAT(odd.remarks.front(), testing::HasSubstr("odd"));
}

TEST(HuggingFaceConfig, KnowsBothNamesOfTheRopeTypeAndOfLongRope) {
    const std::vector<double> factors(32, 2.0);
    json config = small({{"max_position_embeddings", 1024}});
    for (const char* key : {"type", "rope_type"}) {
        for (const char* name : {"su", "longrope", "yarn"}) {
            config["rope_scaling"] = {{key, name},
                                      {"short_factor", std::vector<double>(32, 1.0)},
                                      {"long_factor", factors},
                                      {"original_max_position_embeddings", 256}};
            const HfModel model = read_hf_config(config);
            EXPECT_EQ(model.rotary.front().setup.scaling.method, ScalingMethod::longrope) << key << name;
            EXPECT_EQ(model.rotary.front().frequencies.inverse_frequencies[0], 1.0);
            EXPECT_EQ(model.rotary.front().at(257).inverse_frequencies[0], 0.5);
            EXPECT_NEAR(model.rotary.front().frequencies.attention_factor, std::sqrt(1 + std::log(4) / std::log(256)),
                        1e-12);
        }
    }
    // The value next to rope_scaling has priority over the value inside.
    config["original_max_position_embeddings"] = 512;
    EXPECT_EQ(read_hf_config(config).rotary.front().setup.scaling.original_context, 512);
}

TEST(HuggingFaceConfig, MissingFactorIsTheRatioOfTheContexts) {
    json yarn = {{"rope_type", "yarn"}, {"factor", nullptr}, {"original_max_position_embeddings", 256}};
    const HfModel derived = read_hf_config(small({{"rope_scaling", yarn}}));
    EXPECT_EQ(derived.rotary.front().setup.scaling.factor, 4);
    EXPECT_EQ(value_of(derived, "factor").origin, HfOrigin::derived);
    EXPECT_NEAR(derived.rotary.front().frequencies.attention_factor, 1.1386294361, 1e-9);
    for (const char* alone : {"mscale", "mscale_all_dim"}) {  // each means something only beside the other
        json with_one = yarn;
        with_one[alone] = 0.5;
        const HfRotary rotary = read_hf_config(small({{"rope_scaling", with_one}})).rotary.front();
        EXPECT_NEAR(rotary.frequencies.attention_factor, 1.1386294361, 1e-9) << alone;
        EXPECT_FALSE(rotary.setup.scaling.mscale || rotary.setup.scaling.mscale_all_dim) << alone;
    }
    yarn["attention_factor"] = 1.5;
    EXPECT_EQ(read_hf_config(small({{"rope_scaling", yarn}})).rotary.front().frequencies.attention_factor, 1.5);
    EXPECT_MESSAGE(read_hf_config(small({{"rope_scaling", {{"type", "linear"}}}})), BadInput, "no factor");
}

TEST(HuggingFaceConfig, DeepSeekScalesTheSoftmaxAndRotatesTheLastChannels) {
    const json config = {{"model_type", "deepseek_v3"},
                         {"hidden_size", 7168},
                         {"num_attention_heads", 128},
                         {"num_hidden_layers", 61},
                         {"max_position_embeddings", 163840},
                         {"qk_nope_head_dim", 128},
                         {"qk_rope_head_dim", 64},
                         {"kv_lora_rank", 512},
                         {"rope_scaling",
                          {{"type", "yarn"},
                           {"factor", 40},
                           {"mscale", 1.0},
                           {"mscale_all_dim", 1.0},
                           {"original_max_position_embeddings", 4096}}}};
    const HfModel model = read_hf_config(config);
    const HfRotary& rotary = model.rotary.front();
    EXPECT_EQ(rotary.setup.head_dim, 192);
    EXPECT_EQ(rotary.rotary_dim, 64);
    EXPECT_EQ(rotary_dim(rotary.setup), 64);
    EXPECT_EQ(rotary.setup.pairing, Pairing::interleaved);
    EXPECT_EQ(rotary.frequencies.attention_factor, 1);
    EXPECT_NEAR(rotary.softmax_factor, std::pow(0.1 * std::log(40) + 1, 2), 1e-12);
    EXPECT_EQ(model.sizes->kind, KvCache::latent);
    ASSERT_TRUE(model.sizes);
    EXPECT_EQ(model.sizes->latent_dim, 512);
    EXPECT_EQ(model.sizes->latent_rope_dim, 64);
}

TEST(HuggingFaceConfig, ProportionalIsTruncateWithAnotherHeadDimension) {
    const HfModel model = read_hf_config({{"model_type", "gemma4_text"}, {"num_hidden_layers", 12}});
    ASSERT_EQ(model.rotary.size(), 2U);
    const HfRotary& full = model.of("full_attention");
    EXPECT_EQ(full.setup.head_dim, 512);
    EXPECT_EQ(full.rotary_dim, 128);
    EXPECT_EQ(full.setup.partial, Partial::truncate);
    EXPECT_EQ(full.frequencies.inverse_frequencies.size(), 256U);
    EXPECT_EQ(full.frequencies.inverse_frequencies[64], 0);
    EXPECT_EQ(full.layers, 2);
    EXPECT_EQ(model.of("sliding_attention").setup.head_dim, 256);
    EXPECT_EQ(model.of("sliding_attention").rotary_dim, 256);
    EXPECT_EQ(value_of(model, "partial_rotary_factor").origin, HfOrigin::library_default);
}

TEST(HuggingFaceConfig, LayerTypesMayHaveDifferentThetas) {
    const HfModel gemma =
        read_hf_config({{"model_type", "gemma3_text"}, {"rope_scaling", {{"rope_type", "linear"}, {"factor", 8.0}}}});
    EXPECT_EQ(gemma.of("full_attention").setup.theta, 1e6);
    EXPECT_EQ(gemma.of("full_attention").frequencies.inverse_frequencies[0], 0.125);
    EXPECT_EQ(gemma.of("sliding_attention").setup.theta, 1e4);
    EXPECT_EQ(gemma.of("sliding_attention").frequencies.inverse_frequencies[0], 1);
    EXPECT_EQ(&gemma.of(""), &gemma.of("full_attention"));
    EXPECT_MESSAGE(gemma.of("global"), BadInput, "full_attention and sliding_attention");

    const HfModel modern = read_hf_config({{"model_type", "modernbert"}, {"local_rope_theta", 5000.0}});
    EXPECT_EQ(modern.of("full_attention").setup.theta, 160000);
    EXPECT_EQ(modern.of("sliding_attention").setup.theta, 5000);
    EXPECT_FALSE(modern.sizes);  // an encoder has no KV cache

    const HfModel version5 =
        read_hf_config(small({{"layer_types", {"full_attention", "sliding_attention"}},
                              {"rope_parameters",
                               {{"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 100.0}}},
                                {"full_attention", {{"rope_type", "default"}, {"rope_theta", 1000.0}}}}}}));
    EXPECT_EQ(version5.rotary.front().layer_type, "full_attention");
    EXPECT_EQ(version5.of("sliding_attention").setup.theta, 100);
    EXPECT_EQ(version5.of("sliding_attention").layers, 1);
    EXPECT_MESSAGE(read_hf_config(small()).of("sliding_attention"), BadInput, "all its layers");
}

TEST(HuggingFaceConfig, RecordsTheSourceOfEveryValue) {
    const HfModel model = read_hf_config(small({{"model_type", "gpt_neox"},
                                                {"rotary_emb_base", 5000},
                                                {"rope_finetuned", true},
                                                {"rope_scaling", {{"type", "default"}, {"spin", 3}}}}));
    EXPECT_EQ(value_of(model, "rope_theta").origin, HfOrigin::file);
    EXPECT_EQ(value_of(model, "rope_theta").key, "rotary_emb_base");
    EXPECT_EQ(value_of(model, "rope_theta").text, "5000");
    EXPECT_EQ(value_of(model, "partial_rotary_factor").origin, HfOrigin::library_default);
    EXPECT_EQ(value_of(model, "partial_rotary_factor").text, "0.25");
    EXPECT_EQ(value_of(model, "head_dim").origin, HfOrigin::derived);
    EXPECT_THAT(model.unknown_keys, testing::ElementsAre("rope_finetuned", "rope_scaling.spin"));
    EXPECT_EQ(value_of(read_hf_config({{"head_dim", 64}}), "max_position_embeddings").origin, HfOrigin::assumed);
}

TEST(HuggingFaceConfig, FindsTheTextModelInAMultiModalConfig) {
    const json text = small({{"rope_theta", 777.0}});
    EXPECT_EQ(read_hf_config({{"model_type", "x"}, {"text_config", text}}).rotary.front().setup.theta, 777);
    EXPECT_EQ(read_hf_config({{"thinker_config", {{"text_config", text}}}}).rotary.front().setup.theta, 777);
}

TEST(HuggingFaceConfig, ReadsTheDimensionsOfTheKvCache) {
    const auto read = [](json more) { return read_hf_config(small(std::move(more))); };
    EXPECT_EQ(read(json::object()).sizes->kind, KvCache::multi_head);
    EXPECT_EQ(read({{"num_key_value_heads", 2}}).sizes->kind, KvCache::grouped);
    EXPECT_EQ(read({{"num_key_value_heads", 1}}).sizes->kind, KvCache::multi_query);
    EXPECT_EQ(read({{"model_type", "falcon"}, {"multi_query", true}}).sizes->kv_heads, 1);
    const HfModel sliding = read({{"sliding_window", 128}, {"sliding_window_pattern", 2}});
    EXPECT_EQ(sliding.sizes->kind, KvCache::sliding);
    EXPECT_EQ(sliding.sizes->window, 128);
    EXPECT_EQ(sliding.sizes->global_layers, 1);
    EXPECT_EQ(read({{"sliding_window", 128}, {"use_sliding_window", false}}).sizes->kind, KvCache::multi_head);
    // Mistral has a sliding window by default; null turns it off.
    EXPECT_EQ(read({{"model_type", "mistral"}, {"max_position_embeddings", 8192}}).sizes->kind, KvCache::sliding);
    EXPECT_EQ(
        read({{"model_type", "mistral"}, {"sliding_window", nullptr}, {"max_position_embeddings", 8192}}).sizes->kind,
        KvCache::grouped);
    EXPECT_EQ(read({{"full_attention_interval", 2}, {"num_hidden_layers", 8}}).sizes->layers, 4);
    EXPECT_FALSE(read_hf_config({{"head_dim", 64}}).sizes);
}

TEST(HuggingFaceConfig, ThrowsForInvalidConfigs) {
    EXPECT_MESSAGE(hf_frequencies({{"hidden_size", 64}}), BadInput, "num_attention_heads");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", 64}, {"rope_scaling", {{"type", "spiral"}, {"factor", 2}}}}), BadInput,
                   "spiral");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", 64}, {"rope_theta", "big"}}), BadInput, "rope_theta");
    EXPECT_MESSAGE(hf_frequencies(json::array()), BadInput, "JSON object");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", -64}}), BadInput, "head_dim is -64");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", 63}}), BadInput, "even");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", 64.5}}), BadInput, "whole");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", 1e300}}), BadInput, "head_dim");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", 64}, {"rope_theta", 1e300}}), BadInput, "rope_theta");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", 64}, {"rope_theta", 0.5}}), BadInput, "theta");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", 64}, {"rope_theta", {10000.0}}}), BadInput, "a list");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", 64}, {"rotary_dim", 128}}), BadInput, "rotates 128");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", 64}, {"rope_scaling", "yarn"}}), BadInput, "an object");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", 64}, {"max_position_embeddings", std::int64_t{1} << 40}}), BadInput,
                   "max_position_embeddings");
    EXPECT_MESSAGE(read_hf_config(small({{"num_hidden_layers", -1}})), BadInput, "num_hidden_layers is -1");
    EXPECT_MESSAGE(read_hf_config(small({{"model_type", {1}}})), BadInput, "model_type");
    EXPECT_MESSAGE(read_hf_config({{"model_type", "bert"}}), BadInput, "without rotary");
    EXPECT_MESSAGE(hf_frequencies({{"model_type", "bloom"}}), BadInput, "without rotary");
    EXPECT_MESSAGE(read_hf_config(small({{"hidden_size", 3}})), BadInput, "4 heads for a hidden_size of 3");
    EXPECT_MESSAGE(read_hf_config(small({{"hidden_size", 1 << 24}})), BadInput, "from 1 to 1048576");
}

TEST(ModelConfigText, ThrowsForTextsAndFilesThatAreNoConfig) {
    EXPECT_MESSAGE(parse_model_config(R"({"head_dim": 64)"), BadInput, "error near byte");
    EXPECT_MESSAGE(parse_model_config(""), BadInput, "not JSON");
    EXPECT_MESSAGE(parse_model_config(R"({"rope_theta": 1e999})"), BadInput, "too large");
    EXPECT_MESSAGE(parse_model_config(std::string(100, '[')), BadInput, "64 levels");
    EXPECT_MESSAGE(parse_model_config(std::string(std::size_t{4} << 20, '[')), BadInput, "64 levels");
    EXPECT_MESSAGE(parse_model_config(std::string(std::size_t{100} << 20, '[')), BadInput, "more than 4 MiB");
    EXPECT_EQ(parse_model_config(R"([[1]])")[0][0], 1);
    EXPECT_MESSAGE(load_model_config("/none/config.json"), BadInput, "/none/config.json");
    EXPECT_MESSAGE(load_model_config("/"), BadInput, "cannot be read");
    EXPECT_MESSAGE(load_model_config("/dev/zero"), BadInput, "not a file but a folder, device or pipe");
}

json small(std::initializer_list<std::pair<const char*, json>> more) {
    json config = {{"model_type", "llama"},
                   {"hidden_size", 128},
                   {"num_attention_heads", 4},
                   {"num_hidden_layers", 4},
                   {"max_position_embeddings", 4096}};
    for (const auto& [name, value] : more) config[name] = value;
    return config;
}

TEST(HuggingFaceConfig, NoWindowIsWrittenAsZeroOrMinusOne) {
    for (const json& window : {json(0), json(-1), json(false), json({-1, -1, -1, -1})}) {
        const HfModel model = read_hf_config(small({{"sliding_window", window}}));
        EXPECT_EQ(model.sizes->global_layers, read_hf_config(small({})).sizes->global_layers) << window;
        EXPECT_TRUE(model.unknown_keys.empty());
        EXPECT_EQ(model.sizes->kind, KvCache::multi_head);
    }
}

TEST(HuggingFaceConfig, ReadsTheNamesOfOtherPrograms) {
    const auto other = [](const char* name, const json& value) {
        return read_hf_config(small({{"model_type", "internlm2"}, {name, value}})).of("");
    };
    for (const char* theta : {"rope_embedding_base", "rope_freq_constant", "rotary_emb_base"}) {
        EXPECT_EQ(other(theta, 5e5).setup.theta, 5e5) << theta;
    }
    EXPECT_EQ(other("rotary_emb_fraction", 0.5).rotary_dim, 16);
    EXPECT_EQ(read_hf_config(small({{"attention_head_dim", 64}, {"kv_channels", 16}})).of("").rotary_dim, 64);
    EXPECT_NEAR(other("rope_condense_ratio", 4).at(0).inverse_frequencies[0], 0.25, 1e-12);
    EXPECT_EQ(other("rope_condense_ratio", 2).setup.scaling.method, ScalingMethod::linear);
    EXPECT_EQ(other("rope_condense_ratio", 1).setup.scaling.method, ScalingMethod::none);
}

TEST(HuggingFaceConfig, AlphaMultipliesTheBaseAtEveryLength) {
    const json scaling = {{"type", "dynamic"}, {"alpha", 1000}, {"factor", 1}};
    const HfModel other = read_hf_config(small({{"rope_theta", 1e4}, {"rope_scaling", scaling}}));
    EXPECT_NEAR(other.of("").at(0).inverse_frequencies[1], std::pow(1e4, -2.0 / 32), 1e-12) << "only Hunyuan has alpha";
    EXPECT_EQ(other.unknown_keys, std::vector<std::string>{"rope_scaling.alpha"});
    const HfModel model = read_hf_config(
        small({{"model_type", "hunyuan_v1_dense"}, {"rope_theta", 1e4}, {"head_dim", 32}, {"rope_scaling", scaling}}));
    EXPECT_TRUE(model.unknown_keys.empty());
    const double theta = 1e4 * std::pow(1000, 32.0 / 30);
    for (const double length : {0.0, 4096.0, 65536.0}) {
        EXPECT_NEAR(model.of("").at(length).inverse_frequencies[1] / std::pow(theta, -2.0 / 32), 1, 1e-9) << length;
    }
}

TEST(HuggingFaceConfig, ModelsThatDoNotRotateHaveNoRotaryEmbedding) {
    using enum HfPosition;
    const std::vector<std::pair<json, HfPosition>> configs = {
        {small({{"position_embedding_type", "nope"}, {"rope_theta", 1e4}}), none},
        {small({{"use_rope", false}, {"rope_theta", 1e4}}), none},
        {small({{"model_type", "baichuan"}, {"hidden_size", 5120}, {"num_attention_heads", 40}}), alibi},
        {small({{"alibi", true}}), alibi},
        {small({{"model_type", "hf_olmo"}, {"alibi", true}, {"rope", false}}), alibi},
        {small({{"model_type", "falcon"}, {"alibi", true}}), alibi},
        {small({{"model_type", "mpt"}}), alibi},
        {small({{"model_type", "mpt"}, {"attn_config", {{"alibi", true}}}}), alibi},
        {small({{"model_type", "opt"}}), learned},
        {small({{"model_type", "gpt_bigcode"}}), learned}};
    for (const auto& [config, position] : configs) {
        SCOPED_TRACE(config.dump());
        const HfModel model = read_hf_config(config);
        EXPECT_EQ(model.position, position);
        EXPECT_TRUE(model.rotary.empty());
        ASSERT_TRUE(model.sizes);
        EXPECT_EQ(model.sizes->layers, 4);
        EXPECT_EQ(model.sizes->kind, model.model_type == "gpt_bigcode" || model.model_type == "falcon"
                                         ? KvCache::multi_query
                                         : KvCache::multi_head);
        EXPECT_MESSAGE(model.of(""), BadInput, "without rotary embeddings");
        EXPECT_TRUE(model.remarks.empty()) << "no remark on layers without rotation";
    }
    EXPECT_EQ(read_hf_config(small({{"model_type", "mpt"}, {"attn_config", {{"attn_type", "multiquery_attention"}}}}))
                  .sizes->kind,
              KvCache::multi_query);
}

TEST(HuggingFaceConfig, UnknownLayersWithoutRotationAreRefused) {
    for (const json& config :
         {small({{"model_type", "esm"}, {"position_embedding_type", "absolute"}}), small({{"model_type", "esm"}}),
          small({{"model_type", "nemotron_h"}, {"rope_theta", 1e4}}), small({{"model_type", "kimi_linear"}}),
          small({{"model_type", "zamba2"}, {"rope_theta", 1e4}}), small({{"model_type", "t5"}}),
          small({{"model_type", "bert"}, {"position_embedding_type", "alibi"}}),
          small({{"model_type", "zamba2"}, {"use_mem_rope", false}}),
          small({{"model_type", "mpt"}, {"attn_config", {{"alibi", false}}}}),
          small({{"model_type", "hf_olmo"}, {"alibi", false}, {"rope", false}}),
          small({{"model_type", "granitemoehybrid"}, {"rope_theta", 1e4}})}) {
        EXPECT_MESSAGE(read_hf_config(config), BadInput, "without rotary embeddings");
    }
    EXPECT_NO_THROW(read_hf_config(small({{"position_embedding_type", "rotary"}, {"rotary_emb_base", 2e4}})));
    EXPECT_NO_THROW(read_hf_config(small({{"model_type", "zamba2"}, {"use_mem_rope", true}})));
    EXPECT_NO_THROW(read_hf_config(small({{"model_type", "granitemoehybrid"}, {"position_embedding_type", "rope"}})));
    EXPECT_NO_THROW(
        read_hf_config(small({{"model_type", "mpt"}, {"attn_config", {{"rope", true}, {"rope_theta", 2e4}}}})));
}

TEST(HuggingFaceConfig, NamesTheLayersWithoutRotation) {
    const auto remarks = [](const json& config) { return read_hf_config(config).remarks; };
    const std::vector<std::string> two = {
        "2 of the 4 layers have no rotary embedding; the frequencies shown are those of the other layers."};
    EXPECT_EQ(remarks(small({{"model_type", "smollm3"}, {"no_rope_layers", {1, 0, 1, 0}}})), two);
    EXPECT_EQ(remarks(small({{"model_type", "smollm3"}, {"no_rope_layer_interval", 2}})), two);
    for (const char* type : {"cohere2", "exaone4", "exaone_moe", "afmoe"}) {
        EXPECT_EQ(remarks(small({{"model_type", type}, {"sliding_window", 64}, {"sliding_window_pattern", 2}})), two)
            << type;
    }
    EXPECT_TRUE(remarks(small({{"model_type", "exaone4"}, {"sliding_window", nullptr}})).empty())
        << "without windows all layers rotate";
    EXPECT_TRUE(remarks(small({})).empty());
    EXPECT_MESSAGE(read_hf_config(small({{"model_type", "smollm3"}, {"no_rope_layers", {1, 0}}})), BadInput,
                   "no_rope_layers");
}

TEST(HuggingFaceConfig, ScalingOfOneLayerTypeLeavesTheOthersAlone) {
    const HfModel model = read_hf_config(small({{"model_type", "step3p5"},
                                                {"rope_theta", 1e4},
                                                {"rope_scaling", {{"type", "linear"}, {"factor", 4}}},
                                                {"yarn_only_types", {"full_attention"}}}));
    EXPECT_NEAR(model.of("full_attention").at(0).inverse_frequencies[0], 0.25, 1e-12);
    EXPECT_NEAR(model.of("sliding_attention").at(0).inverse_frequencies[0], 1, 1e-12);
    EXPECT_NEAR(model.of("sliding_attention").setup.theta, 1e4, 1e-9);
    ASSERT_EQ(model.remarks.size(), 1U);
    EXPECT_NE(model.remarks[0].find("yarn_only_types"), std::string::npos);
}

TEST(HuggingFaceConfig, FindsTheTextModelUnderItsNames) {
    for (const char* name : {"text_config", "llm_config", "vlm_config", "language_model", "text_model", "decoder"}) {
        EXPECT_EQ(read_hf_config({{name, small({{"rope_theta", 5e5}})}}).of("").setup.theta, 5e5) << name;
    }
}

TEST(HuggingFaceConfig, SharedLayersHaveNoCacheOfTheirOwn) {
    const HfModel model = read_hf_config(small({{"num_kv_shared_layers", 1}}));
    EXPECT_EQ(model.sizes->layers, 3);
}

TEST(HuggingFaceConfig, FactorsBeyondTheOriginalContext) {
    json factors = json::array();
    for (int i = 0; i < 16; ++i) factors.push_back(1);
    const HfModel model = read_hf_config(small({{"max_position_embeddings", 8192},
                                                {"original_max_position_embeddings", 4096},
                                                {"rope_scaling",
                                                 {{"type", "longrope"},
                                                  {"short_factor", factors},
                                                  {"long_factor", factors},
                                                  {"short_mscale", 1.1},
                                                  {"long_mscale", 1.3}}}}));
    EXPECT_EQ(model.of("").at(4096).attention_factor, 1.1);
    EXPECT_EQ(model.of("").at(8192).attention_factor, 1.3);
}

// 8 layers with 2 of 8 heads of 32 channels for keys and values: 2^20 bytes in each layer with attention to 4,096
// tokens.
TEST(HuggingFaceConfig, CountsTheLayersThatRotateAndThoseWithACache) {
    struct Case {
        const char* text;  // further settings
        int rotating;
        double layers;  // bytes of the cache in those of a layer with attention to the whole context
    };
    const std::vector<Case> cases = {
        {R"({"model_type": "bamba", "attn_layer_indices": [3]})", 1, 1},
        {R"({"model_type": "lfm2", "full_attn_idxs": [2, 5]})", 2, 2},
        {R"({"model_type": "jamba", "attn_layer_period": 4, "attn_layer_offset": 2})", 0, 2},
        {R"({"model_type": "nemotron_h", "hybrid_override_pattern": "M-M*-M*-"})", 0, 2},
        {R"({"model_type": "kimi_linear", "linear_attn_config": {"full_attn_layers": [4, 8]}})", 0, 2},
        {R"({"model_type": "recurrent_gemma", "block_types": ["recurrent", "recurrent", "attention"],
             "attention_window_size": 2048})",
         2, 1},
        {R"({"model_type": "bailing_hybrid", "layer_group_size": 4})", 2, 9},
        {R"({"model_type": "afmoe", "sliding_window": 1024, "global_attn_every_n_layers": 4})", 6, 3.5},
        {R"({"model_type": "vaultgemma", "sliding_window": 1024})", 8, 5},
        {R"({"model_type": "cohere2_moe", "sliding_window": 1024,
             "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
                             "sliding_attention", "sliding_attention", "sliding_attention", "full_attention"]})",
         6, 3.5},
        {R"({"model_type": "mllama_text_model", "cross_attention_layers": [3, 7], "rope_theta": 500000})", 6, 6},
        {R"({"model_type": "longcat_flash", "kv_lora_rank": 240, "qk_rope_head_dim": 16, "qk_nope_head_dim": 32})", 8,
         32},
        {R"({"model_type": "ouro", "total_ut_steps": 4})", 8, 32},
        {R"({"model_type": "hunyuan", "use_cla": true, "cla_share_factor": 2, "rope_theta": 10000})", 8, 4},
        {R"({"model_type": "hunyuan", "use_cla": true, "cla_share_factor": 1, "rope_theta": 10000})", 8, 8},
        {R"({"model_type": "hunyuan", "use_cla": true, "rope_theta": 10000})", 8, 8},
        {R"({"model_type": "smollm3", "no_rope_layers": [0, 1, 1, 1, 0, 1, 1, 1], "rope_theta": 10000})", 6, 8},
        {R"({"model_type": "llama", "v_head_dim": 0})", 8, 8},
        {R"({"model_type": "deci", "num_key_value_heads_per_layer": [4, 4, 2, 1, 4, 4, 2, 1]})", 8, 11},
        {R"({"model_type": "openelm", "num_kv_heads": [4, 4, 2, 1, 4, 4, 2, 1], "num_key_value_heads": null,
             "num_query_heads": [8, 8, 8, 8, 12, 12, 12, 12], "num_attention_heads": null, "model_dim": 256,
             "num_transformer_layers": 8, "num_hidden_layers": null, "rope_freq_constant": 10000})",
         8, 11},
        {R"({"model_type": "step3p5", "num_attention_groups": 2, "num_key_value_heads": null, "sliding_window": 1024,
             "attention_other_setting": {"attention_type": "sliding_attention", "num_attention_groups": 4},
             "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "sliding_attention",
                             "full_attention", "sliding_attention", "sliding_attention", "sliding_attention"]})",
         8, 5},
        {R"({"model_type": "falcon", "num_kv_heads": 8, "multi_query": true})", 8, 4},
        {R"({"model_type": "chatglm", "multi_query_attention": false, "multi_query_group_num": 2,
             "num_key_value_heads": null})",
         8, 32},
        {R"({"model_type": "nemotron-nas", "num_key_value_heads": null, "block_configs": [
             {"attention": {"n_heads_in_group": 4}}, {"attention": {"no_op": true}},
             {"attention": {"n_heads_in_group": 4}}, {"attention": {"replace_with_linear": true}},
             {"attention": {"n_heads_in_group": 2}}, {"attention": {"no_op": true}},
             {"attention": {"n_heads_in_group": 4}}, {"attention": {"no_op": true}}]})",
         8, 5},
        {R"({"model_type": "minimax_m1", "attn_type_list": [0, 0, 0, 1, 0, 0, 0, 1]})", 2, 2},
        {R"({"model_type": "mimo_v2_flash", "hybrid_layer_pattern": [0, 1, 1, 1, 0, 1, 1, 1], "sliding_window": 1024,
             "swa_num_key_value_heads": 4, "v_head_dim": 32})",
         8, 5},
        {R"({"model_type": "mistral", "sliding_window": 1024, "use_sliding_window": false})", 8, 2},
        {R"({"model_type": "qwen2", "sliding_window": 1024, "max_window_layers": 4, "use_sliding_window": true})", 8,
         5},
        {R"({"model_type": "qwen2", "sliding_window": 1024, "max_window_layers": 4, "use_sliding_window": false})", 8,
         8},
        {R"({"model_type": "qwen2_moe", "sliding_window": 1024, "max_window_layers": 4, "use_sliding_window": true})",
         8, 6.5},
        {R"({"model_type": "qwen3_moe", "sliding_window": 1024, "max_window_layers": 8, "use_sliding_window": true})",
         8, 2},
        {R"({"model_type": "dory", "sliding_window": 1024, "n_input_layers": 2, "n_output_layers": 2})", 8, 5.25},
        {R"({"model_type": "dory", "sliding_window": 1024, "n_input_layers": 2, "n_output_layers": 2,
             "recurrent_kv_cache_mode": "last_loop"})",
         8, 3.5},
        {R"({"model_type": "gemma4_text", "sliding_window": 1024, "global_head_dim": 64, "attention_k_eq_v": true,
             "num_global_key_value_heads": 1, "hidden_size_per_layer_input": 0})",
         8, 3.5},
        {R"({"model_type": "gemma4_unified_text", "sliding_window": 1024,
             "per_layer_config": {"05": {"head_dim": 64}, "07": {"head_dim": 64}}})",
         8, 5.5},
        {R"({"model_type": "newest", "kv_source_layers": [0, 0, 2, 2, 4, 4, 4, 4], "rope_theta": 10000})", 8, 3},
        {R"({"model_type": "nemotron-nas", "block_configs": [{"attention": {"n_heads_in_group": 8}}]})", 8, 4},
        {R"({"model_type": "falcon", "num_kv_heads": 8, "multi_query": true, "new_decoder_architecture": false})", 8,
         4},
        {R"({"model_type": "newest", "layer_rope_theta": [0, 1e4, 1e4, 1e4, 0, 1e4, 1e4, 1e4]})", 6, 8}};
    for (const Case& each : cases) {
        json config = {{"hidden_size", 256},     {"num_attention_heads", 8}, {"num_key_value_heads", 2},
                       {"num_hidden_layers", 8}, {"head_dim", 32},           {"max_position_embeddings", 4096}};
        config.update(json::parse(each.text));
        const HfModel model = read_hf_config(config);
        SCOPED_TRACE(each.text);
        EXPECT_EQ(std::ranges::count_if(model.shape.layers, &HfLayer::rotates), each.rotating);
        ASSERT_TRUE(model.sizes);
        EXPECT_EQ(kv_cache_bytes(model.caches(), 4096, 2), each.layers * (1 << 20));
    }
    // An unknown kind of layer is no reason to leave out its cache.
    const HfModel indexed = read_hf_config({{"model_type", "deepseek_v32"},
                                            {"kv_lora_rank", 32},
                                            {"qk_rope_head_dim", 16},
                                            {"qk_nope_head_dim", 32},
                                            {"num_attention_heads", 8},
                                            {"num_hidden_layers", 8},
                                            {"max_position_embeddings", 4096},
                                            {"layer_types", std::vector<std::string>(8, "indexed_attention")}});
    EXPECT_EQ(kv_cache_bytes(indexed.caches(), 4096, 2), 3145728);
    EXPECT_EQ(index_cache_bytes(indexed.caches(), 4096, 2), 8 * 4096 * 128 * 2);
    EXPECT_TRUE(indexed.remarks.back().starts_with("Layers that also keep the keys of an indexer"))
        << indexed.remarks.back();
}

TEST(HuggingFaceConfig, ModelsOfUnknownTypesAreReadWithARemark) {
    const auto remarks = [](const json& more) {
        const HfModel model = read_hf_config(small(more));
        return std::accumulate(model.remarks.begin(), model.remarks.end(), std::string());
    };
    EXPECT_TRUE(remarks({{"model_type", "newest"}}).starts_with("The config.json has no key of rotary embeddings"));
    EXPECT_EQ(remarks({{"model_type", "newest"}, {"rope_theta", 5000}}), "");
    EXPECT_EQ(remarks({{"model_type", "llama"}}), "");
    EXPECT_EQ(remarks(json::object()), "");
    for (const char* type : {"biogpt", "clip_text_model", "wav2vec2", "musicgen_decoder"}) {
        EXPECT_MESSAGE(read_hf_config(small({{"model_type", type}})), BadInput, "without rotary embeddings");
    }
    for (const char* type : {"vjepa2", "llama4_vision_model"}) {
        EXPECT_MESSAGE(read_hf_config(small({{"model_type", type}, {"rope_theta", 100}})), BadInput,
                       "rotates by row and column");
    }
    EXPECT_MESSAGE(read_hf_config({{"peft_type", "LORA"}, {"base_model_name_or_path", "a/b"}}), BadInput,
                   "choose the config.json of its base model, \"a/b\"");
}

TEST(HuggingFaceConfig, IsReadFromStandardInput) {
    std::istringstream text(R"({"model_type": "llama", "rope_theta": 777})");
    std::streambuf* const before = std::cin.rdbuf(text.rdbuf());
    const json config = load_model_config("-");
    std::cin.rdbuf(before);
    std::cin.clear();
    EXPECT_EQ(config.at("rope_theta"), 777);
}

// Sizes of public configs; the right values are those of their authors' descriptions.
TEST(HuggingFaceConfig, CachesOfSparseAndCompressedAttention) {
    struct Case {
        const char* config;
        std::int64_t cache;
        std::int64_t index;
    };
    for (const Case& each :
         {Case{R"({"model_type": "deepseek_v32", "num_hidden_layers": 61, "qk_rope_head_dim": 64, "kv_lora_rank": 512,
                   "index_head_dim": 128})",
               std::int64_t{61} * 576 * 65536 * 2, std::int64_t{61} * 128 * 65536 * 2},
          // Half of 8 channels per head rotate nowhere, but are cached (Kimi Linear).
          Case{R"({"model_type": "kimi_linear", "num_hidden_layers": 12, "hidden_size": 2048, "num_attention_heads": 16,
                   "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "mla_use_nope": true,
                   "linear_attn_config": {"full_attn_layers": [4, 8, 12]}})",
               226492416, 0},
          Case{R"({"model_type": "deepseek_v4", "num_hidden_layers": 6, "head_dim": 512, "qk_rope_head_dim": 64,
                   "sliding_window": 128, "compress_ratios": [0, 0, 4, 128, 4, 0], "index_head_dim": 128})",
               34865152, 8388608}}) {
        SCOPED_TRACE(each.config);
        const HfModel model = read_hf_config(json::parse(each.config));
        ASSERT_TRUE(model.sizes);
        EXPECT_EQ(kv_cache_bytes(model.caches(), 65536, 2), each.cache);
        EXPECT_EQ(index_cache_bytes(model.caches(), 65536, 2), each.index);
        if (model.model_type != "deepseek_v4") continue;
        EXPECT_EQ(model.sizes->kind, KvCache::sliding);
        EXPECT_EQ(model.sizes->window, 128) << "each layer keeps a window of tokens beside its compressed ones";
        EXPECT_EQ(model.sizes->global_layers, 0);
    }
    EXPECT_MESSAGE(read_hf_config(small({{"model_type", "deepseek_v4"},
                                         {"layer_types", std::vector<std::string>(4, "compressed_sparse_attention")},
                                         {"compress_rates", json::object()}})),
                   BadInput, "compresses the KV cache of layer 0 by null");
}

TEST(HuggingFaceConfig, ListsOfLayersOfAnotherTypeEndWithNoRawError) {
    constexpr int no = -1;  // refused, with a sentence that names the key or a key inside its value
    const std::vector<json> values = {
        3, "x", json::array({1}), json::array({"x"}), {{"attention", 3}}, {{"full_attn_layers", 1}}, true};
    // Bytes of the KV cache in those of a layer with attention and 4 heads, for each of the values.
    const std::vector<std::pair<const char*, std::array<int, 7>>> keys = {
        {"layer_rope_theta", {4, 4, 4, 4, 4, 4, 4}},
        {"block_configs", {4, 4, 4, 4, 4, 4, 4}},
        {"attn_layer_indices", {no, no, 1, no, no, no, no}},
        {"full_attn_idxs", {no, no, 1, no, no, no, no}},
        {"block_types", {no, no, no, 4, no, no, no}},
        {"linear_attn_config", {4, 4, 4, 4, 4, no, 4}},
        {"cross_attention_layers", {no, no, 3, no, no, no, no}},
        {"num_key_value_heads_per_layer", {4, 4, 1, 4, 4, 4, 4}},
        {"per_layer_config", {4, 4, 4, 4, 4, 4, 4}},
        {"hybrid_override_pattern", {4, 0, 4, 4, 4, 4, 4}},
        {"layers_block_type", {no, no, no, 4, no, no, no}},
        {"attn_type_list", {no, no, no, no, no, no, no}},
        {"hybrid_layer_pattern", {no, no, no, no, no, no, no}},
        {"compress_ratios", {no, no, no, no, no, no, no}},
        {"num_kv_heads", {3, no, 1, no, no, no, no}},
        {"kv_source_layers", {4, 4, 3, 3, 4, 4, 4}},
        {"indexer_types", {4, 4, 4, 4, 4, 4, 4}},
        {"sparse_attention_config", {4, 4, 4, 4, 4, 4, 4}}};
    for (const auto& [key, layers] : keys) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const json config = small({{key, values[i]}, {"rope_theta", 10000}});
            SCOPED_TRACE(std::string(key) + ": " + values[i].dump());
            if (layers[i] == no) {
                EXPECT_MESSAGE(read_hf_config(config), BadInput,
                               std::string(key) == "linear_attn_config" ? "full_attn_layers" : std::string(key) + " ");
                continue;
            }
            const HfModel model = read_hf_config(config);
            ASSERT_TRUE(model.sizes);
            EXPECT_EQ(kv_cache_bytes(model.caches(), 4096, 2), layers[i] * (1 << 21));
            EXPECT_EQ(model.shape.layers.size(), 4U);
        }
    }
}

TEST(HuggingFaceConfig, LayersMayHaveAHeadDimensionOfTheirOwn) {
    const json own = {{"head_dim", 128}};
    const json config =
        small({{"model_type", "gemma4_unified_text"},
               {"head_dim", 64},
               {"num_hidden_layers", 2},
               {"layer_types", {"sliding_attention", "full_attention"}},
               {"per_layer_config", {{"1", own}}},
               {"rope_parameters",
                {{"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 10000}}},
                 {"full_attention",
                  {{"rope_type", "proportional"}, {"partial_rotary_factor", 0.25}, {"rope_theta", 1e6}}}}}});
    EXPECT_EQ(hf_frequencies(config, "full_attention").inverse_frequencies.size(), 64U);
    EXPECT_EQ(hf_frequencies(config, "sliding_attention").inverse_frequencies.size(), 32U);
    EXPECT_THAT(
        read_hf_config(config).remarks,
        testing::Contains(testing::HasSubstr("differ in the number or the width of their key and value heads")));
}

TEST(HuggingFaceConfig, DeepSeekV4HasTwoRotaryEmbeddings) {
    const json config =
        small({{"model_type", "deepseek_v4"},
               {"rope_theta", 10000},
               {"compress_rope_theta", 160000},
               {"rope_scaling", {{"type", "yarn"}, {"factor", 16}, {"original_max_position_embeddings", 65536}}}});
    const HfModel model = read_hf_config(config);
    EXPECT_EQ(model.of("").setup.theta, 10000);
    EXPECT_EQ(model.of("main").setup.scaling.method, ScalingMethod::none);
    EXPECT_EQ(model.of("compress").setup.theta, 160000);
    EXPECT_EQ(model.of("compress").setup.scaling.method, ScalingMethod::yarn);
    EXPECT_EQ(model.of("compress").frequencies.attention_factor, 1);
}

TEST(HuggingFaceConfig, ConstantsOfPythonMatterOnlyWhereTheyAreUsed) {
    const json config = parse_model_config(
        R"({"model_type": "llama", "hidden_size": 128, "num_attention_heads": 4, "clip": Infinity, "low": -Infinity,
            "note": "NaN is no \"number\"", "rope_theta": 5e5})");
    EXPECT_EQ(read_hf_config(config).of("").setup.theta, 5e5);
    EXPECT_MESSAGE(
        read_hf_config(parse_model_config(R"({"hidden_size": 128, "num_attention_heads": 4, "rope_theta": NaN})")),
        BadInput, "rope_theta");
}

TEST(HuggingFaceConfig, OtherFilesAreNamedAsWhatTheyAre) {
    EXPECT_MESSAGE(parse_model_config("\xff\xfe{"), BadInput, "UTF-16");
    EXPECT_MESSAGE(parse_model_config("version https://git-lfs.github.com/spec/v1"), BadInput, "Git LFS pointer");
    EXPECT_MESSAGE(parse_model_config("\x1f\x8b\x08"), BadInput, "gzip");
    EXPECT_MESSAGE(parse_model_config("<!DOCTYPE html>"), BadInput, "web page");
}

TEST(HuggingFaceConfig, SaysWhichLayersUseTheCacheOfAnother) {
    const HfModel model = read_hf_config(small({{"num_hidden_layers", 5}, {"num_kv_shared_layers", 2}}));
    EXPECT_EQ(model.remarks, std::vector<std::string>{"Layers that use the KV cache of another layer: 2 of 5."});
    EXPECT_EQ(model.caches().size(), 3U);
    EXPECT_EQ(model.sizes->layers, 3);
}

}  // namespace
}  // namespace ropelab
