#include "core/spec/run_spec.h"

#include <algorithm>
#include <cmath>

#include "core/rope/encodings.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "core/spec/numbers.h"
#include "core/spec/selection.h"

namespace ropelab {

namespace {

void check_encoding(const RunSpec& spec) {
    if (spec.has_distance_bias() && spec.largest_distance <= spec.distance_buckets / 2) {
        throw BadInput("The setting largest_distance is " + std::to_string(spec.largest_distance) +
                       ", but it must be above half the number of distance_buckets, which is " +
                       std::to_string(spec.distance_buckets) + ".");
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
    const int pairs = rotary_dim(spec.head_dim(), spec.fraction) / 2;
    if (std::ssize(listed) != pairs) {
        throw BadInput("The number of listed frequencies is " + std::to_string(listed.size()) +
                       ", but it must be that of the rotated pairs of a head, which is " + std::to_string(pairs) +
                       "; join them by plus signs, as in 1+0.5+0.01.");
    }
}

}  // namespace

void check(const RunSpec& spec) {
    // Key::set checks the range of each value.
    RunSpec copy = spec;
    for (const Key& entry : keys()) entry.set(copy, entry.get(spec));

    if (spec.width % spec.heads != 0) {
        throw BadInput("The width " + std::to_string(spec.width) + " is not a multiple of the " +
                       std::to_string(spec.heads) + " heads; each head must have the same number of channels.");
    }
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
    if (spec.batch % spec.sequences_per_pass() != 0) {
        throw BadInput("The setting micro_batch is " + std::to_string(spec.micro_batch) +
                       ", but it must divide the batch size, which is " + std::to_string(spec.batch) +
                       "; 0 means the whole batch.");
    }
    // The kernels of a CUDA device compute dropout masks in groups of four numbers.
    if (spec.dropout > 0 && spec.micro_batch > 0 && spec.micro_batch * spec.context % 4 != 0) {
        throw BadInput("With dropout, a micro_batch of " + std::to_string(spec.micro_batch) + " sequences of " +
                       std::to_string(spec.context) +
                       " tokens is not possible, because its number of tokens must be a multiple of 4.");
    }
    check_encoding(spec);
    check_frequencies(spec);
    if (spec.rotates()) selection(spec.pairs, spec.head_dim() / 2, "pairs");
    selection(spec.rotated_layers, spec.layers, "rotated_layers");
    if (spec.final_learning_rate > spec.learning_rate) {
        throw BadInput("The setting final_learning_rate is " + number_text(spec.final_learning_rate) +
                       ", but it must not exceed learning_rate, which is " + number_text(spec.learning_rate) + ".");
    }
}

std::int64_t RunSpec::hidden_width() const {
    if (mlp_width > 0) return mlp_width;
    if (block != Block::llama) return 4 * width;
    return (8 * width / 3 + 7) / 8 * 8;
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
    return {.head_dim = spec.head_dim(),
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

// Returns the label of T5's bias: "T5 bias", with the settings that are not T5's own.
std::string bias_label(const RunSpec& spec) {
    std::string label = "T5 bias";
    if (spec.distance_buckets != RunSpec{}.distance_buckets) {
        label += ", " + std::to_string(spec.distance_buckets) + " buckets";
    }
    if (spec.largest_distance != RunSpec{}.largest_distance) {
        label += ", up to distance " + std::to_string(spec.largest_distance);
    }
    return label;
}

std::string position_label(const RunSpec& spec) {
    if (spec.position == Position::alibi) return "ALiBi";
    if (spec.position == Position::sinusoidal) return "sinusoidal";
    if (spec.position == Position::shaw) return "Shaw, clip " + std::to_string(spec.relative_clip);
    if (spec.position == Position::t5) return bias_label(spec);
    if (spec.position == Position::transformer_xl) return "Transformer-XL";
    if (spec.position == Position::cope) return "CoPE, " + std::to_string(spec.cope_positions) + " positions";
    std::string learned = spec.learns_positions() ? (spec.rotates() ? "learned + " : "learned positions") : "";
    if (spec.position == Position::rope_bias) learned = bias_label(spec) + " + ";
    if (spec.position == Position::xpos) {
        const bool is_default = spec.xpos_scale_base == RunSpec{}.xpos_scale_base;
        learned = is_default ? "xPos, " : "xPos, scale base " + short_number(spec.xpos_scale_base) + ", ";
    }
    if (!spec.rotates()) return learned.empty() ? "NoPE" : learned;
    if (spec.fraction == 0) return learned + "RoPE 0 %";
    const int rotated = rotary_dim(spec.head_dim(), spec.fraction);
    std::string fraction = fraction_text(spec.fraction, static_cast<int>(spec.head_dim()));
    if (spec.partial == Partial::truncate && rotated < spec.head_dim()) fraction += " truncated";
    if (spec.pairs != "all") fraction += ", pairs " + spec.pairs;
    if (spec.rotated_layers != "all") fraction += ", layers " + spec.rotated_layers;
    if (spec.rope_precision == RopePrecision::bfloat16_tables) fraction += ", bfloat16 tables";
    if (spec.rope_precision == RopePrecision::bfloat16_positions) fraction += ", bfloat16 positions";
    if (spec.frequencies != "auto") return learned + "frequencies " + spec.frequencies + ", " + fraction;
    std::string theta = short_number(spec.theta);
    if (spec.theta_schedule != ThetaSchedule::constant) {
        theta += " → " + short_number(spec.theta_end) + " (" + to_text(key("theta_schedule").get(spec)) + ")";
    }
    if (spec.theta_training != ThetaTraining::fixed) {
        theta += " trained (" + to_text(key("theta_training").get(spec)) + ")";
    }
    return learned + "θ " + theta + ", " + fraction;
}

// Returns whether runs with these position encodings can be in one cohort. All encodings but learned embeddings and
// RoPE have no parameter per run or weights of their own, so a cohort applies them to all of its runs or to none.
bool same_encoding(Position a, Position b) {
    const auto can_be_mixed = [](Position position) { return position < Position::sinusoidal; };
    return a == b || (can_be_mixed(a) && can_be_mixed(b));
}

}  // namespace

std::string label_of(const RunSpec& spec) {
    std::string label = position_label(spec);
    if (spec.visible_tokens() < spec.context) label += ", attention window " + std::to_string(spec.attention_window);
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
