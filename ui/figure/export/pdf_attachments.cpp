#include "ui/figure/export/pdf_attachments.h"

#include <qpdf/Constants.h>

#include <QXmlStreamReader>
#include <exception>
#include <functional>
#include <map>
#include <qpdf/Pipeline.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFEmbeddedFileDocumentHelper.hh>
#include <qpdf/QPDFPageObjectHelper.hh>
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

/// What a page shows, without the choices that a program has when it writes a PDF: which objects have numbers, how
/// numbers are spelt, and what is empty or says nothing about the picture.
class SeenObjects {
 public:
    QByteArray textOf(QPDFObjectHandle object, int depth = 0) {
        static const std::set<std::string> unseen = {
            "/Length",    "/Filter",       "/DecodeParms",   "/Parent",  "/P",     "/Contents", "/Metadata",
            "/PieceInfo", "/LastModified", "/StructParents", "/ProcSet", "/Thumb", "/Type"};
        // A few bytes of a stranger can stand for endless objects.
        constexpr int deepest = 32;
        constexpr int most = 1'000'000;
        if (depth > deepest || ++m_count > most) throw std::length_error("too many objects");
        if (object.isStream()) {
            const auto [place, isNew] = m_places.try_emplace(object.getObjGen(), m_streams.size());
            if (isNew) m_streams.push_back(object);
            return '#' + QByteArray::number(static_cast<qulonglong>(place->second));
        }
        QByteArray text;
        if (object.isArray()) {
            for (const QPDFObjectHandle& item : object.getArrayAsVector()) text += textOf(item, depth + 1) + ' ';
            return text.isEmpty() ? text : "[ " + text + ']';
        }
        if (object.isReal()) return QByteArray::number(object.getNumericValue(), 'g', kDigits);
        if (!object.isDictionary()) return withoutTag(QByteArray::fromStdString(object.unparseResolved()));
        for (const std::string& key : object.getKeys()) {
            if (unseen.contains(key)) continue;
            const QByteArray value = textOf(object.getKey(key), depth + 1);
            if (!value.isEmpty()) text += QByteArray::fromStdString(key) + ' ' + value + ' ';
        }
        return text.isEmpty() ? text : "<< " + text + ">>";
    }
    const std::vector<QPDFObjectHandle>& streams() const { return m_streams; }

 private:
    static constexpr int kDigits = 5;

    std::vector<QPDFObjectHandle> m_streams;
    std::map<QPDFObjGen, std::size_t> m_places;
    int m_count = 0;
};

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
    QList<PdfObject> result;
    withPdf(bytes, [&result](QPDF& pdf) {
        pdf.pushInheritedAttributesToPage();
        SeenObjects seen;
        for (const QPDFObjectHandle& page : pdf.getAllPages()) {
            // Other programs divide the commands of a page into streams as they like.
            LimitedBytes commands;
            QPDFPageObjectHelper(page).pipeContents(&commands);
            QPDFObjectHandle whole = QPDFObjectHandle::newStream(&pdf, commands.bytes.toStdString());
            result.append({seen.textOf(page), bytesOf(whole, qpdf_ef_normalize).value_or(QByteArray()), true});
        }
        for (std::size_t i = 0; i < seen.streams().size(); ++i) {  // textOf() adds those that a dictionary names
            QPDFObjectHandle stream = seen.streams()[i];
            result.append({seen.textOf(stream.getDict()), bytesOf(stream).value_or(QByteArray())});
        }
    });
    return result;
}

}  // namespace ropelab::ui
