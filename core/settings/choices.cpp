#include "core/settings/choices.h"

#include <array>

namespace ropelab {

std::span<const PositionEncoding> position_encodings() {
    using Scores = PositionEncoding::Scores;
    using Rotation = PositionEncoding::Rotation;
    using Embeddings = PositionEncoding::Embeddings;
    static const std::vector<PositionEncoding::Own> buckets = {{"distance_buckets", "", " buckets"},
                                                               {"largest_distance", "up to distance "}};
    static const auto rows = std::to_array<PositionEncoding>({
        {{.label = "NoPE"},
         {"none", Position::none, "NoPE",
          "No position encoding: the model can learn positions only from the causal mask."}},
        {{.label = "learned positions", .embeddings = Embeddings::learned},
         {"learned", Position::learned, "",
          "Absolute position encoding: a learned embedding of each position is added to the token embeddings.",
          "learned and sinusoidal add position embeddings"}},
        {{.rotation = Rotation::rope},
         {"rope", Position::rope, "RoPE",
          "RoPE rotates queries and keys by their position. Su et al. 2021; formula 3 of the guide",
          "rope rotates queries and keys"}},
        {{.label = "learned", .rotation = Rotation::rope, .embeddings = Embeddings::learned},
         {"learned+rope", Position::learned_rope, "learned+RoPE",
          "The model combines learned position embeddings with RoPE."}},
        {{.label = "sinusoidal", .embeddings = Embeddings::sinusoidal, .settings = {{"sinusoidal_base", "base "}}},
         {"sinusoidal", Position::sinusoidal, "",
          "Fixed sines and cosines of the position (sinusoidal embeddings) are added to the token embeddings, which "
          "are multiplied by √C, where C is the width of the model. Vaswani et al. 2017; formula 30 of the guide"}},
        {{.label = "ALiBi", .scores = Scores::alibi},
         {"alibi", Position::alibi, "ALiBi",
          "ALiBi subtracts slope_h·Δ from each attention logit, where Δ is the distance in tokens and slope_h is a "
          "constant of head h. Press et al. 2022; formula 25 of the guide",
          "alibi lowers attention logits in proportion to the distance"}},
        {{.label = "Shaw",
          .scores = Scores::shaw,
          .learns_scores = true,
          .settings = {{"relative_clip", "clip ", "", true}}},
         {"shaw", Position::shaw, "Shaw (relative)",
          "Relative position encoding: learned vectors that depend on the distance, clipped at relative_clip tokens, "
          "are added to keys and values. Shaw et al. 2018; formula 39 of the guide",
          "shaw adds learned vectors of distances to keys and values"}},
        {{.label = "T5 bias", .scores = Scores::distance_bias, .learns_scores = true, .settings = buckets},
         {"t5", Position::t5, "T5 bias",
          "Relative position bias of T5: a learned bias per head and bucket of distances is added to the attention "
          "logits. Raffel et al. 2020; formula 40 of the guide",
          "t5 adds a learned bias by distance to the logits, and rope+bias combines this bias with RoPE"}},
        {{.label = "Transformer-XL", .scores = Scores::transformer_xl, .learns_scores = true},
         {"transformer-xl", Position::transformer_xl, "Transformer-XL",
          "Relative position encoding of Transformer-XL: attention logits also compare queries with projected "
          "sinusoidal embeddings of the distance. Dai et al. 2019; formula 41 of the guide",
          "transformer-xl compares queries with sinusoidal embeddings of distances"}},
        {{.label = "xPos", .rotation = Rotation::xpos, .settings = {{"xpos_scale_base", "scale base "}}},
         {"xpos", Position::xpos, "xPos",
          "RoPE with a decay: the logit terms of pairs with high frequencies shrink with the distance. Sun et al. "
          "2022; formula 42 of the guide",
          "xpos is RoPE with a decay"}},
        {{.label = "CoPE",
          .scores = Scores::cope,
          .learns_scores = true,
          .settings = {{"cope_positions", "", " positions", true}}},
         {"cope", Position::cope, "CoPE",
          "Contextual position encoding: positions count the tokens from key to query, weighted by gates that are "
          "computed from the query and the keys. Golovneva et al. 2024; formula 43 of the guide",
          "cope counts positions by gates"}},
        {{.label = "T5 bias",
          .scores = Scores::distance_bias,
          .rotation = Rotation::rope,
          .learns_scores = true,
          .settings = buckets},
         {"rope+bias", Position::rope_bias, "RoPE + bias",
          "RoPE rotates queries and keys, and T5's learned bias per distance is added to the attention logits. Formula "
          "40 of the guide"}},
        {{.label = "FoPE", .rotation = Rotation::fope, .settings = {{"fourier_deviation"}}},
         {"fope", Position::fope, "FoPE",
          "RoPE in which every pair adds up the frequencies of all pairs, and the pairs with the lowest frequencies do "
          "not rotate. Hua et al. 2024; formula 62 of the guide",
          "fope is RoPE with the frequencies of the other pairs added to each pair"}},
        {{.label = "KERPLE", .scores = Scores::kerple, .learns_scores = true},
         {"kerple", Position::kerple, "KERPLE",
          "Logarithmic KERPLE lowers attention logits by r₁·ln(1 + r₂·Δ), where Δ is the distance in tokens and each "
          "head learns r₁ and r₂. Chi et al. 2022; formula 63 of the guide",
          "kerple lowers attention logits by a learned logarithm of the distance"}},
    });
    return rows;
}

const PositionEncoding& encoding_of(Position position) {
    return choice_row(position_encodings(), position);
}

bool PositionTraits::has(std::string_view setting) const {
    return std::any_of(settings.begin(), settings.end(), [&](const Own& own) { return own.key == setting; });
}

Position without_rotation(Position position) {
    const PositionEncoding& rotated = encoding_of(position);
    for (const PositionEncoding& other : position_encodings()) {
        const bool is_same = other.embeddings == rotated.embeddings && other.scores == rotated.scores;
        if (is_same && !other.rotates()) return other.choice.value;
    }
    throw std::logic_error("An encoding with rotation has no counterpart without it.");
}

std::span<const NormFacts> norms() {
    static constexpr auto rows = std::to_array<NormFacts>({
        {{"auto", NormKind::automatic, "",
          "Uses LayerNorm in gpt2 and pythia blocks, and RMSNorm in llama blocks. Formula 52 of the guide"}},
        {{"layernorm", NormKind::layer, "LayerNorm",
          "LayerNorm subtracts the mean of the channels and divides by their standard deviation. Formula 52 of the "
          "guide",
          "layernorm"}},
        {{"rmsnorm", NormKind::rms, "RMSNorm",
          "RMSNorm divides by the root mean square of the channels. Formula 52 of the guide", "rmsnorm"}},
        {{"zero-centered-rmsnorm", NormKind::zero_centred_rms, "zero-centered RMSNorm",
          "RMSNorm whose learned factor is 1 + w; w starts at 0 and has weight decay, as in Qwen3-Next. Formula 52 of "
          "the guide",
          "zero-centered-rmsnorm, whose factor is 1 + w with weight decay on w"}},
        {{"dyt", NormKind::dyt, "Dynamic Tanh",
          "Dynamic Tanh replaces the normalization by a scaled tanh of each channel. Zhu et al. 2025; formula 53 of "
          "the guide",
          "dyt, a scaled tanh"}},
    });
    return rows;
}

std::span<const TokenizerFacts> tokenizers() {
    static constexpr auto rows = std::to_array<TokenizerFacts>({
        {{"auto", Tokenizer::automatic}},
        {{"characters", Tokenizer::characters, "", "",
          "characters and bytes (auto: characters if the file is valid UTF-8, except for enwik8 and folders)"}},
        {{"bytes", Tokenizer::bytes}},
        {.choice = {"bpe", Tokenizer::bpe, "", "",
                    "bpe and unigram (subwords that SentencePiece finds in the training split)"},
         .is_trained = true},
        {.choice = {"unigram", Tokenizer::unigram}, .is_trained = true},
        {.choice = {"words", Tokenizer::words, "", "", "words (its most frequent words)"}, .is_trained = true},
        {{"", Tokenizer::file, "", "", "or a file: a tokenizer.json, a SentencePiece .model, or a file of tiktoken"}},
    });
    return rows;
}

const TokenizerFacts& facts_of(Tokenizer tokenizer) {
    return choice_row(tokenizers(), tokenizer);
}

}  // namespace ropelab
