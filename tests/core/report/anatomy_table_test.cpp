#include "core/report/anatomy_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/contract/anatomy_times.h"
#include "core/interop/config/hf_anatomy.h"
#include "core/interop/model_table.h"
#include "core/plan/layout.h"

namespace ropelab {
namespace {

using ::testing::HasSubstr;

TEST(AnatomyTable, EveryFormatHasTheStagesAndTheTotal) {
    const AnatomyModel model = model_of_text("layers=3 block=llama", 65);
    const std::string total = grouped(layout_of(*model.spec, 65).total);
    for (const char* word : {"text", "latex", "markdown"}) {
        const std::string table = anatomy_table(model, anatomy_format(word));
        EXPECT_THAT(table, HasSubstr("Attention scores")) << word;
        EXPECT_THAT(table, HasSubstr("SwiGLU")) << word;
        EXPECT_THAT(table, HasSubstr(total)) << word;
    }
    const std::string csv = anatomy_table(model, AnatomyFormat::csv);
    EXPECT_THAT(csv, HasSubstr("Total,,," + std::to_string(layout_of(*model.spec, 65).total)));
    std::size_t stages = 0;
    for (const AnatomySection& section : model.anatomy.sections) stages += section.stages.size();
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), static_cast<std::ptrdiff_t>(stages + 2));
    EXPECT_THROW(anatomy_format("html"), BadInput);
}

TEST(AnatomyTable, ActiveParametersAndStatesAreListed) {
    const AnatomyModel model = model_of_text("layers=4 experts=4 attention_layers=deltanet+full", 65);
    const AnatomyTotals totals = model.anatomy.totals();
    const std::string both = known_parameters(totals.parameters, totals.active_parameters);
    EXPECT_EQ(both, grouped(totals.parameters.value()) + " (" + grouped(totals.active_parameters.value()) + " active)");
    const std::string table = anatomy_table(model, AnatomyFormat::text);
    EXPECT_THAT(table, HasSubstr(both));
    EXPECT_THAT(table, HasSubstr("Layers 0, 2: gated DeltaNet, experts × 2"));
    EXPECT_THAT(table, HasSubstr("states of the gated DeltaNets have " + grouped(totals.state_bytes)));
    const nlohmann::json json = anatomy_json(model).at("totals");
    EXPECT_EQ(json.at("active_parameters"), totals.active_parameters.value());
    EXPECT_EQ(json.at("state_bytes"), totals.state_bytes);
    EXPECT_EQ(known_parameters(1240, 1240), "1,240");
}

TEST(AnatomyTable, MeasuredTimesAreALastColumn) {
    AnatomyModel model = model_of_text("layers=2", 65);
    StageTimes times;
    times.stages = {{{"embedding", -1}, 0.0015, {}}, {{"attention.sum", 0}, 0, StagePlace{"mlp_norm", 0}}};
    times.whole = 0.002;
    times.sequences = 8;
    times.length = 128;
    times.passes = 5;
    times.precision = "float32";
    times.device = "cpu";
    const std::string before = anatomy_table(model, AnatomyFormat::csv);
    add_times(model.anatomy, times);
    for (const char* word : {"text", "latex", "markdown"}) {
        const std::string table = anatomy_table(model, anatomy_format(word));
        EXPECT_THAT(table, HasSubstr("ms per pass")) << word;
        EXPECT_THAT(table, HasSubstr("1.500")) << word;
        EXPECT_THAT(table, HasSubstr("in Norm before MLP")) << word;
        EXPECT_THAT(table, HasSubstr("A whole forward pass takes 2.000 ms")) << word;
    }
    const std::string csv = anatomy_table(model, AnatomyFormat::csv);
    EXPECT_THAT(before, HasSubstr("state_bytes,formula\n"));
    EXPECT_THAT(csv, HasSubstr("formula,seconds_per_pass,time_within\n"));
    EXPECT_THAT(csv, HasSubstr(",0.0015,\n"));
    EXPECT_THAT(csv, HasSubstr(",,Norm before MLP\n"));
    const nlohmann::json json = anatomy_json(model).at("times");
    EXPECT_EQ(json.at("seconds_of_stages"), 0.0015);
    EXPECT_TRUE(json.at("stages").at(0).at("layer").is_null());
    EXPECT_EQ(json.at("stages").at(1).at("within").at("id"), "mlp_norm");
}

TEST(AnatomyTable, JsonHasNullForUnknownNumbers) {
    nlohmann::json config = known_model("DeepSeek-V3").config;
    config["vocab_size"] = nullptr;
    AnatomyModel model;
    model.anatomy = hf_anatomy(config);
    const nlohmann::json result = anatomy_json(model);
    EXPECT_TRUE(result.at("totals").at("parameters").is_null());
    EXPECT_EQ(result.at("totals").at("cache_bytes_per_token"), 61 * 2 * (512 + 64));
    EXPECT_FALSE(result.at("remarks").empty());
}

TEST(AnatomyTable, SettingsAreTextThatGivesTheSameModel) {
    RunSpec spec;
    spec.block = Block::llama;
    spec.layers = 5;
    spec.key_value_heads = 1;
    spec.bias = true;
    spec.pairs = "0+2";
    const AnatomyModel again = model_of_text(anatomy_settings(spec), 65);
    EXPECT_EQ(anatomy_json(again).at("sections"), anatomy_json(model_of_settings(spec, 65)).at("sections"));
    EXPECT_EQ(anatomy_settings(RunSpec{}), "");
    EXPECT_THROW(model_of_text("four layers"), BadInput);
    EXPECT_THROW(model_of_text("layers=2 layers=3"), BadInput);
    EXPECT_THROW(model_of_text("layers=x"), BadInput);
}

TEST(AnatomyTable, GroupsDigitsOfKnownNumbers) {
    EXPECT_EQ(known_number(1000), "1,000");
    EXPECT_EQ(known_number(std::nullopt), "unknown");
}

}  // namespace
}  // namespace ropelab
