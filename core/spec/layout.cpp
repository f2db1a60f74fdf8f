#include "core/spec/layout.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ropelab {

namespace {

// Initial α of Dynamic Tanh (Zhu et al. 2025).
constexpr double dyt_scale = 0.5;

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

// Returns the names of the norms of a layer.
std::vector<std::string> layer_norm_names(const RunSpec& spec, std::int64_t layer) {
    const std::string prefix = "layers." + std::to_string(layer);
    if (spec.norm_position != NormPosition::sandwich) return {prefix + ".attention_norm", prefix + ".mlp_norm"};
    return {prefix + ".attention_norm", prefix + ".mlp_norm", prefix + ".attention_output_norm",
            prefix + ".mlp_output_norm"};
}

// Returns the names of all norms of the residual stream.
std::vector<std::string> norm_names(const RunSpec& spec) {
    std::vector<std::string> names;
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        for (std::string& name : layer_norm_names(spec, layer)) names.push_back(std::move(name));
    }
    if (spec.norm_position != NormPosition::post) names.emplace_back("final_norm");
    return names;
}

// A matrix of the attention of one layer, without the prefix and suffix of its name. Its rows are those of `parts`
// equal matrices.
struct AttentionMatrix {
    std::string name;
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t parts = 1;
};

// Returns whether a parameter of a layer is a table of learned vectors of distances or positions.
bool embeds_distances(const Parameter& parameter) {
    for (const char* name : {".relative_keys.weight", ".relative_values.weight", ".contextual.weight"}) {
        if (parameter.name.ends_with(name)) return true;
    }
    return false;
}

std::vector<AttentionMatrix> attention_matrices(const RunSpec& spec, std::int64_t layer) {
    const std::int64_t C = spec.width;
    const std::int64_t D = spec.head_dim();
    const std::int64_t rows = spec.heads * D;
    std::vector<AttentionMatrix> result;
    if (spec.layer_attention(layer) == LayerAttention::delta_net) {
        result = {{"qkv", 3 * rows, C}, {"gate", rows, C}, {"rates", 2 * spec.heads, C, 2}};
    } else if (spec.attention == AttentionKind::mla) {
        const std::int64_t L = spec.latent_channels();
        result = {{"query", spec.heads * spec.query_dim(), C},
                  {"latent", L + spec.rotary_head_dim(), C},
                  {"key_value", 2 * rows, L, 2}};
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
    const std::int64_t H = spec.hidden_width();
    const std::int64_t E = spec.experts;
    const std::int64_t up_rows = spec.up_rows();
    const double deviation = 0.02;
    const bool xavier = spec.initialization == Initialization::xavier;
    const double scaled = spec.deepnorm ? std::pow(8.0 * static_cast<double>(spec.layers), -0.25) : 1.0;
    const auto xavier_deviation = [](std::int64_t inputs, std::int64_t outputs) {
        return std::sqrt(2.0 / static_cast<double>(inputs + outputs));
    };
    const double residual = deviation / std::sqrt(2.0 * static_cast<double>(spec.layers));
    const double output_deviation = scaled * (xavier ? xavier_deviation(C, C) : residual);
    const double up_deviation = scaled * (xavier ? xavier_deviation(C, H) : deviation);
    const double down_deviation = scaled * (xavier ? xavier_deviation(H, C) : residual);

    Layout layout;
    const auto add = [&](std::string name, std::vector<std::int64_t> shape, double init) {
        std::int64_t size = 1;
        for (std::int64_t extent : shape) size *= extent;
        layout.parameters.push_back({.name = std::move(name),
                                     .shape = std::move(shape),
                                     .offset = layout.total,
                                     .size = size,
                                     .deviation = init});
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
        const bool has_weights = spec.layer_attention(layer) != LayerAttention::delta_net;
        for (const auto& [name, rows, columns, parts] : attention_matrices(spec, layer)) {
            // Queries, keys and values are matrices (C, C) each, also where heads share keys and values.
            const std::int64_t outputs = name == "qkv" ? C : rows / parts;
            const double init = name == "output" ? output_deviation
                                : xavier         ? xavier_deviation(columns, outputs)
                                                 : deviation;
            add(prefix + ".attention." + name + ".weight", {rows, columns}, init);
            if (spec.deepnorm && (name == "qkv" || name == "key_value")) {
                layout.parameters.back().last_rows = (has_weights ? spec.kv_heads() : spec.heads) * D;
                layout.parameters.back().last_factor = scaled;
            }
        }
        if (has_weights && spec.position == Position::shaw) {
            add(prefix + ".attention.relative_keys.weight", {spec.relative_clip + 1, D}, deviation);
            add(prefix + ".attention.relative_values.weight", {spec.relative_clip + 1, D}, deviation);
        }
        if (has_weights && spec.position == Position::transformer_xl) {
            const std::int64_t rows = spec.kv_heads() * D;
            add(prefix + ".attention.relative.weight", {rows, C}, xavier ? xavier_deviation(C, rows) : deviation);
        }
        if (has_weights && spec.position == Position::cope) {
            add(prefix + ".attention.contextual.weight", {spec.cope_positions, D}, 0.0);
        }
        const std::string up = up_name(spec, layer);
        const std::string down = down_name(spec, layer);
        if (spec.has_experts(layer)) {
            add(prefix + ".mlp.router.weight", {E, C}, spec.router_deviation);
            if (spec.expert_noise) add(prefix + ".mlp.router_noise.weight", {E, C}, spec.router_deviation);
            add(up + ".weight", {E, up_rows, C}, up_deviation);
            add(down + ".weight", {E, C, H}, down_deviation);
        } else {
            add(up + ".weight", {up_rows, C}, up_deviation);
            add(down + ".weight", {C, H}, down_deviation);
        }
    }
    const NormKind kind = spec.norm_kind();
    const bool zero_centred = kind == NormKind::zero_centred_rms;
    if (zero_centred) {
        for (const std::string& name : norm_names(spec)) add(name + ".weight", {C}, 0.0);
    }
    layout.matrices = layout.total;

    const auto add_norm = [&](const std::string& name) {
        if (zero_centred) return;
        add(name + ".weight", {C}, 1.0);
        if (spec.bias && kind != NormKind::rms) add(name + ".bias", {C}, 0.0);
        if (kind == NormKind::dyt) add(name + ".scale", {1}, dyt_scale);
    };
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const std::string prefix = "layers." + std::to_string(layer);
        for (const std::string& norm : layer_norm_names(spec, layer)) add_norm(norm);
        const LayerAttention attention = spec.layer_attention(layer);
        if (attention == LayerAttention::delta_net) {
            add(prefix + ".attention.head_norm.weight", {D}, 1.0);
            add(prefix + ".attention.log_decay", {spec.heads}, 0.0);
            layout.parameters.back().initial = initial_log_decay(spec.heads);
            add(prefix + ".attention.decay_shift", {spec.heads}, std::log(std::expm1(0.01)));
        } else if (spec.attention == AttentionKind::mla) {
            add(prefix + ".attention.latent_norm.weight", {spec.latent_channels()}, 1.0);
        }
        if (attention != LayerAttention::delta_net && spec.attention_sinks)
            add(prefix + ".attention.sinks", {spec.heads}, 0.0);
        if (spec.qk_norm != QkNorm::none && attention != LayerAttention::delta_net) {
            const bool whole = spec.qk_norm == QkNorm::projection;
            add(prefix + ".attention.query_norm.weight", {whole ? spec.heads * D : D}, 1.0);
            add(prefix + ".attention.key_norm.weight", {whole ? spec.kv_heads() * D : D}, 1.0);
        }
        if (spec.bias) {
            for (const auto& [name, rows, columns, parts] : attention_matrices(spec, layer)) {
                if (name != "key_value" && name != "rates") add(prefix + ".attention." + name + ".bias", {rows}, 0.0);
            }
            const bool mixes = spec.has_experts(layer);
            using Shape = std::vector<std::int64_t>;
            add(up_name(spec, layer) + ".bias", mixes ? Shape{E, up_rows} : Shape{up_rows}, 0.0);
            add(down_name(spec, layer) + ".bias", mixes ? Shape{E, C} : Shape{C}, 0.0);
        }
    }
    if (spec.norm_position != NormPosition::post) add_norm("final_norm");
    if (spec.head_bias) add("head.bias", {vocabulary}, 0.0);
    layout.vectors = layout.total - layout.matrices;
    if (spec.theta_varies()) add("rotary.shift", shift_shape(spec), 0.0);
    return layout;
}

bool trains_with_muon(const Layout& layout, const Parameter& parameter) {
    return parameter.name.starts_with("layers.") && parameter.shape.size() > 1 && parameter.offset < layout.matrices &&
           !embeds_distances(parameter);
}

std::int64_t non_embedding_parameters(const RunSpec& spec) {
    const Layout layout = layout_of(spec, 1);
    std::int64_t count = layout.total;
    for (const char* name :
         {"embedding.weight", "positions.weight", "head.weight", "head.bias", "rotary.shift", "distance_bias.weight"}) {
        if (layout.contains(name)) count -= layout.at(name).size;
    }
    for (const Parameter& parameter : layout.parameters) {
        if (embeds_distances(parameter)) count -= parameter.size;
    }
    return count;
}

}  // namespace ropelab
