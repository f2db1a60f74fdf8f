#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

TEST(FrequenciesVerb, ComputesSliceAndTruncate) {
    const auto slice = ropelab_cli({"frequencies", "--head-dim", "64", "--fraction", "0.25", "--json"}).json();
    EXPECT_EQ(slice.at("rotary_dim"), 16);
    EXPECT_EQ(slice.at("inverse_frequencies").size(), 8U);
    EXPECT_EQ(slice.at("attention_factor"), 1.0);
    EXPECT_NEAR(slice.at("wavelengths").back().get<double>(), 19869, 1);
    const auto truncate =
        ropelab_cli({"frequencies", "--head-dim", "64", "--fraction", "25%", "--partial", "truncate", "--json"}).json();
    EXPECT_EQ(truncate.at("inverse_frequencies").size(), 32U);
    EXPECT_EQ(truncate.at("inverse_frequencies").back(), 0.0);
    EXPECT_TRUE(truncate.at("wavelengths").back().is_null());
}

TEST(FrequenciesVerb, ReadsAHuggingFaceConfig) {
    const ScratchFolder folder;
    const auto config =
        folder.write("config.json", R"({"hidden_size": 2048, "num_attention_heads": 8, "rotary_pct": 0.25})");
    const auto result = ropelab_cli({"frequencies", "--hf-config", config.string(), "--json"});
    EXPECT_EQ(result.json().at("rotary_dim"), 64);
}

TEST(FrequenciesVerb, RejectsBadInputWithOneSentence) {
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--head-dim", "63"}), "63");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--theta", "0.5"}), "0.5");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--fraction", "2"}), "enter 2 % for a percentage, or 0.02");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--fraction", "101"}), "between 0 and 1");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--scaling", "spiral"}), "spiral");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--partial", "half"}), "slice or truncate");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--hf-config", "/none/config.json"}), "/none/config.json");
    EXPECT_BAD_INPUT(ropelab_cli({"frequencies", "--hed-dim", "64"}), "--hed-dim");
    EXPECT_BAD_INPUT(ropelab_cli({"freqencies"}), "freqencies");
}

TEST(Help, DescribesEveryCommandAndSetting) {
    for (const char* verb : {"frequencies", "context", "cache", "rotate", "data", "train", "sweep", "sample", "results",
                             "figure", "replay", "doctor", "compress", "decompress"}) {
        const auto help = ropelab_cli({verb, "--help"});
        EXPECT_EQ(help.status, 0) << verb;
        EXPECT_GT(help.out.size(), 100U) << verb;
    }
    const auto keys = ropelab_cli({"--help", "keys"});
    EXPECT_EQ(keys.status, 0);
    EXPECT_THAT(keys.out, testing::HasSubstr("learning_rate"));
    EXPECT_THAT(keys.out, testing::HasSubstr("learned+rope"));
}

}  // namespace
}  // namespace ropelab
