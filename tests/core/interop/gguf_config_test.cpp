#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/interop/config/hf_anatomy.h"
#include "core/interop/gguf_model.h"
#include "core/interop/opened_model.h"
#include "core/plan/layout.h"
#include "core/weights/safetensors.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

using nlohmann::json;
using Metadata = std::map<std::string, GgufEntry>;

std::uint32_t number(std::uint32_t value) {
    return value;
}

NamedTensor tensor(const std::string& name, std::vector<float> values) {
    return {name, {std::ssize(values)}, std::move(values)};
}

// A small file with these further or other metadata and tensors.
std::filesystem::path write_model(const ScratchFolder& folder, const std::string& architecture, const Metadata& more,
                                  const std::vector<NamedTensor>& tensors, const std::string& embedding) {
    Metadata metadata = more;
    metadata.merge(Metadata{{"embedding_length", number(16)},
                            {"attention.head_count", number(4)},
                            {"feed_forward_length", number(24)},
                            {"block_count", number(2)},
                            {"context_length", number(64)}});
    GgufContent content = {.metadata = {{"general.architecture", architecture}}, .tensors = tensors};
    for (const auto& [key, value] : metadata) {
        content.metadata.emplace_back(key == gguf_activation_key ? key : architecture + "." + key, value);
    }
    content.tensors.push_back({embedding, {10, 16}, std::vector<float>(160)});
    write_gguf(folder / "a.gguf", content);
    return folder / "a.gguf";
}

json config_of(const std::string& architecture, const Metadata& more, const std::vector<NamedTensor>& tensors = {},
               const std::string& embedding = "token_embd.weight") {
    const ScratchFolder folder;
    return gguf_config(WeightFiles(write_model(folder, architecture, more, tensors, embedding)));
}

TEST(GgufConfig, HasTheSettingsOfTheMetadata) {
    struct Case {
        const char* architecture;
        Metadata metadata;
        std::vector<NamedTensor> tensors;
        const char* config;  // what differs from the config of the least Llama; null: not there
    };
    const std::vector<Case> cases = {
        {"llama", {}, {}, "{}"},
        {"llama", {{"attention.head_count_kv", number(2)}}, {}, R"({"num_key_value_heads": 2})"},
        {"llama",
         {{"attention.key_length", number(8)}, {"attention.value_length", number(8)}},
         {},
         R"({"head_dim": 8})"},
        {"llama",
         {{"rope.freq_base", 5e5F}, {"attention.layer_norm_rms_epsilon", 1e-5F}},
         {},
         R"({"rope_theta": 5e5, "rms_norm_eps": 1e-5})"},
        {"llama",
         {},
         {tensor("output.weight", {1}), tensor("blk.0.attn_q.bias", {1}), tensor("blk.0.ffn_up.bias", {1})},
         R"({"tie_word_embeddings": false, "attention_bias": true, "mlp_bias": true})"},
        {"llama",
         {{"rope.scaling.type", "linear"}, {"rope.scaling.factor", 4.0F}},
         {},
         R"({"rope_scaling": {"rope_type": "linear", "factor": 4}})"},
        {"llama",
         {{"rope.scaling.type", "yarn"},
          {"rope.scaling.factor", 4.0F},
          {"rope.scaling.original_context_length", number(16)}},
         {},
         R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 16}})"},
        {"llama",
         {{"rope.scaling.type", "none"}},
         {tensor("rope_freqs.weight", {1, 8})},
         R"({"rope_scaling": {"rope_type": "longrope", "short_factor": [1, 8], "long_factor": [1, 8],
             "attention_factor": 1, "original_max_position_embeddings": 64}})"},
        // As llama.cpp: a factor without a type is linear, also by its old name, and 0 is 1.
        {"llama", {{"rope.scaling.factor", 4.0F}}, {}, R"({"rope_scaling": {"rope_type": "linear", "factor": 4}})"},
        {"llama", {{"rope.scale_linear", 4.0F}}, {}, R"({"rope_scaling": {"rope_type": "linear", "factor": 4}})"},
        {"llama", {{"rope.scaling.factor", 0.0F}}, {}, "{}"},
        {"llama", {{"rope.scaling.type", "none"}, {"rope.scaling.factor", 4.0F}}, {}, "{}"},
        // attn_factor multiplies cosines and sines, beside YaRN's own factor 0.1 ln 4 + 1.
        {"llama",
         {{"rope.scaling.type", "yarn"}, {"rope.scaling.factor", 4.0F}, {"rope.scaling.attn_factor", 0.5F}},
         {},
         R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "attention_factor": 0.56931471805599454}})"},
        {"llama",
         {{"rope.scaling.type", "linear"}, {"rope.scaling.factor", 4.0F}, {"rope.scaling.attn_factor", 0.7F}},
         {},
         R"({"rope_scaling": {"rope_type": "longrope", "short_factor": [4, 4], "long_factor": [4, 4],
             "attention_factor": 0.7, "original_max_position_embeddings": 64}})"},
        {"llama",
         {{"rope.scaling.attn_factor", 0.7F}},
         {},
         R"({"rope_scaling": {"rope_type": "longrope", "short_factor": [1, 1], "long_factor": [1, 1],
             "attention_factor": 0.7, "original_max_position_embeddings": 64}})"},
        {"llama",
         {{"rope.scaling.factor", 4.0F}},
         {tensor("rope_freqs.weight", {1, 8})},
         R"({"rope_scaling": {"rope_type": "longrope", "short_factor": [4, 32], "long_factor": [4, 32],
             "attention_factor": 1, "original_max_position_embeddings": 64}})"},
        {"qwen2", {}, {}, R"({"model_type": "qwen2", "attention_bias": null})"},
        {"gemma2",
         {{"attn_logit_softcapping", 50.0F},
          {"final_logit_softcapping", 30.0F},
          {"attention.sliding_window", number(8)},
          {"attention.key_length", number(8)},
          {"attention.value_length", number(8)}},
         {tensor("output.weight", {1})},
         R"({"model_type": "gemma2", "hidden_act": null, "head_dim": 8, "attn_logit_softcapping": 50,
             "final_logit_softcapping": 30, "sliding_window": 8, "query_pre_attn_scalar": 8})"},
        {"gemma2",
         {{"block_count", number(46)}, {"attention.key_length", number(8)}, {"attention.value_length", number(8)}},
         {},
         R"({"model_type": "gemma2", "hidden_act": null, "num_hidden_layers": 46, "head_dim": 8,
             "query_pre_attn_scalar": 4})"},
        {"gptneox",
         {{"rope.dimension_count", number(3)},
          {"rope.freq_base", 500.0F},
          {"use_parallel_residual", false},
          {gguf_activation_key, "gelu"},
          {"attention.layer_norm_epsilon", 1e-6F}},
         {},
         R"({"model_type": "gpt_neox", "hidden_act": "gelu", "attention_bias": true, "layer_norm_eps": 1e-6,
             "rope_theta": 500, "use_parallel_residual": false,
             "rope_parameters": {"rope_type": "default", "rope_theta": 500, "partial_rotary_factor": 0.75}})"},
        // A scaling beside rope_parameters would replace their fraction of the channels.
        {"gptneox",
         {{"rope.dimension_count", number(2)}, {"rope.scaling.factor", 4.0F}},
         {},
         R"({"model_type": "gpt_neox", "hidden_act": null, "attention_bias": true, "use_parallel_residual": true,
             "rope_parameters": {"rope_type": "linear", "factor": 4, "rope_theta": 10000,
                                 "partial_rotary_factor": 0.5}})"},
        {"gpt2",
         {{"rope.freq_base", 500.0F}, {gguf_activation_key, "gelu"}},
         {},
         R"({"model_type": "gpt2", "hidden_act": null, "activation_function": "gelu", "attention_bias": true})"}};
    for (const Case& each : cases) {
        SCOPED_TRACE(std::string(each.architecture) + each.config);
        json expected = {{"model_type", "llama"},
                         {"hidden_size", 16},
                         {"intermediate_size", 24},
                         {"num_hidden_layers", 2},
                         {"num_attention_heads", 4},
                         {"num_key_value_heads", 4},
                         {"head_dim", 4},
                         {"max_position_embeddings", 64},
                         {"vocab_size", 10},
                         {"tie_word_embeddings", true},
                         {"hidden_act", "silu"},
                         {"attention_bias", false},
                         {"mlp_bias", false}};
        expected.merge_patch(json::parse(each.config));
        EXPECT_EQ(config_of(each.architecture, each.metadata, each.tensors), expected);
    }
}

TEST(GgufConfig, RefusesWhatAConfigCannotSay) {
    const NamedTensor divisors = tensor("rope_freqs.weight", {1, 8});
    EXPECT_MESSAGE(config_of("mamba", {}), BadInput, "\"mamba\", but only llama, qwen2,");
    EXPECT_MESSAGE(config_of("llama", {}, {}, "embedding"), BadInput, "no tensor token_embd.weight");
    EXPECT_MESSAGE(config_of("llama", {{"expert_count", number(8)}}), BadInput, "llama.expert_count to 8");
    EXPECT_MESSAGE(config_of("llama", {{"block_count", number(0)}}), BadInput, "1 or more as its metadata llama.block");
    EXPECT_MESSAGE(config_of("llama", {{"block_count", 2.5F}}), BadInput, "must have a whole number");
    EXPECT_MESSAGE(config_of("llama", {{"attention.value_length", number(8)}}), BadInput,
                   "llama.attention.value_length to 8 of 4 channels");
    EXPECT_MESSAGE(config_of("llama", {{"rope.dimension_count", number(2)}}), BadInput,
                   "llama.rope.dimension_count to 2 of 4 channels");
    EXPECT_MESSAGE(config_of("gptneox", {{"rope.dimension_count", number(5)}}), BadInput, "5 of 4 channels");
    EXPECT_MESSAGE(config_of("llama", {{"rope.scaling.type", "su"}}), BadInput, "llama.rope.scaling.type to \"su\"");
    EXPECT_MESSAGE(config_of("llama", {}, {tensor("rope_freqs.weight", {1, 8, 9})}), BadInput,
                   "a divisor for each rotated pair");
    EXPECT_MESSAGE(config_of("llama", {{"rope.scaling.type", "yarn"}}, {divisors}), BadInput, "no YaRN beside it");
    EXPECT_MESSAGE(config_of("llama", {{"attention.causal", false}}), BadInput, "llama.attention.causal to false");
}

// The sentence spoke of a config, which a GGUF file does not have.
TEST(OpenedModel, OfGgufNamesWhatRequiresATensorThatIsNotThere) {
    const ScratchFolder folder;
    EXPECT_MESSAGE(OpenedModel(write_model(folder, "llama", {}, {}, "token_embd.weight")), BadInput,
                   ", which its metadata and other tensors require.");
}

// A params.json of Meta does not name the context: 2,048 of Llama 1, 4,096 of Llama 2, 8,192 of Llama 3 and 131,072 of
// 3.1.
TEST(MetaConfig, ContextIsThatOfTheGenerationThatTheOtherSettingsShow) {
    const ScratchFolder folder;
    const auto of_shape = [](const std::string& name, std::vector<std::int64_t> shape) {
        std::vector<float> values(static_cast<std::size_t>(shape[0] * (shape.size() > 1 ? shape[1] : 1)), 0.5F);
        return NamedTensor{name, std::move(shape), std::move(values)};
    };
    TensorFile file;
    for (const char* name : {"attention.wq", "attention.wk", "attention.wv", "attention.wo"})
        file.tensors.push_back(of_shape(std::string("layers.0.") + name + ".weight", {8, 8}));
    file.tensors.push_back(of_shape("layers.0.feed_forward.w1.weight", {12, 8}));
    file.tensors.push_back(of_shape("layers.0.feed_forward.w2.weight", {8, 12}));
    file.tensors.push_back(of_shape("layers.0.feed_forward.w3.weight", {12, 8}));
    for (const char* name : {"layers.0.attention_norm", "layers.0.ffn_norm", "norm"})
        file.tensors.push_back(of_shape(std::string(name) + ".weight", {8}));
    file.tensors.push_back(of_shape("tok_embeddings.weight", {10, 8}));
    file.tensors.push_back(of_shape("output.weight", {10, 8}));
    write_safetensors(folder / "consolidated.safetensors", file);
    for (const auto& [more, context] : {std::pair(R"({"norm_eps": 1e-6})", 2048),
                                        {R"({"norm_eps": 1e-5})", 4096},
                                        {R"({"rope_theta": 500000})", 8192},
                                        {R"({"rope_theta": 500000, "use_scaled_rope": true})", 131072},
                                        {R"({"max_seq_len": 77})", 77}}) {
        json params = {{"dim", 8}, {"n_layers", 1}, {"n_heads", 2}};
        params.update(json::parse(more));
        folder.write("params.json", params.dump());
        EXPECT_EQ(OpenedModel(folder.path()).context(), context) << more;
    }
}

// transformers 5.24.0 ties an output layer only to an embedding with equal numbers.
TEST(OpenedModel, AnOutputLayerThatIsNoCopyOfTheEmbeddingIsUsed) {
    json config = {
        {"model_type", "llama"},       {"hidden_size", 8}, {"num_hidden_layers", 1}, {"num_attention_heads", 2},
        {"intermediate_size", 12},     {"vocab_size", 5},  {"hidden_act", "silu"},   {"max_position_embeddings", 16},
        {"tie_word_embeddings", false}};
    TensorFile file;
    for (const Parameter& parameter : layout_of(hf_plan(config)).parameters) {
        const std::int64_t columns = parameter.shape.size() > 1 ? parameter.size / parameter.shape.front() : 1;
        for (const SourceRows& part : parameter.source.parts) {
            NamedTensor& tensor = file.tensors.emplace_back(NamedTensor{part.name, {part.rows}, {}});
            if (parameter.shape.size() > 1) tensor.shape.push_back(columns);
            tensor.values.resize(static_cast<std::size_t>(part.rows * columns), 0.5F);
        }
    }
    const auto head = std::ranges::find(file.tensors, "lm_head.weight", &NamedTensor::name);
    ASSERT_NE(head, file.tensors.end());
    config["tie_word_embeddings"] = true;
    for (const bool is_copy : {true, false}) {
        if (!is_copy) head->values.back() = 0.25F;
        const ScratchFolder folder;
        folder.write("config.json", config.dump());
        write_safetensors(folder / "model.safetensors", file);
        const OpenedModel model(folder.path());
        EXPECT_EQ(model.plan().head.is_tied, is_copy);
        EXPECT_EQ(model.parameters(), hf_plan(model.config()).anatomy().totals().parameters);
    }
}

}  // namespace
}  // namespace ropelab
