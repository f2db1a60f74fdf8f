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
/// and every pixel of a PNG, but not the record and the data, which have their own hash. Places may differ by less than
/// a twentieth of a point, and a pixel of a PNG by what the smoothing of edges changes.
QString pictureDifference(const QByteArray& stored, const QByteArray& drawn);

}  // namespace ropelab::ui
