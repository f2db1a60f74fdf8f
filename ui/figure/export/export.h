#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>
#include <span>

#include "ui/figure/export/export_options.h"
#include "ui/figure/export/figure_csv.h"
#include "ui/figure/figure.h"

class QIODevice;
class QMimeData;

namespace ropelab::ui {

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

/// PNG, SVG and PDF for the clipboard or for drag and drop; a single figure also as CSV. The caller owns the result.
QMimeData* figureMimeData(std::span<const Figure> panels, const ExportOptions& options);
void copyFigure(const Figure& figure, const ExportOptions& options);
void copyPage(std::span<const Figure> panels, const ExportOptions& options);

}  // namespace ropelab::ui
