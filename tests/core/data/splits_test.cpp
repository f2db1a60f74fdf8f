#include "core/data/text_source.h"

#include <gtest/gtest.h>

namespace ropelab {
namespace {

TEST(Splits, MatchNanoGptAndTheCustomarySizes) {
    // nanoGPT's prepare.py prints these sizes for Tiny Shakespeare.
    EXPECT_EQ(split_sizes(1'115'394, Split::ninety_ten), (SplitSizes{1'003'854, 111'540, 0}));
    EXPECT_EQ(split_sizes(100'000'000, Split::ninety_five_five), (SplitSizes{90'000'000, 5'000'000, 5'000'000}));
    EXPECT_EQ(split_sizes(13, Split::ninety_five_five), (SplitSizes{11, 1, 1}));
}

TEST(Splits, CoverTheTextWithoutOverlap) {
    for (std::int64_t tokens = 0; tokens < 3000; ++tokens) {
        for (const Split split : {Split::ninety_ten, Split::ninety_five_five}) {
            const SplitSizes sizes = split_sizes(tokens, split);
            EXPECT_EQ(sizes.training + sizes.validation + sizes.test, tokens);
            EXPECT_GE(sizes.validation, 0);
            EXPECT_GE(sizes.test, 0);
        }
    }
}

}  // namespace
}  // namespace ropelab
