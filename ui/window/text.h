#pragma once

#include <QString>
#include <string_view>

namespace ropelab::ui {

/// Words of core, in UTF-8, as the window takes them.
inline QString text(std::string_view words) {
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

/// The same of what begins with a number: a minus before it is one, as in the figures, and no hyphen.
inline QString numberText(std::string_view words) {
    QString result = text(words);
    if (result.startsWith(QLatin1Char('-'))) result[0] = QChar(0x2212);
    return result;
}

}  // namespace ropelab::ui
