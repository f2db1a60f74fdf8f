#include "ui/common/format.h"

#include <QLocale>
#include <QRegularExpression>
#include <array>
#include <cmath>

#include "core/base/numbers.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

QString durationText(double seconds) {
    return QString::fromStdString(duration_text(seconds));
}

QString bytesText(std::int64_t bytes) {
    return QString::fromStdString(bytes_text(bytes));
}

QString listedText(const QStringList& words) {
    return words.size() < 2 ? words.value(0) : words.mid(0, words.size() - 1).join(u", "_s) + u" and "_s + words.last();
}

QString groupedText(std::int64_t number) {
    return QLocale(QLocale::English, QLocale::UnitedStates).toString(static_cast<qlonglong>(number));
}

QString wholeText(double number) {
    return groupedText(std::llround(number));
}

QString withoutGroups(const QString& typed) {
    static const QRegularExpression grouped(u"^\\s*\\d{1,3}(,\\d{3})+(?!,|\\d)"_s);
    const QRegularExpressionMatch found = grouped.match(typed);
    return found.captured().remove(u',') + typed.mid(found.capturedLength());
}

QString binarySize(std::int64_t bytes) {
    const std::array<const char*, 7> units = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto size = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; size >= 1024 && unit + 1 < units.size(); ++unit) {
        size /= 1024;
    }
    return QString::number(size, 'g', 4) + QLatin1Char(' ') + QLatin1String(units[unit]);
}

QString roundText(double number) {
    if (!std::isfinite(number)) return u"–"_s;
    const auto scaled = [](double value, const char* suffix) {
        return QString::number(value, 'f', value < 9.95 ? 1 : 0) + QLatin1String(suffix);
    };
    if (number >= 999'500) return scaled(number / 1e6, "M");
    if (number >= 999.5) return scaled(number / 1e3, "k");
    return QString::number(number, 'f', 0);
}

QString lossText(double loss) {
    return std::isfinite(loss) ? QString::number(loss, 'f', 4) : u"–"_s;
}

QString countText(std::int64_t count, const QString& thing) {
    return groupedText(count) + QLatin1Char(' ') + thing + (count == 1 ? QString() : u"s"_s);
}

}  // namespace ropelab::ui
