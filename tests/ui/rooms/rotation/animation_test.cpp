#include <QComboBox>
#include <QDoubleSpinBox>
#include <QImageReader>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>

#include "core/base/error.h"
#include "tests/ui/support/answered_dialogs.h"
#include "tests/ui/support/workbench.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/rotation/animation_dialog.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rooms/rotation/rotation_room.h"

namespace ropelab::ui {
namespace {

class AnimationTest : public Workbench {
 protected:
    AnimationJob jobTo(const char* name) const {
        AnimationJob job;
        job.output = file(name);
        job.setup.head_dim = 16;
        job.setup.context = 512;
        job.state = standardScene(job.setup).state;
        job.frames = 3;
        job.width = 320;
        return job;
    }
    static std::string problemOf(const char* json) {
        try {
            parseAnimationJob(json);
        } catch (const BadInput& error) {
            return error.what();
        }
        return {};
    }
};

TEST_F(AnimationTest, JobSurvivesItsText) {
    AnimationJob job = jobTo("dials.gif");
    job.figure = "pair";
    job.over = AnimationJob::Over::pairs;
    job.first = 7;
    job.last = 2;
    job.framesPerSecond = 12.5;
    job.appearance = Appearance::dark;
    job.state.n = 9;
    job.state.yaw = 1.25;
    job.state.highlighted = 3;
    job.state.source = VectorSource::handEdited;
    job.state.query[4] = 1.0 / 3;
    const AnimationJob read = parseAnimationJob(jobText(job));
    EXPECT_EQ(jobText(read), jobText(job));
    EXPECT_EQ(read.setup, job.setup);
    EXPECT_EQ(read.state.query, job.state.query);
    EXPECT_EQ(read.state.key, job.state.key);
    EXPECT_EQ(read.state.highlighted, 3);
    EXPECT_EQ(read.appearance, Appearance::dark);
}

TEST_F(AnimationTest, FramesChangeOneValue) {
    AnimationJob job = jobTo("dials.gif");
    job.first = 10;
    job.last = 21;
    EXPECT_EQ(job.sceneOf(0).state.m, 10);
    EXPECT_EQ(job.sceneOf(1).state.m, 16);
    EXPECT_EQ(job.sceneOf(2).state.m, 21);
    EXPECT_EQ(job.sceneOf(2).state.n, job.state.n);
    EXPECT_EQ(job.sceneOf(2).state.query, job.state.query);
    job.over = AnimationJob::Over::theta;
    job.first = 100;
    job.last = 1e6;
    EXPECT_DOUBLE_EQ(job.setupOf(1).theta, 1e4);
    EXPECT_NEAR(job.sceneOf(1).frequency(4), 1e-2, 1e-12) << "10,000^(-2*4/16)";
    EXPECT_EQ(job.sceneOf(1).state.m, job.state.m);
    job.over = AnimationJob::Over::pairs;
    job.first = 0;
    job.last = 7;
    EXPECT_EQ(job.sceneOf(2).enlargedPair(), 7);
}

TEST_F(AnimationTest, EveryFigureOfTheRoomCanBeAnimated) {
    const AnimationJob job = jobTo("dials.gif");
    for (const RotaryFigure& each : rotationFigures()) {
        const auto figure = rotationFigureOf(QLatin1String(each.name), job.sceneOf(1));
        ASSERT_TRUE(figure) << each.name;
        EXPECT_EQ(figure->name, QLatin1String(each.name));
    }
    EXPECT_FALSE(rotationFigureOf("spectrum", job.sceneOf(1)));
}

TEST_F(AnimationTest, TokensAreRotatedFromFrameToFrame) {
    AnimationJob job = jobTo("tokens.gif");
    job.figure = "token-rotation";
    job.state.text = "the cat";
    const AnimationJob read = parseAnimationJob(jobText(job));
    EXPECT_EQ(read.state.text, "the cat");
    job.first = 0;
    job.last = 2;
    const Figure first = *rotationFigureOf(job.figure, job.sceneOf(0));
    const Figure last = *rotationFigureOf(job.figure, job.sceneOf(2));
    EXPECT_EQ(first.table.columns[0][0], 0);
    EXPECT_EQ(last.table.columns[0][0], 2);
    EXPECT_EQ(first.table.columns[3], last.table.columns[3]) << "angles before rotation";
    EXPECT_NE(first.table.columns[5], last.table.columns[5]) << "angles after rotation";
    EXPECT_TRUE(changesWithPosition("token-rotation"));
    EXPECT_FALSE(changesWithPosition("circuit-attention")) << "the head attends by distance alone";
    EXPECT_FALSE(changesWithPosition("spectrum"));
}

TEST_F(AnimationTest, DialogOffersOnlyWhatChangesTheFigure) {
    AnimationJob job = jobTo("x.gif");
    job.figure = "spectrum";
    AnimationDialog ofTheta(job);
    EXPECT_EQ(ofTheta.form().field<QComboBox>("over")->count(), 1);
    EXPECT_EQ(ofTheta.job("x.gif").over, AnimationJob::Over::theta);
    job.figure = "helix";
    AnimationDialog ofAll(job);
    EXPECT_EQ(ofAll.form().field<QComboBox>("over")->count(), 3);
}

TEST_F(AnimationTest, BadInputIsRefusedWithOneSentence) {
    EXPECT_NE(problemOf("[]").find("JSON object"), std::string::npos);
    EXPECT_NE(problemOf(R"({"output": "a.gif", "wide": 3})").find("no key \"wide\""), std::string::npos);
    EXPECT_NE(problemOf(R"({"output": "a.gif", "over": "time"})").find("positions, theta or pairs"), std::string::npos);
    EXPECT_NE(problemOf(R"({"output": "a.gif", "to": 1024, "setup": "context=1024"})").find("0 to 1023"),
              std::string::npos);
    EXPECT_NE(problemOf(R"({"output": "a.gif", "over": "theta", "from": 0})").find("from is 0"), std::string::npos);
    EXPECT_NE(problemOf(R"({"output": "a.mp4"})").find(".gif, .png or .svg"), std::string::npos);
}

TEST_F(AnimationTest, WritesAnAnimationAndSeparateFrames) {
    AnimationJob job = jobTo("dials.gif");
    job.first = 0;
    job.last = 40;
    const auto figureOf = [&](int frame) { return *rotationFigureOf(job.figure, job.sceneOf(frame)); };
    const auto write = [&] {
        return writeFrames(
            job, job.frames, figureOf, [](int, int) {}, [] { return false; });
    };
    EXPECT_EQ(write(), 3);
    QImageReader reader(job.output);
    EXPECT_EQ(reader.imageCount(), 3);
    EXPECT_EQ(reader.size(), QSize(320, job.height()));
    job.output = file("dials.png");
    EXPECT_EQ(write(), 3);
    EXPECT_NE(QImage(framePath(job.output, 1)), QImage(framePath(job.output, 3))) << "the hands rotate";
    EXPECT_THROW(write(), BadInput) << "frames of this name exist";
}

TEST_F(AnimationTest, RoomExportsItsFigureInASeparateProcess) {
    Workspace workspace(options());
    RotationRoom room(workspace.rotary(), workspace.runAccess());
    room.resize(900, 700);
    room.show();
    room.refreshNow();
    emit room.pairView()->chosen();
    std::unique_ptr<AnimationDialog> dialog(room.openAnimationDialog());
    dialog->setAttribute(Qt::WA_DeleteOnClose, false);
    EXPECT_EQ(dialog->job("x.gif").figure, "pair");
    EXPECT_EQ(dialog->job("x.gif").state.query, room.scene().state.query);
    dialog->form().setValue("over", static_cast<int>(AnimationJob::Over::pairs));
    EXPECT_EQ(dialog->form().value("to"), 31) << "the default setup has 32 pairs";
    EXPECT_EQ(dialog->form().value("frames"), 32);
    dialog->form().setValue("frames", 3);
    dialog->form().setValue("width", 640);
    dialog->process().setProgram(QStringLiteral(ROPELAB_WINDOW));
    AnsweredDialogs answers;
    answers.path = file("out.gif");
    QSignalSpy finished(&dialog->process(), &ExportProcess::finished);
    dialog->saveButton()->click();
    ASSERT_EQ(answers.questions.size(), 1);
    EXPECT_EQ(answers.questions[0].path, "pair.gif");
    EXPECT_TRUE(dialog->process().isRunning());
    ASSERT_TRUE(waitUntil([&] { return finished.count() == 1; })) << dialog->words()->text().toStdString();
    EXPECT_EQ(dialog->words()->text(), "3 frames exported to out.gif");
    EXPECT_EQ(QImageReader(file("out.gif")).imageCount(), 3);
}

}  // namespace
}  // namespace ropelab::ui
