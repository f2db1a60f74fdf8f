#include "core/results/decision_aid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ropelab {
namespace {

using testing::ElementsAre;

std::vector<std::size_t> front_of(const std::vector<Costs>& choices) {
    return pareto_front(choices);
}

TEST(ParetoFront, ContainsTheChoicesThatNoOtherChoiceDominates) {
    EXPECT_THAT(front_of({{3, 1}, {1, 3}, {2, 2}, {2, 2.5}, {3, 3}}), ElementsAre(1, 2, 0));
    EXPECT_THAT(front_of({{1, 1}, {2, 2}}), ElementsAre(0));
    EXPECT_THAT(front_of({}), ElementsAre());
}

TEST(ParetoFront, HandlesTies) {
    EXPECT_THAT(front_of({{1, 2}, {1, 1}}), ElementsAre(1));
    EXPECT_THAT(front_of({{1, 1}, {2, 1}}), ElementsAre(0));
    EXPECT_THAT(front_of({{1, 1}, {1, 1}}), ElementsAre(0, 1));  // equal choices are both on the front
}

TEST(ParetoFront, ExcludesChoicesWithCostsThatAreNotFinite) {
    EXPECT_THAT(front_of({{1, std::nan("")}, {INFINITY, 0}, {2, 2}}), ElementsAre(2));
}

}  // namespace
}  // namespace ropelab
