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
    constexpr QRgb negative = 0xFF0072B2;
    constexpr QRgb positive = 0xFFD55E00;
    return mixed(paper, value < 0 ? negative : positive, std::min(1.0, std::abs(value)));
}

QRgb cyclic(double periods) {
    // A circle in CIE L*a*b* with the constant lightness L* = 62; the hue is the angle.
    const double angle = 2 * std::numbers::pi * periods;
    const double a = 42 * std::cos(angle);
    const double b = 42 * std::sin(angle);
    const double fy = (62.0 + 16) / 116;
    const auto linear = [](double f) { return f > 6.0 / 29 ? f * f * f : 3 * 36.0 / 841 * (f - 4.0 / 29); };
    const double x = 0.95047 * linear(fy + a / 500);
    const double y = linear(fy);
    const double z = 1.08883 * linear(fy - b / 200);
    const auto encoded = [](double value) {
        const double clipped = std::clamp(value, 0.0, 1.0);
        const double s = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * std::pow(clipped, 1 / 2.4) - 0.055;
        return static_cast<int>(std::lround(255 * s));
    };
    return qRgb(encoded(3.2406 * x - 1.5372 * y - 0.4986 * z), encoded(-0.9689 * x + 1.8758 * y + 0.0415 * z),
                encoded(0.0557 * x - 0.2040 * y + 1.0570 * z));
}

}  // namespace ropelab::ui
