#include "core/plan/kernels.h"

#include <algorithm>

namespace ropelab {

namespace {

template <typename Predicate>
bool all_layers(const ModelPlan& plan, Predicate predicate) {
    return std::all_of(plan.layers.begin(), plan.layers.end(), predicate);
}

template <typename Predicate>
bool all_layers(const RunSpec& spec, Predicate predicate) {
    return all_layers(plan_of(spec, 1), predicate);
}

// Of devices: in one operation, or without scores.
bool attends_in_one(const LayerPlan& layer) {
    return !layer.scores() || has_plain_attention(layer);
}

bool drops(const RunSpec& spec, bool trains) {
    return trains && spec.dropout > 0;
}

bool has_plain_norm(const LayerPlan& layer) {
    const std::optional<NormPart>& norm = layer.attention_norms.of_input();
    return norm && (norm->kind == NormPart::Kind::layer || norm->kind == NormPart::Kind::rms ||
                    norm->kind == NormPart::Kind::zero_centred_rms);
}

}  // namespace

bool has_only_products(const LayerPlan& layer) {
    const Scores* scores = layer.scores();
    const Rotary* rotary = layer.rotary();
    return !scores || (is_fused(scores->relative) && scores->soft_cap == 0 && (!rotary || rotary->is_fused()));
}

bool has_plain_attention(const LayerPlan& layer) {
    const auto* attention = std::get_if<Softmax>(&layer.attention);
    return attention && has_only_products(layer) && !attention->scores.has_sinks;
}

bool attention_kernel_supports(const LayerPlan& layer) {
    if (std::holds_alternative<Latent>(layer.attention)) return has_only_products(layer);
    return std::holds_alternative<Softmax>(layer.attention) && layer.scores()->soft_cap == 0;
}

bool token_kernels_support(const LayerPlan& layer) {
    const auto* attention = std::get_if<Softmax>(&layer.attention);
    const auto* mlp = std::get_if<Mlp>(&layer.feed_forward);
    const std::optional<NormPart>& norm = layer.attention_norms.before;
    return has_plain_attention(layer) && attention->scores.factor == 1.0 && layer.branch_factor == 1.0 &&
           (attention->qk_norm == Softmax::QkNorm::none || attention->head_norm.kind == NormPart::Kind::rms) &&
           !attention->is_gated && attention->shifted_channels.empty() && mlp &&
           mlp->activation.kind != FeedForward::automatic && activation_of(mlp->activation.kind).is_fused && norm &&
           layer.feed_forward_norms.before && !layer.attention_norms.output &&
           (norm->kind == NormPart::Kind::layer || norm->kind == NormPart::Kind::rms);
}

bool flash_attention_supports(const LayerPlan& layer) {
    const Scores* scores = layer.scores();
    return has_plain_attention(layer) && !scores->window && std::holds_alternative<PlainScores>(scores->relative);
}

bool graph_supports_step(const LayerPlan& layer) {
    return graph_supports_token(layer) && !std::holds_alternative<DeltaNet>(layer.attention);
}

bool graph_supports_token(const LayerPlan& layer) {
    return !std::holds_alternative<Experts>(layer.feed_forward);
}

bool has_only_products(const RunSpec& spec) {
    return all_layers(spec, [](const LayerPlan& layer) { return has_only_products(layer); });
}

bool token_kernels_support(const ModelPlan& plan) {
    const bool is_plain_head =
        plan.embedding.smear_channels == 0 && plan.head.factor == 1.0 && plan.head.soft_cap == 0 && plan.head.norm;
    return is_plain_head && all_layers(plan, [](const LayerPlan& layer) { return token_kernels_support(layer); });
}

bool flash_attention_supports(const RunSpec& spec, bool trains) {
    return !drops(spec, trains) &&
           all_layers(spec, [](const LayerPlan& layer) { return flash_attention_supports(layer); });
}

bool stores_scores(const RunSpec& spec, bool trains) {
    return drops(spec, trains) || !all_layers(spec, [](const LayerPlan& layer) { return attends_in_one(layer); });
}

bool step_stays_on_device(const RunSpec& spec) {
    // A theta that changes gives new tables in every step.
    return spec.operations == Operations::fused && !spec.theta_varies() && spec.trains_with_adamw() &&
           all_layers(spec, [](const LayerPlan& layer) { return graph_supports_step(layer); });
}

bool graph_supports_step(const RunSpec& spec) {
    return step_stays_on_device(spec) && spec.sequences_per_pass() == spec.batch;
}

bool graph_supports_token(const ModelPlan& plan) {
    return !plan.is_eager && all_layers(plan, [](const LayerPlan& layer) { return graph_supports_token(layer); });
}

bool attends_fused(const RunSpec& spec) {
    return spec.operations == Operations::fused && !spec.theta_varies() && all_layers(spec, [](const LayerPlan& layer) {
               return has_only_products(layer) || attention_kernel_supports(layer);
           });
}

std::vector<std::string> unfused_parts(const RunSpec& spec, bool on_device) {
    if (spec.operations == Operations::eager) return {"all"};
    const auto any = [layers = plan_of(spec, 1).layers](auto predicate) {
        return std::any_of(layers.begin(), layers.end(), predicate);
    };
    std::vector<std::string> parts;
    const auto add = [&](bool is_unfused, const char* part) {
        if (is_unfused) parts.emplace_back(part);
    };
    add(any([=](const LayerPlan& layer) {
            return !attends_in_one(layer) && (on_device || !attention_kernel_supports(layer));
        }),
        "attention");
    add(any([](const LayerPlan& layer) { return std::holds_alternative<DeltaNet>(layer.attention); }),
        "gated DeltaNet");
    add(any([](const LayerPlan& layer) {
            const auto* attention = std::get_if<Softmax>(&layer.attention);
            return attention && attention->is_gated;
        }),
        "gate of attention");
    add(any([](const LayerPlan& layer) { return std::holds_alternative<Experts>(layer.feed_forward); }), "experts");
    add(!activation_of(spec.feed_forward_kind()).is_fused, "activation");
    add(any([](const LayerPlan& layer) { return !has_plain_norm(layer); }), "norm");
    add(!spec.trains_with_adamw(), "optimizer");
    return parts;
}

}  // namespace ropelab
