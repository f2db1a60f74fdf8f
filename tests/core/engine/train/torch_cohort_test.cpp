#include "core/engine/train/torch_cohort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "tests/support/every_choice.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

class TorchCohortTest : public testing::Test {
 protected:
    std::unique_ptr<TorchCohort> cohort(std::vector<RunSpec> runs) {
        CohortStart start;
        start.runs = std::move(runs);
        return std::make_unique<TorchCohort>(start, data_, 2);
    }

    // All results of a run's training and evaluation, bit for bit.
    struct Results {
        std::vector<double> numbers;
        std::vector<NamedTensor> state;
        bool operator==(const Results&) const = default;
    };
    static std::vector<Results> results_of(TorchCohort& trained, int steps) {
        std::vector<Results> result(static_cast<std::size_t>(trained.runs()));
        for (int step = 0; step < steps; ++step) {
            const auto numbers = trained.step();
            for (std::size_t run = 0; run < result.size(); ++run) {
                result[run].numbers.push_back(numbers[run].training_loss);
                result[run].numbers.push_back(numbers[run].gradient_norm);
            }
        }
        const auto losses = trained.evaluate({});
        for (std::size_t run = 0; run < result.size(); ++run) {
            result[run].numbers.push_back(losses[run].training_loss);
            result[run].numbers.push_back(losses[run].validation_loss);
            result[run].state = trained.state(static_cast<std::int64_t>(run));
        }
        return result;
    }
    std::vector<Results> results_of(const std::vector<RunSpec>& runs, int steps) {
        return results_of(*cohort(runs), steps);
    }

    static std::vector<RunSpec> six_runs(RunSpec base) {
        std::vector<RunSpec> runs(6, base);
        runs[0].fraction = 0;
        runs[1].fraction = 0.25;
        runs[2].theta = 100;
        runs[3].seed = 7;
        runs[4].learning_rate = 2e-3;
        runs[5].partial = Partial::truncate;
        runs[5].fraction = 0.5;
        return runs;
    }

    // Expects a run that resumes after 8 of 20 steps to have the same state as one that trained without a break.
    void expect_resumed_as_straight(const RunSpec& spec) {
        const auto straight = cohort({spec});
        for (int i = 0; i < 20; ++i) straight->step();

        const auto first = cohort({spec});
        for (int i = 0; i < 8; ++i) first->step();
        CohortStart start{{spec}, first->iteration(), {first->state(0)}, first->conditions()};
        TorchCohort second(start, data_, 2);
        for (int i = 8; i < 20; ++i) second.step();
        EXPECT_EQ(second.state(0), straight->state(0));
        EXPECT_EQ(second.iteration(), 20);
    }

    std::vector<std::int32_t> tokens_ = tiny_tokens(3000);
    TokenData data_{7, tokens_, {tokens_.data(), 500}};
};

TEST_F(TorchCohortTest, RunDoesNotDependOnTheCohort) {
    RunSpec base = tiny_spec();
    base.width = 32;
    base.dropout = 0.2;
    base.bias = true;
    base.position = Position::learned_rope;
    base.iterations = 60;
    const auto runs = six_runs(base);
    const auto together = results_of(runs, 60);
    for (std::size_t run = 0; run < runs.size(); ++run) {
        EXPECT_TRUE(results_of({runs[run]}, 60).front() == together[run]) << "run " << run;
    }
    const std::vector<RunSpec> other_order = {runs[5], runs[0], runs[3]};
    const auto mixed = results_of(other_order, 60);
    EXPECT_TRUE(mixed[0] == together[5]);
    EXPECT_TRUE(mixed[1] == together[0]);
    EXPECT_TRUE(mixed[2] == together[3]);
}

// The shape of the preset lecture-minute, whose larger products use other code paths.
TEST_F(TorchCohortTest, RunDoesNotDependOnTheCohortAtALargerShape) {
    RunSpec base;
    base.precision = Precision::float32;
    base.context = 128;
    base.batch = 8;
    base.evaluation_batches = 1;
    const auto runs = six_runs(base);
    const auto together = results_of(runs, 3);
    for (std::size_t run = 0; run < runs.size(); ++run) {
        EXPECT_TRUE(results_of({runs[run]}, 3).front() == together[run]) << "run " << run;
    }
}

TEST_F(TorchCohortTest, RunOfOtherBlocksDoesNotDependOnTheCohort) {
    for (const Block block : {Block::llama, Block::pythia}) {
        RunSpec base = tiny_spec();
        base.width = 32;
        base.heads = 4;
        base.block = block;
        base.key_value_heads = 2;
        base.qk_norm = QkNorm::head;
        base.dropout = 0.1;
        auto runs = six_runs(base);
        runs[1].rotated_layers = "1";
        runs[2].pairs = "0+2";
        const auto together = results_of(runs, 8);
        for (std::size_t run = 0; run < runs.size(); ++run) {
            EXPECT_TRUE(results_of({runs[run]}, 8).front() == together[run]) << "run " << run;
        }
    }
}

// The runs shift the keys of different channels.
TEST_F(TorchCohortTest, RunWithKeyOffsetAndTokenSmearDoesNotDependOnTheCohort) {
    for (const QkNorm qk_norm : {QkNorm::none, QkNorm::head}) {
        RunSpec base = tiny_spec();
        base.width = 32;
        base.heads = 4;
        base.dropout = 0.1;
        base.qk_norm = qk_norm;
        base.fraction = 0.5;
        base.key_offset = "all";
        base.token_smear = true;
        std::vector<RunSpec> runs(4, base);
        runs[1].fraction = 0.25;
        runs[2].seed = 7;
        runs[3].position = Position::none;
        const auto together = results_of(runs, 8);
        for (std::size_t run = 0; run < runs.size(); ++run) {
            EXPECT_TRUE(results_of({runs[run]}, 8).front() == together[run]) << "run " << run;
        }
        expect_resumed_as_straight(base);
    }
}

TEST_F(TorchCohortTest, RunWithRelativeEncodingDoesNotDependOnTheCohort) {
    for (const Position position : stepwise_encodings()) {
        RunSpec base = tiny_spec();
        base.width = 32;
        base.heads = 4;
        base.key_value_heads = 2;
        base.position = position;
        base.relative_clip = 4;
        base.cope_positions = 6;
        base.dropout = 0.1;
        const auto runs = six_runs(base);
        const auto together = results_of(runs, 8);
        for (std::size_t run = 0; run < runs.size(); ++run) {
            EXPECT_TRUE(results_of({runs[run]}, 8).front() == together[run])
                << "position " << static_cast<int>(position) << ", run " << run;
        }
        expect_resumed_as_straight(base);
    }
}

// The list of theta's own frequencies trains the same model.
TEST_F(TorchCohortTest, ListedFrequenciesReplaceThoseOfTheta) {
    RunSpec listed = tiny_spec();  // a head has 8 channels
    listed.frequencies = "1+0.1+0.01+0.001";
    RunSpec other = tiny_spec();
    other.frequencies = "1+0.5+0.01+0.001";
    const auto together = results_of({tiny_spec(), listed, other}, 10);
    ASSERT_EQ(together[0].numbers.size(), together[1].numbers.size());
    double difference = 0;
    for (std::size_t i = 0; i < together[0].numbers.size(); ++i) {
        EXPECT_NEAR(together[0].numbers[i], together[1].numbers[i], 1e-5);
        difference = std::max<double>(difference, std::abs(together[0].numbers[i] - together[2].numbers[i]));
    }
    EXPECT_GT(difference, 1e-4);
}

// In bfloat16, products of several runs may be summed in another order.
TEST_F(TorchCohortTest, CohortChangesOnlyTheLastBitsInBfloat16) {
    for (const Block block : {Block::gpt2, Block::llama, Block::pythia}) {
        RunSpec base = tiny_spec();
        base.precision = Precision::bfloat16;
        base.width = 64;
        base.dropout = 0.1;
        base.block = block;
        const auto runs = six_runs(base);
        const auto together = results_of(runs, 8);
        for (std::size_t run = 0; run < runs.size(); ++run) {
            const Results alone = results_of({runs[run]}, 8).front();
            for (std::size_t i = 0; i < alone.numbers.size(); ++i) {
                EXPECT_NEAR(alone.numbers[i], together[run].numbers[i], 1e-3) << "run " << run << ", number " << i;
            }
        }
    }
}

// The bytes of files give the same results as tokens in memory, bit for bit.
TEST_F(TorchCohortTest, TextInFilesTrainsAsTokensInMemory) {
    const std::string all(tokens_.begin(), tokens_.end());
    const ScratchFolder folder;
    const std::vector<TokenText::Piece> pieces = {{0, 7, folder.write("a", all.substr(0, 7))},
                                                  {7, 1200, folder.write("b", all.substr(7, 1200))},
                                                  {1207, std::ssize(all) - 1207, folder.write("c", all.substr(1207))}};
    for (const BatchOrder order : {BatchOrder::random, BatchOrder::sequential}) {
        RunSpec spec = tiny_spec();
        spec.batches = order;
        const auto wanted = results_of({spec}, 10);
        const TokenData in_memory = data_;
        data_.training = TokenText(pieces, 3000);
        EXPECT_TRUE(results_of({spec}, 10) == wanted);
        data_ = in_memory;
    }
}

TEST_F(TorchCohortTest, EqualSeedsStartFromEqualWeights) {
    const auto trained = cohort(six_runs(tiny_spec()));
    EXPECT_EQ(trained->state(0), trained->state(1));
    EXPECT_EQ(trained->state(0), trained->state(5));
    EXPECT_NE(trained->state(0), trained->state(3));  // another seed
}

TEST_F(TorchCohortTest, TrainingLowersTheLoss) {
    RunSpec spec = tiny_spec();
    spec.iterations = 300;
    spec.learning_rate = 1e-2;
    const auto trained = cohort({spec});
    const double before = trained->evaluate({}).front().validation_loss;
    EXPECT_NEAR(before, std::log(7), 0.1);  // the initial predictions are uniform
    for (int i = 0; i < 300; ++i) trained->step();
    EXPECT_LT(trained->evaluate({}).front().validation_loss, before - 0.5);
}

TEST_F(TorchCohortTest, ResumesFromItsStateBitForBit) {
    RunSpec spec = tiny_spec();
    spec.dropout = 0.1;
    expect_resumed_as_straight(spec);
}

TEST_F(TorchCohortTest, NormalizedProjectionsResumeFromTheirState) {
    RunSpec spec = tiny_spec();
    spec.qk_norm = QkNorm::projection;
    expect_resumed_as_straight(spec);
}

TEST_F(TorchCohortTest, RemovingARunDoesNotChangeTheOthers) {
    const auto runs = six_runs(tiny_spec());
    const auto whole = cohort(runs);
    const auto part = cohort(runs);
    for (int i = 0; i < 3; ++i) whole->step(), part->step();
    part->remove(2);
    ASSERT_EQ(part->runs(), 5);
    for (int i = 0; i < 3; ++i) whole->step(), part->step();
    EXPECT_EQ(part->state(1), whole->state(1));
    EXPECT_EQ(part->state(2), whole->state(3));
}

TEST_F(TorchCohortTest, DivergedRunKeepsItsWeightsAndDoesNotAffectOthers) {
    auto runs = six_runs(tiny_spec());
    const auto healthy = cohort(runs);
    auto broken_state = cohort({runs[1]})->state(0);
    for (NamedTensor& tensor : broken_state) {
        if (tensor.name == "model.final_norm.weight") tensor.values[0] = std::numeric_limits<float>::infinity();
    }
    CohortStart start;
    start.runs = runs;
    start.conditions = RunConditions{"float32", "cpu", 2, ""};
    for (std::int64_t i = 0; i < 6; ++i) start.states.push_back(i == 1 ? broken_state : healthy->state(i));
    TorchCohort mixed(start, data_, 2);
    for (int i = 0; i < 3; ++i) {
        healthy->step();
        const auto results = mixed.step();
        EXPECT_FALSE(std::isfinite(results[1].training_loss));
        EXPECT_TRUE(std::isfinite(results[0].training_loss));
    }
    EXPECT_EQ(mixed.state(1), broken_state);
    EXPECT_EQ(mixed.state(0), healthy->state(0));
    EXPECT_EQ(mixed.state(5), healthy->state(5));
}

TEST_F(TorchCohortTest, SampledEvaluationApproximatesTheWholeOne) {
    RunSpec spec = tiny_spec();
    spec.evaluation_batches = 100;
    const auto whole = cohort({spec});
    spec.evaluation = Evaluation::sampled;
    const auto sampled = cohort({spec});
    for (int i = 0; i < 20; ++i) whole->step(), sampled->step();
    const double exact = whole->evaluate({}).front().validation_loss;
    EXPECT_NEAR(sampled->evaluate({}).front().validation_loss, exact, 0.05);
    EXPECT_DOUBLE_EQ(sampled->model(0)->whole_loss(data_.validation), exact);
}

TEST_F(TorchCohortTest, StepsAndEvaluationInPiecesDoNotDependOnTheThreads) {
    const std::vector<std::int32_t> text = tiny_tokens(20000);
    const std::vector<RunSpec> runs = six_runs(tiny_spec());
    CohortStart start;
    start.runs = runs;
    // Intel's library splits products of 7 numbers among 2 threads, and those of 27 among 3, into other sums.
    for (const std::size_t vocabulary : {7, 27}) {
        std::vector<Results> first;
        for (const std::int64_t threads : {1, 2, 3}) {
            TorchCohort cohort(start, {static_cast<int>(vocabulary), tokens_, text}, threads);
            const std::vector<Results> results = results_of(cohort, 3);
            if (first.empty()) first = results;
            for (std::size_t run = 0; run < runs.size(); ++run) {
                EXPECT_EQ(results[run].numbers, first[run].numbers) << vocabulary << ' ' << threads << ' ' << run;
                EXPECT_TRUE(results[run] == first[run]) << vocabulary << ' ' << threads << ' ' << run;
            }
            if (threads > 1) continue;
            const auto context = static_cast<std::size_t>(runs[3].context);
            double sum = 0;
            std::size_t count = 0;
            for (; count + context < text.size(); count += context) {
                const auto logits = cohort.model(3)->logits({text.data() + count, context});
                for (std::size_t i = 0; i < context; ++i) {
                    double total = 0;
                    for (std::size_t token = 0; token < vocabulary; ++token)
                        total += std::exp(logits[vocabulary * i + token]);
                    sum += std::log(total) - logits[vocabulary * i + static_cast<std::size_t>(text[count + i + 1])];
                }
            }
            EXPECT_NEAR(results[3].numbers.back(), sum / static_cast<double>(count), 1e-6);
        }
    }
}

TEST_F(TorchCohortTest, EvaluationCanBeCancelled) {
    int asked = 0;
    EXPECT_TRUE(cohort({tiny_spec()})->evaluate([&] { return ++asked > 1; }).empty());
}

TEST_F(TorchCohortTest, SomeRunsAreEvaluatedAsAllTogether) {
    for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
        RunSpec base = tiny_spec();
        base.precision = precision;
        const auto trained = cohort(six_runs(base));
        for (int i = 0; i < 3; ++i) trained->step();
        const auto all = trained->evaluate({});
        for (const std::int64_t first : {0, 1, 4}) {
            const auto some = trained->evaluate_runs(first, 2, {});
            ASSERT_EQ(some.size(), 2U);
            for (std::int64_t i = 0; i < 2; ++i) {
                EXPECT_EQ(some[i].validation_loss, all[first + i].validation_loss) << first << ' ' << i;
                EXPECT_EQ(some[i].training_loss, all[first + i].training_loss) << first << ' ' << i;
            }
        }
    }
}

TEST_F(TorchCohortTest, Bfloat16TrainsToNearlyTheSameLoss) {
    RunSpec spec = tiny_spec();
    spec.iterations = 200;
    const auto exact = cohort({spec});
    spec.precision = Precision::bfloat16;
    const auto rough = cohort({spec});
    EXPECT_EQ(rough->conditions().precision, "bfloat16");
    for (int i = 0; i < 200; ++i) exact->step(), rough->step();
    EXPECT_NEAR(rough->evaluate({}).front().validation_loss, exact->evaluate({}).front().validation_loss, 0.02);
}

// A newly created cohort rounds its weights; a continued one uses the copy that its steps updated.
TEST_F(TorchCohortTest, StepsKeepTheBfloat16CopyEqualToTheWeights) {
    RunSpec spec = tiny_spec();
    spec.width = 256;  // large matrices that threads share, and several that one thread processes
    spec.layers = 1;
    spec.bias = true;
    spec.tied_head = false;
    spec.precision = Precision::bfloat16;
    const auto six = six_runs(spec);
    std::vector<RunSpec> runs = {six[1], six[3], six[4]};
    auto straight = cohort(runs);
    for (int i = 0; i < 4; ++i) {
        CohortStart start{runs, straight->iteration(), {}, straight->conditions()};
        for (std::int64_t run = 0; run < straight->runs(); ++run) start.states.push_back(straight->state(run));
        TorchCohort created(start, data_, 2);
        straight->step();
        created.step();
        for (std::int64_t run = 0; run < straight->runs(); ++run) EXPECT_EQ(straight->state(run), created.state(run));
        EXPECT_EQ(straight->evaluate({}).back().validation_loss, created.evaluate({}).back().validation_loss);
        if (i == 1) {
            straight->remove(0);
            runs.erase(runs.begin());
        }
    }
}

TEST_F(TorchCohortTest, AutomaticPrecisionStatesItsChoice) {
    RunSpec spec = tiny_spec();
    spec.dropout = 0.1;
    spec.precision = Precision::automatic;
    const auto chosen = cohort({spec});
    const auto conditions = chosen->conditions();
    EXPECT_TRUE(conditions.precision == "float32" || conditions.precision == "bfloat16");
    EXPECT_THAT(conditions.reason, testing::StartsWith(conditions.precision + ": "));
    spec.precision = conditions.precision == "float32" ? Precision::float32 : Precision::bfloat16;
    const auto asked = cohort({spec});
    for (int i = 0; i < 3; ++i) chosen->step(), asked->step();
    EXPECT_EQ(chosen->state(0), asked->state(0));
}

TEST_F(TorchCohortTest, RejectsRunsThatCannotShareACohort) {
    RunSpec wider = tiny_spec();
    wider.width = 32;
    EXPECT_MESSAGE(cohort({tiny_spec(), wider}), BadInput, "must have equal settings");
    EXPECT_MESSAGE(cohort({}), BadInput, "at least one run");
    RunSpec longer = tiny_spec();
    longer.context = 600;
    EXPECT_MESSAGE(cohort({longer}), BadInput, "validation split has 500 tokens");
}

}  // namespace
}  // namespace ropelab
