#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>

#include "core/base/error.h"
#include "core/engine/torch_engine.h"
#include "core/interop/config/hf_anatomy.h"
#include "core/interop/model_table.h"
#include "core/interop/opened_model.h"
#include "core/plan/layout.h"
#include "core/weights/safetensors.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

using nlohmann::json;

namespace fs = std::filesystem;

// Models that others trained compute what the classes of transformers compute. The weights are those of small models
// that transformers made: of ../shared/data, and of all architectures by make_models.py (tests/core/interop).

std::vector<fs::path> folders_in(const fs::path& folder) {
    std::vector<fs::path> result;
    for (const auto& entry : fs::directory_iterator(folder)) result.push_back(entry.path());
    std::sort(result.begin(), result.end());
    return result;
}

// Largest difference to the logits of transformers.
double difference(const std::vector<float>& logits, const json& expected) {
    const std::size_t vocabulary = expected.at("logits").front().size();
    double largest = logits.size() == vocabulary * expected.at("tokens").size() ? 0 : 1e30;
    for (std::size_t i = 0; i < logits.size() && largest < 1e30; ++i) {
        const double wanted = expected.at("logits")[i / vocabulary][i % vocabulary];
        largest = std::max(largest, std::abs(logits[i] - wanted));
    }
    return largest;
}

// In a model that is opened from this path.
void expect_logits(const fs::path& path, const json& expected, double tolerance) {
    const auto tokens = expected.at("tokens").get<std::vector<std::int32_t>>();
    const OpenedModel opened(path);
    TorchEngine engine;
    const auto model = opened.load(engine, opened.plan(std::ssize(tokens)));
    const std::vector<float> logits = model->logits(tokens);
    const double largest = difference(logits, expected);
    EXPECT_LT(largest, tolerance);
    const auto predictor = model->predictor();
    std::vector<float> last;
    for (const std::int32_t token : tokens) last = predictor->next(token);
    for (std::size_t i = 0; i < last.size(); ++i)
        EXPECT_NEAR(last[i], logits[logits.size() - last.size() + i], 1e-4) << i;
    Generation one;
    one.length = 1;
    one.temperature = 0;
    EXPECT_EQ(model->generate(tokens, one).front(), std::ranges::max_element(last) - last.begin());
    if (std::getenv("ROPELAB_MODELS")) std::cout << path.filename().string() << ": " << largest << '\n';
}

// Weights in bfloat16 are read and rounded piece by piece, so that memory contains little more than them.
TEST(ConfigPlan, ReadsWeightsInBfloat16InPieces) {
    const json config = {{"model_type", "llama"},        {"hidden_size", 512},           {"num_hidden_layers", 1},
                         {"num_attention_heads", 4},     {"num_key_value_heads", 2},     {"intermediate_size", 1100},
                         {"vocab_size", 3000},           {"max_position_embeddings", 8}, {"rms_norm_eps", 1e-5},
                         {"tie_word_embeddings", false}, {"rope_theta", 10000.0},        {"hidden_act", "silu"}};
    const ModelPlan plan = hf_plan(config);
    // The numbers follow from the place in the file, and bfloat16 has them exactly.
    std::size_t largest = 0;
    const auto read = [&](const Parameter& parameter, std::span<float> to) {
        largest = std::max(largest, to.size());
        const std::int64_t columns = parameter.size / parameter.shape.front();
        std::size_t at = 0;
        for (const SourceRows& part : parameter.source.parts) {
            const auto name = static_cast<std::int64_t>(part.name.size());
            for (std::int64_t i = 0; i < part.rows * columns; ++i) {
                const std::int64_t place = (part.row_in_file(i / columns) * 31 + i % columns * 17 + name) % 61;
                to[at++] = static_cast<float>(place - 30) / 1024;
            }
        }
        ASSERT_EQ(at, to.size());
    };
    TorchEngine engine;
    const std::vector<std::int32_t> tokens = {1, 2999, 1500, 7};
    const auto few = engine.load_model(plan, read, {Device::cpu, Precision::bfloat16});
    EXPECT_LE(largest, std::size_t{1} << 20);  // the embedding has half as many more
    std::vector<NamedTensor> all;
    for (const Parameter& parameter : layout_of(plan).parameters) {
        NamedTensor& tensor = all.emplace_back();
        tensor.name = "model." + parameter.name;
        tensor.shape = parameter.shape;
        tensor.values.resize(static_cast<std::size_t>(parameter.size));
        read(parameter, tensor.values);
    }
    EXPECT_EQ(few->logits(tokens), engine.create_model(plan, all, {Device::cpu, Precision::bfloat16})->logits(tokens));
}

// Matrices with two bytes per number, or one and a scale per row, norms with four.
TEST(ConfigPlan, BytesOfTheWeightsAreThoseInMemory) {
    const ModelPlan plan = hf_plan({{"model_type", "llama"},
                                    {"hidden_size", 32},
                                    {"num_hidden_layers", 3},
                                    {"num_attention_heads", 4},
                                    {"num_key_value_heads", 2},
                                    {"intermediate_size", 80},
                                    {"vocab_size", 100},
                                    {"tie_word_embeddings", true},
                                    {"max_position_embeddings", 64}});
    constexpr std::int64_t matrices = 100 * 32 + 3 * (64 * 32 + 32 * 32 + 3 * 80 * 32), norms = 7 * 32;
    EXPECT_EQ(OpenedModel::bytes_of_weights(plan, Precision::float32), 4 * (matrices + norms));
    EXPECT_EQ(OpenedModel::bytes_of_weights(plan, Precision::bfloat16), 2 * matrices + 4 * norms);
    constexpr std::int64_t rows = 100 + 3 * (64 + 32 + 2 * 80 + 32);
    EXPECT_EQ(OpenedModel::bytes_of_weights(plan, Precision::int8), matrices + 4 * (rows + norms));
}

void expect_logits_of_transformers(const fs::path& folder, double tolerance) {
    SCOPED_TRACE(folder.filename().string());
    const json expected = read_json_file(folder / "expected.json");
    if (fs::exists(folder / "model.gguf")) {
        expect_logits(folder / "model.gguf", expected, tolerance);
        return;
    }
    for (const char* file : {"config.json", "config.v4.json"}) {
        SCOPED_TRACE(file);
        const ScratchFolder scratch;
        const fs::path copy = scratch / (folder.filename().string() + " " + file);
        fs::create_directory(copy);
        fs::copy_file(folder / file, copy / "config.json");
        fs::copy_file(folder / "model.safetensors", copy / "model.safetensors");
        expect_logits(copy, expected, tolerance);
    }
}

TEST(ConfigPlan, ComputesTheLogitsOfTransformers) {
    SKIP_WITHOUT_SHARED_DATA("oracles/hf_models");
    for (const fs::path& folder : folders_in(shared_data("oracles/hf_models")))
        EXPECT_NO_THROW(expect_logits_of_transformers(folder, 1e-5));
}

TEST(ConfigPlan, ComputesTheLogitsOfEveryArchitecture) {
    const char* folder = std::getenv("ROPELAB_MODELS");
    if (!folder) GTEST_SKIP() << "ROPELAB_MODELS does not name a folder that tests/core/interop/make_models.py made.";
    for (const fs::path& model : folders_in(folder)) EXPECT_NO_THROW(expect_logits_of_transformers(model, 1e-4));
}

// A small model with nanoGPT's names: number i of tensor k is 0.4·sin(1.3·i + k), and 1 more for the weight of a norm.
void write_nanogpt(const ScratchFolder& folder, bool has_bias, const std::string& prefix, const std::string& config) {
    constexpr std::int64_t width = 8, context = 6, vocabulary = 11;
    TensorFile file;
    const auto add = [&](const std::string& name, std::vector<std::int64_t> shape, double centre) {
        std::vector<float> values;
        const auto k = static_cast<double>(file.tensors.size());
        for (std::int64_t i = 0; i < shape.front() * (shape.size() > 1 ? shape.back() : 1); ++i)
            values.push_back(static_cast<float>(centre + 0.4 * std::sin(1.3 * static_cast<double>(i) + k)));
        file.tensors.push_back({prefix + "transformer." + name, std::move(shape), std::move(values)});
    };
    const auto add_with_bias = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
        add(name + ".weight", shape, shape.size() == 1 ? 1 : 0);
        if (has_bias) add(name + ".bias", {shape.front()}, 0);
    };
    add("wte.weight", {vocabulary, width}, 0);
    add("wpe.weight", {context, width}, 0);
    for (const std::string layer : {"h.0.", "h.1."}) {
        add_with_bias(layer + "ln_1", {width});
        add_with_bias(layer + "attn.c_attn", {3 * width, width});
        add_with_bias(layer + "attn.c_proj", {width, width});
        add_with_bias(layer + "ln_2", {width});
        add_with_bias(layer + "mlp.c_fc", {4 * width, width});
        add_with_bias(layer + "mlp.c_proj", {width, 4 * width});
    }
    add_with_bias("ln_f", {width});
    file.tensors.push_back({prefix + "lm_head.weight", {vocabulary, width}, file.tensors.front().values});
    write_safetensors(folder / "model.safetensors", file);
    const json arguments = {{"n_layer", 2},          {"n_head", 2},      {"n_embd", width},         {"dropout", 0.0},
                            {"block_size", context}, {"bias", has_bias}, {"vocab_size", vocabulary}};
    folder.write(config, json({{"model_args", arguments}, {"iter_num", 5}}).dump());
}

// The logits of the last token are those of a model that was written from nanoGPT's description in PyTorch, in float64.
TEST(ConfigPlan, ComputesTheLogitsOfNanoGpt) {
    const std::vector<std::int32_t> tokens = {3, 1, 4, 1, 5, 9};
    const std::map<bool, std::vector<double>> expected = {
        {true,
         {0.750189, -1.857017, 1.333326, 0.361067, -1.738432, 1.589399, -0.044823, -1.539109, 1.771655, -0.448632,
          -1.268304}},
        {false,
         {-0.54779, 0.059341, 0.481211, -0.599245, 0.191123, 0.384811, -0.622869, 0.314028, 0.270539, -0.617565,
          0.422349}}};
    TorchEngine engine;
    for (const auto& [has_bias, last] : expected) {
        for (const auto& [prefix, config] : {std::pair("", "config.json"), {"_orig_mod.", "model_args.json"}}) {
            const ScratchFolder folder;
            write_nanogpt(folder, has_bias, prefix, config);
            const OpenedModel opened(folder.path());
            const auto logits = opened.load(engine, opened.plan(std::ssize(tokens)))->logits(tokens);
            ASSERT_EQ(logits.size(), last.size() * tokens.size());
            for (std::size_t i = 0; i < last.size(); ++i)
                EXPECT_NEAR(logits[logits.size() - last.size() + i], last[i], 1e-5) << has_bias << prefix << i;
        }
    }
}

TEST(ConfigPlan, WhatTheEngineDoesNotComputeIsNamed) {
    TorchEngine engine;
    const std::map<std::string, std::string> parts = {
        {"Llama 4 Scout", "chunked attention"},          {"DeepSeek-V3", "a latent vector of the queries"},
        {"Qwen3-Next 80B A3B", "the short convolution"}, {"ModernBERT base", "attention to later tokens"},
        {"Gemma 4 31B", "values that are the keys"},     {"OLMo 7B", "norms of this kind"}};
    for (const auto& [model, part] : parts) {
        SCOPED_TRACE(model);
        EXPECT_MESSAGE(engine.create_model(hf_plan(known_model(model).config), {}, {Device::cpu}), BadInput, part);
    }
}

}  // namespace
}  // namespace ropelab
