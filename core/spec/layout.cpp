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

std::string up_name(const RunSpec& spec, std::int64_t layer) {
    return "layers." + std::to_string(layer) + (spec.has_experts(layer) ? ".mlp.experts" : ".mlp") +
           (spec.gates_feed_forward() ? ".gate_up" : ".up");
}

std::string down_name(const RunSpec& spec, std::int64_t layer) {
    return "layers." + std::to_string(layer) + (spec.has_experts(layer) ? ".mlp.experts" : ".mlp") + ".down";
}

Layout layout_of(const RunSpec& spec, int vocabulary) {
    const std::int64_t C = spec.width;
    const std::int64_t D = spec.head_dim();
    const std::int64_t qkv_rows = (spec.heads + 2 * spec.kv_heads()) * D;
    const std::int64_t H = spec.hidden_width();
    const std::int64_t E = spec.experts;
    const std::int64_t up_rows = spec.up_rows();
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
        add(prefix + ".attention.qkv.weight", {qkv_rows, C}, deviation);
        add(prefix + ".attention.output.weight", {C, C}, residual);
        const std::string up = up_name(spec, layer);
        const std::string down = down_name(spec, layer);
        if (spec.has_experts(layer)) {
            add(prefix + ".mlp.router.weight", {E, C}, spec.router_deviation);
            if (spec.expert_noise) add(prefix + ".mlp.router_noise.weight", {E, C}, spec.router_deviation);
            add(up + ".weight", {E, up_rows, C}, deviation);
            add(down + ".weight", {E, C, H}, residual);
        } else {
            add(up + ".weight", {up_rows, C}, deviation);
            add(down + ".weight", {C, H}, residual);
        }
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
            const bool mixes = spec.has_experts(layer);
            using Shape = std::vector<std::int64_t>;
            add(up_name(spec, layer) + ".bias", mixes ? Shape{E, up_rows} : Shape{up_rows}, 0.0);
            add(down_name(spec, layer) + ".bias", mixes ? Shape{E, C} : Shape{C}, 0.0);
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

std::int64_t inactive_parameters(const RunSpec& spec) {
    if (spec.experts == 0) return 0;
    const std::int64_t H = spec.hidden_width();
    const std::int64_t biases = spec.bias ? spec.up_rows() + spec.width : 0;
    const std::int64_t expert = spec.width * (spec.up_rows() + H) + biases;
    return spec.expert_layers() * (spec.experts - spec.experts_per_token) * expert;
}

}  // namespace ropelab
