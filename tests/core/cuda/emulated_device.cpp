#include "tests/core/cuda/emulated_device.h"

#include <stdexcept>
#include <utility>

namespace ropelab {

namespace {

int replays_so_far = 0;
std::vector<const void*> persistent;

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
        []() -> CUstream_st* { return nullptr; },
        [](const std::function<void()>& work) { work(); },
        []() -> std::unique_ptr<DeviceGraph> { return std::make_unique<Graph>(); },
    };
    return &graphs;
}

void note(std::initializer_list<const void*> memory) {
    persistent.insert(persistent.end(), memory);
}

// Returns emulated kernels that record the addresses of the persistent memory that they use.
const cuda::Kernels* recording_kernels() {
    static const cuda::Kernels& real = *ropelab_cuda_kernels();
    static const cuda::Kernels recording = [] {
        using namespace cuda;
        Kernels table = real;
        table.rotate_qkv = [](const RotateQkv& args, Stream stream) {
            note({args.cosine, args.sine});
            return real.rotate_qkv(args, stream);
        };
        table.residual_norm = [](const ResidualNorm& args, Stream stream) {
            note({args.weight, args.bias, args.dropout.keys, args.dropout.step});
            return real.residual_norm(args, stream);
        };
        table.drop_out = [](const DropOut& args, Stream stream) {
            note({args.dropout.keys, args.dropout.step});
            return real.drop_out(args, stream);
        };
        table.causal_softmax = [](const CausalSoftmax& args, Stream stream) {
            note({args.dropout.keys, args.dropout.step});
            return real.causal_softmax(args, stream);
        };
        table.look_up = [](const LookUp& args, Stream stream) {
            note({args.table});
            return real.look_up(args, stream);
        };
        table.add_rows = [](const AddRows& args, Stream stream) {
            note({args.totals});
            return real.add_rows(args, stream);
        };
        table.square_sums = [](const SquareSums& args, Stream stream) {
            note({args.gradient, args.parts});
            return real.square_sums(args, stream);
        };
        table.prepare_update = [](const PrepareUpdate& args, Stream stream) {
            note({args.parts, args.losses, args.rates, args.step, args.norms, args.settings});
            return real.prepare_update(args, stream);
        };
        table.adamw = [](const AdamW& args, Stream stream) {
            note({args.weights, args.working, args.gradient, args.first_moment, args.second_moment, args.settings});
            return real.adamw(args, stream);
        };
        table.gather_batch = [](const GatherBatch& args, Stream stream) {
            note({args.tokens, args.starts, args.keys, args.step, args.x, args.y});
            return real.gather_batch(args, stream);
        };
        return table;
    }();
    return &recording;
}

}  // namespace

EmulatedDevice::EmulatedDevice(Graphs graphs, DeviceTrust trust) {
    replays_so_far = 0;
    persistent.clear();
    DeviceKernels kernels{recording_kernels(), []() -> cuda::Stream { return nullptr; }, nullptr, trust};
    kernels.graphs = graphs_that(graphs);
    set_device_kernels(torch::kCPU, kernels);
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
    set_device_kernels(torch::kCPU, {});
}

int EmulatedDevice::replays() {
    return replays_so_far;
}

std::vector<const void*> EmulatedDevice::take_lasting_memory() {
    return std::exchange(persistent, {});
}

}  // namespace ropelab
