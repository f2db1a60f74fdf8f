#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>
#include <optional>
#include <span>

#include "ui/figure/figure.h"
#include "ui/theme/theme.h"

class QIODevice;
class QMimeData;

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
    /// Panels per row of a page; 0 chooses by the number of figures.
    int columns = 0;
};

/// "pdf", "svg", "png", "csv" or "tex".
QString suffixOf(FigureFormat format);
/// Throws BadInput for an unknown suffix.
FigureFormat formatOf(const QString& path);
/// "pdf", "svg", "png", "csv", or "pgfplots" for the suffix .tex.
std::optional<FigureFormat> formatNamed(const QString& name);

/// Contents of a file with the data, the settings and the record (figure_record.h): as PDF attachments and XMP, SVG
/// metadata or PNG text chunks; CSV contains data and settings. Numbers are in the C locale. Throws BadInput if a size
/// is out of range, and for the format PGFPlots, which needs two files.
QByteArray figureBytes(const Figure& figure, const ExportOptions& options);
/// Panels of one page, lettered a, b, c …, as PDF, SVG or PNG. Throws BadInput as figureBytes, and for another format.
QByteArray pageBytes(std::span<const Figure> panels, const ExportOptions& options);
/// Data, settings and record are text keys of the image.
QImage figureImage(const Figure& figure, const ExportOptions& options);
/// Writes to an output of core/store/output_file.h. PGFPlots also writes a .dat file beside it, so it cannot be written
/// to standard output. Throws BadInput or WriteError; leaves no partial file.
void exportFigure(const Figure& figure, const ExportOptions& options, const QString& path);
/// Several figures become the panels of one page.
void exportPage(std::span<const Figure> panels, const ExportOptions& options, const QString& path);

/// If Qt reports no reason, the text says that only a part was written.
QString writeErrorText(const QIODevice& device);

/// CSV (RFC 4180): comment lines with "#", then one column for x and one per curve (two for a curve with raw values).
/// Cells without a finite value are empty.
QByteArray figureCsv(const Figure& figure);

/// PNG, SVG and PDF for the clipboard or for drag and drop; a single figure also as CSV. The caller owns the result.
QMimeData* figureMimeData(std::span<const Figure> panels, const ExportOptions& options);
void copyFigure(const Figure& figure, const ExportOptions& options);
void copyPage(std::span<const Figure> panels, const ExportOptions& options);

}  // namespace ropelab::ui
