
#include <algorithm>
#include <cmath>

#include "core/base/selection.h"
#include "core/plan/model_plan.h"
#include "core/rope/encodings.h"
#include "core/settings/run_spec.h"

namespace ropelab {

namespace {

NormPart norm_of(const RunSpec& spec) {
    switch (spec.norm_kind()) {
        case NormKind::layer:
        case NormKind::automatic:
            return {.kind = NormPart::Kind::layer, .has_bias = spec.bias};
        case NormKind::rms:
            return {.kind = NormPart::Kind::rms};
        case NormKind::zero_centred_rms:
            return {.kind = NormPart::Kind::zero_centred_rms};
        case NormKind::dyt:
            return {.kind = NormPart::Kind::dyt, .has_bias = spec.bias};
    }
    return {};
}

BranchNorms branch_norms(const RunSpec& spec) {
    switch (spec.norm_position) {
        case NormPosition::pre:
            return {.before = norm_of(spec)};
        case NormPosition::post:
            return {.after = norm_of(spec)};
        case NormPosition::sandwich:
            return {.before = norm_of(spec), .output = norm_of(spec)};
    }
    return {};
}

Embedding embedding_of(const RunSpec& spec) {
    Embedding part;
    if (spec.token_smear) part.smear_channels = std::min<std::int64_t>(12, spec.width);
    if (spec.learns_positions()) {
        part.positions = Embedding::Positions::learned;
        part.position_rows = spec.context;
    } else if (spec.encoding().embeddings == PositionEncoding::Embeddings::sinusoidal) {
        part.positions = Embedding::Positions::sinusoidal;
        part.base = spec.sinusoidal_base;
        part.factor = std::sqrt(static_cast<double>(spec.width));  // Vaswani et al. 2017, 3.4
    }
    return part;
}

Relative relative_of(const RunSpec& spec) {
    using Scores = PositionEncoding::Scores;
    switch (spec.encoding().scores) {
        case Scores::products:
            return PlainScores();
        case Scores::alibi:
            return Alibi();
        case Scores::distance_bias:
            return DistanceBias{spec.distance_buckets, spec.largest_distance};
        case Scores::shaw:
            return Shaw{spec.relative_clip + 1};
        case Scores::transformer_xl:
            return TransformerXl{spec.sequences_per_pass()};
        case Scores::cope:
            return Cope{spec.cope_positions};
        case Scores::kerple:
            return Kerple();
    }
    return PlainScores();
}

// 0 for a gated DeltaNet, whose state has all tokens.
std::int64_t visible_tokens(const RunSpec& spec, LayerAttention kind) {
    switch (kind) {
        case LayerAttention::full:
            return spec.context;
        case LayerAttention::window:
            return std::min(spec.attention_window, spec.context);
        case LayerAttention::delta_net:
            break;
    }
    return 0;
}

// In a context: with a window of N tokens, token t (from 0) attends to min(t + 1, N) keys.
double mean_keys(std::int64_t context, std::int64_t visible) {
    const auto T = static_cast<double>(context);
    const auto N = static_cast<double>(visible);
    return N - N * (N - 1) / (2 * T);
}

// Which pairs of a head rotate where a layer does: those that are chosen, of the rotary dimension. With FoPE, pairs
// that turn less than once in the training context do not.
std::vector<RotaryPair> pairs_of(const RunSpec& spec, const Frequencies& trained) {
    std::vector<RotaryPair> pairs(static_cast<std::size_t>(spec.rotary_head_dim() / 2));
    const std::vector<bool> chosen = selection(spec.pairs, std::ssize(pairs), "pairs");
    const bool moves_all = spec.theta_training == ThetaTraining::free || spec.theta_schedule == ThetaSchedule::drop;
    const double dimension = spec.partial == Partial::slice ? trained.rotary_dim : spec.rotary_head_dim();
    const std::vector<double> decay =
        spec.position == Position::xpos ? xpos_decay(static_cast<int>(dimension)) : std::vector<double>();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        pairs[i].rotates = chosen[i] && i < trained.inverse_frequencies.size();
        if (spec.position == Position::fope && pairs[i].rotates)
            pairs[i].rotates = trained.inverse_frequencies[i] * real(spec.context) >= two_pi;
        if (chosen[i] && i < decay.size() && i < static_cast<std::size_t>(trained.rotary_dim / 2))
            pairs[i].decay = std::log(decay[i]) / spec.xpos_scale_base;
        if (spec.theta_varies() && pairs[i].rotates)
            pairs[i].slope = moves_all ? 1.0 : -2.0 * static_cast<double>(i) / dimension;
    }
    return pairs;
}

Rotary::Shift shift_of(const RunSpec& spec) {
    if (!spec.theta_varies()) return Rotary::Shift::none;
    switch (spec.theta_training) {
        case ThetaTraining::fixed:
            return Rotary::Shift::schedule;
        case ThetaTraining::one:
            return Rotary::Shift::model;
        case ThetaTraining::layer:
            return Rotary::Shift::layer;
        case ThetaTraining::head:
            return Rotary::Shift::head;
        case ThetaTraining::free:
            return Rotary::Shift::pair;
    }
    return Rotary::Shift::none;
}

// Of the layers that rotate.
std::optional<Rotary> rotary_of(const RunSpec& spec) {
    if (!spec.rotates()) return std::nullopt;
    FrequencySettings settings = frequency_settings_of(spec);
    settings.context = real(spec.context);
    Rotary rotary = {.channels = spec.frequencies == "auto" ? fraction_text(spec.fraction, spec.rotary_head_dim())
                                                            : std::string("listed frequencies"),
                     .pairs = pairs_of(spec, frequencies(settings)),
                     .shift = shift_of(spec),
                     .stores_tables = spec.rope_cache};
    rotary.set_frequencies(settings);
    if (spec.rope_precision == RopePrecision::bfloat16_tables) rotary.rounding = Rotary::Rounding::tables;
    if (spec.rope_precision == RopePrecision::bfloat16_positions) rotary.rounding = Rotary::Rounding::positions;
    if (spec.position == Position::xpos) {
        rotary.kind = Rotary::Kind::decaying;
        rotary.scale_base = spec.xpos_scale_base;
    }
    if (spec.position == Position::fope) {
        rotary.kind = Rotary::Kind::fourier;
        rotary.seed = spec.seed;
        const auto rotating = std::ranges::count_if(rotary.pairs, &RotaryPair::rotates);
        if (rotating >= 2) rotary.deviation = spec.fourier_deviation / std::sqrt(static_cast<double>(rotating));
    }
    return rotary;
}

std::optional<Rotary> without_rotation(std::optional<Rotary> rotary) {
    if (!rotary) return rotary;
    rotary->is_applied = false;
    rotary->channels.clear();
    for (RotaryPair& pair : rotary->pairs) pair = {};
    return rotary;
}

AttentionPart attention_of(const RunSpec& spec, LayerAttention kind, const std::optional<Rotary>& rotary,
                           bool shifts_keys) {
    const std::int64_t h = spec.heads;
    const std::int64_t D = spec.head_dim();
    if (kind == LayerAttention::delta_net) {
        return DeltaNet{.h_k = h, .h_v = h, .D_k = D, .D_v = D, .has_bias = spec.bias, .has_output_bias = spec.bias};
    }
    Scores scores = {.relative = relative_of(spec),
                     .has_sinks = spec.attention_sinks,
                     .keys = mean_keys(spec.context, visible_tokens(spec, kind))};
    if (kind == LayerAttention::window) scores.window = spec.attention_window;
    if (spec.attention == AttentionKind::mla) {
        return Latent{.h = h,
                      .D = D,
                      .L = spec.latent_channels(),
                      .R = spec.rotary_head_dim(),
                      .has_bias = spec.bias,
                      .has_query_bias = spec.bias,
                      .has_output_bias = spec.bias,
                      .rotary = rotary,
                      .scores = std::move(scores)};
    }
    const auto qk_norm = spec.qk_norm == QkNorm::none   ? Softmax::QkNorm::none
                         : spec.qk_norm == QkNorm::head ? Softmax::QkNorm::head
                                                        : Softmax::QkNorm::projection;
    std::vector<bool> shifted;
    for (std::size_t i = 0; shifts_keys && i < static_cast<std::size_t>(D); ++i) {
        shifted.push_back(!rotary || !rotary->pairs[i % rotary->pairs.size()].rotates ||
                          rotary->pairs[i % rotary->pairs.size()].frequency == 0);
    }
    return Softmax{.heads = {h, spec.kv_heads(), D},
                   .has_bias = spec.bias,
                   .has_output_bias = spec.bias,
                   .qk_norm = qk_norm,
                   .is_gated = spec.attention == AttentionKind::gated,
                   .rotary = rotary,
                   .shifted_channels = std::move(shifted),
                   .scores = std::move(scores)};
}

FeedForwardPart feed_forward_of(const RunSpec& spec, std::int64_t layer) {
    Mlp mlp = {
        .width = spec.hidden_width(), .activation = activation_of(spec.feed_forward_kind()), .has_bias = spec.bias};
    if (!spec.has_experts(layer)) return mlp;
    return Experts{.E = spec.experts,
                   .k = spec.experts_per_token,
                   .expert = std::move(mlp),
                   .choice = spec.experts_per_token == 1 ? "g = max(softmax(r))" : "g = softmax(r_i of the k largest)",
                   .has_noise = spec.expert_noise,
                   .capacity = spec.expert_capacity,
                   .second = spec.second_expert};
}

// "gated DeltaNet, experts".
std::string layer_words(const RunSpec& spec, std::int64_t layer, LayerAttention kind, bool rotates) {
    std::string text = kind == LayerAttention::window      ? "sliding window"
                       : kind == LayerAttention::delta_net ? "gated DeltaNet"
                                                           : "whole context";
    if (spec.rotates() && !rotates && kind != LayerAttention::delta_net) text += " without rotation";
    if (spec.experts > 0) text += spec.has_experts(layer) ? ", experts" : ", dense MLP";
    return text;
}

// "rotary.shift".
std::vector<Count> shift_shape(const RunSpec& spec) {
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

Stages shared_of(const RunSpec& spec, const PlanSizes& n) {
    Stages shared;
    if (spec.theta_varies()) {
        shared.push_back({.id = "frequencies",
                          .name = "RoPE frequencies",
                          .kind = spec.theta_training == ThetaTraining::fixed ? "scheduled" : "trained",
                          .symbols = "(d_r/2)",
                          .formula = spec.theta_training == ThetaTraining::free   ? "g_i = exp(s_i)·θ^{−2i/d_r}"
                                     : spec.theta_schedule == ThetaSchedule::drop ? "g_i = θ^{−2i/d_r}, at the end 0"
                                                                                  : "g_i = (exp(s)·θ)^{−2i/d_r}",
                          .settings = {"theta_training", "theta_schedule", "recalibration"},
                          .tensors = {{.name = "rotary.shift",
                                       .shape = shift_shape(spec),
                                       .place = storage::shift,
                                       .multiplies = false,
                                       .embeds = true}}});
    }
    const Heads heads = {spec.heads, spec.kv_heads(), spec.head_dim()};
    for (AnatomyStage& stage : facts_of(relative_of(spec), n, heads, "").shared) shared.push_back(std::move(stage));
    return shared;
}

OutputHead head_of(const RunSpec& spec) {
    OutputHead head = {.is_tied = spec.tied_head, .has_bias = spec.head_bias};
    if (spec.norm_position != NormPosition::post) head.norm = norm_of(spec);
    return head;
}

std::vector<AnatomySize> symbols_of(const RunSpec& spec, const PlanSizes& n) {
    std::vector<AnatomySize> sizes = {
        {"B", "sequences per batch", n.B},
        {"T", "tokens per sequence", n.T},
        {"C", "width", n.C},
        {"h", "heads", spec.heads},
        {"h_kv", "key and value heads", spec.kv_heads()},
        {"D", "channels per head", spec.head_dim()},
        {"F", spec.experts > 0 ? "hidden width of the MLP or of an expert" : "hidden width of the MLP",
         spec.hidden_width()},
        {"V", "vocabulary", n.V}};
    if (spec.attention == AttentionKind::mla) {
        sizes.push_back({"L", "width of the latent vector", spec.latent_channels()});
        sizes.push_back({"D_r", "rotary channels per head", spec.rotary_head_dim()});
    }
    if (spec.attention_window > 0) sizes.push_back({"W", "sliding window in tokens", spec.attention_window});
    if (spec.experts > 0) {
        sizes.push_back({"E", "experts", spec.experts});
        sizes.push_back({"k", "experts per token", spec.experts_per_token});
    }
    if (spec.encoding().has("distance_buckets")) sizes.push_back({"M", "distance buckets", spec.distance_buckets});
    if (spec.position == Position::shaw) {
        sizes.push_back({"M", "distances with vectors of their own", spec.relative_clip + 1});
    }
    if (spec.position == Position::cope) sizes.push_back({"M", "position embeddings", spec.cope_positions});
    return sizes;
}

}  // namespace

ModelPlan plan_of(const RunSpec& spec, std::int64_t vocabulary) {
    ModelPlan plan;
    const bool caches = spec.operations != Operations::eager;
    plan.sizes = {.B = spec.batch,
                  .T = spec.context,
                  .C = spec.width,
                  .V = vocabulary,
                  .layers = spec.layers,
                  .cached_number_bytes = caches ? 4 : 0,
                  .state_number_bytes = caches ? 4 : 0,
                  .xavier = spec.initialization == Initialization::xavier,
                  .deepnorm = spec.deepnorm ? std::pow(8.0 * static_cast<double>(spec.layers), -0.25) : 1.0,
                  .router_deviation = spec.router_deviation};
    plan.is_eager = !caches;
    plan.embedding = embedding_of(spec);
    plan.shared = shared_of(spec, plan.sizes);
    const std::vector<LayerAttention> kinds = attention_of_layers(spec);
    const std::vector<bool> rotates = selection(spec.rotated_layers, spec.layers, "rotated_layers");
    const std::vector<bool> shifted = spec.key_offset == "none"
                                          ? std::vector<bool>(static_cast<std::size_t>(spec.layers))
                                          : selection(spec.key_offset, spec.layers, "key_offset");
    const std::optional<Rotary> rotary = rotary_of(spec);
    const std::optional<Rotary> unrotated = without_rotation(rotary);
    for (std::int64_t i = 0; i < spec.layers; ++i) {
        const LayerAttention kind = kinds[static_cast<std::size_t>(i)];
        const bool is_rotated = rotates[static_cast<std::size_t>(i)];
        plan.layers.push_back({.words = layer_words(spec, i, kind, is_rotated),
                               .attention_norms = branch_norms(spec),
                               .attention = attention_of(spec, kind, is_rotated ? rotary : unrotated,
                                                         shifted[static_cast<std::size_t>(i)]),
                               .feed_forward_norms = branch_norms(spec),
                               .feed_forward = feed_forward_of(spec, i),
                               .is_parallel = spec.block == Block::pythia,
                               .stream_factor = spec.deepnorm ? std::pow(2.0 * real(spec.layers), 0.25) : 1.0,
                               .visible_tokens = visible_tokens(spec, kind)});
    }
    plan.head = head_of(spec);
    plan.symbols = symbols_of(spec, plan.sizes);
    if (caches && spec.attention_window > 0) plan.remarks.push_back(window_remark(spec.attention_window));
    return plan;
}

std::vector<ModelPlan> plans_of(std::span<const RunSpec> runs, std::int64_t vocabulary) {
    std::vector<ModelPlan> plans;
    for (const RunSpec& run : runs) plans.push_back(plan_of(run, vocabulary));
    return plans;
}

Anatomy anatomy_of(const RunSpec& spec, std::int64_t vocabulary) {
    check(spec);
    return plan_of(spec, vocabulary).anatomy();
}

RunSpec traditional_model(RunSpec spec) {
    const RunSpec defaults;
    spec.block = Block::gpt2;
    spec.position = Position::learned;
    spec.key_value_heads = 0;
    spec.feed_forward = FeedForward::automatic;
    spec.mlp_width = 0;
    spec.experts = 0;
    spec.qk_norm = QkNorm::none;
    spec.norm = NormKind::automatic;
    spec.norm_position = NormPosition::pre;
    spec.deepnorm = false;
    spec.bias = true;
    spec.tied_head = true;
    spec.head_bias = false;
    spec.attention = AttentionKind::mha;
    spec.latent_width = 0;
    spec.rotary_channels = 0;
    spec.attention_layers = defaults.attention_layers;
    spec.attention_sinks = false;
    spec.key_offset = defaults.key_offset;
    spec.token_smear = false;
    spec.attention_window = 0;
    spec.frequencies = defaults.frequencies;
    spec.pairs = "all";
    spec.rotated_layers = "all";
    spec.theta_training = ThetaTraining::fixed;
    spec.theta_schedule = ThetaSchedule::constant;
    return spec;
}

RunSpec modern_model(RunSpec spec) {
    spec = traditional_model(spec);
    spec.block = Block::llama;
    spec.position = Position::rope;
    spec.key_value_heads = spec.heads % 4 == 0 ? spec.heads / 4 : spec.heads % 2 == 0 ? spec.heads / 2 : 0;
    spec.bias = false;
    spec.tied_head = false;
    return spec;
}

}  // namespace ropelab
