#include "ui/figure/export/pdf_attachments.h"

#include <zlib.h>

#include <QRegularExpression>
#include <algorithm>
#include <optional>

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr qsizetype kLargestAttachment = qsizetype{1} << 26;
constexpr qsizetype kEntryLength = 20;  // of the table of cross-references, fixed by the format

/// Decompresses zlib's bytes; nullopt if they are damaged or more than kLargestAttachment. qUncompress has no limit,
/// and a few bytes of a stranger can stand for gigabytes.
std::optional<QByteArray> inflated(const QByteArray& compressed) {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) return std::nullopt;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.constData()));
    stream.avail_in = static_cast<uInt>(compressed.size());
    QByteArray result;
    int code = Z_OK;
    while (code == Z_OK && result.size() <= kLargestAttachment) {
        const qsizetype done = result.size();
        result.resize(std::max<qsizetype>(4096, 2 * done));
        stream.next_out = reinterpret_cast<Bytef*>(result.data() + done);
        stream.avail_out = static_cast<uInt>(result.size() - done);
        code = inflate(&stream, Z_NO_FLUSH);
        result.resize(result.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    return code == Z_STREAM_END ? std::optional(result) : std::nullopt;
}

class PdfObjects {
 public:
    explicit PdfObjects(const QByteArray& pdf) : m_pdf(pdf) {
        const qsizetype mark = pdf.lastIndexOf("startxref");
        if (mark < 0) return;
        const qsizetype table = pdf.mid(mark + 9, 32).trimmed().split('\n').first().trimmed().toLongLong();
        static const QRegularExpression head(u"^xref\\s+0 (\\d+)\\s*\\n"_s);
        const auto found = head.match(QString::fromLatin1(pdf.mid(table, 64)));
        if (table <= 0 || !found.hasMatch()) return;
        m_entries = table + found.capturedLength();
        // A stranger's file may claim more objects than it has room for.
        m_count = std::min<qsizetype>(found.captured(1).toLongLong(), (pdf.size() - m_entries) / kEntryLength);
    }

    /// Object 0 does not exist.
    qsizetype count() const { return m_count; }

    /// To the end of the file; empty if there is none.
    QByteArray from(qsizetype number) const {
        if (number <= 0 || number >= m_count) return {};
        const qsizetype place = m_pdf.mid(m_entries + number * kEntryLength, 10).toLongLong();
        const QByteArray begin = QByteArray::number(number) + " 0 obj";
        if (place <= 0 || place >= m_pdf.size() || !m_pdf.sliced(place).startsWith(begin)) return {};
        return QByteArray::fromRawData(m_pdf.constData() + place + begin.size(), m_pdf.size() - place - begin.size());
    }

    QByteArray dictionary(qsizetype number) const {
        const QByteArray object = from(number);
        qsizetype end = object.indexOf("endobj");
        if (const qsizetype stream = object.indexOf("stream"); stream >= 0 && stream < end) end = stream;
        return end < 0 ? QByteArray() : QByteArray(object.constData(), end);
    }

    /// Without compression; nullopt if the bytes cannot be read.
    std::optional<QByteArray> stream(qsizetype number) const {
        const QByteArray object = from(number);
        const QByteArray dictionary = this->dictionary(number);
        static const QRegularExpression lengthEntry(u"/Length (\\d+)( 0 R)?"_s);
        const auto length = lengthEntry.match(QString::fromLatin1(dictionary));
        qsizetype start = object.indexOf("stream");
        if (!length.hasMatch() || start < 0) return std::nullopt;
        start += 6;
        if (object.mid(start, 2) == "\r\n") ++start;
        ++start;
        qsizetype size = length.captured(1).toLongLong();
        if (!length.captured(2).isEmpty()) size = this->dictionary(size).trimmed().toLongLong();
        if (size < 0 || size > kLargestAttachment || start + size > object.size()) return std::nullopt;
        const QByteArray bytes(object.constData() + start, size);
        if (!dictionary.contains("/FlateDecode")) return bytes;
        return inflated(bytes);
    }

 private:
    const QByteArray& m_pdf;
    qsizetype m_entries = 0;
    qsizetype m_count = 0;
};

}  // namespace

QMap<QString, QByteArray> pdfAttachments(const QByteArray& pdf) {
    QMap<QString, QByteArray> result;
    if (!pdf.startsWith("%PDF-")) return result;
    const PdfObjects objects(pdf);
    static const QRegularExpression name(u"/F \\(([^)]*)\\)"_s);
    static const QRegularExpression file(u"/EF\\s*<<\\s*/F (\\d+) 0 R"_s);
    for (qsizetype number = 1; number < objects.count(); ++number) {
        const QString dictionary = QString::fromLatin1(objects.dictionary(number).left(4096));
        if (!dictionary.contains("/Filespec"_L1)) continue;
        const auto named = name.match(dictionary);
        const auto filed = file.match(dictionary);
        if (!named.hasMatch() || !filed.hasMatch()) continue;
        if (const auto data = objects.stream(filed.captured(1).toLongLong())) result[named.captured(1)] = *data;
    }
    return result;
}

QList<PdfObject> pdfObjects(const QByteArray& pdf) {
    QList<PdfObject> result;
    const PdfObjects objects(pdf);
    for (qsizetype number = 1; number < objects.count(); ++number) {
        PdfObject object{objects.dictionary(number), std::nullopt};
        if (objects.from(number).sliced(object.dictionary.size()).startsWith("stream")) {
            object.stream = objects.stream(number).value_or(QByteArray());
        }
        result.append(std::move(object));
    }
    const qsizetype trailer = pdf.lastIndexOf("trailer");
    if (trailer >= 0) result.append({pdf.mid(trailer, pdf.lastIndexOf("startxref") - trailer), std::nullopt});
    return result;
}

}  // namespace ropelab::ui
