#pragma once

#include <QByteArray>
#include <QString>

#include "ui/figure/export.h"

namespace ropelab::ui {

/// The commands, for \input, and the table of the numbers.
struct PgfplotsFiles {
    QByteArray tex;
    QByteArray data;
};

/// Lines, points, bars, bands, error bars and heat maps in the colours, dash patterns, ranges and tick marks of the
/// other formats. Long curves are thinned to the resolution of a print. `dataFile` is the name of the table's file.
/// Throws BadInput for a drawing without axes, for a figure without data and for a heat map that is too large for
/// LaTeX.
PgfplotsFiles pgfplots(const Figure& figure, const ExportOptions& options, const QString& dataFile);

}  // namespace ropelab::ui
