#pragma once

#include <QRegularExpression>
#include <QString>
#include <string_view>

namespace ropelab::ui {

/// Words of core, in UTF-8, as the window takes them.
inline QString text(std::string_view words) {
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

/// The same of a number, or of words with numbers in them: a minus before a number is one, as in the figures, and no
/// hyphen; those of "1e-5" and of names stay.
inline QString numberText(std::string_view words) {
    static const QRegularExpression minus(QStringLiteral("(?<![\\w.])-(?=\\d)"));
    return text(words).replace(minus, QString(QChar(0x2212)));
}

}  // namespace ropelab::ui
