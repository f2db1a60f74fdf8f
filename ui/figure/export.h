#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

#include "ui/figure/figure.h"
#include "ui/theme/theme.h"

class QIODevice;
class QMimeData;

namespace ropelab::ui {

enum class FigureFormat { pdf, svg, png, csv };

/// How a figure is written. Sizes on paper; text in points whatever the resolution.
struct ExportOptions {
    FigureFormat format = FigureFormat::pdf;
    double widthMm = 120;  // 20 to 1000
    double heightMm = 75;  // 20 to 1000
    int dpi = 300;         // of PNG; 72 to 1200
    double fontPt = 8.5;   // 5 to 48
    Appearance appearance = Appearance::light;
    /// Every curve has another dash pattern, so that a grey print can be read.
    bool dashes = true;
};

/// "pdf", "svg", "png", "csv".
QString suffixOf(FigureFormat format);
/// By the file name's ending. Throws BadInput for any other.
FigureFormat formatOf(const QString& path);

/// The figure as a file's contents. Data and settings are inside: PDF attachments and XMP, SVG description, PNG text
/// chunks, CSV comments. Numbers in the C locale. Throws BadInput for a size out of range.
QByteArray figureBytes(const Figure& figure, const ExportOptions& options);
/// The figure as pixels, with data and settings in its texts.
QImage figureImage(const Figure& figure, const ExportOptions& options);
/// Writes it, whole or not at all. Throws BadInput where the file cannot be written.
void exportFigure(const Figure& figure, const ExportOptions& options, const QString& path);

/// Why a device took no more, also where Qt does not know: a full disk takes a part of what is written to it.
QString writeErrorText(const QIODevice& device);

/// The numbers: comment lines with "#", then one column for x and one a curve (two with raw values), by RFC 4180. Cells
/// without a finite value are empty.
QByteArray figureCsv(const Figure& figure);

/// For the clipboard or a drag: PNG, SVG, PDF and CSV at once. The caller owns it.
QMimeData* figureMimeData(const Figure& figure, const ExportOptions& options);
/// Puts it on the clipboard.
void copyFigure(const Figure& figure, const ExportOptions& options);

}  // namespace ropelab::ui
