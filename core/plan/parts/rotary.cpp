#include "core/plan/parts/rotary.h"

#include "core/base/error.h"
#include "core/rope/scaling.h"

namespace ropelab {

namespace {

struct RotaryWords {
    const char* name;
    const char* formula;
    const char* setting;  // of its own
};

RotaryWords words_of(Rotary::Kind kind) {
    switch (kind) {
        case Rotary::Kind::plain:
            break;
        case Rotary::Kind::decaying:
            return {"xPos", "q_m ← ζ^{(m − c)/s} ⊙ R(m·g)·q_m,  k_n ← ζ^{−(n − c)/s} ⊙ R(n·g)·k_n", "xpos_scale_base"};
        case Rotary::Kind::fourier:
            return {"FoPE", "q_m ← R(m·g)·q_m + Σ_j a_j·R(m·g_j)·q_m,  k_n ← R(n·g)·k_n + Σ_j a_j·R(n·g_j)·k_n",
                    "fourier_deviation"};
    }
    return {"RoPE", "q_m ← R(m·g)·q_m,  k_n ← R(n·g)·k_n", nullptr};
}

}  // namespace

void Rotary::set_frequencies(const FrequencySettings& from) {
    settings = from;
    const Frequencies all = frequencies(settings);
    attention_factor = all.attention_factor;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const bool moves = pairs[i].rotates && i < all.inverse_frequencies.size();
        pairs[i].frequency = moves ? all.inverse_frequencies[i] : 0.0;
    }
}

void Rotary::change(const Scaling& scaling, std::int64_t length, std::span<const std::int64_t> frozen) {
    if (scaling.method != ScalingMethod::none) {
        if (shift != Shift::none) {
            throw BadInput("The scaling " + std::string(word_of(scaling.method)) +
                           " requires a constant theta, but this run changed theta during training; remove the "
                           "scaling.");
        }
        FrequencySettings scaled = settings;
        scaled.scaling = scaling;
        scaled.length = static_cast<double>(length);
        set_frequencies(scaled);
    }
    for (const std::int64_t pair : frozen) {
        if (pair >= std::ssize(pairs)) continue;
        RotaryPair& frozen_pair = pairs[static_cast<std::size_t>(pair)];
        frozen_pair = {.decay = frozen_pair.decay};
    }
}

std::vector<std::int64_t> Rotary::order_of_channels() const {
    const bool is_canonical =
        pairing == Pairing::half && (settings.partial == Partial::truncate || settings.fraction == 1.0);
    if (is_canonical || pairs.empty()) return {};
    const auto channels = static_cast<int>(2 * pairs.size());
    return canonical_channels(channels, rotary_dim(channels, settings.fraction), settings.partial, pairing);
}

std::string Rotary::kind_text() const {
    return words_of(kind).name + (channels.empty() ? "" : ", " + channels) +
           (pairing == Pairing::interleaved ? ", interleaved pairs" : "");
}

AnatomyStage Rotary::stage(const PlanSizes& sizes, const Heads& heads) const {
    AnatomyStage stage = {.id = "attention.rotation",
                          .name = "Rotation of queries and keys",
                          .kind = kind_text(),
                          .symbols = "(B, h, T, D)",
                          .shape = extents({sizes.B, heads.h, sizes.T, heads.D}),
                          .formula = words_of(kind).formula,
                          .settings = {"position", "theta", "fraction", "frequencies"}};
    if (const char* setting = words_of(kind).setting) stage.settings.emplace_back(setting);
    return stage;
}

AnatomyStage Rotary::stage_of_channels(const PlanSizes& sizes, Count heads, Count rotary_channels) const {
    return {.id = "attention.rotation",
            .name = "Rotation of the rotary channels",
            .kind = kind_text(),
            .symbols = "(B, h, T, D_r)",
            .shape = extents({sizes.B, heads, sizes.T, rotary_channels}),
            .formula = "q^R_m ← R(m·g)·q^R_m,  k^R_n ← R(n·g)·k^R_n",
            .settings = {"position", "theta", "fraction", "frequencies", "rotary_channels"}};
}

}  // namespace ropelab
