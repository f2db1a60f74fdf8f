#include "ui/inspect/model_answers.h"

#include "tests/ui/inspect/inspect_fixture.h"
#include "ui/inspect/inspect_batch.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {
namespace {

class ModelAnswersTest : public InspectBench {
 protected:
    std::shared_ptr<const InsideRun> firstRun(const QString& path) {
        workspace.lab().open(path);
        return std::make_shared<const InsideRun>(readInsideRun(*workspace.lab().file(), 1));
    }
    void SetUp() override { InspectBench::SetUp(); }

    QTemporaryDir place;
    Workspace workspace{{.settingsFile = place.filePath("settings.ini"),
                         .labsFolder = place.filePath("labs"),
                         .dataDir = {},
                         .engine = [this]() -> Engine& { return engine; }}};
};

TEST_F(ModelAnswersTest, ATextNeedsTwoKnownSymbols) {
    const auto run = firstRun(writeLab());
    EXPECT_TRUE(refusal([&] { (void)textRequest(*run, "x", {}); }).contains("fewer than two symbols"));
    EXPECT_TRUE(refusal([&] { (void)textRequest(*run, "Äh", {}); }).contains("not among the"));
    const ProbeRequest request = textRequest(*run, "the lazy dog", 3);
    EXPECT_EQ(request.map_size, 12);
    EXPECT_EQ(request.map_pair, 3);
    EXPECT_EQ(textRequest(*run, "the lazy dog", 4).map_pair, -1);  // this run has 4 pairs
    EXPECT_EQ(textRequest(*run, QString(500, 'a'), {}).windows.length, longestText);
    InsideRun learned = *run;
    learned.spec.position = Position::learned;
    EXPECT_EQ(textRequest(learned, QString(500, 'a'), {}).windows.length, testLength);
}

TEST_F(ModelAnswersTest, WithoutACheckpointItSaysSo) {
    const auto run = firstRun(writeLab(true, nlohmann::json::object(), false));
    ModelAnswers answers(workspace);
    answers.wantBeyond(run, 2);
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    InspectData data;
    data.run = run;
    answers.fill(data, InspectFigure::Reads::beyond);
    EXPECT_FALSE(data.beyond);
    EXPECT_TRUE(data.problem.contains("no checkpoint")) << data.problem.toStdString();
}

TEST_F(ModelAnswersTest, TheLatestQuestionStandsAndAnswersBelongToTheirRun) {
    const auto run = firstRun(writeLab());
    ModelAnswers answers(workspace);
    for (const std::int64_t factor : {2, 4, 8}) answers.wantBeyond(run, factor);
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    InspectData data;
    data.run = run;
    answers.fill(data, InspectFigure::Reads::beyond);
    ASSERT_TRUE(data.beyond) << data.problem.toStdString();
    EXPECT_EQ(data.beyond->factor, 8);
    EXPECT_EQ(data.beyond->readings.size(), 6U);
    EXPECT_EQ(data.beyond->readings[0].result->length, 8 * testLength);
    auto other = std::make_shared<InsideRun>(*run);
    other->id = 2;
    InspectData others;
    others.run = other;
    answers.fill(others, InspectFigure::Reads::beyond);
    EXPECT_FALSE(others.beyond);
}

TEST_F(ModelAnswersTest, TrainingHasTheEngineFirst) {
    const auto run = firstRun(writeLab());
    engine.step_microseconds = 2000;
    workspace.experiment().replace(smallSweep(100000));
    workspace.start();
    ASSERT_TRUE(workspace.session().isActive());
    ModelAnswers answers(workspace);
    answers.wantKnockOut(run, {});
    EXPECT_FALSE(answers.isBusy());
    InspectData data;
    data.run = run;
    answers.fill(data, InspectFigure::Reads::knockOut);
    EXPECT_TRUE(data.problem.contains("as soon as no run trains")) << data.problem.toStdString();
    workspace.session().stop();
    ASSERT_TRUE(waitForEnd(workspace));
    answers.wantKnockOut(run, {});
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    answers.fill(data, InspectFigure::Reads::knockOut);
    EXPECT_TRUE(data.knockOut) << data.problem.toStdString();
}

TEST_F(ModelAnswersTest, FineTuningTellsItsStepsAndKeepsOneResultAMethodAndLength) {
    const auto run = firstRun(writeLab());
    ModelAnswers answers(workspace);
    std::vector<std::int64_t> told;
    QObject::connect(&answers, &ModelAnswers::fineTuned, [&](std::int64_t done, std::int64_t steps) {
        EXPECT_EQ(steps, 5);
        told.push_back(done);
    });
    InspectData data;
    data.run = run;
    const auto tune = [&](ScalingMethod method, std::int64_t factor) {
        answers.startFineTuning(run, {.method = method, .factor = factor, .steps = 5});
        EXPECT_TRUE(answers.isFineTuning());
        EXPECT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
        data.fineTunings.clear();
        answers.fill(data, InspectFigure::Reads::fineTuning);
    };
    tune(ScalingMethod::yarn, 2);
    ASSERT_EQ(data.fineTunings.size(), 1U) << answers.fineTuningProblem().toStdString();
    EXPECT_EQ(data.fineTunings[0].readings.size(), 2U);
    EXPECT_EQ(told.back(), 5);
    tune(ScalingMethod::ntk, 2);
    tune(ScalingMethod::yarn, 4);
    tune(ScalingMethod::yarn, 2);
    ASSERT_EQ(data.fineTunings.size(), 3U);
    EXPECT_EQ(data.fineTunings.back().factor, 2);
    EXPECT_EQ(data.fineTunings.back().readings.back().method, ScalingMethod::yarn);
    data.fineTuning.factor = 2;
    const Figure figure = findInspectFigure("fine-tuned-loss")->make(data).figure;
    EXPECT_EQ(figure.curves.size(), 4U);  // two methods, before and after
    EXPECT_TRUE(figure.note.startsWith("YaRN, 5 steps: beyond the context 1.5")) << figure.note.toStdString();
}

TEST_F(ModelAnswersTest, FineTuningIsCancelledAndMakesWayForTraining) {
    const auto run = firstRun(writeLab());
    engine.step_microseconds = 2000;
    ModelAnswers answers(workspace);
    answers.startFineTuning(run, {.factor = 2, .steps = 100000});
    answers.pause();  // the room is hidden: it goes on
    EXPECT_TRUE(answers.isFineTuning());
    answers.cancelFineTuning();
    EXPECT_FALSE(answers.isFineTuning());
    EXPECT_TRUE(answers.fineTuningProblem().isEmpty());

    answers.startFineTuning(run, {.factor = 2, .steps = 100000});
    workspace.experiment().replace(smallSweep(100000));
    workspace.start();
    ASSERT_TRUE(waitUntil([&] { return !answers.isFineTuning(); }));
    EXPECT_TRUE(answers.fineTuningProblem().contains("when no run trains any more"))
        << answers.fineTuningProblem().toStdString();
    answers.startFineTuning(run, {.factor = 2, .steps = 5});
    EXPECT_FALSE(answers.isFineTuning());
    workspace.session().stop();
    ASSERT_TRUE(waitForEnd(workspace));
    EXPECT_TRUE(answers.fineTuningProblem().isEmpty());
    answers.startFineTuning(run, {.factor = 2, .steps = 5});
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    EXPECT_TRUE(answers.fineTuningProblem().isEmpty()) << answers.fineTuningProblem().toStdString();
}

TEST(EngineTurn, WhoLooksIsAskedToEndWhenTrainingWantsTheEngine) {
    testing::FakeEngine engine;
    EngineTurn turn([&engine]() -> Engine& { return engine; });
    EXPECT_TRUE(turn.hold([&](Engine& held) {
        EXPECT_EQ(&held, &engine);
        EXPECT_FALSE(turn.isWanted());
    }));
    turn.forTraining()();
    EXPECT_TRUE(turn.isWanted());
    EXPECT_FALSE(turn.hold([](Engine&) { ADD_FAILURE() << "training has it"; }));
    turn.released();
    EXPECT_TRUE(turn.hold([](Engine&) {}));
}

TEST_F(ModelAnswersTest, FiguresAreMadeWithoutAWidget) {
    firstRun(writeLab());
    for (const InspectFigure& figure : inspectFigures()) {
        // The fake model has no retrieval, and a pair's part wants a typed text.
        const QString name = QLatin1String(figure.name);
        if (name == "pair-logits" || name.contains("knock-out-retrieval") || name == "beyond-retrieval") continue;
        EXPECT_FALSE(isEmpty(inspectFigureOf(workspace, figure, {}))) << figure.name;
    }
    const InspectFigure& spectrum = *findInspectFigure("query-spectrum");
    const Figure difference = inspectFigureOf(workspace, spectrum, {1, 2, 50});
    EXPECT_EQ(difference.map->scale, FigureMap::Scale::diverging);
    EXPECT_EQ(difference.settings.value("snapshot").toInt(), 50);
    EXPECT_TRUE(refusal([&] { (void)inspectFigureOf(workspace, spectrum, {9, 0, -1}); }).contains("no run 9"));
    EXPECT_TRUE(refusal([&] {
                    (void)inspectFigureOf(workspace, *findInspectFigure("pair-logits"), {});
                }).contains("Pick a pair"));
}

}  // namespace
}  // namespace ropelab::ui
