#include "core/interop/hf_config.h"

#include <gtest/gtest.h>

#include "core/spec/error.h"
#include "tests/support/expect_message.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

TEST(HuggingFaceConfig, AgreesWithTransformersOnDefaultAndLinearTypes) {
    SKIP_WITHOUT_SHARED_DATA("oracles/hf_inverse_frequencies.json");
    const auto reference = read_json_file(shared_data("oracles/hf_inverse_frequencies.json"));
    int records = 0;
    for (const auto& record : reference.at("records")) {
        if (record.at("rope_type") != "default" && record.at("rope_type") != "linear") continue;
        const std::string layer_type =
            record.at("layer_type").is_null() ? "" : record.at("layer_type").get<std::string>();
        const Frequencies ours = hf_frequencies(record.at("config"), layer_type);
        const auto theirs = record.at("inv_freq").get<std::vector<double>>();
        SCOPED_TRACE(record.at("name").get<std::string>());
        ASSERT_EQ(ours.inverse_frequencies.size(), theirs.size());
        for (std::size_t i = 0; i < theirs.size(); ++i) {
            EXPECT_NEAR(ours.inverse_frequencies[i], theirs[i], 1e-6 * std::max(theirs[i], 1e-3));
        }
        EXPECT_DOUBLE_EQ(ours.attention_factor, record.at("attention_scaling").get<double>());
        ++records;
    }
    EXPECT_GE(records, 20);
}

TEST(HuggingFaceConfig, TheFractionHasManyNames) {
    const nlohmann::json base = {{"hidden_size", 64}, {"num_attention_heads", 1}};
    for (const char* name : {"partial_rotary_factor", "rotary_pct", "rotary_percentage", "rope_percent"}) {
        auto config = base;
        config[name] = 0.25;
        EXPECT_EQ(hf_frequencies(config).rotary_dim, 16) << name;
    }
    auto counted = base;
    counted["rotary_dim"] = 20;
    EXPECT_EQ(hf_frequencies(counted).rotary_dim, 20);
    auto version5 = base;
    version5["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 500.0}, {"partial_rotary_factor", 0.5}};
    EXPECT_EQ(hf_frequencies(version5).rotary_dim, 32);
    EXPECT_NEAR(hf_frequencies(version5).inverse_frequencies[1], std::pow(500.0, -2.0 / 32), 1e-12);
    EXPECT_EQ(hf_frequencies({{"head_dim", 128}, {"hidden_size", 64}, {"num_attention_heads", 1}}).rotary_dim, 128);
}

TEST(HuggingFaceConfig, RefusesWhatItDoesNotKnow) {
    EXPECT_MESSAGE(hf_frequencies({{"hidden_size", 64}}), BadInput, "num_attention_heads");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", 64}, {"rope_scaling", {{"type", "spiral"}, {"factor", 2}}}}), BadInput,
                   "spiral");
    EXPECT_MESSAGE(hf_frequencies({{"head_dim", 64}, {"rope_theta", "big"}}), BadInput, "rope_theta");
    EXPECT_MESSAGE(hf_frequencies(nlohmann::json::array()), BadInput, "JSON object");
}

}  // namespace
}  // namespace ropelab
