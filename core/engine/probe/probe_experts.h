#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/engine/parts/experts.h"
#include "core/spec/probe.h"

namespace ropelab {

class ExpertSums {
 public:
    ExpertSums(const RunSpec& spec, const ProbeSequences& sequences);

    /// Its first sequence is `first`. The record has one run.
    void add(const ExpertRecord& record, std::int64_t first);
    /// expert_tokens, expert_shares, expert_balance and expert_dropped.
    void write(ProbeResult& result) const;

 private:
    const RunSpec& spec_;
    const ProbeSequences& sequences_;
    std::map<std::int32_t, std::int64_t> column_of_;  // of each distinct token
    std::vector<double> counts_;                      // layers × experts × tokens: choices
    std::vector<double> balance_;                     // per layer: sum of the loss times the number of choices
    std::vector<double> dropped_;                     // per layer: choices beyond the capacity
    std::vector<double> choices_;                     // per layer
};

}  // namespace ropelab
