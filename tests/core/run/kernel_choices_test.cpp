#include "core/run/kernel_choices.h"

#include <gtest/gtest.h>

#include "core/forecast/time_model.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

class ChoosingEngine : public Engine {
 public:
    EngineInfo info() override {
        EngineInfo result;
        result.version = version;
        return result;
    }
    std::unique_ptr<Cohort> create_cohort(const CohortStart&, const TokenData&) override { return nullptr; }
    std::unique_ptr<Model> create_model(const ModelPlan&, std::span<const NamedTensor>, const Computing&) override {
        return nullptr;
    }
    KernelChoices kernel_choices() override { return choices; }
    void use_kernel_choices(const KernelChoices& known) override { choices = known; }

    std::string version = "2.11";
    KernelChoices choices;
};

TEST(KernelChoicesTest, AreStoredForOneMachineAndVersion) {
    const ScratchFolder scratch;
    use_times_file(scratch / "data" / "times.jsonl");
    ChoosingEngine first;
    first.choices = {{"product a", "LibTorch"}};
    store_kernel_choices(first);
    ChoosingEngine second;
    second.choices = {{"product b", "own kernel"}};
    store_kernel_choices(second);
    load_kernel_choices(second);
    EXPECT_EQ(second.choices, (KernelChoices{{"product a", "LibTorch"}, {"product b", "own kernel"}}));
    EXPECT_EQ(stored_kernel_choices(first.info()), second.choices);

    ChoosingEngine newer;
    newer.version = "2.12";
    newer.choices = {{"product c", "LibTorch"}};
    EXPECT_EQ(stored_kernel_choices(newer.info()), KernelChoices());
    store_kernel_choices(newer);  // replaces those of the other version
    EXPECT_EQ(stored_kernel_choices(first.info()), KernelChoices());
    EXPECT_EQ(stored_kernel_choices(newer.info()), newer.choices);

    for (const char* damaged : {"", "[", "{}", "{\"machine\": 1, \"choices\": [2]}"}) {
        scratch.write("data/kernels.json", damaged);
        EXPECT_EQ(stored_kernel_choices(newer.info()), KernelChoices()) << damaged;
    }
    use_times_file({});
    EXPECT_TRUE(kernel_choices_file().empty());
    store_kernel_choices(newer);  // nowhere
}

}  // namespace
}  // namespace ropelab
