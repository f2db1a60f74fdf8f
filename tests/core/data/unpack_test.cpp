#include "core/data/download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/data/scratch.h"
#include "tests/core/data/zip_file.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

class UnpackTest : public testing::Test {
 protected:
    UnpackTest() {
        for (std::size_t i = 0; i < 400'000; ++i) text_ += std::to_string(i * 7919 % 10007);
        write_zip(zip_, "folder/text", text_);
    }
    std::int64_t size() const { return std::ssize(text_); }

    ScratchFolder scratch_;
    std::filesystem::path zip_ = scratch_.path() / "text.zip";
    std::filesystem::path target_ = scratch_.path() / "text";
    std::string text_;
};

TEST_F(UnpackTest, WritesTheEntryAndReportsProgressToTheEnd) {
    scratch_.write("text", "previous content");
    std::int64_t seen = 0;
    EXPECT_TRUE(unpack(zip_, "text", target_, size(), [&](std::int64_t done) {
        seen = done;
        return true;
    }));
    EXPECT_EQ(read_file(target_), text_);
    EXPECT_EQ(seen, size());
}

TEST_F(UnpackTest, RemovesTheTargetIfCancelledOrFailed) {
    EXPECT_FALSE(unpack(zip_, "text", target_, size(), [](std::int64_t) { return false; }));
    EXPECT_FALSE(std::filesystem::exists(target_));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(unpack(zip_, "text", target_, size() - 1), FetchFailed), HasSubstr("more than"));
    EXPECT_FALSE(std::filesystem::exists(target_));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(unpack(zip_, "other", target_, size()), FetchFailed), HasSubstr("no 'other'"));
    EXPECT_FALSE(std::filesystem::exists(target_));
}

TEST_F(UnpackTest, RejectsADamagedArchive) {
    std::string bytes = read_file(zip_);
    std::fill(bytes.begin() + 1000, bytes.begin() + 3000, '\xAA');
    const auto broken = scratch_.write("broken.zip", bytes);
    EXPECT_THROW(unpack(broken, "text", target_, size()), FetchFailed);
    EXPECT_FALSE(std::filesystem::exists(target_));
    EXPECT_THROW(unpack(scratch_.write("no.zip", "no archive at all"), "text", target_, size()), FetchFailed);
    EXPECT_THROW(unpack(scratch_.path() / "none.zip", "text", target_, size()), FetchFailed);
}

}  // namespace
}  // namespace ropelab
