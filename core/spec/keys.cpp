#include "core/spec/keys.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
            throw BadInput("The key " + std::string(name) + " takes a number, not \"" + to_text(value) + "\".");
        }
        if constexpr (std::is_integral_v<T>) {
            if (number != std::trunc(number)) {
                throw BadInput("The key " + std::string(name) + " takes a whole number, not " + number_text(number) +
                               ".");
            }
        }
        if (!(number >= minimum && number <= maximum)) {
            const std::string range = maximum >= unlimited && !(number > maximum)
                                          ? number_text(minimum) + " or more"
                                          : "between " + number_text(minimum) + " and " + number_text(maximum);
            throw BadInput("The key " + std::string(name) + " is " + number_text(number) + ", but it must be " + range +
                           ".");
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
            throw BadInput("The key " + std::string(name) + " takes true or false, not \"" + to_text(value) + "\".");
        spec.*member = *flag;
    };
    return result;
}

Key word_key(std::string_view name, std::string_view group, std::string_view meaning, std::string RunSpec::*member) {
    Key result{name, group, "", meaning, {}, 0, 0, {}, {}};
    result.get = [member](const RunSpec& spec) -> Value { return spec.*member; };
    result.set = [member, name](RunSpec& spec, const Value& value) {
        const auto* word = std::get_if<std::string>(&value);
        if (!word || word->empty())
            throw BadInput("The key " + std::string(name) + " takes a name or a file, not \"" + to_text(value) + "\".");
        spec.*member = *word;
    };
    return result;
}

// `words` stand in the order of the enumeration.
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
            throw BadInput("The key " + std::string(name) + " is \"" + to_text(value) +
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
                 "What to learn: generated, generated-local, a known set (tinyshakespeare, enwik8, text8) or a file.",
                 &R::data),
        choice_key("symbols", "data", "What one token is; auto takes characters where the file is UTF-8.",
                   {"auto", "characters", "bytes"}, &R::symbols),
        choice_key("split", "data", "Training and validation shares, in order; 90/5/5 leaves the last part for tests.",
                   {"90/10", "90/5/5"}, &R::split),
        number_key("data_seed", "data", "", "The seed of a generated text.", 0, unlimited, &R::data_seed),
        number_key("data_length", "data", "characters", "Length of a generated text, before it is split.", 1000, 1e9,
                   &R::data_length),

        number_key("layers", "model", "", "Transformer blocks.", 1, 128, &R::layers),
        number_key("heads", "model", "", "Attention heads of a block.", 1, 128, &R::heads),
        number_key("width", "model", "channels", "Width of the residual stream; a multiple of the heads.", 2, 16384,
                   &R::width),
        number_key("context", "model", "symbols", "Context length: how far back the model can look.", 2, 131072,
                   &R::context),
        choice_key("block", "model",
                   "gpt2: LayerNorm and GELU; llama: RMSNorm and SwiGLU; pythia: gpt2's parts, side by side.",
                   {"gpt2", "llama", "pythia"}, &R::block),
        number_key("key_value_heads", "model", "",
                   "Heads of keys and values, shared by groups of query heads; 0 means as many as heads.", 0, 128,
                   &R::key_value_heads),
        number_key("mlp_width", "model", "channels",
                   "Hidden width of the MLP; 0 means four widths (llama: 8/3 of the width, with three matrices).", 0,
                   65536, &R::mlp_width),
        flag_key("qk_norm", "model", "RMSNorm of queries and keys over each head's channels, before rotation.",
                 &R::qk_norm),
        flag_key("bias", "model", "Biases in linear layers and norms.", &R::bias),
        flag_key("tied_head", "model", "The output head shares the embedding's weights.", &R::tied_head),
        number_key("dropout", "model", "",
                   "Share of activations dropped while training (embedding, attention, residual).", 0, 0.95,
                   &R::dropout),
        choice_key("position", "model",
                   "Position encoding. rope rotates queries and keys; sinusoidal adds fixed embeddings; alibi lowers "
                   "logits by distance.",
                   {"none", "learned", "rope", "learned+rope", "sinusoidal", "alibi"}, &R::position),
        number_key("attention_window", "model", "tokens",
                   "Sliding window: the tokens that a token attends to, itself included; 0 means the whole context.", 0,
                   131072, &R::attention_window),
        number_key("theta", "model", "", "Rope theta, the base of the frequencies.", 1.0001, unlimited, &R::theta),
        number_key("fraction", "model", "", "Rotated share of each head (partial rotary factor): 0.25, 25 % or 6 ch.",
                   0, 1, &R::fraction),
        choice_key(
            "partial", "model",
            "What a fraction does: slice spreads the spectrum over fewer channels, truncate stops its slow pairs.",
            {"slice", "truncate"}, &R::partial),
        word_key("pairs", "model",
                 "Which of a head's pairs turn, fastest first: all, or a list like 0-7+12; the others stand still.",
                 &R::pairs),
        word_key("rotated_layers", "model",
                 "Which layers rotate: all, a list like 0-2+5, or a pattern like 3of4; the others see no positions.",
                 &R::rotated_layers),
        choice_key("theta_training", "model",
                   "Whether theta is trained: fixed; one for the model; one a layer; one a head; free: each frequency.",
                   {"fixed", "one", "layer", "head", "free"}, &R::theta_training),
        choice_key("theta_schedule", "model", "How theta goes from theta to theta_end over the iterations.",
                   {"constant", "linear", "geometric"}, &R::theta_schedule),
        number_key("theta_end", "model", "", "Theta at the end of a schedule.", 1.0001, unlimited, &R::theta_end),

        number_key("seed", "training", "", "Seed of weights, batches and dropout.", 0, unlimited, &R::seed),
        number_key("iterations", "training", "steps", "Training steps.", 0, 1e9, &R::iterations),
        number_key("batch", "training", "windows", "Windows of the context length in one step.", 1, 65536, &R::batch),
        choice_key("batches", "training", "Batches at random offsets, or window after window.",
                   {"random", "sequential"}, &R::batches),
        number_key("learning_rate", "training", "", "Learning rate after the warm-up.", 0, 10, &R::learning_rate),
        number_key("final_learning_rate", "training", "", "Learning rate at the end of the cosine decay.", 0, 10,
                   &R::final_learning_rate),
        number_key("theta_learning_rate", "training", "",
                   "Learning rate of a trained theta's logarithm; 0 takes that of the weights.", 0, 10,
                   &R::theta_learning_rate),
        number_key("warmup", "training", "steps", "Steps of linear warm-up.", 0, 1e9, &R::warmup),
        number_key("decay_iterations", "training", "steps", "Steps after which the decay ends; 0 means all iterations.",
                   0, 1e9, &R::decay_iterations),
        number_key("weight_decay", "training", "", "AdamW's decay, of matrices only.", 0, 10, &R::weight_decay),
        number_key("beta1", "training", "", "AdamW's first moment.", 0, 0.99999, &R::beta1),
        number_key("beta2", "training", "", "AdamW's second moment.", 0, 0.99999, &R::beta2),
        number_key("clip", "training", "",
                   "Gradient norm above which a run's gradient is scaled down; 0 leaves it alone.", 0, unlimited,
                   &R::clip),

        number_key("evaluate_every", "evaluation", "steps", "Steps between evaluations.", 1, 1e9, &R::evaluate_every),
        choice_key("evaluation", "evaluation",
                   "whole: every window of the validation split; sampled: nanoGPT's random batches.",
                   {"whole", "sampled"}, &R::evaluation),
        number_key("evaluation_batches", "evaluation", "batches",
                   "Batches of a sampled evaluation, and of the training loss of a whole one.", 1, 1e6,
                   &R::evaluation_batches),
        number_key("sample_length", "evaluation", "symbols",
                   "Length of the text sample at each evaluation; 0 for none.", 0, 100000, &R::sample_length),
        number_key("probe_every", "evaluation", "evaluations",
                   "Evaluations from one look inside to the next, besides those early on; 0 for none.", 0, 1e9,
                   &R::probe_every),

        choice_key("precision", "machine",
                   "Linear layers in float32 or bfloat16; auto takes bfloat16 where it is 1.2 times as fast here.",
                   {"auto", "float32", "bfloat16"}, &R::precision),
        choice_key("device", "machine", "Where to train; auto takes a CUDA device where there is one.",
                   {"auto", "cpu", "cuda"}, &R::device),
        number_key("threads", "machine", "", "Threads for training; 0 takes one a core.", 0, 1024, &R::threads),
        choice_key("operations", "machine",
                   "fused: several in one pass; eager: each by itself, and text without a key-value cache. Speed only.",
                   {"fused", "eager"}, &R::operations),
        flag_key("rope_cache", "machine",
                 "Cos and sin are read from a table; false computes them at every call. Speed only.", &R::rope_cache),
        choice_key("cuda_kernels", "machine",
                   "The project's own kernels on a CUDA device: auto takes those that passed the check of the device; "
                   "off takes LibTorch's operations alone; no-graphs and all take them unchecked.",
                   {"auto", "off", "no-graphs", "all"}, &R::cuda_kernels),
    };
}

}  // namespace

std::span<const Key> keys() {
    static const std::vector<Key> table = make_keys();
    return table;
}

const Key& key(std::string_view name) {
    return item_named(keys(), name, "key");
}

Value parse_value(const Key& key, std::string_view text, const RunSpec& spec) {
    const Value sample = key.get(spec);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    if (std::holds_alternative<std::string>(sample)) return std::string(text);
    if (std::holds_alternative<bool>(sample)) {
        if (text == "true" || text == "1") return true;
        if (text == "false" || text == "0") return false;
        return std::string(text);  // refused by the key, with its name
    }
    try {
        double number = 0;
        if (key.name == "fraction" && text.ends_with("%")) {
            number = parse_number(text.substr(0, text.size() - 1)) / 100.0;
        } else if (key.name == "fraction" && text.ends_with("ch")) {
            const double channels = parse_number(text.substr(0, text.size() - 2));
            const int head_dim = spec.head_dim();
            if (channels < 0 || channels > head_dim || std::fmod(channels, 2.0) != 0.0) {
                throw BadInput(number_text(channels) + " channels cannot turn in a head of " +
                               std::to_string(head_dim) + "; it must be an even number up to that.");
            }
            number = channels / head_dim;
        } else {
            number = parse_number(text);
        }
        if (std::holds_alternative<std::int64_t>(sample) && number == std::trunc(number) &&
            std::abs(number) <= unlimited) {
            return static_cast<std::int64_t>(number);
        }
        return number;
    } catch (const BadInput& error) {
        throw BadInput("The key " + std::string(key.name) + ": " + error.what());
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
