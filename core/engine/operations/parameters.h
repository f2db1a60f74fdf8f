#pragma once

#include <torch/torch.h>

#include <span>
#include <string>
#include <vector>

#include "core/contract/named_tensor.h"
#include "core/plan/layout.h"
#include "core/settings/run_spec.h"

namespace ropelab {

struct Matrix {
    torch::Tensor weight;   // (runs, out, in) float32, a leaf; undefined if only the rounded one is in memory
    torch::Tensor working;  // the weight rounded to bfloat16, without gradients; undefined if there is no copy
    torch::Tensor scales;   // (runs, out) float32, if `working` has the bytes of int8 rows (core/kernels); or undefined

    /// The weight, or the rounded one in float32 or bfloat16, for `rows` (int64) of the only run or for all of them.
    torch::Tensor numbers(const torch::Tensor& rows = {}) const;
};

/// Evaluations compute at least as many rows at a time, so that products of one shape repeat.
constexpr std::int64_t rows_of_evaluations = 1024;

/// x·weightᵀ + bias for each run, in float32 (with int8 rows too) or with both factors rounded to bfloat16 (a matrix to
/// its working copy if it has one). x: (runs, n, in), matrix: (runs, out, in), bias: (runs, out) or undefined → (runs,
/// n, out) in the type of x; on the CPU, with a bias, in float32. The gradient goes to the working copy if that is a
/// leaf, else to the weight. A run's numbers do not depend on other runs of the cohort.
torch::Tensor linear(const torch::Tensor& x, const Matrix& matrix, const torch::Tensor& bias, Precision precision);

/// One flat row per run (for optimizer and copies), and views as parameters with a leading runs dimension (decoder).
class Parameters {
 public:
    /// (runs, layout.total) float32. With `rounded`, (runs, first numbers of the layout) bfloat16, or bytes of int8
    /// rows with `scales`, (runs, their rows) float32, `flat` has the numbers after them, and nothing can be trained.
    Parameters(Layout layout, torch::Tensor flat, const torch::Tensor& rounded = {}, const torch::Tensor& scales = {});

    const Layout& layout() const { return layout_; }
    /// (runs, layout.total) float32, without those that are rounded.
    const torch::Tensor& flat() const { return flat_; }
    std::int64_t runs() const { return flat_.size(0); }
    /// The rows of some runs, as views: whatever changes here or there changes in both.
    Parameters part(std::int64_t first, std::int64_t count) const;

    /// (runs, shape…) float32; undefined if the model does not have it. A leaf that requires gradients, or a copy of a
    /// rounded one.
    torch::Tensor get(const std::string& name) const;
    /// In the order of the layout. The rounded ones are undefined.
    const std::vector<torch::Tensor>& leaves() const { return leaves_; }

    /// The bfloat16 working copy of the matrices, one after another, each for all runs. Its matrices are leaves too and
    /// receive the gradient, in bfloat16, instead of the parameter. Code that changes the weights must update it too.
    void set_working_copy(bool copied);
    /// (runs, shape…); undefined for vectors and without a copy.
    const torch::Tensor& working(std::size_t index) const { return working_[index]; }
    Matrix matrix(const std::string& name) const;
    /// Product of x, (runs, n, in), with the matrix `name`.weight, and its bias if it has one: (runs, n, out).
    torch::Tensor linear(const torch::Tensor& x, const std::string& name, Precision precision) const {
        return ropelab::linear(x, matrix(name + ".weight"), get(name + ".bias"), precision);
    }

 private:
    // The number of parameters if the model does not have it.
    std::size_t index_of(const std::string& name) const;

    Layout layout_;
    torch::Tensor flat_;
    std::vector<torch::Tensor> leaves_;
    std::vector<torch::Tensor> working_;
    std::vector<torch::Tensor> scales_;
};

/// How many of the layout's first numbers are those of matrices.
std::int64_t numbers_of_matrices(const Layout& layout);

/// Flat, float32, on the CPU. Each tensor's numbers depend on the seed and the tensor's name.
torch::Tensor initial_row(const Layout& layout, std::int64_t seed);

std::vector<NamedTensor> to_named(const Layout& layout, const torch::Tensor& row, const std::string& prefix);
/// Reverses to_named. Throws BadInput if a tensor is missing or has another shape.
torch::Tensor from_named(const Layout& layout, std::span<const NamedTensor> tensors, const std::string& prefix);

}  // namespace ropelab
