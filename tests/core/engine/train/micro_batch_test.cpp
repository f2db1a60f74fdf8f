// Gradient accumulation (micro_batch) against the whole batch in one pass.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/engine/train/torch_cohort.h"
#include "tests/support/expect_message.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

class MicroBatchTest : public testing::Test {
 protected:
    // Returns a cohort of two runs with different frequencies and seeds.
    std::unique_ptr<TorchCohort> cohort(RunSpec spec, std::int64_t micro_batch) const {
        spec.micro_batch = micro_batch;
        RunSpec other = spec;
        other.theta = 300;
        other.seed = 5;
        CohortStart start;
        start.runs = {spec, other};
        return std::make_unique<TorchCohort>(start, data_, 2);
    }

    // Expects equal losses, norms and gradients of the first step, within the relative `tolerance`.
    void expect_the_whole_batch(const RunSpec& spec, std::int64_t micro_batch, double tolerance = 1e-6) const {
        const auto whole = cohort(spec, 0);
        const auto divided = cohort(spec, micro_batch);
        const std::vector<std::vector<std::int64_t>> starts = {{3, 500, 70, 1200}, {9, 40, 2000, 77}};
        for (std::int64_t run = 0; run < 2; ++run) {
            SCOPED_TRACE(testing::Message() << "run " << run);
            const auto wanted = whole->gradient_at(starts, run);
            const auto got = divided->gradient_at(starts, run);
            double squares = 0;
            for (const NamedTensor& tensor : wanted) {
                for (float value : tensor.values) squares += double{value} * value;
            }
            EXPECT_GT(squares, 0);
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                for (std::size_t k = 0; k < wanted[i].values.size(); ++k) {
                    EXPECT_NEAR(got[i].values[k], wanted[i].values[k], tolerance * std::sqrt(squares))
                        << wanted[i].name << ", number " << k;
                }
            }
        }
        const auto wanted = whole->step();
        const auto got = divided->step();
        for (std::size_t run = 0; run < 2; ++run) {
            EXPECT_NEAR(got[run].training_loss, wanted[run].training_loss, tolerance * wanted[run].training_loss);
            EXPECT_NEAR(got[run].gradient_norm, wanted[run].gradient_norm, tolerance * wanted[run].gradient_norm);
        }
    }

    std::vector<std::int32_t> tokens_ = tiny_tokens(3000);
    TokenData data_{7, tokens_, {tokens_.data(), 500}};
};

TEST_F(MicroBatchTest, LossAndGradientsEqualThoseOfTheWholeBatch) {
    for (const double dropout : {0.0, 0.2}) {
        for (const Operations operations : {Operations::fused, Operations::eager}) {
            for (const std::int64_t micro_batch : {1, 2}) {
                SCOPED_TRACE(testing::Message() << "dropout " << dropout << ", micro_batch " << micro_batch);
                RunSpec spec = tiny_spec();
                spec.dropout = dropout;
                spec.operations = operations;
                spec.position = Position::learned_rope;
                expect_the_whole_batch(spec, micro_batch);
            }
        }
    }
}

TEST_F(MicroBatchTest, OtherBlocksEqualTheWholeBatch) {
    for (const Block block : {Block::llama, Block::pythia}) {
        RunSpec spec = tiny_spec();
        spec.block = block;
        spec.key_value_heads = 1;
        spec.qk_norm = QkNorm::head;
        spec.bias = true;
        spec.dropout = 0.1;
        expect_the_whole_batch(spec, 2);
    }
}

TEST_F(MicroBatchTest, ATrainedThetaGetsTheGradientOfTheWholeBatch) {
    RunSpec spec = tiny_spec();
    spec.theta_training = ThetaTraining::head;
    spec.dropout = 0.2;
    expect_the_whole_batch(spec, 1);
}

// A bfloat16 product of fewer rows may be summed in another order, and a gradient is rounded per micro-batch.
TEST_F(MicroBatchTest, Bfloat16ApproximatesTheWholeBatch) {
    RunSpec spec = tiny_spec();
    spec.precision = Precision::bfloat16;
    spec.dropout = 0.2;
    expect_the_whole_batch(spec, 2, 2e-2);
}

TEST_F(MicroBatchTest, OneMicroBatchOfTheWholeBatchGivesTheSameBits) {
    RunSpec spec = tiny_spec();
    spec.dropout = 0.2;
    const auto whole = cohort(spec, 0);
    const auto single = cohort(spec, spec.batch);
    for (int step = 0; step < 5; ++step) whole->step(), single->step();
    EXPECT_EQ(single->state(0), whole->state(0));
    EXPECT_EQ(single->state(1), whole->state(1));
}

TEST_F(MicroBatchTest, RunResumesWithTheSameBits) {
    RunSpec spec = tiny_spec();
    spec.dropout = 0.2;
    const auto straight = cohort(spec, 2);
    for (int step = 0; step < 8; ++step) straight->step();
    const auto first = cohort(spec, 2);
    for (int step = 0; step < 5; ++step) first->step();
    spec.micro_batch = 2;
    TorchCohort second(CohortStart{{spec}, first->iteration(), {first->state(0)}, first->conditions()}, data_, 2);
    for (int step = 5; step < 8; ++step) second.step();
    EXPECT_EQ(second.state(0), straight->state(0));
}

TEST_F(MicroBatchTest, RefusesAnImpossibleSize) {
    RunSpec spec = tiny_spec();  // a batch of 4 sequences of 16 tokens
    EXPECT_MESSAGE(cohort(spec, 3), BadInput, "micro_batch is 3, but it must divide the batch size, which is 4");
    EXPECT_MESSAGE(cohort(spec, 8), BadInput, "must divide the batch size");
    spec.context = 15;
    spec.dropout = 0.2;
    EXPECT_NO_THROW(cohort(spec, 1)->step());
}

}  // namespace
}  // namespace ropelab
