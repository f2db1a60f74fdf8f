#include "core/machine/libtorch_fetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "core/base/error.h"
#include "core/machine/engine_loader.h"
#include "tests/core/data/loopback_server.h"
#include "tests/core/data/scratch.h"
#include "tests/core/data/zip_file.h"

namespace ropelab {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using Files = std::vector<std::pair<std::string, std::string>>;

std::string bytes_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::string version_header(const std::string& version) {
    std::string text;
    std::size_t at = 0;
    for (const char* part : {"MAJOR", "MINOR", "PATCH"}) {
        const std::size_t end = version.find('.', at);
        text += "#define TORCH_VERSION_" + std::string(part) + " " + version.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return text;
}

/// The programs see only folders of this test and an engine that is not that of the build.
class FetchLibTorch : public testing::Test {
 protected:
    FetchLibTorch() {
        const std::string version = std::string(libtorch_version());
        const Files torch = {
            {"torch/__init__.py", "unwanted"},
            {"torch/lib/libc10.so", bytes_of(ROPELAB_FAKE_LIBRARIES "/libc10.so")},
            {"torch/lib/libtorch_cpu.so", bytes_of(ROPELAB_FAKE_LIBRARIES "/libtorch_cpu.so")},
            {"torch/lib/libtorch_python.so", "unwanted"},
            {"torch/lib/libtorch_cuda.so", "unwanted"},
            {"torch/include/torch/csrc/api/include/torch/version.h", version_header(version)},
            {"torch-x.dist-info/LICENSE", "free"},
        };
        add("torch", version, torch);
        add("nvidia-cuda-cupti", "13.0.85",
            {{"nvidia/cu13/lib/libcupti.so.13", "cupti"}, {"nvidia/cu13/lib/libcupti_static.a", "unwanted"}});
        options_.attempts = 1;
        options_.pause = std::chrono::milliseconds(1);
    }

    void add(const std::string& name, const std::string& version, const Files& files) {
        const fs::path file = scratch_.path() / "wheel.zip";
        write_zip(file, files);
        const std::string bytes = bytes_of(file);
        const std::string hash = checksum_of(bytes, Checksum::Algorithm::sha256).hex;
        const std::string wheel = name + "-" + version + ".whl";
        // As the simple API of package indexes: other files, and links relative to the page.
        server_.put("/simple/" + name + "/",
                    "<a href=\"../../files/old.whl#sha256=00\">old.whl</a><br/>\n<a href=\"../../files/" + wheel +
                        "#sha256=" + hash + "\" data-requires-python=\"3\">wheel</a>");
        server_.put("/files/" + wheel, bytes);
        wheels_.push_back({name, version, hash, std::ssize(bytes)});
    }

    /// A folder such as a LibTorch of the user.
    fs::path own_libtorch(const std::string& version) {
        const fs::path folder = scratch_.path() / ("own-" + version);
        fs::create_directories(folder / "lib");
        fs::create_directories(folder / "include/torch/headeronly");
        std::ofstream(folder / "lib/libtorch_cpu.so") << "library";
        std::ofstream(folder / "include/torch/headeronly/version.h") << version_header(version);
        return folder;
    }

    std::string failure() {
        try {
            fetch_libtorch(options_, wheels_);
        } catch (const FetchFailed& error) {
            return error.what();
        }
        return "no failure";
    }

    ScratchFolder scratch_;
    LoopbackServer server_;
    Environment proxy_{"no_proxy", "127.0.0.1"};
    Environment cache_{"XDG_CACHE_HOME", scratch_.path().c_str()};
    Environment configuration_{"XDG_CONFIG_HOME", (scratch_.path() / "config").c_str()};
    Environment home_{"HOME", scratch_.path().c_str()};
    Environment python_{"VIRTUAL_ENV", nullptr};
    Environment engine_{"ROPELAB_ENGINE", ROPELAB_FAKE_ENGINE};
    Environment index_{"PIP_INDEX_URL", (server_.base() + "/simple/").c_str()};
    fs::path folder_ = scratch_.path() / "ropelab";
    std::vector<PinnedWheel> wheels_;
    FetchOptions options_;
};

TEST_F(FetchLibTorch, FetchedLibTorchIsLoadedWithTheEngineWithoutARestart) {
    EXPECT_TRUE(find_libtorch().fitting.empty());
    try {
        open_engine();
        FAIL() << "there is no LibTorch";
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(), missing_libtorch());
        EXPECT_THAT(error.what(), HasSubstr("Training needs LibTorch"));
        EXPECT_THAT(error.what(),
                    testing::StartsWith(missing_libtorch(false).substr(0, missing_libtorch(false).size() - 1)));
    }
    std::int64_t total = 0;
    for (const PinnedWheel& wheel : wheels_) total += wheel.bytes;
    std::int64_t done = 0;
    options_.progress = [&](const FetchProgress& progress) {
        EXPECT_EQ(progress.total, total);
        EXPECT_LE(progress.done, total);
        if (progress.step == FetchStep::downloading) {
            EXPECT_GE(progress.done, done);
            done = progress.done;
        }
    };
    const auto fetched = fetch_libtorch(options_, wheels_);
    ASSERT_TRUE(fetched);
    EXPECT_EQ(done, total);
    EXPECT_TRUE(libtorch_version().starts_with(fetched->version)) << fetched->version;
    const fs::path unpacked = fetched->folder.parent_path();
    EXPECT_EQ(unpacked.parent_path(), folder_);
    EXPECT_TRUE(fs::exists(unpacked / "torch/lib/libtorch_cpu.so"));
    EXPECT_TRUE(fs::exists(unpacked / "torch-x.dist-info/LICENSE"));
    EXPECT_EQ(bytes_of(unpacked / "nvidia/cu13/lib/libcupti.so.13"), "cupti");
    for (const char* file : {"torch/__init__.py", "torch/lib/libtorch_python.so", "torch/lib/libtorch_cuda.so",
                             "nvidia/cu13/lib/libcupti_static.a"}) {
        EXPECT_FALSE(fs::exists(unpacked / file)) << file;
    }
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(folder_)) left.push_back(entry.path().filename());
    EXPECT_THAT(left, testing::UnorderedElementsAre(unpacked.filename().string(), "setup.lock"));

    EXPECT_NE(&open_engine(), nullptr);
    const std::size_t requests = server_.requests().size();
    EXPECT_TRUE(fetch_libtorch(options_, wheels_));
    EXPECT_EQ(server_.requests().size(), requests) << "it is there already";
}

TEST_F(FetchLibTorch, ResumesAnInterruptedOrCancelledDownload) {
    server_.behave({.cuts = 2, .cut_after = 2000});  // the page of the index, which is shorter, and the first wheel
    EXPECT_THAT(failure(), HasSubstr("the next attempt resumes after the 2000 bytes"));
    options_.cancelled = [] { return true; };
    EXPECT_FALSE(fetch_libtorch(options_, wheels_));
    EXPECT_TRUE(find_libtorch().fitting.empty());

    options_.cancelled = {};
    EXPECT_TRUE(fetch_libtorch(options_, wheels_));
    const auto requests = server_.requests();
    EXPECT_TRUE(std::any_of(requests.begin(), requests.end(),
                            [](const auto& request) { return request.range == "bytes=2000-"; }));
}

TEST_F(FetchLibTorch, RefusesWheelsWithAnotherChecksum) {
    server_.put("/files/torch-" + std::string(libtorch_version()) + ".whl",
                std::string(static_cast<std::size_t>(wheels_[0].bytes), 'x'));
    EXPECT_THAT(failure(),
                AllOf(HasSubstr("is not torch"), HasSubstr("SHA-256"), testing::Not(HasSubstr("ROPELAB_DATA_URL"))));
    wheels_[0].sha256 = std::string(64, '0');
    EXPECT_THAT(failure(), HasSubstr("lists no file of torch"));
    Environment index("PIP_INDEX_URL", (server_.base() + "/nowhere").c_str());
    EXPECT_THAT(failure(), HasSubstr("the server answers 404"));
    EXPECT_TRUE(find_libtorch().fitting.empty());
}

TEST_F(FetchLibTorch, SaysWhyTheCacheCannotBeWritten) {
    std::ofstream(scratch_.path() / "file") << "no folder";
    Environment cache("XDG_CACHE_HOME", (scratch_.path() / "file").c_str());
    EXPECT_THAT(failure(), HasSubstr("cannot be created (Not a directory)"));
}

TEST_F(FetchLibTorch, UsesTheFolderOfTheUser) {
    const fs::path own = own_libtorch(std::string(libtorch_version()));
    EXPECT_EQ(use_libtorch(own).folder, own);
    EXPECT_EQ(find_libtorch().fitting.front().folder, own);
    EXPECT_TRUE(find_libtorch().is_chosen);
    fs::remove(own / "lib/libtorch_cpu.so");
    EXPECT_FALSE(find_libtorch().is_chosen);
    EXPECT_THAT(missing_libtorch(), HasSubstr("the chosen folder " + own.string() + " contains no LibTorch"));
    EXPECT_TRUE(fetch_libtorch(options_, wheels_));
    use_libtorch(own_libtorch(std::string(libtorch_version())));
    EXPECT_EQ(find_libtorch().fitting.size(), 2u);
    EXPECT_TRUE(fetch_libtorch(options_, wheels_));
    EXPECT_NE(find_libtorch().fitting.front().folder, own) << "what was fetched last is used";

    const std::string sentence = ROPELAB_SENTENCE_OF(use_libtorch(own_libtorch("2.5.1")), BadInput);
    EXPECT_THAT(sentence,
                AllOf(HasSubstr("has version 2.5"), HasSubstr("was built with " + std::string(libtorch_version()))));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(use_libtorch(scratch_.path()), BadInput), HasSubstr("contains no LibTorch"));
}

TEST_F(FetchLibTorch, OnlyAnInstalledEngineLacksIt) {
    EXPECT_FALSE(lacks_libtorch());
    const fs::path installed = scratch_.path() / "lib/ropelab/libropelab_engine.so";
    fs::create_directories(installed.parent_path());
    fs::copy_file(ROPELAB_FAKE_ENGINE, installed);
    const Environment engine("ROPELAB_ENGINE", installed.c_str());
    EXPECT_TRUE(lacks_libtorch());
    use_libtorch(own_libtorch(std::string(libtorch_version())));
    EXPECT_FALSE(lacks_libtorch());
}

TEST(PinnedWheels, AreThoseOfTheFile) {
    const auto wheels = pinned_wheels();
    if (wheels.empty()) GTEST_SKIP() << "there is no LibTorch wheel for this processor";
    EXPECT_EQ(wheels.size(), 3U) << "each line has a number of bytes";
    EXPECT_EQ(wheels.front().name, "torch");
    EXPECT_GT(wheels.front().bytes, 100'000'000);
    EXPECT_TRUE(parse_pins("# torch==1.0\ntorch==2.0 --hash=sha256:12 # 7 bytes\n").empty());
}

}  // namespace
}  // namespace ropelab
