#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/engine/probe/probe.h"
#include "core/engine/train/torch_cohort.h"
#include "tests/support/tiny.h"

namespace ropelab {

inline constexpr std::int64_t vocabulary_size = 7;  // of tiny_tokens

/// Returns the settings of a run that learns in a few steps.
inline RunSpec quick_spec() {
    RunSpec spec = tiny_spec();
    spec.learning_rate = 2e-2;
    spec.warmup = 0;
    return spec;
}

/// Returns a run that was trained on tokens for this number of steps.
inline std::unique_ptr<TorchCohort> trained(const RunSpec& spec, const std::vector<std::int32_t>& tokens,
                                            int steps = 15) {
    CohortStart start;
    start.runs = {spec};
    auto cohort = std::make_unique<TorchCohort>(start, TokenData{vocabulary_size, tokens, tokens}, 1);
    for (int i = 0; i < steps; ++i) cohort->step();
    return cohort;
}

/// Returns the sequences of `length` tokens that begin at `starts`, with their next tokens as targets.
inline ProbeSequences sequences_at(const std::vector<std::int32_t>& tokens, std::int64_t length,
                                   const std::vector<std::int64_t>& starts) {
    ProbeSequences sequences;
    sequences.length = length;
    for (const std::int64_t start : starts) {
        const auto first = tokens.begin() + start;
        sequences.tokens.insert(sequences.tokens.end(), first, first + length);
        sequences.targets.insert(sequences.targets.end(), first + 1, first + length + 1);
    }
    return sequences;
}

}  // namespace ropelab
