#pragma once

#include <QByteArray>
#include <QString>
#include <optional>

#include "ui/figure/export.h"
#include "ui/figure/figure_record.h"

namespace ropelab::ui {

/// Returns how a record's file was drawn, with the format of its bytes; nullopt if the record does not say so, as in
/// files of earlier versions.
std::optional<ExportOptions> drawingOptions(const FigureRecord& record, const QByteArray& bytes);

/// Returns whether this program and its version of Qt drew the record's file, so that drawing again has to result in
/// the same picture.
bool isDrawnByThisProgram(const FigureRecord& record);

/// Returns one sentence on where the picture of an exported PDF, SVG or PNG differs from a picture of the same format;
/// "" if they agree. Compares every element of an SVG, every object of a PDF and every pixel of a PNG, but not the
/// record and the data, which have their own hash. Places may differ by less than a twentieth of a point, and a pixel
/// of a PNG by what the smoothing of edges changes.
QString pictureDifference(const QByteArray& stored, const QByteArray& drawn);

}  // namespace ropelab::ui
