#include "ui/common/choice_words.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>

#include "core/settings/keys.h"
#include "ui/common/text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

ChoiceText textOf(std::string_view name, std::string_view word) {
    for (const Key& key : keys()) {
        const auto found = std::ranges::find(key.choices, word, &ChoiceText::word);
        if (key.name == name && found != key.choices.end()) return *found;
    }
    return {word};
}

}  // namespace

QString choiceTitle(const ChoiceText& choice) {
    return text(choice.title.empty() ? choice.word : choice.title);
}

QString choiceTitle(std::string_view key, std::string_view choice) {
    return choiceTitle(textOf(key, choice));
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
