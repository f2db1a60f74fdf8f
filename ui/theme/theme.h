#pragma once

#include <QColor>
#include <QList>
#include <QString>
#include <array>
#include <vector>

namespace ropelab::ui {

enum class Appearance { light, dark };

/// Text has a contrast of at least 4.5:1 on window, panel, paper and field, with `highContrast()` at least 7:1.
struct Theme {
    Appearance appearance = Appearance::light;
    QColor window;  // background of windows
    QColor panel;   // background of panels and cards
    QColor paper;   // background of plots
    QColor field;   // background of input fields, buttons and chips
    QColor text;
    QColor quietText;   // units, hints, tick labels
    QColor hairline;    // separators, grid lines, borders
    QColor accent;      // controls and the focus ring; also used for text
    QColor accentText;  // text on an accent surface
    QColor success;
    QColor warning;
    QColor error;
    // Figures of rotary embeddings: query and key vectors, rotated and unrotated pairs.
    QColor query;
    QColor key;
    QColor rotated;
    QColor unrotated;
    /// Setup B beside setup A.
    QColor compared;
    /// Hues of the Okabe–Ito palette in order, each with a contrast of at least 3:1 on paper and panel; the last colour
    /// is black in the light theme, yellow in the dark one.
    std::array<QColor, 7> data;

    static const Theme& light();
    static const Theme& dark();
    /// For projectors in bright rooms: black on white, and data in colours that are dark enough for lines.
    static const Theme& highContrast();
    static const Theme& of(Appearance appearance);

    /// Number of dash patterns, and of shades of a colour.
    static constexpr int kDashes = 7;
    static constexpr int kShades = 4;

    /// Colour of setting `index` (from 0) in every room; colours repeat after the seventh. `shade` distinguishes the
    /// runs of a setting: 0 is the colour itself, 1 to kShades − 1 have more contrast on paper (less for black,
    /// yellow).
    QColor dataColor(int index, int shade = 0) const;
    /// In units of the line's width; empty for a solid line. With `isUnique` every setting has its own pattern, for
    /// greyscale prints; otherwise only settings with a repeated colour have dashes, as in all rooms. Colour and
    /// pattern together are unique below index 7 · kDashes.
    static QList<double> dashes(int index, bool isUnique);

    /// A text colour and its background, for tests of the contrast.
    struct TextPair {
        const char* name;
        QColor text;
        QColor surface;
    };
    /// Every combination that the program uses.
    std::vector<TextPair> textPairs() const;
};

/// WCAG 2.1, from 1 to 21; both colours are opaque.
double contrastRatio(const QColor& a, const QColor& b);

}  // namespace ropelab::ui
