#include "core/engine/probe/probe_losses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ropelab {

namespace {

/// Standard deviation / √n from the sum of squares; 0 if n < 2.
double standard_error(double mean, double squares, std::int64_t count) {
    if (count < 2) return 0;
    const auto n = static_cast<double>(count);
    return std::sqrt(std::max(0.0, squares - n * mean * mean) / (n * (n - 1)));
}

}  // namespace

LossSums::LossSums(const ProbeSequences& sequences, bool keeps_sequences)
    : sequences_(sequences),
      keeps_sequences_(keeps_sequences),
      by_position_(torch::zeros({sequences.length}, torch::kFloat64)),
      squares_(torch::zeros({sequences.length}, torch::kFloat64)) {}

void LossSums::add(const BatchResult& batch) {
    by_position_ += batch.losses.sum(0);
    squares_ += batch.losses.square().sum(0);
    const torch::Tensor means = batch.losses.mean(1);
    mean_sum_ += means.sum().item<double>();
    mean_square_sum_ += means.square().sum().item<double>();
    if (!keeps_sequences_) return;
    const torch::Tensor rows = batch.losses.contiguous();
    const std::int64_t first = batch.first * sequences_.length;
    for (std::int64_t i = 0; i < rows.numel(); ++i) {
        const bool known = sequences_.targets[static_cast<std::size_t>(first + i)] >= 0;
        kept_.push_back(known ? static_cast<float>(rows.data_ptr<double>()[i])
                              : std::numeric_limits<float>::quiet_NaN());
    }
}

void LossSums::write(ProbeResult& result) const {
    std::vector<std::int64_t> known(static_cast<std::size_t>(sequences_.length), 0);
    for (std::size_t i = 0; i < sequences_.targets.size(); ++i) {
        if (sequences_.targets[i] >= 0) ++known[i % known.size()];
    }
    double total = 0;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < known.size(); ++i) {
        const double sum = by_position_[static_cast<std::int64_t>(i)].item<double>();
        total += sum;
        all += known[i];
        result.loss_by_position.push_back(sum / static_cast<double>(known[i]));  // NaN without a known target
    }
    result.loss = total / static_cast<double>(all);
    if (all == 0) result.loss_by_position.clear();
    if (keeps_sequences_) result.sequence_losses = {{sequences_.count(), sequences_.length}, kept_};

    const std::int64_t count = sequences_.count();
    if (count < 2 || all != count * sequences_.length) return;
    for (std::size_t i = 0; i < known.size(); ++i) {
        const double squares = squares_[static_cast<std::int64_t>(i)].item<double>();
        result.loss_by_position_error.push_back(standard_error(result.loss_by_position[i], squares, count));
    }
    result.loss_error = standard_error(mean_sum_ / static_cast<double>(count), mean_square_sum_, count);
}

void RetrievalSums::add(const BatchResult& batch) {
    for (std::int64_t sequence = 0; sequence < batch.sequences; ++sequence) {
        const std::int64_t lag = test_.lags[static_cast<std::size_t>(batch.first + sequence)];
        auto& [point, count] = lags_[lag];
        point.lag = lag;
        point.tokens += test_.marked;
        ++count;
        const std::int64_t copy = test_.sequences.length - test_.marked;
        const auto sum = [&](const torch::Tensor& x, std::int64_t begin, double& sums, double& squares) {
            const double more = x[sequence].narrow(0, begin, test_.marked).sum().item<double>();
            const double mean = more / static_cast<double>(test_.marked);
            sums += more;
            squares += mean * mean;
            return mean;
        };
        const double copied = sum(batch.correct, copy, point.accuracy, point.accuracy_error);
        sum(batch.losses, copy, point.loss, point.loss_error);
        const double first = sum(batch.correct, copy - lag, point.first_accuracy, point.first_accuracy_error);
        sum(batch.losses, copy - lag, point.first_loss, point.first_loss_error);
        point.gain_error += (copied - first) * (copied - first);
    }
}

std::vector<RetrievalPoint> RetrievalSums::points() const {
    std::vector<RetrievalPoint> result;
    for (const auto& [lag, sums] : lags_) {
        RetrievalPoint point = sums.sums;
        point.sequences = sums.count;
        const auto tokens = static_cast<double>(point.tokens);
        for (const auto& [mean, error] :
             {std::pair(&point.accuracy, &point.accuracy_error), std::pair(&point.loss, &point.loss_error),
              std::pair(&point.first_accuracy, &point.first_accuracy_error),
              std::pair(&point.first_loss, &point.first_loss_error)}) {
            *mean /= tokens;
            *error = standard_error(*mean, *error, sums.count);
        }
        point.gain_error = standard_error(point.gain(), point.gain_error, sums.count);
        result.push_back(point);
    }
    return result;
}

}  // namespace ropelab
