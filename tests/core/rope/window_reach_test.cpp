#include "core/rope/encodings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ropelab {
namespace {

using testing::ElementsAre;

// Follows the attention of the last token down through the layers, token by token.
std::vector<std::int64_t> followed_fields(const std::vector<std::int64_t>& windows, std::int64_t context) {
    std::vector<std::int64_t> fields(windows.size());
    std::vector<bool> is_needed(static_cast<std::size_t>(context), false);
    is_needed.back() = true;
    for (std::size_t layer = windows.size(); layer-- > 0;) {
        std::vector<bool> below = is_needed;
        for (std::int64_t query = 0; query < context; ++query) {
            if (!is_needed[static_cast<std::size_t>(query)]) continue;
            for (std::int64_t key = 0; key <= query; ++key) {
                if (attends(query, key, windows[layer])) below[static_cast<std::size_t>(key)] = true;
            }
        }
        is_needed = below;
        fields[layer] = std::count(is_needed.begin(), is_needed.end(), true);
    }
    return fields;
}

TEST(WindowReach, GrowsByTheWindowLessOneTokenPerLayer) {
    EXPECT_THAT(receptive_fields(std::vector<std::int64_t>(4, 16), 1024), ElementsAre(61, 46, 31, 16));
    EXPECT_THAT(receptive_fields(std::vector<std::int64_t>(4, 16), 40), ElementsAre(40, 40, 31, 16));
    EXPECT_THAT(receptive_fields(std::vector<std::int64_t>(3, 1), 40), ElementsAre(1, 1, 1));
    EXPECT_THAT(receptive_fields({}, 40), ElementsAre());
}

TEST(WindowReach, AgreesWithTheAttentionOfEachToken) {
    for (const std::vector<std::int64_t>& windows : std::vector<std::vector<std::int64_t>>{
             {3, 3, 3}, {5, 1, 2, 7}, {4, 4, 0, 4}, {0, 3, 3}, {3, 3, 0}, {0}, {2, 90, 2}}) {
        EXPECT_EQ(receptive_fields(windows, 50), followed_fields(windows, 50));
    }
}

TEST(WindowReach, EveryNthLayerIsFull) {
    EXPECT_THAT(layer_windows(8, 16, 4), ElementsAre(16, 16, 16, 0, 16, 16, 16, 0));
    EXPECT_THAT(layer_windows(3, 16, 0), ElementsAre(16, 16, 16));
    EXPECT_THAT(layer_windows(2, 16, 1), ElementsAre(0, 0));
    EXPECT_THAT(receptive_fields(layer_windows(4, 16, 4), 1000), ElementsAre(1000, 1000, 1000, 1000));
}

}  // namespace
}  // namespace ropelab
