#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QImageReader>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>

#include "tests/ui/rooms/inspect/inspect_room_fixture.h"
#include "tests/ui/support/answered_dialogs.h"
#include "ui/figure/export/figure_csv.h"
#include "ui/rooms/inspect/inspect_panel.h"
#include "ui/rooms/inspect/replay_bar.h"

namespace ropelab::ui {
namespace {

using ReplayExportTest = InspectRoomTest;

TEST_F(ReplayExportTest, AnExportedFigureIsComputedAgainFromItsChoicesAlsoOfEarlierVersions) {
    const QString path = writeLab();
    openLab(path);
    room->mainPane().choose("query-spectrum");
    room->choices().form().setValue("rows", true);
    room->choices().form().setValue("axis", true);
    room->setControl("layer", "1");
    room->refreshNow();
    const Figure shown = room->exportedFigure();
    const auto again = [&](const QJsonObject& view) {
        FigureSources sources(path);
        return makeFigures(inspectEntries(), {"query-spectrum"}, shown.origin.flags, sources, view, true).front();
    };
    // The text of a replay, from version 0.2.0.
    const QJsonObject earlier{{"replay",
                               "{\"along\":\"wavelength\",\"figures\":[\"query-spectrum\"],\"lab\":\"lab\",\"layer\":1,"
                               "\"output\":\"-\",\"rows\":\"heads\",\"run\":1}"}};
    for (const QJsonObject& view : {shown.origin.view, earlier}) {
        const Figure figure = again(view);
        EXPECT_EQ(figureCsv(figure), figureCsv(shown));
        EXPECT_EQ(figure.settings, shown.settings);
        EXPECT_EQ(figure.origin.lab, shown.origin.lab);
    }
    EXPECT_NE(figureCsv(again({})), figureCsv(shown)) << "the command line shows layers by pair";
    EXPECT_TRUE(refusal([&] { again({{"choices", QJsonObject{{"speed", 1}}}}); }).contains("has no key \"speed\""));
}

TEST_F(ReplayExportTest, ExportsTheReplayInASeparateProcess) {
    openLab(writeLab());
    room->mainPane().choose("query-spectrum");
    room->choices().form().setValue("ghost", 2);
    room->sidePane().choose("second-run");
    ASSERT_TRUE(waitUntil([&] { return room->data().ghost && settled(); }));
    ReplayWriter& writer = room->replayWriter();
    writer.setProgram(QStringLiteral(ROPELAB_WINDOW));
    QSignalSpy finished(&writer, &ReplayWriter::finished);
    QSignalSpy progressed(&writer, &ReplayWriter::progressed);
    ReplayDialog* dialog = room->openReplayDialog();
    ASSERT_NE(dialog, nullptr);
    AnsweredDialogs answers;
    answers.path = file("out.gif");
    dialog->saveButton()->click();
    ASSERT_EQ(answers.questions.size(), 1);
    EXPECT_EQ(answers.questions[0].path, "replay.gif");
    EXPECT_TRUE(answers.questions[0].replaces);
    EXPECT_TRUE(writer.isRunning());
    EXPECT_EQ(room->replay().exportButton()->text(), "Stop export");
    ASSERT_TRUE(waitUntil([&] { return finished.count() == 1; }));
    EXPECT_EQ(finished.at(0).at(0).toInt(), 3);
    EXPECT_EQ(progressed.count(), 3);
    EXPECT_EQ(progressed.at(1), (QList<QVariant>{2, 3}));
    EXPECT_EQ(room->replay().words()->text(), "3 frames exported to out.gif");
    QImageReader reader(file("out.gif"));
    EXPECT_EQ(reader.imageCount(), 3);
    EXPECT_EQ(reader.size(), QSize(960, 538));
}

TEST_F(ReplayExportTest, CommandLineReportsWrittenFilesAsJson) {
    openLab(writeLab());
    ReplayJob job = room->replayJob();
    job.output = file("frames.png");
    job.width = 320;
    job.most = 2;
    QProcess program;
    program.start(ROPELAB_WINDOW, {"--replay", QString::fromStdString(jobText(job)), "--json"});
    ASSERT_TRUE(program.waitForFinished());
    EXPECT_EQ(program.exitCode(), 0);
    EXPECT_TRUE(program.readAllStandardError().endsWith("frame 1 of 2\nframe 2 of 2\n"));
    const QJsonObject said = QJsonDocument::fromJson(program.readAllStandardOutput()).object();
    EXPECT_EQ(said["frames"], 2);
    EXPECT_EQ(said["files"], (QJsonArray{file("frames-0001.png"), file("frames-0002.png")}));
    EXPECT_TRUE(QFileInfo::exists(file("frames-0002.png")));
}

TEST_F(ReplayExportTest, FailedExportSaysWhyAndStoppedExportLeavesNoFiles) {
    openLab(writeLab());
    // Heat maps take longer to encode than stems, so that there is time to stop the export.
    room->choices().form().field<QComboBox>("axis")->setCurrentIndex(1);
    ReplayWriter& writer = room->replayWriter();
    QSignalSpy problem(workspace.get(), &Workspace::problem);
    QSignalSpy stopped(&writer, &ReplayWriter::stopped);
    ReplayJob job = room->replayJob();
    EXPECT_EQ(job.figures, (QStringList{"logit-contribution", "attention-map"}));
    job.output = file("none/replay.gif");
    writer.setProgram(QStringLiteral("/none/ropelab"));
    writer.start(job);
    ASSERT_TRUE(waitUntil([&] { return problem.count() == 1; }));
    EXPECT_TRUE(problem.at(0).at(1).toString().startsWith(
        "The replay cannot be exported, because the program /none/ropelab does not start ("));
    writer.setProgram(QStringLiteral(ROPELAB_WINDOW));
    writer.start(job);
    ASSERT_TRUE(waitUntil([&] { return problem.count() == 2; }));
    EXPECT_TRUE(problem.at(1).at(1).toString().endsWith("replay.gif cannot be written: No such file or directory."))
        << problem.at(1).at(1).toString().toStdString();
    EXPECT_EQ(room->replay().exportButton()->text(), "Export replay …");
    job.output = file("replay.gif");
    job.width = 3840;
    QSignalSpy progressed(&writer, &ReplayWriter::progressed);
    QObject::connect(
        &writer, &ReplayWriter::progressed, room.get(),
        [&] {
            room->replay().exportButton()->click();
            EXPECT_EQ(room->replay().words()->text(), "stopping export …");
            EXPECT_FALSE(room->replay().exportButton()->isEnabled());
        },
        Qt::SingleShotConnection);
    ASSERT_TRUE(writer.start(job));
    EXPECT_FALSE(writer.start(job));
    ASSERT_TRUE(waitUntil([&] { return stopped.count() == 1; }));
    EXPECT_EQ(problem.count(), 2);
    EXPECT_EQ(progressed.count(), 1);
    EXPECT_EQ(stopped.at(0).at(0).toInt(), 0);
    EXPECT_TRUE(room->replay().exportButton()->isEnabled());
    EXPECT_TRUE(QDir(folder.path()).entryList({"replay*"}, QDir::Files | QDir::Hidden).isEmpty());
}

TEST_F(ReplayExportTest, DialogShowsFramesAndLength) {
    openLab(writeLab());
    ReplayDialog* dialog = room->openReplayDialog();
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(dialog->words()->text(), "3 frames of 960 × 538 pixels, 3 s long");
    dialog->form().setValue("frames", 2);
    dialog->form().setValue("rate", 10);
    dialog->form().setValue("width", 640);
    dialog->form().setValue("dark", true);
    const ReplayJob job = dialog->job("/labs/a.b");
    EXPECT_EQ(job.output, "/labs/a.b.gif");
    EXPECT_EQ(job.most, 2);
    EXPECT_EQ(job.framesPerSecond, 10);
    EXPECT_EQ(job.width, 640);
    EXPECT_EQ(job.appearance, Appearance::dark);
    dialog->form().setValue("format", "svg");
    EXPECT_FALSE(dialog->form().field<QDoubleSpinBox>("rate")->isEnabled());
    EXPECT_EQ(dialog->words()->text(), "2 frames of 640 × 358 pixels");
    EXPECT_EQ(dialog->job("/labs/x.SVG").output, "/labs/x.SVG");
    EXPECT_EQ(dialog->job("/labs/x.png").output, "/labs/x.png.svg");
    delete dialog;
}

TEST_F(ReplayExportTest, DoesNotOverwriteFilesWithoutAsking) {
    openLab(writeLab());
    ReplayDialog* dialog = room->openReplayDialog();
    ASSERT_NE(dialog, nullptr);
    QSignalSpy wanted(dialog, &ReplayDialog::exportConfirmed);
    const auto make = [this](const char* name) {
        QFile made(file(name));
        return made.open(QIODevice::WriteOnly);
    };
    ASSERT_TRUE(make("mine.gif") && make("mine-0003.png"));
    AnsweredDialogs answers;
    answers.path = file("mine");
    dialog->saveButton()->click();
    EXPECT_TRUE(dialog->words()->text().contains(QRegularExpression("mine.gif.* already exists")))
        << dialog->words()->text().toStdString();
    dialog->form().setValue("format", "png");
    dialog->saveButton()->click();
    EXPECT_TRUE(dialog->words()->text().contains("mine-0003.png; choose another name"));
    EXPECT_EQ(wanted.count(), 0);
    EXPECT_TRUE(dialog->isVisible());
}

TEST_F(ReplayExportTest, OpensOneDialogAndRejectsFiguresThatCannotBeReplayed) {
    openLab(writeLab());
    QSignalSpy problem(workspace.get(), &Workspace::problem);
    ReplayDialog* dialog = room->openReplayDialog();
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(room->openReplayDialog(), dialog);
    workspace->lab().open(writeLab());
    EXPECT_FALSE(dialog->isVisible());
    ASSERT_TRUE(waitUntil([&] { return room->data().run && settled(); }));
    room->mainPane().choose("fine-tuned-loss");
    EXPECT_EQ(room->openReplayDialog(), nullptr);
    ASSERT_EQ(problem.count(), 1);
    EXPECT_TRUE(problem.at(0).at(1).toString().contains("cannot be replayed"));
}

}  // namespace
}  // namespace ropelab::ui
