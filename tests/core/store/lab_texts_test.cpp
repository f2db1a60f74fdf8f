#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/store/lab_runs.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

TextMark text_of(std::int64_t bytes, char digit, const std::string& name = "enwik8") {
    return {name, bytes, std::string(64, digit)};
}

class LabTexts : public testing::Test {
 protected:
    ScratchFolder folder_;
    std::unique_ptr<LabFile> lab_ = lab_with_runs(folder_.path() / "x.ropelab", 3);
};

TEST_F(LabTexts, ARunMustResumeWithItsOriginalText) {
    EXPECT_FALSE(lab_->run(1).text);
    lab_->bind_to_text(1, text_of(1000, 'a'), true);
    EXPECT_EQ(lab_->run(1).text, text_of(1000, 'a'));
    lab_->bind_to_text(1, text_of(1000, 'a'), false);
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab_->bind_to_text(1, text_of(999, 'a'), false), BadInput),
                HasSubstr("has 999 bytes, but training began with a text that has 1,000 bytes"));
    EXPECT_THROW(lab_->bind_to_text(1, text_of(1000, 'b'), true), BadInput);
    EXPECT_EQ(lab_->run(1).text, text_of(1000, 'a'));
    EXPECT_EQ(lab_->runs()[0].text, text_of(1000, 'a'));
}

TEST_F(LabTexts, RunsWithOneTextNameMustUseOneText) {
    lab_->bind_to_text(1, text_of(1000, 'a'), true);
    EXPECT_THROW(lab_->bind_to_text(2, text_of(1000, 'b'), true), BadInput);
    EXPECT_FALSE(lab_->run(2).text);
    lab_->bind_to_text(2, text_of(1000, 'a'), true);
    lab_->bind_to_text(3, text_of(500, 'c', "text8"), true);
    lab_->delete_run(3);
    lab_->purge();
    lab_->bind_to_text(lab_->add_run(1, "new", "{}"), text_of(700, 'd', "text8"), true);
}

// The text of a run from an older lab is unknown, so resuming that run must not store one.
TEST_F(LabTexts, AResumedRunWithoutATextMarkGetsNone) {
    lab_->bind_to_text(1, text_of(1000, 'a'), false);
    EXPECT_FALSE(lab_->run(1).text);
}

TEST_F(LabTexts, MergingKeepsTheTextOfARun) {
    lab_->bind_to_text(2, text_of(1000, 'a'), true);
    const auto all = LabFile::create(folder_.path() / "all.ropelab");
    EXPECT_EQ(all->merge(lab_->path()), 3);
    EXPECT_EQ(all->run(2).text, text_of(1000, 'a'));
    EXPECT_FALSE(all->run(1).text);
}

}  // namespace
}  // namespace ropelab
