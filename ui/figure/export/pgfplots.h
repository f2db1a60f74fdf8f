#pragma once

#include <QByteArray>
#include <QString>

#include "ui/figure/export/export_options.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

/// The commands, for \input, and the table of the numbers.
struct PgfplotsFiles {
    QByteArray tex;
    QByteArray data;
};

/// Colours, dash patterns, ranges and tick marks are those of the other formats; long curves are thinned to the
/// resolution of a print. `dataFile` is the name of the table's file. Throws BadInput for a drawing without axes, for a
/// figure without data and for a heat map that is too large for LaTeX.
PgfplotsFiles pgfplots(const Figure& figure, const ExportOptions& options, const QString& dataFile);

}  // namespace ropelab::ui
