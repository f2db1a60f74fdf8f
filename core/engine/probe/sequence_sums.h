#pragma once

#include <torch/torch.h>

namespace ropelab {

/// A quantity that has one value per sequence, and its squares, in double precision.
class SequenceSums {
 public:
    /// (sequences, …).
    void add(const torch::Tensor& values);
    /// Standard deviation / √n (formula 37); undefined with fewer than 2 sequences.
    torch::Tensor standard_error() const;

 private:
    std::int64_t count_ = 0;
    torch::Tensor sum_, squares_;
};

/// Σ part / Σ total over sequences (linearized: a sequence's part deviates by part − ratio · total).
class SequenceRatioSums {
 public:
    /// parts: (sequences, heads, parts), totals: (sequences, heads, 1).
    void add(const torch::Tensor& parts, const torch::Tensor& totals);
    /// (heads, parts), 0 where the total is not positive; undefined with fewer than 2 sequences.
    torch::Tensor standard_error() const;

 private:
    std::int64_t count_ = 0;
    torch::Tensor parts_, totals_, part_squares_, products_, total_squares_;
};

/// In double precision: (n, rows, keys), newest key first → (n, keys). The last row's newest key is its own, and the
/// newest key of row r is at rows − 1 − r. Hidden scores must be 0.
torch::Tensor sums_by_distance(const torch::Tensor& scores);

}  // namespace ropelab
