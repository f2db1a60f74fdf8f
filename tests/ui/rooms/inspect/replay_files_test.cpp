
#include <QDir>
#include <QImageReader>

#include "tests/ui/rooms/inspect/inspect_fixture.h"
#include "ui/rooms/inspect/replay_job.h"

namespace ropelab::ui {
namespace {

class ReplayFilesTest : public InspectBench {
 protected:
    ReplayJob jobTo(const char* name) {
        ReplayJob job;
        job.lab = lab.isEmpty() ? lab = writeLab() : lab;
        job.output = file(name);
        job.figures = QStringList{QStringLiteral("query-spectrum"), QStringLiteral("pair-dials")};
        job.width = 640;
        job.framesPerSecond = 4;
        return job;
    }
    int write(
        const ReplayJob& job, const Cancelled& cancelled = [] { return false; }) {
        said.clear();
        return writeReplay(
            job, [this]() -> Engine& { return engine; }, {},
            [this](int done, int all) { said << QStringLiteral("%1/%2").arg(done).arg(all); }, cancelled);
    }
    /// Returns the files in the folder whose names begin with `start`.
    QStringList files(const QString& start) const {
        return QDir(folder.path()).entryList({start + QLatin1Char('*')}, QDir::Files | QDir::Hidden);
    }

    QString lab;
    QStringList said;
};

TEST_F(ReplayFilesTest, AnimationShowsEverySnapshot) {
    EXPECT_EQ(write(jobTo("replay.gif")), 3);
    EXPECT_EQ(said, (QStringList{"1/3", "2/3", "3/3"}));
    QImageReader reader(file("replay.gif"));
    EXPECT_EQ(reader.imageCount(), 3);
    EXPECT_EQ(reader.size(), QSize(640, 358));
    // The same replay is exported as one file per frame.
    EXPECT_EQ(write(jobTo("replay.png")), 3);
    EXPECT_EQ(files("replay"), (QStringList{"replay-0001.png", "replay-0002.png", "replay-0003.png", "replay.gif"}));
    QImage before;
    for (int frame = 1; frame <= 3; ++frame) {
        const QImage shown = reader.read().convertToFormat(QImage::Format_RGB32);
        EXPECT_EQ(reader.nextImageDelay(), frame < 3 ? 250 : 2000);
        const QImage full = QImage(framePath(file("replay.png"), frame)).convertToFormat(QImage::Format_RGB32);
        ASSERT_EQ(full.size(), shown.size());
        EXPECT_NE(shown, before);
        before = shown;
        EXPECT_EQ(shown.pixel(0, 0), full.pixel(0, 0));  // the background colour is exact
        double apart = 0;
        for (int y = 0; y < full.height(); ++y) {
            for (int x = 0; x < full.width(); ++x) {
                const QRgb a = shown.pixel(x, y);
                const QRgb b = full.pixel(x, y);
                apart += std::abs(qRed(a) - qRed(b)) + std::abs(qGreen(a) - qGreen(b)) + std::abs(qBlue(a) - qBlue(b));
            }
        }
        EXPECT_LT(apart / (3.0 * full.width() * full.height()), 2) << frame;
    }
}

TEST_F(ReplayFilesTest, FewerFramesAreEvenlySpaced) {
    ReplayJob job = jobTo("thin.gif");
    job.most = 2;
    EXPECT_EQ(write(job), 2);
    EXPECT_EQ(QImageReader(job.output).imageCount(), 2);
    InsideRun run;
    for (int i = 0; i <= 100; ++i) run.addSnapshot({10 * i, nullptr});
    EXPECT_EQ(replayIterations(run, 5), (std::vector<std::int64_t>{0, 250, 500, 750, 1000}));
    EXPECT_EQ(replayIterations(run, 1), (std::vector<std::int64_t>{1000}));
    EXPECT_EQ(replayIterations(run, 0).size(), 101U);
    EXPECT_EQ(replayIterations(run, 500).size(), 101U);
    const auto uneven = replayIterations(run, 60);
    EXPECT_EQ(uneven.size(), 60U);
    EXPECT_EQ(uneven.front(), 0);
    EXPECT_EQ(uneven.back(), 1000);
    EXPECT_EQ(std::adjacent_find(uneven.begin(), uneven.end()), uneven.end());
}

TEST_F(ReplayFilesTest, ExportsTheSecondRunAndModelResults) {
    ReplayJob job = jobTo("two.svg");
    job.beside = 2;
    job.figures = QStringList{QStringLiteral("attention-map"), QLatin1String(ReplayJob::kSecondRun)};
    EXPECT_EQ(write(job), 3);
    const auto frame = [this](const char* name) {
        QFile svg(file(name));
        return svg.open(QIODevice::ReadOnly) ? svg.readAll() : QByteArray();
    };
    EXPECT_TRUE(frame("two-0002.svg").contains("<svg"));
    // The figure of the second run differs from that of the first run.
    job.output = file("same.svg");
    job.figures[1] = job.figures[0];
    EXPECT_EQ(write(job), 3);
    EXPECT_FALSE(frame("same-0002.svg").isEmpty());
    EXPECT_NE(frame("same-0002.svg"), frame("two-0002.svg"));
    job = jobTo("knock.gif");
    job.figures = QStringList{QStringLiteral("ablation-loss")};
    EXPECT_EQ(write(job), 3);
    EXPECT_EQ(QImageReader(job.output).imageCount(), 3);
    // If the model cannot be evaluated, the export fails instead of repeating the problem in each frame.
    job.figures = QStringList{QStringLiteral("attention-map")};
    job.modelInputs.text = QStringLiteral("a?");
    EXPECT_FALSE(refusal([&] { write(job); }).isEmpty());
    job.modelInputs.text.clear();
    job.figures = QStringList{QStringLiteral("logit-contribution"), QLatin1String(ReplayJob::kSecondRun)};
    EXPECT_TRUE(refusal([&] { write(job); }).contains("needs a second run"));
}

TEST_F(ReplayFilesTest, CancelledExportLeavesNoIncompleteFile) {
    const ReplayJob job = jobTo("replay.gif");
    EXPECT_EQ(write(job, [this] { return said.size() >= 2; }), 0);
    EXPECT_TRUE(files("replay").isEmpty()) << files("replay").join(' ').toStdString();
    EXPECT_EQ(write(jobTo("frame.png"), [this] { return said.size() >= 2; }), 2);
    EXPECT_EQ(files("frame"), (QStringList{"frame-0001.png", "frame-0002.png"}));
    // Existing frames of an earlier replay prevent the export.
    EXPECT_TRUE(refusal([&] {
                    write(jobTo("frame.png"));
                }).startsWith("Image files of frames with this name already exist, such as"));
    EXPECT_EQ(write(jobTo("frame.svg"), [] { return true; }), 0);
    // An export that is cancelled after the last frame is complete.
    EXPECT_EQ(write(jobTo("late.gif"), [this] { return said.size() >= 3; }), 3);
    EXPECT_EQ(QImageReader(file("late.gif")).imageCount(), 3);
    // A cancelled export does not change an existing file.
    EXPECT_EQ(write(job), 3);
    EXPECT_EQ(write(job, [this] { return said.size() >= 2; }), 0);
    EXPECT_EQ(QImageReader(job.output).imageCount(), 3);
    EXPECT_EQ(files("replay").size(), 1);
}

TEST_F(ReplayFilesTest, RejectsInvalidJobsWithOneSentence) {
    ReplayJob job = jobTo("none/replay.gif");
    EXPECT_EQ(refusal([&] { write(job); }), job.output + " cannot be written: No such file or directory.");
    job.output = file("none/replay.png");
    EXPECT_EQ(refusal([&] { write(job); }),
              file("none/replay-0001.png") + " cannot be written: No such file or directory.");
    job = jobTo("replay.gif");
    job.run = 9;
    EXPECT_TRUE(refusal([&] { write(job); }).startsWith("There is no run 9 in "));
    job.run = 1;
    job.choices.layer = 99;
    EXPECT_EQ(refusal([&] { write(job); }), "A replay's layer is 99, but this run's layers are 0 to 1.");
    job.choices.layer = -1;
    job.choices.head = 2;
    EXPECT_EQ(refusal([&] { write(job); }), "A replay's head is 2, but this run's heads are 0 to 1.");
    job.choices.head = -1;
    job.lab = writeLab(false);
    EXPECT_TRUE(refusal([&] { write(job); }).contains("no snapshots of this run"));
    job.lab = file("missing.ropelab");
    EXPECT_FALSE(refusal([&] { write(job); }).isEmpty());
    EXPECT_TRUE(files("replay").isEmpty());
}

}  // namespace
}  // namespace ropelab::ui
