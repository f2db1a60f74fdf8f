#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QString>
#include <optional>

namespace ropelab::ui {

/// Attached files by name. Reads only what Qt's PDF writer produces: a table of cross-references and attachments with
/// or without Flate compression. Another or a damaged PDF has no attachments for this function.
QMap<QString, QByteArray> pdfAttachments(const QByteArray& pdf);

/// `stream` is without compression; empty if it cannot be read.
struct PdfObject {
    QByteArray dictionary;
    std::optional<QByteArray> stream;
};

/// By number, and last the trailer. Reads the same structure as pdfAttachments(); another PDF has no objects.
QList<PdfObject> pdfObjects(const QByteArray& pdf);

}  // namespace ropelab::ui
