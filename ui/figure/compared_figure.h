#pragma once

#include <QString>

#include "ui/figure/figure.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

/// Empty if the setups are equal.
struct ComparedNames {
    QString a;  // "θ = 10k"
    QString b;  // "θ = 500k"
    /// The lines of B can then be dragged, and not those of A.
    bool editsB = false;

    bool areEqual() const { return a.isEmpty() && b.isEmpty(); }
    /// "A: θ = 10k"; "A" if both setups are equal.
    QString titleA() const { return a.isEmpty() ? u"A"_s : u"A: "_s + a; }
    QString titleB() const { return b.isEmpty() ? u"B"_s : u"B: "_s + b; }
    /// "A and B are equal" for two equal setups.
    QString titleOfBoth(const QString& separator) const;
};

/// Both have axes with the same units and scales, and neither is a map or a drawing.
bool canOverlay(const Figure& a, const Figure& b);

/// If both can be drawn on the same axes, B's curves, bands and lines have the colour of setup B and dashes, and hollow
/// points instead of bars; the axes contain both figures; labels and columns have the letters A and B, and what is
/// equal in both has none. The table has a column with B / A (for a logarithmic y axis) or B − A for every column that
/// both have. Otherwise the figure has two panels with the same ranges of axes and colours. The note, the summary and
/// the settings ("A", "B", "compared") name both.
Figure compareFigures(const Figure& a, const Figure& b, const ComparedNames& names);

}  // namespace ropelab::ui
