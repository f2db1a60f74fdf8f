#include "ui/common/choice_words.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>

#include "ui/common/text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

struct ChoiceWords {
    std::string_view key;
    std::string_view choice;
    const char* title;  // null: the choice is displayed as it is spelled
    const char* meaning;
};

constexpr auto kAllWords = std::to_array<ChoiceWords>({
    {"position", "none", "NoPE", "No position encoding: the model can learn positions only from the causal mask."},
    {"position", "learned", nullptr,
     "Absolute position encoding: a learned embedding of each position is added to the token embeddings."},
    {"position", "rope", "RoPE",
     "RoPE rotates queries and keys by their position. Su et al. 2021; formula 3 of the guide"},
    {"position", "learned+rope", nullptr, "The model combines learned position embeddings with RoPE."},
    {"position", "sinusoidal", nullptr,
     "Fixed sines and cosines of the position (sinusoidal embeddings) are added to the token embeddings, which are "
     "multiplied by √C, where C is the width of the model. Vaswani et al. 2017; formula 30 of the guide"},
    {"position", "alibi", "ALiBi",
     "ALiBi subtracts slope_h·Δ from each attention logit, where Δ is the distance in tokens and "
     "slope_h is a constant of head h. Press et al. 2022; formula 25 of the guide"},
    {"position", "shaw", "Shaw (relative)",
     "Relative position encoding: learned vectors that depend on the distance, clipped at relative_clip tokens, are "
     "added to keys and values. Shaw et al. 2018; formula 39 of the guide"},
    {"position", "t5", "T5 bias",
     "Relative position bias of T5: a learned bias per head and bucket of distances is added to the attention logits. "
     "Raffel et al. 2020; formula 40 of the guide"},
    {"position", "transformer-xl", "Transformer-XL",
     "Relative position encoding of Transformer-XL: attention logits also compare queries with projected sinusoidal "
     "embeddings of the distance. Dai et al. 2019; formula 41 of the guide"},
    {"position", "xpos", "xPos",
     "RoPE with a decay: the logit terms of pairs with high frequencies shrink with the distance. Sun et al. 2022; "
     "formula 42 of the guide"},
    {"position", "fope", "FoPE",
     "RoPE in which every pair adds up the frequencies of all pairs, and the pairs with the lowest frequencies do not "
     "rotate. Hua et al. 2024; formula 62 of the guide"},
    {"position", "cope", "CoPE",
     "Contextual position encoding: positions count the tokens from key to query, weighted by gates that are computed "
     "from the query and the keys. Golovneva et al. 2024; formula 43 of the guide"},
    {"position", "rope+bias", "RoPE + bias",
     "RoPE rotates queries and keys, and T5's learned bias per distance is added to the attention logits. Formula 40 "
     "of the guide"},
    {"qk_norm", "false", nullptr, "Queries and keys are not normalized (no QK norm)."},
    {"qk_norm", "true", nullptr, "QK norm: RMSNorm is applied to the queries and keys of each head. Henry et al. 2020"},
    {"qk_norm", "projection", "QK norm of the whole projection",
     "QK norm as in OLMo 2: one RMSNorm is applied to the queries of all heads of a token together, and one to the "
     "keys of all heads."},
    {"norm", "auto", nullptr,
     "Uses LayerNorm in gpt2 and pythia blocks, and RMSNorm in llama blocks. Formula 52 of the guide"},
    {"norm", "layernorm", "LayerNorm",
     "LayerNorm subtracts the mean of the channels and divides by their standard deviation. Formula 52 of the guide"},
    {"norm", "rmsnorm", "RMSNorm", "RMSNorm divides by the root mean square of the channels. Formula 52 of the guide"},
    {"norm", "zero-centered-rmsnorm", "zero-centered RMSNorm",
     "RMSNorm whose learned factor is 1 + w; w starts at 0 and has weight decay, as in Qwen3-Next. Formula 52 of the "
     "guide"},
    {"norm", "dyt", "Dynamic Tanh",
     "Dynamic Tanh replaces the normalization by a scaled tanh of each channel. Zhu et al. 2025; formula 53 of the "
     "guide"},
    {"norm_position", "pre", nullptr,
     "Pre-norm: normalizations are before attention, before the MLP, and after the last block. Formula 54 of the "
     "guide"},
    {"norm_position", "post", nullptr,
     "Post-norm: normalizations follow the addition of each branch (attention, MLP) to the residual stream, as in the "
     "original Transformer. Formula 54 of the guide"},
    {"norm_position", "sandwich", nullptr,
     "Sandwich norm: normalizations are before each branch (attention, MLP), on its output, and after the last block, "
     "as in Gemma 2. Formula 54 of the guide"},
    {"optimizer", "adamw", "AdamW",
     "AdamW divides a running mean of the gradient by the square root of a running mean of the squared gradient."},
    {"optimizer", "sgd", "SGD", "Stochastic gradient descent with momentum. Formula 55 of the guide"},
    {"optimizer", "muon", "Muon",
     "Muon orthogonalizes the momentum of the layers' matrices; AdamW trains the other weights. "
     "Jordan et al. 2024; formula 55 of the guide"},
    {"weight_decay_kind", "l2", "L2",
     "The weight decay is added to the gradient (L2), so AdamW also divides it by the root of the mean squared "
     "gradient. Formula 55 of the guide"},
    {"attention", "mha", "multi-head",
     "Multi-head or grouped-query attention: each head has its own queries; groups of heads share the keys and values "
     "of key_value_heads heads. Vaswani et al. 2017, Ainslie et al. 2023"},
    {"attention", "mla", "MLA",
     "Multi-head latent attention: keys and values of all heads are computed from one latent vector per token, which "
     "the KV cache stores; RoPE rotates separate channels. DeepSeek-AI 2024; formula 44 of the guide"},
    {"attention", "gated", nullptr,
     "Gated attention: the output of each head is multiplied by a sigmoid gate per channel, which is computed from the "
     "layer's input. Qiu et al. 2025; formula 45 of the guide"},
    {"feed_forward", "auto", nullptr,
     "Uses the activation of the block type: SwiGLU for llama, GELU for gpt2 and pythia."},
    {"feed_forward", "relu", "ReLU", "Rectified linear unit: max(0, x). Formula 48 of the guide"},
    {"feed_forward", "gelu", "GELU", "Gaussian error linear unit: x·Φ(x), as in GPT-2. Formula 48 of the guide"},
    {"feed_forward", "swish", "Swish", "Swish, also called SiLU: x·σ(x). Formula 48 of the guide"},
    {"feed_forward", "glu", "GLU",
     "Gated linear unit: the sigmoid of one projection of the input multiplies another projection. Shazeer 2020; "
     "formula 48 of the guide"},
    {"feed_forward", "bilinear", nullptr,
     "Bilinear layer: the product of two projections of the input, without an activation. Shazeer 2020; formula 48 of "
     "the guide"},
    {"feed_forward", "reglu", "ReGLU",
     "Gated linear unit with ReLU: the ReLU of one projection of the input multiplies another projection. Shazeer "
     "2020; formula 48 of the guide"},
    {"feed_forward", "geglu", "GEGLU",
     "Gated linear unit with GELU: the GELU of one projection of the input multiplies another projection. Shazeer "
     "2020; formula 48 of the guide"},
    {"feed_forward", "swiglu", "SwiGLU",
     "Gated linear unit with Swish, as in Llama: the Swish of one projection of the input multiplies another "
     "projection. Shazeer 2020; formula 48 of the guide"},
    {"feed_forward", "mish", "Mish", "Mish: x·tanh(ln(1 + eˣ)). Misra 2019; formula 48 of the guide"},
    {"feed_forward", "relu2", "squared ReLU", "Squared ReLU: max(0, x)². So et al. 2021; formula 48 of the guide"},
    {"second_expert", "always", nullptr,
     "Every token is also routed to the expert with the second-highest router probability."},
    {"second_expert", "random", nullptr,
     "In training, a token is routed to its second expert with the probability min(2p, 1), where p is the router's "
     "probability for this expert. Lepikhin et al. 2021; formula 49 of the guide"},
    {"cuda_graphs", "auto", nullptr,
     "A CUDA device launches each training step as one CUDA graph, if CUDA graphs passed a check on this device."},
    {"cuda_graphs", "off", nullptr,
     "A CUDA device launches the operations of a training step one by one, without CUDA graphs."},
    {"cuda_graphs", "on", nullptr,
     "A CUDA device launches each training step as one CUDA graph, without checking whether CUDA graphs work on this "
     "device."},
});

const ChoiceWords* wordsOf(std::string_view key, std::string_view choice) {
    const auto found = std::find_if(kAllWords.begin(), kAllWords.end(), [&](const ChoiceWords& words) {
        return words.key == key && words.choice == choice;
    });
    return found == kAllWords.end() ? nullptr : &*found;
}

}  // namespace

QString choiceTitle(std::string_view key, std::string_view choice) {
    const ChoiceWords* words = wordsOf(key, choice);
    return words && words->title ? QString::fromUtf8(words->title) : text(choice);
}

QString choiceMeaning(std::string_view key, std::string_view choice) {
    const ChoiceWords* words = wordsOf(key, choice);
    return words ? QString::fromUtf8(words->meaning) : QString();
}

namespace {

/// 0 stands for a number that the program derives from other settings or from the machine.
constexpr std::array<std::string_view, 7> kAutomaticKeys = {
    "key_value_heads",     "latent_width",     "rotary_channels", "mlp_width",
    "theta_learning_rate", "decay_iterations", "threads"};

bool canBeAutomatic(std::string_view key) {
    return std::find(kAutomaticKeys.begin(), kAutomaticKeys.end(), key) != kAutomaticKeys.end();
}

}  // namespace

QString fieldError(const QString& label, const QString& sentence) {
    static const QRegularExpression invalid(u"^The setting \\w+ is not valid: "_s);
    static const QRegularExpression named(u"^The setting \\w+ (?=is )"_s);
    // A Greek letter is a symbol, whose capital would be another one.
    const bool isWord = !label.isEmpty() && label[0].unicode() < 128;
    const QString name = isWord ? label.left(1).toUpper() + label.mid(1) : label;
    if (named.match(sentence).hasMatch() && !invalid.match(sentence).hasMatch()) {
        return QString(sentence).replace(named, name + QLatin1Char(' '));
    }
    const QString rest = QString(sentence).remove(invalid);
    return rest.startsWith(label, Qt::CaseInsensitive) ? rest : name + u": "_s + rest;
}

QString fieldText(std::string_view key, const QString& value) {
    return canBeAutomatic(key) && value == "0"_L1 ? kAutomatic : value;
}

QString fieldValue(std::string_view key, const QString& typed) {
    return canBeAutomatic(key) && typed.compare(kAutomatic, Qt::CaseInsensitive) == 0 ? u"0"_s : typed;
}

}  // namespace ropelab::ui
