// What the generated languages are for: on one, a model that does not rotate ends measurably above one that does; on
// the control, where each character depends on the one before, it does not.
#include <gtest/gtest.h>

#include <map>

#include "core/experiment/runner.h"
#include "core/train/torch_engine.h"
#include "tests/support/event_log.h"

namespace ropelab {
namespace {

std::map<RunId, double> final_losses(const std::string& language) {
    RunSpec turning;
    turning.data = language;
    turning.precision = Precision::float32;
    turning.context = 64;
    turning.batch = 8;
    turning.iterations = 250;
    turning.warmup = 20;
    turning.learning_rate = 3e-3;
    turning.final_learning_rate = 3e-4;
    turning.evaluate_every = 250;
    turning.evaluation_batches = 1;
    turning.sample_length = 0;
    RunSpec still = turning;
    still.fraction = 0;

    EventLog log;
    TorchEngine engine;
    Runner runner([&]() -> Engine& { return engine; }, [&](const Event& event) { log(event); });
    runner.start({{{1, turning, {}, false, {}}, {2, still, {}, false, {}}}, {}, {}, {}, {}});
    runner.join();
    std::map<RunId, double> losses;
    for (const auto& end : log.of<event::RunEnded>()) losses[end.run] = end.summary.whole_validation_loss.value();
    return losses;
}

TEST(GeneratedLanguage, NeedsPosition) {
    const auto losses = final_losses("generated");
    const double floor = floor_of([] {
                             RunSpec spec;
                             spec.context = 64;
                             return spec;
                         }())
                             .value()
                             .mean;
    EXPECT_GT(losses.at(2), losses.at(1) + 0.1) << "without rotation " << losses.at(2) << ", with " << losses.at(1);
    EXPECT_GT(losses.at(1), floor);
}

TEST(GeneratedLanguage, TheControlDoesNot) {
    const auto losses = final_losses("generated-local");
    EXPECT_NEAR(losses.at(2), losses.at(1), 0.01);
}

}  // namespace
}  // namespace ropelab
