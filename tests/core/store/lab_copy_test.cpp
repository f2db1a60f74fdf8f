#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/store/lab_runs.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

class LabCopy : public testing::Test {
 protected:
    LabCopy() {
        lab_->record(trained(1, 40));
        write_checkpoint_of(*lab_, 1, 1.5F);
        write_checkpoint_of(*lab_, 2, 2.5F);
    }
    ScratchFolder folder_;
    std::filesystem::path target_ = folder_.path() / "elsewhere" / "copy.ropelab";
    std::unique_ptr<LabFile> lab_ = [this] {
        std::filesystem::create_directory(target_.parent_path());
        return lab_with_runs(folder_.path() / "x.ropelab", 2);
    }();
};

TEST_F(LabCopy, ContainsEverything) {
    lab_->delete_run(2);
    lab_->save_as(target_);
    EXPECT_EQ(files_in(target_.parent_path()), 2U);  // the file and its checkpoint folder
    const auto copy = LabFile::open(target_);
    EXPECT_EQ(copy->runs().size(), 1U);
    expect_equal(copy->metrics(1), lab_->metrics(1));
    EXPECT_EQ(checkpoint_value(*copy, 1), 1.5F);
    copy->restore_run(2);
    EXPECT_EQ(checkpoint_value(*copy, 2), 2.5F);
    // Changes to one lab do not affect the other.
    copy->rename_run(1, "other");
    write_checkpoint_of(*copy, 1, 9.0F);
    EXPECT_EQ(lab_->run(1).name, "run 1");
    EXPECT_EQ(checkpoint_value(*lab_, 1), 1.5F);
}

TEST_F(LabCopy, ReplacesAnotherLabAndItsCheckpoints) {
    {
        const auto old = lab_with_runs(target_, 5);
        write_checkpoint_of(*old, 5, 5.0F);
    }
    lab_->save_as(target_);
    const auto copy = LabFile::open(target_);
    EXPECT_EQ(copy->runs().size(), 2U);
    EXPECT_FALSE(std::filesystem::exists(copy->checkpoint_path(5)));
    EXPECT_EQ(checkpoint_value(*copy, 2), 2.5F);
}

TEST_F(LabCopy, FollowsALinkAndKeepsIt) {
    const auto link = folder_.path() / "link.ropelab";
    std::filesystem::create_symlink("elsewhere/copy.ropelab", link);  // names no file yet
    lab_->save_as(link);
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_TRUE(std::filesystem::is_regular_file(target_));
    lab_->save_as(link);  // replaces the file that the link names
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    auto copy = LabFile::open(link);
    EXPECT_EQ(copy->path(), target_);
    EXPECT_EQ(checkpoint_value(*copy, 2), 2.5F);
    copy.reset();
    EXPECT_EQ(files_in(target_.parent_path()), 2U) << "the file and its checkpoint folder, and nothing beside the link";
}

TEST_F(LabCopy, FindsCheckpointsBesideALink) {
    lab_->save_as(target_);
    const auto link = folder_.path() / "link.ropelab";
    std::filesystem::create_symlink(target_, link);
    const auto beside = [](std::filesystem::path lab) { return lab += ".checkpoints"; };
    std::filesystem::rename(beside(target_), beside(link));  // as earlier versions stored them
    EXPECT_EQ(checkpoint_value(*LabFile::open(link), 1), 1.5F);
}

TEST_F(LabCopy, ALinkThatNamesItselfIsRejected) {
    const auto link = folder_.path() / "link.ropelab";
    std::filesystem::create_symlink(link, link);
    EXPECT_THROW(lab_->save_as(link), BadInput);
}

// A lab whose program was killed has a log, which SQLite must not replay into the copy.
TEST_F(LabCopy, ReplacesALabThatWasNotClosed) {
    const auto away = folder_.path() / "away";
    std::filesystem::create_directory(away);
    {
        const auto old = lab_with_runs(away / "old.ropelab", 1);
        old->record(trained(1, 500));
        for (const char* suffix : {"", "-wal"}) {
            std::filesystem::copy_file((away / "old.ropelab").string() + suffix, target_.string() + suffix);
        }
    }
    ASSERT_TRUE(std::filesystem::exists(target_.string() + "-wal"));
    lab_->save_as(target_);
    EXPECT_EQ(LabFile::open(target_)->run(1).iteration, 40);
}

TEST_F(LabCopy, RejectsInvalidTargetsAndLeavesThemUnchanged) {
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab_->save_as(lab_->path()), BadInput), HasSubstr("is the open lab file itself"));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab_->save_as(folder_.path()), BadInput), HasSubstr("is not a file"));
    const auto thesis = folder_.write("thesis.pdf", "years of work");
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab_->save_as(thesis), BadInput), HasSubstr("is not a RoPE Lab file"));
    EXPECT_EQ(read_file(thesis), "years of work");
    EXPECT_THROW(lab_->save_as(folder_.path() / "no folder" / "x.ropelab"), BadInput);
    {
        const auto open = lab_with_runs(target_, 5);
        EXPECT_THAT(ROPELAB_SENTENCE_OF(lab_->save_as(target_), BadInput), HasSubstr("is open in another"));
    }
    EXPECT_EQ(LabFile::open(target_)->runs().size(), 5U);
}

// If the last step of a save fails, all earlier steps are undone.
TEST_F(LabCopy, AnUnreadableCheckpointAbortsTheSave) {
    {
        const auto old = lab_with_runs(target_, 5);
        write_checkpoint_of(*old, 5, 5.0F);
    }
    std::filesystem::remove(lab_->checkpoint_path(2));
    std::filesystem::create_directory(lab_->checkpoint_path(2));
    EXPECT_THROW(lab_->save_as(target_), BadInput);
    const auto old = LabFile::open(target_);
    EXPECT_EQ(old->runs().size(), 5U);
    EXPECT_EQ(checkpoint_value(*old, 5), 5.0F);
    EXPECT_EQ(files_in(target_.parent_path()),
              4U);  // the open lab with its log and log index, and its checkpoint folder
}

TEST_F(LabCopy, RejectsATargetWithForeignCheckpoints) {
    std::filesystem::create_directory(target_.string() + ".checkpoints");
    lab_->save_as(target_);  // an empty checkpoint folder is accepted
    std::filesystem::remove(target_);
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab_->save_as(target_), BadInput), HasSubstr("checkpoints of another lab"));
}

TEST_F(LabCopy, CopiesWhileAnotherConnectionWrites) {
    const auto writer = LabFile::open(lab_->path());
    writer->record(trained(2, 100));
    lab_->save_as(target_);
    EXPECT_EQ(LabFile::open(target_)->run(2).iteration, 100);
    EXPECT_EQ(lab_->run(2).iteration, 100);
}

}  // namespace
}  // namespace ropelab
