#include "core/spec/run_spec.h"

#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "core/spec/selection.h"

namespace ropelab {

void check(const RunSpec& spec) {
    // Each value alone: setting it again asks its key for the range.
    RunSpec copy = spec;
    for (const Key& entry : keys()) entry.set(copy, entry.get(spec));

    if (spec.width % spec.heads != 0) {
        throw BadInput("The width " + std::to_string(spec.width) + " is not a multiple of the " +
                       std::to_string(spec.heads) + " heads; each head needs the same number of channels.");
    }
    if (spec.rotates() && spec.head_dim() % 2 != 0) {
        throw BadInput("The head dimension is " + std::to_string(spec.head_dim()) + " (width " +
                       std::to_string(spec.width) + " over " + std::to_string(spec.heads) +
                       " heads), but rotation needs an even one.");
    }
    if (spec.heads % spec.kv_heads() != 0) {
        throw BadInput(
            "The key key_value_heads is " + std::to_string(spec.key_value_heads) + ", but the " +
            std::to_string(spec.heads) +
            " heads must fall into groups of equal size; it must divide them, or be 0 for as many as heads.");
    }
    if (spec.theta_training != ThetaTraining::fixed) {
        if (!spec.rotates()) {
            throw BadInput(
                "The key theta_training asks for a trained theta, but this model does not rotate; set position "
                "to rope or theta_training to fixed.");
        }
        if (spec.theta_schedule != ThetaSchedule::constant) {
            throw BadInput(
                "Theta cannot be trained and follow a schedule; set theta_training to fixed or "
                "theta_schedule to constant.");
        }
        if (spec.theta_training == ThetaTraining::head && spec.kv_heads() != spec.heads) {
            throw BadInput("A theta of each head needs as many heads of keys as of queries; set key_value_heads to 0.");
        }
    }
    if (spec.rotates()) selection(spec.pairs, spec.head_dim() / 2, "pairs");
    selection(spec.rotated_layers, spec.layers, "rotated_layers");
    if (spec.final_learning_rate > spec.learning_rate) {
        throw BadInput("The key final_learning_rate is " + number_text(spec.final_learning_rate) +
                       ", but it must not exceed learning_rate, which is " + number_text(spec.learning_rate) + ".");
    }
}

std::int64_t RunSpec::hidden_width() const {
    if (mlp_width > 0) return mlp_width;
    if (block != Block::llama) return 4 * width;
    return (8 * width / 3 + 7) / 8 * 8;
}

namespace {

std::string position_label(const RunSpec& spec) {
    if (spec.position == Position::alibi) return "ALiBi";
    if (spec.position == Position::sinusoidal) return "sinusoidal";
    const std::string learned = spec.learns_positions() ? (spec.rotates() ? "learned + " : "learned positions") : "";
    if (!spec.rotates()) return learned.empty() ? "no positions" : learned;
    if (spec.fraction == 0) return learned + "no rotation";
    const int turned = rotary_dim(spec.head_dim(), spec.fraction);
    std::string share = turned == 2 && spec.fraction < 0.1 ? std::string("2 ch") : percent_text(spec.fraction) + " %";
    if (spec.partial == Partial::truncate && turned < spec.head_dim()) share += " truncated";
    if (spec.pairs != "all") share += ", pairs " + spec.pairs;
    if (spec.rotated_layers != "all") share += ", layers " + spec.rotated_layers;
    std::string theta = short_number(spec.theta);
    if (spec.theta_schedule != ThetaSchedule::constant) {
        theta += " → " + short_number(spec.theta_end) + " (" + to_text(key("theta_schedule").get(spec)) + ")";
    }
    if (spec.theta_training != ThetaTraining::fixed) {
        theta += " trained (" + to_text(key("theta_training").get(spec)) + ")";
    }
    return learned + "θ " + theta + ", " + share;
}

// Two fixed encodings have nothing that a cohort could hold per run.
bool same_encoding(Position a, Position b) {
    const auto joins = [](Position position) {
        return position != Position::alibi && position != Position::sinusoidal;
    };
    return a == b || (joins(a) && joins(b));
}

}  // namespace

std::string label_of(const RunSpec& spec) {
    std::string label = position_label(spec);
    if (spec.visible_tokens() < spec.context) label += ", window " + std::to_string(spec.attention_window);
    return label;
}

bool same_shape(const RunSpec& a, const RunSpec& b) {
    if (a.learns_positions() != b.learns_positions() || a.theta_moves() != b.theta_moves()) return false;
    if (!same_encoding(a.position, b.position)) return false;
    RunSpec other = b;
    other.theta = a.theta;
    other.fraction = a.fraction;
    other.partial = a.partial;
    other.pairs = a.pairs;
    other.rotated_layers = a.rotated_layers;
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
