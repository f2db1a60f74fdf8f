#include "core/weights/weight_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/base/error.h"
#include "core/machine/process_memory.h"
#include "core/weights/safetensors.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/source_file.h"

namespace ropelab {
namespace {

namespace fs = std::filesystem;

template <typename Number>
std::string bytes_of(Number number) {
    std::string result(sizeof number, '\0');
    std::memcpy(result.data(), &number, sizeof number);
    return result;
}

std::string text_of(const std::string& text) {
    return bytes_of<std::uint64_t>(text.size()) + text;
}

// Of a GGUF file with one tensor of F32, whose metadata are `values`.
struct Gguf {
    std::uint32_t version = 3;
    std::uint64_t tensors = 1;
    std::uint64_t count = 0;
    std::string values = {};
    std::string name = "x";
    std::vector<std::uint64_t> extents = {4, 2};
    std::uint32_t type = 0;
    std::uint64_t offset = 0;
    std::size_t data = 32;

    std::string bytes() const {
        std::string result = "GGUF" + bytes_of(version) + bytes_of(tensors) + bytes_of(count) + values + text_of(name) +
                             bytes_of(static_cast<std::uint32_t>(extents.size()));
        for (const std::uint64_t extent : extents) result += bytes_of(extent);
        result += bytes_of(type) + bytes_of(offset);
        result.resize((result.size() + 31) / 32 * 32 + data);
        return result;
    }
};

class WeightFilesTest : public testing::Test {
 protected:
    void expect_refused(const Gguf& file, const std::string& part) const {
        EXPECT_MESSAGE(WeightFiles(folder_.write("x.gguf", file.bytes())), BadInput, part);
    }
    void write_weights(const std::string& name, const std::vector<std::string>& tensors) const {
        TensorFile file;
        for (const std::string& tensor : tensors) file.tensors.push_back({tensor, {2}, {1, 2}});
        write_safetensors(folder_ / name, file);
    }
    ScratchFolder folder_;
};

TEST(GgufTypes, AreDecodedAsGgufPyDoes) {
    const WeightFiles files(source_file("tests/core/weights/gguf_types.gguf"));
    ASSERT_NE(files.gguf(), nullptr);
    EXPECT_EQ(files.gguf()->get<double>("types.count"), 11);
    EXPECT_EQ(files.gguf()->get<std::vector<std::string>>("types.names"), (std::vector<std::string>{"F32", "θ"}));
    EXPECT_EQ(files.gguf()->get<double>("types.missing"), std::nullopt);
    EXPECT_MESSAGE(files.gguf()->get<double>("types.names"), BadInput, "types.names");
    int types = 0;
    for (const auto& [name, entry] : files.tensors()) {
        const WeightFiles::Entry* expected = files.find(name + ".expected");
        if (!expected) continue;
        SCOPED_TRACE(name);
        EXPECT_EQ(facts_of(entry.tensor.type).name, name);
        EXPECT_EQ(entry.tensor.shape, (std::vector<std::int64_t>{2, 256}));
        std::vector<float> numbers(512), wanted(512), row(256);
        entry.file->read(entry.tensor, 0, numbers);
        expected->file->read(expected->tensor, 0, wanted);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            EXPECT_NEAR(numbers[i], wanted[i], 2e-6 * std::max(1.0F, std::abs(wanted[i]))) << i;
        entry.file->read(entry.tensor, 256, row);
        EXPECT_TRUE(std::equal(row.begin(), row.end(), numbers.begin() + 256));
        ++types;
    }
    EXPECT_EQ(types, 11);
}

TEST_F(WeightFilesTest, ReadsShards) {
    write_weights("model-1.safetensors", {"a", "b"});
    write_weights("model-2.safetensors", {"c"});
    folder_.write("model.safetensors.index.json",
                  R"({"weight_map": {"a": "model-1.safetensors", "b": "model-1.safetensors",
                                     "c": "model-2.safetensors"}})");
    const WeightFiles files(folder_.path());
    EXPECT_EQ(files.tensors().size(), 3U);
    std::vector<float> numbers(2);
    files.find("c")->file->read(files.find("c")->tensor, 0, numbers);
    EXPECT_EQ(numbers, (std::vector<float>{1, 2}));
}

TEST_F(WeightFilesTest, RefusesIndexesOfOtherFiles) {
    write_weights("model-1.safetensors", {"a"});
    const auto refuse = [&](const std::string& map, const std::string& part) {
        folder_.write("model.safetensors.index.json", R"({"weight_map": )" + map + "}");
        EXPECT_MESSAGE(WeightFiles(folder_.path()), BadInput, part);
    };
    refuse(R"({"a": "../model.safetensors"})", "only name safetensors files of its own folder");
    refuse(R"({"a": "/etc/passwd"})", "only name safetensors files of its own folder");
    refuse(R"({"a": "model.safetensors.index.json"})", "only name safetensors files of its own folder");
    refuse(R"({"a": 7})", "only name safetensors files");
    refuse(R"(["a"])", "is no index");
    refuse(R"({"a": "model-2.safetensors"})", "There is no file");
    refuse(R"({"z": "model-1.safetensors"})", "does not contain it");
    write_weights("model-2.safetensors", {"a"});
    refuse(R"({"a": "model-1.safetensors", "b": "model-2.safetensors"})", "each tensor must be in one file");
}

TEST_F(WeightFilesTest, RefusesLinksOutOfTheFolder) {
    const ScratchFolder other;
    fs::create_symlink(other.path() / "model.safetensors", folder_ / "model.safetensors");
    write_safetensors(other.path() / "model.safetensors", {.tensors = {{"a", {1}, {1}}}, .metadata = {}});
    EXPECT_MESSAGE(WeightFiles(folder_.path()), BadInput, "is a link to a file outside");
    // The cache of the hub: snapshots/REVISION/model.safetensors → ../../blobs/HASH.
    fs::create_directories(folder_ / "snapshots/1");
    fs::create_directories(folder_ / "blobs");
    fs::copy_file(other.path() / "model.safetensors", folder_ / "blobs/0123");
    fs::create_symlink("../../blobs/0123", folder_ / "snapshots/1/model.safetensors");
    EXPECT_EQ(WeightFiles(folder_ / "snapshots/1").tensors().size(), 1U);
    fs::create_directories(folder_ / "circle");
    fs::create_symlink("model.safetensors", folder_ / "circle/model.safetensors");
    EXPECT_MESSAGE(WeightFiles(folder_ / "circle"), BadInput, "cannot be opened");
}

TEST_F(WeightFilesTest, RefusesPicklesAndFoldersWithoutWeights) {
    EXPECT_MESSAGE(WeightFiles(folder_.path()), BadInput, "has no weights");
    EXPECT_MESSAGE(WeightFiles(folder_ / "none.gguf"), BadInput, "There is no file");
    const fs::path pickle = folder_.write("pytorch_model.bin", "x");
    for (const fs::path& path : {pickle, folder_.path()})
        EXPECT_MESSAGE(WeightFiles(path), BadInput, "convert them to safetensors");
    EXPECT_MESSAGE(WeightFiles(folder_.write("of nanoGPT/ckpt.pt", "x")), BadInput,
                   "checkpoint[\"model_args\"] as config.json");
    folder_.write("model.Q8_0.gguf", "x");
    EXPECT_MESSAGE(WeightFiles(folder_.path()), BadInput, "model.Q8_0.gguf");
}

TEST_F(WeightFilesTest, RefusesInvalidGgufFiles) {
    EXPECT_EQ(WeightFiles(folder_.write("good.gguf", Gguf().bytes())).find("x")->tensor.shape,
              (std::vector<std::int64_t>{2, 4}));
    expect_refused({.version = 1}, "its version is 1");
    expect_refused({.version = 0x03000000}, "its version is");
    expect_refused({.tensors = std::uint64_t{1} << 60}, "tensors, but at most");
    expect_refused({.count = std::uint64_t{1} << 60}, "values of metadata, but at most");
    expect_refused({.tensors = 2}, "");
    expect_refused({.count = 1, .values = bytes_of(std::uint64_t{1} << 40)}, "longer than the rest");
    expect_refused({.count = 1, .values = text_of("k") + bytes_of(77U) + bytes_of(0U)}, "unknown type 77");
    const auto list = [](std::uint32_t type, std::uint64_t count) {
        return text_of("k") + bytes_of(9U) + bytes_of(type) + bytes_of(count);
    };
    expect_refused({.count = 1, .values = list(0, 1'000'000'000)}, "longer than the rest");
    expect_refused({.count = 1, .values = list(8, 1'000'000'000)}, "longer than the rest");
    expect_refused({.count = 1, .values = list(9, 1'000'000'000)}, "list of lists");
    const std::string value = text_of("k") + bytes_of(4U) + bytes_of(1U);
    expect_refused({.count = 2, .values = value + value}, "twice");
    expect_refused({.count = 1, .values = text_of("general.alignment") + bytes_of(4U) + bytes_of(0U)}, "power of two");
    expect_refused({.name = ""}, "name that is empty");
    expect_refused({.extents = {}}, "0 dimensions");
    expect_refused({.extents = {1, 1, 1, 1, 1}}, "5 dimensions");
    expect_refused({.extents = {std::uint64_t{1} << 63}}, "beyond 63 bits");
    expect_refused({.extents = {std::uint64_t{1} << 40, std::uint64_t{1} << 40}}, "impossible");
    expect_refused({.extents = {std::uint64_t{1} << 62}}, "impossible");
    expect_refused({.type = 16}, "the type 16");
    expect_refused({.type = 2}, "impossible");  // Q4_0 with rows of 4 numbers
    expect_refused({.extents = {10'000'000'000}}, "the file ends before");
    expect_refused({.offset = 3}, "multiple of 32");
    expect_refused({.offset = 64}, "the file ends before");
    const std::string whole = Gguf().bytes();
    for (std::size_t size = 4; size < whole.size(); ++size) {
        EXPECT_MESSAGE(WeightFiles(folder_.write("cut.gguf", whole.substr(0, size))), BadInput,
                       "cannot be read as GGUF")
    }
}

TEST_F(WeightFilesTest, HeadersThatGrowInMemoryAreRefusedWithLittleOfIt) {
    std::string bomb = R"({"x":[)";
    while (bomb.size() < 7'000'000) bomb += "[],";
    bomb += "[]]}";
    std::string text;
    while (text.size() < 30'000'000) text += bytes_of(std::uint64_t{0});
    reset_peak_memory();
    const std::int64_t before = process_memory().now;
    EXPECT_MESSAGE(WeightFiles(folder_.write("x.safetensors", bytes_of<std::uint64_t>(bomb.size()) + bomb)), BadInput,
                   "more lists than its tensors could have");
    const Gguf many{.count = 1,
                    .values = text_of("k") + bytes_of(9U) + bytes_of(8U) + bytes_of(text.size() / 8) + text};
    EXPECT_EQ(WeightFiles(folder_.write("x.gguf", many.bytes())).tensors().size(), 1U);
    EXPECT_LT(process_memory().peak - before, 512'000'000);
}

}  // namespace
}  // namespace ropelab
