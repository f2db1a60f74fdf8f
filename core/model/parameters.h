#pragma once

#include <torch/torch.h>

#include <span>
#include <string>
#include <vector>

#include "core/spec/layout.h"
#include "core/spec/named_tensor.h"

namespace ropelab {

/// A matrix as `linear` (core/model/linear.h) takes it.
struct Matrix {
    torch::Tensor weight;   // (runs, out, in) float32, a leaf
    torch::Tensor working;  // the same rounded to bfloat16, without gradients; undefined where no copy is kept
};

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

    /// How the bfloat16 copy of the matrices lies: `rows` as the weights themselves, one row a run, for a kernel that
    /// goes over all rows; `matrices` one matrix after another, each of all runs, as products on the CPU want it. Those
    /// are leaves too: products that read one give it their gradient, in bfloat16, in the parameter's place.
    enum class Working { none, rows, matrices };
    /// Makes the copy that products in bfloat16 read, or drops it. Whoever changes the weights afterwards writes both.
    void keep_working_copy(Working how);
    /// (runs, layout.total) bfloat16 where the copy lies in rows, else undefined.
    const torch::Tensor& working_rows() const { return working_rows_; }
    /// The copy of parameter `index`, (runs, shape…); undefined for vectors, and where there is no copy.
    const torch::Tensor& working(std::size_t index) const { return working_[index]; }
    /// The parameter with its copy.
    Matrix matrix(const std::string& name) const;

 private:
    // Past the last where this model has no such parameter.
    std::size_t index_of(const std::string& name) const;

    Layout layout_;
    torch::Tensor flat_;
    std::vector<torch::Tensor> leaves_;
    torch::Tensor working_rows_;
    std::vector<torch::Tensor> working_;
};

/// One run's fresh weights as a flat row of float32 on the CPU; each tensor's numbers depend on the seed and its name.
torch::Tensor initial_row(const Layout& layout, std::int64_t seed);

/// One flat row as named tensors, `prefix` before each name.
std::vector<NamedTensor> to_named(const Layout& layout, const torch::Tensor& row, const std::string& prefix);
/// The inverse. Throws BadInput where a tensor is missing or has another shape.
torch::Tensor from_named(const Layout& layout, std::span<const NamedTensor> tensors, const std::string& prefix);

}  // namespace ropelab
