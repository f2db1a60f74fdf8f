// Tests that the checkpoints of a training of others are measured and shown as the snapshots of a run.
#include <fstream>

#include "core/interop/model_export.h"
#include "core/plan/layout.h"
#include "tests/ui/rooms/inspect/inspect_fixture.h"
#include "ui/common/paths.h"
#include "ui/figures/job_fields.h"
#include "ui/rooms/inspect/figures/figures.h"
#include "ui/rooms/inspect/inspect_pane.h"
#include "ui/rooms/inspect/inspect_room.h"
#include "ui/rooms/inspect/probe_work.h"
#include "ui/rooms/inspect/replay_bar.h"
#include "ui/rooms/inspect/replay_job.h"

namespace ropelab::ui {
namespace {

/// The loss of its models is the first number of the embedding.
class LoadingEngine : public testing::FakeEngine {
    class LoadedModel : public testing::FakeModel {
     public:
        LoadedModel(int vocabulary, float number) : FakeModel(vocabulary), m_number(number) {}
        ProbeResult probe(const ProbeRequest& request) override {
            ProbeResult result = FakeModel::probe(request);
            result.loss = static_cast<double>(m_number);
            result.entropy = {{1, 2}, {m_number, m_number}};
            return result;
        }

     private:
        float m_number;
    };

 public:
    std::unique_ptr<Model> load_model(const ModelPlan& plan, const WeightReader& read, const Computing&) override {
        const Parameter first = layout_of(plan).parameters.front();
        std::vector<float> numbers(static_cast<std::size_t>(first.size));
        read(first, numbers);
        return std::make_unique<LoadedModel>(19, numbers.front());
    }
};

class OpenedTrainingTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        std::filesystem::create_directory(toPath(training()));
        for (const auto& [step, number] : {std::pair(0, 4.0F), {10, 3.0F}, {30, 1.5F}, {20, 2.0F}}) {
            ExportedRun run;
            Checkpoint& checkpoint = run.checkpoint;
            checkpoint.spec.layers = 1;
            checkpoint.spec.width = 16;
            checkpoint.spec.heads = 2;
            checkpoint.spec.context = 16;
            checkpoint.spec.block = Block::llama;
            const Vocabulary vocabulary = Vocabulary::of_characters("abcdefghijklmnopq \n");
            checkpoint.vocabulary = vocabulary.to_text();
            for (const Parameter& parameter : layout_of(plan_of(checkpoint.spec, vocabulary.size())).parameters) {
                checkpoint.state.push_back({"model." + parameter.name, parameter.shape,
                                            std::vector<float>(static_cast<std::size_t>(parameter.size), number)});
            }
            export_hugging_face(run, toPath(training()) / ("checkpoint-" + std::to_string(step)));
        }
        std::ofstream(file("text.txt").toStdString()) << std::string(40, 'a') << "bcdefgh" << std::string(40, 'c');
    }
    QString training() const { return file("my-training"); }
    std::shared_ptr<const InsideRun> opened() const {
        return std::make_shared<const InsideRun>(openModel(training(), file("text.txt"), {}));
    }

    LoadingEngine loading;
};

TEST_F(OpenedTrainingTest, CheckpointsAreSnapshotsInCoarseOrder) {
    const auto run = opened();
    EXPECT_EQ(run->name, "my-training");
    EXPECT_TRUE(run->hasSteps());
    EXPECT_EQ(run->spec.iterations, 30);
    std::vector<std::size_t> counts;
    std::vector<std::int64_t> newest;
    const InspectWork work{&loading,
                           {},
                           [] { return false; },
                           [&](const InspectFill& part) {
                               InspectData data;
                               part(data);
                               counts.push_back(data.run->snapshots.size());
                               newest.push_back(data.run->snapshots.front().iteration);
                           }};
    InspectData data;
    need::opened.compute(work, *run, {})(data);
    EXPECT_EQ(counts, (std::vector<std::size_t>{1, 2, 3, 4}));
    EXPECT_EQ(newest, (std::vector<std::int64_t>{30, 10, 10, 0}));
    ASSERT_EQ(data.run->snapshots.size(), 4U);
    const std::vector<double> losses = {4, 3, 2, 1.5};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(data.run->snapshots[i].iteration, 10 * static_cast<std::int64_t>(i));
        EXPECT_EQ(data.run->snapshots[i].result->loss, losses[i]);
    }
    EXPECT_EQ(data.run->at(20), "step 20: my-training on text.txt");
    EXPECT_EQ(data.run->words(20), "the model my-training after 20 steps");

    // What was measured is measured once.
    const InspectWork again{nullptr, {}, [] { return false; }, [&](const InspectFill&) { counts.clear(); }};
    need::opened.compute(again, *run, {})(data);
    EXPECT_EQ(data.run->snapshots.size(), 4U);
    EXPECT_EQ(counts.size(), 4U);
}

TEST_F(OpenedTrainingTest, CancelledMeasurementKeepsWhatItHas) {
    const auto run = opened();
    int calls = 0;
    const InspectWork work{&loading, {}, [&calls] { return ++calls > 1; }};
    InspectData data;
    need::opened.compute(work, *run, {})(data);
    EXPECT_EQ(data.run->snapshots.size(), 1U);
    EXPECT_EQ(data.run->snapshots.front().iteration, 30);
}

TEST_F(OpenedTrainingTest, FiguresOverTrainingShowEachCheckpoint) {
    InspectData data;
    data.run = opened();
    EXPECT_TRUE(drawn("inspect-loss", data).figure.emptyText.contains(", which takes some seconds …"));
    computeNeed(
        data, nullptr, {}, [this]() -> Engine& { return loading; }, {}, [] { return false; });
    data.iteration = 20;
    const Figure loss = drawn("inspect-loss", data).figure;
    ASSERT_EQ(loss.curves.size(), 1U);
    EXPECT_EQ(loss.curves[0].label, "on text.txt");
    EXPECT_EQ(loss.curves[0].x, (QList<double>{0, 10, 20, 30}));
    EXPECT_EQ(loss.curves[0].y, (QList<double>{4, 3, 2, 1.5}));
    EXPECT_EQ(loss.x.maximum, 30);
    ASSERT_EQ(loss.verticalLines.size(), 1U);
    EXPECT_EQ(loss.verticalLines[0].at, 20);
    const Figure entropy = drawn("attention-entropy", data).figure;
    ASSERT_EQ(entropy.curves.size(), 1U);
    EXPECT_EQ(entropy.curves[0].y, (QList<double>{4, 3, 2, 1.5}));

    std::ofstream(file("my-training/checkpoint-30/trainer_state.json").toStdString())
        << R"({"log_history": [{"step": 5, "loss": 3.5}, {"step": 25, "loss": 2}, {"step": 20, "eval_loss": 2.5}]})";
    data.run = opened();
    computeNeed(
        data, nullptr, {}, [this]() -> Engine& { return loading; }, {}, [] { return false; });
    const Figure logged = drawn("inspect-loss", data).figure;
    ASSERT_EQ(logged.curves.size(), 3U);
    EXPECT_EQ(logged.curves[0].label, "training loss");
    EXPECT_EQ(logged.curves[0].y, (QList<double>{3.5, 2}));
    EXPECT_EQ(logged.curves[1].label, "validation loss");
    EXPECT_EQ(logged.curves[1].x, QList<double>{20});
}

TEST_F(OpenedTrainingTest, AModelWithoutItsTrainingHasOneMeasurement) {
    WorkspaceOptions own = options();
    own.engine = [this]() -> Engine& { return loading; };
    Workspace workspace(own);
    workspace.settings().setValue("inspect/modelText", file("text.txt"));
    InspectRoom room(workspace, workspace.runAccess(), workspace.rotary(), workspace.settings());
    room.resize(1000, 700);
    workspace.openModel(training() + u"/checkpoint-30"_s);
    room.show();
    EXPECT_TRUE(waitUntil([&] { return room.replay().words()->text() == "one measurement"; }))
        << room.replay().words()->text().toStdString();
    EXPECT_FALSE(room.replay().slider()->isEnabled());
}

// "There is no run to inspect yet" stood below the reason.
TEST_F(OpenedTrainingTest, AModelThatCannotBeReadSaysWhyOnce) {
    const QString model = training() + u"/checkpoint-30"_s;
    ASSERT_TRUE(QFile::remove(model + u"/tokenizer.json"_s));
    Workspace workspace(options());
    InspectRoom room(workspace, workspace.runAccess(), workspace.rotary(), workspace.settings());
    room.resize(1000, 700);
    workspace.openModel(model);
    room.show();
    const auto shown = [](FigureView& view) { return view.figure().emptyText; };
    ASSERT_TRUE(waitUntil([&] { return shown(room.mainPane().view()).contains("no tokenizer.json"); }))
        << shown(room.mainPane().view()).toStdString();
    EXPECT_TRUE(room.lossView().isHidden());
    EXPECT_EQ(shown(room.lossView()), shown(room.mainPane().view()));
}

TEST_F(OpenedTrainingTest, AReplayNeedsNoLab) {
    ReplayJob job;
    job.output = u"out.gif"_s;
    job.figures = QStringList{u"attention-entropy"_s};
    EXPECT_TRUE(refusal([&] { (void)parseReplayJob(jobText(job)); }).contains("no lab file is given"));
    job.model = training();
    job.modelText = file("text.txt");
    EXPECT_EQ(parseReplayJob(jobText(job)).model, training());
    EXPECT_TRUE(needsModel(job));
    job.output = file("out.gif");
    job.width = 320;
    EXPECT_EQ(writeReplay(
                  job, [this]() -> Engine& { return loading; }, {}, [](int, int) {}, [] { return false; }),
              4);
}

}  // namespace
}  // namespace ropelab::ui
