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
            return {spec.layers, spec.head_dim() / 2};
    }
    return {};
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
    const std::int64_t qkv_rows = (spec.heads + 2 * spec.kv_heads()) * D;
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
    if (spec.has_distance_bias()) add("distance_bias.weight", {spec.heads, spec.distance_buckets}, deviation);
    if (spec.position == Position::transformer_xl) {
        add("content_bias.weight", {spec.heads, D}, deviation);
        add("distance_query.weight", {spec.heads, D}, deviation);
    }
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string prefix = "layers." + std::to_string(layer);
        add(prefix + ".attention.qkv.weight", {qkv_rows, C}, deviation);
        add(prefix + ".attention.output.weight", {C, C}, residual);
        if (spec.position == Position::shaw) {
            add(prefix + ".attention.relative_keys.weight", {spec.relative_clip + 1, D}, deviation);
            add(prefix + ".attention.relative_values.weight", {spec.relative_clip + 1, D}, deviation);
        }
        if (spec.position == Position::transformer_xl) {
            add(prefix + ".attention.relative.weight", {spec.kv_heads() * D, C}, deviation);
        }
        if (spec.position == Position::cope) {
            add(prefix + ".attention.contextual.weight", {spec.cope_positions, D}, 0.0);
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
        if (spec.qk_norm != QkNorm::none) {
            const bool whole = spec.qk_norm == QkNorm::projection;
            add(prefix + ".attention.query_norm.weight", {whole ? spec.heads * D : D}, 1.0);
            add(prefix + ".attention.key_norm.weight", {whole ? spec.kv_heads() * D : D}, 1.0);
        }
        if (spec.bias) {
            add(prefix + ".attention.qkv.bias", {qkv_rows}, 0.0);
            add(prefix + ".attention.output.bias", {C}, 0.0);
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
    for (const char* name :
         {"embedding.weight", "positions.weight", "head.weight", "rotary.shift", "distance_bias.weight"}) {
        if (layout.contains(name)) count -= layout.at(name).size;
    }
    for (const Parameter& parameter : layout.parameters) {
        for (const char* name : {".relative_keys.weight", ".relative_values.weight", ".contextual.weight"}) {
            if (parameter.name.ends_with(name)) count -= parameter.size;
        }
    }
    return count;
}

}  // namespace ropelab
