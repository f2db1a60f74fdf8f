#include <gtest/gtest.h>

#include <vector>

#include "tests/core/store/lab_runs.h"

namespace ropelab {
namespace {

using Looks = std::vector<SettingLook>;

TEST(LabLooks, AreStoredAndReplaced) {
    const ScratchFolder folder;
    const auto path = folder.path() / "colors.ropelab";
    {
        const auto lab = LabFile::create(path);
        EXPECT_TRUE(lab->setting_looks().empty());
        lab->set_setting_looks(Looks{{R"({"theta":500})", 3, false}, {R"({"theta":1000})", 0, false}});
        lab->set_setting_looks(Looks{{R"({"theta":500})", 5, true}});
    }
    const Looks expected = {{R"({"theta":500})", 5, true}, {R"({"theta":1000})", 0, false}};
    EXPECT_EQ(LabFile::open(path, LabFile::Mode::read)->setting_looks(), expected);
}

TEST(LabLooks, MergingKeepsTheColoursOfThisLabAndAdoptsFreeOnes) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder.path() / "this.ropelab");
    lab->set_setting_looks(Looks{{"a", 0, false}, {"b", 1, false}});
    {
        const auto other = LabFile::create(folder.path() / "other.ropelab");
        other->set_setting_looks(Looks{{"b", 4, true}, {"c", 0, false}, {"d", 7, true}});
    }
    lab->merge(folder.path() / "other.ropelab");
    // b has a colour here, and that of c is taken, so c gets a colour when it is first shown.
    const Looks expected = {{"a", 0, false}, {"b", 1, false}, {"d", 7, true}};
    EXPECT_EQ(lab->setting_looks(), expected);
}

TEST(LabLooks, NamesAreStoredAndMerged) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder.path() / "this.ropelab");
    lab->set_setting_looks(Looks{{"a", 0, false, "short"}, {"b", 1, false}});
    EXPECT_EQ(lab->setting_looks().front().name, "short");
    lab->set_setting_looks(Looks{{"a", 0, false, "shorter"}});
    {
        const auto other = LabFile::create(folder.path() / "other.ropelab");
        other->set_setting_looks(
            Looks{{"a", 3, false, "other"}, {"b", 4, false, "long"}, {"c", 1, false, "taken"}, {"d", 0, false}});
    }
    lab->merge(folder.path() / "other.ropelab");
    // c gets a colour after all others, because its own is taken here, and so keeps its name.
    const Looks expected = {{"a", 0, false, "shorter"}, {"b", 1, false, "long"}, {"c", 2, false, "taken"}};
    EXPECT_EQ(lab->setting_looks(), expected);
}

TEST(LabLooks, StayWhenTheRunsAreRemoved) {
    const ScratchFolder folder;
    const auto lab = lab_with_runs(folder.path() / "removed.ropelab", 1);
    lab->set_setting_looks(Looks{{lab->run(1).settings, 2, false}});
    lab->delete_run(1);
    lab->purge();
    ASSERT_EQ(lab->setting_looks().size(), 1U);
    EXPECT_EQ(lab->setting_looks().front().color, 2);
}

}  // namespace
}  // namespace ropelab
