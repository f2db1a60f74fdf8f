#pragma once

#include <QRegularExpression>
#include <QString>
#include <string_view>

namespace ropelab::ui {

inline QString text(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// A negative number gets a minus sign, as in the figures. Hyphens in "1e-5" and in names stay.
inline QString numberText(std::string_view utf8) {
    static const QRegularExpression minus(QStringLiteral("(?<![\\w.])-(?=\\d)"));
    return text(utf8).replace(minus, QString(QChar(0x2212)));
}

}  // namespace ropelab::ui
