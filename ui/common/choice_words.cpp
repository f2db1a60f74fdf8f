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

constexpr std::array<ChoiceWords, 19> kAllWords = {{
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
    {"position", "shaw", QT_TRANSLATE_NOOP("ChoiceWords", "Shaw (relative)"),
     QT_TRANSLATE_NOOP(
         "ChoiceWords",
         "Learned vectors of the distance, clipped at relative_clip, are added to keys and values. Shaw et "
         "al. 2018, formula 39")},
    {"position", "t5", QT_TRANSLATE_NOOP("ChoiceWords", "T5 bias"),
     QT_TRANSLATE_NOOP(
         "ChoiceWords",
         "A learned bias of each head and bucket of distances is added to the attention logits. Raffel et "
         "al. 2020, formula 40")},
    {"position", "transformer-xl", "Transformer-XL",
     QT_TRANSLATE_NOOP(
         "ChoiceWords",
         "Queries are also compared with projected sinusoidal embeddings of the distance. Dai et al. 2019, "
         "formula 41")},
    {"position", "xpos", "xPos",
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "RoPE with a decay: the terms of fast pairs shrink with the distance. Sun et al. 2022, formula "
                       "42")},
    {"position", "cope", "CoPE",
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "Contextual positions: gates between key and query decide which tokens count. Golovneva et al. "
                       "2024, formula 43")},
    {"position", "rope+bias", QT_TRANSLATE_NOOP("ChoiceWords", "RoPE + bias"),
     QT_TRANSLATE_NOOP("ChoiceWords", "RoPE, and T5's learned bias by distance is added to the logits. Formula 40")},
    {"qk_norm", "false", nullptr, QT_TRANSLATE_NOOP("ChoiceWords", "Queries and keys are not normalized.")},
    {"qk_norm", "true", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "RMSNorm is applied to the queries and keys of each head. Henry et al. 2020")},
    {"qk_norm", "projection", QT_TRANSLATE_NOOP("ChoiceWords", "QK norm of the whole projection"),
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "RMSNorm is applied to the queries of all heads of a token together, and to the keys likewise, "
                       "as in OLMo 2.")},
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
