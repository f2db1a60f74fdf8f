#include "ui/figure/export/pdf_attachments.h"

#include <qpdf/Constants.h>
#include <exception>
#include <functional>
#include <qpdf/Pipeline.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFEmbeddedFileDocumentHelper.hh>
#include <stdexcept>

namespace ropelab::ui {
namespace {

constexpr qsizetype kLargestStream = qsizetype{1} << 26;

/// Ends a stream that is longer than kLargestStream: a few bytes of a stranger can stand for gigabytes.
class LimitedBytes : public Pipeline {
 public:
    LimitedBytes() : Pipeline("limited bytes", nullptr) {}
    void write(const unsigned char* data, std::size_t size) override {
        if (bytes.size() + static_cast<qsizetype>(size) > kLargestStream) throw std::length_error("too long");
        bytes.append(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
    }
    void finish() override {}

    QByteArray bytes;
};

/// Without compression; nullopt if the bytes cannot be read.
std::optional<QByteArray> bytesOf(QPDFObjectHandle stream) {
    LimitedBytes sink;
    const bool isRead = stream.pipeStreamData(&sink, 0, qpdf_dl_generalized, true);
    return isRead ? std::optional(sink.bytes) : std::nullopt;
}

/// Calls `use` with the document; does nothing if it is damaged or no PDF.
void withPdf(const QByteArray& bytes, const std::function<void(QPDF&)>& use) {
    QPDF pdf;
    pdf.setSuppressWarnings(true);
    pdf.setAttemptRecovery(false);
    try {
        pdf.processMemoryFile("figure", bytes.constData(), static_cast<std::size_t>(bytes.size()));
        use(pdf);
    } catch (const std::exception&) {
        // The file has no attachments or objects, which the caller says.
    }
}

}  // namespace

QMap<QString, QByteArray> pdfAttachments(const QByteArray& bytes) {
    QMap<QString, QByteArray> result;
    withPdf(bytes, [&result](QPDF& pdf) {
        for (const auto& [name, file] : QPDFEmbeddedFileDocumentHelper(pdf).getEmbeddedFiles()) {
            if (const auto data = bytesOf(file->getEmbeddedFileStream())) {
                result[QString::fromStdString(file->getFilename())] = *data;
            }
        }
    });
    return result;
}

QList<PdfObject> pdfObjects(const QByteArray& bytes) {
    QList<PdfObject> result;
    withPdf(bytes, [&result](QPDF& pdf) {
        const auto text = [](QPDFObjectHandle object) { return QByteArray::fromStdString(object.unparseResolved()); };
        for (QPDFObjectHandle object : pdf.getAllObjects()) {
            if (object.isStream()) {
                result.append({text(object.getDict()), bytesOf(object).value_or(QByteArray())});
            } else {
                result.append({text(object), std::nullopt});
            }
        }
        result.append({text(pdf.getTrailer()), std::nullopt});
    });
    return result;
}

}  // namespace ropelab::ui
