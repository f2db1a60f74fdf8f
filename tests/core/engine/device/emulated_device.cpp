#include "tests/core/engine/device/emulated_device.h"

#include <torch/types.h>

#include <stdexcept>

namespace ropelab {

namespace {

int replays_so_far = 0;

class KeptWork : public DeviceGraph {
 public:
    void capture(const std::function<void()>& work) override { work_ = work; }
    void replay() override {
        ++replays_so_far;
        work_();
    }

 private:
    std::function<void()> work_;
};
class RefusedWork : public DeviceGraph {
 public:
    void capture(const std::function<void()>&) override {
        throw std::runtime_error("operation not permitted when stream is capturing\nand where it was called");
    }
    void replay() override { throw std::logic_error("what was not captured is not replayed"); }
};

class StaleWork : public DeviceGraph {
 public:
    void capture(const std::function<void()>&) override {}
    void replay() override {}
};

template <typename Graph>
const CudaGraphs* graphs_of() {
    static const CudaGraphs graphs = {
        [](const std::function<void()>& work) { work(); },
        []() -> std::unique_ptr<DeviceGraph> { return std::make_unique<Graph>(); },
    };
    return &graphs;
}

}  // namespace

EmulatedDevice::EmulatedDevice(Graphs graphs) {
    replays_so_far = 0;
    use_accelerator({torch::kCPU, graphs_that(graphs)});
}

const CudaGraphs* EmulatedDevice::graphs_that(Graphs how) {
    switch (how) {
        case Graphs::none:
            return nullptr;
        case Graphs::replayed:
            return graphs_of<KeptWork>();
        case Graphs::refused:
            return graphs_of<RefusedWork>();
        case Graphs::stale:
            return graphs_of<StaleWork>();
    }
    return nullptr;
}

EmulatedDevice::~EmulatedDevice() {
    use_accelerator({});
}

int EmulatedDevice::replays() {
    return replays_so_far;
}

}  // namespace ropelab
