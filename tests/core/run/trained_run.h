#pragma once

#include <gtest/gtest.h>

#include "core/engine/torch_engine.h"
#include "core/run/checkpoint.h"
#include "core/run/runner.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/tiny.h"

namespace ropelab {

/// A small run that is trained once for all tests of a suite, with its checkpoint.
class TrainedRunTest : public testing::Test {
 protected:
    static void SetUpTestSuite() {
        folder_ = new ScratchFolder;
        engine_ = new TorchEngine;
        RunSpec spec = tiny_spec();
        spec.data = folder_->write("text.txt", small_text(8000)).string();
        spec.iterations = 120;
        spec.evaluate_every = 60;
        spec.learning_rate = 1e-2;
        spec.final_learning_rate = 1e-3;
        spec.probe_every = 0;
        Runner runner([]() -> Engine& { return *engine_; }, [](const Event&) {});
        runner.start({{{1, spec, path(), false, std::nullopt}}, {}, {}, {}, {}});
        runner.join();
        ASSERT_TRUE(std::filesystem::exists(path()));
    }
    static void TearDownTestSuite() {
        delete engine_;
        delete folder_;
    }

    static std::filesystem::path path() { return *folder_ / "run-1.safetensors"; }
    static Checkpoint checkpoint() { return read_checkpoint(path()).value(); }

    inline static ScratchFolder* folder_ = nullptr;
    inline static TorchEngine* engine_ = nullptr;
};

}  // namespace ropelab
