#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace ropelab {

/// (runs, …) run by run: LibTorch computes functions such as exp for the last numbers of a tensor in another way than
/// for the others, so that the place of a run in a batch would change its last bits.
template <typename F>
torch::Tensor run_by_run(const torch::Tensor& x, F f) {
    if (x.size(0) == 1) return f(x);
    std::vector<torch::Tensor> results;
    for (std::int64_t run = 0; run < x.size(0); ++run) results.push_back(f(x.narrow(0, run, 1)));
    return torch::cat(results, 0);
}

}  // namespace ropelab
