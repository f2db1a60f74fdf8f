#pragma once

#include <QRegularExpression>
#include <QString>
#include <QStringList>
#include <exception>
#include <string_view>

namespace ropelab::ui {

using namespace Qt::StringLiterals;

inline QString text(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

template <typename Texts>
QStringList texts(const Texts& utf8) {
    QStringList result;
    for (const std::string_view each : utf8) result << text(each);
    return result;
}

/// The message of the exception that `work` throws; "" if it throws none.
template <typename Work>
QString problemOf(const Work& work) {
    try {
        work();
        return {};
    } catch (const std::exception& error) {
        return text(error.what());
    }
}

/// A negative number gets a minus sign, as in the figures. Hyphens in "1e-5" and in names stay.
inline QString numberText(std::string_view utf8) {
    static const QRegularExpression minus(u"(?<![\\w.])-(?=\\d)"_s);
    return text(utf8).replace(minus, QString(QChar(0x2212)));
}

}  // namespace ropelab::ui
