#include "ui/theme/color_maps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace ropelab::ui {
namespace {

QRgb mixed(QRgb a, QRgb b, double weight) {
    const auto mix = [weight](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * weight)); };
    return qRgb(mix(qRed(a), qRed(b)), mix(qGreen(a), qGreen(b)), mix(qBlue(a), qBlue(b)));
}

/// CIE L*a*b* with the white point D65.
struct Lab {
    double lightness;
    double a;
    double b;
};

QRgb rgbOf(const Lab& lab) {
    const double fy = (lab.lightness + 16) / 116;
    const auto linear = [](double f) { return f > 6.0 / 29 ? f * f * f : 3 * 36.0 / 841 * (f - 4.0 / 29); };
    const double x = 0.95047 * linear(fy + lab.a / 500);
    const double y = linear(fy);
    const double z = 1.08883 * linear(fy - lab.b / 200);
    const auto encoded = [](double value) {
        const double clipped = std::clamp(value, 0.0, 1.0);
        const double s = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * std::pow(clipped, 1 / 2.4) - 0.055;
        return static_cast<int>(std::lround(255 * s));
    };
    return qRgb(encoded(3.2406 * x - 1.5372 * y - 0.4986 * z), encoded(-0.9689 * x + 1.8758 * y + 0.0415 * z),
                encoded(0.0557 * x - 0.2040 * y + 1.0570 * z));
}

Lab labOf(QRgb rgb) {
    const auto linear = [](int channel) {
        const double s = channel / 255.0;
        return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
    };
    const double r = linear(qRed(rgb));
    const double g = linear(qGreen(rgb));
    const double b = linear(qBlue(rgb));
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (841.0 / 108) * t + 4.0 / 29; };
    const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
    const double y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
    const double z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

}  // namespace

QRgb viridis(double fraction) {
    // Every tenth of the map. Linear interpolation differs invisibly from the original map.
    static constexpr std::array<QRgb, 11> anchors = {0xFF440154, 0xFF482475, 0xFF414487, 0xFF355F8D,
                                                     0xFF2A788E, 0xFF21918C, 0xFF22A884, 0xFF44BF70,
                                                     0xFF7AD151, 0xFFBDDF26, 0xFFFDE725};
    const double place = std::clamp(fraction, 0.0, 1.0) * (anchors.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), anchors.size() - 2);
    return mixed(anchors[below], anchors[below + 1], place - static_cast<double>(below));
}

QRgb diverging(double value, QRgb paper) {
    const Lab zero = labOf(paper);
    const bool isLight = zero.lightness > 50;
    // In the dark, both ends have the same lightness and little saturation: they fill large areas.
    const Lab end = labOf(value < 0 ? (isLight ? 0xFF2166AC : 0xFF86A9D6) : (isLight ? 0xFFB2182B : 0xFFD59A92));
    const double weight = std::min(1.0, std::abs(value));
    const auto mix = [weight](double from, double to) { return from + (to - from) * weight; };
    return rgbOf({mix(zero.lightness, end.lightness), mix(zero.a, end.a), mix(zero.b, end.b)});
}

QRgb cyclic(double periods) {
    // A circle with constant lightness; the hue is the angle.
    const double angle = 2 * std::numbers::pi * periods;
    return rgbOf({62, 42 * std::cos(angle), 42 * std::sin(angle)});
}

}  // namespace ropelab::ui
