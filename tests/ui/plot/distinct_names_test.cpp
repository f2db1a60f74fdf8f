#include "ui/plot/distinct_names.h"

#include <gtest/gtest.h>

namespace ropelab::ui {
namespace {

TEST(DistinctNames, RemoveCommonParts) {
    EXPECT_EQ(distinctNames({"θ 10k, 100 %, seed 3, learning rate 0.01", "θ 10k, 100 %, seed 3, learning rate 0.001"}),
              QStringList({"learning rate 0.01", "learning rate 0.001"}));
    EXPECT_EQ(distinctNames({"θ 500, 100 %, seed 1", "θ 500, 2 ch, seed 2"}),
              QStringList({"100 %, seed 1", "2 ch, seed 2"}));
}

TEST(DistinctNames, RemoveACommonPrefix) {
    EXPECT_EQ(distinctNames({"learned + θ 10k, 100 %", "learned + no rotation, 100 %"}),
              QStringList({"θ 10k", "no rotation"}));
    const QStringList other = {"learned + θ 10k", "learned"};
    EXPECT_EQ(distinctNames(other), other);
}

TEST(DistinctNames, BeginWithRareParts) {
    EXPECT_EQ(distinctNames({"no rotation, llama, seed 1", "no rotation, pythia, seed 1", "no rotation, pythia, seed 2",
                             "2 ch, pythia, seed 2"})
                  .first(),
              "llama, seed 1, no rotation");
}

TEST(DistinctNames, RemoveRedundantParts) {
    EXPECT_EQ(distinctNames({"no rotation, context 512, block llama, batch 2, rate 0.1, last rate 0.01",
                             "no rotation, context 512, block llama, batch 2, rate 0.01, last rate 0.001",
                             "no rotation, context 128, block pythia, batch 8, rate 0.1, last rate 0.01",
                             "2 ch, context 128, block pythia, batch 8, rate 0.1, last rate 0.01"}),
              QStringList({"context 512, no rotation, rate 0.1", "rate 0.01, context 512, no rotation",
                           "context 128, no rotation, rate 0.1", "2 ch, context 128, rate 0.1"}));
    EXPECT_EQ(distinctNames({"θ 500, 25 %", "θ 10k, 100 %"}), QStringList({"θ 500, 25 %", "θ 10k, 100 %"}));
}

TEST(ListedNames, ShortensOnlyIfMostNamesAreLong) {
    const QString one = "no rotation, context 512, block llama, seed 1337";
    const QString other = "no rotation, context 512, block llama, seed 1338";
    EXPECT_EQ(listedNames({one, other, "mine, of today"}), QStringList({"seed 1337", "seed 1338", "mine, of today"}));
    EXPECT_EQ(listedNames({one, "θ 500", "θ 10k"}), QStringList({one, "θ 500", "θ 10k"}));
    EXPECT_EQ(listedNames({one}), QStringList({one}));
    EXPECT_TRUE(listedNames({}).isEmpty());
}

TEST(DistinctNames, DoNotReorderShortNames) {
    const QStringList names = {"no rotation", "θ 10k, 2 ch", "θ 10k, 100 %", "θ 1M, 100 %"};
    EXPECT_EQ(distinctNames(names), names);
}

TEST(DistinctNames, AreNeverEmpty) {
    EXPECT_EQ(distinctNames({"θ 500, 100 %"}), QStringList({"θ 500, 100 %"}));
    EXPECT_EQ(distinctNames({"mine", "mine"}), QStringList({"mine", "mine"}));
    EXPECT_EQ(distinctNames({"θ 500", "θ 500, seed 2"}), QStringList({"θ 500", "seed 2"}));
    EXPECT_TRUE(distinctNames({}).isEmpty());
    const QStringList reordered = {"no rotation, context 512", "context 512, no rotation", "no rotation, context 512"};
    EXPECT_EQ(distinctNames(reordered), reordered);
}

}  // namespace
}  // namespace ropelab::ui
