#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/contract/engine.h"

namespace ropelab::testing {

/// Training engine for tests of the window that needs no LibTorch. Its losses are a formula of theta, fraction and
/// step, so they are known, fast to compute, and equal after a pause or a resume.
class FakeEngine : public Engine {
 public:
    /// Duration of a training step, in microseconds.
    std::atomic<int> step_microseconds{200};
    /// Runs with this theta get a loss that is not finite after 10 steps; 0: no run fails.
    std::atomic<double> failing_theta{0};
    /// Evaluated losses differ by up to this much between seeds, in another way for each theta.
    std::atomic<double> seed_spread{0};
    /// True: probes of runs in training measure spectra too (see add_spectra), as those of the engine do.
    std::atomic<bool> probes_spectra{false};
    /// Number of cohorts that were created.
    std::atomic<int> cohorts{0};

    /// Returns the training loss of a run after `iteration` steps.
    static double loss(const RunSpec& spec, std::int64_t iteration) {
        const double speed = 20.0 + 5.0 * std::log10(spec.theta) + 40.0 * (1 - spec.fraction);
        return 1.0 + 2.4 * std::exp(-static_cast<double>(iteration) / speed);
    }

    /// Adds spectra, attention and retrieval after `iteration` steps to a probe result. The query norm of pair i is
    /// iteration + i, the key norm one more; all rotated pairs contribute equally to the logits. Experts drop
    /// iteration / 1,000 of the choices.
    static void add_spectra(ProbeResult& result, const RunSpec& spec, std::int64_t iteration) {
        const std::int64_t pairs = spec.head_dim() / 2;
        const bool rotates = spec.rotates() && spec.fraction > 0;
        const auto fill = [&](ProbeArray& array, std::int64_t columns, auto value) {
            array.shape = {spec.layers, spec.heads, columns};
            for (std::int64_t row = 0; row < spec.layers * spec.heads; ++row) {
                for (std::int64_t i = 0; i < columns; ++i) array.values.push_back(static_cast<float>(value(i)));
            }
        };
        fill(result.query_usage, pairs, [&](std::int64_t i) { return iteration + i; });
        fill(result.key_usage, pairs, [&](std::int64_t i) { return iteration + i + 1; });
        fill(result.logit_contribution, pairs + 1, [&](std::int64_t i) {
            return i < pairs ? (rotates ? 1.0 / static_cast<double>(pairs) : 0.0) : (rotates ? 0.0 : 1.0);
        });
        if (spec.experts > 0) {
            const auto layers = static_cast<std::size_t>(spec.layers);
            result.expert_tokens = {0};
            result.expert_shares = {{spec.layers, spec.experts, 1},
                                    std::vector<float>(static_cast<std::size_t>(spec.layers * spec.experts),
                                                       1.0F / static_cast<float>(spec.experts))};
            result.expert_balance = {{spec.layers, 1}, std::vector<float>(layers, 1.5F)};
            result.expert_dropped = {{spec.layers, 1},
                                     std::vector<float>(layers, 0.001F * static_cast<float>(iteration))};
        }
        result.stream_rms.shape = {spec.layers + 1};
        result.gradient_norm.shape = {spec.layers, 2};
        for (std::int64_t i = 0; i <= spec.layers; ++i) result.stream_rms.values.push_back(static_cast<float>(i + 1));
        for (std::int64_t i = 0; i < 2 * spec.layers; ++i)
            result.gradient_norm.values.push_back(0.5F * static_cast<float>(i + 1));
        for (std::int64_t i = 0; i < result.length; ++i) result.distances.push_back(i);
        fill(result.attention_by_distance, result.length,
             [](std::int64_t i) { return 1.0 / static_cast<double>(i + 1); });
        for (const std::int64_t lag : {4, 8}) {
            result.retrieval.push_back({lag, 8, 0.25 + 0.001 * static_cast<double>(iteration), 2.0, 0.1, 3.0});
        }
    }

    EngineInfo info() override { return {"fake", "none", false, 1, false, "This engine has no CUDA."}; }
    std::unique_ptr<Cohort> create_cohort(const CohortStart& start, const TokenData&) override;
    std::unique_ptr<Model> create_model(const ModelPlan& plan, std::span<const NamedTensor>,
                                        const Computing& computing) override;
    std::unique_ptr<Model> create_untrained_model(const ModelPlan& plan, std::int64_t,
                                                  const Computing& computing) override {
        return create_model(plan, {}, computing);
    }
};

/// Model that generates all tokens of the vocabulary in order, repeatedly.
class FakeModel : public Model {
 public:
    explicit FakeModel(int vocabulary, std::int64_t head_dim = 8) : vocabulary_(vocabulary), head_dim_(head_dim) {}
    std::vector<float> logits(std::span<const std::int32_t> tokens) override {
        return std::vector<float>(tokens.size() * static_cast<std::size_t>(vocabulary_), 0.0F);
    }
    std::vector<std::int32_t> generate(std::span<const std::int32_t>, const Generation& how) override {
        std::vector<std::int32_t> tokens;
        for (std::int64_t i = 0; i < how.length; ++i) {
            tokens.push_back(static_cast<std::int32_t>(i % vocabulary_));
            if (how.on_token && !how.on_token(tokens.back())) break;
        }
        return tokens;
    }
    /// Number that stands for the bytes of a KV cache, whatever the model.
    std::int64_t cache_bytes() const override { return 4096; }
    double whole_loss(std::span<const std::int32_t>) override { return 1.5; }
    ProbeResult probe(const ProbeRequest& request) override {
        ProbeResult result;
        result.sequences = request.sequences.count();
        result.length = request.sequences.length;
        const double loss = request.replaced_heads.empty() ? 1.5 : 1.75;
        result.loss_by_position.assign(static_cast<std::size_t>(result.length), loss);
        result.loss = loss;
        if (request.vectors_at >= 0) {  // enough layers and heads for all tests; the values depend only on the token
            constexpr std::int64_t layers = 2;
            constexpr std::int64_t heads = 8;
            const auto token =
                static_cast<float>(request.sequences.tokens[static_cast<std::size_t>(request.vectors_at)]);
            for (std::int64_t i = 0; i < layers * heads * head_dim_; ++i) {
                result.query_vectors.values.push_back(std::sin(token + static_cast<float>(i)));
                result.key_vectors.values.push_back(std::cos(token + static_cast<float>(i)));
            }
            result.query_vectors.shape = result.key_vectors.shape = {layers, heads, head_dim_};
        }
        return result;
    }
    /// Returns 1 ms for the embedding, 2 ms for the queries, keys and values of layer 0, which contain its query heads.
    StageTimes stage_times(const StageTimesRequest& request) override {
        StageTimes times;
        times.stages = {{{"embedding", -1}, 0.001, {}},
                        {{"attention.qkv", 0}, 0.002, {}},
                        {{"attention.queries", 0}, 0, StagePlace{"attention.qkv", 0}}};
        times.whole = 0.004;
        times.sequences = request.sequences;
        times.length = std::ssize(request.tokens) / request.sequences;
        times.passes = request.passes;
        times.precision = "float32";
        times.device = "cpu";
        return times;
    }
    /// Returns four channels, or two matrices of scores or weights, whose rows are the numbers of the tokens.
    ProbeArray stage_output(std::span<const std::int32_t> tokens, const StagePlace& stage) override {
        const std::int64_t count = std::ssize(tokens);
        const bool has_heads = stage.id == "attention.scores" || stage.id == "attention.weights";
        ProbeArray result;
        result.shape = has_heads ? std::vector<std::int64_t>{2, count, count} : std::vector<std::int64_t>{count, 4};
        for (int matrix = 0; matrix < (has_heads ? 2 : 1); ++matrix) {
            for (const std::int32_t token : tokens) {
                result.values.insert(result.values.end(), static_cast<std::size_t>(result.shape.back()),
                                     static_cast<float>(token + 10 * matrix));
            }
        }
        return result;
    }

 private:
    int vocabulary_;
    std::int64_t head_dim_;
};

/// Cohort of FakeEngine whose state is the number of trained steps.
class FakeCohort : public Cohort {
 public:
    FakeCohort(FakeEngine& engine, const CohortStart& start, int vocabulary)
        : engine_(engine), runs_(start.runs), iteration_(start.iteration), vocabulary_(vocabulary) {
        // The state of a run is a single number: the step after which the state was saved.
        for (const auto& state : start.states) {
            if (state.size() != 1 || state.front().values.at(0) != static_cast<float>(iteration_)) {
                throw BadInput("The step of the state does not equal the first step of the cohort.");
            }
        }
    }

    std::int64_t runs() const override { return static_cast<std::int64_t>(runs_.size()); }
    std::int64_t iteration() const override { return iteration_; }
    RunConditions conditions() const override {
        return {"float32", "cpu", 1, "float32: the only precision of this engine"};
    }

    std::vector<StepResult> step() override {
        std::this_thread::sleep_for(std::chrono::microseconds(engine_.step_microseconds));
        ++iteration_;
        std::vector<StepResult> results;
        for (const RunSpec& run : runs_) {
            const bool fails = run.theta == engine_.failing_theta && iteration_ > 10;
            const double loss = fails ? std::nan("") : FakeEngine::loss(run, iteration_);
            results.push_back({loss, 0.5, run.learning_rate});
        }
        return results;
    }
    std::vector<EvaluationResult> evaluate_runs(std::int64_t first, std::int64_t count,
                                                const std::function<bool()>& cancelled) override {
        if (cancelled()) return {};
        std::vector<EvaluationResult> results;
        for (const RunSpec& run : std::span(runs_).subspan(first, count)) {
            const double loss = FakeEngine::loss(run, iteration_) +
                                engine_.seed_spread * std::sin(static_cast<double>(run.seed) * (2 + run.theta));
            results.push_back({loss, loss + 0.1});
        }
        return results;
    }
    void remove(std::int64_t run) override { runs_.erase(runs_.begin() + run); }
    std::vector<NamedTensor> state(std::int64_t) const override {
        return {{"model.step", {1}, {static_cast<float>(iteration_)}}};
    }
    std::unique_ptr<Model> model(std::int64_t) const override { return std::make_unique<FakeModel>(vocabulary_); }
    ProbeResult probe(std::int64_t run, const ProbeRequest& request) const override {
        ProbeResult result = model(run)->probe(request);
        if (engine_.probes_spectra) {
            FakeEngine::add_spectra(result, runs_[static_cast<std::size_t>(run)], iteration_);
        }
        return result;
    }

 private:
    FakeEngine& engine_;
    std::vector<RunSpec> runs_;
    std::int64_t iteration_;
    int vocabulary_;
};

inline std::unique_ptr<Cohort> FakeEngine::create_cohort(const CohortStart& start, const TokenData& data) {
    ++cohorts;
    return std::make_unique<FakeCohort>(*this, start, data.vocabulary);
}

inline std::unique_ptr<Model> FakeEngine::create_model(const ModelPlan& plan, std::span<const NamedTensor>,
                                                       const Computing&) {
    return std::make_unique<FakeModel>(static_cast<int>(plan.sizes.V.value_or(0)),
                                       static_cast<int>(plan.layers.front().query_channels()));
}

}  // namespace ropelab::testing
