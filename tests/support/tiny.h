#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "core/contract/engine.h"

namespace ropelab {

/// Returns the settings of a run that trains in milliseconds.
inline RunSpec tiny_spec() {
    RunSpec spec;
    spec.layers = 2;
    spec.heads = 2;
    spec.width = 16;
    spec.context = 16;
    spec.batch = 4;
    spec.iterations = 20;
    spec.warmup = 2;
    spec.evaluate_every = 10;
    spec.evaluation_batches = 2;
    spec.sample_length = 8;
    spec.precision = Precision::float32;
    spec.threads = 2;
    return spec;
}

/// Returns tokens 0 … 6 in a repeating pattern with noise, from which a model can learn.
inline std::vector<std::int32_t> tiny_tokens(std::size_t count = 1000) {
    std::mt19937 generator(11);
    std::vector<std::int32_t> tokens(count);
    for (std::size_t i = 0; i < count; ++i) {
        tokens[i] = static_cast<std::int32_t>(generator() % 5 == 0 ? generator() % 7 : (i * 3) % 7);
    }
    return tokens;
}

}  // namespace ropelab
