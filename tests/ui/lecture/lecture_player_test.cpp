#include "ui/lecture/lecture_player.h"

#include <gtest/gtest.h>

#include <QMap>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "tests/ui/lecture/question_stage.h"
#include "ui/theme/motion.h"

namespace ropelab::ui {
namespace {

/// Stage that stores the values of its controls and what happened, in order.
class RecordingStage : public QuestionStage {
 public:
    void resetControls() override {
        values = {{"m", 0}, {"n", 0}, {"theta", 10000}};
        log << "reset";
    }
    void showRoom(const QString& name, const QString& part) override { log << "room " + name + "/" + part; }
    double control(const QString& key) override { return values.value(key, std::nan("")); }
    void setControl(const QString& key, const QString& value) override {
        if (key == "broken") throw BadInput("There is no control broken.");
        double number = std::nan("");
        try {
            number = parse_number(value.toStdString());
        } catch (const BadInput&) {
        }
        values[key] = number;
        history[key].append(number);
        log << key + "=" + value;
    }
    void showRuns(const QString& lab, const LectureTraining* training) override {
        log << "lab " + lab + (training ? " live" : "");
    }
    void pointAt(const QString& what) override { pointed = what; }

    QMap<QString, double> values;
    QMap<QString, QList<double>> history;
    QStringList log;
};

LectureStep stepOf(const std::string& say, std::vector<LectureChange> changes, bool loop = false) {
    LectureStep step;
    step.say = say;
    step.set = std::move(changes);
    step.loop = loop;
    return step;
}

class LecturePlayerTest : public ::testing::Test {
 protected:
    void SetUp() override {
        Lecture lecture;
        lecture.title = "Clocks";
        LectureScene first;
        first.id = "one-hand";
        first.title = "One hand";
        first.room = "rotation";
        first.part = "dials";
        first.controls = {"m", "n"};
        first.steps = {stepOf("a", {{"m", "10", 0}, {"n", "3", 0}}), stepOf("b", {{"m", "64", 0.2}}),
                       stepOf("c", {{"theta", "500k", 0.4}})};
        first.steps[1].point = "pair 3";
        LectureScene second;
        second.id = "text";
        second.title = "What it means";
        second.text = "Some words.";
        second.setup.a.theta = 500;
        LectureScene third;
        third.id = "runs";
        third.title = "Three runs";
        third.room = "results";
        third.lab = "/labs/three.ropelab";
        third.live.emplace();
        third.steps = {stepOf("loop", {{"m", "8", 0.1}}, true)};
        lecture.scenes = {first, second, third};
        player.setLecture(std::move(lecture));
    }
    void TearDown() override { setMotionReduced(false); }

    RecordingStage stage;
    LecturePlayer player{stage};
};

TEST_F(LecturePlayerTest, BeginsOnTheTitlePageWithoutTouchingTheStage) {
    EXPECT_EQ(player.scene(), -1);
    EXPECT_EQ(player.currentScene(), nullptr);
    EXPECT_TRUE(stage.log.isEmpty());
}

TEST_F(LecturePlayerTest, AppliesASceneAndAllEarlierStepsWithoutGlides) {
    QSignalSpy stepped(&player, &LecturePlayer::stepped);
    QSignalSpy settled(&player, &LecturePlayer::settled);
    player.goTo(0, 2);
    EXPECT_EQ(stage.log, QStringList({"reset", "room rotation/dials", "lab ", "m=10", "n=3", "m=64", "theta=500k"}));
    EXPECT_EQ(stage.visible, QStringList({"m", "n"}));
    EXPECT_FALSE(player.isGliding());
    ASSERT_EQ(stepped.size(), 1);
    EXPECT_EQ(stepped[0][0].toInt(), 0);
    EXPECT_EQ(stepped[0][1].toInt(), 2);
    EXPECT_EQ(settled.size(), 1);
}

TEST_F(LecturePlayerTest, APageOfTextSetsTheSetupOfItsQuestions) {
    player.goTo(1, -1);
    EXPECT_EQ(stage.current.a.theta, 500);
}

TEST_F(LecturePlayerTest, NumbersGlideToTheirEndsAndThenSettle) {
    player.goTo(0, 0);
    QSignalSpy settled(&player, &LecturePlayer::settled);
    player.next();
    EXPECT_TRUE(player.isGliding());
    EXPECT_EQ(stage.pointed, "pair 3");
    ASSERT_TRUE(settled.wait(10000));
    EXPECT_DOUBLE_EQ(stage.values["m"], 64);
    EXPECT_FALSE(player.isGliding());
    const QList<double>& passed = stage.history["m"];
    EXPECT_TRUE(std::is_sorted(passed.begin(), passed.end()));
}

TEST_F(LecturePlayerTest, AGlideAfterAnotherBeginsAtItsStart) {
    player.goTo(0, 0);
    QSignalSpy settled(&player, &LecturePlayer::settled);
    player.next();
    ASSERT_TRUE(settled.wait(10000));
    player.next();
    EXPECT_TRUE(player.isGliding());
    EXPECT_EQ(stage.history["theta"].value(0, 10000), 10000) << "not where the time of the last glide would set it";
}

TEST_F(LecturePlayerTest, PositionsGlideOverWholeNumbers) {
    player.goTo(0, 0);
    player.next();
    player.glideTo(0.1);
    EXPECT_DOUBLE_EQ(stage.values["m"], 37) << "half of the way from 10 to 64";
    player.glideTo(0.0999);
    EXPECT_DOUBLE_EQ(stage.values["m"], 37);
}

TEST_F(LecturePlayerTest, ThetaGlidesOnALogarithmicScale) {
    player.goTo(0, 1);
    player.next();
    player.glideTo(0.2);
    EXPECT_NEAR(stage.values["theta"], std::sqrt(10000.0 * 500000), 1);
    EXPECT_EQ(stage.pointed, "") << "a step that points at nothing";
}

TEST_F(LecturePlayerTest, TheNextKeyEndsAGlideAtItsEnd) {
    player.goTo(0, 0);
    player.next();
    player.next();
    EXPECT_DOUBLE_EQ(stage.values["m"], 64);
    EXPECT_EQ(player.step(), 2);
}

TEST_F(LecturePlayerTest, ReducedMotionSetsValuesImmediately) {
    setMotionReduced(true);
    player.goTo(0, 0);
    player.next();
    EXPECT_FALSE(player.isGliding());
    EXPECT_DOUBLE_EQ(stage.values["m"], 64);
    player.goTo(2, 0);
    EXPECT_FALSE(player.isGliding()) << "a loop does not run";
}

TEST_F(LecturePlayerTest, ALoopRunsUntilTheNextKey) {
    player.goTo(2, -1);
    QSignalSpy settled(&player, &LecturePlayer::settled);
    player.next();
    ASSERT_TRUE(QTest::qWaitFor([&] {
        const QList<double>& passed = stage.history["m"];
        return !std::is_sorted(passed.begin(), passed.end());  // it began again
    }));
    EXPECT_TRUE(settled.isEmpty());
    EXPECT_TRUE(player.isGliding());
    player.previous();
    EXPECT_FALSE(player.isGliding());
}

TEST_F(LecturePlayerTest, GoesForwardAndBackThroughScenes) {
    player.goTo(0, -1);
    for (int i = 0; i < 3; ++i) player.next();
    EXPECT_EQ(player.step(), 2);
    player.next();
    EXPECT_EQ(player.scene(), 1);
    EXPECT_EQ(player.step(), -1);
    player.next();
    EXPECT_EQ(player.scene(), 2);
    EXPECT_TRUE(stage.log.contains("lab /labs/three.ropelab live"));
    player.previous();
    EXPECT_EQ(player.scene(), 1);
    player.previous();
    EXPECT_EQ(player.scene(), 0);
    EXPECT_EQ(player.step(), 2) << "the last step";
    player.resetScene();
    EXPECT_EQ(player.step(), 0) << "a scene begins at its first step";
    player.previous();
    EXPECT_EQ(player.scene(), -1) << "the title page";
    player.goTo(2, 0);
    player.next();
    EXPECT_EQ(player.scene(), 2) << "the lecture ends here";
}

TEST_F(LecturePlayerTest, JumpsByNumberIdAndTitle) {
    EXPECT_TRUE(player.jump("3"));
    EXPECT_EQ(player.scene(), 2);
    EXPECT_TRUE(player.jump("0"));
    EXPECT_EQ(player.scene(), -1);
    EXPECT_TRUE(player.jump("one-h"));
    EXPECT_EQ(player.scene(), 0);
    EXPECT_TRUE(player.jump("what it"));
    EXPECT_EQ(player.scene(), 1);
    for (const char* where : {"", "4", "-1", "islands"}) EXPECT_FALSE(player.jump(where)) << where;
    EXPECT_EQ(player.scene(), 1);
}

TEST_F(LecturePlayerTest, ReportsWhatCannotBeAppliedAndAppliesTheRest) {
    Lecture lecture = player.lecture();
    lecture.scenes[0].steps[0].set.insert(lecture.scenes[0].steps[0].set.begin(), {"broken", "1", 0});
    player.setLecture(lecture);
    QSignalSpy problem(&player, &LecturePlayer::problem);
    player.goTo(0, 0);
    ASSERT_EQ(problem.size(), 1);
    EXPECT_EQ(problem[0][0].toString(), "There is no control broken.");
    EXPECT_DOUBLE_EQ(stage.values["m"], 10);
}

TEST_F(LecturePlayerTest, AChangedLectureKeepsItsPlace) {
    player.goTo(2, 0);
    Lecture changed = player.lecture();
    changed.scenes.erase(changed.scenes.begin() + 1);
    changed.scenes[1].title = "Two runs";
    player.reload(changed);
    EXPECT_EQ(player.scene(), 1);
    EXPECT_EQ(player.step(), 0);
    EXPECT_EQ(player.currentScene()->title, "Two runs");
    changed.scenes.pop_back();
    player.replace(changed);
    EXPECT_EQ(player.scene(), 0) << "the scene does not exist any more";
}

}  // namespace
}  // namespace ropelab::ui
