#include "ui/figure/export/export.h"

#include <QBuffer>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>
#include <QImage>
#include <QJsonDocument>
#include <QMimeData>
#include <QPageSize>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/store/output_file.h"
#include "ui/figure/export/figure_page.h"
#include "ui/figure/export/figure_record.h"
#include "ui/figure/export/pgfplots.h"
#include "ui/figure/export/svg_text.h"
#include "ui/figure/figure_style.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kPointsPerMm = 72.0 / 25.4;
void checkRange(const char* what, double value, double minimum, double maximum, const char* unit) {
    if (!(value >= minimum && value <= maximum)) {
        throw BadInput(std::string("The figure's ") + what + " is " + number_text(value) + unit +
                       ", but it must be between " + number_text(minimum) + " and " + number_text(maximum) + unit +
                       ".");
    }
}

void check(const ExportOptions& options) {
    checkRange("width", options.widthMm, 20, 1000, " mm");
    checkRange("height", options.heightMm, 20, 1000, " mm");
    checkRange("resolution", options.dpi, 72, 1200, " dpi");
    checkRange("font size", options.fontPt, 5, 48, " pt");
    const double pixels = options.widthMm * options.heightMm / (25.4 * 25.4) * options.dpi * options.dpi;
    if (options.format == FigureFormat::png && pixels > 2e8) {
        throw BadInput("An image of " + number_text(options.widthMm) + " × " + number_text(options.heightMm) +
                       " mm at " + number_text(options.dpi) +
                       " dpi has over 200 million pixels. Choose a lower resolution or the format PDF.");
    }
}

/// A page and the texts that every picture format embeds, made once for all of them.
class Page {
 public:
    /// Throws BadInput if a size is out of range or a panel has too little room.
    Page(std::span<const Figure> panels, const ExportOptions& options) : m_panels(panels), m_options(options) {
        check(options);
        if (panels.empty()) throw BadInput("A page of figures requires at least one figure, but none is given.");
        if (panels.size() > 1)
            m_layout = pageLayout(panels, options.widthMm, options.heightMm, options.columns, options.fontPt);
        QStringList names;
        QStringList summaries;
        std::vector<QByteArray> data;
        for (std::size_t i = 0; i < panels.size(); ++i) {
            const Figure& figure = panels[i];
            const QString letter = panelLetter(i, panels.size());
            names << (figure.name.isEmpty() ? u"figure"_s : figure.name);
            summaries << (letter.isEmpty() ? QString() : u"(%1) "_s.arg(letter)) + figure.summary;
            data.push_back(figureCsv(figure));
            m_parts.push_back({letter, data.back(), figure.settings});
        }
        m_title = names.join(u", "_s);
        m_summary = summaries.join(QLatin1Char('\n'));
        m_record = recordJson(panels, data, options);
    }

    QByteArray bytes(FigureFormat format) const {
        switch (format) {
            case FigureFormat::pdf:
                return pdf();
            case FigureFormat::svg:
                return svg();
            case FigureFormat::png:
                return png();
            case FigureFormat::csv:
                throw BadInput("Several figures cannot be written to one CSV file; choose PDF, SVG or PNG.");
            case FigureFormat::pgfplots:
                break;
        }
        throw BadInput(m_parts.size() > 1
                           ? "Several figures cannot be written to one PGFPlots file; choose PDF, SVG or PNG."
                           : "A PGFPlots figure consists of two files, so it cannot be copied.");
    }
    QImage image() const;

 private:
    struct Part {
        QString letter;  // "" on a page with one figure
        QByteArray data;
        QJsonObject settings;

        QByteArray settingsText() const { return QJsonDocument(settings).toJson(QJsonDocument::Compact); }
        /// The letter behind a separator, for names of embedded parts.
        QString ending(char separator) const { return letter.isEmpty() ? QString() : QLatin1Char(separator) + letter; }
    };

    QByteArray pdf() const;
    QByteArray svg() const;
    QByteArray png() const;
    QByteArray xmp() const;
    QByteArray svgMetadata() const;

    /// `unit` is the number of the device's units per point.
    QSize size(double unit) const {
        return {static_cast<int>(std::lround(m_options.widthMm * kPointsPerMm * unit)),
                static_cast<int>(std::lround(m_options.heightMm * kPointsPerMm * unit))};
    }
    void paint(QPaintDevice& device, double unit, bool vectors) const {
        FigureStyle style = FigureStyle::print(Theme::of(m_options.appearance), m_options.fontPt, unit);
        style.dashes = m_options.dashes;
        paintPage(m_panels, m_layout, device, size(unit), style, vectors);
    }

    std::span<const Figure> m_panels;
    const ExportOptions& m_options;
    PageLayout m_layout;
    std::vector<Part> m_parts;
    QString m_title;
    QString m_summary;
    QByteArray m_record;
};

QByteArray Page::xmp() const {
    QStringList texts{m_summary};
    for (const Part& part : m_parts) texts << QString::fromUtf8(part.settingsText());
    const QString description = texts.join(QLatin1Char('\n')).trimmed().toHtmlEscaped();
    return u"<?xpacket begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
           "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
           "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
           "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
           "xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\">\n"
           "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">%1</rdf:li></rdf:Alt></dc:title>\n"
           "<dc:description><rdf:Alt><rdf:li xml:lang=\"x-default\">%2</rdf:li></rdf:Alt></dc:description>\n"
           "<xmp:CreatorTool>RoPE Lab</xmp:CreatorTool>\n"
           "</rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"w\"?>\n"_s
               .arg(m_title.toHtmlEscaped(), description)
               .toUtf8();
}

/// Blanks the dates and the identity that Qt writes into a PDF, so that the same figure is always the same file. Places
/// of objects in the file stay.
QByteArray withoutDates(QByteArray pdf) {
    for (const auto& [begin, last] :
         {std::pair("/CreationDate (", ')'), std::pair("/ModDate (", ')'), std::pair("/ID [", ']')}) {
        const qsizetype start = pdf.lastIndexOf(begin);
        const qsizetype end = pdf.indexOf(last, start);
        if (start >= 0 && end >= 0) pdf.replace(start, end + 1 - start, QByteArray(end + 1 - start, ' '));
    }
    return pdf;
}

QByteArray Page::pdf() const {
    constexpr int resolution = 1200;
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(resolution);
        writer.setPageSize(QPageSize(QSizeF(m_options.widthMm, m_options.heightMm), QPageSize::Millimeter, m_title,
                                     QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF());
        writer.setTitle(m_title);
        writer.setCreator(u"RoPE Lab"_s);
        writer.setDocumentXmpMetadata(xmp());
        for (const Part& part : m_parts) {
            writer.addFileAttachment(u"data%1.csv"_s.arg(part.ending('-')), part.data, u"text/csv"_s);
            writer.addFileAttachment(u"settings%1.json"_s.arg(part.ending('-')), QJsonDocument(part.settings).toJson(),
                                     u"application/json"_s);
        }
        writer.addFileAttachment(u"figure.json"_s, m_record, u"application/json"_s);
        paint(writer, resolution / 72.0, true);
    }
    return withoutDates(buffer.data());
}

/// Escapes the end mark of CDATA inside the text.
QByteArray cdata(QByteArray text) {
    return "<![CDATA[" + text.replace("]]>", "]]]]><![CDATA[>") + "]]>";
}

QByteArray Page::svgMetadata() const {
    const auto element = [](const char* name, const char* type, const QString& letter, const QByteArray& text) {
        const QByteArray panel = letter.isEmpty() ? QByteArray() : " panel=\"" + letter.toUtf8() + '"';
        return QByteArray("<") + name + " xmlns=\"urn:ropelab:figure\" type=\"" + type + '"' + panel + '>' +
               cdata(text) + "</" + name + ">\n";
    };
    QByteArray result = "<metadata>\n" + element("figure", "application/json", {}, m_record);
    for (const Part& part : m_parts) {
        result += element("settings", "application/json", part.letter, part.settingsText());
        result += element("data", "text/csv", part.letter, part.data);
    }
    return result + "</metadata>\n";
}

QByteArray Page::svg() const {
    constexpr double unit = 10;  // tenths of a point, because the generator's size is an integer
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setResolution(static_cast<int>(72 * unit));
        generator.setSize(size(unit));
        generator.setViewBox(QRect(QPoint(0, 0), size(unit)));
        paint(generator, unit, true);
    }
    QByteArray bytes = withText(buffer.data(), m_options.outlines ? SvgText::outlines : SvgText::font);
    // The generator rounds the size to its units; this is the exact size.
    static const QRegularExpression sizeAttributes(u"width=\"[^\"]*mm\" height=\"[^\"]*mm\""_s);
    const auto header = sizeAttributes.match(QString::fromUtf8(bytes.left(500)));
    bytes.replace(header.capturedStart(), header.capturedLength(),
                  "width=\"" + QByteArray::number(m_options.widthMm) + "mm\" height=\"" +
                      QByteArray::number(m_options.heightMm) + "mm\"");
    // Replaces the generator's title and description, which it does not escape.
    bytes.remove(bytes.indexOf("<title>"), bytes.indexOf("<defs>") - bytes.indexOf("<title>"));
    bytes.insert(bytes.indexOf("<defs>"), "<title>" + m_title.toHtmlEscaped().toUtf8() + "</title>\n<desc>" +
                                              m_summary.toHtmlEscaped().toUtf8() + "</desc>\n");
    return bytes.insert(bytes.lastIndexOf("</svg>"), svgMetadata());
}

QImage Page::image() const {
    const double unit = m_options.dpi / 72.0;
    QImage result(size(unit), QImage::Format_RGB32);
    const auto dotsPerMeter = static_cast<int>(std::lround(m_options.dpi / 0.0254));
    result.setDotsPerMeterX(dotsPerMeter);
    result.setDotsPerMeterY(dotsPerMeter);
    paint(result, unit, false);
    result.setText(u"Title"_s, m_title);
    result.setText(u"Description"_s, m_summary);
    result.setText(u"Software"_s, u"RoPE Lab"_s);
    result.setText(u"Figure"_s, QString::fromUtf8(m_record));
    for (const Part& part : m_parts) {
        result.setText(u"Settings"_s + part.ending(' '), QString::fromUtf8(part.settingsText()));
        // Readers such as Pillow refuse a text of more than 1 MiB. No piece ends beside a space, which some remove.
        constexpr qsizetype kMostLetters = 900'000;
        QString rest = QString::fromUtf8(part.data);
        for (int piece = 1; piece == 1 || !rest.isEmpty(); ++piece) {
            qsizetype cut = std::min(kMostLetters, rest.size());
            while (cut < rest.size() && cut > 1 && (rest[cut - 1].isSpace() || rest[cut].isSpace())) --cut;
            const QString number = piece == 1 ? QString() : u"%1"_s.arg(piece, 2, 10, QLatin1Char('0'));
            result.setText(u"Data"_s + number + part.ending(' '), rest.first(cut));
            rest.remove(0, cut);
        }
    }
    return result;
}

QByteArray Page::png() const {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    image().save(&buffer, "PNG");
    return buffer.data();
}

void writeFigureFile(const QString& path, const QByteArray& bytes) {
    write_output(path.toStdU16String(), bytes.toStdString());
}

void exportPgfplots(const Figure& figure, const ExportOptions& options, const QString& path) {
    check(options);
    if (is_standard_output(path.toStdU16String())) {
        throw BadInput("A PGFPlots figure consists of two files, so it cannot be written to standard output.");
    }
    const QFileInfo file(path);
    static const QRegularExpression special(u"[%#{}\\\\~^$&]"_s);
    if (file.fileName().contains(special)) {
        throw BadInput(
            "The file name \"" + file.fileName().toStdString() +
            "\" contains a character that LaTeX does not accept in a file name; choose a name without % # { } ~ ^ $ & "
            "and \\.");
    }
    const QString data = file.completeBaseName() + u".dat"_s;
    const PgfplotsFiles files = pgfplots(figure, options, data);
    writeFigureFile(file.dir().filePath(data), files.data);
    writeFigureFile(path, files.tex);
}

}  // namespace

QByteArray figureBytes(const Figure& figure, const ExportOptions& options) {
    if (options.format != FigureFormat::csv) return pageBytes({&figure, 1}, options);
    check(options);
    return figureCsv(figure);
}

QByteArray pageBytes(std::span<const Figure> panels, const ExportOptions& options) {
    return Page(panels, options).bytes(options.format);
}

QImage figureImage(const Figure& figure, const ExportOptions& options) {
    return Page({&figure, 1}, options).image();
}

void exportFigure(const Figure& figure, const ExportOptions& options, const QString& path) {
    if (options.format == FigureFormat::pgfplots) return exportPgfplots(figure, options, path);
    writeFigureFile(path, figureBytes(figure, options));
}

void exportPage(std::span<const Figure> panels, const ExportOptions& options, const QString& path) {
    if (panels.size() == 1) return exportFigure(panels.front(), options, path);
    writeFigureFile(path, pageBytes(panels, options));
}

QString writeErrorText(const QIODevice& device) {
    const bool unknown = device.errorString() == QFile().errorString();
    return unknown ? u"only a part was written, so the disk may be full"_s : device.errorString();
}

QMimeData* figureMimeData(std::span<const Figure> panels, const ExportOptions& options) {
    const Page page(panels, options);
    auto* data = new QMimeData;
    data->setImageData(page.image());
    data->setData(u"image/png"_s, page.bytes(FigureFormat::png));
    data->setData(u"image/svg+xml"_s, page.bytes(FigureFormat::svg));
    data->setData(u"application/pdf"_s, page.bytes(FigureFormat::pdf));
    if (panels.size() == 1) {
        const QByteArray csv = figureCsv(panels.front());
        data->setData(u"text/csv"_s, csv);
        data->setText(QString::fromUtf8(csv));
    }
    return data;
}

void copyFigure(const Figure& figure, const ExportOptions& options) {
    copyPage({&figure, 1}, options);
}

void copyPage(std::span<const Figure> panels, const ExportOptions& options) {
    QGuiApplication::clipboard()->setMimeData(figureMimeData(panels, options));
}

}  // namespace ropelab::ui
