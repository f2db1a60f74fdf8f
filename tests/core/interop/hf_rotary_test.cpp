#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/interop/config/hf_config.h"
#include "core/interop/config/hf_facts.h"
#include "tests/support/expect_message.h"
#include "tests/support/shared_data.h"

// The rotary keys of a config as the classes of transformers read them.

namespace ropelab {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// A config with heads of 64 channels.
HfModel model_of(const std::string& type, const json& more) {
    json config = {{"model_type", type}, {"hidden_size", 256}, {"num_attention_heads", 4}, {"num_hidden_layers", 4}};
    config["max_position_embeddings"] = 4096;
    config.update(more);
    return read_hf_config(config);
}

HfRotary rotary_of(const std::string& type, const json& more) {
    return model_of(type, more).of("");
}

std::string all_remarks(const HfModel& model) {
    std::string text;
    for (const std::string& remark : model.remarks) text += remark + "\n";
    return text;
}

const HfValue* value_of(const HfModel& model, const std::string& name, const std::string& layer_type = "") {
    const auto found = std::find_if(model.values.begin(), model.values.end(), [&](const HfValue& value) {
        return value.name == name && value.layer_type == layer_type;
    });
    return found == model.values.end() ? nullptr : &*found;
}

bool is_close(double ours, double theirs) {
    return std::abs(ours - theirs) <= 3e-6 * std::max(std::abs(ours), std::abs(theirs)) + 1e-12;
}

// "" if the frequencies and factors are those that the class computed; else what differs.
std::string difference(const json& line) {
    try {
        const HfModel model = read_hf_config(line.at("config"));
        for (const auto& [layer, real] : line.at("real").items()) {
            const Frequencies ours = model.of(layer).at(0);
            const std::size_t count = ours.inverse_frequencies.size();
            if (count != real.at("n")) return layer + " has " + std::to_string(count) + " frequencies";
            const std::vector<std::size_t> places = {0, std::min<std::size_t>(1, count - 1), count / 2, count - 1};
            for (std::size_t i = 0; i < places.size(); ++i) {
                const double ours_there = ours.inverse_frequencies[places[i]];
                if (!is_close(ours_there, real.at("f")[i])) return layer + " has " + std::to_string(ours_there);
            }
            if (!real.at("a").is_null() && !is_close(ours.attention_factor, real.at("a")))
                return layer + " has the factor " + std::to_string(ours.attention_factor);
        }
    } catch (const BadInput& error) {
        return error.what();
    }
    return "";
}

// The rest: EfficientLoFTR rotates 4 times the channels of a head, BLT has no sizes of its own, EdgeTAM's heads of the
// memory have other sizes, and a factor below 1 is none of a setup.
TEST(HuggingFaceRotary, KeysAreReadAsTheClassesOfTransformersReadThem) {
    const char* file = "oracles/transformers_rope/variants.jsonl";
    SKIP_WITHOUT_SHARED_DATA(file);
    std::ifstream lines(shared_data(file));
    int equal = 0;
    int rest = 0;
    for (std::string text; std::getline(lines, text);) {
        const json line = json::parse(text);
        const std::string type = line.at("type");
        const std::string variant = line.at("variant");
        const bool is_rest =
            type == "efficientloftr" || type == "blt" || (type == "edgetam_video" && variant == "headdim") ||
            (variant == "yarn_factor_null" && (type == "moonshine" || type == "kyutai_speech_to_text"));
        const std::string trouble = difference(line);
        EXPECT_EQ(trouble.empty(), !is_rest) << type << ' ' << variant << ": " << trouble;
        (trouble.empty() ? equal : rest) += 1;
    }
    EXPECT_EQ(equal, 2885);
    EXPECT_EQ(rest, 12);
}

TEST(HuggingFaceRotary, IgnoredValuesAreNamed) {
    const HfModel llama = model_of("llama", {{"partial_rotary_factor", 0.5}, {"rotary_pct", 0.25}});
    EXPECT_EQ(llama.of("").rotary_dim, 64);
    EXPECT_THAT(all_remarks(llama), HasSubstr("\"llama\" do not use these values of the config.json, which other "
                                              "programs may use: partial_rotary_factor (0.5), rotary_pct (0.25)."));
    EXPECT_EQ(model_of("llama", {{"partial_rotary_factor", 1.0}, {"rope_theta", 5e5}}).remarks.size(), 0U);
    const json nested = {{"rope_type", "default"}, {"rope_theta", 5e5}};
    EXPECT_EQ(model_of("llama", {{"rope_theta", 5e5}, {"rope_parameters", nested}}).remarks.size(), 0U);
    EXPECT_THAT(all_remarks(model_of("llama", {{"rope_theta", 1e4}, {"rope_parameters", nested}})),
                HasSubstr(": rope_theta (10000)."));
    // Only numbers were named. (transformers 5.24.0: outputs are equal without these keys.)
    EXPECT_THAT(all_remarks(model_of("llama", {{"layer_types", {"sliding_attention", "full_attention"}},
                                               {"no_rope_layers", {0, 1}},
                                               {"rope_interleave", true},
                                               {"scale_attn_weights", false},
                                               {"hidden_act", "silu"},
                                               {"activation_function", "gelu_new"}})),
                HasSubstr(": activation_function (\"gelu_new\"), layer_types (a list), no_rope_layers (a list), "
                          "rope_interleave (true), scale_attn_weights (false)."));
    const json without_effect = {{"hidden_act", "silu"},         {"hidden_activation", "silu"},
                                 {"layer_types", json::array()}, {"rope_interleave", false},
                                 {"scale_attn_weights", true},   {"lm_head_bias", nullptr}};
    EXPECT_EQ(model_of("llama", without_effect).remarks.size(), 0U);
    const HfModel other = model_of("internlm2", {{"partial_rotary_factor", 0.5}});  // a type of another program
    EXPECT_EQ(other.of("").rotary_dim, 32);
    EXPECT_EQ(other.remarks.size(), 0U);
}

TEST(HuggingFaceRotary, EachClassHasItsKeys) {
    EXPECT_EQ(rotary_of("phi", {{"partial_rotary_factor", 0.25}}).rotary_dim, 16);
    EXPECT_EQ(rotary_of("phi", json::object()).rotary_dim, 32);
    EXPECT_EQ(rotary_of("gpt_neox", {{"rotary_pct", 0.5}, {"partial_rotary_factor", 0.75}}).rotary_dim, 32);
    EXPECT_EQ(rotary_of("gpt_neox", {{"rotary_emb_base", 500}, {"rope_theta", 7}}).setup.theta, 500);
    // With a rope type other than "default", all classes read the fraction.
    const json linear = {{"rope_type", "linear"}, {"factor", 2}};
    EXPECT_EQ(rotary_of("llama", {{"partial_rotary_factor", 0.5}, {"rope_scaling", linear}}).rotary_dim, 32);
    // The default parameters of Apertus have a theta, before which that beside them does not come.
    EXPECT_EQ(rotary_of("apertus", {{"rope_theta", 5000}}).setup.theta, 12e6);
    EXPECT_EQ(rotary_of("apertus", {{"rope_theta", 5000}, {"rope_scaling", linear}}).setup.theta, 5000);
    // Gemma 3 reads parameters of layer types only, and the name rope_type only.
    const HfModel flat = model_of("gemma3_text", {{"rope_parameters", {{"rope_type", "linear"}, {"factor", 8}}}});
    EXPECT_EQ(flat.of("full_attention").frequencies.inverse_frequencies[0], 1);
    EXPECT_EQ(flat.of("full_attention").setup.theta, 1e6);
    EXPECT_EQ(rotary_of("gemma3_text", {{"rope_scaling", {{"type", "linear"}, {"factor", 8}}}})
                  .frequencies.inverse_frequencies[0],
              1);
    // OLMo 3 gives the theta of the config to the layers with full attention.
    const HfModel olmo = model_of("olmo3", {{"rope_theta", 777}});
    EXPECT_EQ(olmo.of("full_attention").setup.theta, 777);
    EXPECT_EQ(olmo.of("sliding_attention").setup.theta, 500000);
    // rope_scaling replaces the whole of rope_parameters.
    const json given = {{"rope_type", "default"}, {"rope_theta", 777}};
    EXPECT_EQ(rotary_of("llama", {{"rope_scaling", linear}, {"rope_parameters", given}}).setup.theta, 10000);
}

TEST(HuggingFaceRotary, LayersOfDeepSeekV4HaveTheirThetas) {
    const json yarn = {{"type", "yarn"}, {"factor", 16}, {"original_max_position_embeddings", 65536}};
    const HfModel model = model_of("deepseek_v4", {{"rope_theta", 777}, {"rope_scaling", yarn}});
    EXPECT_EQ(model.of("main").setup.theta, 777);
    EXPECT_EQ(model.of("compress").setup.theta, 160000);
    EXPECT_EQ(model.of("").layer_type, "main");
    const HfValue* factor = value_of(model, "attention_factor", "compress");
    ASSERT_TRUE(factor);
    EXPECT_EQ(factor->origin, HfOrigin::library_default);
    const json one = {{"main", {{"rope_type", "default"}, {"rope_theta", 500}}}};  // not both: it is not read
    EXPECT_EQ(model_of("deepseek_v4", {{"rope_parameters", one}}).of("main").setup.theta, 10000);
    EXPECT_EQ(model_of("dory", {{"rope_parameters", {{"full_attention", {{"rope_theta", 500}}}}}}).rotary.size(), 1U);
}

TEST(HuggingFaceRotary, ModelsOfImagesHaveAnOrder) {
    const json heads = {{"model_type", "ernie4_5_moe_vl"}, {"head_dim", 128}, {"freq_allocation", 20}};
    const HfModel ernie = model_of("ernie4_5_moe_vl", heads);
    const auto& theirs = ernie.of("").frequencies.inverse_frequencies;
    const auto usual = [](int i) { return std::pow(10000.0, -2.0 * i / 128); };
    ASSERT_EQ(theirs.size(), 64U);
    EXPECT_NEAR(theirs[1], usual(2), 1e-12);
    EXPECT_NEAR(theirs[21], usual(42), 1e-12);
    EXPECT_NEAR(theirs[22], usual(1), 1e-12);
    EXPECT_NEAR(theirs[43], usual(43), 1e-12);
    EXPECT_NEAR(theirs[44], usual(44), 1e-12);
    EXPECT_THAT(all_remarks(ernie), HasSubstr("the first 22 rotate by the row of an image, the next 22 by its column"));
    const HfModel vision = model_of("qwen3_vl_vision", json::object());
    EXPECT_EQ(vision.of("").rotary_dim, 32);
    EXPECT_THAT(all_remarks(vision), HasSubstr("by the row and by the column"));
    EXPECT_MESSAGE(hf_facts({{"model_type", "qwen3_vl_vision"}}), BadInput, "a model of images");
    EXPECT_MESSAGE(model_of("pixtral", {{"rope_scaling", {{"type", "linear"}, {"factor", 2}}}}), BadInput, "axial");
}

TEST(HuggingFaceRotary, FactorsThatASetupDoesNotHave) {
    const json yarn = {{"type", "yarn"}, {"factor", 4}, {"attention_factor", 0}};
    const HfModel model = model_of("llama", {{"rope_scaling", yarn}});
    EXPECT_EQ(model.of("").frequencies.attention_factor, 0);
    EXPECT_THAT(all_remarks(model), HasSubstr("attention_factor of the config.json is 0"));
}

TEST(OtherSettings, ParamsOfMistralAndMeta) {
    const json mistral = {{"dim", 1024},
                          {"n_layers", 4},
                          {"n_heads", 8},
                          {"n_kv_heads", 2},
                          {"head_dim", 128},
                          {"rope_theta", 1e6},
                          {"max_position_embeddings", 262144},
                          {"yarn",
                           {{"original_max_position_embeddings", 16384},
                            {"factor", 16},
                            {"apply_scale", false},
                            {"beta", 32},
                            {"alpha", 1}}}};
    const HfModel model = read_hf_config(mistral);
    EXPECT_EQ(model.of("").setup.scaling.method, ScalingMethod::yarn);
    EXPECT_EQ(model.of("").setup.scaling.original_context, 16384);
    EXPECT_EQ(model.of("").setup.pairing, Pairing::interleaved);
    EXPECT_EQ(model.of("").frequencies.attention_factor, 1);
    EXPECT_EQ(model.sizes->kv_heads, 2);
    json scaled = mistral;
    scaled["yarn"]["apply_scale"] = true;
    EXPECT_NEAR(read_hf_config(scaled).of("").frequencies.attention_factor, 0.1 * std::log(16) + 1, 1e-12);
    const HfModel llama = read_hf_config({{"dim", 4096},
                                          {"n_layers", 32},
                                          {"n_heads", 32},
                                          {"n_kv_heads", 8},
                                          {"vocab_size", 128256},
                                          {"rope_theta", 5e5},
                                          {"use_scaled_rope", true}});
    EXPECT_EQ(llama.of("").setup.head_dim, 128);
    EXPECT_EQ(llama.of("").setup.scaling.method, ScalingMethod::llama3);
    EXPECT_EQ(llama.of("").setup.scaling.original_context, 8192);
    EXPECT_EQ(llama.sizes->kv_heads, 8);
    EXPECT_TRUE(llama.unknown_keys.empty());
}

TEST(OtherSettings, NanoGptHasLearnedPositions) {
    const json arguments = {{"n_layer", 12}, {"n_head", 12}, {"n_embd", 768}, {"block_size", 1024}, {"bias", false}};
    for (const json& config : {json({{"model_args", arguments}, {"iter_num", 5}}), arguments}) {
        const HfModel model = read_hf_config(config);
        EXPECT_EQ(model.position, HfPosition::learned);
        EXPECT_EQ(model.context, 1024);
        EXPECT_EQ(model.sizes->kv_heads, 12);
        EXPECT_MESSAGE(model.of(""), BadInput, "without rotary");
    }
    json litgpt = arguments;
    litgpt["rotary_percentage"] = 0.25;
    EXPECT_EQ(read_hf_config(litgpt).of("").rotary_dim, 16);
    EXPECT_EQ(read_hf_config(litgpt).context, 1024);
}

TEST(OtherSettings, OtherFilesAreNamed) {
    EXPECT_MESSAGE(parse_model_config(std::string("GGUF\3\0\0\0", 8)), BadInput, "is a GGUF file");
    EXPECT_MESSAGE(parse_model_config(std::string("\x40\0\0\0\0\0\0\0{\"a\": 1}", 16)), BadInput, "safetensors");
    EXPECT_MESSAGE(parse_model_config("PK\x03\x04"), BadInput, "zip archive");
    EXPECT_MESSAGE(parse_model_config("# a comment\nmodel_type: llama\nrope_theta: 10000\n"), BadInput, "is YAML");
    EXPECT_MESSAGE(parse_model_config("---\n- a\n"), BadInput, "is YAML");
    EXPECT_MESSAGE(read_hf_config({{"weight_map", {{"a", "b"}}}}), BadInput, "the index of a model's files of weights");
    EXPECT_MESSAGE(read_hf_config({{"log_history", {1}}}), BadInput, "trainer_state.json");
}

}  // namespace
}  // namespace ropelab
