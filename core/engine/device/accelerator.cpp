#include "core/engine/device/accelerator.h"

#include <exception>

namespace ropelab {

namespace {
Accelerator current_accelerator;
}

void use_accelerator(const Accelerator& accelerator) {
    current_accelerator = accelerator;
}

bool is_accelerated(const c10::Device& device) {
    return device.type() == current_accelerator.type;
}

const CudaGraphs* graphs_on(const c10::Device& device) {
    return is_accelerated(device) ? current_accelerator.graphs : nullptr;
}

void RepeatedWork::operator()(const std::function<void()>& work) {
    if (graph_) return graph_->replay();
    if (!graphs_ || times_ < warm_up) {
        ++times_;
        return work();
    }
    try {
        auto graph = graphs_->make();
        graph->capture(work);
        graph_ = std::move(graph);
    } catch (const std::exception& error) {
        // Only the first line is kept; LibTorch appends a stack trace.
        const std::string text = error.what();
        failure_ = text.substr(0, text.find('\n'));
        graphs_ = nullptr;
        return work();
    }
    graph_->replay();
}

}  // namespace ropelab
