#include "ui/plot/distinct_names.h"

#include <gtest/gtest.h>

namespace ropelab::ui {
namespace {

TEST(DistinctNames, KeepWhatTellsThemApart) {
    EXPECT_EQ(distinctNames({"θ 10k, 100 %, seed 3, learning rate 0.01", "θ 10k, 100 %, seed 3, learning rate 0.001"}),
              QStringList({"learning rate 0.01", "learning rate 0.001"}));
    EXPECT_EQ(distinctNames({"θ 500, 100 %, seed 1", "θ 500, 2 ch, seed 2"}),
              QStringList({"100 %, seed 1", "2 ch, seed 2"}));
}

TEST(DistinctNames, AStartThatAllHaveIsLeftOut) {
    EXPECT_EQ(distinctNames({"learned + θ 10k, 100 %", "learned + no rotation, 100 %"}),
              QStringList({"θ 10k", "no rotation"}));
    const QStringList other = {"learned + θ 10k", "learned"};
    EXPECT_EQ(distinctNames(other), other);
}

TEST(DistinctNames, BeginWithWhatFewHave) {
    EXPECT_EQ(distinctNames({"no rotation, llama, seed 1", "no rotation, pythia, seed 1", "no rotation, pythia, seed 2",
                             "2 ch, pythia, seed 2"})
                  .first(),
              "llama, seed 1, no rotation");
}

TEST(DistinctNames, ShortOnesReadAsEverywhere) {
    const QStringList names = {"no rotation", "θ 10k, 2 ch", "θ 10k, 100 %", "θ 1M, 100 %"};
    EXPECT_EQ(distinctNames(names), names);
}

TEST(DistinctNames, NeverLeaveNothing) {
    EXPECT_EQ(distinctNames({"θ 500, 100 %"}), QStringList({"θ 500, 100 %"}));
    EXPECT_EQ(distinctNames({"mine", "mine"}), QStringList({"mine", "mine"}));
    EXPECT_EQ(distinctNames({"θ 500", "θ 500, seed 2"}), QStringList({"θ 500", "seed 2"}));
    EXPECT_TRUE(distinctNames({}).isEmpty());
}

}  // namespace
}  // namespace ropelab::ui
