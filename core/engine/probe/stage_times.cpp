#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/engine/model/torch_model.h"
#include "core/engine/operations/clear_errors.h"
#include "core/engine/operations/stage_observer.h"
#include "core/engine/probe/probe.h"

namespace ropelab {

namespace {

struct PassCancelled {};

class StageClock : public StageObserver {
 public:
    StageClock(torch::Device device, const std::function<bool()>& cancelled) : device_(device), cancelled_(cancelled) {}

    void start() {
        for (auto& [place, seconds] : seconds_) seconds = 0;
        begin_ = now();
    }
    void computed(const char* stage, std::int64_t layer) override {
        const double seconds = std::chrono::duration<double>(now() - begin_).count();
        const StagePlace place{stage, layer};
        const auto found = seconds_.find(place);
        if (found == seconds_.end()) {
            order_.push_back(place);
            seconds_.emplace(place, seconds);
        } else {
            found->second += seconds;
        }
        if (cancelled_ && cancelled_()) throw PassCancelled{};
        begin_ = now();
    }
    // Can be called while `within` is being computed, so that only the time of this call itself is left out.
    void contained(const char* stage, std::int64_t layer, const char* within, std::int64_t within_layer) override {
        const auto called = std::chrono::steady_clock::now();
        within_.emplace(StagePlace{stage, layer}, StagePlace{within, within_layer});
        begin_ += std::chrono::steady_clock::now() - called;
    }

    const std::vector<StagePlace>& order() const { return order_; }
    const std::map<StagePlace, StagePlace>& within() const { return within_; }
    double seconds(const StagePlace& place) const { return seconds_.at(place); }

 private:
    // A device computes after the call of an operation has returned.
    std::chrono::steady_clock::time_point now() const {
        if (device_.is_cuda()) torch::cuda::synchronize();
        return std::chrono::steady_clock::now();
    }

    torch::Device device_;
    const std::function<bool()>& cancelled_;
    std::chrono::steady_clock::time_point begin_;
    std::vector<StagePlace> order_;
    std::map<StagePlace, double> seconds_;
    std::map<StagePlace, StagePlace> within_;
};

class StageOutput : public StageObserver {
 public:
    explicit StageOutput(StagePlace wanted) : wanted_(std::move(wanted)) {}

    void computed(const char*, std::int64_t) override {}
    void contained(const char*, std::int64_t, const char*, std::int64_t) override {}
    bool wants_outputs() const override { return true; }
    void output(const char* stage, std::int64_t layer, const torch::Tensor& numbers) override {
        if (layer == wanted_.layer && wanted_.id == stage) found_ = numbers;
    }

    /// For the first run and its first sequence; undefined if the stage had none.
    torch::Tensor found() const {
        const std::int64_t dimensions = found_.defined() ? found_.dim() : 0;
        if (dimensions == 5) return found_[0][0].flatten(1);
        return dimensions == 3 || dimensions == 4 ? found_[0] : found_;
    }

 private:
    StagePlace wanted_;
    torch::Tensor found_;
};

torch::Tensor input_of(const ProbedModel& model, std::span<const std::int32_t> tokens, std::int64_t sequences) {
    return torch::tensor(c10::ArrayRef<std::int32_t>(tokens.data(), tokens.size()), torch::kInt64)
        .view({1, sequences, -1})
        .to(model.weights.flat().device());
}

void check_sequences(const ProbedModel& model, std::span<const std::int32_t> tokens, std::int64_t sequences) {
    const auto count = static_cast<std::int64_t>(tokens.size());
    if (sequences < 1 || count == 0 || count % sequences != 0 || count / sequences > model.plan.sizes.T) {
        throw BadInput("The stages of a model are evaluated on sequences of equal length of 1 to " +
                       std::to_string(model.plan.sizes.T) + " tokens, but " + std::to_string(count) + " tokens in " +
                       std::to_string(sequences) + " sequences were given.");
    }
    check_tokens(model.weights.layout(), tokens);
}

double median_seconds(std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    const std::size_t middle = seconds.size() / 2;
    return seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
}

// Position terms are computed once, unless they depend on trained weights.
class ObservedPass {
 public:
    ObservedPass(const ProbedModel& model, std::span<const std::int32_t> tokens, std::int64_t sequences)
        : model_(model), tokens_(tokens), sequences_(sequences), terms_(terms()) {}

    torch::Tensor run(StageObserver* observer) const {
        const StageMarks stages{observer, -1};
        const torch::Tensor input = input_of(model_, tokens_, sequences_);
        stages.computed("tokens");
        if (stages.wants_outputs()) stages.output("tokens", input.flatten(1).unsqueeze(2).to(torch::kFloat32));
        if (!model_.plan.theta_varies()) {
            const Scores* scores = model_.plan.scores();
            if (scores && std::holds_alternative<TransformerXl>(scores->relative)) {
                stages.computed("distances", terms_.relative);
            }
            return model_.decoder.logits(model_.weights, input, terms_, model_.precision, {.stages = observer});
        }
        const PositionTerms current = terms();
        stages.computed("frequencies");
        return model_.decoder.logits(model_.weights, input, current, model_.precision, {.stages = observer});
    }

 private:
    PositionTerms terms() const {
        return position_terms({&model_.plan, 1}, std::ssize(tokens_) / sequences_, model_.weights.flat().device(),
                              &model_.weights);
    }

    const ProbedModel& model_;
    std::span<const std::int32_t> tokens_;
    std::int64_t sequences_;
    PositionTerms terms_;
};

// Without gradients. Tables of constant positions are computed before. Throws BadInput if the tokens do not fit.
StageTimes measured(const ProbedModel& model, const StageTimesRequest& request) {
    const torch::NoGradGuard no_gradients;
    check_sequences(model, request.tokens, request.sequences);
    if (request.passes < 1) {
        throw BadInput("The number of measured forward passes is " + std::to_string(request.passes) +
                       ", but it must be 1 or more.");
    }
    const torch::Device device = model.weights.flat().device();
    const ObservedPass pass(model, request.tokens, request.sequences);
    StageClock clock(device, request.cancelled);
    std::vector<double> whole;
    std::map<StagePlace, std::vector<double>> seconds;
    const auto synchronize = [&] {
        if (device.is_cuda()) torch::cuda::synchronize();
    };
    try {
        for (std::int64_t i = 0; i <= request.passes; ++i) {
            clock.start();
            pass.run(&clock);
            if (request.cancelled && request.cancelled()) return {};
            const auto begin = std::chrono::steady_clock::now();
            pass.run(nullptr);
            synchronize();
            const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
            if (i == 0) continue;  // a warm-up
            whole.push_back(elapsed.count());
            for (const StagePlace& place : clock.order()) seconds[place].push_back(clock.seconds(place));
        }
    } catch (const PassCancelled&) {
        return {};
    }
    StageTimes result;
    for (const StagePlace& place : clock.order()) {
        result.stages.push_back({place, median_seconds(seconds.at(place)), std::nullopt});
    }
    for (const auto& [place, within] : clock.within()) {
        if (!seconds.contains(place)) result.stages.push_back({place, 0, within});
    }
    result.whole = median_seconds(whole);
    result.sequences = request.sequences;
    result.length = std::ssize(request.tokens) / request.sequences;
    result.passes = request.passes;
    result.precision = model.precision == Precision::bfloat16 ? "bfloat16" : "float32";
    result.device = device.is_cuda() ? "cuda" : "cpu";
    return result;
}

// Output for one sequence: (tokens, n), a matrix per head, (heads, n, m), or (n, m) for numbers that do not depend on
// the tokens. Throws BadInput if the tokens do not fit, or if the stage does not exist or has no output.
ProbeArray observed(const ProbedModel& model, std::span<const std::int32_t> tokens, const StagePlace& stage) {
    const torch::NoGradGuard no_gradients;
    check_sequences(model, tokens, 1);
    StageOutput output(stage);
    ObservedPass(model, tokens, 1).run(&output);
    if (!output.found().defined()) {
        throw BadInput("This model does not compute the stage (operation) " + stage.id +
                       (stage.layer < 0 ? "." : " in layer " + std::to_string(stage.layer) + "."));
    }
    const torch::Tensor host = output.found().to(torch::kCPU, torch::kFloat32).contiguous();
    return {host.sizes().vec(), {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()}};
}

}  // namespace

StageTimes TorchModel::stage_times(const StageTimesRequest& request) {
    return with_clear_errors([&] { return measured({plan(), decoder_, weights_, precision_}, request); });
}

ProbeArray TorchModel::stage_output(std::span<const std::int32_t> tokens, const StagePlace& stage) {
    return with_clear_errors([&] { return observed({plan(), decoder_, weights_, precision_}, tokens, stage); });
}

}  // namespace ropelab
