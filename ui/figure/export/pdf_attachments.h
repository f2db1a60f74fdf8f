#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>
#include <optional>

namespace ropelab::ui {

/// Attached files by name, each of at most 64 MiB. A damaged PDF or another file has none.
QMap<QString, QByteArray> pdfAttachments(const QByteArray& bytes);

/// Lines of the texts of the document's XMP metadata; a damaged PDF or another file has none.
QStringList pdfDescription(const QByteArray& bytes);

/// An object of a PDF, or the dictionary of its stream, in the spelling of qpdf.
struct PdfObject {
    QByteArray dictionary;
    std::optional<QByteArray> stream = std::nullopt;  // without compression; empty if it cannot be read
    bool isPage = false;                              // the stream has the commands of a page
};

/// What is shown: the pages, then the streams that they name, in the order in which they are found. Dictionaries
/// contain what they name, so that a file that another program has written anew without a change has the same. A
/// damaged PDF or another file has none.
QList<PdfObject> pdfObjects(const QByteArray& bytes);

}  // namespace ropelab::ui
