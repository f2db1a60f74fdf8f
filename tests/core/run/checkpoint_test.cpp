#include "core/run/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/weights/safetensors.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

TEST(Checkpoint, RoundTrip) {
    const ScratchFolder folder;
    Checkpoint written;
    written.spec.theta = 500;
    written.vocabulary = "characters:97,98";
    written.conditions = {"bfloat16", "cuda", 2, "as asked"};
    written.conditions.graphs = "all but graphs";
    written.iteration = 40;
    written.evaluated = 30;
    written.sample_is_cut = true;
    written.summary.best_validation_loss = 1.25;
    written.summary.best_iteration = 30;
    written.summary.final_validation_loss = std::numeric_limits<double>::quiet_NaN();
    written.summary.final_training_loss = 1.75;
    written.summary.seconds = 12.5;
    written.state = {{"model.a", {2}, {1.0F, 2.0F}}};
    written.text = TextMark{"enwik8", 1000, std::string(64, 'a')};
    write_checkpoint(folder / "new/run-1.safetensors", written);

    const auto read = read_checkpoint(folder / "new/run-1.safetensors");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->spec, written.spec);
    EXPECT_EQ(read->vocabulary, written.vocabulary);
    EXPECT_EQ(read->conditions.precision, "bfloat16");
    EXPECT_EQ(read->conditions.device, "cuda");
    EXPECT_EQ(read->conditions.reason, "as asked");
    EXPECT_EQ(read->conditions.threads, 2);
    EXPECT_EQ(read->conditions.graphs, "all but graphs");
    EXPECT_EQ(read->iteration, 40);
    EXPECT_EQ(read->evaluated, 30);
    EXPECT_TRUE(read->sample_is_cut);
    EXPECT_EQ(read->summary.best_validation_loss, 1.25);
    EXPECT_EQ(read->summary.iterations, 40);
    EXPECT_EQ(read->summary.best_iteration, 30);
    EXPECT_TRUE(std::isnan(read->summary.final_validation_loss));
    EXPECT_EQ(read->summary.final_training_loss, 1.75);
    EXPECT_EQ(read->summary.seconds, 12.5);
    EXPECT_EQ(read->state, written.state);
    EXPECT_EQ(read->text, written.text);
    const auto head = read_checkpoint_head(RunCheckpoint{folder / "new/run-1.safetensors", written.spec});
    ASSERT_TRUE(head);
    EXPECT_TRUE(head->state.empty());
    EXPECT_EQ(head->spec, written.spec);
    EXPECT_EQ(head->iteration, 40);
    written.text.reset();  // like a file of an older version of RoPE Lab
    write_checkpoint(folder / "old.safetensors", written);
    EXPECT_FALSE(read_checkpoint(folder / "old.safetensors")->text);
}

TEST(Checkpoint, StepsOfADamagedFileAreRejected) {
    const ScratchFolder folder;
    for (const auto& [iteration, evaluated] : {std::pair(-1, -1), std::pair(2'000'000'000, 0), std::pair(10, 20)}) {
        Checkpoint damaged;
        damaged.iteration = iteration;
        damaged.evaluated = evaluated;
        write_checkpoint(folder / "run-1.safetensors", damaged);
        EXPECT_MESSAGE(read_checkpoint(folder / "run-1.safetensors"), BadInput, "not a checkpoint");
    }
}

TEST(Checkpoint, OfAnotherRunIsRefused) {
    const ScratchFolder folder;
    Checkpoint written;
    written.spec.seed = 2;
    written.iteration = 40;
    written.vocabulary = "characters:97,98";
    written.text = TextMark{"enwik8", 1000, std::string(64, 'a')};
    const auto path = folder / "run-1.safetensors";
    write_checkpoint(path, written);
    const RunCheckpoint own{path, written.spec, "run one", written.vocabulary, written.text, 40, 40};
    EXPECT_TRUE(read_checkpoint(own));
    EXPECT_TRUE(read_checkpoint_head(own));
    RunCheckpoint later = own;
    later.recorded = 50;
    later.finished = -1;
    EXPECT_TRUE(read_checkpoint(later)) << "an unfinished run resumes from an earlier step";
    const auto expect_refused = [&](const auto& change, const std::string& what) {
        RunCheckpoint other = own;
        change(other);
        EXPECT_MESSAGE(read_checkpoint(other), BadInput, what);
        EXPECT_MESSAGE(read_checkpoint_head(other), BadInput, "does not belong to the run \"run one\"");
    };
    expect_refused([](RunCheckpoint& run) { run.spec.seed = 1; }, "its seed is 2, but that of the run is 1");
    expect_refused([](RunCheckpoint& run) { run.spec.theta = 99; }, "its theta is 10000, but that of the run is 99");
    expect_refused([](RunCheckpoint& run) { run.recorded = 39; },
                   "it was written at step 40, but the lab file has the run's");
    expect_refused([](RunCheckpoint& run) { run.finished = 60; },
                   "it was written at step 40, but the run finished at step 60");
    expect_refused([](RunCheckpoint& run) { run.vocabulary = "characters:97"; }, "its vocabulary differs");
    expect_refused([](RunCheckpoint& run) { run.text->sha256 = std::string(64, 'b'); }, "its text \"enwik8\" has 1000");
    written.text.reset();  // like a file of an older version of RoPE Lab
    write_checkpoint(path, written);
    EXPECT_TRUE(read_checkpoint(own));
}

// A link in a stranger's folder could name a file of the user.
TEST(Checkpoint, ReplacesALinkInsteadOfTheFileThatItNames) {
    const ScratchFolder folder;
    const auto file = folder.write("precious.txt", "kept");
    for (const auto& target : {file, folder / "nothing.txt"}) {
        std::filesystem::create_symlink(target, folder / "run-1.safetensors");
        write_checkpoint(folder / "run-1.safetensors", {});
        EXPECT_FALSE(std::filesystem::is_symlink(folder / "run-1.safetensors"));
        std::filesystem::remove(folder / "run-1.safetensors");
    }
    EXPECT_EQ(std::filesystem::file_size(file), 4U);
    EXPECT_FALSE(std::filesystem::exists(folder / "nothing.txt"));
}

TEST(Checkpoint, MissingFileIsNulloptAndForeignFileIsRejected) {
    const ScratchFolder folder;
    EXPECT_FALSE(read_checkpoint(folder / "none.safetensors"));
    EXPECT_FALSE(read_checkpoint_head(RunCheckpoint{folder / "none.safetensors", {}}));
    write_safetensors(folder / "other.safetensors", {{{"a", {1}, {1.0F}}}, {}});
    EXPECT_MESSAGE(read_checkpoint(folder / "other.safetensors"), BadInput, "not a checkpoint");
    EXPECT_MESSAGE(read_checkpoint(folder.write("text.safetensors", "hello")), BadInput, "text.safetensors");
}

}  // namespace
}  // namespace ropelab
