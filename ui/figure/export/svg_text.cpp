#include "ui/figure/export/svg_text.h"

#include <QFont>
#include <QPainterPath>
#include <QStringList>
#include <QXmlStreamReader>
#include <QXmlStreamWriter>
#include <algorithm>

#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// Rounded to a hundredth of a unit.
QString pathData(const QPainterPath& path) {
    QStringList parts;
    const auto point = [](const QPainterPath::Element& element) {
        return u"%1 %2"_s.arg(QString::number(element.x, 'f', 2), QString::number(element.y, 'f', 2));
    };
    for (int i = 0; i < path.elementCount(); ++i) {
        const QPainterPath::Element element = path.elementAt(i);
        switch (element.type) {
            case QPainterPath::MoveToElement:
                parts.append((parts.isEmpty() ? u"M"_s : u"Z M"_s) + point(element));
                break;
            case QPainterPath::LineToElement:
                parts.append(u"L"_s + point(element));
                break;
            case QPainterPath::CurveToElement:
                parts.append(u"C"_s + point(element) + QLatin1Char(' ') + point(path.elementAt(i + 1)) +
                             QLatin1Char(' ') + point(path.elementAt(i + 2)));
                i += 2;
                break;
            case QPainterPath::CurveToDataElement:
                break;  // already processed with CurveToElement
        }
    }
    if (!parts.isEmpty()) {
        parts.append(u"Z"_s);
    }
    return parts.join(QLatin1Char(' '));
}

void writeOutline(QXmlStreamReader& reader, QXmlStreamWriter& writer) {
    const QXmlStreamAttributes attributes = reader.attributes();
    const QString words = reader.readElementText(QXmlStreamReader::IncludeChildElements);
    QFont font(ThemeManager::family());
    font.setPixelSize(std::max(1, qRound(attributes.value(u"font-size"_s).toDouble())));
    if (attributes.value(u"font-weight"_s).toInt() > 400) {
        font.setWeight(QFont::DemiBold);
    }
    font.setItalic(attributes.value(u"font-style"_s) == "italic"_L1);
    QPainterPath path;
    path.addText(attributes.value(u"x"_s).toDouble(), attributes.value(u"y"_s).toDouble(), font, words);
    const QString data = pathData(path);
    if (data.isEmpty()) {
        return;  // the text has only spaces
    }
    writer.writeStartElement(u"path"_s);
    writer.writeAttribute(u"d"_s, data);
    writer.writeAttribute(u"fill"_s, attributes.value(u"fill"_s).toString());
    writer.writeAttribute(u"fill-opacity"_s, attributes.value(u"fill-opacity"_s).toString());
    writer.writeAttribute(u"fill-rule"_s, u"nonzero"_s);
    writer.writeAttribute(u"stroke"_s, u"none"_s);
    writer.writeAttribute(u"aria-label"_s, words);
    writer.writeEndElement();
}

/// With the names of fonts that may replace the bundled one where it is not installed.
void writeText(QXmlStreamReader& reader, QXmlStreamWriter& writer) {
    const QXmlStreamAttributes attributes = reader.attributes();
    writer.writeStartElement(u"text"_s);
    for (const QXmlStreamAttribute& attribute : attributes) {
        const bool isFamily = attribute.qualifiedName() == "font-family"_L1;
        writer.writeAttribute(attribute.qualifiedName().toString(),
                              isFamily ? svgFontFamily() : attribute.value().toString());
    }
    writer.writeCharacters(reader.readElementText(QXmlStreamReader::IncludeChildElements));
    writer.writeEndElement();
}

}  // namespace

QString svgFontFamily() {
    return u"'%1', Inter, sans-serif"_s.arg(ThemeManager::family());
}

QByteArray withText(const QByteArray& svg, SvgText text) {
    QByteArray result;
    QXmlStreamReader reader(svg);
    reader.setNamespaceProcessing(false);  // otherwise every element gets a prefix
    QXmlStreamWriter writer(&result);
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isStartElement() && reader.name() == "text"_L1) {
            text == SvgText::outlines ? writeOutline(reader, writer) : writeText(reader, writer);
        } else if (!reader.hasError() && reader.tokenType() != QXmlStreamReader::Invalid) {
            writer.writeCurrentToken(reader);
        }
    }
    return reader.hasError() ? svg : result;
}

}  // namespace ropelab::ui
