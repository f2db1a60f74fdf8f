#pragma once

#include <QString>
#include <optional>
#include <span>

#include "ui/theme/theme.h"

namespace ropelab::ui {

enum class FigureFormat { pdf, svg, png, csv, pgfplots };

/// Sizes are those on paper; text sizes in points do not depend on the resolution.
struct ExportOptions {
    FigureFormat format = FigureFormat::pdf;
    double widthMm = 120;  // in mm, 20 to 1000
    double heightMm = 75;  // in mm, 20 to 1000
    int dpi = 300;         // resolution of PNG, 72 to 1200
    double fontPt = 8.5;   // font size in points, 5 to 48
    Appearance appearance = Appearance::light;
    /// Every curve has its own dash pattern, to distinguish curves in a greyscale print.
    bool dashes = true;
    /// Text of an SVG as outlines instead of text in a named font.
    bool outlines = false;
    /// Panels per row of a page; 0 chooses by the number of figures and the width.
    int columns = 0;
};

/// "pdf", "svg", "png", "csv" or "tex".
QString suffixOf(FigureFormat format);
/// Throws BadInput for an unknown suffix.
FigureFormat formatOf(const QString& path);
/// "pdf", "svg", "png", "csv", or "pgfplots" for the suffix .tex.
std::optional<FigureFormat> formatNamed(const QString& name);

struct FigurePreset {
    const char* name;  // on the command line: "ieee-column"
    QString title;     // "IEEE, one column"
    double widthMm;
    double heightMm;
    double fontPt;
    bool isWholePage = false;  // a figure never is higher
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
