#include "ui/figure/ticks.h"

#include <algorithm>
#include <cmath>

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr QChar kMinus(0x2212);
constexpr int kMostDecimals = 15;  // of a mantissa; a double has no more digits
constexpr int kMaxExtraTicks = 8;  // largest number of marks above the requested number

QString superscript(int number) {
    static const QString digits = u"⁰¹²³⁴⁵⁶⁷⁸⁹"_s;
    QString result;
    for (const QChar c : QString::number(std::abs(number))) {
        result += digits[c.digitValue()];
    }
    return number < 0 ? u"⁻"_s + result : result;
}

QString fixedNumber(double value, int decimals) {
    QString digits = QString::number(std::abs(value), 'f', decimals);
    const qsizetype point = digits.indexOf(QLatin1Char('.'));
    for (qsizetype at = (point < 0 ? digits.size() : point) - 3; at > 0; at -= 3) {
        digits.insert(at, QLatin1Char(','));
    }
    const bool isZero = std::none_of(digits.begin(), digits.end(), [](QChar c) { return c >= u'1' && c <= u'9'; });
    return value < 0 && !isZero ? kMinus + digits : digits;
}

QString powerNumber(double value, int decimals) {
    if (value == 0) {
        return u"0"_s;
    }
    int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
    double mantissa = value / std::pow(10.0, exponent);
    if (std::abs(mantissa) >= 10 - 0.5 * std::pow(10.0, -decimals)) {  // the mantissa would be rounded to 10
        mantissa /= 10;
        ++exponent;
    }
    const QString power = u"10"_s + superscript(exponent);
    if (decimals == 0 && std::lround(std::abs(mantissa)) == 1) {
        return value < 0 ? kMinus + power : power;
    }
    return fixedNumber(mantissa, decimals) + u"×"_s + power;
}

double roundStep(double rough) {
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double rest = rough / power;
    return power * (rest < std::sqrt(2) ? 1 : rest < std::sqrt(10) ? 2 : rest < std::sqrt(50) ? 5 : 10);  // nearest
}

Ticks linearTicks(double minimum, double maximum, int about, bool whole) {
    Ticks ticks;
    const double rounded = roundStep((maximum - minimum) / std::max(1, about));
    const double step = whole ? std::max(1.0, rounded) : rounded;
    const int stepPower = static_cast<int>(std::floor(std::log10(step) + 1e-9));
    const double largest = std::max(std::abs(minimum), std::abs(maximum));
    const int largestPower = static_cast<int>(std::floor(std::log10(largest)));
    const bool powers = largest >= 1e7 || stepPower < -5;
    // Minor marks divide steps of 1 and 5 into five parts and steps of 2 into four.
    const int parts = std::lround(step / std::pow(10.0, stepPower)) == 2 ? 4 : 5;
    const double firstMultiple = std::ceil(minimum / step - 1e-9);
    const double lastMultiple = std::floor(maximum / step + 1e-9);
    if (lastMultiple - firstMultiple > 1000 || std::abs(lastMultiple) + std::abs(firstMultiple) > 1e15) {
        return ticks;  // the ends of the range are almost equal
    }
    const auto first = static_cast<qint64>(firstMultiple);
    const auto last = static_cast<qint64>(lastMultiple);
    for (qint64 n = first - 1; n <= last; ++n) {
        const double value = static_cast<double>(n) * step;
        if (n >= first) {
            ticks.at.append(value);
            ticks.labels.append(n == 0   ? u"0"_s
                                : powers ? powerNumber(value, std::clamp(largestPower - stepPower, 0, kMostDecimals))
                                         : fixedNumber(value, std::max(0, -stepPower)));
        }
        for (int part = 1; part < parts; ++part) {
            const double minor = value + step * part / parts;
            const bool isAllowed = !whole || std::abs(minor - std::round(minor)) < 1e-9;
            if (isAllowed && minor >= minimum && minor <= maximum) {
                ticks.minor.append(minor);
            }
        }
    }
    return ticks;
}

QString decadeLabel(double value) {
    if (value >= 1e-4 && value < 1e6) {
        return fixedNumber(value, value < 1 ? static_cast<int>(std::ceil(-std::log10(value) - 1e-9)) : 0);
    }
    return powerNumber(value, 0);
}

Ticks decadeTicks(double minimum, double maximum, int about) {
    Ticks ticks;
    const double low = std::log10(minimum);
    const double high = std::log10(maximum);
    const int stride = std::max(1, static_cast<int>(std::ceil((high - low) / std::max(1, about))));
    const bool finer = 3 * (high - low) <= about + 2;
    for (int power = static_cast<int>(std::floor(low)); power <= std::ceil(high); ++power) {
        for (int digit = 1; digit <= 9; ++digit) {
            const double value = digit * std::pow(10.0, power);
            if (value < minimum * (1 - 1e-9) || value > maximum * (1 + 1e-9)) {
                continue;
            }
            const bool isDecade = digit == 1 && ((power % stride) + stride) % stride == 0;
            if (isDecade || (finer && (digit == 2 || digit == 5))) {
                ticks.at.append(value);
                ticks.labels.append(decadeLabel(value));
            } else if (stride == 1) {
                ticks.minor.append(value);
            }
        }
    }
    return ticks;
}

}  // namespace

Ticks ticksOf(double minimum, double maximum, bool logarithmic, int about, bool whole) {
    if (!std::isfinite(minimum) || !std::isfinite(maximum) || !(maximum > minimum)) {
        return {};
    }
    const bool decades = logarithmic && minimum > 0 && maximum / minimum >= 10;
    Ticks ticks;
    for (int asked = std::max(1, about); ticks.at.size() < 2 && asked <= about + kMaxExtraTicks; ++asked) {
        ticks = decades ? decadeTicks(minimum, maximum, asked) : linearTicks(minimum, maximum, asked, whole);
    }
    return ticks;
}

QString readableNumber(double value) {
    if (std::isnan(value)) {
        return u"–"_s;
    }
    if (std::isinf(value)) {
        return value > 0 ? u"∞"_s : kMinus + u"∞"_s;
    }
    const double size = std::abs(value);
    if (size == 0) {
        return u"0"_s;
    }
    if (size < 0.0095 || size >= 1e7) {
        return powerNumber(value, 2);
    }
    return fixedNumber(value, size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0);
}

QString markText(double value) {
    const double size = std::abs(value);
    if (size != 0 && (size < 1e-4 || size >= 1e6)) {
        const double mantissa = size / std::pow(10.0, std::floor(std::log10(size) + 1e-9));
        return powerNumber(value, std::abs(mantissa - std::round(mantissa)) < 1e-9 ? 0 : 1);
    }
    if (value == std::floor(value)) {
        return fixedNumber(value, 0);
    }
    return (value < 0 ? QString(kMinus) : QString()) + QString::number(size, 'g', 4);
}

QString readableCount(double value) {
    return value == std::floor(value) && std::abs(value) < 1e15 ? fixedNumber(value, 0) : readableNumber(value);
}

}  // namespace ropelab::ui
