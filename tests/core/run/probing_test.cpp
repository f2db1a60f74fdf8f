#include "core/run/probing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "core/engine/torch_engine.h"
#include "core/rope/frequencies.h"
#include "core/run/runner.h"
#include "core/store/lab_recorder.h"
#include "tests/core/plan/anatomy_variants.h"
#include "tests/support/event_log.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

std::vector<std::int64_t> schedule(const RunSpec& spec) {
    std::vector<std::int64_t> result;
    for (std::int64_t i = 0; i <= spec.iterations; ++i) {
        if (probes_at(spec, i)) result.push_back(i);
    }
    return result;
}

TEST(Probing, ProbesAtEveryEvaluationAndAtPowersOfTwo) {
    RunSpec spec = tiny_spec();
    spec.iterations = 45;
    EXPECT_EQ(schedule(spec), (std::vector<std::int64_t>{0, 1, 2, 4, 8, 10, 20, 30, 40, 45}));
    spec.probe_every = 2;
    EXPECT_EQ(schedule(spec), (std::vector<std::int64_t>{0, 1, 2, 4, 8, 20, 40, 45}));
    spec.probe_every = 0;
    EXPECT_TRUE(schedule(spec).empty());
}

TEST(Probing, TheNextProbeIsTheNextStepOfTheSchedule) {
    RunSpec spec = tiny_spec();
    spec.iterations = 45;
    for (const std::int64_t every : {1, 2, 1'000'000'000}) {
        spec.probe_every = every;
        const std::vector<std::int64_t> all = schedule(spec);
        for (std::int64_t i = -1; i <= spec.iterations; ++i) {
            const auto next = std::upper_bound(all.begin(), all.end(), i);
            EXPECT_EQ(next_probe(spec, i), next == all.end() ? std::nullopt : std::optional(*next)) << i;
        }
    }
    spec.probe_every = 0;
    EXPECT_EQ(next_probe(spec, -1), std::nullopt);
}

TEST(Probing, LimitsTheNumberOfSnapshotsOfALongRun) {
    RunSpec spec;
    spec.iterations = 100000;
    spec.evaluate_every = 10;
    EXPECT_LE(schedule(spec).size(), 106U);
    spec.evaluate_every = 5000;
    EXPECT_EQ(schedule(spec).size(), 34U);  // step 0, thirteen powers of two, twenty evaluations
}

TEST(Probing, IsSkippedIfItSlowsTraining) {
    EXPECT_FALSE(probes_are_expensive(0, 0));
    EXPECT_FALSE(probes_are_expensive(4.9, 1));
    EXPECT_TRUE(probes_are_expensive(6, 100));
    EXPECT_FALSE(probes_are_expensive(6, 200));
}

TEST(Probing, ProbeBatchIsSmallAndDeterministic) {
    const auto tokens = tiny_tokens(4000);
    RunSpec spec;  // the defaults
    const ProbeRequest request = snapshot_request(spec, tokens);
    EXPECT_EQ(request.sequences.count(), 8);
    EXPECT_EQ(request.sequences.length, spec.context);
    EXPECT_LE(request.map_size * request.map_size * spec.layers * spec.heads, 8192);
    const ProbeRequest again = snapshot_request(spec, tokens);
    EXPECT_EQ(again.sequences.tokens, request.sequences.tokens);
    EXPECT_EQ(again.retrieval.sequences.tokens, request.retrieval.sequences.tokens);
    spec.evaluate_every = 10;
    EXPECT_EQ(snapshot_request(spec, tokens).sequences.count(), 2);
    spec.layers = spec.heads = 24;
    spec.width = 24 * 16;
    EXPECT_EQ(snapshot_request(spec, tokens).map_size, 8);
}

TEST(Probing, SequencesAreSpacedOrExhaustive) {
    const auto tokens = tiny_tokens(100);
    const ProbeSequences spaced = spaced_sequences(tokens, 9, 3);
    ASSERT_EQ(spaced.count(), 3);
    for (const std::int64_t window : {0, 1, 2}) {
        const std::int64_t start = window * 45;
        for (std::int64_t i = 0; i < 9; ++i) {
            EXPECT_EQ(spaced.tokens[window * 9 + i], tokens[start + i]);
            EXPECT_EQ(spaced.targets[window * 9 + i], tokens[start + i + 1]);
        }
    }
    for (const auto& [count, sequences] : {std::pair(0, 9), {1, 1}}) {  // each follows the last, from the beginning on
        const ProbeSequences next = spaced_sequences(tokens, 10, count);
        EXPECT_EQ(next.count(), sequences);
        EXPECT_TRUE(std::equal(next.tokens.begin(), next.tokens.end(), tokens.begin()));
    }
    const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(spaced_sequences(tokens, 10, largest).count(), 9) << "sequences that overlap are not independent";
    EXPECT_MESSAGE(spaced_sequences(tokens, largest, 1), BadInput, "needs at least 9223372036854775808.");
    EXPECT_EQ(spaced_sequences(tokens, 99, 0).count(), 1);
    EXPECT_MESSAGE(spaced_sequences(tokens, 100, 1), BadInput, "needs at least 101");
    const ProbeSequences text = sequence_of(std::vector<std::int32_t>{3, 1, 4});
    EXPECT_EQ(text.targets, (std::vector<std::int32_t>{1, 4, -1}));
    EXPECT_MESSAGE(sequence_of({}), BadInput, "empty");
}

TEST(Probing, CopiesRepeatTokensAtTheLag) {
    const auto tokens = tiny_tokens(4000);
    for (const std::int64_t length : {8, 16, 100, 128}) {
        const RetrievalTest text = retrieval_test(tokens, length, 2);
        const std::int64_t copy = std::min<std::int64_t>(16, length / 4);
        ASSERT_EQ(text.sequences.count(), std::ssize(text.lags));
        EXPECT_EQ(text.lags.front(), copy);
        EXPECT_EQ(text.lags.back(), length + 1 - copy);
        EXPECT_LT(text.marked, copy);
        for (std::int64_t window = 0; window < text.sequences.count(); ++window) {
            const auto token_at = [&](std::int64_t place) {
                return place < length ? text.sequences.tokens[window * length + place]
                                      : text.sequences.targets[window * length + length - 1];
            };
            const std::int64_t lag = text.lags[static_cast<std::size_t>(window)];
            for (std::int64_t place = length + 1 - copy; place <= length; ++place)
                EXPECT_EQ(token_at(place), token_at(place - lag)) << length << " " << lag;
            for (std::int64_t place = 1; place <= length; ++place)
                EXPECT_EQ(text.sequences.targets[window * length + place - 1], token_at(place));
        }
    }
    EXPECT_EQ(retrieval_test(tokens, 4, 2).sequences.count(), 0);
    EXPECT_EQ(retrieval_test(std::span(tokens).first(10), 16, 2).sequences.count(), 0);
}

TEST(Probing, GridHasEvenlySpacedLags) {
    const std::vector<std::int64_t> grid = retrieval_grid(256);
    EXPECT_EQ(grid.size(), 35U);  // 32 evenly spaced lags and the powers of two 32, 64 and 128
    EXPECT_EQ(grid.front(), 16);
    EXPECT_EQ(grid.back(), 241);
    for (std::size_t i = 1; i < grid.size(); ++i) {
        EXPECT_GT(grid[i], grid[i - 1]);
        EXPECT_LE(grid[i] - grid[i - 1], 9);
    }
    EXPECT_EQ(retrieval_grid(32).size(), 18U);  // all lags from 8 to 25
    EXPECT_TRUE(retrieval_grid(6).empty());
}

TEST(Probing, LagsCanBeChosenAndHaveTheSameSequences) {
    const auto tokens = tiny_tokens(4000);
    const std::vector<std::int64_t> lags = {16, 105};
    const RetrievalTest both = retrieval_test(tokens, 128, 2, lags);
    EXPECT_EQ(both.lags, (std::vector<std::int64_t>{16, 16, 105, 105}));
    const std::vector<std::int64_t> one = {105};
    const RetrievalTest alone = retrieval_test(tokens, 128, 2, one);
    EXPECT_TRUE(std::equal(alone.sequences.tokens.begin(), alone.sequences.tokens.end(),
                           both.sequences.tokens.begin() + 2 * 128, both.sequences.tokens.end()));
    for (const std::int64_t wrong : {15, 114}) {
        const std::vector<std::int64_t> outside = {wrong};
        EXPECT_MESSAGE(retrieval_test(tokens, 128, 2, outside), BadInput, "between 16 and 113");
    }
}

// The last snapshot tests the whole grid, with a number of sequences that follows the cost of the training.
TEST(Probing, LastSnapshotTestsTheGrid) {
    const auto tokens = tiny_tokens(4000);
    RunSpec spec;
    spec.context = 128;
    spec.batch = 32;
    spec.iterations = 1000;
    const auto of_lag = [&](bool last, std::int64_t lag) {
        const auto lags = snapshot_request(spec, tokens, last).retrieval.lags;
        return std::count(lags.begin(), lags.end(), lag);
    };
    EXPECT_EQ(of_lag(true, 106), 16);  // the grid at context 128 contains 106
    EXPECT_EQ(of_lag(false, 106), 0);
    spec.iterations = 100;  // 0.06 · 100 · 32 = 192 sequences for 34 lags
    EXPECT_EQ(of_lag(true, 106), 5);
    spec.iterations = 4;
    EXPECT_EQ(of_lag(true, 106), 1);
}

TEST(Probing, BoundFollowsTheRunsFrequencies) {
    RunSpec spec;
    spec.width = 64;
    spec.heads = 1;
    spec.theta = 1850;
    ProbeRequest request;
    request.sequences.length = spec.context;
    const std::vector<double> bound = bound_by_distance(plan_of(spec, 65), request, 256);
    ASSERT_EQ(bound.size(), 256U);
    EXPECT_NEAR(bound[0], 32, 1e-9);
    EXPECT_NEAR(bound[235], -0.156610, 1e-6);
    spec.theta_training = ThetaTraining::one;
    EXPECT_TRUE(bound_by_distance(plan_of(spec, 65), request, 256).empty());
}

TEST(Probing, SpectrumOfAWaveHasItsPeakAtTheWavelength) {
    ProbeResult result;
    result.length = 64;
    result.attention_by_distance.shape = {1, 1, 64};
    for (std::int64_t distance = 0; distance < 64; ++distance) {
        result.distances.push_back(distance);
        result.attention_by_distance.values.push_back(
            static_cast<float>(0.5 + 0.25 * std::cos(2 * M_PI * 4 * static_cast<double>(distance) / 64)));
    }
    const auto spectrum = attention_spectrum(result, 0, 0);
    ASSERT_EQ(spectrum.size(), 33U);
    EXPECT_NEAR(spectrum[0], 0.0, 1e-6);
    EXPECT_NEAR(spectrum[4], 0.25, 1e-6);
    EXPECT_NEAR(spectrum[5], 0.0, 1e-6);
    EXPECT_TRUE(attention_spectrum({}, 0, 0).empty());
    EXPECT_TRUE(attention_spectrum(compacted(result, 16), 0, 0).empty());  // the number of distances is reduced

    result.length = 128;  // a sliding window of 64 tokens: no attention beyond it
    const auto of_window = attention_spectrum(result, 0, 0);
    ASSERT_EQ(of_window.size(), 65U);
    EXPECT_GT(of_window[8], 0.1);
}

TEST(Probing, FrequenciesMatchTheRun) {
    RunSpec spec;
    spec.fraction = 0.5;
    spec.pairs = "0-3+5";
    ProbeRequest request;
    request.sequences.length = 256;
    request.scaling = {ScalingMethod::linear, 2};
    request.frozen_pairs = {1};
    const auto used = probed_frequencies(plan_of(spec, 65), request);
    const auto plain = slice_frequencies(16, spec.theta);
    ASSERT_EQ(used.size(), 16U);
    EXPECT_DOUBLE_EQ(used[0], plain[0] / 2);
    EXPECT_EQ(used[1], 0.0);
    EXPECT_EQ(used[4], 0.0);
    EXPECT_DOUBLE_EQ(used[5], plain[5] / 2);
    EXPECT_EQ(used[8], 0.0);
    spec.position = Position::none;
    EXPECT_EQ(probed_frequencies(plan_of(spec, 65), {})[0], 0.0);
}

class ProbedRun : public testing::Test {
 protected:
    RunSpec spec() const {
        RunSpec result = tiny_spec();
        result.data = text_.string();
        result.dropout = 0.1;
        return result;
    }
    PlannedRun planned(RunId id, const RunSpec& run) const {
        return {id, run, folder_ / ("run-" + std::to_string(id) + ".safetensors"), false, std::nullopt};
    }
    Runner::EngineSource engine() {
        return [this]() -> Engine& { return engine_; };
    }
    ProbeRequest request() const {
        const auto corpus = open_corpus(spec());
        ProbeRequest result;
        result.sequences = spaced_sequences(corpus->validation, 16, 2);
        return result;
    }

    ScratchFolder folder_;
    std::filesystem::path text_ = folder_.write("text.txt", small_text(4000));
    TorchEngine engine_;
};

TEST_F(ProbedRun, PublishesProbesWithoutChangingTraining) {
    RunSpec unwatched = spec();
    unwatched.probe_every = 0;
    RunSpec other = spec();
    other.theta = 100;
    EventLog with;
    EventLog without;
    {
        Runner runner(engine(), [&](const Event& event) { with(event); });
        runner.start({{planned(1, spec()), planned(3, other)}, {}, {}, {}, {}});
        runner.join();
    }
    {
        Runner runner(engine(), [&](const Event& event) { without(event); });
        runner.start({{planned(2, unwatched)}, {}, {}, {}, {}});
        runner.join();
    }
    EXPECT_TRUE(without.of<event::Probed>().empty());
    EXPECT_EQ(read_checkpoint(folder_ / "run-1.safetensors")->state,
              read_checkpoint(folder_ / "run-2.safetensors")->state);
    const auto losses = [](const EventLog& log) {
        std::vector<double> numbers;
        for (const auto& step : log.of<event::Step>()) {
            if (step.run != 3) numbers.insert(numbers.end(), {step.training_loss, step.gradient_norm});
        }
        for (const auto& evaluated : log.of<event::Evaluated>()) {
            if (evaluated.run != 3) numbers.push_back(evaluated.validation_loss);
        }
        return numbers;
    };
    EXPECT_EQ(losses(with), losses(without));

    std::vector<std::int64_t> iterations;
    for (const auto& probed : with.of<event::Probed>()) {
        ASSERT_TRUE(probed.result);
        EXPECT_EQ(probed.result->query_usage.shape, (std::vector<std::int64_t>{2, 2, 4}));
        EXPECT_FALSE(probed.result->attention.empty());
        EXPECT_FALSE(probed.result->retrieval.empty());
        if (probed.run == 1) iterations.push_back(probed.iteration);
    }
    EXPECT_EQ(iterations, (std::vector<std::int64_t>{0, 1, 2, 4, 8, 10, 20}));

    // The last probe equals a probe of the checkpoint.
    const auto checkpoint = read_checkpoint(folder_ / "run-1.safetensors").value();
    const auto corpus = open_corpus(spec());
    const auto again = model_of(engine_, checkpoint)->probe(snapshot_request(spec(), corpus->validation, true));
    const auto all = with.of<event::Probed>();
    const auto last = std::find_if(all.rbegin(), all.rend(), [](const auto& probed) { return probed.run == 1; });
    // Gradients and updates are those of a training step, so a probe of a checkpoint has none.
    ProbeResult without_step = *last->result;
    EXPECT_FALSE(without_step.gradient_norm.empty());
    without_step.gradient_norm = without_step.update_ratio = without_step.accumulated_update = {};
    EXPECT_EQ(compacted(again), without_step);
}

// A lab refuses snapshots whose arrays contradict each other, so it must accept those of every kind of model.
TEST_F(ProbedRun, LabsAcceptTheSnapshotsOfEveryKindOfModel) {
    const std::filesystem::path path = folder_ / "x.ropelab";
    const auto lab = LabFile::create(path);
    const std::int64_t experiment = lab->add_experiment("models", "{}");
    std::vector<PlannedRun> plan;
    for (const char* settings :
         {"", "key_value_heads=2 head_bias=true", "position=none", "position=learned+rope theta_training=head",
          "position=fope fraction=0.5", "position=xpos rotated_layers=1", "position=t5 key_value_heads=1",
          "position=transformer-xl", "position=kerple", "position=cope attention_sinks=true",
          "attention=mla rotary_channels=4", "attention=gated qk_norm=true", "attention_layers=deltanet",
          "attention_layers=deltanet+window+full "
          "attention_window=5 layers=5",
          "experts=4 dense_layers=1", "experts=4 attention_layers=deltanet+full", "block=pythia norm_position=sandwich",
          "batch=4 micro_batch=2 optimizer=muon"}) {
        RunSpec run = anatomy_spec(settings);
        run.data = text_.string();
        run.iterations = 2;
        run.evaluate_every = 2;
        run.evaluation_batches = 1;
        run.sample_length = 0;
        run.precision = Precision::float32;
        run.threads = 2;
        plan.push_back(planned(lab->add_run(experiment, settings, "{}"), run));
    }
    EventLog log;
    LabRecorder recorder(path);
    Runner runner(engine(), [&](const Event& event) {
        log(event);
        recorder.record(event);
    });
    runner.start({plan, {}, {}, {}, {}});
    runner.join();
    ASSERT_TRUE(recorder.flush()) << recorder.trouble();

    const auto shapes = [](const ProbeResult& result) {
        std::map<std::string, std::vector<std::int64_t>> found;
        for (const NamedTensor& part : parts_of(result)) found[part.name] = part.shape;
        return found;
    };
    for (const PlannedRun& run : plan) {
        SCOPED_TRACE(lab->run(run.id).name);
        EXPECT_EQ(lab->snapshots(run.id), (std::vector<std::int64_t>{0, 1, 2}));
    }
    for (const auto& probed : log.of<event::Probed>()) {
        SCOPED_TRACE(lab->run(probed.run).name + ", step " + std::to_string(probed.iteration));
        std::optional<ProbeResult> stored;
        ASSERT_NO_THROW(stored = lab->snapshot(probed.run, probed.iteration));
        ASSERT_TRUE(stored);
        EXPECT_EQ(shapes(*stored), shapes(*probed.result));
    }
}

TEST_F(ProbedRun, AnswersProbesWhileTrainingAndPaused) {
    RunSpec run = spec();
    run.iterations = 100000;
    run.evaluate_every = 1000;
    run.probe_every = 0;
    EventLog log;
    Runner runner(engine(), [&](const Event& event) { log(event); });
    runner.start({{planned(1, run)}, {}, {}, {}, {}});
    const ProbeResult first = runner.probe(1, request()).get();
    EXPECT_EQ(first.sequences, 2);
    EXPECT_EQ(first.logit_contribution.shape, (std::vector<std::int64_t>{2, 2, 5}));
    auto elsewhere = runner.probe(9, request());
    EXPECT_MESSAGE(elsewhere.get(), BadInput, "Run 9 is not being trained now");
    ProbeRequest wrong = request();
    wrong.frozen_pairs = {4};
    EXPECT_MESSAGE(runner.probe(1, wrong).get(), BadInput, "Pair 4 does not exist");

    runner.pause();
    for (int i = 0; i < 3000 && !(log.of<event::Progress>().size() > 0 && log.of<event::Progress>().back().paused); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const ProbeResult paused = runner.probe(1, request()).get();
    const std::size_t steps = log.of<event::Step>().size();
    EXPECT_EQ(runner.probe(1, request()).get(), paused);  // no step was trained in between
    EXPECT_EQ(log.of<event::Step>().size(), steps);
    runner.stop();
    runner.join();
    EXPECT_MESSAGE(runner.probe(1, request()).get(), BadInput,
                   "Run 1 is not being trained; evaluate its checkpoint instead");
}

}  // namespace
}  // namespace ropelab
