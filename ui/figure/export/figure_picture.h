#pragma once

#include <QByteArray>
#include <QString>
#include <optional>

#include "ui/figure/export/export.h"
#include "ui/figure/export/figure_record.h"

namespace ropelab::ui {

/// Nullopt if the record does not say how the file was drawn, as in files of earlier versions.
std::optional<ExportOptions> drawingOptions(const FigureRecord& record, const QByteArray& bytes);

/// This program and its version of Qt drew the file, so that drawing again has to result in the same picture.
bool isDrawnByThisProgram(const FigureRecord& record);

/// One sentence; "" if the pictures, of the same format, agree. Compares every element of an SVG, every object of a PDF
/// that is shown, every pixel and the kinds of the chunks of a PNG, and titles and descriptions, but not the record,
/// the data and the settings (figure_record.h). Places may differ by less than a twentieth of a point, and a pixel of a
/// PNG by what the smoothing of edges changes.
QString pictureDifference(const QByteArray& stored, const QByteArray& drawn);

}  // namespace ropelab::ui
