#include "core/settings/run_spec.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <system_error>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/selection.h"
#include "core/rope/encodings.h"
#include "core/settings/keys.h"

namespace ropelab {

namespace {

constexpr std::int64_t smallest_vocabulary = 300;  // of a trained tokenizer, with room for characters beside the bytes

void check_encoding(const RunSpec& spec) {
    if (spec.encoding().scores == PositionEncoding::Scores::distance_bias &&
        spec.largest_distance <= spec.distance_buckets / 2) {
        throw BadInput("The setting largest_distance is " + std::to_string(spec.largest_distance) +
                       ", but it must be above half the number of distance_buckets, that is above " +
                       std::to_string(spec.distance_buckets / 2) + ".");
    }
    if (spec.position == Position::xpos && !fits_xpos(spec.context, spec.xpos_scale_base)) {
        throw BadInput("The context of " + std::to_string(spec.context) + " tokens is too long for xPos with " +
                       "xpos_scale_base = " + number_text(spec.xpos_scale_base) +
                       ", because the decay would leave the range of float32; increase xpos_scale_base or shorten the "
                       "context.");
    }
}

void check_frequencies(const RunSpec& spec) {
    const std::vector<double> listed = listed_frequencies(spec);
    if (listed.empty()) return;
    if (!spec.rotates()) {
        throw BadInput(
            "The setting frequencies has no effect, because this model does not use RoPE; set position to rope, or "
            "frequencies to auto.");
    }
    if (spec.theta_varies()) {
        throw BadInput(
            "The frequencies are listed, so theta can neither be trained nor follow a schedule; set frequencies to "
            "auto, "
            "or theta_training to fixed and theta_schedule to constant.");
    }
    const int pairs = rotary_dim(spec.rotary_head_dim(), spec.fraction) / 2;
    if (std::ssize(listed) != pairs) {
        throw BadInput("The number of listed frequencies is " + std::to_string(listed.size()) +
                       ", but it must equal the number of rotated pairs per head, which is " + std::to_string(pairs) +
                       "; join them by plus signs, as in 1+0.5+0.01.");
    }
}

std::string pattern_text(std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    return text;
}

void check_attention(const RunSpec& spec) {
    const auto kinds = attention_of_layers(spec);
    const bool has_window = std::find(kinds.begin(), kinds.end(), LayerAttention::window) != kinds.end();
    if (has_window && spec.attention_window == 0) {
        throw BadInput("The setting attention_layers is \"" + spec.attention_layers +
                       "\", but attention_window is 0; set it to the number of tokens of the sliding window.");
    }
    if (!has_window && spec.attention_window > 0) {
        throw BadInput("The setting attention_window is " + std::to_string(spec.attention_window) +
                       ", but attention_layers has no layer with a window; set it to auto or to a pattern such as 3 "
                       "window + 1 full.");
    }
    const bool is_mla = spec.attention == AttentionKind::mla;
    if (!spec.has_softmax_attention() &&
        (spec.attention != AttentionKind::mha || spec.attention_sinks || spec.qk_norm != QkNorm::none)) {
        throw BadInput(
            "With attention_layers = deltanet, no layer has attention weights, so attention must be mha, and "
            "attention_sinks and qk_norm must be false.");
    }
    if (!spec.has_softmax_attention() && (!spec.encoding().has_plain_scores() || spec.key_value_heads != 0)) {
        throw BadInput("With attention_layers = deltanet, no layer has attention weights, so position must be " +
                       words_with(position_encodings(), &PositionEncoding::has_plain_scores, " or ") +
                       ", and key_value_heads must be 0.");
    }
    if (!is_mla) {
        if (spec.latent_width == 0 && spec.rotary_channels == 0) return;
        throw BadInput("The settings latent_width and rotary_channels require attention = mla; set them to 0.");
    }
    if (spec.rotary_head_dim() % 2 != 0) {
        throw BadInput("The setting rotary_channels is " + std::to_string(spec.rotary_channels) +
                       ", but it must be even, because RoPE rotates pairs of channels.");
    }
    if (spec.head_dim() % 2 != 0) {
        throw BadInput("The head dimension is " + std::to_string(spec.head_dim()) +
                       ", but attention = mla needs an even one; change heads or width.");
    }
    if (spec.kv_heads() != spec.heads) {
        throw BadInput(
            "With attention = mla, all heads share one latent vector instead of key and value heads; set "
            "key_value_heads to 0.");
    }
    if (spec.qk_norm != QkNorm::none)
        throw BadInput(
            "With attention = mla, the latent vector is normalized instead of the keys; set qk_norm to false.");
    if (spec.theta_training == ThetaTraining::head)
        throw BadInput(
            "With attention = mla, all heads share one rotated key; set theta_training to one, layer or free.");
    const auto is_combined = [](const PositionEncoding& encoding) {
        return encoding.has_plain_scores() || encoding.scores == PositionEncoding::Scores::alibi;
    };
    if (!is_combined(spec.encoding())) {
        throw BadInput("The position encoding " + std::string(spec.encoding().choice.word) +
                       " cannot be combined with attention = mla; set position to " +
                       words_with(position_encodings(), is_combined, " or ") + ".");
    }
}

void check_experts(const RunSpec& spec) {
    if (spec.experts == 0) return;
    if (spec.experts == 1) {
        throw BadInput(
            "The setting experts is 1, but a mixture requires at least 2 experts; 0 means one dense feed-forward "
            "network.");
    }
    if (spec.experts_per_token > spec.experts) {
        throw BadInput("The setting experts_per_token is " + std::to_string(spec.experts_per_token) +
                       ", but it must not exceed the number of experts, which is " + std::to_string(spec.experts) +
                       ".");
    }
    if (spec.dense_layers >= spec.layers) {
        throw BadInput("The setting dense_layers is " + std::to_string(spec.dense_layers) +
                       ", but with experts it must be less than the number of layers, which is " +
                       std::to_string(spec.layers) + ".");
    }
    if (spec.second_expert == SecondExpert::random && spec.experts_per_token != 2) {
        throw BadInput("The setting second_expert is random, but experts_per_token is " +
                       std::to_string(spec.experts_per_token) + "; it must be 2 for a random second expert.");
    }
    if (spec.micro_batch > 0) {
        throw BadInput("The setting micro_batch is " + std::to_string(spec.micro_batch) +
                       ", but with experts it must be 0, because the load of the experts is balanced over the whole "
                       "batch.");
    }
}

}  // namespace

void check(const RunSpec& spec) {
    // Key::set checks the range of each value.
    RunSpec copy = spec;
    for (const Key& entry : keys()) entry.set(copy, entry.get(spec));

    if (spec.vocabulary_size != 0 && !spec.trains_tokenizer()) {
        throw BadInput("The setting vocabulary_size is " + std::to_string(spec.vocabulary_size) +
                       ", but only the tokenizers " + words_with(tokenizers(), &TokenizerFacts::is_trained, " and ") +
                       " have a size that can be set; set tokenizer to one of them, or vocabulary_size to 0.");
    }
    if (spec.vocabulary_size != 0 && spec.vocabulary_size < smallest_vocabulary) {
        throw BadInput("The setting vocabulary_size is " + std::to_string(spec.vocabulary_size) +
                       ", but it must be 0 (auto) or between " + std::to_string(smallest_vocabulary) +
                       " and 65536, because 256 tokens are bytes.");
    }
    if (spec.has_subwords() && (spec.data == "synthetic" || spec.data == "synthetic-local")) {
        throw BadInput(
            "The synthetic languages have rules and an entropy floor for characters; set tokenizer to auto, "
            "characters or bytes, or data to a text.");
    }
    if (spec.width % spec.heads != 0) {
        throw BadInput("The width " + std::to_string(spec.width) + " is not a multiple of the " +
                       std::to_string(spec.heads) + " heads; each head must have the same number of channels.");
    }
    check_attention(spec);
    if (spec.rotates() && spec.head_dim() % 2 != 0) {
        throw BadInput("The head dimension is " + std::to_string(spec.head_dim()) + " (width " +
                       std::to_string(spec.width) + " over " + std::to_string(spec.heads) +
                       " heads), but RoPE needs an even one, because it rotates pairs of channels.");
    }
    if (spec.heads % spec.kv_heads() != 0) {
        throw BadInput("The setting key_value_heads is " + std::to_string(spec.key_value_heads) +
                       ", but it must divide the number of query heads, which is " + std::to_string(spec.heads) +
                       "; 0 means one key and value head per query head.");
    }
    if (spec.encoding().rotation == PositionEncoding::Rotation::fope && spec.theta_varies()) {
        throw BadInput(
            "With position = fope, the frequencies are fixed, so theta can neither be trained nor follow a schedule; "
            "set theta_training to fixed and theta_schedule to constant, or position to rope.");
    }
    if (spec.theta_training != ThetaTraining::fixed) {
        if (!spec.rotates()) {
            throw BadInput(
                "Theta cannot be trained, because this model does not use RoPE; set position to rope, or "
                "theta_training to fixed.");
        }
        if (spec.theta_schedule != ThetaSchedule::constant) {
            throw BadInput(
                "Theta cannot both be trained and follow a schedule; set theta_training to fixed or theta_schedule to "
                "constant.");
        }
        if (spec.theta_training == ThetaTraining::head && spec.kv_heads() != spec.heads) {
            throw BadInput(
                "With theta_training = head, the model needs as many key heads as query heads; set key_value_heads to "
                "0.");
        }
    }
    if (spec.norm_position == NormPosition::post && spec.block == Block::pythia) {
        throw BadInput(
            "With norm_position = post, attention and MLP must follow each other, but pythia blocks run them in "
            "parallel; set block to gpt2 or llama, or norm_position to pre or sandwich.");
    }
    if (spec.deepnorm && spec.norm_position != NormPosition::post) {
        throw BadInput("DeepNet's scaling is defined for norms after each branch only; set norm_position to post.");
    }
    check_experts(spec);
    if (spec.batch % spec.sequences_per_pass() != 0) {
        throw BadInput("The setting micro_batch is " + std::to_string(spec.micro_batch) +
                       ", but it must divide the batch size, which is " + std::to_string(spec.batch) +
                       "; 0 means the whole batch.");
    }
    check_encoding(spec);
    check_frequencies(spec);
    if (spec.rotates()) selection(spec.pairs, spec.rotary_head_dim() / 2, "pairs");
    selection(spec.rotated_layers, spec.layers, "rotated_layers");
    if (spec.final_learning_rate > spec.learning_rate) {
        throw BadInput("The setting final_learning_rate is " + number_text(spec.final_learning_rate) +
                       ", but it must not exceed learning_rate, which is " + number_text(spec.learning_rate) + ".");
    }
}

std::int64_t RunSpec::latent_channels() const {
    if (latent_width > 0) return latent_width;
    return std::min<std::int64_t>(4 * head_dim(), std::max<std::int64_t>(1, width / 2));
}

int RunSpec::rotary_head_dim() const {
    if (attention != AttentionKind::mla) return head_dim();
    return rotary_channels > 0 ? static_cast<int>(rotary_channels) : std::max(2, head_dim() / 4 * 2);
}

LayerAttention RunSpec::layer_attention(std::int64_t layer) const {
    return attention_of_layers(*this).at(static_cast<std::size_t>(layer));
}

bool RunSpec::has_delta_net() const {
    const auto kinds = attention_of_layers(*this);
    return std::find(kinds.begin(), kinds.end(), LayerAttention::delta_net) != kinds.end();
}

bool RunSpec::has_softmax_attention() const {
    const auto kinds = attention_of_layers(*this);
    return std::any_of(kinds.begin(), kinds.end(), [](auto kind) { return kind != LayerAttention::delta_net; });
}

std::vector<LayerAttention> attention_of_layers(const RunSpec& spec) {
    const auto count = static_cast<std::size_t>(spec.layers);
    if (spec.attention_layers == "auto")
        return std::vector(count, spec.attention_window > 0 ? LayerAttention::window : LayerAttention::full);
    const std::string text = pattern_text(spec.attention_layers);
    std::vector<LayerAttention> period;
    std::string_view rest = text;
    while (true) {
        const auto plus = rest.find('+');
        const std::string_view part = rest.substr(0, plus);
        const auto word = std::min(part.find_first_not_of("0123456789"), part.size());
        const std::string_view name = part.substr(word);
        std::int64_t times = 1;
        if (word > 0 && std::from_chars(part.data(), part.data() + word, times).ec != std::errc()) times = 0;
        const bool known = name == "full" || name == "window" || name == "deltanet";
        constexpr std::int64_t most = 128;
        if (!known || times < 1 || times > most) {
            throw BadInput("The setting attention_layers is \"" + spec.attention_layers +
                           "\", but it must be auto or a pattern of full, window and deltanet with counts of 1 to 128, "
                           "such as 3 deltanet + 1 full.");
        }
        const auto kind = name == "full"     ? LayerAttention::full
                          : name == "window" ? LayerAttention::window
                                             : LayerAttention::delta_net;
        period.insert(period.end(), static_cast<std::size_t>(times), kind);
        if (plus == std::string_view::npos) break;
        rest.remove_prefix(plus + 1);
    }
    std::vector<LayerAttention> result;
    for (std::size_t layer = 0; layer < count; ++layer) result.push_back(period[layer % period.size()]);
    return result;
}

std::vector<std::int64_t> windows_of_layers(const std::string& attention_layers, std::int64_t layers,
                                            std::int64_t window) {
    RunSpec spec;
    spec.attention_layers = attention_layers;
    spec.layers = layers;
    spec.attention_window = window;
    std::vector<std::int64_t> windows;
    for (const LayerAttention kind : attention_of_layers(spec)) {
        windows.push_back(kind == LayerAttention::window ? window : 0);
    }
    return windows;
}

std::string full_every_pattern(std::int64_t n) {
    if (n == 0) return "auto";
    return n == 1 ? "1 full" : std::to_string(n - 1) + " window + 1 full";
}

std::int64_t full_every_of(const std::string& attention_layers) {
    constexpr std::int64_t most = 129;
    const std::string text = pattern_text(attention_layers);
    for (std::int64_t n = 1; n <= most; ++n) {
        if (pattern_text(full_every_pattern(n)) == text) return n;
    }
    return 0;
}

FeedForward RunSpec::feed_forward_kind() const {
    if (feed_forward != FeedForward::automatic) return feed_forward;
    return block == Block::llama ? FeedForward::swiglu : FeedForward::gelu;
}

std::int64_t RunSpec::hidden_width() const {
    if (mlp_width > 0) return mlp_width;
    if (!gates_feed_forward()) return 4 * width;
    return (8 * width / 3 + multiple_of - 1) / multiple_of * multiple_of;
}

std::vector<double> listed_frequencies(const RunSpec& spec) {
    if (spec.frequencies == "auto") return {};
    const auto refuse = [&](const std::string& why) {
        throw BadInput("The setting frequencies is \"" + spec.frequencies + "\", but " + why + ".");
    };
    std::vector<double> result;
    std::string_view rest = spec.frequencies;
    while (true) {
        const auto end = rest.find_first_of(",+ ");
        const std::string_view part = rest.substr(0, end);
        if (!part.empty()) {
            try {
                result.push_back(parse_number(part));
            } catch (const BadInput&) {
                refuse("it must be auto or a list of numbers like 1+0.5+0.01");
            }
            if (result.back() < 0 || result.back() > two_pi) {
                refuse("each frequency must be between 0 and 2π radians per token");
            }
        }
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    if (result.empty()) refuse("it must be auto or a list of numbers like 1+0.5+0.01");
    return result;
}

FrequencySettings frequency_settings_of(const RunSpec& spec) {
    return {.head_dim = spec.rotary_head_dim(),
            .theta = spec.theta,
            .fraction = spec.fraction,
            .partial = spec.partial,
            .listed = listed_frequencies(spec)};
}

std::string fraction_text(double fraction, int head_dim) {
    const bool is_pair = head_dim > 0 && fraction > 0 && fraction < 0.1 && rotary_dim(head_dim, fraction) == 2;
    return is_pair ? "2 ch" : percent_text(std::round(1e6 * fraction) / 1e6) + " %";
}

namespace {

std::string position_label(const RunSpec& spec) {
    const PositionEncoding& encoding = spec.encoding();
    std::string label(encoding.label);
    for (const PositionEncoding::Own& own : encoding.settings) {
        const Value value = key(own.key).get(spec);
        const bool is_shown = own.is_always_shown || value != key(own.key).get(RunSpec{});
        if (!own.is_in_labels() || !is_shown) continue;
        const auto* real = std::get_if<double>(&value);
        label +=
            ", " + std::string(own.before) + (real ? short_number(*real) : to_text(value)) + std::string(own.after);
    }
    if (!spec.rotates()) return label;
    // RoPE beside another encoding, or the RoPE of an encoding that changes it.
    if (!label.empty()) label += encoding.rotation == PositionEncoding::Rotation::rope ? " + " : ", ";
    if (spec.fraction == 0) return label + "RoPE 0 %";
    const int rotated = rotary_dim(spec.rotary_head_dim(), spec.fraction);
    std::string fraction = fraction_text(spec.fraction, spec.rotary_head_dim());
    if (spec.partial == Partial::truncate && rotated < spec.rotary_head_dim()) fraction += " truncated";
    if (spec.pairs != "all") fraction += ", pairs " + spec.pairs;
    if (spec.rotated_layers != "all") fraction += ", layers " + spec.rotated_layers;
    if (spec.rope_precision == RopePrecision::bfloat16_tables) fraction += ", bfloat16 tables";
    if (spec.rope_precision == RopePrecision::bfloat16_positions) fraction += ", bfloat16 positions";
    if (spec.frequencies != "auto") return label + "frequencies " + spec.frequencies + ", " + fraction;
    std::string theta = short_number(spec.theta);
    if (spec.theta_schedule != ThetaSchedule::constant) {
        theta += " → " + short_number(spec.theta_end) + " (" + to_text(key("theta_schedule").get(spec)) + ")";
    }
    if (spec.theta_training != ThetaTraining::fixed) {
        theta += " trained (" + to_text(key("theta_training").get(spec)) + ")";
    }
    return label + "θ " + theta + ", " + fraction;
}

// Encodings other than learned embeddings and RoPE apply to all runs of a cohort or to none.
bool same_encoding(Position a, Position b) {
    const auto can_be_mixed = [](const PositionEncoding& encoding) {
        return encoding.has_plain_scores() && encoding.embeddings != PositionEncoding::Embeddings::sinusoidal;
    };
    return a == b || (can_be_mixed(encoding_of(a)) && can_be_mixed(encoding_of(b)));
}

}  // namespace

std::string label_of(const RunSpec& spec) {
    std::string label = position_label(spec);
    const bool has_window = spec.attention_window > 0 && spec.attention_window < spec.context;
    if (has_window) label += ", attention window " + std::to_string(spec.attention_window);
    if (spec.attention_layers != "auto") label += ", layers " + pattern_text(spec.attention_layers);
    if (spec.attention == AttentionKind::mla) label += ", MLA";
    if (spec.attention == AttentionKind::gated) label += ", gated attention";
    if (spec.attention_sinks) label += ", attention sinks";
    return label;
}

bool same_shape(const RunSpec& a, const RunSpec& b) {
    if (a.learns_positions() != b.learns_positions() || a.theta_varies() != b.theta_varies()) return false;
    if (!same_encoding(a.position, b.position)) return false;
    RunSpec other = b;
    other.theta = a.theta;
    other.fraction = a.fraction;
    other.partial = a.partial;
    other.pairs = a.pairs;
    other.rotated_layers = a.rotated_layers;
    other.frequencies = a.frequencies;
    other.theta_end = a.theta_end;
    other.theta_learning_rate = a.theta_learning_rate;
    other.position = a.position;
    other.seed = a.seed;
    other.learning_rate = a.learning_rate;
    other.final_learning_rate = a.final_learning_rate;
    other.warmup = a.warmup;
    other.decay_iterations = a.decay_iterations;
    return a == other;
}

}  // namespace ropelab
