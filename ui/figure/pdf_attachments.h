#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QString>
#include <optional>

namespace ropelab::ui {

/// Attached files by their names. Reads the structure that Qt's PDF writer produces: a table of cross-references and
/// attachments with Flate compression or without compression. A PDF of another structure or a damaged PDF has no
/// attachments for this function.
QMap<QString, QByteArray> pdfAttachments(const QByteArray& pdf);

/// `stream` is without compression; empty if it cannot be read.
struct PdfObject {
    QByteArray dictionary;
    std::optional<QByteArray> stream;
};

/// By their numbers, and last the trailer. Reads the same structure as pdfAttachments(); a PDF of another structure has
/// no objects for this function.
QList<PdfObject> pdfObjects(const QByteArray& pdf);

}  // namespace ropelab::ui
