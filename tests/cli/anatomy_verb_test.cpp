// Tests of the command anatomy and of its figure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/layout.h"
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
    EXPECT_EQ(known.at("totals").at("parameters"), 8030261248);
    const auto listed = ropelab_cli({"anatomy", "--list", "--json"}).json().at("models");
    const auto llama =
        std::find_if(listed.begin(), listed.end(), [](const auto& model) { return model.at("name") == "Llama 3 8B"; });
    ASSERT_NE(llama, listed.end());
    EXPECT_EQ(llama->at("parameters"), 8030261248);
    EXPECT_EQ(llama->at("theta"), 500000);
    EXPECT_THAT(ropelab_cli({"anatomy", "--list"}).out, HasSubstr("Llama 3 8B"));
    const auto experts = ropelab_cli({"anatomy", "--model", "mixtral 8x7b", "--json"}).json();
    EXPECT_EQ(experts.at("totals").at("active_parameters"), 12879925248);
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

TEST(AnatomyVerb, MeasuresTheTimesOfTheStages) {
    const std::vector<std::string> model = {"anatomy", "--set",        "layers=2", "--set",      "width=32",
                                            "--set",   "heads=2",      "--set",    "context=16", "--set",
                                            "batch=2", "--vocabulary", "65",       "--measure"};
    const Finished table = ropelab_cli(model);
    EXPECT_EQ(table.status, 0) << table.err;
    EXPECT_THAT(table.out, HasSubstr("ms per pass"));
    EXPECT_THAT(table.out, HasSubstr("5 forward passes of 2 × 16 tokens"));
    std::vector<std::string> arguments = model;
    arguments.emplace_back("--json");
    const auto json = ropelab_cli(arguments).json();
    EXPECT_GT(json.at("times").at("seconds_of_whole_pass").get<double>(), 0);
    EXPECT_GT(json.at("times").at("seconds_of_stages").get<double>(), 0);
    for (const auto& section : json.at("sections")) {
        for (const auto& stage : section.at("stages")) {
            EXPECT_NE(stage.at("seconds_per_pass").is_null(), stage.at("time_within").empty()) << stage.at("id");
        }
    }
    EXPECT_FALSE(ropelab_cli({"anatomy", "--json"}).json().contains("times"));
    EXPECT_BAD_INPUT(ropelab_cli({"anatomy", "--model", "Llama 3 8B", "--measure"}),
                     "leave out --measure for a published");
}

TEST(AnatomyVerb, ActivationOfARunIsAFigure) {
    const ScratchFolder folder;
    const std::string lab = folder / "a.ropelab";
    std::vector<std::string> arguments = {"train", "--lab", lab};
    for (const char* setting : {"context=32", "batch=4", "iterations=4", "evaluate_every=4", "width=32",
                                "evaluation=sampled", "evaluation_batches=1", "precision=float32", "sample_length=0"}) {
        arguments.insert(arguments.end(), {"--set", setting});
    }
    const Finished trained = ropelab_cli(arguments);
    ASSERT_EQ(trained.status, 0) << trained.err;
    const auto figure = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = {"figure", "anatomy-activation", "--output", folder / "activation.svg"};
        all.insert(all.end(), more.begin(), more.end());
        return ropelab_cli(all, "", "QT_QPA_PLATFORM=offscreen");
    };
    for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                                 {"--stage", "attention.weights/1/0", "--text", "the melo"},
                                                 {"--stage", "attention.weights", "--layer", "1", "--head", "0"},
                                                 {"--stage", "head"}}) {
        std::vector<std::string> all = {"--lab", lab};
        all.insert(all.end(), more.begin(), more.end());
        const Finished made = figure(all);
        EXPECT_EQ(made.status, 0) << made.err;
        const Finished verified = ropelab_cli({"verify", folder / "activation.svg"}, "", "QT_QPA_PLATFORM=offscreen");
        EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
    }
    EXPECT_BAD_INPUT(figure({"--lab", lab, "--stage", "attention.gate"}), "has no stage");
    EXPECT_BAD_INPUT(figure({"--lab", lab, "--stage", "attention.qkv/9"}), "does not compute the stage");
    EXPECT_BAD_INPUT(figure({"--lab", lab, "--stage", "attention.qkv/first"}), "attention.weights/0/1");
    EXPECT_BAD_INPUT(figure({}), "requires --lab FILE");
    EXPECT_BAD_INPUT(ropelab_cli({"figure", "anatomy", "--stage", "head", "--output", folder / "a.svg"}, "",
                                 "QT_QPA_PLATFORM=offscreen"),
                     "--stage applies to the figure anatomy-activation");
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
                     "applies to the figures anatomy");
}

}  // namespace
}  // namespace ropelab
