#include "ui/rooms/train/libtorch_offer.h"

#include <QPushButton>
#include <QSignalSpy>
#include <fstream>

#include "tests/core/data/loopback_server.h"
#include "tests/core/data/scratch.h"
#include "tests/core/data/zip_file.h"
#include "tests/ui/support/answered_dialogs.h"
#include "tests/ui/support/workbench.h"
#include "ui/rooms/train/train_room.h"

namespace ropelab::ui {
namespace {

/// A machine without LibTorch, and a package index with a small wheel in its place.
class LibTorchOfferTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        scratch.write("lib/ropelab/libropelab_engine.so", "an installed engine");
        std::string number;
        std::string version = std::string(libtorch_version()) + ".";
        for (const char* part : {"MAJOR", "MINOR", "PATCH"}) {
            const std::size_t end = version.find('.');
            number += "#define TORCH_VERSION_" + std::string(part) + " " + version.substr(0, end) + "\n";
            version.erase(0, end + 1);
        }
        header = number;
        std::string noise(300'000, ' ');  // not compressible, so that the download lasts
        std::uint32_t state = 1;
        for (char& byte : noise) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
        const auto wheel = scratch.path() / "wheel.zip";
        write_zip(wheel, {{"torch/lib/libtorch_cpu.so", "library"},
                          {"torch/include/torch/headeronly/version.h", header},
                          {"torch/include/large", noise}});
        std::ifstream stream(wheel, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
        const std::string hash = checksum_of(bytes, Checksum::Algorithm::sha256).hex;
        server.put("/simple/torch/", "<a href=\"/torch.whl#sha256=" + hash + "\">torch.whl</a>");
        server.put("/torch.whl", bytes);
        wheels = {{"torch", std::string(libtorch_version()), hash, std::ssize(bytes)}};
    }
    QString own() {
        scratch.write("own/lib/libtorch_cpu.so", "library");
        scratch.write("own/include/torch/headeronly/version.h", header);
        return QString::fromStdString((scratch.path() / "own").string());
    }

    ScratchFolder scratch;
    LoopbackServer server;
    Environment proxy{"no_proxy", "127.0.0.1"};
    Environment cache{"XDG_CACHE_HOME", scratch.path().c_str()};
    Environment configuration{"XDG_CONFIG_HOME", scratch.path().c_str()};
    Environment home{"HOME", scratch.path().c_str()};
    Environment python{"VIRTUAL_ENV", nullptr};
    Environment engineFile{"ROPELAB_ENGINE", (scratch.path() / "lib/ropelab/libropelab_engine.so").c_str()};
    Environment index{"PIP_INDEX_URL", (server.base() + "/simple").c_str()};
    std::string header;
    std::vector<PinnedWheel> wheels;
};

TEST_F(LibTorchOfferTest, DownloadsInTheBackgroundAndCanBeCancelled) {
    LibTorchOffer offer(nullptr, wheels);
    EXPECT_TRUE(offer.text().startsWith("Training needs LibTorch")) << offer.text().toStdString();
    EXPECT_FALSE(offer.cancelButton().isVisible());
    EXPECT_TRUE(server.requests().empty()) << "nothing is downloaded without a click";

    server.behave({.piece_pause = std::chrono::milliseconds(200)});
    offer.downloadButton().click();
    EXPECT_TRUE(waitUntil([&] { return offer.text().startsWith("Downloading LibTorch: "); }));
    EXPECT_FALSE(offer.downloadButton().isVisible());
    offer.cancelButton().click();
    EXPECT_TRUE(offer.text().startsWith("The download of LibTorch was cancelled")) << offer.text().toStdString();
    EXPECT_FALSE(offer.cancelButton().isVisible());

    server.behave({});
    offer.downloadButton().click();
    EXPECT_TRUE(waitUntil([&] { return offer.text().startsWith("LibTorch is installed"); }))
        << offer.text().toStdString();
    EXPECT_FALSE(offer.downloadButton().isVisible());
    EXPECT_FALSE(lacks_libtorch());
    EXPECT_EQ(LibTorchOffer().text(), "") << "nothing to offer";
}

TEST_F(LibTorchOfferTest, SaysWhatIsWrongWithADownloadOrAFolder) {
    LibTorchOffer offer(nullptr, wheels);
    server.put("/simple/torch/", "no links");
    offer.downloadButton().click();
    EXPECT_TRUE(waitUntil([&] { return offer.text().startsWith("The package index"); })) << offer.text().toStdString();

    AnsweredDialogs dialogs;
    dialogs.path = QString::fromStdString(scratch.path().string());
    offer.folderButton().click();
    EXPECT_TRUE(offer.text().contains("contains no LibTorch")) << offer.text().toStdString();
    dialogs.path = own();
    offer.folderButton().click();
    EXPECT_TRUE(offer.text().startsWith("LibTorch is installed")) << offer.text().toStdString();
    offer.renew();
    EXPECT_EQ(offer.text(), "");
}

TEST_F(LibTorchOfferTest, StartShowsTheOfferAndAddsNoRuns) {
    WorkspaceOptions without = options();
    without.engine = {};
    Workspace workspace(without);
    TrainRoom room(workspace, workspace.runAccess(), workspace.experiment(), workspace.settings());
    QSignalSpy missing(&workspace, &Workspace::libTorchMissing);
    room.show();
    room.activateWindow();
    ASSERT_TRUE(waitUntil([&] { return room.isActiveWindow(); }));
    workspace.start();
    EXPECT_EQ(missing.count(), 1);
    EXPECT_FALSE(workspace.session().isActive());
    EXPECT_TRUE(workspace.runs().runs().empty());
    EXPECT_TRUE(room.libTorchOffer().text().startsWith("Nothing has started yet. Training needs LibTorch"));
    ASSERT_TRUE(QApplication::focusWidget());
    EXPECT_TRUE(room.libTorchOffer().isAncestorOf(QApplication::focusWidget()));
}

}  // namespace
}  // namespace ropelab::ui
