// The verb reproduce, at the smoke scale of sheets: runs of eight steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/store/lab_file.h"
#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

class ReproduceVerbTest : public testing::Test {
 protected:
    // No text on the disk: generated ones stand in, which are short.
    Finished reproduce(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "reproduce");
        return ropelab_cli(arguments, "", "ROPELAB_DATA= XDG_CACHE_HOME=" + folder_.path().string());
    }

    ScratchFolder folder_;
    std::string lab_ = (folder_ / "sheet.ropelab").string();
};

TEST_F(ReproduceVerbTest, ListsTheSheetsAndShowsAPlanWithoutTraining) {
    const auto list = reproduce({"--list", "--json"});
    ASSERT_EQ(list.status, 0) << list.err;
    EXPECT_EQ(list.json().at("sheets").size(), 6U);
    EXPECT_THAT(reproduce({"--list"}).out, HasSubstr("nope-spikes"));
    const auto plan = reproduce({"theta-table-2", "--scale", "laptop", "--plan", "--json"});
    ASSERT_EQ(plan.status, 0) << plan.err;
    EXPECT_EQ(plan.json().at("runs").size(), 120U);  // two stand-ins, six bases, ten seeds
    EXPECT_GT(plan.json().at("estimate").at("seconds"), 0);
    EXPECT_FALSE(plan.json().at("predictions").empty());
    EXPECT_THAT(reproduce({"partial-bands", "--plan"}).out, HasSubstr("Two one-sided tests"));
}

TEST_F(ReproduceVerbTest, ASheetIsTrainedJudgedAndGoesOn) {
    const auto first = reproduce({"bpc", "--lab", lab_, "--json"});
    ASSERT_EQ(first.status, 0) << first.err;
    const auto rows = first.json().at("rows");
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].at("verdict"), "shown");
    EXPECT_EQ(rows[1].at("position"), "rope");
    EXPECT_EQ(rows[1].at("measure"), "bits_per_character");
    EXPECT_EQ(rows[1].at("values").size(), 2U);
    EXPECT_EQ(rows[1].at("verdict"), "not testable at this scale");
    EXPECT_THAT(rows[1].at("words").get<std::string>(), HasSubstr("The rule alone would say"));
    EXPECT_TRUE(rows[1].at("paper").is_null());
    EXPECT_THAT(first.json().at("notes").dump(), HasSubstr("In place of enwik8"));
    {
        const auto lab = LabFile::open(lab_, LabFile::Mode::read);
        EXPECT_EQ(lab->documents(1).size(), 2U);
        EXPECT_EQ(lab->runs().size(), 8U);
    }
    // Nothing is left: the same numbers again.
    const auto again = reproduce({"bpc", "--lab", lab_, "--resume", "--json"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(again.json(), first.json());
    EXPECT_BAD_INPUT(reproduce({"theta-speed", "--lab", lab_}), "holds the sheet bpc at smoke scale, 2 seeds");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--lab", lab_, "--seeds", "3"}), "2 seeds");
}

// A lab whose runs have not all ended goes on, and ends with the numbers of one that was left alone.
TEST_F(ReproduceVerbTest, UnfinishedRunsAreTakenUp) {
    const auto alone = reproduce({"bpc", "--json"});
    ASSERT_EQ(alone.status, 0) << alone.err;
    ASSERT_EQ(reproduce({"bpc", "--lab", lab_}).status, 0);
    {
        const auto lab = LabFile::open(lab_);
        std::vector<Event> cut;
        for (const RunId run : {3, 6}) {
            std::filesystem::remove(lab->checkpoint_path(run));
            cut.emplace_back(event::RunEnded{run, RunState::stopped, "", {}});
        }
        lab->record(cut);
    }
    const auto resumed = reproduce({"bpc", "--lab", lab_, "--json"});
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(resumed.json().at("rows"), alone.json().at("rows"));
}

TEST_F(ReproduceVerbTest, RunsTrainOneByOneWhereTheirTimesAreCompared) {
    const auto finished = reproduce({"theta-speed", "--json"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    int unreachable = 0;
    const auto json = finished.json();
    for (const auto& row : json.at("rows")) {
        const bool op_by_op = row.at("position") == "op by op";
        unreachable += op_by_op;
        if (op_by_op) {
            EXPECT_EQ(row.at("verdict"), "not testable at this scale");
            EXPECT_TRUE(row.at("ours").at("mean").is_null());
        } else if (!row.at("values").empty()) {
            EXPECT_GT(row.at("ours").at("mean").get<double>(), 0) << row.dump();
        }
    }
    EXPECT_EQ(unreachable, 2);
    EXPECT_THAT(reproduce({"theta-speed", "--plan"}).out, HasSubstr("Runs: 16, one by one"));
}

TEST_F(ReproduceVerbTest, BlocksAndFractionsOfTheOtherPaper) {
    for (const char* name : {"nope-spikes", "partial-bands"}) {
        const auto finished = reproduce({name, "--json"});
        ASSERT_EQ(finished.status, 0) << finished.err;
        const auto json = finished.json();
        EXPECT_GT(json.at("rows").size(), 15U);
        for (const auto& row : json.at("rows")) {
            const bool is_published = row.at("measure") == "lambada_perplexity";  // shown beside ours
            EXPECT_EQ(row.at("values").size(), is_published ? 0U : 2U) << row.dump();
            EXPECT_NE(row.at("paper").is_null(), is_published) << row.dump();
            EXPECT_NE(row.at("verdict"), "unfinished") << row.dump();
        }
    }
}

TEST_F(ReproduceVerbTest, RefusesWhatItCannotDo) {
    EXPECT_BAD_INPUT(reproduce({}), "--list");
    EXPECT_BAD_INPUT(reproduce({"bcp"}), "did you mean bpc?");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--scale", "huge"}), "smoke, laptop or paper");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--seeds", "1"}), "between 2 and 1000");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--scale", "paper"}), "data fetch enwik8");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--lab", lab_, "--resume"}), "no lab");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--resume"}), "--lab");
    folder_.write("sheet.ropelab", "hello");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--lab", lab_}), "sheet.ropelab");
    std::filesystem::remove(lab_);
    LabFile::create(lab_);
    EXPECT_BAD_INPUT(reproduce({"bpc", "--lab", lab_}), "holds no sheet");
}

}  // namespace
}  // namespace ropelab
