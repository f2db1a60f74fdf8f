#include "core/interop/model_table.h"

#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/interop/config/hf_config.h"
#include "core/rope/frequencies.h"
#include "tests/support/expect_message.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

TEST(ModelTable, EveryModelCanBeImported) {
    std::set<std::string> names;
    for (const KnownModel& known : model_table()) {
        SCOPED_TRACE(known.name);
        EXPECT_TRUE(names.insert(known.name).second);
        const HfModel model = read_hf_config(known.config);
        EXPECT_TRUE(model.unknown_keys.empty());
        EXPECT_EQ(model.sizes.has_value(), known.name != "ModernBERT base");
        for (const HfRotary& rotary : model.rotary) {
            ASSERT_FALSE(rotary.frequencies.inverse_frequencies.empty());
            for (double frequency : rotary.frequencies.inverse_frequencies) {
                EXPECT_TRUE(std::isfinite(frequency) && frequency >= 0 && frequency <= 1);
            }
            // The pages of the window compute frequencies from the setup, for its whole context.
            const Frequencies shown = frequencies(frequency_settings(rotary.setup));
            const Frequencies whole = rotary.at(static_cast<double>(rotary.setup.context));
            ASSERT_EQ(shown.inverse_frequencies.size(), whole.inverse_frequencies.size());
            for (std::size_t i = 0; i < shown.inverse_frequencies.size(); ++i) {
                EXPECT_NEAR(shown.inverse_frequencies[i], whole.inverse_frequencies[i],
                            1e-12 * whole.inverse_frequencies[i]);
            }
        }
        for (const HfValue& value : model.values) EXPECT_NE(value.origin, HfOrigin::assumed) << value.name;
    }
    EXPECT_GE(names.size(), 40U);
}

TEST(ModelTable, AgreesWithThePapers) {
    const auto first = [](const char* name) { return read_hf_config(known_model(name).config).rotary.front(); };
    EXPECT_EQ(first("Llama 2 7B").setup.theta, 10000);
    EXPECT_EQ(first("llama-3-8b").setup.theta, 500000);
    EXPECT_EQ(first("GPT-J 6B").setup.pairing, Pairing::interleaved);
    EXPECT_EQ(first("GPT-J 6B").rotary_dim, 64);
    EXPECT_EQ(first("GPT-NeoX 20B").rotary_dim, 24);
    EXPECT_EQ(first("Phi-2").rotary_dim, 32);
    EXPECT_EQ(first("Kimi K2").setup.scaling.beta_fast, 1);
    EXPECT_FALSE(first("gpt-oss 20B").setup.scaling.truncate);
    EXPECT_NEAR(first("gpt-oss 20B").frequencies.attention_factor, 1.34657359, 1e-8);
    EXPECT_EQ(first("GLM-4 9B Chat").setup.theta, 5e6);
    EXPECT_EQ(first("Minitron 8B").setup.head_dim, 128);
    // Formula 5: Gemma 4 truncates 512 channels to 128 at theta 1e6; slice has the same frequencies at 1e6^(1/4).
    const HfRotary gemma = first("Gemma 4 31B");
    EXPECT_NEAR(coinciding_theta(gemma.setup.head_dim, gemma.rotary_dim, gemma.setup.theta), 31.6228, 1e-4);
    // Slice with 25 % of 64 channels has the frequencies of truncate at a base of 10,000^4.
    EXPECT_NEAR(coinciding_theta(64, 16, 1e16), first("Pythia 1B").setup.theta, 1e-6);
}

TEST(ModelTable, UnknownNameThrowsAndSuggestsTheMostSimilarModel) {
    EXPECT_EQ(known_model("qwen3 8b").name, "Qwen3 8B");
    EXPECT_MESSAGE(known_model("Llama 8 8B"), BadInput, "did you mean Llama");
    EXPECT_EQ(known_model("gemma-2-9b").name, "Gemma 2 9B");
    EXPECT_MESSAGE(known_model("Gemma 2 B"), BadInput, "There is no model \"Gemma 2 B\"");
}

TEST(ModelTable, ThrowsForInvalidTables) {
    EXPECT_MESSAGE(read_model_table("{}"), BadInput, "must be a JSON list");
    EXPECT_MESSAGE(read_model_table("[1]"), BadInput, "must be an object");
    EXPECT_MESSAGE(read_model_table(R"([{"name": "A"}])"), BadInput, "A has no family");
    EXPECT_MESSAGE(read_model_table(R"([{"name": "A", "family": "F", "source": "S"}])"), BadInput, "A has no config");
    EXPECT_MESSAGE(read_model_table(R"([{"name": "A", "family": "F", "source": "S", "config": {}},
                                        {"name": "a", "family": "F", "source": "S", "config": {}}])"),
                   BadInput, "two models named a");
    const auto with_count = [](const std::string& count) {
        return R"([{"name": "A", "family": "F", "source": "S", "config": {}, "published_parameters": )" + count + "}]";
    };
    EXPECT_MESSAGE(read_model_table(with_count("\"7B\"")), BadInput, "must be a positive whole number");
    EXPECT_MESSAGE(read_model_table(with_count("7")), BadInput, "A has no published_in");
}

}  // namespace
}  // namespace ropelab
