#pragma once

#include <QColor>
#include <QList>
#include <QString>
#include <array>
#include <vector>

namespace ropelab::ui {

enum class Appearance { light, dark };

/// Every colour by what it means; two values exist, `light()` and `dark()`. Text colours keep a contrast of 4.5:1 on
/// window, panel, paper and field.
struct Theme {
    Appearance appearance = Appearance::light;
    QColor window;      // behind everything
    QColor panel;       // what one sets, cards
    QColor paper;       // behind a plot
    QColor field;       // behind typed text, in buttons and chips
    QColor text;        //
    QColor quietText;   // units, hints, tick labels
    QColor hairline;    // separators, grid lines, borders
    QColor accent;      // controls and the focus ring; also readable as text
    QColor accentText;  // text on an accent surface
    QColor success;
    QColor warning;
    QColor error;
    // Rotary views: the two vectors of a pair, and the pairs that turn or do not.
    QColor query;
    QColor key;
    QColor rotated;
    QColor unrotated;
    /// Okabe–Ito, in order; the last is black on light and yellow on dark.
    std::array<QColor, 7> data;

    static const Theme& light();
    static const Theme& dark();
    static const Theme& of(Appearance appearance);

    /// The colour of run `index` (from 0) in every room; past the seventh the colours come again.
    QColor dataColor(int index) const;
    /// The dash pattern of run `index` in units of the line's width, empty for a solid line. With `eachItsOwn` every
    /// run has another pattern, for grey prints; without, patterns begin where the colours come again.
    static QList<double> dashes(int index, bool eachItsOwn);

    /// A pair of colours that text is set in, for the contrast test and for whoever adds a colour.
    struct TextPair {
        const char* name;
        QColor text;
        QColor surface;
    };
    std::vector<TextPair> textPairs() const;
};

/// Contrast of two opaque colours by WCAG 2.1, 1 to 21.
double contrastRatio(const QColor& a, const QColor& b);

}  // namespace ropelab::ui
