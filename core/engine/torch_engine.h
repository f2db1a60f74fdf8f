#pragma once

#include "core/contract/engine.h"

namespace ropelab {

/// Includes no torch header; tests that link the engine use it directly.
class TorchEngine : public Engine {
 public:
    TorchEngine();
    EngineInfo info() override;
    std::unique_ptr<Cohort> create_cohort(const CohortStart& start, const TokenData& data) override;
    std::unique_ptr<Model> create_model(const ModelPlan& plan, std::span<const NamedTensor> tensors,
                                        const Computing& computing) override;
    std::unique_ptr<Model> load_model(const ModelPlan& plan, const WeightReader& read,
                                      const Computing& computing) override;
    std::unique_ptr<Model> create_untrained_model(const ModelPlan& plan, std::int64_t seed,
                                                  const Computing& computing) override;
    void check_device(const std::function<void(const DeviceCheck&)>& publish) override;
    void trust_device(const DeviceTrust& trust) override;
    KernelChoices kernel_choices() override;
    void use_kernel_choices(const KernelChoices& choices) override;
    std::optional<std::int64_t> count_operations(const std::function<void()>& work) override;

 private:
    std::int64_t default_threads_;
    DeviceTrust trust_;
};

}  // namespace ropelab

/// The program looks it up in the engine library. The engine lives until the program ends.
extern "C" ropelab::Engine* ropelab_engine();
