#include "core/engine/device/repeated_work.h"

#include <exception>

namespace ropelab {

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
