#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/selection.h"
#include "core/rope/encodings.h"
#include "core/settings/keys.h"
#include "core/settings/run_spec.h"

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

void check_key_offset(const RunSpec& spec) {
    if (spec.key_offset == "none") return;
    const std::vector<bool> shifted = selection(spec.key_offset, spec.layers, "key_offset");
    const std::vector<bool> rotated = selection(spec.rotated_layers, spec.layers, "rotated_layers");
    const auto refuse = [&](const std::string& why) {
        throw BadInput("The setting key_offset is \"" + spec.key_offset + "\", but " + why + ".");
    };
    if (spec.attention == AttentionKind::mla)
        refuse("with attention = mla, keys are computed from a latent vector; set key_offset to none");
    if (spec.rotates() && spec.encoding().rotation != PositionEncoding::Rotation::rope)
        refuse("the rotation of position = " + std::string(spec.encoding().choice.word) +
               " has no channels that stay as they are; set position to rope");
    const int channels = spec.rotates() ? rotary_dim(spec.head_dim(), spec.fraction) : 0;
    const bool rotates_all = channels == spec.head_dim() && spec.pairs == "all";
    for (std::size_t layer = 0; layer < shifted.size(); ++layer) {
        if (!shifted[layer]) continue;
        if (spec.layer_attention(static_cast<std::int64_t>(layer)) == LayerAttention::delta_net)
            refuse("layer " + std::to_string(layer) + " is a gated DeltaNet, which has no softmax over keys");
        if (rotates_all && rotated[layer])
            refuse("all channels of layer " + std::to_string(layer) + " rotate; set fraction below 1");
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
    if (spec.has_subwords() && (spec.data == "synthetic" || spec.data == "synthetic-local" ||
                                spec.data == "synthetic-window-8" || spec.data == "synthetic-window-32")) {
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
    check_key_offset(spec);
    if (spec.theta_schedule == ThetaSchedule::drop && spec.rotates()) {
        if (spec.encoding().rotation != PositionEncoding::Rotation::rope)
            throw BadInput(
                "With theta_schedule = drop, position must be rope or a sum with it, because the rotation of " +
                std::string(spec.encoding().choice.word) + " has more than angles.");
        if (spec.recalibration > spec.iterations)
            throw BadInput("The setting recalibration is " + std::to_string(spec.recalibration) +
                           ", but it must not exceed iterations, which is " + std::to_string(spec.iterations) + ".");
    }
    if (spec.final_learning_rate > spec.learning_rate) {
        throw BadInput("The setting final_learning_rate is " + number_text(spec.final_learning_rate) +
                       ", but it must not exceed learning_rate, which is " + number_text(spec.learning_rate) + ".");
    }
}

}  // namespace ropelab
