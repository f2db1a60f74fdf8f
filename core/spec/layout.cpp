#include "core/spec/layout.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ropelab {

namespace {

// Returns the shape of the parameter "rotary.shift".
std::vector<std::int64_t> shift_shape(const RunSpec& spec) {
    switch (spec.theta_training) {
        case ThetaTraining::fixed:  // theta follows a schedule
        case ThetaTraining::one:
            return {1};
        case ThetaTraining::layer:
            return {spec.layers};
        case ThetaTraining::head:
            return {spec.layers, spec.heads};
        case ThetaTraining::free:
            return {spec.layers, spec.rotary_head_dim() / 2};
    }
    return {};
}

// A matrix of the attention of one layer, without the prefix and suffix of its name.
struct AttentionMatrix {
    std::string name;
    std::int64_t rows;
    std::int64_t columns;
};

std::vector<AttentionMatrix> attention_matrices(const RunSpec& spec, std::int64_t layer) {
    const std::int64_t C = spec.width;
    const std::int64_t D = spec.head_dim();
    const std::int64_t rows = spec.heads * D;
    std::vector<AttentionMatrix> result;
    if (spec.layer_attention(layer) == LayerAttention::delta_net) {
        result = {{"qkv", 3 * rows, C}, {"gate", rows, C}, {"rates", 2 * spec.heads, C}};
    } else if (spec.attention == AttentionKind::mla) {
        const std::int64_t L = spec.latent_channels();
        result = {{"query", spec.heads * spec.query_dim(), C},
                  {"latent", L + spec.rotary_head_dim(), C},
                  {"key_value", 2 * rows, L}};
    } else {
        result = {{"qkv", (spec.heads + 2 * spec.kv_heads()) * D, C}};
        if (spec.attention == AttentionKind::gated) result.push_back({"gate", rows, C});
    }
    result.push_back({"output", C, C});
    return result;
}

std::vector<double> initial_log_decay(std::int64_t heads) {
    constexpr double most = 16.0;
    std::vector<double> result;
    for (std::int64_t head = 0; head < heads; ++head) {
        const double place = heads > 1 ? static_cast<double>(head) / static_cast<double>(heads - 1) : 0.0;
        result.push_back(std::log(1.0 + (most - 1.0) * place));
    }
    return result;
}

}  // namespace

const Parameter& Layout::at(const std::string& name) const {
    const auto found =
        std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == name; });
    if (found == parameters.end()) throw std::out_of_range("There is no parameter " + name + ".");
    return *found;
}

bool Layout::contains(const std::string& name) const {
    return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == name; });
}

Layout layout_of(const RunSpec& spec, int vocabulary) {
    const std::int64_t C = spec.width;
    const std::int64_t D = spec.head_dim();
    const std::int64_t H = spec.hidden_width();
    const bool gated = spec.block == Block::llama;
    const std::string up = gated ? ".mlp.gate_up" : ".mlp.up";
    const std::int64_t up_rows = gated ? 2 * H : H;
    const double deviation = 0.02;
    const double residual = deviation / std::sqrt(2.0 * static_cast<double>(spec.layers));

    Layout layout;
    const auto add = [&](std::string name, std::vector<std::int64_t> shape, double init) {
        std::int64_t size = 1;
        for (std::int64_t extent : shape) size *= extent;
        layout.parameters.push_back({std::move(name), std::move(shape), layout.total, size, init});
        layout.total += size;
    };

    add("embedding.weight", {vocabulary, C}, deviation);
    if (spec.learns_positions()) add("positions.weight", {spec.context, C}, deviation);
    if (!spec.tied_head) add("head.weight", {vocabulary, C}, deviation);
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string prefix = "layers." + std::to_string(layer);
        for (const auto& [name, rows, columns] : attention_matrices(spec, layer)) {
            add(prefix + ".attention." + name + ".weight", {rows, columns}, name == "output" ? residual : deviation);
        }
        add(prefix + up + ".weight", {up_rows, C}, deviation);
        add(prefix + ".mlp.down.weight", {C, H}, residual);
    }
    layout.matrices = layout.total;

    const auto add_norm = [&](const std::string& name) {
        add(name + ".weight", {C}, 1.0);
        if (spec.bias && spec.block != Block::llama) add(name + ".bias", {C}, 0.0);
    };
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string prefix = "layers." + std::to_string(layer);
        add_norm(prefix + ".attention_norm");
        add_norm(prefix + ".mlp_norm");
        const auto kind = spec.layer_attention(layer);
        if (kind == LayerAttention::delta_net) {
            add(prefix + ".attention.head_norm.weight", {D}, 1.0);
            add(prefix + ".attention.log_decay", {spec.heads}, 0.0);
            layout.parameters.back().initial = initial_log_decay(spec.heads);
            add(prefix + ".attention.decay_shift", {spec.heads}, std::log(std::expm1(0.01)));
        } else if (spec.attention == AttentionKind::mla) {
            add(prefix + ".attention.latent_norm.weight", {spec.latent_channels()}, 1.0);
        }
        if (kind != LayerAttention::delta_net && spec.attention_sinks)
            add(prefix + ".attention.sinks", {spec.heads}, 0.0);
        if (spec.qk_norm != QkNorm::none && kind != LayerAttention::delta_net) {
            const bool whole = spec.qk_norm == QkNorm::projection;
            add(prefix + ".attention.query_norm.weight", {whole ? spec.heads * D : D}, 1.0);
            add(prefix + ".attention.key_norm.weight", {whole ? spec.kv_heads() * D : D}, 1.0);
        }
        if (spec.bias) {
            for (const auto& [name, rows, columns] : attention_matrices(spec, layer)) {
                if (name != "key_value" && name != "rates") add(prefix + ".attention." + name + ".bias", {rows}, 0.0);
            }
            add(prefix + up + ".bias", {up_rows}, 0.0);
            add(prefix + ".mlp.down.bias", {C}, 0.0);
        }
    }
    add_norm("final_norm");
    layout.vectors = layout.total - layout.matrices;
    if (spec.theta_varies()) add("rotary.shift", shift_shape(spec), 0.0);
    return layout;
}

std::int64_t non_embedding_parameters(const RunSpec& spec) {
    const Layout layout = layout_of(spec, 1);
    std::int64_t count = layout.total;
    for (const char* name : {"embedding.weight", "positions.weight", "head.weight", "rotary.shift"}) {
        if (layout.contains(name)) count -= layout.at(name).size;
    }
    return count;
}

}  // namespace ropelab
