#include "core/data/download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/core/data/loopback_server.h"
#include "tests/core/data/scratch.h"

namespace ropelab {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

class DownloadTest : public testing::Test {
 protected:
    DownloadTest() {
        for (std::size_t i = 0; i < 300'000; ++i) body_ += static_cast<char>('a' + (i * i + i / 977) % 26);
        server_.put("/file", body_);
        options_.attempts = 1;
        options_.pause = 1ms;
    }

    bool run(const std::string& path = "/file") { return download(server_.base() + path, part_, options_); }
    std::string content() const { return read_file(part_.path()); }

    ScratchFolder scratch_;
    Environment proxy_{"no_proxy", "127.0.0.1"};
    LoopbackServer server_;
    PartFile part_{scratch_.path() / "file.part"};
    DownloadOptions options_;
    std::string body_;
};

TEST_F(DownloadTest, DownloadsTheWholeFileAndReportsProgressToTheEnd) {
    std::int64_t last = 0;
    std::int64_t total = 0;
    options_.progress = [&](std::int64_t done, std::int64_t all) {
        EXPECT_GT(done, last);
        last = done;
        total = all;
    };
    EXPECT_TRUE(run());
    EXPECT_EQ(content(), body_);
    EXPECT_EQ(last, std::ssize(body_));
    EXPECT_EQ(total, std::ssize(body_));
    EXPECT_EQ(server_.requests().at(0).range, "");
}

TEST_F(DownloadTest, DownloadsAnEmptyFile) {
    server_.put("/empty", "");
    EXPECT_TRUE(run("/empty"));
    EXPECT_EQ(part_.size(), 0);
}

TEST_F(DownloadTest, ResumesAfterALostConnection) {
    server_.behave({.cuts = 1, .cut_after = 100'000});
    EXPECT_THAT(ROPELAB_SENTENCE_OF(run(), FetchFailed), HasSubstr("100000 bytes received"));
    EXPECT_EQ(part_.size(), 100'000);
    std::int64_t first = 0;
    options_.progress = [&](std::int64_t done, std::int64_t all) {
        if (first == 0) first = done;
        EXPECT_EQ(all, std::ssize(body_));
    };
    EXPECT_TRUE(run());
    EXPECT_GT(first, 100'000);
    EXPECT_EQ(content(), body_);
    EXPECT_EQ(server_.requests().at(1).range, "bytes=100000-");
}

TEST_F(DownloadTest, RetriesAfterLostConnectionsAndServerErrors) {
    server_.behave({.cuts = 2, .cut_after = 70'000, .refusals = 1});
    options_.attempts = 4;
    EXPECT_TRUE(run());
    EXPECT_EQ(content(), body_);
    const auto requests = server_.requests();
    ASSERT_EQ(requests.size(), 4u);
    EXPECT_EQ(requests[2].range, "bytes=70000-");
    EXPECT_EQ(requests[3].range, "bytes=140000-");
}

TEST_F(DownloadTest, RestartsIfTheServerIgnoresTheRange) {
    server_.behave({.ignore_ranges = true});
    part_.append("something else", 14);
    EXPECT_TRUE(run());
    EXPECT_EQ(server_.requests().at(0).range, "bytes=14-");
    EXPECT_EQ(content(), body_);
}

TEST_F(DownloadTest, AcceptsAPartFileThatIsAlreadyComplete) {
    part_.append(body_.data(), body_.size());
    EXPECT_TRUE(run());
    EXPECT_EQ(content(), body_);
}

TEST_F(DownloadTest, FollowsARedirectWhenResuming) {
    server_.behave({.redirect_from = "/old", .redirect_to = "/file"});
    part_.append(body_.data(), 1000);
    EXPECT_TRUE(run("/old"));
    EXPECT_EQ(content(), body_);
    EXPECT_EQ(server_.requests().at(1).range, "bytes=1000-");
}

TEST_F(DownloadTest, CancellingKeepsTheReceivedBytes) {
    server_.behave({.piece_pause = 5ms});
    std::int64_t seen = 0;
    options_.progress = [&](std::int64_t done, std::int64_t) { seen = done; };
    options_.cancelled = [&] { return seen > 0; };
    EXPECT_FALSE(run());
    EXPECT_GT(part_.size(), 0);
    EXPECT_LT(part_.size(), std::ssize(body_));
    EXPECT_TRUE(body_.starts_with(content()));
    options_.cancelled = {};
    server_.behave({});
    EXPECT_TRUE(run());
    EXPECT_EQ(content(), body_);
}

TEST_F(DownloadTest, ReportsEachFailureInOneSentence) {
    EXPECT_THAT(ROPELAB_SENTENCE_OF(run("/none"), FetchFailed), HasSubstr("the server answers 404"));
    EXPECT_EQ(server_.requests().size(), 1u) << "a missing file is not requested again";
    EXPECT_THAT(ROPELAB_SENTENCE_OF(download("ftp://127.0.0.1/x", part_, options_), FetchFailed), HasSubstr("ftp"));
    // No server listens on port 9 of this machine.
    EXPECT_THAT(ROPELAB_SENTENCE_OF(download("http://127.0.0.1:9/x", part_, options_), FetchFailed),
                AllOf(HasSubstr("127.0.0.1"), HasSubstr("onnect")));
    options_.expected_bytes = 10;
    EXPECT_THAT(ROPELAB_SENTENCE_OF(run(), FetchFailed), HasSubstr("instead of 10"));
    EXPECT_EQ(part_.size(), 0);
}

TEST_F(DownloadTest, PropagatesExceptionsFromTheProgressCallback) {
    options_.progress = [](std::int64_t, std::int64_t) { throw std::out_of_range("mine"); };
    EXPECT_THROW(run(), std::out_of_range);
}

TEST_F(DownloadTest, RejectsTwoSimultaneousDownloadsOfOneFile) {
    EXPECT_THAT(ROPELAB_SENTENCE_OF(PartFile second(part_.path()), FetchFailed), HasSubstr("Another program"));
}

}  // namespace
}  // namespace ropelab
