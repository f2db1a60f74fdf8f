#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/interop/config/hf_anatomy.h"
#include "core/interop/config/hf_config.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

using nlohmann::json;

/// Compares caches and parameters with those of a class of transformers; returns whether there is a total.
bool expect_class(const json& config, const json& expected, std::int64_t tokens) {
    const HfModel model = read_hf_config(config);
    const ModelPlan plan = hf_plan(config);
    if (expected.contains("cache")) {
        if (!model.sizes) {
            ADD_FAILURE() << "no cache";
            return false;
        }
        const std::int64_t index = index_cache_bytes(model.caches(), tokens, 1);
        EXPECT_EQ(kv_cache_bytes(model.caches(), tokens, 1), expected.at("cache"));
        EXPECT_EQ(index, expected.value("index", 0));
        EXPECT_EQ(plan.caches(), model.caches());
    }
    const auto total = plan.anatomy().totals().parameters;
    if (total && expected.contains("parameters")) {
        EXPECT_EQ(*total, expected.at("parameters"));
    }
    return total.has_value();
}

TEST(HfClasses, CachesAndParametersAreThoseOfTheClassesOfTransformers) {
    const json file = read_json_file(source_file("tests/core/interop/classes_of_transformers.json"));
    std::set<std::string> without_total;
    int configs = 0;
    for (const json& each : file.at("models")) {
        const json& config = each.at("config");
        const std::string type = config.at("model_type");
        SCOPED_TRACE(type);
        if (!expect_class(config, each, file.at("tokens"))) without_total.insert(type);
        ++configs;
        for (const json& variant : each.value("variants", json::array())) {
            SCOPED_TRACE(variant.at("set").dump());
            json changed = config;
            changed.update(variant.at("set"));
            expect_class(changed, variant, file.at("tokens"));
            ++configs;
        }
    }
    EXPECT_EQ(configs, 546);
    // Their layers have parts that the plan does not have.
    const std::set<std::string> unknown = {"apertus",
                                           "apertus1p5_text",
                                           "axk1",
                                           "axk2",
                                           "bailing_hybrid",
                                           "bamba",
                                           "beam",
                                           "bitnet",
                                           "cohere2_moe",
                                           "deepseek_v32",
                                           "deepseek_v4",
                                           "diffllama",
                                           "doge",
                                           "dory",
                                           "falcon_h1",
                                           "gemma3n_text",
                                           "gemma4_text",
                                           "glm_moe_dsa",
                                           "gpt_neox_japanese",
                                           "hrm_text",
                                           "hunyuan_v1_moe",
                                           "hy_v4",
                                           "inkling2_loop_text",
                                           "inkling2_text",
                                           "inkling_text",
                                           "jamba",
                                           "jetmoe",
                                           "kimi_linear",
                                           "laguna",
                                           "lfm2",
                                           "lfm3",
                                           "longcat_flash",
                                           "mimo_v2_flash",
                                           "minimax",
                                           "minimax_m3_vl_text",
                                           "nanochat",
                                           "olmo_hybrid",
                                           "persimmon",
                                           "recurrent_gemma",
                                           "roformer",
                                           "zamba",
                                           "zaya"};
    EXPECT_EQ(without_total, unknown);
}

}  // namespace
}  // namespace ropelab
