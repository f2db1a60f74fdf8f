#include "ui/common/choice_words.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>

#include "ui/common/text.h"

namespace ropelab::ui {

namespace {

struct ChoiceWords {
    std::string_view key;
    std::string_view choice;
    const char* title;  // null: the choice is displayed as it is spelled
    const char* meaning;
};

constexpr std::array<ChoiceWords, 25> kAllWords = {{
    {"position", "none", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "No position encoding (NoPE): the model can learn positions only from the causal mask.")},
    {"position", "learned", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "A learned embedding of each position is added to the token embeddings.")},
    {"position", "rope", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "RoPE rotates queries and keys by their position. Su et al. 2021, formula 3")},
    {"position", "learned+rope", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "The model combines learned position embeddings with RoPE.")},
    {"position", "sinusoidal", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "Fixed sines and cosines of the position are added to the token embeddings, which are "
                       "multiplied by √C (C: width of the model). Vaswani et al. 2017, formula 30")},
    {"position", "alibi", "ALiBi",
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "ALiBi subtracts slope_h·Δ from each attention logit, where Δ is the distance in tokens and "
                       "slope_h is a constant of head h. Press et al. 2022, formula 25")},
    {"qk_norm", "false", nullptr, QT_TRANSLATE_NOOP("ChoiceWords", "Queries and keys are not normalized.")},
    {"qk_norm", "true", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "RMSNorm is applied to the queries and keys of each head. Henry et al. 2020")},
    {"qk_norm", "projection", QT_TRANSLATE_NOOP("ChoiceWords", "QK norm of the whole projection"),
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "RMSNorm is applied to the queries of all heads of a token together, and to the keys likewise, "
                       "as in OLMo 2.")},
    {"feed_forward", "auto", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "The activation of the block: SwiGLU for llama, GELU for gpt2 and pythia.")},
    {"feed_forward", "relu", "ReLU", QT_TRANSLATE_NOOP("ChoiceWords", "max(0, x). Formula 48")},
    {"feed_forward", "gelu", "GELU", QT_TRANSLATE_NOOP("ChoiceWords", "x·Φ(x), as in GPT-2. Formula 48")},
    {"feed_forward", "swish", "Swish", QT_TRANSLATE_NOOP("ChoiceWords", "x·σ(x), also called SiLU. Formula 48")},
    {"feed_forward", "glu", "GLU",
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "Gated linear unit: the sigmoid of one projection multiplies another. "
                       "Shazeer 2020, formula 48")},
    {"feed_forward", "bilinear", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "The product of two projections, without an activation. Shazeer 2020, formula 48")},
    {"feed_forward", "reglu", "ReGLU",
     QT_TRANSLATE_NOOP("ChoiceWords", "The ReLU of one projection multiplies another. Shazeer 2020, formula 48")},
    {"feed_forward", "geglu", "GEGLU",
     QT_TRANSLATE_NOOP("ChoiceWords", "The GELU of one projection multiplies another. Shazeer 2020, formula 48")},
    {"feed_forward", "swiglu", "SwiGLU",
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "The Swish of one projection multiplies another, as in Llama. Shazeer 2020, "
                       "formula 48")},
    {"feed_forward", "relu2", "squared ReLU",
     QT_TRANSLATE_NOOP("ChoiceWords", "max(0, x)². So et al. 2021, formula 48")},
    {"second_expert", "always", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "Every token is routed to its second expert.")},
    {"second_expert", "random", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "In training, a token is routed to its second expert with twice the expert's probability, "
                       "at most 1. Lepikhin et al. 2021, formula 49")},
    {"cuda_kernels", "auto", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "Training uses only those kernels that passed the check of this device.")},
    {"cuda_kernels", "off", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "Training uses only LibTorch's operations, no kernels of RoPE Lab.")},
    {"cuda_kernels", "no-graphs", QT_TRANSLATE_NOOP("ChoiceWords", "no graphs"),
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "Training uses all kernels without checking them, and launches them one by one in each step.")},
    {"cuda_kernels", "all", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "Training uses all kernels without checking them, and launches each step as one CUDA graph.")},
}};

const ChoiceWords* wordsOf(std::string_view key, std::string_view choice) {
    const auto found = std::find_if(kAllWords.begin(), kAllWords.end(), [&](const ChoiceWords& words) {
        return words.key == key && words.choice == choice;
    });
    return found == kAllWords.end() ? nullptr : &*found;
}

}  // namespace

QString choiceTitle(std::string_view key, std::string_view choice) {
    const ChoiceWords* words = wordsOf(key, choice);
    return words && words->title ? QCoreApplication::translate("ChoiceWords", words->title) : text(choice);
}

QString choiceMeaning(std::string_view key, std::string_view choice) {
    const ChoiceWords* words = wordsOf(key, choice);
    return words ? QCoreApplication::translate("ChoiceWords", words->meaning) : QString();
}

}  // namespace ropelab::ui
