#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

TEST(DataVerb, ListsSyntheticAndKnownDataSets) {
    const auto list = ropelab_cli({"data", "list", "--json"}).json().at("data");
    std::vector<std::string> names;
    for (const auto& set : list) names.push_back(set.at("name"));
    EXPECT_THAT(names, testing::IsSupersetOf({"synthetic", "synthetic-local", "tinyshakespeare", "enwik8", "text8"}));
    const std::string text = ropelab_cli({"data", "list"}).out;
    for (const std::string& name : names) EXPECT_THAT("\n" + text, testing::HasSubstr("\n" + name + "  ")) << name;
}

TEST(DataVerb, PrintsSizeAlphabetAndEntropy) {
    const ScratchFolder folder;
    const auto file = folder.write("text.txt", "aabb\n");
    const auto info = ropelab_cli({"data", "info", file.string(), "--json"}).json();
    EXPECT_EQ(info.at("bytes"), 5);
    EXPECT_EQ(info.at("distinct"), 3);
    EXPECT_NEAR(info.at("order0_entropy_bits").get<double>(), 1.5219, 1e-4);
    EXPECT_THAT(ropelab_cli({"data", "info", file.string()}).out, testing::HasSubstr("3 distinct"));
}

TEST(DataVerb, ShowsHowTokenizersSplitAText) {
    const ScratchFolder folder;
    std::string text;
    for (int i = 0; i < 200; ++i) text += "the cat sat on the mat. ";
    const std::string file = folder.write("text.txt", text).string();
    const auto all = ropelab_cli({"data", "tokens", "--data", file, "--json"}).json().at("tokenizers");
    ASSERT_EQ(all.size(), 5U);
    EXPECT_EQ(all[0].at("tokenizer"), "characters");
    EXPECT_EQ(all[0].at("tokens_per_byte"), 1.0);
    EXPECT_LT(all[3].at("tokens_per_byte").get<double>(), 0.5);

    const auto words = ropelab_cli({"data", "tokens", "--data", file, "--tokenizer", "words", "--text", "the dog\n"});
    EXPECT_THAT(words.out, testing::HasSubstr("| the | space | d | o | g | \\n |"));
    const auto json = ropelab_cli({"data", "tokens", "--data", file, "--tokenizer", "bpe,bytes", "--vocabulary-size",
                                   "300", "--text", "the mat", "--json"})
                          .json()
                          .at("tokenizers");
    ASSERT_EQ(json.size(), 2U);
    EXPECT_LT(json[0].at("tokens").size(), json[1].at("tokens").size());
    EXPECT_EQ(json[1].at("tokens").size(), 7U);
    EXPECT_EQ(ropelab_cli({"data", "info", file, "--tokenizer", "bpe", "--json"}).json().at("token_unit"), "token");
    EXPECT_BAD_INPUT(ropelab_cli({"data", "tokens", "--data", "synthetic", "--tokenizer", "bpe"}), "entropy floor");
    EXPECT_BAD_INPUT(ropelab_cli({"data", "tokens", "--data", file, "--tokenizer", "bbpe"}),
                     "unigram, words, or a file");
    EXPECT_BAD_INPUT(
        ropelab_cli({"data", "tokens", "--data", file, "--tokenizer", "bytes", "--vocabulary-size", "300"}),
        "applies to the tokenizers bpe, unigram and words");
    EXPECT_BAD_INPUT(ropelab_cli({"data", "info", file, "--vocabulary-size", "300"}), "applies to the tokenizers");
}

TEST(DataVerb, GeneratesEqualTextForEqualSeeds) {
    const auto one = ropelab_cli({"data", "generate", "--characters", "500"});
    EXPECT_EQ(one.out.size(), 500U);
    EXPECT_EQ(one.out, ropelab_cli({"data", "generate", "--characters", "500"}).out);
    EXPECT_NE(one.out, ropelab_cli({"data", "generate", "--characters", "500", "--seed", "2"}).out);
    EXPECT_NE(one.out, ropelab_cli({"data", "generate", "synthetic-local", "--characters", "500"}).out);
}

TEST(DataVerb, CleansTextLikeText8) {
    const auto cleaned = ropelab_cli({"data", "clean", "-"}, "It's 42, isn't IT?\n");
    EXPECT_EQ(cleaned.status, 0);
    EXPECT_THAT(cleaned.out, testing::HasSubstr("it s four two isn t it"));
}

TEST(DataVerb, RejectsBadInputWithOneSentence) {
    const ScratchFolder folder;
    EXPECT_BAD_INPUT(ropelab_cli({"data", "info", folder.path().string()}), folder.path().string());
    EXPECT_BAD_INPUT(ropelab_cli({"data", "info", folder.write("empty", "").string()}), "empty");
    EXPECT_BAD_INPUT(ropelab_cli({"data", "fetch", "enwik9"}), "enwik8");
    EXPECT_BAD_INPUT(ropelab_cli({"data", "generate", "esperanto"}), "esperanto");
    EXPECT_BAD_INPUT(ropelab_cli({"data", "generate", "--characters", "0"}), "1 or more");
    EXPECT_BAD_INPUT(ropelab_cli({"data", "generate", "--characters", "99999999999999999999"}), "is out of range");
    EXPECT_BAD_INPUT(ropelab_cli({"data", "generate", "--characters", "9000000000000000000"}),
                     "does not fit into the memory of this machine");
}

}  // namespace
}  // namespace ropelab
