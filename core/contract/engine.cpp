#include "core/contract/engine.h"

#include <cstddef>

#include "core/base/error.h"

namespace ropelab {

namespace {

class WholePredictor : public TokenPredictor {
 public:
    explicit WholePredictor(Model& model) : model_(model) {}

    std::vector<float> next(std::int32_t token) override {
        text_.push_back(token);
        const std::vector<float> all = model_.logits(text_);
        return {all.end() - static_cast<std::ptrdiff_t>(all.size() / text_.size()), all.end()};
    }
    void restart() override { text_.clear(); }

 private:
    Model& model_;
    std::vector<std::int32_t> text_;
};

}  // namespace

std::vector<std::vector<std::int32_t>> Model::generate_streams(std::span<const std::int32_t> prompt,
                                                               const Generation& how, std::int64_t count) {
    std::vector<std::vector<std::int32_t>> streams;
    bool goes_on = true;
    for (std::int64_t i = 0; i < count && goes_on; ++i) {
        Generation own = how;
        own.seed += i;
        own.on_token = [&](std::int32_t token) { return goes_on = !how.on_token || how.on_token(token); };
        streams.push_back(generate(prompt, own));
    }
    streams.resize(static_cast<std::size_t>(count));
    return streams;
}

std::unique_ptr<TokenPredictor> Model::predictor() {
    return std::make_unique<WholePredictor>(*this);
}

StageTimes Model::stage_times(const StageTimesRequest&) {
    throw BadInput("This engine does not measure the times of the stages (operations) of a model.");
}

ProbeArray Model::stage_output(std::span<const std::int32_t>, const StagePlace&) {
    throw BadInput("This engine does not return the outputs of a model's stages (operations).");
}

std::unique_ptr<Model> Engine::load_model(const ModelPlan&, const WeightReader&, const Computing&) {
    throw BadInput("This engine opens no models of files.");
}

std::unique_ptr<Model> Engine::create_untrained_model(const ModelPlan&, std::int64_t, const Computing&) {
    throw BadInput("This engine creates no models with initial weights.");
}

void Engine::check_device(const std::function<void(const DeviceCheck&)>&) {
    throw BadInput("There is no CUDA device to check.");
}

void Engine::trust_device(const DeviceTrust&) {}

std::unique_ptr<Model> create_model(Engine& engine, const RunSpec& spec, int vocabulary,
                                    std::span<const NamedTensor> tensors) {
    check(spec);
    return engine.create_model(plan_of(spec, vocabulary), tensors, {spec.device, spec.precision});
}

std::unique_ptr<Model> create_untrained_model(Engine& engine, const RunSpec& spec, int vocabulary) {
    check(spec);
    return engine.create_untrained_model(plan_of(spec, vocabulary), spec.seed, {spec.device, spec.precision});
}

}  // namespace ropelab
