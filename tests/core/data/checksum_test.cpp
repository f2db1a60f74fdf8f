#include "core/data/checksum.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/core/data/scratch.h"

namespace ropelab {
namespace {

TEST(ChecksumTest, MatchesThePublishedTestVectors) {
    // These are the test vectors of FIPS 180-2 (appendix B.1) and RFC 1321 (appendix A.5).
    EXPECT_EQ(checksum_of("abc", Checksum::Algorithm::sha256).hex,
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(checksum_of("abc", Checksum::Algorithm::md5).hex, "900150983cd24fb0d6963f7d28e17f72");
}

TEST(ChecksumTest, FileChecksumEqualsThatOfItsBytesAndReportsProgress) {
    const ScratchFolder scratch;
    const std::string text(3'000'000, 'x');
    std::int64_t seen = 0;
    const auto checksum =
        checksum_of_file(scratch.write("file", text), Checksum::Algorithm::sha256, [&](std::int64_t done) {
            EXPECT_GE(done, seen);
            seen = done;
            return true;
        });
    EXPECT_EQ(checksum, checksum_of(text, Checksum::Algorithm::sha256));
    EXPECT_EQ(seen, std::ssize(text));
}

TEST(ChecksumTest, StopsIfCancelledAndRejectsAMissingFile) {
    const ScratchFolder scratch;
    const auto file = scratch.write("file", "text");
    EXPECT_EQ(checksum_of_file(file, Checksum::Algorithm::md5, [](std::int64_t) { return false; }), std::nullopt);
    EXPECT_THROW(checksum_of_file(scratch.path() / "none", Checksum::Algorithm::md5), std::runtime_error);
}

}  // namespace
}  // namespace ropelab
