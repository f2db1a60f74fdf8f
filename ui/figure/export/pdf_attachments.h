#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QString>
#include <optional>

namespace ropelab::ui {

/// Attached files by name, each of at most 64 MiB. A damaged PDF or another file has none.
QMap<QString, QByteArray> pdfAttachments(const QByteArray& bytes);

/// An object of a PDF, or the dictionary of its stream, in the spelling of qpdf.
struct PdfObject {
    QByteArray dictionary;
    std::optional<QByteArray> stream;  // without compression; empty if it cannot be read
};

/// By number, and last the trailer. A damaged PDF or another file has none.
QList<PdfObject> pdfObjects(const QByteArray& bytes);

}  // namespace ropelab::ui
