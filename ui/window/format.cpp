#include "ui/window/format.h"

#include <cmath>

namespace ropelab::ui {

QString durationText(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) return QStringLiteral("–");
    if (seconds < 1) return QStringLiteral("%1 s").arg(seconds, 0, 'f', 1);
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    if (whole < 60) return QStringLiteral("%1 s").arg(whole);
    if (whole < 3600) return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    const std::int64_t minutes = (whole + 30) / 60;
    return QStringLiteral("%1 h %2 min").arg(minutes / 60).arg(minutes % 60);
}

QString bytesText(std::int64_t bytes) {
    const auto size = static_cast<double>(bytes);
    if (size >= 1e9) return QStringLiteral("%1 GB").arg(size / 1e9, 0, 'f', 1);
    if (size >= 1e6) return QStringLiteral("%1 MB").arg(std::round(size / 1e6), 0, 'f', 0);
    return QStringLiteral("%1 kB").arg(std::ceil(size / 1e3), 0, 'f', 0);
}

QString groupedText(std::int64_t number) {
    QString digits = QString::number(number);
    const qsizetype first = number < 0 ? 1 : 0;
    for (qsizetype at = digits.size() - 3; at > first; at -= 3) digits.insert(at, QLatin1Char(','));
    return digits;
}

QString roundText(double number) {
    if (!std::isfinite(number)) return QStringLiteral("–");
    const auto scaled = [](double value, const char* suffix) {
        return QString::number(value, 'f', value < 9.95 ? 1 : 0) + QLatin1String(suffix);
    };
    if (number >= 999'500) return scaled(number / 1e6, "M");
    if (number >= 999.5) return scaled(number / 1e3, "k");
    return QString::number(number, 'f', 0);
}

QString lossText(double loss) {
    return std::isfinite(loss) ? QString::number(loss, 'f', 4) : QStringLiteral("–");
}

QString countText(std::int64_t count, const QString& thing) {
    return groupedText(count) + QLatin1Char(' ') + thing + (count == 1 ? QString() : QStringLiteral("s"));
}

}  // namespace ropelab::ui
