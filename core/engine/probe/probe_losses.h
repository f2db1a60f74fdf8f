#pragma once

#include <torch/torch.h>

#include <map>
#include <vector>

#include "core/spec/probe.h"

namespace ropelab {

/// (sequences, length). Targets of −1 have loss 0.
struct BatchResult {
    std::int64_t first = 0;  // index of the first sequence
    std::int64_t sequences = 0;
    torch::Tensor losses;   // float64, on the CPU
    torch::Tensor correct;  // bool, on the CPU
};

class LossSums {
 public:
    /// `keeps_sequences`: whether to keep the losses of each sequence.
    LossSums(const ProbeSequences& sequences, bool keeps_sequences);
    /// Batches must come in the order of the sequences.
    void add(const BatchResult& batch);
    /// Means, their standard errors and, if they were kept, the losses of each sequence.
    void write(ProbeResult& result) const;

 private:
    const ProbeSequences& sequences_;
    bool keeps_sequences_;
    torch::Tensor by_position_, squares_;        // (length) float64
    double mean_sum_ = 0, mean_square_sum_ = 0;  // of the mean losses of the sequences
    std::vector<float> kept_;                    // (sequences, length)
};

class RetrievalSums {
 public:
    explicit RetrievalSums(const RetrievalTest& test) : test_(test) {}
    void add(const BatchResult& batch);
    std::vector<RetrievalPoint> points() const;

 private:
    struct Lag {
        RetrievalPoint sums;     // sums over tokens; the error members are sums of the squares of the sequences' means
        std::int64_t count = 0;  // number of sequences
    };
    const RetrievalTest& test_;
    std::map<std::int64_t, Lag> lags_;
};

}  // namespace ropelab
