#include "core/base/selection.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using Chosen = std::vector<bool>;

TEST(Selection, ParsesAllNumbersRangesAndPatterns) {
    EXPECT_EQ(selection("all", 3, "pairs"), Chosen({true, true, true}));
    EXPECT_EQ(selection("0-1+4", 6, "pairs"), Chosen({true, true, false, false, true, false}));
    EXPECT_EQ(selection("2", 3, "pairs"), Chosen({false, false, true}));
    EXPECT_EQ(selection("3of4", 6, "rotated_layers"), Chosen({true, true, true, false, true, true}));
    EXPECT_EQ(selection("0of1", 2, "rotated_layers"), Chosen({false, false}));
}

TEST(Selection, ThrowsForOtherTextsAndNumbersThatAreTooLarge) {
    for (const char* text : {"some", "1-", "-1", "2-1", "1,2", "1++2", "of4", "5of4", "1of0", "1.5"}) {
        EXPECT_THROW(selection(text, 8, "pairs"), BadInput) << text;
    }
    EXPECT_MESSAGE(selection("0-8", 8, "pairs"), BadInput,
                   "The setting pairs is \"0-8\", but its numbers must be between 0 and 7; 8 is too large.");
    EXPECT_MESSAGE(
        selection("5of4", 8, "rotated_layers"), BadInput,
        "The setting rotated_layers is \"5of4\", but a pattern must look like 3of4, which means the first three "
        "of every four.");
}

}  // namespace
}  // namespace ropelab
