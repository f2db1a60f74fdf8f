#pragma once

#include <torch/torch.h>

namespace ropelab {

/// Sums over sequences of a quantity that has one value per sequence, and of its squares, in double precision.
class SequenceSums {
 public:
    /// Adds the values of a batch, (sequences, …).
    void add(const torch::Tensor& values);
    /// Returns the standard error of the mean over the sequences, standard deviation / √n (formula 37); undefined with
    /// fewer than 2 sequences.
    torch::Tensor standard_error() const;

 private:
    std::int64_t count_ = 0;
    torch::Tensor sum_, squares_;
};

/// Sums for the standard error of a ratio Σ part / Σ total over sequences (linearized: the part of a sequence deviates
/// by part − ratio · total).
class SequenceRatioSums {
 public:
    /// Adds the values of a batch: parts, (sequences, heads, parts), and totals, (sequences, heads, 1).
    void add(const torch::Tensor& parts, const torch::Tensor& totals);
    /// Returns the standard errors of the ratios, (heads, parts), 0 where the total is not positive; undefined with
    /// fewer than 2 sequences.
    torch::Tensor standard_error() const;

 private:
    std::int64_t count_ = 0;
    torch::Tensor parts_, totals_, part_squares_, products_, total_squares_;
};

/// Returns the sums of scores by distance in double precision, (n, keys). scores: (n, rows, keys), with the newest key
/// first: the last row's newest key is its own, and the newest key of row r is at rows − 1 − r. Hidden scores must be
/// 0.
torch::Tensor sums_by_distance(const torch::Tensor& scores);

}  // namespace ropelab
