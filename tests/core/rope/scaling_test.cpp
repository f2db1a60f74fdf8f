#include "core/rope/scaling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/rope/frequencies.h"
#include "tests/support/expect_message.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

const std::vector<double>& plain() {
    static const std::vector<double> frequencies = slice_frequencies(128, 1e4);
    return frequencies;
}

std::vector<double> with(const Scaling& scaling, double context = 4096, double length = 0) {
    return scaled(plain(), 128, 1e4, scaling, context, length).inverse_frequencies;
}

double attention_factor(const Scaling& scaling, double context = 4096) {
    return scaled(plain(), 128, 1e4, scaling, context).attention_factor;
}

TEST(Scaling, ParsingTheWordOfAMethodReturnsTheMethod) {
    int index = 0;
    for (const ScalingName& name : scaling_names()) {
        EXPECT_EQ(static_cast<int>(name.method), index++);
        EXPECT_EQ(parse_scaling(name.word), name.method);
        EXPECT_EQ(word_of(name.method), name.word);
    }
    EXPECT_MESSAGE(parse_scaling("yarm"), BadInput, "did you mean \"yarn\"?");
}

TEST(Scaling, NoneDoesNotChangeFrequencies) {
    EXPECT_EQ(with({}), plain());
    EXPECT_EQ(attention_factor({}), 1.0);
}

TEST(Scaling, LinearMultipliesEveryWavelengthByTheFactor) {  // formula 18
    const auto changed = with({.method = ScalingMethod::linear, .factor = 4});
    for (std::size_t i = 0; i < 64; ++i) EXPECT_DOUBLE_EQ(changed[i], plain()[i] / 4);
}

TEST(Scaling, NtkKeepsTheHighestFrequencyAndDividesTheLowestByTheFactor) {  // formula 19
    const auto changed = with({.method = ScalingMethod::ntk, .factor = 4});
    EXPECT_EQ(changed[0], plain()[0]);
    EXPECT_DOUBLE_EQ(changed[63], plain()[63] / 4);
    // With the new base b′, the frequency of pair 1 is b′^(−2/d).
    EXPECT_NEAR(std::pow(changed[1], -64), 40890, 1);
}

TEST(Scaling, NtkDoesNotChangeASinglePair) {
    const std::vector<double> one = {1.0};
    EXPECT_EQ(scaled(one, 2, 1e4, {.method = ScalingMethod::ntk, .factor = 4}, 256).inverse_frequencies, one);
}

TEST(Scaling, DynamicNtkChangesFrequenciesOnlyBeyondTheTrainingContext) {  // formula 20
    const Scaling dynamic{.method = ScalingMethod::dynamic, .factor = 4, .original_context = 1024};
    EXPECT_EQ(with(dynamic, 4096, 1000), plain());
    EXPECT_EQ(with(dynamic, 4096, 1024), plain());
    // At l = 4096, s·l/L − (s − 1) is 13. Without a length, the context is used.
    const auto changed = with(dynamic, 4096);
    EXPECT_EQ(changed, with(dynamic, 4096, 4096));
    const auto ntk = with({.method = ScalingMethod::ntk, .factor = 13});
    for (std::size_t i = 0; i < 64; ++i) EXPECT_DOUBLE_EQ(changed[i], ntk[i]);
}

TEST(Scaling, NtkByPartsDependsOnThePeriodsInTheContext) {  // formula 21
    const auto changed = with({.method = ScalingMethod::ntk_by_parts, .factor = 8});
    int between = 0;
    for (std::size_t i = 0; i < 64; ++i) {
        const double periods = 4096 * plain()[i] / (2 * std::numbers::pi);
        const double weight = periods < 1 ? 0 : periods > 32 ? 1 : (periods - 1) / 31;
        between += weight > 0 && weight < 1;
        EXPECT_NEAR(changed[i], (1 - weight) * plain()[i] / 8 + weight * plain()[i], 1e-15);
    }
    EXPECT_GT(between, 10);
    EXPECT_EQ(attention_factor({.method = ScalingMethod::ntk_by_parts, .factor = 8}), 1.0);
}

TEST(Scaling, YarnRampMatchesTheReferenceValues) {  // formula 22
    const Ramp llama = yarn_ramp(128, 1e4, 4096, {.method = ScalingMethod::yarn});
    EXPECT_EQ(llama.low, 20);
    EXPECT_EQ(llama.high, 46);
    const Ramp small = yarn_ramp(64, 1e4, 1024, {.method = ScalingMethod::yarn, .original_context = 256});
    EXPECT_EQ(small.low, 0);
    EXPECT_EQ(small.high, 13);
    const Ramp exact = yarn_ramp(128, 1e4, 4096, {.method = ScalingMethod::yarn, .truncate = false});
    EXPECT_NEAR(exact.low, 20.9, 0.1);
    EXPECT_NEAR(exact.high, 45.0, 0.1);
}

TEST(Scaling, YarnKeepsHighFrequenciesAndDividesLowOnes) {
    const auto changed = with({.method = ScalingMethod::yarn, .factor = 16});
    for (std::size_t i = 0; i <= 20; ++i) EXPECT_EQ(changed[i], plain()[i]);
    for (std::size_t i = 46; i < 64; ++i) EXPECT_DOUBLE_EQ(changed[i], plain()[i] / 16);
    EXPECT_DOUBLE_EQ(changed[33], plain()[33] * (0.5 + 0.5 / 16));  // the middle of the ramp
}

// Reference values: formula 22 in Python. The ramp from pair 15 to 34 ends beyond the last pair, 31, which therefore
// keeps a part of its frequency; the ramp is not clipped to the number of pairs.
TEST(Scaling, YarnRampEndsBeyondTheLastPairOfASmallBase) {
    const Scaling yarn{.method = ScalingMethod::yarn, .factor = 8};
    const Ramp ramp = yarn_ramp(64, 500, 4096, yarn);
    EXPECT_EQ(ramp.low, 15);
    EXPECT_EQ(ramp.high, 34);
    const std::vector<double> expected = {
        1.0000000000000, 0.8234878339387, 0.6781322126450, 0.5584336269150, 0.4598632978268, 0.3786918310353,
        0.3118481156695, 0.2568031292905, 0.2114742526881, 0.1741464742799, 0.1434075028928, 0.1180943339278,
        0.0972492472466, 0.0800835719673, 0.0659478472134, 0.0543072498547, 0.0426618232549, 0.0334354893415,
        0.0261370807897, 0.0203734537220, 0.0158301861227, 0.0122560361104, 0.0094504341165, 0.0072534221549,
        0.0055375660001, 0.0042014572463, 0.0031644959699, 0.0023627043648, 0.0017453699452, 0.0012723558925,
        0.0009119476130, 0.0006391300123};
    const auto changed = scaled(slice_frequencies(64, 500), 64, 500, yarn, 4096).inverse_frequencies;
    ASSERT_EQ(changed.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(changed[i], expected[i], 1e-13) << "pair " << i;
    }
}

// Hugging Face transformers clips the ramp to the number of channels: its end would be 66 here, and is 63.
TEST(Scaling, YarnRampIsClippedToTheChannels) {
    const Scaling yarn{.method = ScalingMethod::yarn, .factor = 8, .beta_slow = 0.05};
    const Ramp ramp = yarn_ramp(64, 100, 4096, yarn);
    EXPECT_EQ(ramp.low, 20);
    EXPECT_EQ(ramp.high, 63);
    const auto changed = scaled(slice_frequencies(64, 100), 64, 100, yarn, 4096).inverse_frequencies;
    EXPECT_NEAR(changed[20], 0.05623413251903, 1e-13);
    EXPECT_NEAR(changed[21], 0.047705830227, 1e-13);
    EXPECT_NEAR(changed[31], 0.00896298807884, 1e-13);
}

TEST(Scaling, YarnAttentionFactorsMatchTheReferenceValues) {
    for (const auto& [factor, expected] :
         {std::pair{2.0, 1.0693}, {4.0, 1.1386}, {8.0, 1.2079}, {16.0, 1.2773}, {32.0, 1.3466}}) {
        EXPECT_NEAR(attention_factor({.method = ScalingMethod::yarn, .factor = factor}), expected, 5e-5);
    }
    // DeepSeek-V2 sets mscale and mscale_all_dim. Hugging Face transformers ignores one of them alone.
    const double log40 = std::log(40.0);
    EXPECT_NEAR(attention_factor({.method = ScalingMethod::yarn, .factor = 40, .mscale = 0.707, .mscale_all_dim = 1.0}),
                (0.0707 * log40 + 1) / (0.1 * log40 + 1), 1e-12);
    EXPECT_NEAR(attention_factor({.method = ScalingMethod::yarn, .factor = 40, .mscale = 0.707}), 0.1 * log40 + 1,
                1e-12);
    EXPECT_NEAR(attention_factor({.method = ScalingMethod::yarn, .factor = 40, .mscale_all_dim = 0.707}),
                0.1 * log40 + 1, 1e-12);
}

TEST(Scaling, AttentionFactorSettingReplacesTheComputedOne) {
    for (ScalingMethod method : {ScalingMethod::yarn, ScalingMethod::ntk_by_parts}) {
        EXPECT_EQ(attention_factor({.method = method, .factor = 4, .attention_factor = 1.5}), 1.5);
    }
    EXPECT_EQ(attention_factor({.method = ScalingMethod::linear, .factor = 4, .attention_factor = 1.5}), 1.0);
}

TEST(Scaling, Llama3KeepsHighFrequenciesAndDividesLowOnes) {  // formula 23
    const auto changed = with({.method = ScalingMethod::llama3, .factor = 8});
    for (std::size_t i = 0; i < 64; ++i) {
        const double wavelength = 2 * std::numbers::pi / plain()[i];
        if (wavelength < 4096.0 / 4) {
            EXPECT_EQ(changed[i], plain()[i]);
        } else if (wavelength > 4096.0) {
            EXPECT_DOUBLE_EQ(changed[i], plain()[i] / 8);
        } else {
            const double smooth = (4096 / wavelength - 1) / 3;
            EXPECT_NEAR(changed[i], (1 - smooth) * plain()[i] / 8 + smooth * plain()[i], 1e-15);
        }
    }
}

TEST(Scaling, Llama3WithEqualFactorsIsAStep) {  // Llama 4 Scout
    const auto changed =
        with({.method = ScalingMethod::llama3, .factor = 16, .low_freq_factor = 1, .high_freq_factor = 1});
    for (std::size_t i = 0; i < 64; ++i) {
        const double wavelength = 2 * std::numbers::pi / plain()[i];
        EXPECT_DOUBLE_EQ(changed[i], wavelength > 4096 ? plain()[i] / 16 : plain()[i]);
    }
}

TEST(Scaling, LongRopeUsesTheLongListBeyondTheTrainingContext) {  // formula 24
    Scaling scaling{.method = ScalingMethod::longrope, .factor = 4, .original_context = 1024};
    scaling.short_factors.assign(64, 2.0);
    scaling.long_factors.assign(64, 5.0);
    EXPECT_DOUBLE_EQ(with(scaling, 4096, 1024)[10], plain()[10] / 2);
    EXPECT_DOUBLE_EQ(with(scaling, 4096, 1025)[10], plain()[10] / 5);
    EXPECT_DOUBLE_EQ(with(scaling, 4096)[10], plain()[10] / 5);
    EXPECT_NEAR(attention_factor(scaling), std::sqrt(1 + std::log(4) / std::log(1024)), 1e-12);
    scaling.factor = 1;
    EXPECT_EQ(attention_factor(scaling), 1.0);
}

TEST(Scaling, LongRopeHasOneFactorPerPairThatRotates) {  // formula 24
    Scaling scaling{.method = ScalingMethod::longrope, .factor = 4, .original_context = 1024};
    scaling.short_factors = {1, 1};
    scaling.long_factors = {2, 4};
    const Frequencies changed =
        frequencies({.head_dim = 6, .scaling = scaling, .context = 1024, .length = 4096, .listed = {1, 0, 0.01}});
    EXPECT_EQ(changed.inverse_frequencies, (std::vector<double>{0.5, 0, 0.0025}));
}

TEST(Scaling, FrozenPairsKeepFrequencyZero) {
    Scaling scaling{.factor = 4};
    scaling.short_factors.assign(8, 2.0);
    scaling.long_factors.assign(8, 2.0);
    for (const ScalingName& name : scaling_names()) {
        scaling.method = name.method;
        const Frequencies changed = frequencies({.head_dim = 64,
                                                 .fraction = 0.25,
                                                 .partial = Partial::truncate,
                                                 .scaling = scaling,
                                                 .context = 1024,
                                                 .length = 4096});
        ASSERT_EQ(changed.inverse_frequencies.size(), 32U);
        for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(changed.inverse_frequencies[i] > 0, i < 8) << name.word;
    }
}

TEST(Scaling, TruncateUsesTheHeadDimensionInTheFormulas) {
    const Scaling yarn{.method = ScalingMethod::yarn, .factor = 4, .original_context = 256};
    const Frequencies whole = frequencies({.head_dim = 64, .scaling = yarn, .context = 1024});
    const Frequencies part =
        frequencies({.head_dim = 64, .fraction = 0.5, .partial = Partial::truncate, .scaling = yarn, .context = 1024});
    for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(part.inverse_frequencies[i], whole.inverse_frequencies[i]);
    EXPECT_EQ(part.attention_factor, whole.attention_factor);
}

TEST(Scaling, ScalingWithoutPairsReturnsNoFrequencies) {
    const Frequencies none = frequencies({.fraction = 0, .scaling = {.method = ScalingMethod::yarn, .factor = 4}});
    EXPECT_EQ(none.rotary_dim, 0);
    EXPECT_EQ(none.attention_factor, 1.0);
}

TEST(Scaling, FactorOneDoesNotChangeFrequencies) {
    for (ScalingMethod method : {ScalingMethod::linear, ScalingMethod::ntk, ScalingMethod::dynamic,
                                 ScalingMethod::ntk_by_parts, ScalingMethod::yarn, ScalingMethod::llama3}) {
        const auto changed = with({.method = method});
        for (std::size_t i = 0; i < 64; ++i) EXPECT_DOUBLE_EQ(changed[i], plain()[i]) << word_of(method);
        EXPECT_EQ(attention_factor({.method = method}), 1.0);
    }
}

TEST(Scaling, ThrowsForInvalidParameters) {
    using enum ScalingMethod;
    EXPECT_MESSAGE(with({.method = linear, .factor = 0.5}), BadInput, "0.5");
    EXPECT_MESSAGE(with({.method = ntk, .factor = std::nan("")}), BadInput, "1 or more");
    EXPECT_MESSAGE(with({.method = yarn, .factor = 2}, 0), BadInput, "yarn needs a training context");
    EXPECT_MESSAGE(with({.method = dynamic, .factor = 2, .original_context = -4}), BadInput, "-4");
    EXPECT_MESSAGE(with({.method = dynamic, .factor = 2}, 4096, -1), BadInput, "current sequence length is -1");
    EXPECT_MESSAGE(with({.method = yarn, .factor = 2, .beta_fast = 0}), BadInput, "beta_fast is 0");
    EXPECT_MESSAGE(with({.method = ntk_by_parts, .factor = 2, .beta_slow = 40}), BadInput, "below beta_slow (40)");
    EXPECT_MESSAGE(with({.method = llama3, .factor = 2, .low_freq_factor = 5}), BadInput, "below low_freq_factor (5)");
    EXPECT_MESSAGE(with({.method = yarn, .factor = 2, .attention_factor = 0}), BadInput, "attention factor is 0");
    EXPECT_MESSAGE(with({.method = yarn, .factor = 2, .mscale = -1}), BadInput, "mscale is -1");
    Scaling lists{.method = longrope, .factor = 2};
    lists.short_factors.assign(3, 1.0);
    EXPECT_MESSAGE(with(lists), BadInput, "short_factors has 3 numbers");
    lists.short_factors.assign(64, 1.0);
    lists.long_factors.assign(64, 0.0);
    EXPECT_MESSAGE(with(lists), BadInput, "long_factors is 0");
    lists.long_factors.assign(64, 1.0);
    EXPECT_MESSAGE(with(lists, 1), BadInput, "more than 1 token");
}

/// Parameters from the config.json of one record.
struct Record {
    Scaling scaling;
    double theta = 0;
    double context = 0;
    bool proportional = false;
};

Record read_record(const nlohmann::json& entry) {
    const nlohmann::json& config = entry.at("config");
    Record record;
    const char* theta = entry.at("layer_type") == "sliding_attention" ? "rope_local_base_freq" : "rope_theta";
    record.theta = config.value(theta, config.value("rotary_emb_base", 0.0));
    record.context = config.at("max_position_embeddings");
    record.proportional = entry.at("rope_type") == "proportional";
    if (record.proportional) {
        record.theta = config.at("rope_parameters").at("full_attention").at("rope_theta");
        return record;
    }
    if (entry.at("rope_type") == "default") return record;
    const nlohmann::json& rope = config.at("rope_scaling");
    Scaling& scaling = record.scaling;
    scaling.method = parse_scaling(entry.at("rope_type").get<std::string>());
    scaling.original_context =
        rope.value("original_max_position_embeddings", config.value("original_max_position_embeddings", 0.0));
    scaling.factor = rope.value("factor", record.context / scaling.original_context);
    scaling.truncate = rope.value("truncate", true);
    scaling.low_freq_factor = rope.value("low_freq_factor", scaling.low_freq_factor);
    scaling.high_freq_factor = rope.value("high_freq_factor", scaling.high_freq_factor);
    if (rope.contains("mscale")) scaling.mscale = rope.at("mscale").get<double>();
    if (rope.contains("mscale_all_dim")) scaling.mscale_all_dim = rope.at("mscale_all_dim").get<double>();
    scaling.short_factors = rope.value("short_factor", std::vector<double>{});
    scaling.long_factors = rope.value("long_factor", std::vector<double>{});
    return record;
}

TEST(Scaling, AgreesWithHuggingFaceTransformers) {
    SKIP_WITHOUT_SHARED_DATA("oracles/hf_inverse_frequencies.json");
    const auto records = read_json_file(shared_data("oracles/hf_inverse_frequencies.json")).at("records");
    int compared = 0;
    for (const auto& entry : records) {
        SCOPED_TRACE(entry.at("name").get<std::string>() + ", length " + entry.at("seq_len").dump());
        const Record record = read_record(entry);
        const auto expected = entry.at("inv_freq").get<std::vector<double>>();
        const int dimension = 2 * entry.at("n_freq").get<int>();
        std::vector<double> before = slice_frequencies(dimension, record.theta);
        // With the rope type proportional, these records rotate a quarter of the pairs.
        if (record.proportional) std::fill(before.begin() + dimension / 8, before.end(), 0.0);
        // A new model in transformers has frequencies for the training context.
        const double training_context =
            record.scaling.original_context > 0 ? record.scaling.original_context : record.context;
        const double length = entry.at("seq_len").is_null() ? training_context : entry.at("seq_len").get<double>();

        const Scaled result = scaled(before, dimension, record.theta, record.scaling, record.context, length);
        ASSERT_EQ(result.inverse_frequencies.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_LE(std::abs(result.inverse_frequencies[i] - expected[i]), 1e-6 * expected[i]) << "pair " << i;
        }
        EXPECT_NEAR(result.attention_factor, entry.at("attention_scaling").get<double>(), 1e-6);
        ++compared;
    }
    EXPECT_EQ(compared, 60);
}

TEST(YarnRamp, WeightRisesFrom0To1) {
    EXPECT_EQ(yarn_ramp_weight(3, {4, 12}), 0);
    EXPECT_EQ(yarn_ramp_weight(4, {4, 12}), 0);
    EXPECT_EQ(yarn_ramp_weight(6, {4, 12}), 0.25);
    EXPECT_EQ(yarn_ramp_weight(12, {4, 12}), 1);
    EXPECT_EQ(yarn_ramp_weight(30, {4, 12}), 1);
    EXPECT_EQ(yarn_ramp_weight(5, {5, 5}), 0);
    EXPECT_EQ(yarn_ramp_weight(6, {5, 5}), 1);
}

}  // namespace
}  // namespace ropelab
