#include "core/settings/run_spec.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <system_error>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

std::string pattern_text(std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    return text;
}

}  // namespace

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

// Encodings other than learned embeddings and RoPE apply to all runs of a cohort or to none.
bool same_encoding(Position a, Position b) {
    const auto can_be_mixed = [](const PositionEncoding& encoding) {
        return encoding.has_plain_scores() && encoding.embeddings != PositionEncoding::Embeddings::sinusoidal;
    };
    return a == b || (can_be_mixed(encoding_of(a)) && can_be_mixed(encoding_of(b)));
}

}  // namespace

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
