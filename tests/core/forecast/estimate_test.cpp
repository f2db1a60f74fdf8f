#include <gtest/gtest.h>

#include "core/data/corpus.h"
#include "core/experiment/experiment.h"
#include "core/forecast/device_need.h"
#include "core/forecast/estimate.h"
#include "core/forecast/likely_data.h"
#include "core/plan/step_cost.h"
#include "core/run/probing.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

TEST(Estimate, GrowsWithRunsAndIterationsAndFallsWithSpeed) {
    RunSpec spec;
    const Estimate one = estimate({spec}, TimeModel::at_speed(1e10));
    EXPECT_EQ(one.runs, 1);
    EXPECT_EQ(one.cohorts, 1);
    EXPECT_NEAR(estimate({spec, spec}, TimeModel::at_speed(1e10)).seconds, 2 * one.seconds, 1e-9);
    EXPECT_NEAR(estimate({spec}, TimeModel::at_speed(2e10)).seconds, one.seconds / 2, 1e-9);
    spec.iterations *= 3;  // the evaluation before the first step is counted once
    EXPECT_GT(estimate({spec}, TimeModel::at_speed(1e10)).seconds, 2.9 * one.seconds);
    EXPECT_LT(estimate({spec}, TimeModel::at_speed(1e10)).seconds, 3 * one.seconds);
}

TEST(Estimate, EvaluationsGrowWithTheirTokens) {
    const RunSpec spec;
    EXPECT_NEAR(evaluation_operations(spec, 3000) / evaluation_operations(spec, 1000), 3, 1e-9);
}

// An evaluation reads its validation data and as many batches of the training data as are set.
TEST(Estimate, CountsTheTokensOfEachEvaluation) {
    RunSpec spec;
    spec.iterations = 100;
    spec.evaluate_every = 50;  // three evaluations
    spec.evaluation_batches = 3;
    spec.batch = 2;
    spec.context = 16;
    const auto operations = [&](Evaluation evaluation) {
        spec.evaluation = evaluation;
        return cohort_work(spec, 1, 0, 1000, false)[static_cast<std::size_t>(TimedPart::evaluations)].operations;
    };
    const double batches = 3.0 * 2 * 16;
    EXPECT_NEAR(operations(Evaluation::whole) / evaluation_operations(spec, 3 * (1000 + batches)), 1, 1e-9);
    EXPECT_NEAR(operations(Evaluation::sampled) / evaluation_operations(spec, 3 * 2 * batches + 1000), 1, 1e-9)
        << "the last one also reads the whole split";
}

// A run with sampled evaluations ends with an evaluation of the whole split, whose length depends on the data set.
TEST(Estimate, IncludesTheFinalEvaluationOfTheWholeSplit) {
    const ScratchFolder folder;
    RunSpec spec;
    spec.data = folder.write("text.txt", std::string(200000, 'a')).string();
    EXPECT_EQ(likely_validation_tokens(spec), 20000);
    spec.split = Split::ninety_five_five;
    EXPECT_EQ(likely_validation_tokens(spec), 10000);
    spec.evaluation = Evaluation::sampled;
    const double short_split = estimate({spec}, TimeModel::at_speed(1e10)).seconds;
    spec.split = Split::ninety_ten;
    const double whole = estimate({spec}, TimeModel::at_speed(1e10)).seconds;
    EXPECT_NEAR(whole, short_split, 1e-9) << "the test split is evaluated too";
    spec.data = folder.write("half.txt", std::string(100000, 'a')).string();
    EXPECT_NEAR(whole - estimate({spec}, TimeModel::at_speed(1e10)).seconds, evaluation_operations(spec, 10000) / 1e10,
                1e-9);

    const auto known = ScratchFolder();
    known.write("text8.first-1000-bytes", std::string(1000, 'a'));
    spec.data = "text8";
    EXPECT_EQ(likely_validation_tokens(spec, known.path()), 100);
    spec.data = "synthetic";
    EXPECT_EQ(likely_validation_tokens(spec), spec.data_length / 10);
}

// Before training, the beginning of a file shows its characters, or its bytes if it is not UTF-8.
TEST(LikelyData, CountsTheCharactersOfAFile) {
    const ScratchFolder folder;
    RunSpec spec;
    const auto is_text = [&](const std::string& text, std::int64_t vocabulary, std::int64_t tokens) {
        spec.data = folder.write(std::to_string(text.size()) + ".txt", text).string();
        for (int time = 0; time < 2; ++time) {  // the second time from memory
            EXPECT_EQ(likely_vocabulary(spec), vocabulary) << text;
            EXPECT_EQ(likely_tokens(spec), tokens) << text;
        }
    };
    is_text("a\u00e9\u00e9\u00e9a", 2, 5);
    is_text("a\u00e9\u00e9\u00e9\u00e9\xc3", 2, 5);  // cut within its last character
    is_text("a\u00e9\xff\xff\xff\xff", 4, 7);        // bytes: a, two of é, and one more
    is_text("", 1, 0);
    EXPECT_EQ(likely_validation_tokens(spec), 0);

    spec.data = (folder / "texts").string();
    folder.write("texts/a.txt", std::string(600, 'a'));
    folder.write("texts/b.txt", std::string(400, 'b'));
    EXPECT_EQ(likely_vocabulary(spec), 256);
    EXPECT_EQ(likely_validation_tokens(spec), 100);
    EXPECT_EQ(likely_tokens(spec), std::int64_t{1} << 24);
}

TEST(LikelyData, AVocabularyFileIsCountedOnce) {
    SKIP_WITHOUT_SHARED_DATA("../wild/round4/spm_unigram_no_bytes.model");
    RunSpec spec;
    spec.data = "a.txt";
    spec.tokenizer = Tokenizer::file;
    spec.tokenizer_file = "no.model";
    EXPECT_EQ(likely_vocabulary(spec), 32000) << "as published models have; training reports the missing file";
    spec.tokenizer_file = shared_data("../wild/round4/spm_unigram_no_bytes.model");
    const std::int64_t size = std::ssize(subwords_of_file(spec.tokenizer_file)->tokens());
    for (int time = 0; time < 2; ++time) EXPECT_EQ(likely_vocabulary(spec), size);
}

// Within the context a KV cache keeps the earlier tokens. Beyond it, each token needs the whole context again.
TEST(Estimate, CountsTheTokensOfGeneration) {
    RunSpec spec;
    spec.context = 100;
    EXPECT_EQ(tokens_to_generate(spec, 80), 80);
    EXPECT_EQ(tokens_to_generate(spec, 300), 100 + 200 * 100);
    EXPECT_EQ(tokens_to_generate(spec, 300, true), 300);
    spec.operations = Operations::eager;
    EXPECT_EQ(tokens_to_generate(spec, 80), 80 * 80 / 2);
    EXPECT_EQ(tokens_to_generate(spec, 300), 100 * 100 / 2 + 200 * 100);
}

TEST(Estimate, CountsTheWorkOfACohort) {
    RunSpec spec;
    spec.iterations = 250;
    spec.evaluate_every = 100;
    spec.sample_length = 50;
    const CohortWork work = cohort_work(spec, 3, 0, 1000, true);
    const auto part = [&](TimedPart which) { return work[static_cast<std::size_t>(which)]; };
    EXPECT_EQ(part(TimedPart::start).items, 1);
    EXPECT_EQ(part(TimedPart::steps).calls, 250);
    EXPECT_EQ(part(TimedPart::steps).items, 750);
    EXPECT_EQ(part(TimedPart::evaluations).calls, 3);
    EXPECT_EQ(part(TimedPart::samples).items, 150);
    // At 0, 1, 2, 4, 8, 16, 32, 64, 100, 200 and 250.
    EXPECT_EQ(part(TimedPart::probes).calls, 11);
    for (const std::int64_t iterations : {1, 7, 100, 250, 100000}) {
        for (const std::int64_t from : {0, 5, 64, 100}) {
            if (from >= iterations) continue;
            RunSpec other = spec;
            other.iterations = iterations;
            other.probe_every = 3;
            std::int64_t probes = 0;
            for (std::int64_t step = from; step <= iterations; ++step) probes += probes_at(other, step) ? 1 : 0;
            EXPECT_EQ(number_of_probes(other, from), probes) << iterations << " from " << from;
        }
    }
    EXPECT_EQ(part(TimedPart::checkpoints).items, 9);
    EXPECT_EQ(cohort_work(spec, 3, 200, 1000, false)[1].calls, 50);
    EXPECT_EQ(cohort_work(spec, 3, 200, 1000, false)[0].items, 0);

    const double forward = forward_operations(spec, likely_vocabulary(spec));
    EXPECT_EQ(part(TimedPart::steps).operations, 250 * 3 * training_operations(spec, likely_vocabulary(spec)));
    EXPECT_EQ(part(TimedPart::start).operations, part(TimedPart::steps).operations / 250) << "one step chooses";
    EXPECT_EQ(part(TimedPart::samples).operations, 3 * 50 * forward) << "of one run";
    EXPECT_EQ(part(TimedPart::probes).operations, 11 * 3 * forward * static_cast<double>(8 * spec.context));
    // A weight and two moments.
    EXPECT_EQ(part(TimedPart::checkpoints).operations,
              9 * 3 * 4.0 * static_cast<double>(parameter_count(spec, likely_vocabulary(spec))));
    const CohortWork alone = cohort_work(spec, 1, 0, 1000, true);
    spec.operations = Operations::eager;  // half as many passes again for a width of 64
    const CohortWork eager = cohort_work(spec, 3, 0, 1000, true);
    for (const TimedPart which : {TimedPart::start, TimedPart::steps, TimedPart::evaluations, TimedPart::probes}) {
        EXPECT_DOUBLE_EQ(part(which).operations / alone[static_cast<std::size_t>(which)].operations, 3);
        EXPECT_DOUBLE_EQ(eager[static_cast<std::size_t>(which)].operations / part(which).operations, 1.5);
    }
    spec.sample_length = 0;
    const PartWork none = cohort_work(spec, 3, 0, 1000, true)[static_cast<std::size_t>(TimedPart::samples)];
    EXPECT_EQ(none.calls + none.items + none.operations, 0);
    EXPECT_EQ(cohort_work(spec, 3, 999, 1000, true)[1].calls, 0) << "beyond the end";
}

TEST(Estimate, EagerIsSlowerForNarrowModels) {
    RunSpec spec;
    const auto times_as_long = [&] {
        RunSpec eager = spec;
        eager.operations = Operations::eager;
        return estimate({eager}, TimeModel::at_speed(1e10)).seconds /
               estimate({spec}, TimeModel::at_speed(1e10)).seconds;
    };
    EXPECT_NEAR(times_as_long(), 1.5, 1e-9);
    spec.width = 384;
    spec.heads = 6;
    EXPECT_NEAR(times_as_long(), 1.083, 1e-3);
}

TEST(Estimate, TakesTheMemoryOfTheLargestCohort) {
    RunSpec small;
    RunSpec large;
    large.width = 256;
    const std::int64_t of_small = estimate({small}).bytes;
    const std::int64_t of_large = estimate({large}).bytes;
    EXPECT_GT(of_large, of_small);
    EXPECT_EQ(estimate({small, large}).bytes, of_large);
    EXPECT_EQ(estimate({large, small}).parameters, parameter_count(large, likely_vocabulary(large)));
    EXPECT_GT(estimate({large, large}).bytes, of_large);
    EXPECT_LT(estimate({large, large}).bytes, 2 * of_large);  // the memory of LibTorch itself is counted once
}

TEST(Estimate, CountsDeviceMemoryOnCuda) {
    RunSpec spec;
    spec.device = Device::cuda;
    const auto need = device_need(spec, 2, likely_vocabulary(spec));
    EXPECT_EQ(estimate({spec, spec}).bytes, static_cast<std::int64_t>(need.total()));
}

TEST(Estimate, ThetaPaperStepNeedsAboutOneTeraflop) {
    RunSpec spec = preset("theta-paper").experiment.expand().front();
    spec.evaluate_every = 1000000000;  // training without evaluations
    EXPECT_NEAR(operations_per_step(spec), 1.162e12, 0.1e12);
}

}  // namespace
}  // namespace ropelab
