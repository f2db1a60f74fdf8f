#include "ui/figure/svg_text.h"

#include <QFont>
#include <QPainterPath>
#include <QStringList>
#include <QXmlStreamReader>
#include <QXmlStreamWriter>
#include <algorithm>

#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

/// Rounded to a hundredth of a unit.
QString pathData(const QPainterPath& path) {
    QStringList parts;
    const auto point = [](const QPainterPath::Element& element) {
        return QStringLiteral("%1 %2").arg(QString::number(element.x, 'f', 2), QString::number(element.y, 'f', 2));
    };
    for (int i = 0; i < path.elementCount(); ++i) {
        const QPainterPath::Element element = path.elementAt(i);
        switch (element.type) {
            case QPainterPath::MoveToElement:
                parts.append((parts.isEmpty() ? QStringLiteral("M") : QStringLiteral("Z M")) + point(element));
                break;
            case QPainterPath::LineToElement:
                parts.append(QStringLiteral("L") + point(element));
                break;
            case QPainterPath::CurveToElement:
                parts.append(QStringLiteral("C") + point(element) + QLatin1Char(' ') + point(path.elementAt(i + 1)) +
                             QLatin1Char(' ') + point(path.elementAt(i + 2)));
                i += 2;
                break;
            case QPainterPath::CurveToDataElement:
                break;  // already processed with CurveToElement
        }
    }
    if (!parts.isEmpty()) {
        parts.append(QStringLiteral("Z"));
    }
    return parts.join(QLatin1Char(' '));
}

void writeOutline(QXmlStreamReader& reader, QXmlStreamWriter& writer) {
    const QXmlStreamAttributes attributes = reader.attributes();
    const QString words = reader.readElementText(QXmlStreamReader::IncludeChildElements);
    QFont font(ThemeManager::family());
    font.setPixelSize(std::max(1, qRound(attributes.value(QStringLiteral("font-size")).toDouble())));
    if (attributes.value(QStringLiteral("font-weight")).toInt() > 400) {
        font.setWeight(QFont::DemiBold);
    }
    font.setItalic(attributes.value(QStringLiteral("font-style")) == QLatin1String("italic"));
    QPainterPath path;
    path.addText(attributes.value(QStringLiteral("x")).toDouble(), attributes.value(QStringLiteral("y")).toDouble(),
                 font, words);
    const QString data = pathData(path);
    if (data.isEmpty()) {
        return;  // the text has only spaces
    }
    writer.writeStartElement(QStringLiteral("path"));
    writer.writeAttribute(QStringLiteral("d"), data);
    writer.writeAttribute(QStringLiteral("fill"), attributes.value(QStringLiteral("fill")).toString());
    writer.writeAttribute(QStringLiteral("fill-opacity"), attributes.value(QStringLiteral("fill-opacity")).toString());
    writer.writeAttribute(QStringLiteral("fill-rule"), QStringLiteral("nonzero"));
    writer.writeAttribute(QStringLiteral("stroke"), QStringLiteral("none"));
    writer.writeAttribute(QStringLiteral("aria-label"), words);
    writer.writeEndElement();
}

/// With the names of fonts that may replace the bundled one where it is not installed.
void writeText(QXmlStreamReader& reader, QXmlStreamWriter& writer) {
    const QXmlStreamAttributes attributes = reader.attributes();
    writer.writeStartElement(QStringLiteral("text"));
    for (const QXmlStreamAttribute& attribute : attributes) {
        const bool isFamily = attribute.qualifiedName() == QLatin1String("font-family");
        writer.writeAttribute(attribute.qualifiedName().toString(),
                              isFamily ? svgFontFamily() : attribute.value().toString());
    }
    writer.writeCharacters(reader.readElementText(QXmlStreamReader::IncludeChildElements));
    writer.writeEndElement();
}

}  // namespace

QString svgFontFamily() {
    return QStringLiteral("'%1', Inter, sans-serif").arg(ThemeManager::family());
}

QByteArray withText(const QByteArray& svg, SvgText text) {
    QByteArray result;
    QXmlStreamReader reader(svg);
    reader.setNamespaceProcessing(false);  // otherwise every element gets a prefix
    QXmlStreamWriter writer(&result);
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isStartElement() && reader.name() == QLatin1String("text")) {
            text == SvgText::outlines ? writeOutline(reader, writer) : writeText(reader, writer);
        } else if (!reader.hasError() && reader.tokenType() != QXmlStreamReader::Invalid) {
            writer.writeCurrentToken(reader);
        }
    }
    return reader.hasError() ? svg : result;
}

}  // namespace ropelab::ui
