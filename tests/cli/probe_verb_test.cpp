#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

class ProbeVerbTest : public testing::Test {
 protected:
    static void SetUpTestSuite() {
        folder_ = new ScratchFolder;
        std::vector<std::string> arguments = {"train", "--lab", lab()};
        for (const char* setting :
             {"context=32", "batch=4", "iterations=20", "evaluate_every=10", "width=32", "evaluation=sampled",
              "evaluation_batches=2", "precision=float32", "sample_length=0", "threads=1", "fraction=0.5"}) {
            arguments.insert(arguments.end(), {"--set", setting});
        }
        const Finished trained = ropelab_cli(arguments);
        ASSERT_EQ(trained.status, 0) << trained.err;
    }
    static void TearDownTestSuite() {
        delete folder_;
        folder_ = nullptr;
    }

    static std::string lab() { return (*folder_ / "a.ropelab").string(); }
    static Finished probe(std::vector<std::string> more) {
        std::vector<std::string> arguments = {"probe", "--lab", lab()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return ropelab_cli(arguments);
    }
    static nlohmann::json json_of(std::vector<std::string> more) {
        more.emplace_back("--json");
        const Finished finished = probe(more);
        EXPECT_EQ(finished.status, 0) << finished.err;
        return finished.status == 0 ? finished.json() : nlohmann::json();
    }
    static double sum(const nlohmann::json& list) {
        double total = 0;
        for (const auto& value : list) total += value.get<double>();
        return total;
    }
    // Expects complete results of 2 layers with 2 heads of 8 pairs each, of which 4 are rotated.
    static void expect_complete(const nlohmann::json& result, std::size_t length) {
        for (const char* name : {"query", "key", "value"}) {
            ASSERT_EQ(result.at("norm").at(name).size(), 2U);
            ASSERT_EQ(result.at("norm").at(name).at(1).size(), 2U);
            EXPECT_EQ(result.at("norm").at(name).at(1).at(1).size(), 8U);
        }
        for (int layer = 0; layer < 2; ++layer) {
            for (int head = 0; head < 2; ++head) {
                const auto& contributions = result.at("logit_contribution").at(layer).at(head);
                ASSERT_EQ(contributions.size(), 9U);
                EXPECT_NEAR(sum(contributions), 1.0, 1e-5);
                EXPECT_NEAR(sum(result.at("weighted_logit_contribution").at(layer).at(head)), 1.0, 1e-5);
                for (int pair = 4; pair < 8; ++pair) EXPECT_EQ(contributions.at(pair), 0.0);
                EXPECT_EQ(result.at("logit_by_distance").at(layer).at(head).size(), length);
                EXPECT_EQ(result.at("attention_spectrum").at(layer).at(head).size(), length / 2 + 1);
                for (const auto& row : result.at("attention").at(layer).at(head)) EXPECT_NEAR(sum(row), 1.0, 1e-3);
                EXPECT_GT(result.at("entropy").at(layer).at(head), 0.0);
                EXPECT_GT(result.at("sink").at(layer).at(head), 0.0);
            }
        }
    }

    static ScratchFolder* folder_;
};
ScratchFolder* ProbeVerbTest::folder_ = nullptr;

TEST_F(ProbeVerbTest, PrintsSnapshotsOfTheLab) {
    const auto newest = json_of({});
    EXPECT_EQ(newest.at("source"), "snapshot");
    EXPECT_EQ(newest.at("iteration"), 20);
    EXPECT_EQ(newest.at("loss_by_position").size(), 32U);
    EXPECT_NEAR(sum(newest.at("loss_by_position")) / 32, newest.at("loss"), 1e-5);
    EXPECT_EQ(newest.at("retrieval").size(), 18U);  // the last snapshot tests all lags from 8 to 25
    const auto& point = newest.at("retrieval").at(0);
    EXPECT_EQ(point.at("distance"), 8);
    EXPECT_EQ(point.at("attended_distance"), 7);
    EXPECT_EQ(point.at("context_bound"), newest.at("context_bound").at(7));
    EXPECT_GE(point.at("sequences"), 1);
    EXPECT_GE(point.at("gain_standard_error"), 0.0);
    EXPECT_EQ(newest.at("inverse_frequencies").size(), 8U);
    expect_complete(newest, 32);
    for (const int step : {0, 1, 8, 10}) {
        const auto result = json_of({"--run", "1", "--step", std::to_string(step)});
        EXPECT_EQ(result.at("iteration"), step);
        EXPECT_EQ(result.at("source"), "snapshot");
    }
    EXPECT_THAT(probe({}).out, testing::HasSubstr("unrotated"));
}

TEST_F(ProbeVerbTest, EvaluatesTheCheckpointIfFlagsRequireIt) {
    const auto plain = json_of({"--sequences", "0"});
    EXPECT_EQ(plain.at("source"), "checkpoint");
    expect_complete(plain, 32);
    EXPECT_NEAR(sum(plain.at("loss_by_position")) / 32, plain.at("loss"), 1e-6);

    const auto text = json_of({"--text", "e a"});
    EXPECT_EQ(text.at("attention_text"), "e a");
    EXPECT_EQ(text.at("attention").at(0).at(0).size(), 3U);
    EXPECT_TRUE(text.at("loss_by_position").at(2).is_null());  // the last token has no target
    EXPECT_TRUE(text.at("retrieval").empty());

    const auto stopped = json_of({"--sequences", "0", "--freeze-pairs", "all"});
    EXPECT_NE(stopped.at("loss"), plain.at("loss"));
    EXPECT_NEAR(stopped.at("logit_contribution").at(0).at(0).at(8), 1.0, 1e-6);
    EXPECT_EQ(stopped.at("inverse_frequencies").at(0), 0.0);
    const Finished frozen = probe({"--sequences", "2", "--freeze-pairs", "0-4"});
    EXPECT_THAT(frozen.out, testing::HasSubstr(" without freezing)"));
    EXPECT_THAT(frozen.err, testing::HasSubstr("the model does not rotate the pairs 4.\n"));

    const auto removed = json_of({"--sequences", "0", "--ablate-pairs", "all"});
    EXPECT_NEAR(removed.at("attention").at(1).at(1).at(3).at(0), 0.25, 1e-6);

    const auto longer = json_of({"--context", "128", "--scaling", "yarn", "--sequences", "4"});
    EXPECT_EQ(longer.at("context"), 128);
    EXPECT_EQ(longer.at("loss_by_position").size(), 128U);
    expect_complete(longer, 128);
    const auto unscaled = json_of({"--context", "128", "--sequences", "4"});
    EXPECT_NE(unscaled.at("loss"), longer.at("loss"));
    EXPECT_EQ(unscaled.at("inverse_frequencies").at(0), 1.0);
}

TEST_F(ProbeVerbTest, LongRopeNeedsItsFactors) {
    const auto longrope = [](std::vector<std::string> more) {
        std::vector<std::string> flags = {"--context", "64", "--sequences", "2", "--scaling", "longrope"};
        flags.insert(flags.end(), more.begin(), more.end());
        return flags;
    };
    EXPECT_BAD_INPUT(probe(longrope({})), "needs --short-factors and --long-factors");
    EXPECT_BAD_INPUT(probe(longrope({"--short-factors", "1,1,1,1"})), "which is 4 numbers for this run");
    EXPECT_BAD_INPUT(probe({"--scaling", "yarn", "--long-factors", "1,1,1,1"}), "need --scaling longrope");
    EXPECT_BAD_INPUT(probe({"--extrapolate", "2", "--scaling", "longrope", "--long-factors", "1,2"}),
                     "long_factors has 2 numbers");
    EXPECT_BAD_INPUT(probe({"--extrapolate", "2", "--scaling", "yarn", "--long-factors", "1,2"}),
                     "--long-factors needs --scaling longrope");
    const auto result = json_of(longrope({"--short-factors", "1,1,1,1", "--long-factors", "1,2,4,8"}));
    const auto plain = json_of({"--context", "64", "--sequences", "2"});
    for (int pair = 0; pair < 4; ++pair) {
        EXPECT_NEAR(result.at("inverse_frequencies").at(pair).get<double>() * (1 << pair),
                    plain.at("inverse_frequencies").at(pair).get<double>(), 1e-12);
    }
    EXPECT_NE(result.at("loss"), plain.at("loss"));
}

TEST_F(ProbeVerbTest, AblatesPairsByNumberRangeOrEnd) {
    const auto fast = json_of({"--freeze-pairs", "fast2"});
    EXPECT_EQ(fast.at("frozen_pairs"), nlohmann::json({0, 1}));
    EXPECT_EQ(fast.at("loss"), json_of({"--freeze-pairs", "0-1"}).at("loss"));
    const auto plain = json_of({"--sequences", "32"});
    EXPECT_EQ(fast.at("loss_without_ablation"), plain.at("loss"));
    EXPECT_EQ(fast.at("loss_by_position_without_ablation"), plain.at("loss_by_position"));
    EXPECT_EQ(fast.at("accuracy_without_ablation"), plain.at("accuracy"));
    EXPECT_NE(fast.at("loss"), plain.at("loss"));
    EXPECT_TRUE(plain.at("loss_without_ablation").is_null());
    const auto slow = json_of({"--ablate-pairs", "slow3"});
    EXPECT_EQ(slow.at("ablated_pairs"), nlohmann::json({5, 6, 7}));
    EXPECT_THAT(probe({"--ablate-pairs", "3"}).out, testing::HasSubstr("without ablation"));

    const auto curve = json_of({"--ablation-curve", "freeze"});
    EXPECT_EQ(curve.at("ablation"), "freeze");
    EXPECT_EQ(curve.at("iteration"), 20);
    EXPECT_EQ(curve.at("pairs"), nlohmann::json({0, 1, 2, 3, 4, 5, 6, 7, 8}));
    for (const char* key : {"fast_loss", "slow_loss", "fast_accuracy", "slow_accuracy"}) {
        ASSERT_EQ(curve.at(key).size(), 9U) << key;
    }
    EXPECT_EQ(curve.at("fast_loss").at(0), curve.at("slow_loss").at(0));
    EXPECT_EQ(curve.at("fast_loss").at(8), curve.at("slow_loss").at(8));
    EXPECT_EQ(curve.at("slow_loss").at(4), curve.at("slow_loss").at(0));  // the slow half is not rotated
    EXPECT_NE(curve.at("fast_loss").at(4), curve.at("fast_loss").at(0));
    EXPECT_THAT(probe({"--ablation-curve", "ablate"}).out, testing::HasSubstr("Pairs ablated"));
    for (const char* key : {"fast_loss_rise", "slow_loss_rise", "fast_accuracy_interval", "fast_controls"})
        ASSERT_EQ(curve.at(key).size(), 9U) << key;
    EXPECT_EQ(curve.at("fast_loss_rise").at(0).at("mean"), 0);
    EXPECT_EQ(curve.at("fast_loss_rise").at(1).at("sequences"), curve.at("sequences"));
    EXPECT_LE(curve.at("fast_loss_rise").at(1).at("low"), curve.at("fast_loss_rise").at(1).at("high"));
    EXPECT_TRUE(curve.at("slow_controls").at(2).at("draws").empty());  // these pairs are not rotated
}

TEST_F(ProbeVerbTest, MeasuresMeanAblationAndControls) {
    const auto mean = json_of({"--mean-ablate-pairs", "0-1", "--controls", "2"});
    EXPECT_EQ(mean.at("mean_ablated_pairs"), nlohmann::json({0, 1}));
    EXPECT_NE(mean.at("loss"), json_of({"--ablate-pairs", "0-1", "--controls", "0"}).at("loss"));
    EXPECT_EQ(mean.at("loss_rise").at("sequences"), 32);
    EXPECT_NEAR(mean.at("loss_rise").at("mean"),
                mean.at("loss").get<double>() - mean.at("loss_without_ablation").get<double>(), 1e-5);
    ASSERT_LE(mean.at("controls").at("draws").size(), 2U);
    for (const auto& draw : mean.at("controls").at("draws")) {
        for (const auto& pair : draw.at("pairs")) EXPECT_GE(pair.get<int>(), 2);
    }
    EXPECT_TRUE(json_of({"--ablate-pairs", "0", "--controls", "0"}).at("controls").is_null());
    EXPECT_EQ(json_of({"--ablation-curve", "mean", "--controls", "1"}).at("ablation"), "mean");
    EXPECT_THAT(probe({"--ablate-pairs", "0-1"}).out, testing::HasSubstr("Controls: "));
    EXPECT_BAD_INPUT(probe({"--controls", "2"}), "--controls needs an ablation");
    EXPECT_BAD_INPUT(probe({"--ablate-pairs", "0", "--controls", "-1"}), "0 (none) or more");
    EXPECT_BAD_INPUT(probe({"--mean-ablate-pairs", "8"}), "mean-ablate-pairs");
}

TEST_F(ProbeVerbTest, ReportsStandardErrorsOverSequences) {
    const auto result = json_of({"--sequences", "4"});
    EXPECT_EQ(result.at("loss_by_position_error").size(), 32U);
    EXPECT_GT(result.at("loss_error").get<double>(), 0);
    EXPECT_EQ(result.at("entropy_error").at(1).size(), 2U);
    for (const auto& lag : result.at("retrieval")) {
        EXPECT_EQ(lag.at("sequences"), 4);
        EXPECT_LE(lag.at("accuracy_interval").at("low"), lag.at("accuracy"));
        EXPECT_GE(lag.at("accuracy_interval").at("high"), lag.at("accuracy"));
    }
    const auto one = json_of({"--sequences", "1"});
    EXPECT_TRUE(one.at("loss_by_position_error").empty());
    EXPECT_TRUE(one.at("loss_error").is_null());
}

TEST_F(ProbeVerbTest, EvaluatesBeyondTheContextWithEveryScaling) {
    const auto all = json_of({"--extrapolate", "2"});
    EXPECT_EQ(all.at("context"), 32);
    EXPECT_EQ(all.at("length"), 64);
    std::vector<std::string> scalings;
    for (const auto& evaluation : all.at("evaluations")) {
        scalings.push_back(evaluation.at("scaling"));
        EXPECT_EQ(evaluation.at("steps"), 0);
        EXPECT_TRUE(evaluation.at("learning_rate").is_null());
        ASSERT_EQ(evaluation.at("loss_by_position").size(), 64U);
        EXPECT_NEAR((evaluation.at("loss_inside").get<double>() + evaluation.at("loss_beyond").get<double>()) / 2,
                    evaluation.at("loss"), 1e-6);
    }
    EXPECT_EQ(scalings, (std::vector<std::string>{"none", "linear", "ntk", "dynamic", "ntk-by-parts", "yarn", "llama3",
                                                  "longrope"}));
    const auto divisors = all.at("evaluations").at(7).at("long_factors").get<std::vector<double>>();
    EXPECT_EQ(divisors.size(), 4U);
    EXPECT_TRUE(std::is_sorted(divisors.begin(), divisors.end()));
    const auto given = json_of({"--extrapolate", "2", "--scaling", "longrope", "--long-factors", "1,1,2,2"});
    EXPECT_EQ(given.at("evaluations").at(0).at("long_factors"), (nlohmann::json{1, 1, 2, 2}));

    const auto one = json_of({"--extrapolate", "2", "--scaling", "yarn"});
    ASSERT_EQ(one.at("evaluations").size(), 1U);
    EXPECT_EQ(one.at("evaluations").at(0), all.at("evaluations").at(5));
    const auto same = json_of({"--context", "64", "--scaling", "yarn", "--sequences", "32"});
    EXPECT_NEAR(same.at("loss"), one.at("evaluations").at(0).at("loss"), 1e-6);
    EXPECT_THAT(probe({"--extrapolate", "2"}).out, testing::HasSubstr("loss beyond"));
    const auto every = json_of({"--extrapolate", "2", "--scaling", "none", "--sequences", "0"});
    EXPECT_GT(every.at("evaluations").at(0).at("sequences"), 32);
    const std::string inside = probe({"--extrapolate", "1", "--scaling", "none", "--sequences", "2"}).out;
    EXPECT_THAT(inside, testing::HasSubstr("            –  "));
    EXPECT_THAT(inside, testing::Not(testing::HasSubstr("nan")));
    EXPECT_EQ(json_of({"--extrapolate", "2", "--scaling", "yarn", "--step", "20"}), one);
}

TEST_F(ProbeVerbTest, FineTunesACopyBeyondTheContext) {
    const auto bytes = [] {
        std::ifstream stream(lab() + ".checkpoints/run-1.safetensors", std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    };
    const std::string before = bytes();
    EXPECT_FALSE(before.empty());
    const std::vector<std::string> question = {"--extrapolate", "2", "--scaling", "linear", "--fine-tune", "20"};
    const auto tuned = json_of(question);
    ASSERT_EQ(tuned.at("evaluations").size(), 2U);
    const auto& first = tuned.at("evaluations").at(0);
    const auto& last = tuned.at("evaluations").at(1);
    EXPECT_EQ(first, json_of({"--extrapolate", "2", "--scaling", "linear"}).at("evaluations").at(0));
    EXPECT_EQ(last.at("steps"), 20);
    EXPECT_DOUBLE_EQ(last.at("learning_rate"), 1e-4);
    EXPECT_LT(last.at("loss_beyond"), first.at("loss_beyond"));
    EXPECT_EQ(json_of(question), tuned);
    const auto none = json_of({"--extrapolate", "2", "--scaling", "linear", "--fine-tune", "0"});
    EXPECT_EQ(none.at("evaluations").at(1).at("loss_by_position"), first.at("loss_by_position"));
    const auto faster =
        json_of({"--extrapolate", "2", "--scaling", "linear", "--fine-tune", "20", "--learning-rate", "1e-3"});
    EXPECT_LT(faster.at("evaluations").at(1).at("loss"), last.at("loss"));
    EXPECT_EQ(bytes(), before);
    EXPECT_EQ(json_of({}).at("iteration"), 20);
}

TEST_F(ProbeVerbTest, ConvertsHeadsOfACopy) {
    const std::string copy = (*folder_ / "one-head.safetensors").string();
    const auto convert = [](std::vector<std::string> more) {
        std::vector<std::string> arguments = {"convert-heads", "--lab", lab()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return ropelab_cli(arguments);
    };
    const Finished finished = convert({"--out", copy, "--json"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto result = finished.json();
    EXPECT_EQ(result.at("key_value_heads_before"), 2);
    EXPECT_EQ(result.at("key_value_heads"), 1);
    EXPECT_EQ(result.at("steps"), 1);  // 5 % of 20
    EXPECT_EQ(result.at("kv_cache_bytes_before"), 2 * result.at("kv_cache_bytes").get<int>());
    EXPECT_NEAR(result.at("pooled_rise").at("mean"),
                result.at("loss_pooled").get<double>() - result.at("loss_before").get<double>(), 1e-5);
    EXPECT_NE(result.at("loss_trained"), result.at("loss_pooled"));

    // The copy generates text with a cache of half the size, which the cache itself counts.
    const Finished sampled = ropelab_cli({"sample", "--checkpoint", copy, "--length", "5", "--json"});
    ASSERT_EQ(sampled.status, 0) << sampled.err;
    EXPECT_EQ(sampled.json().at("kv_cache_bytes_measured"), result.at("kv_cache_bytes"));
    EXPECT_EQ(sampled.json().at("kv_cache_bytes"), result.at("kv_cache_bytes"));

    const Finished table = convert({"--fraction", "0"});
    EXPECT_EQ(table.status, 0) << table.err;
    EXPECT_THAT(table.out, testing::HasSubstr("mean of each group"));
    EXPECT_THAT(table.out, testing::Not(testing::HasSubstr("trained further")));
    const Finished listed = convert({"--list", "--json"});
    ASSERT_EQ(listed.status, 0) << listed.err;
    ASSERT_EQ(listed.json().size(), 2U);
    EXPECT_EQ(listed.json().at(0).at("loss_trained"), result.at("loss_trained"));
    EXPECT_EQ(listed.json().at(0).at("run"), 1);
    EXPECT_EQ(listed.json().at(1).at("steps"), 0);
    EXPECT_THAT(convert({"--list"}).out, testing::HasSubstr("trained further"));
    const Finished refused = convert({"--key-value-heads", "2"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, testing::HasSubstr("must divide the number of heads of the run, which is 2"));
}

// A gated DeltaNet has no attention weights: its numbers are null, and the text says why.
TEST_F(ProbeVerbTest, NamesLayersWithoutAttentionWeights) {
    const std::string hybrid = (*folder_ / "hybrid.ropelab").string();
    std::vector<std::string> arguments = {"train", "--lab", hybrid};
    for (const char* setting : {"context=32", "batch=4", "iterations=4", "evaluate_every=2", "width=32",
                                "evaluation=sampled", "evaluation_batches=2", "precision=float32", "sample_length=8",
                                "threads=1", "attention_layers=deltanet + full"}) {
        arguments.insert(arguments.end(), {"--set", setting});
    }
    const Finished trained = ropelab_cli(arguments);
    ASSERT_EQ(trained.status, 0) << trained.err;
    for (const bool by_checkpoint : {false, true}) {
        std::vector<std::string> question = {"probe", "--lab", hybrid};
        if (by_checkpoint) question.insert(question.end(), {"--ablate-pairs", "0"});
        const Finished text = ropelab_cli(question);
        ASSERT_EQ(text.status, 0) << text.err;
        EXPECT_THAT(text.out, testing::HasSubstr("0  gated DeltaNet, which has no attention weights"));
        question.emplace_back("--json");
        const Finished json = ropelab_cli(question);
        ASSERT_EQ(json.status, 0) << json.err;
        EXPECT_TRUE(json.json().at("entropy").at(0).at(0).is_null());
        EXPECT_TRUE(json.json().at("entropy").at(1).at(0).is_number());
    }
}

TEST_F(ProbeVerbTest, RejectsInvalidFlags) {
    EXPECT_BAD_INPUT(probe({"--freeze-pairs", "fast9"}), "from 1 to 8, such as");
    EXPECT_BAD_INPUT(probe({"--ablation-curve", "freez"}), "did you mean freeze?");
    EXPECT_BAD_INPUT(probe({"--ablation-curve", "freeze", "--extrapolate", "2"}), "leave the others out");
    EXPECT_BAD_INPUT(probe({"--extrapolate", "2", "--context", "64"}), "leave the others out");
    EXPECT_BAD_INPUT(probe({"--extrapolate", "0"}), "1 time or more");
    EXPECT_BAD_INPUT(probe({"--extrapolate", "32769"}), "at most 32768 times");
    EXPECT_BAD_INPUT(probe({"--extrapolate", "2", "--step", "10"}), "has a checkpoint of step 20, not of step 10");
    EXPECT_BAD_INPUT(probe({"--ablation-curve", "freeze", "--step", "10"}), "not of step 10");
    EXPECT_BAD_INPUT(probe({"--fine-tune", "5"}), "--fine-tune needs --extrapolate");
    EXPECT_BAD_INPUT(probe({"--extrapolate", "2", "--fine-tune", "-1"}), "fine-tuning steps is -1");
    EXPECT_BAD_INPUT(probe({"--extrapolate", "2", "--learning-rate", "1e-3"}), "--learning-rate needs --fine-tune");
    EXPECT_BAD_INPUT(probe({"--step", "5"}),
                     "stores measurements (snapshots) of the following steps; --step without other flags prints one: "
                     "0, 1, 2, 4, 8, 10, 20");
    EXPECT_BAD_INPUT(probe({"--step", "10", "--text", "e a"}), "has a checkpoint of step 20, not of step 10");
    EXPECT_BAD_INPUT(probe({"--run", "7"}), "no run 7");
    EXPECT_BAD_INPUT(probe({"--freeze-pairs", "8"}), "freeze-pairs");
    EXPECT_BAD_INPUT(probe({"--freeze-pairs", "5-6"}),
                     "Freezing has no effect, because the model does not rotate the pairs 5, 6.");
    EXPECT_BAD_INPUT(probe({"--scaling", "jarn"}), "did you mean \"yarn\"?");
    EXPECT_BAD_INPUT(probe({"--factor", "2"}), "--scaling");
    EXPECT_BAD_INPUT(probe({"--text", "e a", "--context", "64"}), "leave out --context");
    EXPECT_BAD_INPUT(probe({"--text", "Ω!"}), "Ω");
    EXPECT_BAD_INPUT(probe({"--context", "100000000"}), "needs at least 100000001");
    EXPECT_BAD_INPUT(ropelab_cli({"probe", "--lab", "none.ropelab"}), "none.ropelab");
}

}  // namespace
}  // namespace ropelab
