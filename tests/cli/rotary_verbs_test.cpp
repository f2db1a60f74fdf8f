// Tests of the commands frequencies (with every scaling method), context and cache.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cli/terminal.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

using nlohmann::json;

json json_of(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Finished finished = ropelab_cli(arguments);
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(finished.err, testing::AnyOf("", testing::StartsWith("ropelab-cli: ")));  // remarks on a model
    return finished.json();
}

double last_frequency(const json& result) {
    return result.at("inverse_frequencies").back().get<double>();
}

TEST(RotaryVerbs, RefuseTwoSetups) {
    for (const char* verb : {"frequencies", "context", "cache"}) {
        const Finished finished = ropelab_cli({verb, "--setup", "theta=10k | B: theta=500k"});
        EXPECT_EQ(finished.status, 2) << verb;
        EXPECT_THAT(finished.err, ::testing::HasSubstr("only one setup can be used here")) << verb;
    }
}

TEST(FrequenciesVerb, ComputesEveryScalingMethod) {
    const double plain = last_frequency(json_of({"frequencies", "--head-dim", "128"}));
    const auto scaled = [](std::vector<std::string> more) {
        std::vector<std::string> arguments = {"frequencies", "--head-dim", "128"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return json_of(arguments);
    };
    EXPECT_NEAR(last_frequency(scaled({"--scaling", "linear", "--factor", "4"})), plain / 4, 1e-15);
    EXPECT_NEAR(last_frequency(scaled({"--scaling", "ntk", "--factor", "4"})), plain / 4, 1e-15);
    const std::vector<std::string> dynamic = {"--scaling", "dynamic", "--factor", "2", "--original-context", "1k"};
    EXPECT_EQ(last_frequency(scaled(dynamic)), plain);
    auto longer = dynamic;
    longer.insert(longer.end(), {"--context", "2k"});
    EXPECT_NEAR(last_frequency(scaled(longer)), plain / 3, 1e-15);  // 2 · 2 − 1
    for (const char* method : {"ntk-by-parts", "yarn"}) {
        const json alternating = scaled({"--scaling", method, "--factor", "4", "--original-context", "4096"});
        EXPECT_EQ(alternating.at("inverse_frequencies")[0], 1.0) << method;
        EXPECT_NEAR(last_frequency(alternating), plain / 4, 1e-15) << method;
    }
    const json yarn = scaled({"--scaling", "yarn", "--factor", "4", "--original-context", "4096"});
    EXPECT_NEAR(yarn.at("attention_factor").get<double>(), 1.1386, 1e-4);
    EXPECT_EQ(scaled({"--scaling", "yarn", "--factor", "4", "--original-context", "4096", "--mscale", "1",
                      "--mscale-all-dim", "1"})
                  .at("attention_factor"),
              1.0);
    EXPECT_NE(scaled({"--scaling", "yarn", "--factor", "4", "--original-context", "4096", "--exact-ramp"})
                  .at("inverse_frequencies"),
              yarn.at("inverse_frequencies"));
    EXPECT_NEAR(last_frequency(scaled({"--scaling", "llama3", "--factor", "8", "--original-context", "8192"})),
                plain / 8, 1e-15);
    const auto longrope = [](std::vector<std::string> more) {
        std::vector<std::string> arguments = {"frequencies", "--head-dim",         "4",   "--scaling",
                                              "longrope",    "--short-factors",    "1,2", "--long-factors",
                                              "4,8",         "--original-context", "256"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return json_of(arguments).at("inverse_frequencies");
    };
    EXPECT_EQ(longrope({}), (json{1.0, 0.005}));
    EXPECT_EQ(longrope({"--context", "257"}), (json{0.25, 0.00125}));
}

TEST(FrequenciesVerb, AgreesWithTransformersOnEveryReferenceRecord) {
    SKIP_WITHOUT_SHARED_DATA("oracles/hf_inverse_frequencies.json");
    const auto reference = read_json_file(shared_data("oracles/hf_inverse_frequencies.json"));
    const ScratchFolder folder;
    for (const auto& record : reference.at("records")) {
        SCOPED_TRACE(record.at("name").get<std::string>());
        const auto file = folder.write("config.json", record.at("config").dump());
        std::vector<std::string> arguments = {"frequencies", "--hf-config", file.string()};
        if (!record.at("layer_type").is_null())
            arguments.insert(arguments.end(), {"--layer-type", record.at("layer_type").get<std::string>()});
        if (!record.at("seq_len").is_null())
            arguments.insert(arguments.end(), {"--context", std::to_string(record.at("seq_len").get<int>())});
        const json ours = json_of(arguments);
        const auto theirs = record.at("inv_freq").get<std::vector<double>>();
        ASSERT_EQ(ours.at("inverse_frequencies").size(), theirs.size());
        for (std::size_t i = 0; i < theirs.size(); ++i) {
            EXPECT_LE(std::abs(ours.at("inverse_frequencies")[i].get<double>() - theirs[i]), 1e-6 * theirs[i]);
        }
        EXPECT_NEAR(ours.at("attention_factor").get<double>(), record.at("attention_scaling").get<double>(), 1e-6);
    }
}

TEST(FrequenciesVerb, AcceptsASetupTextAndAKnownModel) {
    EXPECT_EQ(json_of({"frequencies", "--setup", "theta=500 head_dim=64 fraction=25%"}).at("rotary_dim"), 16);
    const json llama = json_of({"frequencies", "--model", "llama 2 7b"});
    EXPECT_EQ(llama.at("rotary_dim"), 128);
    EXPECT_NEAR(llama.at("wavelengths").back().get<double>(), 54410, 1);
    EXPECT_EQ(json_of({"frequencies", "--model", "Gemma 4 31B"}).at("rotary_dim"), 128);
    EXPECT_EQ(json_of({"frequencies", "--model", "Gemma 4 31B", "--layer-type", "sliding_attention"}).at("rotary_dim"),
              256);
    const auto text = ropelab_cli({"frequencies", "--model", "Pythia 1B"});
    EXPECT_THAT(text.out, testing::ContainsRegex("rope_theta +10000 +file: rotary_emb_base"));
    EXPECT_THAT(text.out, testing::ContainsRegex("pairing +half +library default"));
}

TEST(FrequenciesVerb, WarnsAboutUnknownConfigKeys) {
    const ScratchFolder folder;
    const auto file =
        folder.write("config.json", R"({"head_dim": 64, "rope_scaling": {"type": "default", "spin": 3}})");
    const auto finished = ropelab_cli({"frequencies", "--hf-config", file.string(), "--json"});
    EXPECT_EQ(finished.status, 0);
    EXPECT_THAT(finished.err, testing::HasSubstr("rope_scaling.spin"));
}

TEST(FrequenciesVerb, RejectsFlagsThatCannotBeCombined) {
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--setup", "theta=500k", "--theta", "3"}), "cannot be combined");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--model", "Phi-2", "--hf-config", "c.json"}), "cannot be combined");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--model", "Phi-2", "--factor", "2"}), "--factor");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--scaling", "linear", "--factor", "2", "--beta-fast", "3"}),
                     "does not use --beta-fast");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--factor", "2"}), "does not use --factor");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--scaling", "linear"}), "needs --factor");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--scaling", "yarn", "--factor", "2"}), "needs --original-context");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--layer-type", "full_attention"}), "needs --hf-config or --model");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--model", "Phi-22"}), "did you mean Phi-2?");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--setup", "thta=500"}), "theta");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--scaling", "longrope", "--original-context", "256",
                                  "--short-factors", "1,2", "--long-factors", "1,2"}),
                     "short_factors");
}

TEST(FrequenciesVerb, RejectsInvalidConfigFiles) {
    const ScratchFolder folder;
    const auto refused = [&](const std::string& text) {
        return ropelab_cli({"frequencies", "--hf-config", folder.write("config.json", text).string()});
    };
    EXPECT_BAD_INPUT(refused(R"({"head_dim": 64)"), "config.json is not JSON");
    EXPECT_BAD_INPUT(refused(R"({"head_dim": "wide"})"), "head_dim");
    EXPECT_BAD_INPUT(refused(R"({"head_dim": -64})"), "-64");
    EXPECT_BAD_INPUT(refused(R"({"head_dim": 64, "rope_theta": 1e300})"), "rope_theta");
    EXPECT_BAD_INPUT(refused(R"({"head_dim": 64, "rope_theta": 1e999})"), "too large");
    EXPECT_BAD_INPUT(refused(R"({"head_dim": 64, "rope_scaling": {"type": "spiral"}})"), "spiral");
    EXPECT_BAD_INPUT(refused(std::string(std::size_t{100} << 20, '[')), "at most 4.2 MB are read here");
    EXPECT_BAD_INPUT(refused(std::string(std::size_t{1} << 20, '[')), "64 levels");
    EXPECT_BAD_INPUT(refused(R"({"model_type": "gpt2", "n_embd": 64, "n_head": 4})"), "without rotary");
}

TEST(FrequenciesVerb, NamesTheScalingOfItsFrequencies) {
    const auto llama = ropelab_cli({"frequencies", "--model", "Llama 3.1 8B"});
    EXPECT_THAT(llama.out,
                testing::StartsWith("rotary dimension 128, attention factor 1, frequencies with the scaling llama3\n"));
    const auto plain = ropelab_cli({"frequencies"});
    EXPECT_THAT(plain.out, testing::StartsWith("rotary dimension 64, attention factor 1\n"));
}

TEST(ContextVerb, ComputesContextBoundAndFeasibleBases) {
    const json short_reach = json_of({"context", "--head-dim", "128", "--context", "4096", "--scan-from", "25000",
                                      "--scan-to", "100000", "--scan-step", "1000"});
    EXPECT_EQ(short_reach.at("first_negative"), 1707);
    EXPECT_EQ(short_reach.at("critical_dimension"), 92);
    EXPECT_EQ(short_reach.at("scan"), (json{{"low", 25000}, {"high", 100000}, {"step", 1000}}));
    const json& bases = short_reach.at("feasible_bases");
    ASSERT_GE(bases.size(), 2U);
    EXPECT_NEAR(bases.front()[0].get<double>(), 28000, 1000);
    EXPECT_NEAR(bases.back()[0].get<double>(), 59000, 1000);
    EXPECT_EQ(bases.back()[1], 100000);
    const json& decay = short_reach.at("decay");
    EXPECT_EQ(decay.at("distance").size(), decay.at("bound").size());
    EXPECT_EQ(decay.at("bound")[0], 32.5);

    const json islands = json_of({"context", "--context", "256", "--scan-to", "2000", "--scan-step", "1"});
    EXPECT_TRUE(islands.at("first_negative").is_null());
    EXPECT_EQ(islands.at("feasible_bases"), (json{{1413, 1792}, {1892, 1897}, {1952, 2000}}));
    EXPECT_TRUE(json_of({"context", "--fraction", "0.5", "--context", "8k"}).at("first_negative").is_null());
}

TEST(ContextVerb, SearchesLargerBasesOrSaysHowTo) {
    const json far = ropelab_cli({"context", "--head-dim", "128", "--context", "131072", "--json"}).json();
    EXPECT_EQ(far.at("feasible_bases")[0][0], 8749000);
    EXPECT_EQ(far.at("scan"), (json{{"low", 50000}, {"high", 10000000}, {"step", 50000}}));
    const auto none = ropelab_cli({"context", "--head-dim", "128", "--context", "131072", "--scan-to", "2000"});
    EXPECT_THAT(none.out, testing::HasSubstr("none; --scan-to tests larger bases"));
}

TEST(ContextVerb, PrintsTheDepthOfAnInfeasibleBase) {  // computed with a Python sum of cosines
    const std::vector<std::string> flags = {"context", "--theta", "1850", "--context", "256", "--scan-to", "2000"};
    const auto text = ropelab_cli(flags);
    EXPECT_THAT(text.out, testing::HasSubstr("-0.16 of 32 at Δ = 235; B(Δ) < 0 at 1 of 256 distances"));
    const json lowest =
        json_of({"context", "--theta", "1850", "--context", "256", "--scan-to", "2000"}).at("lowest_bound");
    EXPECT_NEAR(lowest.at("value").get<double>(), -0.1566, 1e-4);
    EXPECT_EQ(lowest.at("of"), 32);
    EXPECT_EQ(lowest.at("distance"), 235);
    EXPECT_EQ(lowest.at("negative_distances"), 1);
    EXPECT_EQ(lowest.at("distances"), 256);
}

TEST(ContextVerb, UsesTheScaledFrequenciesInEveryLine) {  // computed with a Python sum of cosines
    const json llama = json_of({"context", "--model", "Llama 3.1 8B", "--context", "65536", "--scan-from", "500000",
                                "--scan-to", "500001", "--scan-step", "1"});
    EXPECT_TRUE(llama.at("first_negative").is_null());  // 85,133 with the scaling, 18,438 without
    EXPECT_EQ(llama.at("feasible_bases"), json::array({json::array({500000, 500001})}));
    const json whole = json_of(
        {"context", "--model", "Llama 3.1 8B", "--scan-from", "500000", "--scan-to", "500001", "--scan-step", "1"});
    EXPECT_EQ(whole.at("first_negative"), 85133);
    EXPECT_EQ(whole.at("critical_dimension"), 78);  // 98 without the scaling
    const json qwen = json_of({"context", "--setup",
                               "theta=1M head_dim=128 context=32768 scaling=yarn factor=4 original_context=32768",
                               "--scan-from", "1000000", "--scan-to", "1000001", "--scan-step", "1"});
    EXPECT_EQ(qwen.at("critical_dimension"), 72);  // 80 without the scaling
    EXPECT_EQ(qwen.at("feasible_bases"), json::array({json::array({1000000, 1000001})}));
}

TEST(ContextVerb, AcceptsAModelAndPrintsTheScan) {
    EXPECT_EQ(json_of({"context", "--model", "Llama 3 8B"}).at("critical_dimension"), 70);
    const auto text = ropelab_cli({"context", "--setup", "theta=500 head_dim=64 context=256"});
    EXPECT_THAT(text.out, testing::HasSubstr("supported context       154 tokens"));
    EXPECT_THAT(text.out, testing::HasSubstr("-4.01 of 32 at Δ = 255; B(Δ) < 0 at 44 of 256 distances"));
    EXPECT_THAT(text.out, testing::HasSubstr("from 100 to 1000000 in steps of 5"));
    EXPECT_BAD_INPUT(ropelab_cli({"context", "--context", "0"}), "--context is 0");
    EXPECT_BAD_INPUT(ropelab_cli({"context", "--scan-step", "0"}), "--scan-step is 0");
    EXPECT_BAD_INPUT(ropelab_cli({"context", "--scan-from", "500", "--scan-to", "100"}), "start");
}

TEST(CacheVerb, ComputesRopeCacheAndKvCache) {
    const json llama = json_of({"cache", "--model", "Llama 3.1 8B"});
    EXPECT_EQ(llama.at("context"), 131072);
    EXPECT_EQ(llama.at("rope_cache_bytes"), std::int64_t{128} << 20);
    EXPECT_EQ(llama.at("kv_cache_bytes"), std::int64_t{16} << 30);
    const auto text = ropelab_cli({"cache", "--model", "Llama 3.1 8B"});
    EXPECT_THAT(text.out, testing::HasSubstr("128 MiB"));
    EXPECT_THAT(text.out, testing::HasSubstr("16 GiB"));
    EXPECT_THAT(text.out, testing::HasSubstr("1 MiB is 1,024 KiB"));

    const json flags =
        json_of({"cache", "--head-dim", "64", "--fraction", "25%", "--context", "1024", "--precision", "float16",
                 "--layout", "single", "--per-layer", "--layers", "4", "--heads", "8", "--kv-precision", "float32"});
    EXPECT_EQ(flags.at("rotary_dim"), 16);
    EXPECT_EQ(flags.at("rope_cache_bytes"), 1024 * 16 * 2 * 4);
    EXPECT_EQ(flags.at("kv_cache_bytes"), 2 * 4 * 8 * 64 * 1024 * 4);
    EXPECT_EQ(flags.at("kv_cache"), "multi-head");
}

TEST(CacheVerb, SupportsEveryKindOfKvCache) {
    const json latent =
        json_of({"cache", "--latent-dim", "512", "--rope-dim", "64", "--layers", "61", "--context", "4k"});
    EXPECT_EQ(latent.at("kv_cache_bytes"), std::int64_t{61} * 576 * 4000 * 2);
    EXPECT_EQ(latent.at("rotary_dim"), 64);
    const json sliding = json_of({"cache", "--head-dim", "64", "--window", "100", "--layers", "6", "--global-layers",
                                  "1", "--heads", "4", "--kv-heads", "2", "--context", "1000"});
    EXPECT_EQ(sliding.at("kv_cache_bytes"), 2 * 2 * 64 * 2 * (1000 + 5 * 100));
    EXPECT_EQ(json_of({"cache", "--kv-heads", "1"}).at("kv_cache"), "multi-query");
    EXPECT_EQ(json_of({"cache", "--model", "DeepSeek-V3"}).at("kv_cache"), "latent");
    EXPECT_TRUE(json_of({"cache", "--model", "ModernBERT base"}).at("kv_cache_bytes").is_null());
}

TEST(CacheVerb, AddsUpTheLayersAndNamesTheKeysOfIndexers) {
    const ScratchFolder folder;
    const std::string gemma = folder
                                  .write("gemma.json", R"({"model_type": "gemma4_text", "num_hidden_layers": 48,
        "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256, "global_head_dim": 512,
        "num_global_key_value_heads": 1, "attention_k_eq_v": true, "sliding_window": 1024})")
                                  .string();
    const json cache = json_of({"cache", "--hf-config", gemma, "--context", "65536"});
    EXPECT_EQ(cache.at("kv_cache_bytes"), 1409286144);
    EXPECT_EQ(cache.at("layers"), 48);
    EXPECT_FALSE(cache.contains("index_cache_bytes"));
    const std::string sparse = folder
                                   .write("sparse.json", R"({"model_type": "deepseek_v4", "num_hidden_layers": 6,
        "compress_ratios": [0, 0, 4, 128, 4, 0]})")
                                   .string();
    const json compressed = json_of({"cache", "--hf-config", sparse, "--context", "65536"});
    EXPECT_EQ(compressed.at("kv_cache_bytes"), 34865152);
    EXPECT_EQ(compressed.at("index_cache_bytes"), 8388608);
    EXPECT_THAT(ropelab_cli({"cache", "--hf-config", sparse, "--context", "65536"}).out,
                testing::ContainsRegex("Indexer keys +8 MiB"));
}

TEST(CacheVerb, ReadsModelsWithoutRotaryEmbedding) {
    const ScratchFolder folder;
    const std::string bloom =
        folder.write("config.json", R"({"model_type": "bloom", "n_embed": 1024, "n_layer": 24, "n_head": 16})")
            .string();
    const json cache = json_of({"cache", "--hf-config", bloom, "--context", "2048"});
    EXPECT_EQ(cache.at("position"), "ALiBi");
    EXPECT_EQ(cache.at("rope_cache_bytes"), 0);
    EXPECT_EQ(cache.at("rotary_dim"), 0);
    EXPECT_EQ(cache.at("kv_cache_bytes"), 2 * 24 * 1024 * 2048 * 2);
    EXPECT_THAT(ropelab_cli({"cache", "--hf-config", bloom}).out,
                testing::HasSubstr("no table, because the model has ALiBi instead of a rotary embedding"));
    for (const char* verb : {"frequencies", "context"}) {
        EXPECT_BAD_INPUT(ropelab_cli({verb, "--hf-config", bloom}), "without rotary embeddings (\"bloom\")");
    }
    EXPECT_EQ(ropelab_cli({"anatomy", "--hf-config", bloom}).status, 0);
}

TEST(CacheVerb, RejectsBadInputWithOneSentence) {
    EXPECT_BAD_INPUT(ropelab_cli({"cache", "--model", "Phi-2", "--layers", "4"}), "cannot be combined");
    EXPECT_BAD_INPUT(ropelab_cli({"cache", "--precision", "float64"}), "float32, float16 or bfloat16");
    EXPECT_BAD_INPUT(ropelab_cli({"cache", "--layout", "triple"}), "duplicated or single");
    EXPECT_BAD_INPUT(ropelab_cli({"cache", "--kv-heads", "7"}), "must divide the 32 heads");
    EXPECT_BAD_INPUT(ropelab_cli({"cache", "--rope-dim", "64"}), "--latent-dim");
    EXPECT_BAD_INPUT(ropelab_cli({"cache", "--latent-dim", "512", "--window", "64"}), "cannot be combined");
    EXPECT_BAD_INPUT(ropelab_cli({"cache", "--context", "1.5"}), "--context is 1.5");
    EXPECT_BAD_INPUT(ropelab_cli({"cache", "--layers", "16M", "--heads", "16M", "--context", "1000M"}), "8 EiB");
}

}  // namespace
}  // namespace ropelab
