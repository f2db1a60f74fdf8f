#include "core/spec/keys.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/spec/aliases.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

constexpr double unlimited = 1e15;

template <typename T>
Key number_key(std::string_view name, std::string_view group, std::string_view unit, std::string_view meaning,
               double minimum, double maximum, T RunSpec::*member) {
    Key result{name, group, unit, meaning, {}, minimum, maximum, {}, {}};
    result.get = [member](const RunSpec& spec) -> Value { return spec.*member; };
    result.set = [member, name, minimum, maximum](RunSpec& spec, const Value& value) {
        double number = 0;
        if (const auto* whole = std::get_if<std::int64_t>(&value)) {
            number = static_cast<double>(*whole);
        } else if (const auto* real = std::get_if<double>(&value)) {
            number = *real;
        } else {
            throw BadInput("The setting " + std::string(name) + " is \"" + to_text(value) +
                           "\", but it must be a number.");
        }
        if constexpr (std::is_integral_v<T>) {
            if (number != std::trunc(number)) {
                throw BadInput("The setting " + std::string(name) + " is " + number_text(number) +
                               ", but it must be a whole number.");
            }
        }
        if (!(number >= minimum && number <= maximum)) {
            const std::string range = maximum >= unlimited && !(number > maximum)
                                          ? number_text(minimum) + " or more"
                                          : "between " + number_text(minimum) + " and " + number_text(maximum);
            throw BadInput("The setting " + std::string(name) + " is " + number_text(number) + ", but it must be " +
                           range + ".");
        }
        spec.*member = static_cast<T>(number);
    };
    return result;
}

Key flag_key(std::string_view name, std::string_view group, std::string_view meaning, bool RunSpec::*member) {
    Key result{name, group, "", meaning, {"false", "true"}, 0, 1, {}, {}};
    result.get = [member](const RunSpec& spec) -> Value { return spec.*member; };
    result.set = [member, name](RunSpec& spec, const Value& value) {
        const auto* flag = std::get_if<bool>(&value);
        if (!flag)
            throw BadInput("The setting " + std::string(name) + " is \"" + to_text(value) +
                           "\", but it must be true or false.");
        spec.*member = *flag;
    };
    return result;
}

// The values of `head` and `none` are true and false, because labs and scripts store them so.
Key qk_norm_key() {
    Key result{
        "qk_norm",
        "model",
        "",
        "RMSNorm of queries and keys before rotation (QK norm): true normalizes each head, projection normalizes "
        "the channels of all heads of a token together (OLMo 2; GPT-NeoX too normalizes across heads).",
        {"false", "true", "projection"},
        0,
        1,
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

Key word_key(std::string_view name, std::string_view group, std::string_view meaning, std::string RunSpec::*member) {
    Key result{name, group, "", meaning, {}, 0, 0, {}, {}};
    result.get = [member](const RunSpec& spec) -> Value { return spec.*member; };
    result.set = [member, name](RunSpec& spec, const Value& value) {
        const auto* word = std::get_if<std::string>(&value);
        if (!word || word->empty())
            throw BadInput("The setting " + std::string(name) + " is \"" + to_text(value) +
                           "\", but it must be a text that is not empty.");
        spec.*member = current_value(name, *word);
    };
    return result;
}

// The value is a word, or the name of a file that contains a tokenizer.
Key tokenizer_key() {
    static constexpr std::string_view words[] = {"auto", "characters", "bytes", "bpe", "unigram", "words"};
    Key result{"tokenizer",
               "data",
               "",
               "Tokenizer: characters and bytes (auto: characters if the file is valid UTF-8, except for enwik8 and "
               "folders); bpe and unigram (subwords that SentencePiece finds in the training split); words (its most "
               "frequent words); or a file, a tokenizer.json with byte-level BPE or a SentencePiece .model.",
               {},
               0,
               0,
               {},
               {}};
    result.get = [](const RunSpec& spec) -> Value {
        if (spec.tokenizer == Tokenizer::file) return spec.tokenizer_file;
        return std::string(words[static_cast<std::size_t>(spec.tokenizer)]);
    };
    result.set = [](RunSpec& spec, const Value& value) {
        const std::string word = to_text(value);
        const auto found = std::find(std::begin(words), std::end(words), word);
        if (found != std::end(words)) {
            spec.tokenizer = static_cast<Tokenizer>(found - std::begin(words));
            spec.tokenizer_file.clear();
        } else if (word.ends_with(".json") || word.ends_with(".model")) {
            spec.tokenizer = Tokenizer::file;
            spec.tokenizer_file = word;
        } else {
            throw BadInput("The setting tokenizer is \"" + word +
                           "\", but it must be auto, characters, bytes, bpe, unigram, words, or a file whose name ends "
                           "with .json or .model.");
        }
    };
    return result;
}

// `words` name the values of the enumeration, in its order.
template <typename Enum>
Key choice_key(std::string_view name, std::string_view group, std::string_view meaning,
               const std::vector<std::string_view>& words, Enum RunSpec::*member) {
    Key result{name, group, "", meaning, words, 0, 0, {}, {}};
    result.get = [member, words](const RunSpec& spec) -> Value {
        return std::string(words[static_cast<std::size_t>(spec.*member)]);
    };
    result.set = [member, words, name](RunSpec& spec, const Value& value) {
        const auto* word = std::get_if<std::string>(&value);
        const auto found = word ? std::find(words.begin(), words.end(), *word) : words.end();
        if (found == words.end()) {
            std::string list;
            for (std::string_view choice : words) list += (list.empty() ? "" : ", ") + std::string(choice);
            throw BadInput("The setting " + std::string(name) + " is \"" + to_text(value) +
                           "\", but it must be one of: " + list + ".");
        }
        spec.*member = static_cast<Enum>(found - words.begin());
    };
    return result;
}

std::vector<Key> make_keys() {
    using R = RunSpec;
    return {
        word_key("data", "data",
                 "Data set to train on: synthetic or synthetic-local (synthetic languages), tinyshakespeare, enwik8, "
                 "text8, a text file, or a folder of files of any size, which are read as bytes in the order of their "
                 "names.",
                 &R::data),
        tokenizer_key(),
        number_key(
            "vocabulary_size", "data", "tokens",
            "Largest number of tokens of the tokenizers bpe, unigram and words, 256 byte tokens included; a short "
            "text has fewer. 0 (auto) means 1,024.",
            0, 65536, &R::vocabulary_size),
        choice_key("split", "data",
                   "Percentages of the text for training and validation, in order. 90/5/5 reserves the last 5 % as a "
                   "test set.",
                   {"90/10", "90/5/5"}, &R::split),
        number_key("data_seed", "data", "", "Random seed of a synthetic data set.", 0, unlimited, &R::data_seed),
        number_key("data_length", "data", "characters",
                   "Length of a synthetic data set before the split into training and validation text.", 1000, 1e9,
                   &R::data_length),

        number_key("layers", "model", "", "Number of transformer blocks.", 1, 128, &R::layers),
        number_key("heads", "model", "", "Number of attention heads per block.", 1, 128, &R::heads),
        number_key("width", "model", "channels",
                   "Width of the residual stream (embedding dimension). It must be a multiple of heads.", 2, 16384,
                   &R::width),
        number_key("context", "model", "tokens",
                   "Context length: the number of tokens per training sequence, and the largest number of tokens in "
                   "attention.",
                   2, 131072, &R::context),
        choice_key("block", "model",
                   "Type of transformer block. gpt2 has LayerNorm and GELU; llama has RMSNorm and SwiGLU; pythia is "
                   "gpt2 with attention and MLP in parallel.",
                   {"gpt2", "llama", "pythia"}, &R::block),
        number_key("key_value_heads", "model", "",
                   "Number of key and value heads (grouped-query attention); 0 (auto) means one per query head.", 0,
                   128, &R::key_value_heads),
        choice_key("feed_forward", "model",
                   "Activation of the feed-forward network; auto means that of the block (llama: swiglu, else gelu). "
                   "relu2 is the squared ReLU. glu, bilinear, reglu, geglu and swiglu multiply two projections.",
                   {"auto", "relu", "gelu", "swish", "glu", "bilinear", "reglu", "geglu", "swiglu", "relu2"},
                   &R::feed_forward),
        number_key("mlp_width", "model", "channels",
                   "Hidden width of the MLP, or of each expert; 0 (auto) means 4 × width (gated: 8/3 × width, because "
                   "a gated network has three matrices).",
                   0, 65536, &R::mlp_width),
        number_key("multiple_of", "model", "channels",
                   "The automatic hidden width of a gated network is rounded up to a multiple of this number.", 1, 4096,
                   &R::multiple_of),
        number_key("experts", "model", "",
                   "Number of experts per layer (mixture of experts): feed-forward networks, of which "
                   "a router chooses some for each token; 0 means one dense network.",
                   0, 256, &R::experts),
        number_key("experts_per_token", "model", "",
                   "Number of experts that process each token. If it is 1, the output of the expert is "
                   "multiplied by its probability among all experts; else outputs are multiplied by probabilities "
                   "among the chosen experts.",
                   1, 256, &R::experts_per_token),
        number_key(
            "expert_capacity", "model", "",
            "Capacity factor c: in training an expert processes at most c × experts_per_token × tokens "
            "of the batch / experts, and the tokens beyond that skip it; 0 means no limit. Evaluation has no limit.",
            0, 1000, &R::expert_capacity),
        number_key("expert_balance", "model", "",
                   "Weight of the load-balancing loss, which is added to the training loss for each layer with "
                   "experts; 0 turns it off.",
                   0, 1000, &R::expert_balance),
        flag_key("expert_noise", "model",
                 "If true, the router adds noise of a learned size to its logits in training (noisy top-k gating).",
                 &R::expert_noise),
        choice_key("second_expert", "model",
                   "Use of a token's second expert in training: always, or random with the probability "
                   "min(2p, 1), where p is that of the router for the expert. random requires experts_per_token = 2.",
                   {"always", "random"}, &R::second_expert),
        number_key("router_deviation", "model", "",
                   "Standard deviation of the router's initial weights; 0 starts with equal logits for all experts.", 0,
                   10, &R::router_deviation),
        number_key("dense_layers", "model", "",
                   "Number of first layers that have one dense feed-forward network instead of experts.", 0, 128,
                   &R::dense_layers),
        qk_norm_key(),
        choice_key("norm", "model",
                   "Normalization of the residual stream: layernorm; rmsnorm; zero-centered-rmsnorm, whose factor is "
                   "1 + w with weight decay on w; dyt, a scaled tanh. auto means that of the block type.",
                   {"auto", "layernorm", "rmsnorm", "zero-centered-rmsnorm", "dyt"}, &R::norm),
        choice_key(
            "norm_position", "model",
            "Places of the norms: pre before each branch (attention, MLP) and before the output head; post after each "
            "branch is added to the residual stream; sandwich is pre with one more norm on the output of "
            "each branch.",
            {"pre", "post", "sandwich"}, &R::norm_position),
        flag_key("deepnorm", "model",
                 "If true, each branch is added to (2·layers)^¼ times the residual stream, and weights of values, "
                 "attention outputs and MLPs start (8·layers)^−¼ times as large (DeepNet). It requires norm_position = "
                 "post.",
                 &R::deepnorm),
        choice_key("initialization", "model",
                   "Standard deviation of the initial weights of linear layers. gpt2: 0.02, and 0.02/√(2·layers) for "
                   "projections into the residual stream; xavier: √(2/(inputs + outputs)).",
                   {"gpt2", "xavier"}, &R::initialization),
        flag_key("bias", "model", "If true, linear layers and LayerNorms have biases.", &R::bias),
        flag_key("tied_head", "model",
                 "If true, the output head and the token embedding share their weights (weight tying).", &R::tied_head),
        flag_key("head_bias", "model",
                 "If true, the output head adds a learned number to the logit of each token, which starts at 0.",
                 &R::head_bias),
        number_key(
            "dropout", "model", "",
            "Dropout probability during training, after the embedding, in attention and on the residual branches.", 0,
            0.95, &R::dropout),
        choice_key("position", "model",
                   "Position encoding. rope rotates queries and keys; learned and sinusoidal add position embeddings; "
                   "alibi lowers attention logits in proportion to the distance; t5 adds a learned bias by distance, "
                   "rope+bias with RoPE; shaw adds learned vectors of distances to keys and values; transformer-xl "
                   "compares queries with sinusoidal embeddings of distances; xpos is RoPE with a decay; cope counts "
                   "positions by gates.",
                   {"none", "learned", "rope", "learned+rope", "sinusoidal", "alibi", "shaw", "t5", "transformer-xl",
                    "xpos", "cope", "rope+bias"},
                   &R::position),
        number_key("relative_clip", "model", "tokens",
                   "Shaw's relative positions: largest distance with vectors of its own; all larger distances "
                   "use the same vectors.",
                   0, 65536, &R::relative_clip),
        number_key("distance_buckets", "model", "",
                   "T5's bias: number of buckets of distances, which have one learned bias per head each.", 2, 65536,
                   &R::distance_buckets),
        number_key("largest_distance", "model", "tokens",
                   "T5's bias: distance from which on all distances share the last bucket.", 2, 1e6,
                   &R::largest_distance),
        number_key("xpos_scale_base", "model", "tokens",
                   "xPos: distance at which the term of a pair has decayed to its factor ζ, 0.29 for the "
                   "fastest pair and almost 1 for the slowest (formula 42); a larger number means less decay.",
                   1, unlimited, &R::xpos_scale_base),
        number_key("cope_positions", "model", "",
                   "CoPE: number of learned position embeddings; larger contextual positions use the last one.", 2,
                   65536, &R::cope_positions),
        word_key(
            "frequencies", "model",
            "Frequencies of the rotated pairs in radians per token, such as 1+0.5+0.01, one per pair; auto computes "
            "them from theta.",
            &R::frequencies),
        choice_key("attention", "model",
                   "Attention. mha has a query, key and value per head; mla computes keys and values from one latent "
                   "vector per token (DeepSeek-V2); gated multiplies the output by a sigmoid gate (Qwen3-Next).",
                   {"mha", "mla", "gated"}, &R::attention),
        number_key("latent_width", "model", "channels",
                   "Width of the latent vector of keys and values with attention=mla; 0 (auto) means 4 × head "
                   "dimension, but at most half the width.",
                   0, 16384, &R::latent_width),
        number_key("rotary_channels", "model", "channels",
                   "Channels per head that RoPE rotates with attention=mla, besides the channels from the latent "
                   "vector; all heads share their key. 0 (auto) means half the head dimension.",
                   0, 1024, &R::rotary_channels),
        word_key("attention_layers", "model",
                 "Attention of the layers, a pattern that repeats: full (whole context), window (attention_window) and "
                 "deltanet (gated DeltaNet) with counts, such as 3 deltanet + 1 full. auto means window in all layers "
                 "if attention_window is set, else full.",
                 &R::attention_layers),
        flag_key("attention_sinks", "model",
                 "If true, each head learns one more logit, to which no key belongs, in the denominator of its softmax "
                 "(attention sink, as in gpt-oss).",
                 &R::attention_sinks),
        number_key("attention_window", "model", "tokens",
                   "Sliding-window attention: each token attends to this many latest tokens, itself included; 0 means "
                   "the whole context.",
                   0, 131072, &R::attention_window),
        number_key("theta", "model", "",
                   "RoPE base θ. Pair i of a head with d channels rotates by θ^(−2i/d) radians per token.", 1.0001,
                   unlimited, &R::theta),
        number_key("fraction", "model", "",
                   "Fraction of each head's channels that RoPE rotates (partial rotary factor), written as 0.25, 25 % "
                   "or 6 ch (channels).",
                   0, 1, &R::fraction),
        choice_key("partial", "model",
                   "Method for a fraction below 1: slice spreads the whole frequency spectrum over the rotated "
                   "channels; truncate sets the lowest frequencies to 0.",
                   {"slice", "truncate"}, &R::partial),
        word_key("pairs", "model",
                 "Pairs of each head that RoPE rotates, numbered from 0 (the fastest): all, or a list like 0-7+12. The "
                 "other pairs are frozen (their frequency is 0).",
                 &R::pairs),
        word_key("rotated_layers", "model",
                 "Layers that apply RoPE, numbered from 0: all, a list like 0-2+5, or a pattern like 3of4 (three of "
                 "every four). The other layers do not rotate.",
                 &R::rotated_layers),
        choice_key("rope_precision", "model",
                   "Precision of the rotary tables. bfloat16-tables rounds cos and sin; bfloat16-positions rounds each "
                   "position before its angle is computed, as some published programs did (257 becomes 256).",
                   {"float32", "bfloat16-tables", "bfloat16-positions"}, &R::rope_precision),
        choice_key("theta_training", "model",
                   "Training of θ. fixed does not train it; one, layer and head train one θ per model, layer or head; "
                   "free trains each frequency separately.",
                   {"fixed", "one", "layer", "head", "free"}, &R::theta_training),
        choice_key(
            "theta_schedule", "model",
            "Schedule of θ: constant, or a linear or geometric change from theta to theta_end over the iterations.",
            {"constant", "linear", "geometric"}, &R::theta_schedule),
        number_key("theta_end", "model", "",
                   "RoPE base θ at the last training step if theta_schedule is linear or geometric.", 1.0001, unlimited,
                   &R::theta_end),

        number_key("seed", "training", "", "Random seed of the initial weights, the batches and dropout.", 0, unlimited,
                   &R::seed),
        number_key("iterations", "training", "steps", "Number of training steps.", 0, 1e9, &R::iterations),
        number_key("batch", "training", "sequences",
                   "Batch size: the number of sequences of the context length per training step.", 1, 65536, &R::batch),
        number_key("micro_batch", "training", "sequences",
                   "Gradient accumulation: the number of sequences per forward and backward pass. It divides batch and "
                   "limits memory; the result differs by rounding only. 0 means the whole batch.",
                   0, 65536, &R::micro_batch),
        choice_key("batches", "training",
                   "Order of the training sequences. random starts each sequence at a random offset of the text, with "
                   "replacement; sequential reads the text in order, so that no token repeats before its end.",
                   {"random", "sequential"}, &R::batches),
        number_key("learning_rate", "training", "", "Peak learning rate, which is reached after the warm-up.", 0, 10,
                   &R::learning_rate),
        number_key("final_learning_rate", "training", "",
                   "Final learning rate, which is reached at the end of the cosine decay.", 0, 10,
                   &R::final_learning_rate),
        number_key("theta_learning_rate", "training", "",
                   "Learning rate of log θ if θ is trained; 0 (auto) means the learning rate of the weights.", 0, 10,
                   &R::theta_learning_rate),
        number_key("warmup", "training", "steps",
                   "Number of warm-up steps, in which the learning rate rises linearly to its peak.", 0, 1e9,
                   &R::warmup),
        number_key("decay_iterations", "training", "steps",
                   "Step at which the cosine decay of the learning rate ends; 0 (auto) means the last iteration.", 0,
                   1e9, &R::decay_iterations),
        choice_key(
            "optimizer", "training",
            "Optimizer: adamw; sgd with momentum; muon, which orthogonalizes the updates of the layers' matrices "
            "and trains embeddings, output head and vectors with AdamW.",
            {"adamw", "sgd", "muon"}, &R::optimizer),
        number_key("momentum", "training", "",
                   "Momentum of the optimizers sgd and muon; sgd with 0 is plain gradient descent. AdamW uses "
                   "beta1 instead.",
                   0, 0.99999, &R::momentum),
        number_key("weight_decay", "training", "",
                   "Weight decay. It applies to matrices and to the weights of zero-centered norms, not to biases and "
                   "other norm weights.",
                   0, 10, &R::weight_decay),
        choice_key("weight_decay_kind", "training",
                   "Weight decay: decoupled lowers the weights directly at each step; l2 adds weight_decay × weight to "
                   "the gradient before the optimizer.",
                   {"decoupled", "l2"}, &R::weight_decay_kind),
        number_key("beta1", "training", "", "AdamW β₁: decay rate of the running mean of the gradient.", 0, 0.99999,
                   &R::beta1),
        number_key("beta2", "training", "", "AdamW β₂: decay rate of the running mean of the squared gradient.", 0,
                   0.99999, &R::beta2),
        number_key("clip", "training", "",
                   "Gradient clipping: the gradient of each run is scaled down to this norm if it is larger; 0 turns "
                   "clipping off.",
                   0, unlimited, &R::clip),

        number_key("evaluate_every", "evaluation", "steps", "Number of training steps from one evaluation to the next.",
                   1, 1e9, &R::evaluate_every),
        choice_key("evaluation", "evaluation",
                   "Validation data. whole uses every non-overlapping sequence of the validation split; sampled uses "
                   "random batches, as nanoGPT does.",
                   {"whole", "sampled"}, &R::evaluation),
        number_key("evaluation_batches", "evaluation", "batches",
                   "Number of random batches for the training loss of an evaluation and, with evaluation = sampled, "
                   "for its validation loss.",
                   1, 1e6, &R::evaluation_batches),
        number_key("sample_length", "evaluation", "tokens",
                   "Length of the text that the model generates at each evaluation; 0 generates none.", 0, 100000,
                   &R::sample_length),
        number_key("probe_every", "evaluation", "evaluations",
                   "Number of evaluations from one probe of attention, queries and keys to the next; 0 turns probes "
                   "off. More probes are taken early in training.",
                   0, 1e9, &R::probe_every),

        choice_key("precision", "machine",
                   "Precision of linear layers; auto uses bfloat16 if it is measured to be at least 1.2 times as fast "
                   "on this machine; the first measurement decides for all runs of an experiment.",
                   {"auto", "float32", "bfloat16"}, &R::precision),
        choice_key("device", "machine", "Device for training; auto uses a CUDA device if there is one, else the CPU.",
                   {"auto", "cpu", "cuda"}, &R::device),
        number_key("threads", "machine", "", "Number of CPU threads for training; 0 (auto) means one per core.", 0,
                   1024, &R::threads),
        choice_key("operations", "machine",
                   "fused combines several operations in one pass; eager runs each operation separately and generates "
                   "text without a KV cache. This changes speed only.",
                   {"fused", "eager"}, &R::operations),
        flag_key("rope_cache", "machine",
                 "If true, RoPE reads cos and sin from a cached table, otherwise it computes them at every call. This "
                 "changes speed only.",
                 &R::rope_cache),
        choice_key("cuda_kernels", "machine",
                   "Custom CUDA kernels: auto uses those that passed the device check; off uses LibTorch's operations "
                   "only; all uses every kernel unchecked; no-graphs does so without CUDA graphs.",
                   {"auto", "off", "no-graphs", "all"}, &R::cuda_kernels),
    };
}

}  // namespace

std::span<const Key> keys() {
    static const std::vector<Key> table = make_keys();
    return table;
}

const Key& key(std::string_view name) {
    return item_named(keys(), current_name(Alias::Kind::key, name), "setting");
}

Value parse_value(const Key& key, std::string_view text, const RunSpec& spec) {
    const Value sample = key.get(spec);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    if (std::holds_alternative<std::string>(sample)) return std::string(text);
    if (std::holds_alternative<bool>(sample)) {
        if (text == "true" || text == "1") return true;
        if (text == "false" || text == "0") return false;
        return std::string(text);  // Key::set refuses the text with a message that names the setting
    }
    // Numbers of a fraction may have a unit, so the message says how to write it instead of how to write a number.
    const auto fraction_number = [text](std::size_t unit) {
        try {
            return parse_number(text.substr(0, text.size() - unit));
        } catch (const BadInput&) {
            throw BadInput("\"" + std::string(text) + "\" is not a fraction; enter 25 %, 0.25 or 6 ch.");
        }
    };
    try {
        double number = 0;
        if (key.name == "fraction" && text.ends_with("%")) {
            number = fraction_number(1) / 100.0;
        } else if (key.name == "fraction" && text.ends_with("ch")) {
            const double channels = fraction_number(2);
            const int head_dim = spec.head_dim();
            if (channels < 0 || channels > head_dim || std::fmod(channels, 2.0) != 0.0) {
                throw BadInput(number_text(channels) + " channels cannot be rotated in a head of " +
                               std::to_string(head_dim) + "; the number must be even and at most " +
                               std::to_string(head_dim) + ".");
            }
            number = channels / head_dim;
        } else {
            number = key.name == "fraction" ? fraction_number(0) : parse_number(text);
        }
        if (std::holds_alternative<std::int64_t>(sample) && number == std::trunc(number) &&
            std::abs(number) <= unlimited) {
            return static_cast<std::int64_t>(number);
        }
        return number;
    } catch (const BadInput& error) {
        throw BadInput("The setting " + std::string(key.name) + " is not valid: " + error.what());
    }
}

double parse_fraction(std::string_view text, int head_dim) {
    RunSpec spec;
    spec.heads = 1;
    spec.width = head_dim;
    const Key& fraction = key("fraction");
    fraction.set(spec, parse_value(fraction, text, spec));
    return spec.fraction;
}

std::string to_text(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&value)) return number_text(*real);
    return std::get<std::string>(value);
}

}  // namespace ropelab
