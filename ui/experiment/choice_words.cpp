#include "ui/experiment/choice_words.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>

#include "ui/window/text.h"

namespace ropelab::ui {

namespace {

struct ChoiceWords {
    std::string_view key;
    std::string_view choice;
    const char* title;  // null: as it is written
    const char* meaning;
};

constexpr std::array<ChoiceWords, 10> allWords = {{
    {"position", "none", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "No position encoding (NoPE): only the causal mask orders the tokens.")},
    {"position", "learned", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "A learned embedding of each position is added to the token embeddings.")},
    {"position", "rope", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "RoPE rotates queries and keys by their position. Su et al. 2021, formula 3")},
    {"position", "learned+rope", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "Learned position embeddings and RoPE in one model.")},
    {"position", "sinusoidal", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "Fixed sines and cosines of the position are added to the token embeddings, which are "
                       "multiplied by √C. Vaswani et al. 2017, formula 30")},
    {"position", "alibi", "ALiBi",
     QT_TRANSLATE_NOOP("ChoiceWords",
                       "Each logit is lowered by slope_h·Δ, in proportion to the distance Δ. Press et al. 2022, "
                       "formula 25")},
    {"cuda_kernels", "auto", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "Only kernels that passed the check of this device train.")},
    {"cuda_kernels", "off", nullptr, QT_TRANSLATE_NOOP("ChoiceWords", "LibTorch's operations train alone.")},
    {"cuda_kernels", "no-graphs", QT_TRANSLATE_NOOP("ChoiceWords", "no graphs"),
     QT_TRANSLATE_NOOP("ChoiceWords", "All kernels train unchecked; each step starts them one after another.")},
    {"cuda_kernels", "all", nullptr,
     QT_TRANSLATE_NOOP("ChoiceWords", "All kernels train unchecked; a CUDA graph starts each step.")},
}};

const ChoiceWords* wordsOf(std::string_view key, std::string_view choice) {
    const auto found = std::find_if(allWords.begin(), allWords.end(), [&](const ChoiceWords& words) {
        return words.key == key && words.choice == choice;
    });
    return found == allWords.end() ? nullptr : &*found;
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
