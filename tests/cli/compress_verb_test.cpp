// Tests of the commands compress and decompress.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

class CompressVerbTest : public testing::Test {
 protected:
    static void SetUpTestSuite() {
        folder_ = new ScratchFolder;
        std::vector<std::string> arguments = {"sweep", "--lab", lab()};
        for (const char* setting :
             {"context=32", "batch=4", "iterations=60", "evaluate_every=30", "evaluation=sampled", "width=32",
              "evaluation_batches=2", "seed=1,2", "precision=float32", "learning_rate=0.01", "data_length=20000"}) {
            arguments.insert(arguments.end(), {"--set", setting});
        }
        const Finished trained = ropelab_cli(arguments);
        ASSERT_EQ(trained.status, 0) << trained.err;
        const Finished text = ropelab_cli({"data", "generate", "--seed", "7", "--characters", "2000"});
        folder_->write("text.txt", text.out);
    }
    static void TearDownTestSuite() { delete folder_; }

    static std::string lab() { return (*folder_ / "a.ropelab").string(); }
    static std::string file(const std::string& name) { return (*folder_ / name).string(); }
    static std::string content(const std::string& name) {
        std::ifstream stream(*folder_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    static Finished compress(std::vector<std::string> more = {}) {
        std::vector<std::string> arguments = {"compress", file("text.txt"), "--lab",           lab(), "--run",
                                              "1",        "--output",       file("text.ropez")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return ropelab_cli(arguments);
    }

    inline static ScratchFolder* folder_ = nullptr;
};

TEST_F(CompressVerbTest, BitsPerCharacterAreAFileSize) {
    const Finished compressed = compress({"--json", "--compare"});
    ASSERT_EQ(compressed.status, 0) << compressed.err;
    const nlohmann::json sizes = compressed.json();
    const auto bytes = std::filesystem::file_size(file("text.ropez"));
    EXPECT_EQ(sizes.at("bytes_in"), 2000);
    EXPECT_EQ(sizes.at("bytes_out"), bytes);
    EXPECT_EQ(sizes.at("characters"), 2000);
    EXPECT_DOUBLE_EQ(sizes.at("bits_per_character"), 8.0 * static_cast<double>(bytes) / 2000);
    EXPECT_LE(sizes.at("code_bytes").get<double>(), 1.001 * sizes.at("model_bits").get<double>() / 8 + 2);
    EXPECT_LT(bytes, 1500U) << "the trained model predicts the language";
    EXPECT_GT(sizes.at("other_programs").at("gzip"), 100);

    const Finished restored =
        ropelab_cli({"decompress", file("text.ropez"), "--lab", lab(), "--run", "1", "--output", file("restored.txt")});
    ASSERT_EQ(restored.status, 0) << restored.err;
    EXPECT_EQ(content("restored.txt"), content("text.txt"));
    const Finished printed = ropelab_cli({"decompress", file("text.ropez"), "--lab", lab()});
    EXPECT_EQ(printed.out, content("text.txt"));
}

TEST_F(CompressVerbTest, PrintsTheSizesAsText) {
    const Finished compressed = compress({"--compare"});
    ASSERT_EQ(compressed.status, 0) << compressed.err;
    for (const char* part : {"2,000 bytes in", "bits per character", "sum of -log2 p of 2,000 tokens", "gzip -9: "}) {
        EXPECT_THAT(compressed.out, testing::HasSubstr(part));
    }
}

TEST_F(CompressVerbTest, RefusesWhatItCannotRestore) {
    ASSERT_EQ(compress().status, 0);
    EXPECT_BAD_INPUT(ropelab_cli({"decompress", file("text.ropez"), "--lab", lab(), "--run", "2"}),
                     "compressed with another model");
    EXPECT_BAD_INPUT(ropelab_cli({"decompress", file("text.txt"), "--lab", lab()}), "not a text that");
    std::string damaged = content("text.ropez");
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    EXPECT_BAD_INPUT(
        ropelab_cli({"decompress", folder_->write("damaged.ropez", damaged).string(), "--lab", lab(), "--run", "1"}),
        "damaged");
    EXPECT_BAD_INPUT(
        ropelab_cli({"compress", "-", "--lab", lab(), "--output", file("x.ropez")}, "a \u20AC costs too much"),
        "\u20AC");
    EXPECT_BAD_INPUT(ropelab_cli({"compress", file("text.txt"), "--output", file("x.ropez")}), "The run is missing");
    EXPECT_BAD_INPUT(ropelab_cli({"compress", file("text.txt"), "--lab", lab(), "--output", "-", "--json"}),
                     "would both write to standard output");
    EXPECT_FALSE(std::filesystem::exists(file("x.ropez")));
}

}  // namespace
}  // namespace ropelab
