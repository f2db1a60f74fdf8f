#include "core/data/download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/core/data/loopback_server.h"
#include "tests/core/data/scratch.h"
#include "tests/core/data/zip_file.h"

namespace ropelab {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FetchTest : public testing::Test {
 protected:
    FetchTest() {
        for (std::size_t i = 0; i < 200'000; ++i) text_ += static_cast<char>('a' + i * 7919 % 10007 % 26);
        write_zip(scratch_.path() / "archive", "packed", text_);
        zip_ = read_file(scratch_.path() / "archive");
        server_.put("/dir/plain.txt", text_);
        server_.put("/dir/packed.zip", zip_);
        options_.folder = folder_;
        options_.attempts = 1;
        options_.pause = 1ms;
    }

    KnownSet plain() const {
        KnownSet set;
        set.name = "plain";
        set.title = "Plain";
        set.file = "plain.txt";
        set.bytes = std::ssize(text_);
        set.checksum = checksum_of(text_, Checksum::Algorithm::sha256);
        set.url = server_.base() + "/dir/plain.txt";
        set.download_name = "plain.txt";
        set.download_bytes = set.bytes;
        set.download_checksum = set.checksum;
        return set;
    }
    KnownSet packed() const {
        KnownSet set = plain();
        set.file = "packed";
        set.checksum = checksum_of(text_, Checksum::Algorithm::md5);
        set.url = server_.base() + "/dir/packed.zip";
        set.download_name = "packed.zip";
        set.download_bytes = std::ssize(zip_);
        set.download_checksum = checksum_of(zip_, Checksum::Algorithm::sha256);
        set.zipped = true;
        return set;
    }
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
        return names;
    }

    ScratchFolder scratch_;
    Environment proxy_{"no_proxy", "127.0.0.1"};
    Environment mirror_{"ROPELAB_DATA_URL", nullptr};
    LoopbackServer server_;
    std::filesystem::path folder_ = scratch_.path() / "cache" / "data";
    FetchOptions options_;
    std::string text_;
    std::string zip_;
};

TEST_F(FetchTest, DownloadsAFileIntoTheCacheOnlyOnce) {
    std::map<FetchStep, FetchProgress> last;
    options_.progress = [&](const FetchProgress& progress) { last[progress.step] = progress; };
    const auto fetched = fetch(plain(), options_);
    ASSERT_TRUE(fetched);
    EXPECT_FALSE(fetched->already_there);
    EXPECT_EQ(fetched->file, folder_ / "plain.txt");
    EXPECT_EQ(read_file(fetched->file), text_);
    EXPECT_THAT(files(), ElementsAre("plain.txt"));
    for (const FetchStep step : {FetchStep::downloading, FetchStep::checking}) {
        EXPECT_EQ(last.at(step).done, std::ssize(text_));
        EXPECT_EQ(last.at(step).total, std::ssize(text_));
    }
    EXPECT_TRUE(fetch(plain(), options_)->already_there);
    EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(FetchTest, UnpacksAZipArchive) {
    std::map<FetchStep, FetchProgress> last;
    options_.progress = [&](const FetchProgress& progress) { last[progress.step] = progress; };
    const auto fetched = fetch(packed(), options_);
    ASSERT_TRUE(fetched);
    EXPECT_EQ(read_file(fetched->file), text_);
    EXPECT_THAT(files(), ElementsAre("packed"));
    EXPECT_EQ(last.at(FetchStep::downloading).done, std::ssize(zip_));
    EXPECT_EQ(last.at(FetchStep::unpacking).done, std::ssize(text_));
    EXPECT_EQ(last.at(FetchStep::unpacking).total, std::ssize(text_));
    EXPECT_TRUE(fetch(packed(), options_)->already_there);
}

TEST_F(FetchTest, ResumesAnInterruptedFetch) {
    server_.behave({.cuts = 1, .cut_after = 50'000});
    EXPECT_THROW(fetch(plain(), options_), FetchFailed);
    EXPECT_THAT(files(), ElementsAre("plain.txt.part"));
    ASSERT_TRUE(fetch(plain(), options_));
    EXPECT_EQ(read_file(folder_ / "plain.txt"), text_);
    EXPECT_EQ(server_.requests().at(1).range, "bytes=50000-");
}

TEST_F(FetchTest, RejectsAWrongChecksumAndDeletesTheFile) {
    std::string other = text_;
    other[100'000] = '?';
    server_.put("/dir/plain.txt", other);
    EXPECT_THAT(ROPELAB_SENTENCE_OF(fetch(plain(), options_), FetchFailed),
                AllOf(HasSubstr("is not Plain"), HasSubstr("SHA-256"), HasSubstr(plain().checksum.hex)));
    EXPECT_THAT(files(), IsEmpty());

    KnownSet set = packed();
    set.checksum.hex[0] = set.checksum.hex[0] == '0' ? '1' : '0';
    EXPECT_THAT(ROPELAB_SENTENCE_OF(fetch(set, options_), FetchFailed), HasSubstr("MD5"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "packed"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "packed.unpacking"));
}

TEST_F(FetchTest, DownloadsAgainIfTheResumedPartIsWrong) {
    scratch_.write("cache/data/plain.txt.part", std::string(60'000, '?'));
    ASSERT_TRUE(fetch(plain(), options_));
    EXPECT_EQ(read_file(folder_ / "plain.txt"), text_);
    EXPECT_EQ(server_.requests().size(), 2u);
    EXPECT_EQ(server_.requests().at(1).range, "");
}

TEST_F(FetchTest, UsesACompletePartFileWithoutTheServer) {
    scratch_.write("cache/data/packed.zip.part", zip_);
    ASSERT_TRUE(fetch(packed(), options_));
    EXPECT_EQ(read_file(folder_ / "packed"), text_);
    EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(FetchTest, ReplacesACachedFileWithAWrongChecksum) {
    scratch_.write("cache/data/plain.txt", std::string(text_.size(), '?'));
    const auto fetched = fetch(plain(), options_);
    ASSERT_TRUE(fetched);
    EXPECT_FALSE(fetched->already_there);
    EXPECT_EQ(read_file(fetched->file), text_);
}

TEST_F(FetchTest, CancellingAtAnyStepLeavesNoFinalFile) {
    for (const FetchStep at : {FetchStep::downloading, FetchStep::checking, FetchStep::unpacking}) {
        bool reached = false;
        options_.progress = [&](const FetchProgress& progress) { reached = reached || progress.step == at; };
        options_.cancelled = [&] { return reached; };
        server_.behave({.piece_pause = at == FetchStep::downloading ? 20ms : 0ms});
        EXPECT_EQ(fetch(packed(), options_).has_value(), false);
        EXPECT_FALSE(std::filesystem::exists(folder_ / "packed"));
        EXPECT_TRUE(std::filesystem::exists(folder_ / "packed.zip.part"));
    }
    options_.progress = {};
    options_.cancelled = {};
    EXPECT_EQ(read_file(fetch(packed(), options_)->file), text_);
}

TEST_F(FetchTest, UsesTheMirrorInsteadOfTheUrl) {
    KnownSet set = plain();
    set.url = "http://127.0.0.1:9/never/requested";
    const Environment mirror("ROPELAB_DATA_URL", (server_.base() + "/dir/").c_str());
    ASSERT_TRUE(fetch(set, options_));
    EXPECT_EQ(server_.requests().at(0).path, "/dir/plain.txt");
}

TEST_F(FetchTest, UsesTheCacheFolderByDefault) {
    const Environment cache("XDG_CACHE_HOME", (scratch_.path() / "xdg").c_str());
    options_.folder.clear();
    EXPECT_EQ(fetch(plain(), options_)->file, scratch_.path() / "xdg" / "ropelab" / "data" / "plain.txt");
}

TEST_F(FetchTest, ReportsAFolderThatCannotBeCreated) {
    options_.folder = scratch_.write("a file", "x") / "below";
    EXPECT_THAT(ROPELAB_SENTENCE_OF(fetch(plain(), options_), FetchFailed), HasSubstr("cannot be created"));
}

}  // namespace
}  // namespace ropelab
