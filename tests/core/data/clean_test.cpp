#include "core/data/clean.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/core/data/scratch.h"

namespace ropelab {
namespace {

std::string wiki(const std::string& inside) {
    return clean_text("<page><text xml:space=\"preserve\">" + inside + "</text></page>", Cleaning::wiki);
}

TEST(Clean, PlainTextKeepsLettersAndSpellsDigits) {
    EXPECT_EQ(clean_text("Hello, World! 42"), " hello world four two");
    EXPECT_EQ(clean_text("a1b"), " a one b");
    EXPECT_EQ(clean_text("0123456789"), " zero one two three four five six seven eight nine");
    EXPECT_EQ(clean_text("caf\u00e9s\r\n\r\nx"), " caf s x");
    EXPECT_EQ(clean_text("<b>bold</b> [[x|y]] &amp;"), " b bold b x y amp");
    EXPECT_EQ(clean_text(" \n.,"), "");
    EXPECT_EQ(clean_text(""), "");
}

TEST(Clean, AppliesEachWikiRule) {
    EXPECT_EQ(wiki("before {{cite|x}} after"), " before after");
    EXPECT_EQ(wiki("a {table} b"), " a b");
    EXPECT_EQ(wiki("[[anarchy]] [[page name|shown words]]"), " anarchy shown words");
    EXPECT_EQ(wiki("[[Image:a.jpg|thumb|left|120px|The caption]]"), " the caption");
    EXPECT_EQ(wiki("[[Category:Ideas|*]]"), " ideas");
    EXPECT_EQ(wiki("x [[de:Anarchismus]] y"), " x y");
    EXPECT_EQ(wiki("[http://a.org/b.html the words]"), " the words");
    EXPECT_EQ(wiki("a&lt;ref name=x&gt;source&lt;/ref&gt; b"), " a b");
    EXPECT_EQ(wiki("a &lt;br&gt; b"), " a b");
    EXPECT_EQ(wiki("rock &amp;amp; roll &amp;nbsp; x"), " rock roll x");
    EXPECT_EQ(wiki("#REDIRECT [[elsewhere]]"), "");
    EXPECT_EQ(clean_text("<title>not shown</title><text >shown</text><id>7</id>", Cleaning::wiki), " shown");
}

TEST(Clean, RecognizesAWikipediaDump) {
    EXPECT_TRUE(looks_like_wiki_dump("<mediawiki xmlns=\"x\">"));
    EXPECT_TRUE(looks_like_wiki_dump("<page><title>x</title><text xml:space=\"preserve\">"));
    EXPECT_FALSE(looks_like_wiki_dump("<html><body>text</body></html>"));
    EXPECT_EQ(clean_text("<mediawiki><title>t</title><text x>words</text>"), " words");
}

TEST(Clean, LeavesOnlyLettersAndSingleSpacesAndIsIdempotent) {
    std::mt19937 random(3);
    const std::string pieces[] = {"<text x>", "</text>", "<", ">", "&lt;ref", "&lt;/ref&gt;", "[[", "]]", "[",  "]",
                                  "{{",       "}}",      "{", "}", "|",       "[[image:",     "&",  ";",  "\n", "Word",
                                  "7",        "\xC3",    " ", ":", "|12px",   "[http:",       "-",  "a"};
    for (int round = 0; round < 300; ++round) {
        std::string text = "<text x>";
        for (int i = 0; i < 200; ++i) text += pieces[random() % std::size(pieces)];
        for (const Cleaning cleaning : {Cleaning::plain, Cleaning::wiki}) {
            const std::string cleaned = clean_text(text, cleaning);
            EXPECT_EQ(cleaned.find_first_not_of("abcdefghijklmnopqrstuvwxyz "), std::string::npos);
            EXPECT_EQ(cleaned.find("  "), std::string::npos);
            EXPECT_EQ(clean_text(cleaned, Cleaning::plain), cleaned);
        }
    }
}

TEST(Clean, RunsInLinearTimeForUnclosedMarkup) {
    // A backtracking filter would need minutes for each of these texts and would exceed the test's time limit.
    for (const char* opening : {"[[", "{{", "&", "<ref", "[[image:", "[[category:", "[[a:", "[http:", "|1"}) {
        std::string text = "<text x>";
        while (text.size() < 2'000'000) text += opening;
        EXPECT_LT(clean_text(text, Cleaning::wiki).size(), 3 * text.size());
    }
}

TEST(Clean, ConvertsTheBeginningOfEnwik8IntoTheBeginningOfText8) {
    const auto enwik8 = shared_text("enwik8.first-4154399-bytes");
    const auto text8 = shared_text("text8.first-6877825-bytes");
    if (enwik8.empty() || text8.empty()) GTEST_SKIP() << "The shared test data are not installed.";
    const std::string source = read_file(enwik8);
    EXPECT_TRUE(looks_like_wiki_dump(source));
    const std::string cleaned = clean_text(source);
    ASSERT_GT(cleaned.size(), 3'000'000u);
    EXPECT_TRUE(read_file(text8).starts_with(cleaned));
}

}  // namespace
}  // namespace ropelab
