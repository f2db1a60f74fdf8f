#include "core/base/processor.h"

#include <gtest/gtest.h>

namespace ropelab {
namespace {

TEST(Processor, HasANameInOneLine) {
    EXPECT_FALSE(processor_name().empty());
    EXPECT_EQ(processor_name().find_first_of("\n:"), std::string::npos);
    EXPECT_EQ(&processor_name(), &processor_name()) << "it is read once";
}

}  // namespace
}  // namespace ropelab
