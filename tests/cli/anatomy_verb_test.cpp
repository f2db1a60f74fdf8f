// Tests of the command anatomy and of its figure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/spec/layout.h"
#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

using ::testing::HasSubstr;

TEST(AnatomyVerb, ListsTheStagesOfSettings) {
    const Finished finished =
        ropelab_cli({"anatomy", "--set", "layers=3", "--set", "block=llama", "--vocabulary", "65"});
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(finished.out, HasSubstr("Layer × 3"));
    EXPECT_THAT(finished.out, HasSubstr("Activation: SwiGLU"));
    const Finished json =
        ropelab_cli({"anatomy", "--set", "layers=3", "--set", "block=llama", "--vocabulary", "65", "--json"});
    RunSpec spec;
    spec.layers = 3;
    spec.block = Block::llama;
    EXPECT_EQ(json.json().at("totals").at("parameters"), layout_of(spec, 65).total);
}

TEST(AnatomyVerb, ListsKnownModelsAndConfigs) {
    const auto known = ropelab_cli({"anatomy", "--model", "llama 3 8b", "--json"}).json();
    EXPECT_EQ(known.at("name"), "Llama 3 8B");
    EXPECT_TRUE(known.at("totals").at("parameters").is_null());
    const ScratchFolder folder;
    const std::string file = folder.write("config.json", R"({"model_type": "llama", "hidden_size": 64,
        "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 10,
        "max_position_embeddings": 32})");
    const auto config = ropelab_cli({"anatomy", "--hf-config", file, "--json"}).json();
    EXPECT_EQ(config.at("totals").at("parameters"), 2 * 640 + 64 + 2 * (4 * 64 * 64 + 3 * 64 * 96 + 2 * 64));
    const auto of_folder = ropelab_cli({"anatomy", "--hf-config", folder.path().string(), "--json"}).json();
    EXPECT_EQ(of_folder.at("totals"), config.at("totals"));
}

TEST(AnatomyVerb, PrintsOtherFormatsAndKinds) {
    EXPECT_THAT(ropelab_cli({"anatomy", "--format", "csv"}).out, HasSubstr("section,layers,stage"));
    EXPECT_THAT(ropelab_cli({"anatomy", "--format", "latex"}).out, HasSubstr("\\begin{tabular}"));
    EXPECT_THAT(ropelab_cli({"anatomy", "--format", "markdown"}).out, HasSubstr("| Total |"));
    EXPECT_THAT(ropelab_cli({"anatomy", "--kind", "modern"}).out, HasSubstr("RMSNorm"));
    EXPECT_THAT(ropelab_cli({"anatomy", "--kind", "traditional"}).out, HasSubstr("Position embedding: learned"));
}

TEST(AnatomyVerb, RefusesBadInput) {
    EXPECT_BAD_INPUT(ropelab_cli({"anatomy", "--format", "html"}), "is not a format of the table");
    EXPECT_BAD_INPUT(ropelab_cli({"anatomy", "--kind", "old"}), "traditional or modern");
    EXPECT_BAD_INPUT(ropelab_cli({"anatomy", "--model", "Llama 3 8B", "--set", "layers=2"}), "give one of them");
    EXPECT_BAD_INPUT(ropelab_cli({"anatomy", "--model", "Llama 3 8B", "--vocabulary", "5"}), "leave them out");
    EXPECT_BAD_INPUT(ropelab_cli({"anatomy", "--run", "1"}), "add --lab FILE");
}

TEST(AnatomyVerb, FigureIsVerified) {
    const ScratchFolder folder;
    const std::string file = folder / "anatomy.svg";
    const Finished made = ropelab_cli({"figure", "anatomy", "--settings", "layers=3 block=llama", "--output", file}, "",
                                      "QT_QPA_PLATFORM=offscreen");
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(ropelab_cli({"verify", file}, "", "QT_QPA_PLATFORM=offscreen").status, 0);
    const std::string pair = folder / "pair.pdf";
    EXPECT_EQ(ropelab_cli({"figure", "traditional-modern", "--output", pair}, "", "QT_QPA_PLATFORM=offscreen").status,
              0);
    EXPECT_BAD_INPUT(ropelab_cli({"figure", "spectrum", "--settings", "layers=3", "--output", pair}, "",
                                 "QT_QPA_PLATFORM=offscreen"),
                     "apply to the figures anatomy");
}

}  // namespace
}  // namespace ropelab
