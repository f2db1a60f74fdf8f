// Tests that the rotation room loads a query and a key of a trained run.
#include <QComboBox>
#include <QLineEdit>

#include "core/base/random_stream.h"
#include "core/data/corpus.h"
#include "core/run/checkpoint.h"
#include "tests/ui/support/workbench.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/rooms/rotation/vectors_panel.h"

namespace ropelab::ui {
namespace {

class TrainedVectors : public Workbench {
 protected:
    // Writes a checkpoint with random weights of the shape that the run has.
    void writeWeights(const Workspace& workspace, RunId id, const RunSpec& spec) {
        Checkpoint checkpoint;
        checkpoint.spec = spec;
        checkpoint.iteration = spec.iterations;
        const Vocabulary vocabulary = open_corpus(spec)->vocabulary;
        checkpoint.vocabulary = vocabulary.to_text();
        const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
            std::int64_t size = 1;
            for (std::int64_t side : shape) size *= side;
            NamedTensor tensor{name, std::move(shape), std::vector<float>(static_cast<std::size_t>(size))};
            RandomStream(2, name).fill_normal(tensor.values, 1.0);
            checkpoint.state.push_back(std::move(tensor));
        };
        add("model.embedding.weight", {vocabulary.size(), spec.width});
        add("model.layers.0.attention.qkv.weight", {3 * spec.width, spec.width});
        add("model.layers.0.attention_norm.weight", {spec.width});
        write_checkpoint(const_cast<Workspace&>(workspace).lab().file()->checkpoint_path(id), checkpoint);
    }
};

TEST_F(TrainedVectors, ChangeTheSetupToThatOfTheRun) {
    Workspace workspace(options());
    RotationRoom room(workspace.rotary(), workspace.runAccess());
    const std::unique_ptr<QWidget> panel(room.panel());
    room.show();
    panel->show();
    RunVectors* vectors = room.runVectors();
    ASSERT_NE(vectors, nullptr);
    EXPECT_FALSE(vectors->form().field<QComboBox>("run")->isEnabled());  // no run is trained yet

    workspace.experiment().replace(smallSweep());
    workspace.start();
    ASSERT_TRUE(waitForEnd(workspace));
    ASSERT_TRUE(waitUntil([&] { return vectors->form().field<QComboBox>("run")->count() == 2; }));
    const RunView run = workspace.runs().runs().front();
    writeWeights(workspace, run.record.id, run.spec);

    vectors->form().setValue("text", "qk");
    vectors->form().setValue("query", 0);
    vectors->form().setValue("key", 1);
    vectors->load();
    ASSERT_TRUE(waitUntil([&] { return room.scene().state.source == VectorSource::trained; }))
        << vectors->problem().toStdString();
    EXPECT_EQ(workspace.rotary().setup().theta, run.spec.theta);
    EXPECT_EQ(workspace.rotary().setup().head_dim, run.spec.head_dim());
    EXPECT_EQ(room.scene().state.query.size(), static_cast<std::size_t>(run.spec.head_dim()));
    EXPECT_NE(room.scene().state.query, room.scene().state.key);
    EXPECT_NE(room.scene().state.origin.find("layer 0, head 0, q of token 0 “q”, k of token 1 “k”"), std::string::npos);
    EXPECT_EQ(room.scene().state.m, 0);
    EXPECT_EQ(room.scene().state.n, 1);
    const auto loaded = room.scene().state.query;
    room.refreshNow();
    EXPECT_EQ(room.scene().state.query, loaded);

    vectors->form().setValue("query", 2);
    vectors->load();
    ASSERT_TRUE(waitUntil([&] { return !vectors->problem().isEmpty(); }));
    EXPECT_TRUE(vectors->problem().contains("There is no token 2")) << vectors->problem().toStdString();
    EXPECT_EQ(room.scene().state.query, loaded);
}

}  // namespace
}  // namespace ropelab::ui
