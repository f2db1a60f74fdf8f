#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>

#include "core/base/error.h"
#include "core/engine/torch_engine.h"
#include "core/interop/hf_anatomy.h"
#include "core/interop/model_table.h"
#include "core/interop/opened_model.h"
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
