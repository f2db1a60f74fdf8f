#include "core/weights/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/error.h"
#include "tests/core/store/lab_runs.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

TensorFile example() {
    return {{{"model.b", {2, 3}, {1, 2, 3, 4, 5, 6}}, {"model.a", {}, {7}}, {"empty", {0, 4}, {}}},
            {{"iteration", "100"}, {"θ", "10,000 \"quoted\""}}};
}

std::string file_of(const std::string& header, const std::string& data) {
    const std::uint64_t size = header.size();
    std::string result(8, '\0');
    std::memcpy(result.data(), &size, 8);
    return result + header + data;
}

class Safetensors : public testing::Test {
 protected:
    // Returns the error message for a file with this header and data.
    std::string sentence(const std::string& header, const std::string& data = "") const {
        const auto path = folder_.write("bad.safetensors", file_of(header, data));
        return ROPELAB_SENTENCE_OF(read_safetensors(path), BadInput);
    }
    ScratchFolder folder_;
    std::filesystem::path path_ = folder_.path() / "x.safetensors";
};

TEST_F(Safetensors, RoundTripSortsTensorsByName) {
    write_safetensors(path_, example());
    const TensorFile read = read_safetensors(path_);
    EXPECT_EQ(read.metadata, example().metadata);
    ASSERT_EQ(read.tensors.size(), 3U);
    EXPECT_EQ(read.tensors[0], example().tensors[2]);
    EXPECT_EQ(read.tensors[1], example().tensors[1]);
    EXPECT_EQ(read.tensors[2], example().tensors[0]);
    EXPECT_EQ(files_in(folder_.path()), 1U);
}

TEST_F(Safetensors, EqualContentGivesIdenticalAlignedFiles) {
    write_safetensors(path_, example());
    TensorFile reordered = example();
    std::swap(reordered.tensors[0], reordered.tensors[2]);
    write_safetensors(folder_.path() / "y.safetensors", reordered);
    const std::string bytes = read_file(path_);
    EXPECT_EQ(bytes, read_file(folder_.path() / "y.safetensors"));
    std::uint64_t header = 0;
    std::memcpy(&header, bytes.data(), 8);
    EXPECT_EQ(header % 8, 0U);
    EXPECT_EQ(bytes.size(), 8 + header + 7 * sizeof(float));
}

TEST_F(Safetensors, KeepsEveryBitOfEveryFloat) {
    TensorFile file{{{"x", {5}, {}}}, {}};
    for (const std::uint32_t bits : {0x80000000U, 0x00000001U, 0x7F800000U, 0x7FC12345U, 0xFF7FFFFFU}) {
        file.tensors[0].values.push_back(std::bit_cast<float>(bits));
    }
    write_safetensors(path_, file);
    const TensorFile read = read_safetensors(path_);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(read.tensors[0].values[i]),
                  std::bit_cast<std::uint32_t>(file.tensors[0].values[i]));
    }
}

TEST_F(Safetensors, RoundTripsAFileWithoutTensors) {
    write_safetensors(path_, {});
    EXPECT_TRUE(read_safetensors(path_).tensors.empty());
}

TEST_F(Safetensors, ReadsHalfPrecision) {
    // The float16 codes of 1.5, −2, the smallest subnormal 2^-24, the largest number 65504, infinity and NaN.
    const std::string half("\x00\x3E\x00\xC0\x01\x00\xFF\x7B\x00\x7C\x01\x7E", 12);
    const auto path = folder_.write("h", file_of(R"({"x":{"dtype":"F16","shape":[6],"data_offsets":[0,12]}})", half));
    const std::vector<float> values = read_safetensors(path).tensors.at(0).values;
    EXPECT_EQ(values[0], 1.5F);
    EXPECT_EQ(values[1], -2.0F);
    EXPECT_EQ(values[2], std::ldexp(1.0F, -24));
    EXPECT_EQ(values[3], 65504.0F);
    EXPECT_EQ(values[4], std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(values[5]));
    // The bfloat16 codes of 1.5 and −3 are the upper halves of their float32 codes.
    const auto brain = folder_.write(
        "b", file_of(R"({"x":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}})", std::string("\xC0\x3F\x40\xC0", 4)));
    EXPECT_EQ(read_safetensors(brain).tensors.at(0).values, (std::vector<float>{1.5F, -3.0F}));
}

TEST_F(Safetensors, ReportsEachKindOfInvalidFile) {
    EXPECT_THAT(ROPELAB_SENTENCE_OF(read_safetensors(folder_.path() / "none"), BadInput),
                HasSubstr("There is no file"));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(read_safetensors(folder_.path()), BadInput), HasSubstr("it is not a file"));
    const auto cut = folder_.write("cut", "abc");
    EXPECT_THAT(ROPELAB_SENTENCE_OF(read_safetensors(cut), BadInput), HasSubstr("shorter than the 8 bytes"));
    const auto large = folder_.write("large", std::string(7, '\0') + "\x10{}");
    EXPECT_THAT(ROPELAB_SENTENCE_OF(read_safetensors(large), BadInput), HasSubstr("but only 2 follow"));

    const std::string four(4, '\0');
    EXPECT_THAT(sentence("[]"), HasSubstr("does not start with '{'"));
    EXPECT_THAT(sentence("{"), HasSubstr("not valid JSON"));
    EXPECT_THAT(sentence(R"({"x":1})"), HasSubstr("\"x\" must have exactly the keys dtype"));
    EXPECT_THAT(sentence(R"({"x":{"dtype":"I64","shape":[],"data_offsets":[0,4]}})", four),
                HasSubstr("the type \"I64\", but only F32, F16 and BF16"));
    EXPECT_THAT(sentence(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", four),
                HasSubstr("4 bytes, which does not match its shape 2"));
    EXPECT_THAT(sentence(R"({"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", four),
                HasSubstr("other than integers of 0 or more"));
    EXPECT_THAT(sentence(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", four),
                HasSubstr("ends at byte 8, but the data has only 4"));
    EXPECT_THAT(sentence(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", four),
                HasSubstr("not two ascending numbers"));
    EXPECT_THAT(sentence(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
                             "y":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                         four),
                HasSubstr("starts at byte 0 of the data, but the previous one ends at 4"));
    EXPECT_THAT(sentence(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", four + four),
                HasSubstr("starts at byte 4"));
    EXPECT_THAT(sentence(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", four + four),
                HasSubstr("fill 4 bytes, but the data has 8"));
    EXPECT_THAT(sentence(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
                             "x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                         four),
                HasSubstr("names \"x\" twice"));
    EXPECT_THAT(sentence(R"({"__metadata__":{"a":1}})"), HasSubstr("metadata \"a\" is not a string"));
    // A shape whose product overflows to 1 in 64 bits must not be accepted as one element.
    EXPECT_THAT(sentence(R"({"x":{"dtype":"F32","shape":[4294967297,4294967295,1],"data_offsets":[0,4]}})", four),
                HasSubstr("does not match its shape"));
}

TEST_F(Safetensors, RejectsTensorsThatCouldNotBeReadBack) {
    const auto refused = [&](NamedTensor tensor, std::map<std::string, std::string> metadata = {}) {
        return ROPELAB_SENTENCE_OF(write_safetensors(path_, {{std::move(tensor)}, std::move(metadata)}), BadInput);
    };
    EXPECT_THAT(refused({"x", {2}, {1}}), HasSubstr("has 1 values, but its shape is 2"));
    EXPECT_THAT(refused({"x", {-1}, {1}}), HasSubstr("its shape is -1"));
    EXPECT_THAT(refused({"__metadata__", {1}, {1}}), HasSubstr("reserves for metadata"));
    EXPECT_THAT(refused({"x", {1}, {1}}, {{"a", "\xFF"}}), HasSubstr("not UTF-8"));
    EXPECT_THROW(write_safetensors(path_, {{{"x", {1}, {1}}, {"x", {1}, {1}}}, {}}), BadInput);
    EXPECT_THROW(write_safetensors(folder_.path() / "no folder" / "x", example()), BadInput);
    EXPECT_EQ(files_in(folder_.path()), 0U);
}

// Reading a damaged file either succeeds or throws BadInput with a reason.
TEST_F(Safetensors, SurvivesDamage) {
    write_safetensors(path_, example());
    const std::string whole = read_file(path_);
    std::mt19937 random(7);
    int read_despite_damage = 0;
    for (int round = 0; round < 600; ++round) {
        std::string damaged = whole;
        if (round % 3 == 0) damaged.resize(random() % whole.size());
        for (unsigned flips = round % 3 == 1 ? 1 : random() % 8; flips > 0 && !damaged.empty(); --flips) {
            damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
        }
        const auto path = folder_.write("damaged", damaged);
        try {
            for (const NamedTensor& tensor : read_safetensors(path).tensors) EXPECT_LE(tensor.values.size(), 7U);
            ++read_despite_damage;
        } catch (const BadInput& problem) {
            EXPECT_THAT(problem.what(), HasSubstr("cannot be read as safetensors"));
        }
    }
    EXPECT_GT(read_despite_damage, 0);  // bit flips in the tensor data are not detected
}

TEST_F(Safetensors, SurvivesDeepNesting) {
    EXPECT_THAT(sentence("{\"x\":" + std::string(200'000, '[')), HasSubstr("not valid JSON"));
    EXPECT_THAT(sentence("{\"x\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}"),
                HasSubstr("not valid JSON"));
}

TEST_F(Safetensors, ReadsAFileWrittenByPyTorch) {
    const auto path = shared_data("oracles/hf_models/neox_25/model.safetensors");
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "The shared test data are not installed: " << path;
    const TensorFile file = read_safetensors(path);
    EXPECT_EQ(file.metadata.at("format"), "pt");
    EXPECT_EQ(file.tensors.size(), 28U);
    for (const NamedTensor& tensor : file.tensors) {
        for (const float value : tensor.values) ASSERT_TRUE(std::isfinite(value)) << tensor.name;
    }
}

}  // namespace
}  // namespace ropelab
