#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/spec/run_spec.h"
#include "core/spec/stage_times.h"

namespace ropelab {

// The stages of a model from tokens to logits: shapes, parameters, operations, KV cache and formulas.

/// One stage of a model: an operation and its output. The numbers are those of one layer if the stage is part of a
/// layer; nullopt means that the source of the model does not define them.
struct AnatomyStage {
    std::string id;                        // "attention.scores", unique in its section
    std::string name;                      // "Attention scores"
    std::string kind = {};                 // variant: "RMSNorm"; "" if there is only one
    std::string symbols = {};              // shape of the output: "(B, h, T, T)"
    std::vector<std::int64_t> shape = {};  // the same in numbers; empty if one of them is unknown
    std::optional<std::int64_t> parameters = 0;
    std::int64_t inactive_parameters = 0;  // of these, those of the experts that a token is not routed to
    /// Floating-point operations of a forward pass per token: 2·m·n·k for a product of an m × k and a k × n matrix.
    /// Attention counts the keys that the causal mask and a sliding window leave. Norms, softmax, activation functions,
    /// rotations and sums are not counted.
    std::optional<double> operations = 0;
    std::optional<std::int64_t> cache_bytes = 0;  // bytes of the KV cache per token
    std::int64_t state_bytes = 0;                 // bytes of the cache of a sequence, whatever its length
    std::string formula = {};                     // "A = softmax(S)"; "_" begins an index, "^" an exponent
    std::vector<std::string> settings = {};       // names of the settings that change the stage
    std::vector<std::string> tensors = {};        // its parameters as in Layout; in layers without "layers.N."
    /// Measured seconds of a forward pass (add_times); nullopt if they were not measured, or if the engine computes the
    /// stage together with others.
    std::optional<double> seconds = {};
    std::vector<std::string> within = {};  // names of the stages whose time contains that of this stage

    /// Returns the name with the variant: "Norm before attention: RMSNorm".
    std::string title() const { return kind.empty() ? name : name + ": " + kind; }
    /// Returns the number of parameters that process a token.
    std::optional<std::int64_t> active_parameters() const {
        return parameters ? std::optional(*parameters - inactive_parameters) : std::nullopt;
    }
    /// Returns the shape in numbers: "16 × 128 × 64"; "unknown" if the numbers are not known.
    std::string shape_text() const;
};

/// Stages that follow each other: those before the layers, those of equal layers, or those after the layers.
struct AnatomySection {
    std::string title;                 // "Layer", "Layers 0–2: gated DeltaNet"; "" outside the layers
    std::vector<std::int64_t> layers;  // indices of the layers with these stages; empty outside the layers
    std::vector<AnatomyStage> stages;

    /// Returns how often the stages are repeated: the number of layers, or 1.
    std::int64_t repeats() const { return layers.empty() ? 1 : static_cast<std::int64_t>(layers.size()); }
};

/// Sums over all stages and layers; nullopt if a stage is unknown.
struct AnatomyTotals {
    std::optional<std::int64_t> parameters;
    std::optional<std::int64_t> active_parameters;  // without those of the experts that a token is not routed to
    std::optional<double> operations;               // of a forward pass per token
    std::optional<std::int64_t> cache_bytes;        // of the KV cache per token
    std::int64_t state_bytes = 0;                   // of the cache of a sequence, whatever its length
    std::optional<double> seconds = {};             // of a forward pass; nullopt if it was not measured
};

/// Symbol of a shape with its meaning and number.
struct AnatomySize {
    std::string symbol;   // "T"
    std::string meaning;  // "tokens"
    std::optional<std::int64_t> value;
};

/// A model as a list of its stages.
struct Anatomy {
    std::vector<AnatomySection> sections;
    std::vector<AnatomySize> sizes;
    std::vector<std::string> remarks;  // sentences on what the stages cannot represent
    StageTimes times = {};             // measured times of the stages; empty if they were not measured

    AnatomyTotals totals() const;
    /// Returns the stage with this id, or null if there is none. If several sections have it, it is that of the first
    /// one; "attention.qkv#2" is that of the second one.
    const AnatomyStage* find(const std::string& id) const;
};

/// Returns the stages of a run's model; layers with the same kind of attention, with or without experts, are one
/// section. Parameters are those of layout_of, operations those of forward_operations, and the KV cache is that of
/// cache_bytes (float32). Throws BadInput as check() does.
Anatomy anatomy_of(const RunSpec& spec, std::int64_t vocabulary);

/// Returns the settings of a traditional decoder with the layers, heads and width of `spec`: learned positions, all
/// heads with their own keys and values, LayerNorm with biases, GELU, and a tied head (GPT-2).
RunSpec traditional_model(RunSpec spec);
/// Returns the settings of a modern decoder with the layers, heads and width of `spec`: RoPE, a quarter of the key and
/// value heads (or half, or as many, as the heads allow), RMSNorm, SwiGLU, no biases, and a head of its own (Llama).
RunSpec modern_model(RunSpec spec);

}  // namespace ropelab
