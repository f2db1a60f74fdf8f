#include "core/data/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ropelab {
namespace {

TEST(Utf8, RoundTripsEveryCodePoint) {
    for (char32_t code = 0; code <= 0x10FFFF; ++code) {
        if (!is_unicode_scalar(code)) continue;
        std::string text;
        append_utf8(text, code);
        const DecodedCharacter decoded = decode_utf8(text, 0);
        ASSERT_EQ(decoded.code, code);
        ASSERT_EQ(decoded.length, text.size());
    }
}

TEST(Utf8, ReportsTheOffsetOfInvalidBytes) {
    const std::vector<std::pair<std::string, std::size_t>> cases = {
        {"\x80", 0},                  // a tail byte alone
        {"ab\xC0\x80", 2},            // overlong NUL
        {"ab\xC1\xBF", 2},            // overlong
        {"\xE0\x80\x80", 0},          // overlong
        {"é\xF0\x80\x80\x80", 2},     // overlong
        {"x\xED\xA0\x80", 1},         // a surrogate
        {"\xF4\x90\x80\x80", 0},      // above U+10FFFF
        {"\xF8\x88\x80\x80\x80", 0},  // five bytes
        {"abc\xE2\x82", 3},           // cut
        {"a\xE2\x28\xA1", 1},         // a wrong tail byte
        {"\xFF", 0},
    };
    for (const auto& [text, offset] : cases)
        EXPECT_EQ(first_invalid_utf8(text), offset) << testing::PrintToString(text);
    EXPECT_EQ(first_invalid_utf8("né €😀"), std::nullopt);
    EXPECT_EQ(first_invalid_utf8(""), std::nullopt);
}

TEST(Utf8, MakesInvisibleCharactersPrintable) {
    EXPECT_EQ(printable_character(U'\n'), "\\n");
    EXPECT_EQ(printable_character(U' '), "space");
    EXPECT_EQ(printable_character(0xFEFF), "U+FEFF");
    EXPECT_EQ(printable_character(0x7), "U+0007");
    EXPECT_EQ(printable_character(0xE9), "é");
}

TEST(Utf8, ControlCharactersAreReplacedByTheirCodePoints) {
    EXPECT_EQ(without_controls("a\x1b[31mb\u0085\x7f\tc\nθ"), "aU+001B[31mbU+0085U+007F\tc\nθ");
    EXPECT_EQ(without_controls("\xff ok"), "\xff ok");
    EXPECT_EQ(without_controls("a,b\r\nover\rwritten"), "a,b\r\nover\\rwritten") << "lines of CSV end with both";
}

TEST(Utf8, MessagesShortenWordsAndQuotedParts) {
    EXPECT_EQ(message_text("The value \"a b\" of x\x1b is wrong."), "The value \"a b\" of xU+001B is wrong.");
    const std::string path = "/home/" + std::string(500, 'x') + "/lab.ropelab";
    const std::string quoted = "\"" + std::string(300, ' ') + "\"";
    const std::string text = message_text("The file " + path + " and " + quoted + " end.");
    EXPECT_TRUE(text.starts_with("The file /home/xxx")) << text;
    EXPECT_NE(text.find("x/lab.ropelab and \" "), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with(" \" end.")) << text;
    EXPECT_LT(text.size(), 450U);
    std::string greek;
    for (int i = 0; i < 300; ++i) greek += "θ";
    EXPECT_FALSE(first_invalid_utf8(message_text(greek))) << "characters are not cut";
}

}  // namespace
}  // namespace ropelab
