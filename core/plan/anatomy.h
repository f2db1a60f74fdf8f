#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/stage.h"
#include "core/plan/stage_times.h"
#include "core/settings/run_spec.h"

namespace ropelab {

// From tokens to logits: shapes, parameters, operations, KV cache and formulas.

struct AnatomySection {
    std::string title;                 // "Layer", "Layers 0–2: gated DeltaNet"; "" outside the layers
    std::vector<std::int64_t> layers;  // indices of the layers with these stages; empty outside the layers
    Stages stages;

    std::int64_t repeats() const { return layers.empty() ? 1 : static_cast<std::int64_t>(layers.size()); }
};

/// Over all stages and layers; nullopt if a stage is unknown.
struct AnatomyTotals {
    std::optional<std::int64_t> parameters;
    std::optional<std::int64_t> active_parameters;      // without those of the experts that a token is not routed to
    std::optional<double> operations;                   // of a forward pass per token
    std::optional<std::int64_t> cache_bytes_per_token;  // of the KV cache
    std::int64_t state_bytes = 0;                       // of the cache of a sequence, whatever its length
    std::optional<double> seconds = {};                 // of a forward pass; nullopt if it was not measured
};

struct AnatomySize {
    std::string symbol;   // "T"
    std::string meaning;  // "tokens"
    std::optional<std::int64_t> value;
};

struct Anatomy {
    std::vector<AnatomySection> sections;
    std::vector<AnatomySize> sizes;
    std::vector<std::string> remarks;  // sentences on what the stages cannot represent
    StageTimes times = {};             // measured times of the stages; empty if they were not measured

    AnatomyTotals totals() const;
    /// Null if there is none; the first of several. "attention.qkv#2" is that of the second section.
    const AnatomyStage* find(const std::string& id) const;
};

/// Equal layers are one section. Throws BadInput as check() does.
Anatomy anatomy_of(const RunSpec& spec, std::int64_t vocabulary);

/// A sliding window or chunked attention: the cache per token does not grow with the whole context.
std::string window_remark(std::int64_t window, bool is_chunked = false);
std::string state_remark(std::int64_t bytes);

/// With layers, heads and width of `spec`: learned positions, LayerNorm with biases, GELU, and a tied head (GPT-2).
RunSpec traditional_model(RunSpec spec);
/// With the layers, heads and width of `spec`: RoPE, a quarter of the key and value heads (or half, or as many, as the
/// heads allow), RMSNorm, SwiGLU, no biases, and a head of its own (Llama).
RunSpec modern_model(RunSpec spec);

}  // namespace ropelab
