#include "ui/window/batch/batch_modes.h"

#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QSet>

#include "core/base/error.h"
#include "tests/ui/support/workbench.h"

namespace ropelab::ui {
namespace {

class BatchModes : public Workbench {
 protected:
    LaunchOptions parse(const QStringList& flags) { return parseLaunchOptions(QStringList("ropelab") + flags); }
    Runner::EngineSource source() {
        return [this]() -> Engine& { return engine; };
    }
    static int colours(const QImage& image) {
        QSet<QRgb> found;
        for (int y = 0; y < image.height(); y += 3) {
            for (int x = 0; x < image.width(); x += 3) found.insert(image.pixel(x, y));
        }
        return static_cast<int>(found.size());
    }
    void TearDown() override {
        ThemeManager::instance().setScale(100);
        ThemeManager::instance().setChoice(ThemeManager::Choice::system);
    }
};

TEST_F(BatchModes, ScreenshotHasTheRequestedSizeAndTheme) {
    for (const char* theme : {"light", "dark"}) {
        for (const auto& [size, scale] : {std::pair{"1280x720", "100"}, std::pair{"1024x640", "150"}}) {
            const QString picture = file("window.png");
            ASSERT_EQ(paintScreenshot(parse({"--screenshot", picture, "--size", size, "--theme", theme, "--scale",
                                             scale, "--room", "train"}),
                                      source()),
                      0);
            const QImage image(picture);
            EXPECT_EQ(QStringLiteral("%1x%2").arg(image.width()).arg(image.height()), QLatin1String(size));
            EXPECT_GT(colours(image), 20);
            const int middle = qGray(image.pixel(image.width() / 3, image.height() - 100));
            EXPECT_EQ(middle > 128, qstrcmp(theme, "light") == 0) << theme;
        }
    }
}

TEST_F(BatchModes, ScreenshotOfALectureShowsItsScene) {
    const QString lecture = file("hands.md");
    QFile target(lecture);
    ASSERT_TRUE(target.open(QIODevice::WriteOnly));
    target.write(
        "---\ntitle: Hands\n---\n\n## One hand\n```yaml\nshow: rotation\ncontrols: [m]\nsteps:\n"
        "  - say: The query stands at 10.\n    set: {m: 10}\n```\n");
    target.close();
    const QString picture = file("scene.png");
    ASSERT_EQ(paintScreenshot(parse({"--screenshot", picture, "--size", "1280x720", "--theme", "light", "--lecture",
                                     lecture, "--scene", "1/1"}),
                              source()),
              0);
    EXPECT_EQ(QImage(picture).size(), QSize(1280, 720));
    EXPECT_THROW(paintScreenshot(parse({"--screenshot", picture, "--lecture", lecture, "--scene", "7"}), source()),
                 BadInput);
    EXPECT_THROW(paintScreenshot(parse({"--screenshot", picture, "--lecture", file("none.md")}), source()), BadInput);
}

TEST_F(BatchModes, ScreenshotRejectsAnUnknownRoom) {
    EXPECT_THROW(paintScreenshot(parse({"--screenshot", file("a.png"), "--room", "kitchen"}), source()), BadInput);
}

TEST_F(BatchModes, HeadlessSavesPlotsAndALabForFigures) {
    engine.step_microseconds = 0;
    const QString out = file("out");
    ::testing::internal::CaptureStdout();
    const int status = runHeadless(parse({"--headless", "--output", out, "--preset", "theta-minute"}), source());
    EXPECT_NE(::testing::internal::GetCapturedStdout().find(" %  step "), std::string::npos) << "tells its progress";
    ASSERT_EQ(status, 0);
    for (const char* name : {"validation-loss.png", "validation-loss.pdf", "training-loss.png", "training-loss.pdf",
                             "window.png", "theta-minute.ropelab"}) {
        EXPECT_GT(QFileInfo(out + "/" + name).size(), 1000) << name;
    }
    const QString figure = file("figure.csv");
    ASSERT_EQ(
        writeFigure(parse({"--figure", "learning-rate", "--lab", out + "/theta-minute.ropelab", "--output", figure})),
        0);
    QFile csv(figure);
    ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
    EXPECT_GT(csv.readAll().count('\n'), 200);
    EXPECT_THROW(writeFigure(parse({"--figure", "learning-rate", "--lab", textFile(), "--output", figure})), BadInput);
}

TEST_F(BatchModes, FigureOfTwoSetupsHasBoth) {
    for (const char* name : {"spectrum", "cosine-table", "random-logits"}) {
        const QString figure = file("both.csv");
        EXPECT_EQ(writeFigure(parse({"--figure", name, "--output", figure, "--setup",
                                     "theta=10k head_dim=16 context=64 | theta=500k head_dim=16 context=64"})),
                  0);
        QFile csv(figure);
        ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(csv.readAll());
        EXPECT_TRUE(text.contains("| B: theta=500k head_dim=16")) << text.toStdString();
        EXPECT_TRUE(text.contains("A: θ = 10k")) << name;
        EXPECT_TRUE(text.contains("B: θ = 500k")) << name;
    }
    EXPECT_THROW(parse({"--figure", "spectrum", "--output", file("x.csv"), "--setup", "theta=10k | theta=1"}),
                 BadInput);
}

TEST_F(BatchModes, EachFigureIsAPdfAndAnSvgFile) {
    ASSERT_EQ(writeFigure(parse({"--figure", "kernel", "--each", "--output", folder.path(), "--setup", "head_dim=16"})),
              0);
    for (const auto& [name, begin] : {std::pair{"kernel.pdf", "%PDF"}, std::pair{"kernel.svg", "<?xml"}}) {
        QFile written(file(name));
        ASSERT_TRUE(written.open(QIODevice::ReadOnly)) << name;
        EXPECT_TRUE(written.readAll().startsWith(begin)) << name;
    }
}

TEST_F(BatchModes, SoundOfAFigureIsAWavFile) {
    const QString sound = file("x.wav");
    EXPECT_EQ(writeSound(parse({"--figure", "kernel", "--output", sound, "--setup", "head_dim=16 context=64"})), 0);
    QFile wav(sound);
    ASSERT_TRUE(wav.open(QIODevice::ReadOnly));
    EXPECT_TRUE(wav.read(4) == "RIFF" && wav.size() > 100'000);
    EXPECT_THROW(writeSound(parse({"--figure", "dials", "--output", sound, "--setup", "head_dim=16"})), BadInput);
}

TEST_F(BatchModes, FiguresOfTokensShowTheGivenText) {
    const QString figure = file("tokens.csv");
    for (const char* name : {"token-rotation", "circuit-attention"}) {
        EXPECT_EQ(writeFigure(parse({"--figure", name, "--output", figure, "--setup", "head_dim=16 context=64",
                                     "--text", "seven wise owls"})),
                  0);
        QFile csv(figure);
        ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
        EXPECT_TRUE(QString::fromUtf8(csv.readAll()).contains("seven wise owls")) << name;
    }
    EXPECT_THROW(parse({"--figure", "spectrum", "--output", figure, "--text", "x"}), BadInput);
}

TEST_F(BatchModes, RandomLogitsHaveTheMeanAndTheCorrelationOfTheFlags) {
    const QString figure = file("logits.csv");
    EXPECT_EQ(writeFigure(parse({"--figure", "random-logits", "--output", figure, "--setup", "head_dim=16 context=64",
                                 "--mean", "1", "--correlation", "0.5"})),
              0);
    QFile csv(figure);
    ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
    EXPECT_TRUE(QString::fromUtf8(csv.readAll()).contains("ρ = 0.5 · mean"));
}

TEST_F(BatchModes, HeadlessReturnsOneIfTheSweepFails) {
    const Runner::EngineSource broken = []() -> Engine& { throw std::runtime_error("no engine"); };
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(runHeadless(parse({"--headless", "--output", file("out")}), broken), 1);
    }
    const QStringList labs = QDir(file("out")).entryList({"*.ropelab"}, QDir::Files, QDir::Name);
    ASSERT_EQ(labs.size(), 3) << "each sweep has a lab of its own";
    EXPECT_TRUE(labs.contains("lecture-minute-2.ropelab") && labs.contains("lecture-minute-3.ropelab"))
        << labs.join(' ').toStdString();
}

}  // namespace
}  // namespace ropelab::ui
