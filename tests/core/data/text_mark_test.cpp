#include "core/data/text_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/data/corpus.h"
#include "tests/core/data/scratch.h"

namespace ropelab {
namespace {

using testing::HasSubstr;
using testing::Not;

RunSpec spec_of(const std::string& data) {
    RunSpec spec;
    spec.data = data;
    return spec;
}

TEST(TextMark, ContainsNameSizeAndChecksum) {
    const TextMark mark = mark_of(spec_of("a.txt"), "abc");
    EXPECT_EQ(mark.name, "a.txt");
    EXPECT_EQ(mark.bytes, 3);
    // The test vector of FIPS 180-4.
    EXPECT_EQ(mark.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(TextMark, SyntheticTextNameContainsSeedAndLength) {
    RunSpec spec = spec_of("synthetic");
    spec.data_length = 20000;
    EXPECT_EQ(text_name(spec), "synthetic (seed 1, 20,000 characters)");
    spec.data_seed = 7;
    EXPECT_EQ(text_name(spec), "synthetic (seed 7, 20,000 characters)");
    EXPECT_EQ(text_name(spec_of("enwik8")), "enwik8");
}

TEST(TextMark, CorpusStoresTheMarkOfItsText) {
    const ScratchFolder folder;
    std::string text;
    for (int i = 0; i < 300; ++i) text += "the quick brown fox\n";
    RunSpec spec = spec_of(folder.write("a.txt", text).string());
    spec.context = 16;
    const auto corpus = open_corpus(spec);
    EXPECT_EQ(corpus->text, mark_of(spec, text));
}

TEST(TextMark, RecognizesOnlyACompleteKnownSet) {
    const KnownSet& enwik8 = known_set("enwik8");
    EXPECT_TRUE(is_whole_known_set({"enwik8", enwik8.bytes, enwik8.checksum.hex}));
    EXPECT_FALSE(is_whole_known_set({"enwik8", 60000, enwik8.checksum.hex}));
    EXPECT_FALSE(is_whole_known_set({"enwik8", enwik8.bytes, std::string(64, '0')}))
        << "a different file of the same length";
    EXPECT_FALSE(is_whole_known_set({"tinyshakespeare", enwik8.bytes, enwik8.checksum.hex}));
    EXPECT_FALSE(is_whole_known_set({"a.txt", 3, std::string(64, '0')}));
    EXPECT_TRUE(is_whole_known_set({"text8", known_set("text8").bytes, std::string(64, '0')}));
}

TEST(TextMark, RejectsADifferentTextBySizeOrChecksum) {
    const TextMark then = mark_of(spec_of("a.txt"), std::string(60000, 'a'));
    EXPECT_NO_THROW(require_same_text(then, then));
    const TextMark longer = mark_of(spec_of("a.txt"), std::string(61000, 'a'));
    const std::string sizes = ROPELAB_SENTENCE_OF(require_same_text(longer, then), BadInput);
    EXPECT_THAT(sizes, HasSubstr("The text \"a.txt\" has 61,000 bytes, but training began with a text that has 60,000 "
                                 "bytes;"));
    EXPECT_THAT(sizes, Not(HasSubstr("SHA")));
    const TextMark other = mark_of(spec_of("a.txt"), std::string(60000, 'b'));
    const std::string checksums = ROPELAB_SENTENCE_OF(require_same_text(other, then), BadInput);
    EXPECT_THAT(checksums, HasSubstr(other.sha256.substr(0, 12)));
    EXPECT_THAT(checksums, HasSubstr(then.sha256.substr(0, 12)));
}

}  // namespace
}  // namespace ropelab
