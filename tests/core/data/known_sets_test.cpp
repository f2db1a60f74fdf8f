#include "core/data/known_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/data/scratch.h"

namespace ropelab {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class KnownSets : public testing::Test {
 protected:
    ScratchFolder scratch_;
    Environment data_{"ROPELAB_DATA", nullptr};
    Environment cache_{"XDG_CACHE_HOME", (scratch_.path() / "cache").c_str()};
    const KnownSet& enwik8_ = known_set("enwik8");
};

TEST_F(KnownSets, AreFoundByNameAndSuggestASimilarName) {
    EXPECT_EQ(known_set("text8").bytes, 100'000'000);
    EXPECT_EQ(find_known_set("nothing"), nullptr);
    EXPECT_THAT(ROPELAB_SENTENCE_OF(known_set("enwik9"), BadInput),
                AllOf(HasSubstr("'enwik9'"), HasSubstr("did you mean 'enwik8'")));
}

TEST_F(KnownSets, CacheFolderFollowsTheXdgSpecification) {
    EXPECT_EQ(cache_folder(), scratch_.path() / "cache" / "ropelab" / "data");
    const Environment home("HOME", "/somewhere");
    {
        const Environment relative("XDG_CACHE_HOME", "not/absolute");
        EXPECT_EQ(cache_folder(), "/somewhere/.cache/ropelab/data");
    }
    {
        const Environment unset("XDG_CACHE_HOME", nullptr);
        EXPECT_EQ(cache_folder(), "/somewhere/.cache/ropelab/data");
        const Environment homeless("HOME", nullptr);
        EXPECT_THROW(cache_folder(), BadInput);
    }
}

TEST_F(KnownSets, AreSearchedInDataDirThenRopelabDataThenTheCache) {
    EXPECT_FALSE(find_on_disk(enwik8_).has_value());
    const auto cached = scratch_.write("cache/ropelab/data/enwik8", "cached");
    EXPECT_EQ(find_on_disk(enwik8_)->file, cached);
    const auto named = scratch_.write("named/enwik8", "named by the environment");
    const Environment environment("ROPELAB_DATA", named.parent_path().c_str());
    EXPECT_EQ(find_on_disk(enwik8_)->file, named);
    const auto given = scratch_.write("given/enwik8", "given");
    EXPECT_EQ(find_on_disk(enwik8_, given.parent_path())->file, given);
    EXPECT_EQ(find_on_disk(enwik8_, scratch_.path())->file, named) << "a data folder without the set is passed over";
    EXPECT_THAT(ROPELAB_SENTENCE_OF(find_on_disk(enwik8_, scratch_.path() / "none"), BadInput), HasSubstr("none"));
}

TEST_F(KnownSets, DescriptionNamesATruncatedFile) {
    scratch_.write("d/enwik8.first-10-bytes", "0123456789");
    scratch_.write("d/enwik8.first-1234-bytes", std::string(1234, 'x'));
    scratch_.write("d/enwik8.first-notes", "no");
    const auto found = find_on_disk(enwik8_, scratch_.path() / "d");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->bytes, 1234);
    EXPECT_EQ(found->description, "first 1,234 bytes of enwik8");
    scratch_.write("d/enwik8", "short");
    EXPECT_THAT(find_on_disk(enwik8_, scratch_.path() / "d")->description, HasSubstr("5 bytes instead of 100,000,000"));
}

TEST_F(KnownSets, SharedFilesMatchTheTable) {
    const auto file = shared_text("tinyshakespeare.txt");
    if (file.empty()) GTEST_SKIP() << "The shared test data are not installed.";
    const KnownSet& set = known_set("tinyshakespeare");
    EXPECT_EQ(checksum_of_file(file, set.checksum.algorithm), set.checksum);
    EXPECT_EQ(find_on_disk(set, file.parent_path())->description, "Tiny Shakespeare");
}

}  // namespace
}  // namespace ropelab
