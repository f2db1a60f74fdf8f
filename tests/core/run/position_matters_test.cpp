// Tests of the synthetic languages: in the first one, a model without RoPE ends with a measurably higher loss than one
// with RoPE; in the control language, where each character depends only on the one before, it does not.
#include <gtest/gtest.h>

#include <map>

#include "core/engine/torch_engine.h"
#include "core/run/runner.h"
#include "tests/support/event_log.h"

namespace ropelab {
namespace {

std::map<RunId, double> final_losses(const std::string& language) {
    RunSpec with_rope;
    with_rope.data = language;
    with_rope.precision = Precision::float32;
    with_rope.context = 64;
    with_rope.batch = 8;
    with_rope.iterations = 250;
    with_rope.warmup = 20;
    with_rope.learning_rate = 3e-3;
    with_rope.final_learning_rate = 3e-4;
    with_rope.evaluate_every = 250;
    with_rope.evaluation_batches = 1;
    with_rope.sample_length = 0;
    RunSpec without_rope = with_rope;
    without_rope.fraction = 0;

    EventLog log;
    TorchEngine engine;
    Runner runner([&]() -> Engine& { return engine; }, [&](const Event& event) { log(event); });
    runner.start({{{1, with_rope, {}, false, {}}, {2, without_rope, {}, false, {}}}, {}, {}, {}, {}});
    runner.join();
    std::map<RunId, double> losses;
    for (const auto& end : log.of<event::RunEnded>()) losses[end.run] = end.summary.whole_validation_loss.value();
    return losses;
}

TEST(GeneratedLanguage, RequiresPositions) {
    const auto losses = final_losses("synthetic");
    const double floor = entropy_floor_of([] {
                             RunSpec spec;
                             spec.context = 64;
                             return spec;
                         }())
                             .value()
                             .mean;
    EXPECT_GT(losses.at(2), losses.at(1) + 0.1) << "without RoPE " << losses.at(2) << ", with " << losses.at(1);
    EXPECT_GT(losses.at(1), floor);
}

TEST(GeneratedLanguage, ControlDoesNotRequirePositions) {
    const auto losses = final_losses("synthetic-local");
    EXPECT_NEAR(losses.at(2), losses.at(1), 0.01);
}

}  // namespace
}  // namespace ropelab
