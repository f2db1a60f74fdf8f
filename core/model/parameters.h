#pragma once

#include <torch/torch.h>

#include <span>
#include <string>
#include <vector>

#include "core/model/layout.h"
#include "core/spec/named_tensor.h"

namespace ropelab {

/// The weights of a cohort: one flat row a run, and views of it as parameters with a leading runs dimension. What works
/// on all weights at once (optimizer, gradient norm, copies) takes the rows; the decoder takes the views.
class Parameters {
 public:
    /// flat: (runs, layout.total), float32.
    Parameters(Layout layout, torch::Tensor flat);

    const Layout& layout() const { return layout_; }
    const torch::Tensor& flat() const { return flat_; }
    std::int64_t runs() const { return flat_.size(0); }

    /// (runs, shape…), a leaf that requires gradients; undefined for a parameter that this model does not have.
    torch::Tensor get(const std::string& name) const;
    /// All leaves in the layout's order.
    const std::vector<torch::Tensor>& leaves() const { return leaves_; }

 private:
    Layout layout_;
    torch::Tensor flat_;
    std::vector<torch::Tensor> leaves_;
};

/// One run's fresh weights as a flat row of float32 on the CPU; each tensor's numbers depend on the seed and its name.
torch::Tensor initial_row(const Layout& layout, std::int64_t seed);

/// One flat row as named tensors, `prefix` before each name.
std::vector<NamedTensor> to_named(const Layout& layout, const torch::Tensor& row, const std::string& prefix);
/// The inverse. Throws BadInput where a tensor is missing or has another shape.
torch::Tensor from_named(const Layout& layout, std::span<const NamedTensor> tensors, const std::string& prefix);

}  // namespace ropelab
