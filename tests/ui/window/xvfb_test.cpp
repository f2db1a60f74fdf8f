// Tests of the built program in a real window, under an X server that the test starts.
#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <csignal>
#include <utility>

namespace {

class Xvfb : public ::testing::Test {
 protected:
    void SetUp() override {
        program_ = QStandardPaths::findExecutable("Xvfb");
        if (program_.isEmpty()) GTEST_SKIP() << "Xvfb is not installed, so no real window can be opened here.";
        if (!QFileInfo::exists(ROPELAB_PROGRAM)) GTEST_SKIP() << "The program ropelab is not built.";
        // The server chooses a free display and prints its number to standard output. It ends when this test ends.
        server_.setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGKILL); });
        server_.start(program_, {"-displayfd", "1", "-screen", "0", "1400x900x24", "-nolisten", "tcp"});
        ASSERT_TRUE(server_.waitForStarted());
        QByteArray number;
        while (!number.contains('\n')) {
            ASSERT_TRUE(server_.waitForReadyRead(20000)) << server_.readAllStandardError().toStdString();
            number += server_.readAllStandardOutput();
        }
        environment_ = QProcessEnvironment::systemEnvironment();
        environment_.insert("DISPLAY", ":" + QString::fromLatin1(number.trimmed()));
        environment_.insert("QT_QPA_PLATFORM", "xcb");
        environment_.insert("XDG_DATA_HOME", folder_.filePath("data"));
        environment_.insert("XDG_CONFIG_HOME", folder_.filePath("config"));
        environment_.remove("WAYLAND_DISPLAY");
    }
    void TearDown() override {
        server_.terminate();
        if (!server_.waitForFinished(5000)) server_.kill();
        server_.waitForFinished(5000);
    }

    int run(const QStringList& arguments, QByteArray* output = nullptr) {
        QProcess program;
        program.setProcessEnvironment(environment_);
        program.setProcessChannelMode(QProcess::MergedChannels);
        program.start(ROPELAB_PROGRAM, arguments);
        if (!program.waitForFinished(200'000)) {
            program.kill();
            program.waitForFinished(5000);
            return -1;
        }
        const QByteArray printed = program.readAll();
        if (output) *output = printed;
        return program.exitStatus() == QProcess::NormalExit ? program.exitCode() : -2;
    }

    QString program_;
    QTemporaryDir folder_;
    QProcess server_;
    QProcessEnvironment environment_;
};

TEST(NoDisplay, IsASentenceForTheWindowAndNoneForPictures) {
    if (!QFileInfo::exists(ROPELAB_PROGRAM)) GTEST_SKIP() << "The program ropelab is not built.";
    QTemporaryDir folder;
    const auto run = [&](const QString& platform, const QStringList& arguments) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(name);
        if (!platform.isEmpty()) environment.insert("QT_QPA_PLATFORM", platform);
        environment.insert("XDG_DATA_HOME", folder.path());
        environment.insert("XDG_CONFIG_HOME", folder.path());
        QProcess program;
        program.setProcessEnvironment(environment);
        program.setProcessChannelMode(QProcess::MergedChannels);
        program.start(ROPELAB_PROGRAM, arguments);
        program.waitForFinished(200'000);
        const int status = program.exitStatus() == QProcess::NormalExit ? program.exitCode() : -1;
        return std::pair(status, program.readAll().toStdString());
    };
    for (const char* platform : {"", "xcb", "wayland"}) {
        const auto [status, words] = run(platform, {});
        EXPECT_EQ(status, 1) << platform;
        EXPECT_TRUE(words.starts_with("ropelab: The window cannot be opened, because there is no display")) << words;
        EXPECT_EQ(std::count(words.begin(), words.end(), '\n'), 1) << words;
        const QString picture = folder.filePath("figure.png");
        const auto [drawn, said] = run(platform, {"--figure", "spectrum", "--output", picture});
        EXPECT_EQ(drawn, 0) << platform << ": " << said;
        EXPECT_EQ(said, "Written: " + picture.toStdString() + "\n") << platform;
        EXPECT_EQ(run(platform, {"--verify", picture}).first, 0) << platform;
        EXPECT_EQ(run(platform, {"--screenshot", folder.filePath("window.png"), "--room", "spectrum"}).first, 0)
            << platform;
    }
}

TEST_F(Xvfb, OpensTheWindowAndExits) {
    QByteArray printed;
    ASSERT_EQ(run({"--exit-after-startup"}, &printed), 0) << printed.toStdString();
    EXPECT_TRUE(printed.contains("ms until the window was ready")) << printed.toStdString();
}

TEST_F(Xvfb, TrainsInARealWindow) {
    const QString picture = folder_.filePath("window.png");
    QByteArray printed;
    const int status =
        run({"--screenshot", picture, "--size", "1280x720", "--theme", "light", "--after", "25"}, &printed);
    if (status == 1 && printed.contains("engine cannot be loaded")) {
        GTEST_SKIP() << "The training engine is not built, so nothing trains here: " << printed.toStdString();
    }
    ASSERT_EQ(status, 0) << printed.toStdString();
    const QImage image(picture);
    ASSERT_EQ(image.size(), QSize(1280, 720));
    // The colour of the second setting fills the bars of its strip.
    const QColor second(0xD5, 0x5E, 0x00);
    int found = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) found += image.pixelColor(x, y) == second ? 1 : 0;
    }
    EXPECT_GT(found, 20);
}

}  // namespace
