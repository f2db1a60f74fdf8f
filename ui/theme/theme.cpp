#include "ui/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace ropelab::ui {
namespace {

Theme makeLight() {
    Theme theme;
    theme.appearance = Appearance::light;
    theme.window = QColor(0xF4, 0xF5, 0xF7);
    theme.panel = QColor(0xFF, 0xFF, 0xFF);
    theme.paper = QColor(0xFF, 0xFF, 0xFF);
    theme.field = QColor(0xFA, 0xFB, 0xFC);
    theme.text = QColor(0x1B, 0x1E, 0x24);
    theme.quietText = QColor(0x5B, 0x63, 0x70);
    theme.hairline = QColor(0xD9, 0xDD, 0xE3);
    theme.accent = QColor(0x0B, 0x63, 0xCE);
    theme.accentText = QColor(0xFF, 0xFF, 0xFF);
    theme.success = QColor(0x13, 0x79, 0x5B);
    theme.warning = QColor(0x98, 0x65, 0x00);
    theme.error = QColor(0xB4, 0x23, 0x18);
    // The hues of Okabe and Ito, darkened until a line has a contrast of at least 3:1 on white.
    theme.data = {QColor(0x00, 0x72, 0xB2), QColor(0xD5, 0x5E, 0x00), QColor(0x00, 0x7F, 0x5F),
                  QColor(0xA8, 0x43, 0x7E), QColor(0xA8, 0x6A, 0x00), QColor(0x37, 0x99, 0xD2),
                  QColor(0x00, 0x00, 0x00)};
    theme.query = theme.data[0];
    theme.key = theme.data[1];
    theme.rotated = theme.data[0];
    theme.unrotated = QColor(0x8A, 0x92, 0x9E);
    theme.compared = QColor(0x7B, 0x2F, 0xBE);  // no colour of data, because all of these have a meaning in figures
    return theme;
}

Theme makeDark() {
    Theme theme = makeLight();
    theme.appearance = Appearance::dark;
    theme.window = QColor(0x17, 0x18, 0x1C);
    theme.panel = QColor(0x1F, 0x21, 0x26);
    theme.paper = QColor(0x1B, 0x1D, 0x21);
    theme.field = QColor(0x26, 0x29, 0x2F);
    theme.text = QColor(0xE8, 0xEA, 0xEE);
    theme.quietText = QColor(0x9A, 0xA3, 0xB2);
    theme.hairline = QColor(0x34, 0x38, 0x42);
    theme.accent = QColor(0x5E, 0xA8, 0xFF);
    theme.accentText = QColor(0x0E, 0x14, 0x1C);
    theme.success = QColor(0x4C, 0xC3, 0x8A);
    theme.warning = QColor(0xE3, 0xB3, 0x41);
    theme.error = QColor(0xFF, 0x7B, 0x72);
    // Okabe and Ito's own colours, of which the blue alone had too little contrast on a panel.
    theme.data = {QColor(0x1F, 0x83, 0xC2), QColor(0xD5, 0x5E, 0x00), QColor(0x00, 0x9E, 0x73),
                  QColor(0xCC, 0x79, 0xA7), QColor(0xE6, 0x9F, 0x00), QColor(0x56, 0xB4, 0xE9),
                  QColor(0xF0, 0xE4, 0x42)};
    // Okabe–Ito's light blue, because the dark blue has little contrast on a dark background.
    theme.query = theme.data[5];
    theme.rotated = theme.data[5];
    theme.unrotated = QColor(0x76, 0x7E, 0x8C);
    theme.compared = QColor(0xC5, 0x8C, 0xFF);
    return theme;
}

Theme makeHighContrast() {
    Theme theme = makeLight();
    theme.window = QColor(0xFF, 0xFF, 0xFF);
    theme.field = QColor(0xFF, 0xFF, 0xFF);
    theme.text = QColor(0x00, 0x00, 0x00);
    theme.quietText = QColor(0x26, 0x26, 0x26);
    theme.hairline = QColor(0x8C, 0x8C, 0x8C);
    theme.accent = QColor(0x00, 0x3E, 0x8C);
    theme.success = QColor(0x00, 0x53, 0x38);
    theme.warning = QColor(0x69, 0x43, 0x00);
    theme.error = QColor(0x94, 0x10, 0x10);
    // The hues of Okabe and Ito, darkened until a line has a contrast of at least 4.5:1 on white.
    theme.data = {QColor(0x00, 0x5A, 0x8C), QColor(0xB8, 0x4A, 0x00), QColor(0x00, 0x73, 0x51),
                  QColor(0xA0, 0x3E, 0x78), QColor(0x8F, 0x5E, 0x00), QColor(0x1F, 0x74, 0xA6),
                  QColor(0x00, 0x00, 0x00)};
    theme.query = theme.data[0];
    theme.key = theme.data[1];
    theme.rotated = theme.data[0];
    theme.unrotated = QColor(0x5A, 0x60, 0x6A);
    theme.compared = QColor(0x5B, 0x1A, 0x94);
    return theme;
}

/// WCAG 2.1.
double luminance(const QColor& color) {
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

}  // namespace

const Theme& Theme::light() {
    static const Theme theme = makeLight();
    return theme;
}

const Theme& Theme::dark() {
    static const Theme theme = makeDark();
    return theme;
}

const Theme& Theme::highContrast() {
    static const Theme theme = makeHighContrast();
    return theme;
}

const Theme& Theme::of(Appearance appearance) {
    return appearance == Appearance::dark ? dark() : light();
}

QColor Theme::dataColor(int index, int shade) const {
    const int count = static_cast<int>(data.size());
    const QColor base = data[static_cast<std::size_t>(((index % count) + count) % count)];
    if (shade <= 0) return base;
    // Shades approach the text colour, away from the paper. Only a colour that is close to it approaches the paper.
    const bool isTextLike = contrastRatio(base, text) < 2;
    const QColor& target = isTextLike ? paper : text;
    const float part = (isTextLike ? 0.13F : 0.25F) * static_cast<float>(std::min(shade, kShades - 1));
    const auto mix = [part](float from, float to) { return from + part * (to - from); };
    return QColor::fromRgbF(mix(base.redF(), target.redF()), mix(base.greenF(), target.greenF()),
                            mix(base.blueF(), target.blueF()));
}

QList<double> Theme::dashes(int index, bool isUnique) {
    static const std::array<QList<double>, kDashes> patterns = {
        QList<double>{},
        QList<double>{6, 2.5},
        QList<double>{2, 2},
        QList<double>{8, 2.5, 2, 2.5},
        QList<double>{4, 2, 4, 4},
        QList<double>{10, 2.5, 4, 2.5},
        QList<double>{8, 2, 2, 2, 2, 2},
    };
    // After each round of colours, every colour gets another pattern.
    const int round = std::max(0, index) / 7;
    const int which = isUnique ? std::max(0, index) + round : round;
    return patterns[static_cast<std::size_t>(which) % patterns.size()];
}

std::vector<Theme::TextPair> Theme::textPairs() const {
    std::vector<TextPair> pairs;
    for (const QColor& surface : {window, panel, paper, field}) {
        pairs.push_back({"text", text, surface});
        pairs.push_back({"quiet text", quietText, surface});
        pairs.push_back({"accent", accent, surface});
        pairs.push_back({"success", success, surface});
        pairs.push_back({"warning", warning, surface});
        pairs.push_back({"error", error, surface});
        pairs.push_back({"setup B", compared, surface});
    }
    pairs.push_back({"text on accent", accentText, accent});
    return pairs;
}

double contrastRatio(const QColor& a, const QColor& b) {
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

}  // namespace ropelab::ui
