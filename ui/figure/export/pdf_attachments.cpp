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

/// The six letters before the name of a font that is embedded in part ("/QUAAAA+RopelabSans") are arbitrary (ISO
/// 32000-1, 9.6.4). Those of Qt follow from the order of the fonts in the file, which differs from process to process.
QByteArray withoutTag(const QByteArray& name) {
    constexpr qsizetype tag = 6;
    return name.startsWith('/') && name.indexOf('+') == tag + 1 ? '/' + name.mid(tag + 2) : name;
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
    return texts.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
}

QList<PdfObject> pdfObjects(const QByteArray& bytes) {
    static const std::set<std::string> unseen = {"/Length", "/Filter", "/DecodeParms", "/Metadata", "/EmbeddedFiles"};
    QList<PdfObject> result;
    withPdf(bytes, [&result](QPDF& pdf) {
        std::vector<QPDFObjectHandle> found;
        std::map<QPDFObjGen, std::size_t> places;
        const auto textOf = [&](const auto& self, QPDFObjectHandle object, bool isNamed) -> QByteArray {
            if (isNamed && object.isIndirect()) {
                const auto [place, isNew] = places.try_emplace(object.getObjGen(), found.size());
                if (isNew) found.push_back(object);
                return '#' + QByteArray::number(static_cast<qulonglong>(place->second));
            }
            QByteArray text;
            if (object.isArray()) {
                for (const QPDFObjectHandle& item : object.getArrayAsVector()) text += self(self, item, true) + ' ';
                return "[ " + text + ']';
            }
            if (!object.isDictionary()) return withoutTag(QByteArray::fromStdString(object.unparseResolved()));
            for (const std::string& key : object.getKeys()) {
                if (unseen.contains(key)) continue;
                text += QByteArray::fromStdString(key) + ' ' + self(self, object.getKey(key), true) + ' ';
            }
            return "<< " + text + ">>";
        };
        textOf(textOf, pdf.getRoot(), true);
        for (std::size_t i = 0; i < found.size(); ++i) {  // textOf() adds those that an object names
            QPDFObjectHandle object = found[i];
            QPDFObjectHandle dictionary = object.isStream() ? object.getDict() : object;
            result.append({textOf(textOf, dictionary, false), std::nullopt});
            if (!object.isStream()) continue;
            const bool isContent =
                !dictionary.hasKey("/Length1") && !dictionary.hasKey("/Type") && !dictionary.hasKey("/Subtype");
            result.back().stream = bytesOf(object, isContent ? qpdf_ef_normalize : 0).value_or(QByteArray());
        }
    });
    return result;
}

}  // namespace ropelab::ui
