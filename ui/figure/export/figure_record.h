#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <span>
#include <vector>

#include "ui/figure/export/export_options.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

struct FigureRecord {
    QString letter;   // letter of the panel: "a"; "" for a file with one figure
    QString figure;   // Figure::name
    QString summary;  // Figure::summary
    QString caption;  // captionOf the figure
    QJsonObject settings;
    FigureOrigin origin;
    QByteArray data;  // as figureCsv returns it
    /// How the file was drawn (recordJson); empty in files of earlier versions.
    QJsonObject drawing;
    /// Ends of the drawn axes, of which the user may have shown a part; empty in files of earlier versions.
    QJsonObject axes;
    QString program;  // version of RoPE Lab that wrote the file
    /// Data, settings or origin were changed after the export: their hash is not that of the record.
    bool isEdited = false;
    /// One sentence for each other copy of the settings in the file that does not agree with `settings`.
    QStringList copyDifferences;
};

/// "a", "b" …, "z", "aa" …; "" for a single figure.
QString panelLetter(std::size_t panel, std::size_t count);

/// All but the data (figureCsv() of each figure), which each format stores as its own part: a SHA-256 of each figure's
/// name, settings, origin and data, and the options, the version of Qt and the ends of the axes, for drawing the
/// picture again.
QByteArray recordJson(std::span<const Figure> panels, std::span<const QByteArray> data, const ExportOptions& options);

/// Throws BadInput as read_regular_file() does, and for more than 256 MB.
QByteArray readFigureBytes(const QString& path);
/// One record per figure of a PDF, SVG or PNG. Throws BadInput if the file cannot be read or contains no record.
std::vector<FigureRecord> readFigureFile(const QString& path);

}  // namespace ropelab::ui
