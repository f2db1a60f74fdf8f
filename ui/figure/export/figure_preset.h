#pragma once

#include <QString>
#include <span>

namespace ropelab::ui {

struct FigurePreset {
    const char* name;  // on the command line: "ieee-column"
    QString title;     // "IEEE, one column"
    double widthMm;
    double heightMm;
    double fontPt;
};

/// Returns all presets. What the publishers print, and where:
///
/// - IEEE: one column 3.5 inches (88.9 mm), two columns 7.16 inches (43 picas; 181 mm, rounded down), at most 9 inches
///   high with the caption (IEEE Author Center, "Size requirements for graphics"). Labels of 8 points ("Guidelines for
///   author supplied electronic text and graphics").
/// - Nature: 89 and 183 mm, at most 170 mm high, all text 5 to 7 points in a sans-serif font (Nature research figure
///   guide, "Building and exporting figure panels").
/// - ICML: two columns of 3.25 inches (82.5 mm) with 0.25 inches between them, text height 9 inches; captions of 9
///   points (ICML formatting instructions). Font size: ours, one point smaller than the caption.
/// - NeurIPS: text width 5.5 inches (139.7 mm), text height 9 inches (NeurIPS formatting instructions). Font size:
///   ours, one point smaller than the text.
/// - Slide: PowerPoint's 16:9 page, 13.333 × 7.5 inches, divided by 2, so that its text is twice as large (24 points)
///   when it fills the page. Font size: ours.
///
/// Height: ours, except that of the slide; the publishers print only the largest one. All figures use the program's
/// sans-serif font.
std::span<const FigurePreset> figurePresets();
/// Throws BadInput with all names if there is none.
const FigurePreset& figurePreset(const QString& name);

}  // namespace ropelab::ui
