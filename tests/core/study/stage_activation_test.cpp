#include "core/study/stage_activation.h"

#include "core/base/error.h"
#include "core/run/probing.h"
#include "tests/core/run/trained_run.h"

namespace ropelab {
namespace {

class StageActivationTest : public TrainedRunTest {};

TEST_F(StageActivationTest, HeadOfATrainedRunHasItsLogits) {
    const Checkpoint trained = checkpoint();
    const std::string text = activation_excerpt(trained, "");
    const auto corpus = corpus_of(trained, "");
    EXPECT_EQ(corpus->vocabulary.encode(text),
              std::vector<std::int32_t>(corpus->validation.begin(), corpus->validation.begin() + 32));

    const StageActivation head = stage_activation(*engine_, trained, text, {"head", -1});
    EXPECT_EQ(head.iteration, trained.iteration);
    EXPECT_EQ(std::ssize(head.tokens), trained.spec.context) << "the text is longer than the context";
    EXPECT_EQ(head.numbers.shape, (std::vector<std::int64_t>{trained.spec.context, corpus->vocabulary.size()}));
    const std::vector<float> logits = model_of(*engine_, trained)->logits(head.tokens);
    ASSERT_EQ(head.numbers.values.size(), logits.size());
    for (std::size_t i = 0; i < logits.size(); ++i) EXPECT_NEAR(head.numbers.values[i], logits[i], 1e-3);
}

TEST_F(StageActivationTest, RefusesTextsAndStagesThatTheModelLacks) {
    const Checkpoint trained = checkpoint();
    EXPECT_THROW(stage_activation(*engine_, trained, "", {"head", -1}), BadInput);
    EXPECT_THROW(stage_activation(*engine_, trained, "☃", {"head", -1}), BadInput);
    EXPECT_THROW(stage_activation(*engine_, trained, activation_excerpt(trained, ""), {"attention.gate", 0}), BadInput);
}

}  // namespace
}  // namespace ropelab
