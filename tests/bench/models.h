#pragma once

#include <cstdint>
#include <vector>

#include "core/contract/engine.h"

namespace ropelab {

/// Returns nanoGPT's documented settings for training on a CPU.
inline RunSpec nanogpt_cpu_spec() {
    RunSpec spec;
    spec.layers = 4;
    spec.heads = 4;
    spec.width = 128;
    spec.context = 64;
    spec.batch = 12;
    spec.precision = Precision::float32;
    return spec;
}

/// Returns the model shape of Huang et al. 2025 with a batch size that is practical on a CPU.
inline RunSpec theta_paper_spec() {
    RunSpec spec;
    spec.layers = 6;
    spec.heads = 6;
    spec.width = 384;
    spec.context = 256;
    spec.batch = 8;
    spec.dropout = 0.2;
    spec.precision = Precision::float32;
    return spec;
}

/// Returns a small model shape; six runs of it make a sweep that is short enough for a lecture.
inline RunSpec small_spec() {
    RunSpec spec;
    spec.layers = 2;
    spec.heads = 2;
    spec.width = 64;
    spec.context = 128;
    spec.batch = 16;
    spec.precision = Precision::float32;
    return spec;
}

/// Returns random tokens from 0 to 64. Speed does not depend on what a model learns.
inline std::vector<std::int32_t> bench_tokens() {
    std::vector<std::int32_t> tokens(100000);
    std::uint32_t state = 1;
    for (std::int32_t& token : tokens) {
        state = state * 1664525U + 1013904223U;
        token = static_cast<std::int32_t>((state >> 16) % 65);
    }
    return tokens;
}

}  // namespace ropelab
