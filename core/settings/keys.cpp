#include "core/settings/keys.h"

#include <algorithm>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

// The values of `head` and `none` are true and false, because labs and scripts store them so.
Key qk_norm_key() {
    Key result{
        {.name = "qk_norm",
         .group = "model",
         .meaning = "RMSNorm of queries and keys before rotation (QK norm): true normalizes each head, projection "
                    "normalizes the channels of all heads of a token together (OLMo 2); false leaves it out.",
         .choices = {{"false", "", "Queries and keys are not normalized (no QK norm)."},
                     {"true", "",
                      "QK norm: RMSNorm is applied to the queries and keys of each head. Henry et al. 2020"},
                     {"projection", "QK norm of the whole projection",
                      "QK norm as in OLMo 2: one RMSNorm is applied to the queries of all heads of a token together, "
                      "and one to the keys of all heads."}},
         .kind = SettingFacts::Kind::flag},
        {},
        {}};
    result.get = [](const RunSpec& spec) -> Value {
        if (spec.qk_norm == QkNorm::projection) return std::string("projection");
        return spec.qk_norm == QkNorm::head;
    };
    result.set = [](RunSpec& spec, const Value& value) {
        const std::string word = current_value("qk_norm", to_text(value));
        if (word != "false" && word != "true" && word != "projection") {
            throw BadInput("The setting qk_norm is \"" + word +
                           "\", but it must be false (or none), true (or head), or projection.");
        }
        spec.qk_norm = word == "projection" ? QkNorm::projection : word == "true" ? QkNorm::head : QkNorm::none;
    };
    return result;
}

// Adds the earlier words (core/base/aliases.h).
Key with_earlier_words(Key key) {
    key.set = [set = key.set, name = key.name](RunSpec& spec, const Value& value) {
        set(spec, current_value(name, to_text(value)));
    };
    return key;
}

Key word_key(SettingFacts facts, std::string RunSpec::*member) {
    Key result{facts, {}, {}};
    result.get = [member](const RunSpec& spec) -> Value { return spec.*member; };
    result.set = [member, name = facts.name](RunSpec& spec, const Value& value) {
        const auto* word = std::get_if<std::string>(&value);
        if (!word || word->empty())
            throw BadInput("The setting " + std::string(name) + " is \"" + to_text(value) +
                           "\", but it must be a text that is not empty.");
        spec.*member = current_value(name, *word);
    };
    return result;
}

template <typename Rows>
auto choices_of(const Rows& rows) {
    std::vector<std::decay_t<decltype(rows.front().choice)>> choices;
    for (const auto& row : rows) choices.push_back(row.choice);
    return choices;
}

// The clauses of the choices in the help of their setting.
template <typename Kind>
std::string clauses_of(const std::vector<ChoiceOf<Kind>>& choices, std::string_view separator = "; ") {
    std::vector<std::string_view> clauses;
    for (const auto& choice : choices) {
        if (!choice.help.empty()) clauses.push_back(choice.help);
    }
    return joined(clauses, separator);
}

// The default comes first.
std::string position_clauses() {
    std::vector<ChoiceOf<Position>> choices = choices_of(position_encodings());
    std::ranges::stable_partition(choices, [](const auto& each) { return each.value == RunSpec{}.position; });
    return clauses_of(choices);
}

// The value is a word, or the name of a file that contains a tokenizer.
Key tokenizer_key() {
    Key result{
        {.name = "tokenizer", .group = "data", .meaning = "Tokenizer: " + clauses_of(choices_of(tokenizers())) + "."},
        {},
        {}};
    result.get = [](const RunSpec& spec) -> Value {
        if (spec.tokenizer == Tokenizer::file) return spec.tokenizer_file;
        return std::string(facts_of(spec.tokenizer).choice.word);
    };
    result.set = [](RunSpec& spec, const Value& value) {
        const std::string word = to_text(value);
        const auto words = choices_of(tokenizers());
        const bool is_file = word.ends_with(".json") || word.ends_with(".model") || word.ends_with(".tiktoken");
        const auto found = std::ranges::find(words, word, &ChoiceOf<Tokenizer>::word);
        if (!is_file && (word.empty() || found == words.end())) {
            // The last word, that of files, is empty.
            throw BadInput("The setting tokenizer is \"" + word + "\", but it must be " +
                           joined(words, ", ", &ChoiceOf<Tokenizer>::word) +
                           "or a file whose name ends with .json, .model or .tiktoken.");
        }
        spec.tokenizer = is_file ? Tokenizer::file : found->value;
        spec.tokenizer_file = is_file ? word : "";
    };
    return result;
}

bool rotates_pairs(const RunSpec& spec) {
    return spec.rotates() && spec.fraction > 0;
}

std::vector<Key> make_keys() {
    using R = RunSpec;
    std::vector<Key> made = {
        word_key(
            {"data", "data", "",
             "Data set to train on: synthetic, synthetic-local, synthetic-window-8 or synthetic-window-32 (synthetic "
             "languages), tinyshakespeare, enwik8, "
             "text8, a text file, or a folder of files of any size, which are read as bytes in the order of their "
             "names."},
            &R::data),
        tokenizer_key(),
        number_key<R>({"vocabulary_size", "data", "tokens",
                       "Maximum vocabulary size of the tokenizers bpe, unigram and words, 256 byte tokens included; a "
                       "short text yields fewer tokens. 0 (auto) means 1,024.",
                       0, 65536},
                      &R::vocabulary_size)
            .when([](const R& r) { return r.trains_tokenizer(); }),
        choice_key<R, Split>({"split", "data", "",
                              "Percentages of the text for training and validation, in the order of the text. 90/5/5 "
                              "reserves the last 5 % as a test set."},
                             {{"90/10", Split::ninety_ten}, {"90/5/5", Split::ninety_five_five}}, &R::split),
        number_key<R>({"data_seed", "data", "", "Random seed of a synthetic data set.", 0, unlimited}, &R::data_seed),
        number_key<R>(
            {"data_length", "data", "characters",
             "Length of a synthetic data set in characters, before the split into training and validation text.", 1000,
             1e9},
            &R::data_length),

        number_key<R>({"layers", "model", "", "Number of transformer blocks.", 1, 128}, &R::layers),
        number_key<R>({"heads", "model", "", "Number of attention heads per block.", 1, 128}, &R::heads),
        number_key<R>({"width", "model", "channels",
                       "Width of the residual stream (embedding dimension). It must be a multiple of heads.", 2, 16384},
                      &R::width),
        number_key<R>(
            {"context", "model", "tokens",
             "Context length: the number of tokens per training sequence, and the largest number of tokens in "
             "attention.",
             2, 131072},
            &R::context),
        choice_key<R, Block>(
            {"block", "model", "",
             "Type of transformer block. gpt2 has LayerNorm and GELU; llama has RMSNorm and SwiGLU; pythia is "
             "gpt2 with attention and MLP in parallel."},
            {{"gpt2", Block::gpt2}, {"llama", Block::llama}, {"pythia", Block::pythia}}, &R::block),
        number_key<R>(
            {"key_value_heads", "model", "",
             "Number of key and value heads (grouped-query attention); 0 (auto) means one per query head.", 0, 128},
            &R::key_value_heads),
        choice_key<R, FeedForward>(
            {"feed_forward", "model", "",
             "Activation of the feed-forward network; auto means the activation of the block type (llama: swiglu, else "
             "gelu). " +
                 clauses_of(choices_of(activations()), ", ") + ". " +
                 words_with(
                     activations(), [](const auto& row) { return row.activation.is_gated; }, " and ") +
                 " multiply two projections."},
            choices_of(activations()), &R::feed_forward),
        number_key<R>(
            {"mlp_width", "model", "channels",
             "Hidden width of the MLP, or of each expert; 0 (auto) means 4 × width (gated: 8/3 × width, because "
             "a gated network has three matrices).",
             0, 65536},
            &R::mlp_width),
        number_key<R>(
            {"multiple_of", "model", "channels",
             "The automatic hidden width of a gated feed-forward network is rounded up to a multiple of this number.",
             1, 4096},
            &R::multiple_of)
            .when([](const R& r) { return r.mlp_width == 0 && r.gates_feed_forward(); }),
        number_key<R>({"experts", "model", "",
                       "Number of experts per layer (mixture of experts): feed-forward networks, of which "
                       "a router chooses some for each token; 0 means one dense network.",
                       0, 256},
                      &R::experts),
        number_key<R>({"experts_per_token", "model", "",
                       "Number of experts that process each token. If the number is 1, the expert's output is "
                       "multiplied by its router probability among all experts; otherwise the experts' outputs are "
                       "multiplied by their probabilities among the chosen experts.",
                       1, 256},
                      &R::experts_per_token)
            .when([](const R& r) { return r.experts > 0; }),
        number_key<R>({"expert_capacity", "model", "",
                       "Capacity factor c: in training an expert processes at most c × experts_per_token × tokens "
                       "of the batch / experts, and further tokens skip this expert; 0 means no limit. Evaluation has "
                       "no limit.",
                       0, 1000},
                      &R::expert_capacity)
            .when([](const R& r) { return r.experts > 0; }),
        number_key<R>({"expert_balance", "model", "",
                       "Weight of the load-balancing loss, which is added to the training loss for each layer with "
                       "experts (Fedus et al. 2022 use 0.01); 0 turns it off.",
                       0, 1000},
                      &R::expert_balance)
            .when([](const R& r) { return r.experts > 0; }),
        flag_key<R>({"expert_noise", "model", "",
                     "If true, the router of the experts adds noise of a learned size to its logits in training (noisy "
                     "top-k gating)."},
                    &R::expert_noise)
            .when([](const R& r) { return r.experts > 0; }),
        choice_key<R, SecondExpert>(
            {"second_expert", "model", "",
             "Use of a token's second expert in training: always, or random with the probability min(2p, 1), where p "
             "is the router's probability for this expert. random requires experts_per_token = 2."},
            {{"always", SecondExpert::always, "",
              "Every token is also routed to the expert with the second-highest router probability."},
             {"random", SecondExpert::random, "",
              "In training, a token is routed to its second expert with the probability min(2p, 1), where p is the "
              "router's probability for this expert. Lepikhin et al. 2021; formula 49 of the guide"}},
            &R::second_expert)
            .when([](const R& r) { return r.experts > 0; }),
        number_key<R>({"router_deviation", "model", "",
                       "Standard deviation of the initial weights of the router that chooses experts; 0 starts with "
                       "equal logits for all experts.",
                       0, 10},
                      &R::router_deviation)
            .when([](const R& r) { return r.experts > 0; }),
        number_key<R>(
            {"dense_layers", "model", "",
             "Number of layers, counted from the first, that have one dense feed-forward network instead of experts.",
             0, 128},
            &R::dense_layers)
            .when([](const R& r) { return r.experts > 0; }),
        qk_norm_key(),
        choice_key<R, NormKind>({"norm", "model", "",
                                 "Normalization of the residual stream: " + clauses_of(choices_of(norms())) +
                                     ". auto means the normalization of the block type."},
                                choices_of(norms()), &R::norm),
        choice_key<R, NormPosition>(
            {"norm_position", "model", "",
             "Places of the norms: pre puts them before each branch (attention, MLP) and before the output head; post "
             "puts them after the sum of branch and residual stream; sandwich is pre with one more norm on the output "
             "of each branch."},
            {{"pre", NormPosition::pre, "",
              "Pre-norm: normalizations are before attention, before the MLP, and after the last block. Formula 54 of "
              "the guide"},
             {"post", NormPosition::post, "",
              "Post-norm: normalizations follow the addition of each branch (attention, MLP) to the residual stream, "
              "as in the original Transformer. Formula 54 of the guide"},
             {"sandwich", NormPosition::sandwich, "",
              "Sandwich norm: normalizations are before each branch (attention, MLP), on its output, and after the "
              "last block, as in Gemma 2. Formula 54 of the guide"}},
            &R::norm_position),
        flag_key<R>(
            {"deepnorm", "model", "",
             "If true, each branch is added to (2·layers)^¼ times the residual stream, and weights of values, "
             "attention outputs and MLPs start (8·layers)^−¼ times as large (DeepNet). It requires norm_position = "
             "post."},
            &R::deepnorm),
        choice_key<R, Initialization>(
            {"initialization", "model", "",
             "Standard deviation of the initial weights of linear layers. gpt2: 0.02, and 0.02/√(2·layers) for "
             "projections into the residual stream; xavier: √(2/(inputs + outputs))."},
            {{"gpt2", Initialization::gpt2}, {"xavier", Initialization::xavier}}, &R::initialization),
        flag_key<R>({"bias", "model", "", "If true, linear layers and LayerNorms have biases."}, &R::bias),
        flag_key<R>({"tied_head", "model", "",
                     "If true, the output head and the token embedding share their weights (weight tying)."},
                    &R::tied_head),
        flag_key<R>({"head_bias", "model", "",
                     "If true, the output head has a bias: one learned number per token of the vocabulary, 0 at first, "
                     "that is added to the logit of this token."},
                    &R::head_bias),
        number_key<R>(
            {"dropout", "model", "",
             "Dropout probability during training, after the embedding, in attention and on the residual branches.", 0,
             0.95},
            &R::dropout),
        choice_key<R, Position>({"position", "model", "", "Position encoding. " + position_clauses() + "."},
                                choices_of(position_encodings()), &R::position),
        number_key<R>({"relative_clip", "model", "tokens",
                       "With position = shaw: largest distance that has vectors of its own; all larger distances share "
                       "its vectors.",
                       0, 65536},
                      &R::relative_clip),
        number_key<R>({"distance_buckets", "model", "",
                       "With position = t5 or rope+bias: number of buckets, into which distances are grouped; each "
                       "bucket has one learned bias per head.",
                       2, 65536},
                      &R::distance_buckets),
        number_key<R>({"largest_distance", "model", "tokens",
                       "With position = t5 or rope+bias: distance from which on all distances share the last bucket "
                       "and its learned bias.",
                       2, 1e6},
                      &R::largest_distance),
        number_key<R>({"sinusoidal_base", "model", "",
                       "With position = sinusoidal: base of the frequencies of the embeddings, which is 10,000 in the "
                       "paper (formula 30 of the guide).",
                       1.0001, unlimited},
                      &R::sinusoidal_base),
        number_key<R>({"xpos_scale_base", "model", "tokens",
                       "With position = xpos: distance at which the term of a pair in the attention logit has decayed "
                       "to the factor ζ of the pair: 0.29 for the fastest pair, almost 1 for the slowest (formula 42 "
                       "of the guide). A larger number means less decay.",
                       1, unlimited},
                      &R::xpos_scale_base),
        number_key<R>({"fourier_deviation", "model", "",
                       "FoPE: σ of the random coefficients with which the frequencies of the other pairs are added to "
                       "each pair, σ/√K each for K pairs that rotate (formula 62 of the guide); with 0, FoPE only "
                       "freezes the pairs that complete less than one period in the context.",
                       0, 10},
                      &R::fourier_deviation),
        number_key<R>({"cope_positions", "model", "",
                       "With position = cope: number of learned position embeddings; positions beyond the last "
                       "embedding use the last one.",
                       2, 65536},
                      &R::cope_positions),
        word_key({"frequencies", "model", "",
                  "Frequencies of the rotated pairs in radians per token, such as 1+0.5+0.01, one per pair; "
                  "auto computes "
                  "them from theta."},
                 &R::frequencies)
            .when([](const R& r) { return rotates_pairs(r); }),
        choice_key<R, AttentionKind>(
            {"attention", "model", "",
             "Attention. mha has a query, key and value per head; mla computes keys and values from one latent "
             "vector per token (DeepSeek-V2); gated multiplies the output by a sigmoid gate (Qwen3-Next)."},
            {{"mha", AttentionKind::mha, "multi-head",
              "Multi-head or grouped-query attention: each head has its own queries; groups of heads share the keys "
              "and values of key_value_heads heads. Vaswani et al. 2017, Ainslie et al. 2023"},
             {"mla", AttentionKind::mla, "MLA",
              "Multi-head latent attention: keys and values of all heads are computed from one latent vector per "
              "token, which the KV cache stores; RoPE rotates separate channels. DeepSeek-AI 2024; formula 44 of the "
              "guide"},
             {"gated", AttentionKind::gated, "",
              "Gated attention: the output of each head is multiplied by a sigmoid gate per channel, which is computed "
              "from the layer's input. Qiu et al. 2025; formula 45 of the guide"}},
            &R::attention),
        number_key<R>({"latent_width", "model", "channels",
                       "Width of the latent vector of keys and values with attention=mla; 0 (auto) means 4 × head "
                       "dimension, but at most half the width.",
                       0, 16384},
                      &R::latent_width)
            .when([](const R& r) { return r.attention == AttentionKind::mla; }),
        number_key<R>(
            {"rotary_channels", "model", "channels",
             "With attention=mla, number of channels per head that RoPE rotates. They are added to the channels "
             "from the latent vector, which are not rotated; all heads share one rotated key. 0 (auto) means "
             "half the head dimension.",
             0, 1024},
            &R::rotary_channels)
            .when([](const R& r) { return r.attention == AttentionKind::mla; }),
        word_key(
            {"attention_layers", "model", "",
             "Attention of the layers, a pattern that repeats: full (whole context), window (attention_window) and "
             "deltanet (gated DeltaNet) with counts, such as 3 deltanet + 1 full. auto means window in all layers "
             "if attention_window is set, else full."},
            &R::attention_layers),
        flag_key<R>({"attention_sinks", "model", "",
                     "If true, each head has one more, learned logit in the denominator of its softmax, which belongs "
                     "to no key (attention sink, as in gpt-oss)."},
                    &R::attention_sinks),
        word_key({"key_offset", "model", "",
                  "Layers in which each key takes the channels that do not rotate from the key of the previous token "
                  "(partial key offset, Jordan et al.): none, all, a list like 0-2+5, or a pattern like 1of4."},
                 &R::key_offset),
        flag_key<R>({"token_smear", "model", "",
                     "If true, a learned part of the previous token's embedding is added to each token's embedding "
                     "(token smear, Jordan et al.)."},
                    &R::token_smear),
        number_key<R>(
            {"attention_window", "model", "tokens",
             "Sliding-window attention: each token attends to this many latest tokens, itself included; 0 means "
             "the whole context.",
             0, 131072},
            &R::attention_window),
        number_key<R>({"theta", "model", "",
                       "RoPE base θ. Pair i of a head with d channels rotates by θ^(−2i/d) radians per token.", 1.0001,
                       unlimited},
                      &R::theta)
            .when([](const R& r) { return rotates_pairs(r) && r.frequencies == "auto"; }),
        number_key<R>(
            {"fraction",
             "model",
             "",
             "Fraction of each head's channels that RoPE rotates (partial rotary factor), written as 0.25, 25 % "
             "or 6 ch (channels).",
             0,
             1,
             {},
             SettingFacts::Kind::fraction},
            &R::fraction)
            .when([](const R& r) { return r.rotates(); }),
        choice_key<R, Partial>(
            {"partial", "model", "",
             "Method for a fraction below 1: slice spreads the whole frequency spectrum over the rotated "
             "channels; truncate sets the lowest frequencies to 0."},
            {{"slice", Partial::slice}, {"truncate", Partial::truncate}}, &R::partial)
            .when([](const R& r) { return rotates_pairs(r) && r.fraction < 1; }),
        word_key(
            {"pairs", "model", "",
             "Pairs of each head that RoPE rotates, numbered from 0 (the fastest): all, or a list like 0-7+12. The "
             "other pairs are frozen (their frequency is 0)."},
            &R::pairs)
            .when([](const R& r) { return rotates_pairs(r); }),
        word_key({"rotated_layers", "model", "",
                  "Layers that apply RoPE, numbered from 0: all, a list like 0-2+5, or a pattern like 3of4 (three of "
                  "every four). The other layers do not rotate."},
                 &R::rotated_layers)
            .when([](const R& r) { return rotates_pairs(r); }),
        choice_key<R, RopePrecision>(
            {"rope_precision", "model", "",
             "Precision of the rotary tables. bfloat16-tables rounds cos and sin; bfloat16-positions rounds each "
             "position before its angle is computed, as some published programs did (257 becomes 256)."},
            {{"float32", RopePrecision::float32},
             {"bfloat16-tables", RopePrecision::bfloat16_tables},
             {"bfloat16-positions", RopePrecision::bfloat16_positions}},
            &R::rope_precision)
            .when([](const R& r) { return rotates_pairs(r); }),
        choice_key<R, ThetaTraining>(
            {"theta_training", "model", "",
             "Training of θ. fixed does not train it; one, layer and head train one θ per model, layer or head; "
             "free trains each frequency separately."},
            {{"fixed", ThetaTraining::fixed},
             {"one", ThetaTraining::one},
             {"layer", ThetaTraining::layer},
             {"head", ThetaTraining::head},
             {"free", ThetaTraining::free}},
            &R::theta_training)
            .when([](const R& r) { return rotates_pairs(r); }),
        choice_key<R, ThetaSchedule>({"theta_schedule", "model", "",
                                      "Schedule of θ: constant, a linear or geometric change from theta to "
                                      "theta_end over the iterations, or drop, which removes the rotation for "
                                      "the last steps (DroPE)."},
                                     {{"constant", ThetaSchedule::constant},
                                      {"linear", ThetaSchedule::linear},
                                      {"geometric", ThetaSchedule::geometric},
                                      {"drop", ThetaSchedule::drop}},
                                     &R::theta_schedule)
            .when([](const R& r) { return rotates_pairs(r); }),
        number_key<R>(
            {"theta_end", "model", "",
             "RoPE base θ at the last training step if theta_schedule is linear or geometric.", 1.0001, unlimited},
            &R::theta_end)
            .when([](const R& r) {
                return rotates_pairs(r) && r.theta_schedule != ThetaSchedule::constant &&
                       r.theta_schedule != ThetaSchedule::drop;
            }),
        number_key<R>({"recalibration", "model", "steps",
                       "Number of last steps without rotation with theta_schedule=drop; 0 (auto) means a tenth of the "
                       "iterations.",
                       0, 1e9},
                      &R::recalibration)
            .when([](const R& r) { return rotates_pairs(r) && r.theta_schedule == ThetaSchedule::drop; }),

        number_key<R>({"seed", "training", "", "Random seed of a run: of the initial weights, the batches and dropout.",
                       0, unlimited},
                      &R::seed),
        number_key<R>({"iterations", "training", "steps", "Number of training steps.", 0, 1e9}, &R::iterations),
        number_key<R>({"batch", "training", "sequences",
                       "Batch size: the number of sequences of the context length per training step.", 1, 65536},
                      &R::batch),
        number_key<R>(
            {"micro_batch", "training", "sequences",
             "Gradient accumulation: the number of sequences per forward and backward pass. It divides batch and "
             "limits memory; the result differs by rounding only. 0 means the whole batch.",
             0, 65536},
            &R::micro_batch),
        choice_key<R, BatchOrder>(
            {"batches", "training", "",
             "Order of the training sequences. random starts each sequence at a random offset of the text, with "
             "replacement; sequential reads the text in order, so no token repeats before its end."},
            {{"random", BatchOrder::random}, {"sequential", BatchOrder::sequential}}, &R::batches),
        number_key<R>(
            {"learning_rate", "training", "", "Peak learning rate, which is reached after the warm-up.", 0, 10},
            &R::learning_rate),
        number_key<R>({"final_learning_rate", "training", "",
                       "Final learning rate, which is reached at the end of the cosine decay.", 0, 10},
                      &R::final_learning_rate),
        number_key<R>(
            {"theta_learning_rate", "training", "",
             "Learning rate of log θ if θ is trained; 0 (auto) means the learning rate of the weights.", 0, 10},
            &R::theta_learning_rate)
            .when([](const R& r) { return rotates_pairs(r) && r.theta_training != ThetaTraining::fixed; }),
        number_key<R>({"warmup", "training", "steps",
                       "Number of warm-up steps, in which the learning rate rises linearly to its peak.", 0, 1e9},
                      &R::warmup),
        number_key<R>(
            {"decay_iterations", "training", "steps",
             "Step at which the cosine decay of the learning rate ends; 0 (auto) means the last iteration.", 0, 1e9},
            &R::decay_iterations),
        choice_key<R, OptimizerKind>(
            {"optimizer", "training", "",
             "Optimizer: adamw; sgd with momentum; muon, which orthogonalizes the updates of the layers' matrices "
             "and trains embeddings, output head and vectors with AdamW."},
            {{"adamw", OptimizerKind::adamw, "AdamW",
              "AdamW divides a running mean of the gradient by the square root of a running mean of the squared "
              "gradient."},
             {"sgd", OptimizerKind::sgd, "SGD", "Stochastic gradient descent with momentum. Formula 55 of the guide"},
             {"muon", OptimizerKind::muon, "Muon",
              "Muon orthogonalizes the momentum of the layers' matrices; AdamW trains the other weights. Jordan et al. "
              "2024; formula 55 of the guide"}},
            &R::optimizer),
        number_key<R>({"momentum", "training", "",
                       "Momentum of the optimizers sgd and muon; sgd with 0 is plain gradient descent. AdamW uses "
                       "beta1 instead.",
                       0, 0.99999},
                      &R::momentum)
            .when([](const R& r) { return r.optimizer != OptimizerKind::adamw; }),
        number_key<R>(
            {"weight_decay", "training", "",
             "Weight decay. It applies to matrices and to the weights of zero-centered norms, not to biases and "
             "other norm weights.",
             0, 10},
            &R::weight_decay),
        choice_key<R, WeightDecayKind>(
            {"weight_decay_kind", "training", "",
             "Weight decay: decoupled lowers the weights directly at each step; l2 adds weight_decay × weight to "
             "the gradient before the optimizer."},
            {{"decoupled", WeightDecayKind::decoupled},
             {"l2", WeightDecayKind::l2, "L2",
              "The weight decay is added to the gradient (L2), so AdamW also divides it by the root of the mean "
              "squared gradient. Formula 55 of the guide"}},
            &R::weight_decay_kind)
            .when([](const R& r) { return r.weight_decay != 0; }),
        number_key<R>(
            {"beta1", "training", "", "AdamW β₁: decay rate of the running mean of the gradient.", 0, 0.99999},
            &R::beta1)
            .when([](const R& r) { return r.optimizer != OptimizerKind::sgd; }),
        number_key<R>(
            {"beta2", "training", "", "AdamW β₂: decay rate of the running mean of the squared gradient.", 0, 0.99999},
            &R::beta2)
            .when([](const R& r) { return r.optimizer != OptimizerKind::sgd; }),
        number_key<R>(
            {"clip", "training", "",
             "Gradient clipping: the gradient of each run is scaled down to this norm if it is larger; 0 turns "
             "clipping off.",
             0, unlimited},
            &R::clip),

        number_key<R>({"evaluate_every", "evaluation", "steps",
                       "Number of training steps from one evaluation to the next.", 1, 1e9},
                      &R::evaluate_every),
        choice_key<R, Evaluation>(
            {"evaluation", "evaluation", "",
             "Validation data. whole uses every non-overlapping sequence of the validation split; sampled uses "
             "random batches, as nanoGPT does."},
            {{"whole", Evaluation::whole}, {"sampled", Evaluation::sampled}}, &R::evaluation),
        number_key<R>(
            {"evaluation_batches", "evaluation", "batches",
             "Number of random batches for the training loss of an evaluation and, with evaluation = sampled, "
             "for its validation loss.",
             1, 1e6},
            &R::evaluation_batches),
        number_key<R>({"sample_length", "evaluation", "tokens",
                       "Length of the text that the model generates at each evaluation; 0 generates none.", 0, 100000},
                      &R::sample_length),
        number_key<R>({"probe_every", "evaluation", "evaluations",
                       "Number of evaluations from one measurement of attention, queries and keys (a probe) to the "
                       "next; 0 turns these measurements off. Early in training they are more frequent.",
                       0, 1e9},
                      &R::probe_every),

        choice_key<R, Precision>(
            {"precision", "machine", "",
             "Precision of linear layers; auto uses bfloat16 if a measurement on this machine finds it at least 1.2 "
             "times as fast as float32; the first measurement decides for all runs of an experiment."},
            {{"auto", Precision::automatic}, {"float32", Precision::float32}, {"bfloat16", Precision::bfloat16}},
            &R::precision),
        choice_key<R, Device>(
            {"device", "machine", "", "Device for training; auto uses a CUDA device if there is one, else the CPU."},
            {{"auto", Device::automatic}, {"cpu", Device::cpu}, {"cuda", Device::cuda}}, &R::device),
        number_key<R>(
            {"threads", "machine", "", "Number of CPU threads for training; 0 (auto) means one per core.", 0, 1024},
            &R::threads),
        choice_key<R, Operations>(
            {"operations", "machine", "",
             "Kernels: fused combines several operations in one pass; eager runs each operation separately and "
             "generates text without a KV cache. The choice changes only the speed."},
            {{"fused", Operations::fused}, {"eager", Operations::eager}}, &R::operations),
        flag_key<R>({"rope_cache", "machine", "",
                     "If true, RoPE reads cos and sin from a cached table, otherwise it computes them at every call. "
                     "The choice changes only the speed."},
                    &R::rope_cache),
        with_earlier_words(choice_key<R, GraphUse>(
            {"cuda_graphs", "machine", "",
             "CUDA graphs replay a training step on a CUDA device: auto uses them if they passed the device check; off "
             "starts each operation separately; on uses them unchecked. The choice changes only the speed."},
            {{"auto", GraphUse::automatic, "",
              "A CUDA device launches each training step as one CUDA graph, if CUDA graphs passed a check on this "
              "device."},
             {"off", GraphUse::off, "",
              "A CUDA device launches the operations of a training step one by one, without CUDA graphs."},
             {"on", GraphUse::on, "",
              "A CUDA device launches each training step as one CUDA graph, without checking whether CUDA graphs work "
              "on this device."}},
            &R::cuda_graphs)),
    };
    // A setting of some encodings has an effect with these only.
    for (const PositionEncoding& encoding : position_encodings()) {
        for (const auto& [name, before, after, is_always_shown] : encoding.settings) {
            for (Key& each : made) {
                if (each.name != name) continue;
                each.matters = [name = each.name](const R& r) { return r.encoding().has(name); };
            }
        }
    }
    return made;
}

}  // namespace

std::span<const Key> keys() {
    static const std::vector<Key> table = make_keys();
    return table;
}

const Key& key(std::string_view name) {
    const std::string_view current = current_name(Alias::Kind::key, name);
    std::vector<std::string_view> names;
    for (const Key& each : keys()) {
        if (each.name == current) return each;
        names.push_back(each.name);
    }
    throw BadInput("There is no setting \"" + std::string(name) + "\"" +
                   hint(name, names, "", "; \"ropelab-cli --help keys\" lists all."));
}

bool changes_training(std::string_view key) {
    return std::none_of(keys().begin(), keys().end(),
                        [&](const Key& known) { return known.name == key && known.group == "evaluation"; });
}

Value parse_value(const Key& key, std::string_view text, const RunSpec& spec) {
    return parse_value(key, text, spec.head_dim());
}

double parse_fraction(std::string_view text, int head_dim) {
    const Key& fraction = key("fraction");
    return number_of(fraction, parse_value(fraction, text, head_dim));
}

}  // namespace ropelab
