#include "ui/common/setting_words.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>

namespace ropelab::ui {
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
    static const QRegularExpression invalid(QStringLiteral("^The setting \\w+ is not valid: "));
    static const QRegularExpression named(QStringLiteral("^The setting \\w+ (?=is )"));
    // A Greek letter is a symbol, whose capital would be another one.
    const bool isWord = !label.isEmpty() && label[0].unicode() < 128;
    const QString name = isWord ? label.left(1).toUpper() + label.mid(1) : label;
    if (named.match(sentence).hasMatch() && !invalid.match(sentence).hasMatch()) {
        return QString(sentence).replace(named, name + QLatin1Char(' '));
    }
    const QString rest = QString(sentence).remove(invalid);
    return rest.startsWith(label, Qt::CaseInsensitive) ? rest : name + QStringLiteral(": ") + rest;
}

QString fieldText(std::string_view key, const QString& value) {
    return canBeAutomatic(key) && value == QLatin1String("0") ? kAutomatic : value;
}

QString fieldValue(std::string_view key, const QString& typed) {
    return canBeAutomatic(key) && typed.compare(kAutomatic, Qt::CaseInsensitive) == 0 ? QStringLiteral("0") : typed;
}

}  // namespace ropelab::ui
