#include "ui/figure/export/figure_picture.h"

#include <QCoreApplication>
#include <QImage>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QStringList>
#include <QXmlStreamReader>
#include <QtEndian>
#include <algorithm>
#include <cmath>

#include "ui/figure/export/pdf_attachments.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kPlaceTolerance = 0.5;       // units of a file: tenths of a point (SVG), 1/1200 inch (PDF)
constexpr double kFractionTolerance = 0.002;  // of numbers up to 1, such as the parts of a colour
constexpr int kColorTolerance = 32;           // of 255, per part of a pixel's colour
constexpr qsizetype kLongestQuote = 60;       // letters of an element in a sentence

bool isNear(double a, double b) {
    const bool isFraction = std::max(std::abs(a), std::abs(b)) <= 1;
    return std::abs(a - b) <= (isFraction ? kFractionTolerance : kPlaceTolerance);
}

/// Numbers and commands, as the outline of a path, agree but for the tolerance of numbers.
bool areNearTexts(const QString& a, const QString& b) {
    if (a == b) return true;
    static const QRegularExpression number(u"[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?"_s);
    auto ofA = number.globalMatch(a);
    auto ofB = number.globalMatch(b);
    qsizetype endA = 0;
    qsizetype endB = 0;
    const auto textUpTo = [](const QString& text, qsizetype from, qsizetype to) { return text.mid(from, to - from); };
    while (ofA.hasNext() && ofB.hasNext()) {
        const auto x = ofA.next();
        const auto y = ofB.next();
        if (textUpTo(a, endA, x.capturedStart()) != textUpTo(b, endB, y.capturedStart())) return false;
        if (!isNear(x.captured().toDouble(), y.captured().toDouble())) return false;
        endA = x.capturedEnd();
        endB = y.capturedEnd();
    }
    return !ofA.hasNext() && !ofB.hasNext() && a.mid(endA) == b.mid(endB);
}

/// A text that has to be equal, or numbers and commands that may differ by the tolerance.
struct Part {
    QString text;
    bool isGeometry = false;
    bool isReadable = true;  // false for the description of a font, a page, a colour, which no sentence can quote
};

/// Outside of the record, the data and the settings.
QList<Part> partsOfDrawing(const QByteArray& svg) {
    static const QStringList geometry = {u"d"_s,  u"points"_s, u"transform"_s, u"x"_s,  u"y"_s,     u"cx"_s,
                                         u"cy"_s, u"r"_s,      u"rx"_s,        u"ry"_s, u"width"_s, u"height"_s};
    QList<Part> parts;
    QXmlStreamReader xml(svg);
    while (!xml.atEnd()) {
        const auto token = xml.readNext();
        if (token == QXmlStreamReader::StartElement) {
            if (xml.namespaceUri() == "urn:ropelab:figure"_L1) {
                parts.append({u"<%1> %2"_s.arg(xml.name(), xml.attributes().value(u"panel"_s))});
                xml.readElementText();
                continue;
            }
            parts.append({u"<%1> %2"_s.arg(xml.name(), xml.namespaceUri())});
            QMap<QString, QString> attributes;  // by name: other programs write them in another order
            for (const QXmlStreamAttribute& attribute : xml.attributes())
                attributes[attribute.qualifiedName().toString()] = attribute.value().toString();
            for (const auto& [name, value] : attributes.asKeyValueRange()) {
                parts.append({name});
                parts.append({value, geometry.contains(name)});
            }
        } else if (token == QXmlStreamReader::EndElement) {
            parts.append({u"</%1>"_s.arg(xml.name())});
        } else if (token == QXmlStreamReader::Characters) {
            if (!xml.isWhitespace()) parts.append({xml.text().toString()});
        } else if (token == QXmlStreamReader::ProcessingInstruction) {  // can change how elements look
            parts.append({xml.processingInstructionTarget().toString() + xml.processingInstructionData().toString()});
        } else if (token == QXmlStreamReader::DTD || token == QXmlStreamReader::EntityReference) {
            parts.append({xml.text().toString()});
        }
    }
    if (xml.hasError()) parts.append({xml.errorString()});
    return parts;
}

/// The outlines of glyphs and the dictionaries of objects have to be equal; of the page's commands each word is a part.
/// Of attachments, which have numbers of their own (figure_record.h), the names.
QList<Part> partsOfPages(const QByteArray& pdf) {
    QList<Part> parts;
    for (const PdfObject& object : pdfObjects(pdf)) {
        parts.append({QString::fromLatin1(object.dictionary), false, false});
        if (!object.stream) continue;
        if (!object.isPage) {
            parts.append({QString::fromLatin1(*object.stream), false, false});
            continue;
        }
        for (const QByteArray& line : object.stream->split('\n')) {
            for (const QByteArray& word : line.split(' ')) {
                bool isNumber = false;
                word.toDouble(&isNumber);
                if (!word.isEmpty()) parts.append({QString::fromLatin1(word), isNumber});
            }
        }
    }
    for (const QString& name : pdfAttachments(pdf).keys()) parts.append({name});
    return parts;
}

QString quoted(const QString& text) {
    const QString line = text.simplified();
    return line.size() > kLongestQuote ? line.left(kLongestQuote) + QChar(0x2026) : line;
}

/// The rectangles of a page in its dictionary.
QString boxesOf(const QString& dictionary) {
    static const QRegularExpression box(u"/(?:Media|Crop)Box \\[[^\\]]*\\]"_s);
    QStringList boxes;
    for (const QRegularExpressionMatch& found : box.globalMatch(dictionary)) boxes << found.captured();
    return boxes.join(u' ');
}

QString partsDifference(const QList<Part>& stored, const QList<Part>& drawn) {
    for (qsizetype i = 0; i < std::min(stored.size(), drawn.size()); ++i) {
        const Part& a = stored[i];
        const Part& b = drawn[i];
        const bool isGeometry = a.isGeometry && b.isGeometry;
        if (isGeometry ? areNearTexts(a.text, b.text) : a.text == b.text) continue;
        if (!a.isReadable || !b.isReadable) {
            if (!areNearTexts(boxesOf(a.text), boxesOf(b.text)))
                return u"Picture: the page of the file is cropped, or has another size than the figure."_s;
            return u"Picture: the file describes its pages, fonts or colours in another way than RoPE Lab does (part "
                   u"%1 "
                   "of %2)."_s.arg(i + 1)
                       .arg(stored.size());
        }
        return u"Picture: part %1 of %2 is \"%3\" in the file, but \"%4\" when RoPE Lab draws the figure again."_s.arg(
            QString::number(i + 1), QString::number(stored.size()), quoted(a.text), quoted(b.text));
    }
    if (stored.size() == drawn.size()) return {};
    return u"Picture: the file has %1 drawn elements, but the recomputed figure has %2."_s.arg(stored.size())
        .arg(drawn.size());
}

/// Other programs add their names and dates to the metadata, or leave the metadata out.
QString descriptionDifference(const QByteArray& stored, const QByteArray& drawn) {
    const QStringList lines = pdfDescription(stored);
    if (lines.isEmpty()) return {};
    for (const QString& line : pdfDescription(drawn)) {
        if (line.startsWith(QLatin1Char('{')) || lines.contains(line)) continue;  // settings have a check of their own
        return u"Picture: the metadata (XMP) of the file lack \"%1\"."_s.arg(quoted(line));
    }
    return {};
}

/// A colour between those around the same place of the other image: smoothed edges can differ between machines, but no
/// more than that.
bool isPixelNear(const QImage& image, const QImage& other, int x, int y) {
    const QRgb wanted = image.pixel(x, y);
    const auto isWithin = [&](int (*part)(QRgb)) {
        int low = 255;
        int high = 0;
        for (int row = std::max(0, y - 1); row <= std::min(image.height() - 1, y + 1); ++row) {
            for (int column = std::max(0, x - 1); column <= std::min(image.width() - 1, x + 1); ++column) {
                low = std::min(low, part(other.pixel(column, row)));
                high = std::max(high, part(other.pixel(column, row)));
            }
        }
        return part(wanted) >= low - kColorTolerance && part(wanted) <= high + kColorTolerance;
    };
    return isWithin(qRed) && isWithin(qGreen) && isWithin(qBlue) && isWithin(qAlpha);
}

/// The kinds of the chunks of a PNG, sorted; of its texts the key, and the words that are not data or settings. Chunks
/// that only say how the file stores its pixels, which are compared, and when it was written are left out.
QStringList chunksOf(const QByteArray& png) {
    static const QSet<QByteArray> storage = {"PLTE", "tRNS", "sBIT", "bKGD", "hIST", "tIME"};
    QStringList chunks;
    qsizetype at = 8;
    while (at + 12 <= png.size()) {
        const qsizetype length = qFromBigEndian<quint32>(png.constData() + at);
        const QByteArray kind = png.mid(at + 4, 4);
        const bool isText = kind == "tEXt" || kind == "zTXt" || kind == "iTXt";
        const QByteArray key = png.mid(at + 8, std::max<qsizetype>(0, png.indexOf('\0', at + 8) - at - 8));
        const QString name = isText ? u"text %1"_s.arg(QString::fromLatin1(key)) : QString::fromLatin1(kind);
        if (!storage.contains(kind) && !key.startsWith("date:") && (isText || !chunks.contains(name))) chunks << name;
        at += 12 + length;
        if (kind == "IEND") break;
    }
    if (at != png.size()) chunks << u"bytes after its end"_s;
    const QImage image = QImage::fromData(png, "PNG");
    for (const QString& key : {u"Title"_s, u"Description"_s, u"Software"_s}) chunks << key + u": "_s + image.text(key);
    chunks.sort();
    return chunks;
}

QString chunksDifference(const QStringList& stored, const QStringList& drawn) {
    for (qsizetype i = 0; i < std::max(stored.size(), drawn.size()); ++i) {
        if (stored.value(i) == drawn.value(i)) continue;
        const bool isMore = !stored.value(i).isEmpty() && stored.count(stored[i]) > drawn.count(stored[i]);
        return isMore
                   ? u"Picture: the file has the part \"%1\", which RoPE Lab does not write."_s.arg(quoted(stored[i]))
                   : u"Picture: the file lacks the part \"%1\"."_s.arg(quoted(drawn.value(i)));
    }
    return {};
}

QString pixelsDifference(const QByteArray& stored, const QByteArray& drawn) {
    if (const QString why = chunksDifference(chunksOf(stored), chunksOf(drawn)); !why.isEmpty()) return why;
    const QImage a = QImage::fromData(stored, "PNG").convertToFormat(QImage::Format_ARGB32);
    const QImage b = QImage::fromData(drawn, "PNG").convertToFormat(QImage::Format_ARGB32);
    if (a.size() != b.size()) {
        return u"Picture: the file has %1 × %2 pixels, but the figure drawn again has %3 × %4."_s.arg(a.width())
            .arg(a.height())
            .arg(b.width())
            .arg(b.height());
    }
    qsizetype count = 0;
    QPoint first;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            if (a.pixel(x, y) == b.pixel(x, y)) continue;
            if (isPixelNear(a, b, x, y) && isPixelNear(b, a, x, y)) continue;
            if (count++ == 0) first = {x, y};
        }
    }
    if (count == 0) return {};
    return u"Picture: %1 of %2 pixels differ between the file and the figure drawn again, the first in column %3 of "
           "row %4."_s.arg(count)
               .arg(static_cast<qsizetype>(a.width()) * a.height())
               .arg(first.x() + 1)
               .arg(first.y() + 1);
}

}  // namespace

std::optional<ExportOptions> drawingOptions(const FigureRecord& record, const QByteArray& bytes) {
    const QJsonObject& drawing = record.drawing;
    if (drawing.isEmpty()) return std::nullopt;
    ExportOptions options;
    options.format = bytes.startsWith("%PDF-")     ? FigureFormat::pdf
                     : bytes.startsWith("\x89PNG") ? FigureFormat::png
                                                   : FigureFormat::svg;
    options.widthMm = drawing[u"width_mm"_s].toDouble();
    options.heightMm = drawing[u"height_mm"_s].toDouble();
    options.dpi = drawing[u"dpi"_s].toInt();
    options.fontPt = drawing[u"font_pt"_s].toDouble();
    options.appearance = drawing[u"dark"_s].toBool() ? Appearance::dark : Appearance::light;
    options.dashes = drawing[u"dashes"_s].toBool();
    options.outlines = drawing[u"outlines"_s].toBool();
    options.columns = drawing[u"columns"_s].toInt();
    return options;
}

bool isDrawnByThisProgram(const FigureRecord& record) {
    return record.program == QCoreApplication::applicationVersion() &&
           record.drawing[u"qt"_s].toString() == QLatin1String(qVersion());
}

QString pictureDifference(const QByteArray& stored, const QByteArray& drawn) {
    if (drawn.startsWith("\x89PNG")) return pixelsDifference(stored, drawn);
    if (drawn.startsWith("%PDF-")) {
        const QString difference = partsDifference(partsOfPages(stored), partsOfPages(drawn));
        return difference.isEmpty() ? descriptionDifference(stored, drawn) : difference;
    }
    return partsDifference(partsOfDrawing(stored), partsOfDrawing(drawn));
}

}  // namespace ropelab::ui
