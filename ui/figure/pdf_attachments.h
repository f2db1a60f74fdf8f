#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QString>
#include <optional>

namespace ropelab::ui {

/// Returns the files that are attached to a PDF, by their names. Reads the structure that Qt's PDF writer produces: a
/// table of cross-references and attachments with Flate compression or without compression. A PDF of another structure
/// or a damaged PDF has no attachments for this function.
QMap<QString, QByteArray> pdfAttachments(const QByteArray& pdf);

/// An object of a PDF: its dictionary or other value, and its stream without compression. A stream that cannot be read
/// is empty.
struct PdfObject {
    QByteArray dictionary;
    std::optional<QByteArray> stream;
};

/// Returns the objects of a PDF by their numbers, and last the trailer. Reads the same structure as pdfAttachments();
/// a PDF of another structure has no objects for this function.
QList<PdfObject> pdfObjects(const QByteArray& pdf);

}  // namespace ropelab::ui
