#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>

#include "core/base/error.h"
#include "core/engine/torch_engine.h"
#include "core/interop/hf_anatomy.h"
#include "core/interop/model_table.h"
#include "core/plan/layout.h"
#include "core/rope/rotation.h"
#include "tests/support/expect_message.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

using nlohmann::json;

// The plan of a config.json computes what the classes of transformers compute. The weights are those of small models
// that transformers made, in float32; names and order of the numbers are those of the plan's tensors.

struct Numbers {
    std::vector<std::int64_t> shape;
    std::vector<float> values;

    std::int64_t row() const { return std::ssize(values) / shape.front(); }
};

std::map<std::string, Numbers> read_weights(const std::filesystem::path& path) {
    const std::string bytes = read_file(path);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    std::map<std::string, Numbers> result;
    const json header = json::parse(bytes.substr(sizeof length, length));
    for (const auto& [name, entry] : header.items()) {
        if (name == "__metadata__") continue;
        const auto place = entry.at("data_offsets").get<std::vector<std::size_t>>();
        Numbers numbers{entry.at("shape"), std::vector<float>((place[1] - place[0]) / sizeof(float))};
        std::memcpy(numbers.values.data(), bytes.data() + sizeof length + length + place[0], place[1] - place[0]);
        result[name] = numbers;
    }
    return result;
}

Numbers transposed(const Numbers& x) {
    Numbers result{{x.shape[1], x.shape[0]}, x.values};
    for (std::int64_t i = 0; i < x.shape[0]; ++i) {
        for (std::int64_t j = 0; j < x.shape[1]; ++j)
            result.values[static_cast<std::size_t>(j * x.shape[0] + i)] =
                x.values[static_cast<std::size_t>(i * x.shape[1] + j)];
    }
    return result;
}

// Row i of the result is row order(i).
Numbers rows_in_order(const Numbers& x, const std::function<std::int64_t(std::int64_t)>& order) {
    Numbers result = x;
    for (std::int64_t i = 0; i < x.shape.front(); ++i)
        std::copy_n(x.values.begin() + order(i) * x.row(), x.row(), result.values.begin() + i * x.row());
    return result;
}

Numbers below(const std::vector<Numbers>& parts) {
    Numbers result{parts.front().shape, {}};
    result.shape.front() = 0;
    for (const Numbers& part : parts) {
        result.shape.front() += part.shape.front();
        result.values.insert(result.values.end(), part.values.begin(), part.values.end());
    }
    return result;
}

class Weights {
 public:
    Weights(std::string type, std::map<std::string, Numbers> given)
        : type_(std::move(type)), given_(std::move(given)) {}

    /// Of the plan's tensor with this name.
    Numbers at(const std::string& name) const {
        if (name == "embedding.weight") return of({"transformer.wte", "model.embed_tokens", "gpt_neox.embed_in"});
        if (name == "positions.weight") return of({"transformer.wpe"});
        if (name == "head.weight") return of({"lm_head", "embed_out"});
        const std::string kind = name.substr(name.rfind('.'));
        const auto named = [&](const std::string& text) { return given_.at(text + kind); };
        if (name.starts_with("final_norm"))
            return named(type_ == "gpt2"    ? "transformer.ln_f"
                         : type_ == "llama" ? "model.norm"
                                            : "gpt_neox.final_layer_norm");
        const std::size_t dot = name.find('.', 7);
        const std::string layer = name.substr(7, dot - 7) + ".";
        const std::string part = name.substr(dot + 1, name.size() - dot - 1 - kind.size());
        const auto find = [&](const std::map<std::string, std::string>& names) { return names.at(part); };
        if (type_ == "gpt2") {
            const Numbers found = named("transformer.h." + layer +
                                        find({{"attention_norm", "ln_1"},
                                              {"mlp_norm", "ln_2"},
                                              {"attention.qkv", "attn.c_attn"},
                                              {"attention.output", "attn.c_proj"},
                                              {"mlp.up", "mlp.c_fc"},
                                              {"mlp.down", "mlp.c_proj"}}));
            return found.shape.size() == 2 ? transposed(found) : found;
        }
        if (type_ == "llama") {
            const auto of_layer = [&](const std::string& text) { return named("model.layers." + layer + text); };
            if (part == "attention.qkv")
                return below(
                    {of_layer("self_attn.q_proj"), of_layer("self_attn.k_proj"), of_layer("self_attn.v_proj")});
            if (part == "mlp.gate_up") return below({of_layer("mlp.gate_proj"), of_layer("mlp.up_proj")});
            return of_layer(find({{"attention_norm", "input_layernorm"},
                                  {"mlp_norm", "post_attention_layernorm"},
                                  {"attention.output", "self_attn.o_proj"},
                                  {"mlp.down", "mlp.down_proj"}}));
        }
        const Numbers found = named("gpt_neox.layers." + layer +
                                    find({{"attention_norm", "input_layernorm"},
                                          {"mlp_norm", "post_attention_layernorm"},
                                          {"attention.qkv", "attention.query_key_value"},
                                          {"attention.output", "attention.dense"},
                                          {"mlp.up", "mlp.dense_h_to_4h"},
                                          {"mlp.down", "mlp.dense_4h_to_h"}}));
        if (part != "attention.qkv") return found;
        // (heads, q k v, D) → (q k v, heads, D)
        constexpr std::int64_t D = 16, heads = 4, rotated = 4;
        Numbers ordered = rows_in_order(
            found, [](std::int64_t row) { return (row / D % heads * 3 + row / D / heads) * D + row % D; });
        const auto cut = 2 * heads * D * found.row();
        const Numbers keys{{2 * heads * D, found.row()}, {ordered.values.begin(), ordered.values.begin() + cut}};
        const auto channels = canonical_channels(D, rotated, Partial::slice, Pairing::half);
        const Numbers moved = rows_in_order(
            keys, [&](std::int64_t row) { return row / D * D + channels[static_cast<std::size_t>(row % D)]; });
        std::copy(moved.values.begin(), moved.values.end(), ordered.values.begin());
        return ordered;
    }

 private:
    Numbers of(const std::vector<std::string>& names) const {
        for (const std::string& name : names) {
            if (const auto found = given_.find(name + ".weight"); found != given_.end()) return found->second;
        }
        throw std::logic_error(names.front());
    }

    std::string type_;
    std::map<std::string, Numbers> given_;
};

TEST(ConfigPlan, ComputesTheLogitsOfTransformers) {
    for (const std::string name : {"gpt2", "llama_gqa", "neox_25"}) {
        SCOPED_TRACE(name);
        const std::string folder = "oracles/hf_models/" + name;
        SKIP_WITHOUT_SHARED_DATA(folder);
        const json expected = read_json_file(shared_data(folder + "/expected.json"));
        for (const char* file : {"config.json", "config.v4.json"}) {
            const json config = read_json_file(shared_data(folder + "/" + file));
            const ModelPlan plan = hf_plan(config);
            const Weights weights(config.at("model_type"), read_weights(shared_data(folder + "/model.safetensors")));
            std::vector<NamedTensor> tensors;
            for (const Parameter& parameter : layout_of(plan).parameters) {
                const Numbers numbers = weights.at(parameter.name);
                tensors.push_back({"model." + parameter.name, parameter.shape, numbers.values});
            }
            TorchEngine engine;
            const auto model = engine.create_model(plan, tensors, {Device::cpu, Precision::float32});
            const auto tokens = expected.at("tokens").get<std::vector<std::int32_t>>();
            const std::vector<float> logits = model->logits(tokens);
            double largest = 0;
            for (std::size_t i = 0; i < logits.size(); ++i) {
                const std::size_t vocabulary = expected.at("logits").front().size();
                const double wanted = expected.at("logits")[i / vocabulary][i % vocabulary];
                largest = std::max(largest, std::abs(logits[i] - wanted));
            }
            EXPECT_EQ(logits.size(), tokens.size() * expected.at("logits").front().size());
            EXPECT_LT(largest, 1e-5);
            const auto predictor = model->predictor();
            std::vector<float> last;
            for (const std::int32_t token : tokens) last = predictor->next(token);
            for (std::size_t i = 0; i < last.size(); ++i)
                EXPECT_NEAR(last[i], logits[logits.size() - last.size() + i], 1e-5) << i;
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
