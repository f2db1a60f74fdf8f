#include "ui/rooms/inspect/model_answers.h"

#include <QSignalSpy>
#include <cmath>
#include <thread>

#include "tests/ui/rooms/inspect/inspect_fixture.h"
#include "ui/figure/export/export.h"
#include "ui/rooms/inspect/figures/figures.h"
#include "ui/rooms/inspect/probe_work.h"
#include "ui/session/engine_work.h"
#include "ui/session/workspace.h"

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

TEST_F(ModelAnswersTest, TextNeedsTwoKnownTokens) {
    const auto run = firstRun(writeLab());
    EXPECT_TRUE(refusal([&] { (void)textRequest(*run, "x", {}); }).contains("fewer than two tokens"));
    EXPECT_TRUE(refusal([&] { (void)textRequest(*run, "Äh", {}); }).contains("not among the"));
    const ProbeRequest request = textRequest(*run, "the lazy dog", 3);
    EXPECT_EQ(request.map_size, 12);
    EXPECT_EQ(request.map_pair, 3);
    EXPECT_EQ(textRequest(*run, "the lazy dog", 4).map_pair, -1);  // the run has only 4 pairs
    EXPECT_EQ(textRequest(*run, QString(500, 'a'), {}).sequences.length, kMaxTextTokens);
    InsideRun learned = *run;
    learned.spec.position = Position::learned;
    learned.plan = plan_of(learned.spec, 65);
    EXPECT_EQ(textRequest(learned, QString(500, 'a'), {}).sequences.length, kTestLength);
}

TEST_F(ModelAnswersTest, ExplainsMissingCheckpoint) {
    const auto run = firstRun(writeLab(true, nlohmann::json::object(), false));
    ModelAnswers answers(workspace.runAccess());
    answers.request(need::beyond, run, {.factor = 2});
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    InspectData data;
    data.run = run;
    answers.fill(data, &need::beyond);
    EXPECT_FALSE(data.beyond);
    EXPECT_TRUE(data.problem.startsWith("The checkpoint of this run is missing")) << data.problem.toStdString();
    EXPECT_TRUE(data.problem.contains(QString::fromStdString(run->checkpoint.path.string())))
        << "the message contains the path";
    auto fresh = std::make_shared<InsideRun>(*run);
    fresh->checkpoint.is_written = false;
    EXPECT_TRUE(refusal([&] {
                    (void)need::beyond.compute({&engine, {}, {}}, *fresh, {});
                }).contains("has no checkpoint yet"));
}

TEST_F(ModelAnswersTest, LatestRequestReplacesEarlierOnesOfTheRun) {
    const auto run = firstRun(writeLab());
    ModelAnswers answers(workspace.runAccess());
    for (const std::int64_t factor : {2, 4, 8}) answers.request(need::beyond, run, {.factor = factor});
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    InspectData data;
    data.run = run;
    answers.fill(data, &need::beyond);
    ASSERT_TRUE(data.beyond) << data.problem.toStdString();
    EXPECT_EQ(data.beyond->factor, 8);
    EXPECT_EQ(data.beyond->evaluations.size(), 8U);
    EXPECT_EQ(data.beyond->evaluations[0].result->length, 8 * kTestLength);
    auto other = std::make_shared<InsideRun>(*run);
    other->id = 2;
    InspectData others;
    others.run = other;
    answers.fill(others, &need::beyond);
    EXPECT_FALSE(others.beyond);
}

TEST_F(ModelAnswersTest, TrainingHasPriorityForTheEngine) {
    const auto run = firstRun(writeLab());
    engine.step_microseconds = 2000;
    workspace.experiment().replace(smallSweep(100000));
    workspace.start();
    ASSERT_TRUE(workspace.session().isActive());
    ModelAnswers answers(workspace.runAccess());
    answers.request(need::ablation, run, {});
    EXPECT_FALSE(answers.isBusy());
    InspectData data;
    data.run = run;
    answers.fill(data, &need::ablation);
    EXPECT_TRUE(data.problem.contains("after training has ended")) << data.problem.toStdString();
    workspace.session().stop();
    ASSERT_TRUE(waitForEnd(workspace));
    answers.request(need::ablation, run, {});
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    answers.fill(data, &need::ablation);
    EXPECT_TRUE(data.ablation) << data.problem.toStdString();
}

TEST_F(ModelAnswersTest, WaitingRunIsNotTreatedAsTraining) {
    engine.step_microseconds = 2000;
    Experiment sweep = smallSweep(100000);
    sweep.set("context", {"32", "48"});
    workspace.experiment().replace(sweep);
    workspace.start();
    ASSERT_TRUE(waitUntil([&] { return workspace.session().waiting().size() == 1; }));
    const RunId id = workspace.session().waiting().front().runs.front();
    ASSERT_TRUE(workspace.session().isTraining(id));
    const auto run = std::make_shared<const InsideRun>(readInsideRun(*workspace.lab().file(), id));
    ModelAnswers answers(workspace.runAccess());
    answers.request(need::text, run, {.text = "the dog"});
    EXPECT_FALSE(answers.isBusy());
    EXPECT_TRUE(answers.problemOf(need::text).contains("after training has ended"))
        << answers.problemOf(need::text).toStdString();
    workspace.session().stop();
    ASSERT_TRUE(waitForEnd(workspace));
}

TEST_F(ModelAnswersTest, FineTuningReportsProgressAndKeepsOneResultPerMethodAndLength) {
    const auto run = firstRun(writeLab());
    ModelAnswers answers(workspace.runAccess());
    std::vector<std::int64_t> reported;
    QObject::connect(&answers, &ModelAnswers::fineTuningProgressed, [&](std::int64_t done, std::int64_t steps) {
        EXPECT_EQ(steps, 5);
        reported.push_back(done);
    });
    InspectData data;
    data.run = run;
    const auto tune = [&](ScalingMethod method, std::int64_t factor) {
        answers.startFineTuning(run, {.method = method, .factor = factor, .steps = 5});
        EXPECT_TRUE(answers.isFineTuning());
        EXPECT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
        data.fineTunings.clear();
        answers.fill(data, &need::fineTuning);
    };
    tune(ScalingMethod::yarn, 2);
    ASSERT_EQ(data.fineTunings.size(), 1U) << answers.fineTuningProblem(run->id).toStdString();
    EXPECT_EQ(data.fineTunings[0].evaluations.size(), 2U);
    EXPECT_EQ(reported.back(), 5);
    tune(ScalingMethod::ntk, 2);
    tune(ScalingMethod::yarn, 4);
    tune(ScalingMethod::yarn, 2);
    ASSERT_EQ(data.fineTunings.size(), 3U);
    EXPECT_EQ(data.fineTunings.back().factor, 2);
    EXPECT_EQ(data.fineTunings.back().evaluations.back().method, ScalingMethod::yarn);
    data.fineTuning.factor = 2;
    const Figure figure = findInspectFigure("fine-tuned-loss")->make(data).figure;
    EXPECT_EQ(figure.curves.size(), 4U);  // two methods, each before and after
    EXPECT_EQ(figure.curves[0].label, "NTK-aware, 0 steps") << "no two curves with one name";
    EXPECT_TRUE(figure.curves[0].isNamed);
    // A scaling method has the same colour and title in every room.
    EXPECT_EQ(figure.curves[1].ink, Ink::data(static_cast<int>(ScalingMethod::ntk)));
    EXPECT_EQ(methodTitle(ScalingMethod::linear), "Linear");
    EXPECT_EQ(methodTitle(ScalingMethod::none), "None");
    EXPECT_TRUE(figure.note.startsWith("YaRN, 5 steps: loss beyond the training context 1.5"))
        << figure.note.toStdString();
}

TEST_F(ModelAnswersTest, FineTuningIsCancelledByUserAndByTraining) {
    const auto run = firstRun(writeLab());
    engine.step_microseconds = 2000;
    ModelAnswers answers(workspace.runAccess());
    answers.startFineTuning(run, {.factor = 2, .steps = 100000});
    answers.pause();  // the room is hidden, but fine-tuning continues
    EXPECT_TRUE(answers.isFineTuning());
    answers.cancelFineTuning();
    EXPECT_FALSE(answers.isFineTuning());
    EXPECT_TRUE(answers.fineTuningProblem(run->id).isEmpty());

    answers.startFineTuning(run, {.factor = 2, .steps = 100000});
    workspace.experiment().replace(smallSweep(100000));
    workspace.start();
    ASSERT_TRUE(waitUntil([&] { return !answers.isFineTuning(); }));
    EXPECT_TRUE(answers.fineTuningProblem(run->id).contains("after training has ended"))
        << answers.fineTuningProblem(run->id).toStdString();
    answers.startFineTuning(run, {.factor = 2, .steps = 5});
    EXPECT_FALSE(answers.isFineTuning());
    workspace.session().stop();
    ASSERT_TRUE(waitForEnd(workspace));
    EXPECT_TRUE(answers.fineTuningProblem(run->id).isEmpty());
    answers.startFineTuning(run, {.factor = 2, .steps = 5});
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    EXPECT_TRUE(answers.fineTuningProblem(run->id).isEmpty()) << answers.fineTuningProblem(run->id).toStdString();
}

TEST_F(ModelAnswersTest, OpeningAnotherLabDiscardsResults) {
    const auto run = firstRun(writeLab());
    ModelAnswers answers(workspace.runAccess());
    answers.startFineTuning(run, {.factor = 2, .steps = 5});
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    answers.request(need::beyond, run, {.factor = 2});
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    InspectData data;
    data.run = run;
    answers.fill(data, &need::fineTuning);
    EXPECT_EQ(data.fineTunings.size(), 1U);
    EXPECT_TRUE(data.beyond);

    engine.step_microseconds = 2000;
    answers.startFineTuning(run, {.method = ScalingMethod::ntk, .factor = 2, .steps = 100000});
    ASSERT_TRUE(answers.isFineTuning());
    const auto other = firstRun(writeLab());
    ASSERT_EQ(other->id, run->id);
    EXPECT_FALSE(answers.isFineTuning());
    InspectData others;
    others.run = other;
    answers.fill(others, &need::fineTuning);
    EXPECT_TRUE(others.fineTunings.empty());
    EXPECT_FALSE(others.beyond);
    EXPECT_TRUE(others.problem.isEmpty()) << others.problem.toStdString();
}

TEST_F(ModelAnswersTest, FineTuningResultsAndProblemsBelongToTheirRun) {
    const auto run = firstRun(writeLab());
    const auto other = std::make_shared<const InsideRun>(readInsideRun(*workspace.lab().file(), 2));
    ModelAnswers answers(workspace.runAccess());
    answers.startFineTuning(run, {.factor = 2, .steps = 5});
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    answers.startFineTuning(other, {.factor = 0, .steps = 5});
    EXPECT_FALSE(answers.isFineTuning());
    EXPECT_TRUE(answers.fineTuningProblem(2).contains("must be 1 time or more"));
    EXPECT_TRUE(answers.fineTuningProblem(1).isEmpty());
    InspectData data;
    data.run = run;
    answers.fill(data, &need::fineTuning);
    EXPECT_EQ(data.fineTunings.size(), 1U);
    EXPECT_TRUE(data.problem.isEmpty());
    data = {};
    data.run = other;
    answers.fill(data, &need::fineTuning);
    EXPECT_TRUE(data.fineTunings.empty());
    EXPECT_FALSE(data.problem.isEmpty());
}

TEST_F(ModelAnswersTest, FineTuningsOfAnOlderCheckpointAreDiscarded) {
    const auto run = std::make_shared<InsideRun>(*firstRun(writeLab()));
    run->checkpoint.finished = -1;  // the run is still training
    ModelAnswers answers(workspace.runAccess());
    const auto tune = [&](ScalingMethod method) {
        answers.startFineTuning(run, {.method = method, .factor = 2, .steps = 5});
        EXPECT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    };
    tune(ScalingMethod::yarn);
    tune(ScalingMethod::ntk);
    auto newer = *read_checkpoint(run->checkpoint);
    newer.iteration = 150;
    newer.state = {{"model.step", {1}, {150}}};
    write_checkpoint(run->checkpoint.path, newer);
    tune(ScalingMethod::ntk);
    InspectData data;
    data.run = run;
    answers.fill(data, &need::fineTuning);
    ASSERT_EQ(data.fineTunings.size(), 1U) << answers.fineTuningProblem(1).toStdString();
    EXPECT_EQ(data.fineTunings[0].iteration, 150);
}

TEST_F(ModelAnswersTest, OtherRequestsWaitForFineTuning) {
    const auto run = firstRun(writeLab());
    engine.step_microseconds = 2000;
    ModelAnswers answers(workspace.runAccess());
    answers.startFineTuning(run, {.factor = 2, .steps = 100000});
    EXPECT_EQ(answers.fineTunedRun(), run->name);
    answers.request(need::beyond, run, {.factor = 2});
    InspectData data;
    data.run = run;
    answers.fill(data, &need::beyond);
    EXPECT_EQ(data.problem,
              "A copy of the run θ 100 is being fine-tuned; this figure is computed after the fine-tuning has ended.");
    QSignalSpy changed(&answers, &ModelAnswers::changed);
    answers.cancelFineTuning();
    EXPECT_FALSE(changed.isEmpty());
    answers.request(need::beyond, run, {.factor = 2});
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    answers.fill(data, &need::beyond);
    EXPECT_TRUE(data.beyond) << data.problem.toStdString();
}

TEST_F(ModelAnswersTest, RequestsWaitForAMeasurement) {
    const auto run = firstRun(writeLab());
    engine.step_microseconds = 2000;
    ModelAnswers answers(workspace.runAccess());
    answers.startFineTuning(run, {.factor = 2, .steps = 100000});
    workspace.measure({smallSweep(100000).expand()});
    ASSERT_TRUE(workspace.meter().isActive());
    answers.request(need::beyond, run, {.factor = 2});
    InspectData data;
    data.run = run;
    answers.fill(data, &need::beyond);
    EXPECT_TRUE(data.problem.contains("is measured")) << data.problem.toStdString();
    EXPECT_TRUE(answers.whyNoFineTuning(*run, {}).contains("is measured"));
    ASSERT_TRUE(waitUntil([&] { return !workspace.meter().isActive() && !answers.isFineTuning(); }));
    answers.fill(data, &need::beyond);
    EXPECT_TRUE(data.problem.isEmpty()) << data.problem.toStdString();
    const QString interrupted = answers.fineTuningProblem(1);
    EXPECT_TRUE(interrupted.isEmpty() || interrupted.startsWith("Fine-tuning was interrupted"))
        << interrupted.toStdString();
    answers.request(need::beyond, run, {.factor = 2});
    ASSERT_TRUE(waitUntil([&] { return !answers.isBusy(); }));
    answers.fill(data, &need::beyond);
    EXPECT_TRUE(data.beyond) << data.problem.toStdString();
}

TEST_F(ModelAnswersTest, ExplainsWhyFineTuningIsImpossible) {
    const auto run = firstRun(writeLab());
    ModelAnswers answers(workspace.runAccess());
    EXPECT_TRUE(answers.whyNoFineTuning(*run, {}).isEmpty());
    EXPECT_TRUE(answers.whyNoFineTuning(*run, {.learning_rate = INFINITY}).contains("finite"));
    InsideRun wrong = *run;
    wrong.spec.position = Position::learned;
    EXPECT_TRUE(answers.whyNoFineTuning(wrong, {}).contains("learned a position embedding"));
    wrong = *run;
    wrong.spec.theta_training = ThetaTraining::free;
    EXPECT_TRUE(answers.whyNoFineTuning(wrong, {}).contains("theta of this run changed"));
    wrong = *run;
    wrong.checkpoint.path += ".gone";
    EXPECT_TRUE(answers.whyNoFineTuning(wrong, {}).contains("is not at "));
}

TEST(ProgressLimiter, ReportsFirstAndLastStepOnce) {
    ProgressLimiter limiter(1000000);
    EXPECT_TRUE(limiter.isDue(0));
    EXPECT_FALSE(limiter.isDue(0));
    EXPECT_TRUE(limiter.isDue(1000000));
    EXPECT_FALSE(limiter.isDue(1000000));
}

TEST(EngineLock, KeepsResultsOfWorkThatWasNotAskedToEnd) {
    testing::FakeEngine engine;
    EngineLock engineLock([&engine]() -> Engine& { return engine; });
    const Cancelled never = [] { return false; };
    const auto interrupt = [&](bool checks) {
        engineLock.released();
        std::thread training;
        auto outcome = withEngine<int>(engineLock, never, [&](Engine&, const Cancelled& ends) {
            training = std::thread([&] { engineLock.forTraining()(); });
            while (!engineLock.isWanted()) std::this_thread::yield();
            return checks && ends() ? 1 : 2;
        });
        training.join();
        return outcome;
    };
    EXPECT_EQ(interrupt(false).answer, 2);
    EXPECT_FALSE(interrupt(false).interrupted);
    EXPECT_TRUE(interrupt(true).interrupted);
    EXPECT_FALSE(interrupt(true).answer);
}

TEST(EngineLock, AsksOtherWorkToEndWhenTrainingWantsTheEngine) {
    testing::FakeEngine engine;
    EngineLock engineLock([&engine]() -> Engine& { return engine; });
    EXPECT_TRUE(engineLock.hold([&](Engine& locked) {
        EXPECT_EQ(&locked, &engine);
        EXPECT_FALSE(engineLock.isWanted());
    }));
    engineLock.forTraining()();
    EXPECT_TRUE(engineLock.isWanted());
    EXPECT_FALSE(engineLock.hold([](Engine&) { ADD_FAILURE() << "training uses the engine"; }));
    engineLock.released();
    EXPECT_TRUE(engineLock.hold([](Engine&) {}));
}

/// As the command line requests a figure without options.
InspectRequest usualRequest() {
    InspectRequest request{.modelInputs = {.ablation = pair_range(Ablation::Kind::stop, 0, 0)}};
    request.choices.head = kAutomaticHead;
    return request;
}

TEST_F(ModelAnswersTest, FiguresNeedNoWidget) {
    firstRun(writeLab(true, {{"experts", 4}, {"expert_capacity", 1}}));
    for (const InspectFigure& figure : inspectFigures()) {
        // The fake model has no retrieval, and the logit terms of a pair need a typed text.
        const QString name = QLatin1String(figure.name);
        if (name == "pair-logits" || name.contains("ablation-retrieval") || name == "extrapolation-retrieval") continue;
        EXPECT_FALSE(isEmpty(
            inspectFigureOf(workspace.lab().file(), workspace.engine(), workspace.dataDir(), figure, usualRequest())))
            << figure.name;
    }
    const InspectFigure& spectrum = *findInspectFigure("query-spectrum");
    InspectRequest both{.run = 1, .beside = 2, .iteration = 50};
    both.choices.difference = true;
    const Figure difference =
        inspectFigureOf(workspace.lab().file(), workspace.engine(), workspace.dataDir(), spectrum, both);
    EXPECT_EQ(difference.map->scale, FigureMap::Scale::diverging);
    EXPECT_EQ(difference.settings.value("snapshot").toInt(), 50);
    EXPECT_TRUE(refusal([&] {
                    (void)inspectFigureOf(workspace.lab().file(), workspace.engine(), workspace.dataDir(), spectrum,
                                          {.run = 9});
                }).contains("no run 9"));
    EXPECT_TRUE(refusal([&] {
                    (void)inspectFigureOf(workspace.lab().file(), workspace.engine(), workspace.dataDir(),
                                          *findInspectFigure("pair-logits"), {});
                }).contains("Type a text"));
    // The fake model processes the text, but returns no logit terms.
    InspectRequest ofPair{.modelInputs = {.text = "some text"}};
    ofPair.choices.pair = 1;
    EXPECT_TRUE(refusal([&] {
                    (void)inspectFigureOf(workspace.lab().file(), workspace.engine(), workspace.dataDir(),
                                          *findInspectFigure("pair-logits"), ofPair);
                }).contains("has no term in the attention logits"));
}

TEST_F(ModelAnswersTest, ComponentsOfAHeadNameTheirShareAndTheirVectors) {
    firstRun(writeLab());
    const InspectFigure& components = *findInspectFigure("head-components");
    InspectRequest moment{.modelInputs = {.text = "the lazy dog"}};
    moment.choices.layer = moment.choices.head = 1;
    const auto made = [&] {
        return inspectFigureOf(workspace.lab().file(), workspace.engine(), {}, components, moment);
    };
    const Figure before = made();
    EXPECT_TRUE(before.x.label.startsWith("principal component 1, ")) << before.x.label.toStdString();
    EXPECT_TRUE(before.y.label.endsWith("% of the variance")) << before.y.label.toStdString();
    EXPECT_EQ(before.table.columns.front().size(), 12);
    EXPECT_TRUE(before.note.contains("layer 1, head 1, before rotation")) << before.note.toStdString();
    // The fake vectors of a token do not depend on its position, those that are rotated do.
    const QList<double>& place = before.table.columns[1];
    EXPECT_EQ(place[3], place[8]);  // two spaces
    moment.flags["vectors"] = "after-rotation";
    const Figure after = made();
    EXPECT_TRUE(after.note.contains("after rotation"));
    EXPECT_NE(after.table.columns[1][3], after.table.columns[1][8]);
    EXPECT_EQ(after.settings["vectors"].toString(), "after-rotation");
    EXPECT_FALSE(after.summary.isEmpty());
    ExportOptions svg;
    svg.format = FigureFormat::svg;
    EXPECT_GT(figureBytes(after, svg).size(), 1000);
}

}  // namespace
}  // namespace ropelab::ui
