// Tests of the commands compress and decompress.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/store/lab_file.h"
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
    /// Trains, or resumes, a run with these settings in a lab of its own.
    static Finished train(const std::string& lab, const std::vector<std::string>& settings) {
        std::vector<std::string> arguments = {"train", "--lab", lab, "--resume", "--json"};
        for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
        for (const char* setting : {"context=32", "batch=4", "width=32", "precision=float32"})
            arguments.insert(arguments.end(), {"--set", setting});
        return ropelab_cli(arguments);
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
    for (const char* part :
         {"2,000 bytes of text", "bits per character", "sum of -log2 p of 2,000 tokens", "gzip -9: "}) {
        EXPECT_THAT(compressed.out, testing::HasSubstr(part));
    }
}

// A run with subwords from training to a compressed file. Tokens of bytes make every file compressible.
TEST_F(CompressVerbTest, RunsWithSubwordsCompressAndGenerate) {
    std::string text;
    for (int i = 0; i < 400; ++i)
        text += "the small dog and the old cat run to the house " + std::to_string(i % 7) + "\n";
    const std::string data = folder_->write("pets.txt", text).string();
    for (const char* tokenizer : {"bpe", "words"}) {
        const std::string subwords = file(std::string(tokenizer) + ".ropelab");
        const auto train_subwords = [&](const std::string& iterations) {
            return train(subwords,
                         {"data=" + data, std::string("tokenizer=") + tokenizer, "iterations=" + iterations,
                          "vocabulary_size=300", "evaluate_every=30", "learning_rate=0.01", "sample_length=20"});
        };
        const Finished trained = train_subwords("60");
        ASSERT_EQ(trained.status, 0) << trained.err;
        const nlohmann::json run = trained.json().at("runs").at(0);
        const double bytes_per_token = run.at("bytes_per_token");
        EXPECT_GT(bytes_per_token, 2) << tokenizer;

        // The weights and the tokenizer come from the lab.
        std::filesystem::remove(data);
        const Finished sample = ropelab_cli({"sample", "--lab", subwords, "--length", "30", "--prompt", "the old"});
        ASSERT_EQ(sample.status, 0) << sample.err;
        EXPECT_GT(sample.out.size(), 30U) << tokenizer;
        const std::string unseen = "the old \u20AC cat\n" + text.substr(0, 1000);
        const std::string input = folder_->write("unseen.txt", unseen).string();
        const Finished compressed =
            ropelab_cli({"compress", input, "--lab", subwords, "--output", file("unseen.ropez"), "--json"});
        ASSERT_EQ(compressed.status, 0) << compressed.err;
        const nlohmann::json sizes = compressed.json();
        EXPECT_EQ(sizes.at("bytes_in"), unseen.size());
        EXPECT_EQ(sizes.at("characters"), unseen.size() - 2);  // the euro sign has 3 bytes
        EXPECT_LT(sizes.at("tokens"), unseen.size() / 2) << tokenizer;
        const Finished restored = ropelab_cli({"decompress", file("unseen.ropez"), "--lab", subwords});
        EXPECT_EQ(restored.out, unseen) << tokenizer;

        const auto bits = ropelab_cli({"results", "--lab", subwords, "--json"}).json().at("groups").at(0);
        EXPECT_NEAR(bits.at("bits_per_byte").at("mean").get<double>(),
                    run.at("best_validation_loss").get<double>() / std::log(2.0) / bytes_per_token, 1e-12);
        EXPECT_EQ(bits.at("bits_per_character").at("n"), 0);

        folder_->write("pets.txt", text);
        const Finished resumed = train_subwords("90");
        ASSERT_EQ(resumed.status, 0) << resumed.err;
        EXPECT_EQ(LabFile::open(subwords, LabFile::Mode::read)->run(2).iteration, 90);
    }
    // A lab with runs of several tokenizers compares bits per byte.
    const Finished merged = ropelab_cli({"results", "--lab", file("bpe.ropelab"), "--merge", file("words.ropelab")});
    ASSERT_EQ(merged.status, 0) << merged.err;
    EXPECT_THAT(merged.out, testing::HasSubstr("only their bits per byte can be compared"));
    const Finished sample = ropelab_cli({"sample", "--lab", file("bpe.ropelab"), "--run", "3", "--length", "5"});
    EXPECT_EQ(sample.status, 0) << sample.err;
}

// A tokenizer.json is read when a run starts and stored in the lab.
TEST_F(CompressVerbTest, RunsWithATokenizerFileRefuseAnotherTokenizer) {
    nlohmann::json tokenizer = {{"model", {{"type", "BPE"}, {"merges", {"a b"}}}},
                                {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
                                {"decoder", {{"type", "ByteLevel"}}}};
    // GPT-2's characters of bytes: printable ones are their own, the others follow from U+0100 on.
    nlohmann::json& vocabulary = tokenizer["model"]["vocab"];
    int others = 0;
    for (int byte = 0; byte < 256; ++byte) {
        const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
        const int code = printable ? byte : 256 + others++;
        const std::string character =
            code < 128 ? std::string(1, static_cast<char>(code))
                       : std::string{static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
        vocabulary[character] = byte;
    }
    vocabulary["ab"] = 256;
    std::string text;
    for (int i = 0; i < 400; ++i) text += "ab cab abc\n";
    const std::string data = folder_->write("abc.txt", text).string();
    const std::string path = folder_->write("tokenizer.json", tokenizer.dump()).string();
    const std::string subwords = file("file.ropelab");
    const auto train_with_file = [&](const std::string& iterations) {
        return train(subwords, {"data=" + data, "tokenizer=" + path, "iterations=" + iterations, "sample_length=0"});
    };
    const Finished trained = train_with_file("10");
    ASSERT_EQ(trained.status, 0) << trained.err;
    EXPECT_NEAR(trained.json().at("runs").at(0).at("bytes_per_token").get<double>(), 11.0 / 8, 0.02);

    std::filesystem::remove(path);
    const std::string input = folder_->write("input.txt", text.substr(0, 500)).string();
    ASSERT_EQ(ropelab_cli({"compress", input, "--lab", subwords, "--output", file("file.ropez")}).status, 0);
    EXPECT_EQ(ropelab_cli({"decompress", file("file.ropez"), "--lab", subwords}).out, text.substr(0, 500));
    const Finished missing = train_with_file("20");
    EXPECT_NE(missing.status, 0);
    EXPECT_THAT(missing.err, testing::HasSubstr("cannot be read"));

    vocabulary.erase("ab");
    vocabulary["ca"] = 256;
    tokenizer["model"]["merges"] = {"c a"};
    folder_->write("tokenizer.json", tokenizer.dump());
    EXPECT_THAT(train_with_file("20").err, testing::HasSubstr("has changed since this run started"));
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
    EXPECT_BAD_INPUT(ropelab_cli({"compress", file("text.txt"), "--output", file("x.ropez")}), "No model is given");
    EXPECT_BAD_INPUT(ropelab_cli({"compress", file("text.txt"), "--lab", lab(), "--output", "-", "--json"}),
                     "would both write to standard output");
    EXPECT_FALSE(std::filesystem::exists(file("x.ropez")));
}

}  // namespace
}  // namespace ropelab
