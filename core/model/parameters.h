#pragma once

#include <torch/torch.h>

#include <span>
#include <string>
#include <vector>

#include "core/plan/layout.h"
#include "core/spec/named_tensor.h"

namespace ropelab {

/// Matrix argument of `linear` (core/model/linear.h).
struct Matrix {
    torch::Tensor weight;   // (runs, out, in) float32, a leaf
    torch::Tensor working;  // the weight rounded to bfloat16, without gradients; undefined if there is no copy
};

/// Weights of a cohort: one flat row per run, and views of it as parameters with a leading runs dimension. Operations
/// on all weights (optimizer, gradient norm, copies) use the rows; the decoder uses the views.
class Parameters {
 public:
    /// Creates the parameters from flat, (runs, layout.total) float32.
    Parameters(Layout layout, torch::Tensor flat);

    const Layout& layout() const { return layout_; }
    /// Returns the weights as one row per run, (runs, layout.total) float32.
    const torch::Tensor& flat() const { return flat_; }
    std::int64_t runs() const { return flat_.size(0); }

    /// Returns a parameter, (runs, shape…), a leaf that requires gradients; undefined if the model does not have it.
    torch::Tensor get(const std::string& name) const;
    /// Returns all leaves in the order of the layout.
    const std::vector<torch::Tensor>& leaves() const { return leaves_; }

    /// Creates or removes the bfloat16 working copy of the matrices, one matrix after another, each for all runs. Its
    /// matrices are leaves too and receive the gradient, in bfloat16, instead of the parameter. While there is a copy,
    /// code that changes the weights must update the copy too.
    void set_working_copy(bool copied);
    /// Returns the working copy of parameter `index`, (runs, shape…); undefined for vectors and without a copy.
    const torch::Tensor& working(std::size_t index) const { return working_[index]; }
    /// Returns a parameter with its working copy.
    Matrix matrix(const std::string& name) const;

 private:
    // Returns the index of a parameter; the number of parameters if the model does not have it.
    std::size_t index_of(const std::string& name) const;

    Layout layout_;
    torch::Tensor flat_;
    std::vector<torch::Tensor> leaves_;
    std::vector<torch::Tensor> working_;
};

/// Returns one run's initial weights as a flat float32 row on the CPU. Each tensor's numbers depend on the seed and the
/// tensor's name.
torch::Tensor initial_row(const Layout& layout, std::int64_t seed);

/// Returns one flat row as named tensors, with `prefix` before each name.
std::vector<NamedTensor> to_named(const Layout& layout, const torch::Tensor& row, const std::string& prefix);
/// Returns the flat row of named tensors that to_named created. Throws BadInput if a tensor is missing or has another
/// shape.
torch::Tensor from_named(const Layout& layout, std::span<const NamedTensor> tensors, const std::string& prefix);

}  // namespace ropelab
