#include "core/data/json_text.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using nlohmann::json;

std::string nested(int levels) {
    return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']');
}

TEST(JsonText, AtMost64LevelsAreParsed) {
    EXPECT_EQ(parse_bounded(nested(64)).dump(), nested(64));
    EXPECT_MESSAGE(parse_bounded(nested(65)), json::parse_error, "nested more than 64 levels deep");
    EXPECT_TRUE(parse_bounded(std::string(1 << 20, '{'), nullptr, false).is_discarded());
    EXPECT_EQ(parse_bounded(R"(["[[[\"[[", [[]]])").size(), 2U);  // brackets in strings are no levels
    EXPECT_EQ(parse_bounded("[" + nested(63) + "," + nested(63) + "]").size(), 2U);
    EXPECT_THROW(parse_unique(nested(65), "The file"), json::parse_error);
}

TEST(JsonText, NamesKeysThatOccurTwiceInOneObject) {
    const auto repeated = [](const std::string& text) {
        std::string all;
        parse_bounded(
            text, [&](const std::string& key) { all += key + " "; }, false);
        return all;
    };
    EXPECT_EQ(repeated(R"({"a":{"a":1,"b":[{"a":2},{"a":3}]},"b":1})"), "");
    EXPECT_EQ(repeated(R"({"a":1,"b":{"c":1,"c":2},"a":3})"), "c a ");
    EXPECT_EQ(repeated(R"({"a":1,"a":)"), "a ");
    EXPECT_MESSAGE(parse_unique(R"({"x":1,"x":2})", "The file"), BadInput, "The file names \"x\" twice");
    EXPECT_THROW(parse_unique("{", "The file"), json::parse_error);
}

TEST(JsonText, SaysWhatIsWrong) {
    const auto trouble = [](const std::string& text) {
        try {
            parse_bounded(text);
            return std::string();
        } catch (const json::parse_error& error) {
            return trouble_of(error);
        }
    };
    EXPECT_EQ(trouble("[1"), "there is a syntax error near byte 3");
    EXPECT_EQ(trouble(nested(70)), "it is nested more than 64 levels deep");
}

}  // namespace
}  // namespace ropelab
