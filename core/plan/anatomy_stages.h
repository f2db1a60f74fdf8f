#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/plan/anatomy.h"
#include "core/spec/layout.h"

// Parts of anatomy_of() (core/plan/anatomy.h): the builder of a section, and the stages of attention and of
// feed-forward networks.

namespace ropelab::stages {

inline constexpr int cached_number_bytes = 4;

inline double real(std::int64_t count) {
    return static_cast<double>(count);
}

inline std::string layer_prefix(std::int64_t layer) {
    return "layers." + std::to_string(layer) + ".";
}

/// Builds the stages of one section from a run's layout. Every parameter of the section belongs to one stage.
class SectionBuilder {
 public:
    // The parameters with this prefix, such as "layers.0.", are those of the section; "" for those outside the layers.
    SectionBuilder(const Layout& layout, std::string prefix) : layout_(layout), prefix_(std::move(prefix)) {
        for (const Parameter& parameter : layout.parameters) {
            const bool in_layer = parameter.name.starts_with("layers.");
            if (prefix_.empty() ? !in_layer : parameter.name.starts_with(prefix_)) {
                unclaimed_.push_back(parameter.name.substr(prefix_.size()));
            }
        }
    }

    // Adds a stage. Of the tensors, those that the model has are its parameters; a product with each matrix counts as
    // operations.
    AnatomyStage& add(AnatomyStage stage, const std::vector<std::string>& tensors = {}, bool multiplies = true) {
        for (const std::string& name : tensors) {
            if (!layout_.contains(prefix_ + name)) continue;
            const Parameter& parameter = layout_.at(prefix_ + name);
            *stage.parameters += parameter.size;
            if (multiplies && parameter.shape.size() > 1) *stage.operations += 2.0 * real(parameter.size);
            stage.tensors.push_back(name);
            std::erase(unclaimed_, name);
        }
        return stages_.emplace_back(std::move(stage));
    }

    // Returns the stages. Parameters that none of them claimed are a stage of their own, so that the sums are complete.
    std::vector<AnatomyStage> finish() {
        if (!unclaimed_.empty()) {
            const std::vector<std::string> rest = unclaimed_;
            add({.id = "other", .name = "Other parameters"}, rest);
        }
        return std::move(stages_);
    }

    // Leaves parameters to another section with the same prefix.
    void leave(const std::string& name) { std::erase(unclaimed_, name); }

 private:
    const Layout& layout_;
    std::string prefix_;
    std::vector<std::string> unclaimed_;
    std::vector<AnatomyStage> stages_;
};

/// The sizes that the shapes of stages consist of.
struct ShapeNumbers {
    explicit ShapeNumbers(const RunSpec& spec, std::int64_t vocabulary)
        : B(spec.batch),
          T(spec.context),
          C(spec.width),
          h(spec.heads),
          kv(spec.kv_heads()),
          D(spec.head_dim()),
          H(spec.hidden_width()),
          V(vocabulary),
          L(spec.latent_channels()),
          R(spec.rotary_head_dim()),
          E(spec.experts),
          k(spec.experts_per_token),
          M(spec.position == Position::shaw   ? spec.relative_clip + 1
            : spec.position == Position::cope ? spec.cope_positions
                                              : spec.distance_buckets) {}
    std::int64_t B, T, C, h, kv, D, H, V, L, R, E, k;
    std::int64_t M;  // learned vectors or numbers of distances or positions
};

/// One layer whose stages are listed.
struct LayerPlace {
    std::int64_t index;
    LayerAttention attention;
    bool has_experts;

    bool equals(const LayerPlace& other) const {
        return attention == other.attention && has_experts == other.has_experts;
    }
};

/// Returns the symbol of a branch's input: the normalized residual stream, or with norms after the branches the stream.
inline std::string branch_input(const RunSpec& spec) {
    return spec.norm_position == NormPosition::post ? "X" : "H";
}

/// Returns "name = input·matrix^⊤", with a bias if the model has biases.
inline std::string product_formula(const RunSpec& spec, const std::string& name, const std::string& input,
                                   const std::string& index, bool can_have_bias = true) {
    std::string formula = name;
    formula += " = ";
    formula += input;
    formula += "·W_" + index + "^⊤";
    if (spec.bias && can_have_bias) formula += " + b_" + index;
    return formula;
}

/// Adds the stages of a layer with softmax attention, after its norm, up to the attention output.
void add_softmax_attention(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n,
                           const LayerPlace& layer);
/// Adds the stages of a gated DeltaNet layer.
void add_delta_net(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n);
/// Adds the stages of a dense feed-forward network.
void add_feed_forward(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n);
/// Adds the stages of a mixture of experts.
void add_experts(SectionBuilder& section, const RunSpec& spec, const ShapeNumbers& n);

}  // namespace ropelab::stages
