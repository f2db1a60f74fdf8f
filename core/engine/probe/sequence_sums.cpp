#include "core/engine/probe/sequence_sums.h"

#include <cmath>

namespace ropelab {

namespace {

void accumulate(torch::Tensor& sum, const torch::Tensor& more) {
    sum = sum.defined() ? sum + more : more;
}

}  // namespace

void SequenceSums::add(const torch::Tensor& values) {
    count_ += values.size(0);
    accumulate(sum_, values.sum(0));
    accumulate(squares_, values.square().sum(0));
}

torch::Tensor SequenceSums::standard_error() const {
    if (count_ < 2) return {};
    const auto n = static_cast<double>(count_);
    // Rounding can make the deviation of equal values slightly negative.
    return ((squares_ - sum_.square() / n).clamp_min(0) / (n * (n - 1))).sqrt();
}

void SequenceRatioSums::add(const torch::Tensor& parts, const torch::Tensor& totals) {
    count_ += parts.size(0);
    accumulate(parts_, parts.sum(0));
    accumulate(totals_, totals.sum(0));
    accumulate(part_squares_, parts.square().sum(0));
    accumulate(products_, (parts * totals).sum(0));
    accumulate(total_squares_, totals.square().sum(0));
}

torch::Tensor SequenceRatioSums::standard_error() const {
    if (count_ < 2) return {};
    const auto n = static_cast<double>(count_);
    const torch::Tensor ratio = parts_ / totals_;
    const torch::Tensor squares = part_squares_ - 2 * ratio * products_ + ratio.square() * total_squares_;
    const torch::Tensor error = (squares.clamp_min(0) * (n / (n - 1))).sqrt() / totals_;
    return torch::where(totals_ > 0, error, torch::zeros_like(error));
}

torch::Tensor sums_by_distance(const torch::Tensor& scores) {
    const std::int64_t count = scores.size(0);
    const std::int64_t rows = scores.size(1);
    const std::int64_t keys = scores.size(2);
    const std::int64_t stride = keys + rows - 1;
    const torch::Tensor padded = torch::constant_pad_nd(scores, {0, rows - 1}).contiguous();
    // Each row begins one column earlier than the previous one, so that column Δ has the same distance in all rows.
    return padded.as_strided({count, rows, keys}, {rows * stride, stride - 1, 1}, rows - 1)
        .sum(1, false, torch::kFloat64);
}

}  // namespace ropelab
