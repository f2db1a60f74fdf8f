#include "core/data/text_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/data/corpus.h"
#include "core/data/info.h"
#include "tests/core/data/scratch.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class TextSourceTest : public testing::Test {
 protected:
    ScratchFolder scratch_;
    Environment data_{"ROPELAB_DATA", nullptr};
    Environment cache_{"XDG_CACHE_HOME", scratch_.path().c_str()};
};

TEST_F(TextSourceTest, FindsTheSyntheticLanguages) {
    EXPECT_EQ(locate("synthetic").language, Language::positional);
    EXPECT_EQ(locate("synthetic-local").language, Language::local);
    EXPECT_EQ(find_language("enwik8"), std::nullopt);
    EXPECT_EQ(read_text(locate("synthetic"), 3, 5000).size(), 5000U);
}

TEST_F(TextSourceTest, ExplainsHowToDownloadAMissingKnownSet) {
    EXPECT_THAT(ROPELAB_SENTENCE_OF(locate("tinyshakespeare"), BadInput),
                AllOf(HasSubstr("Tiny Shakespeare"), HasSubstr("data fetch tinyshakespeare"), HasSubstr("--data-dir"),
                      HasSubstr("ROPELAB_DATA")));
}

TEST_F(TextSourceTest, KnownSetsHaveADefaultTokenizer) {
    scratch_.write("enwik8", "x");
    scratch_.write("text8", "x");
    EXPECT_TRUE(locate("enwik8", scratch_.path()).as_bytes);
    EXPECT_FALSE(locate("text8", scratch_.path()).as_bytes);
}

TEST_F(TextSourceTest, FindsAFolder) {
    scratch_.write("books/a.txt", "text");
    for (const std::string end : {"", "/"}) {
        const TextSource source = locate((scratch_ / "books").string() + end);
        EXPECT_TRUE(source.is_folder);
        EXPECT_TRUE(source.as_bytes);
        EXPECT_EQ(source.name, "books");
    }
}

TEST_F(TextSourceTest, ReportsEachWrongNameInOneSentence) {
    EXPECT_THAT(ROPELAB_SENTENCE_OF(locate("tinyshakespear"), BadInput),
                AllOf(HasSubstr("'tinyshakespear'"), HasSubstr("'tinyshakespeare'")));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(locate("synthetc"), BadInput), HasSubstr("'synthetic'"));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(locate("/no/such/file.txt"), BadInput), HasSubstr("no file '/no/such/file.txt'"));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(locate(""), BadInput), HasSubstr("empty"));
    const auto pipe = scratch_.path() / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THAT(ROPELAB_SENTENCE_OF(locate(pipe.string()), BadInput), HasSubstr("neither a regular file nor a folder"));
}

TEST_F(TextSourceTest, ReportsEachInvalidFileInOneSentence) {
    const auto empty = scratch_.write("empty.txt", "");
    EXPECT_THAT(ROPELAB_SENTENCE_OF(read_text(locate(empty.string()), 1, 5000), BadInput),
                AllOf(HasSubstr("empty.txt"), HasSubstr("is empty")));
    // A sparse file takes no disk space.
    const auto large = scratch_.write("large.txt", "x");
    std::filesystem::resize_file(large, static_cast<std::uintmax_t>(largest_file) + 1);
    EXPECT_THAT(ROPELAB_SENTENCE_OF(read_text(locate(large.string()), 1, 5000), BadInput),
                HasSubstr("2,147,483,649 bytes"));
}

TEST_F(TextSourceTest, NamesWhatIsNoTextInOneSentence) {
    using namespace std::string_literals;
    for (const auto& [name, content, words] : {
             std::tuple("a.txt", "\xff\xfet\0e\0"s, "is text in UTF-16; save it as UTF-8."),
             std::tuple("a.txt", "t\0e\0x\0t\0"s, "is text in UTF-16"),
             std::tuple("a.txt", "\0t\0e\0x\0t"s, "is text in UTF-16"),
             std::tuple("a.txt.gz", "\x1f\x8b\x08"s, "is compressed with gzip; unpack it first."),
             std::tuple("a.zst", "\x28\xb5\x2f\xfd\x04"s, "is compressed with Zstandard; unpack it first"),
             std::tuple("a.xz", "\xfd\x37zXZ\0\0"s, "is compressed with xz; unpack it first"),
             std::tuple("a.bz2", "BZh91AY&SY\x01"s, "is compressed with bzip2; unpack it first"),
             std::tuple("a.bz2", "BZh11AY&SY\x01"s, "is compressed with bzip2; unpack it first"),
             std::tuple("a.lz4", "\x04\x22\x4d\x18\x64"s, "is compressed with LZ4"),
             std::tuple("a.7z", "7z\xbc\xaf\x27\x1c"s, "is a 7z archive"),
             std::tuple("a.tar", std::string(257, 'a') + "ustar\0"s + "00", "is a tar archive"),
             std::tuple("a.docx", "PK\x03\x04\x14"s, "is a ZIP archive, as Word (docx)"),
             std::tuple("a.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"s, "is a document of Microsoft Office"),
             std::tuple("a.pdf", "%PDF-1.7\n"s, "is a PDF; save its text as a text file in UTF-8"),
             std::tuple("a.parquet", "PAR1\x15\x04"s, "is a Parquet table"),
             std::tuple("a.arrow", "ARROW1\0\0"s, "is an Arrow table"),
             std::tuple("a.db", "SQLite format 3\0"s, "is an SQLite database"),
             std::tuple("a.npy", "\x93NUMPY\x01"s, "is an array of NumPy"),
             std::tuple("a.h5", "\x89HDF\r\n\x1a\n"s, "is an HDF5 file"),
             std::tuple("a.png", "\x89PNG\r\n\x1a\n"s, "is a PNG picture"),
             std::tuple("a.jpg", "\xff\xd8\xff\xe0"s, "is a JPEG picture"),
             std::tuple("a.txt", "version https://git-lfs.github.com/spec/v1\noid"s, "is a Git LFS pointer"),
             std::tuple("a.txt", "<!DOCTYPE HTML><title>404</title>"s, "is a short web page, perhaps the error page"),
             std::tuple("train.bin", "\xc3\xff\x01\x80"s, "has numbers instead of text, like nanoGPT's train.bin"),
         }) {
        EXPECT_MESSAGE((require_text(name, content), 0), BadInput, words);
    }
    EXPECT_NO_THROW(require_text("enwik8", "<mediawiki xmlns=\"x\">"));
    EXPECT_NO_THROW(require_text("page.html", "<html>" + std::string(100'000, 'a'))) << "a long page can be a text";
    EXPECT_NO_THROW(require_text("a.bin", "text"));
    EXPECT_NO_THROW(require_text("a.txt", "BZh is no mark, nor is PAR1, PK or 7z.")) << "a text about files";
    EXPECT_NO_THROW(require_text("a.txt", std::string("\0\0\0\1", 4))) << "bytes of any kind are allowed";
    RunSpec spec;
    spec.data = scratch_.write("wide.txt", "\xff\xfet\0e\0"s).string();
    EXPECT_MESSAGE(open_corpus(spec), BadInput, "is text in UTF-16");
}

TEST_F(TextSourceTest, NamesAFileOfAFolderThatIsNoText) {
    RunSpec spec;
    spec.context = 16;
    spec.data = (scratch_ / "books").string();
    scratch_.write("books/a.txt", std::string(4000, 'a'));
    scratch_.write("books/b/c.pdf", "%PDF-1.7\n" + std::string(4000, 'b'));
    EXPECT_MESSAGE(open_corpus(spec), BadInput, "c.pdf' is a PDF; save its text");
    EXPECT_MESSAGE(info_of(spec), BadInput, "c.pdf' is a PDF; save its text");
    spec.tokenizer = Tokenizer::bytes;
    EXPECT_NO_THROW(open_corpus(spec));
    spec.tokenizer = Tokenizer::automatic;
    std::filesystem::remove(scratch_ / "books/b/c.pdf");
    EXPECT_NO_THROW(open_corpus(spec));
    EXPECT_NO_THROW(info_of(spec));
}

TEST_F(TextSourceTest, StatisticsRefuseWhatTrainingRefuses) {
    RunSpec spec;
    spec.data = scratch_.write("a.zst", "\x28\xb5\x2f\xfd" + std::string(4000, 'a')).string();
    EXPECT_MESSAGE(info_of(spec), BadInput, "a.zst' is compressed with Zstandard");
    spec.tokenizer = Tokenizer::bytes;
    EXPECT_NO_THROW(info_of(spec));
}

TEST_F(TextSourceTest, ReportsWhyAFileIsNotReadable) {
    if (::geteuid() == 0) GTEST_SKIP() << "The superuser may read every file.";
    const auto file = scratch_.write("secret.txt", "text");
    ASSERT_EQ(::chmod(file.c_str(), 0), 0);
    EXPECT_THAT(ROPELAB_SENTENCE_OF(read_text(locate(file.string()), 1, 5000), BadInput),
                AllOf(HasSubstr("secret.txt"), HasSubstr("cannot be read"), HasSubstr("ermission")));
}

TEST_F(TextSourceTest, ReadsAFileUnchanged) {
    const std::string text("line\r\nnul\0 \xFF end", 15);
    EXPECT_EQ(read_text(locate(scratch_.write("text", text).string()), 1, 5000), text);
}

}  // namespace
}  // namespace ropelab
