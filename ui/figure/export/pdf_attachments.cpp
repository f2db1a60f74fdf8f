#include "ui/figure/export/pdf_attachments.h"

#include <qpdf/Constants.h>

#include <QXmlStreamReader>
#include <exception>
#include <functional>
#include <map>
#include <qpdf/Pipeline.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFEmbeddedFileDocumentHelper.hh>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace ropelab::ui {

using namespace Qt::StringLiterals;
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

/// Without compression; nullopt if the bytes cannot be read. `encoding`: how qpdf spells them, 0 for as they are.
std::optional<QByteArray> bytesOf(QPDFObjectHandle stream, int encoding = 0) {
    LimitedBytes sink;
    const bool isRead = stream.pipeStreamData(&sink, encoding, qpdf_dl_generalized, true);
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
        for (const auto& [key, file] : QPDFEmbeddedFileDocumentHelper(pdf).getEmbeddedFiles()) {
            QString name = QString::fromStdString(file->getFilename());
            while (result.contains(name)) name += u" (again)"_s;
            if (const auto data = bytesOf(file->getEmbeddedFileStream())) result[name] = *data;
        }
    });
    return result;
}

QStringList pdfDescription(const QByteArray& bytes) {
    QByteArray metadata;
    withPdf(bytes, [&metadata](QPDF& pdf) {
        QPDFObjectHandle stream = pdf.getRoot().getKey("/Metadata");
        if (stream.isStream()) metadata = bytesOf(stream).value_or(QByteArray());
    });
    QString texts;
    for (QXmlStreamReader xml(metadata); !xml.atEnd();) {
        const auto token = xml.readNext();
        texts += token == QXmlStreamReader::Characters ? xml.text().toString() : u"\n"_s;
    }
    QStringList lines;
    for (const QString& line : texts.split(QLatin1Char('\n'))) {
        if (!line.trimmed().isEmpty()) lines << line;
    }
    return lines;
}

namespace {

class PdfWalk {
 public:
    explicit PdfWalk(const QPDFObjectHandle& root) { reference(root); }

    QList<PdfObject> objects() {
        QList<PdfObject> result;
        for (std::size_t i = 0; i < m_found.size(); ++i) {  // text() adds those that an object names
            QPDFObjectHandle object = m_found[i];
            if (object.isStream()) {
                QPDFObjectHandle dictionary = object.getDict();
                const bool isContent =
                    !dictionary.hasKey("/Length1") && !dictionary.hasKey("/Type") && !dictionary.hasKey("/Subtype");
                result.append(
                    {text(dictionary), bytesOf(object, isContent ? qpdf_ef_normalize : 0).value_or(QByteArray())});
            } else {
                result.append({text(object), std::nullopt});
            }
        }
        return result;
    }

 private:
    QByteArray reference(QPDFObjectHandle object) {
        if (!object.isIndirect()) return text(object);
        const auto [place, isNew] = m_places.try_emplace(object.getObjGen(), m_found.size());
        if (isNew) m_found.push_back(object);
        return '#' + QByteArray::number(static_cast<qulonglong>(place->second));
    }

    QByteArray text(QPDFObjectHandle object) {
        static const std::set<std::string> unseen = {"/Length", "/Filter", "/DecodeParms", "/Metadata",
                                                     "/EmbeddedFiles"};
        QByteArray result;
        if (object.isDictionary()) {
            for (const std::string& key : object.getKeys()) {
                if (unseen.contains(key)) continue;
                result += QByteArray::fromStdString(key) + ' ' + reference(object.getKey(key)) + ' ';
            }
            return "<< " + result + ">>";
        }
        if (object.isArray()) {
            for (const QPDFObjectHandle& item : object.getArrayAsVector()) result += reference(item) + ' ';
            return "[ " + result + ']';
        }
        return QByteArray::fromStdString(object.unparseResolved());
    }

    std::vector<QPDFObjectHandle> m_found;
    std::map<QPDFObjGen, std::size_t> m_places;
};

}  // namespace

QList<PdfObject> pdfObjects(const QByteArray& bytes) {
    QList<PdfObject> result;
    withPdf(bytes, [&result](QPDF& pdf) { result = PdfWalk(pdf.getRoot()).objects(); });
    return result;
}

}  // namespace ropelab::ui
