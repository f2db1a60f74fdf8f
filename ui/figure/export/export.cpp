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

#include "core/spec/error.h"
#include "core/spec/numbers.h"
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
constexpr std::pair<FigureFormat, const char*> kSuffixes[] = {{FigureFormat::pdf, "pdf"},
                                                              {FigureFormat::svg, "svg"},
                                                              {FigureFormat::png, "png"},
                                                              {FigureFormat::csv, "csv"},
                                                              {FigureFormat::pgfplots, "tex"}};

std::optional<FigureFormat> formatWith(const QString& suffix) {
    for (const auto& [format, known] : kSuffixes) {
        if (suffix == QLatin1String(known)) return format;
    }
    return std::nullopt;
}

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

FigureStyle styleOf(const ExportOptions& options, double unit) {
    FigureStyle style = FigureStyle::print(Theme::of(options.appearance), options.fontPt, unit);
    style.dashes = options.dashes;
    return style;
}

QSize sizeIn(const ExportOptions& options, double unit) {
    return {static_cast<int>(std::lround(options.widthMm * kPointsPerMm * unit)),
            static_cast<int>(std::lround(options.heightMm * kPointsPerMm * unit))};
}

QString settingsText(const Figure& figure) {
    return QString::fromUtf8(QJsonDocument(figure.settings).toJson(QJsonDocument::Compact));
}

QString titleOf(std::span<const Figure> panels) {
    QStringList names;
    for (const Figure& figure : panels) names << (figure.name.isEmpty() ? u"figure"_s : figure.name);
    return names.join(u", "_s);
}

QString summaryOf(std::span<const Figure> panels) {
    QStringList summaries;
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const QString letter = panelLetter(i, panels.size());
        summaries << (letter.isEmpty() ? QString() : u"(%1) "_s.arg(letter)) + panels[i].summary;
    }
    return summaries.join(QLatin1Char('\n'));
}

QString allSettingsText(std::span<const Figure> panels) {
    QStringList all;
    for (const Figure& figure : panels) all << settingsText(figure);
    return all.join(QLatin1Char('\n'));
}

QByteArray xmp(std::span<const Figure> panels) {
    const QString description =
        (summaryOf(panels) + QLatin1Char('\n') + allSettingsText(panels)).trimmed().toHtmlEscaped();
    return u"<?xpacket begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
           "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
           "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
           "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
           "xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\">\n"
           "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">%1</rdf:li></rdf:Alt></dc:title>\n"
           "<dc:description><rdf:Alt><rdf:li xml:lang=\"x-default\">%2</rdf:li></rdf:Alt></dc:description>\n"
           "<xmp:CreatorTool>RoPE Lab</xmp:CreatorTool>\n"
           "</rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"w\"?>\n"_s
               .arg(titleOf(panels).toHtmlEscaped(), description)
               .toUtf8();
}

PageLayout layoutOf(std::span<const Figure> panels, const ExportOptions& options) {
    return panels.size() == 1 ? PageLayout() : pageLayout(panels, options.widthMm, options.heightMm, options.columns);
}

/// Blanks the date that Qt writes into a PDF, so that the same figure is always the same file.
QByteArray withoutDate(QByteArray pdf) {
    const qsizetype start = pdf.lastIndexOf("/CreationDate (");
    const qsizetype end = pdf.indexOf(')', start);
    if (start < 0 || end < 0) return pdf;
    return pdf.replace(start, end + 1 - start, QByteArray(end + 1 - start, ' '));
}

QByteArray pdf(std::span<const Figure> panels, const ExportOptions& options) {
    constexpr int resolution = 1200;
    constexpr double unit = resolution / 72.0;
    const PageLayout layout = layoutOf(panels, options);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(resolution);
        writer.setPageSize(QPageSize(QSizeF(options.widthMm, options.heightMm), QPageSize::Millimeter, titleOf(panels),
                                     QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF());
        writer.setTitle(titleOf(panels));
        writer.setCreator(u"RoPE Lab"_s);
        writer.setDocumentXmpMetadata(xmp(panels));
        for (std::size_t i = 0; i < panels.size(); ++i) {
            const QString letter = panelLetter(i, panels.size());
            const QString ending = letter.isEmpty() ? QString() : QLatin1Char('-') + letter;
            writer.addFileAttachment(u"data%1.csv"_s.arg(ending), figureCsv(panels[i]), u"text/csv"_s);
            writer.addFileAttachment(u"settings%1.json"_s.arg(ending), QJsonDocument(panels[i].settings).toJson(),
                                     u"application/json"_s);
        }
        writer.addFileAttachment(u"figure.json"_s, recordJson(panels, options), u"application/json"_s);
        paintPage(panels, layout, writer, sizeIn(options, unit), styleOf(options, unit), true);
    }
    return withoutDate(buffer.data());
}

/// Escapes the end mark of CDATA inside the text.
QByteArray cdata(QByteArray text) {
    return "<![CDATA[" + text.replace("]]>", "]]]]><![CDATA[>") + "]]>";
}

QByteArray svgMetadata(std::span<const Figure> panels, const ExportOptions& options) {
    const auto part = [](const char* name, const char* type, const QString& letter, const QByteArray& text) {
        const QByteArray panel = letter.isEmpty() ? QByteArray() : " panel=\"" + letter.toUtf8() + '"';
        return QByteArray("<") + name + " xmlns=\"urn:ropelab:figure\" type=\"" + type + '"' + panel + '>' +
               cdata(text) + "</" + name + ">\n";
    };
    QByteArray result = "<metadata>\n" + part("figure", "application/json", {}, recordJson(panels, options));
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const QString letter = panelLetter(i, panels.size());
        result += part("settings", "application/json", letter, settingsText(panels[i]).toUtf8());
        result += part("data", "text/csv", letter, figureCsv(panels[i]));
    }
    return result + "</metadata>\n";
}

QByteArray svg(std::span<const Figure> panels, const ExportOptions& options) {
    constexpr double unit = 10;  // tenths of a point, because the generator's size is an integer
    const QSize size = sizeIn(options, unit);
    const PageLayout layout = layoutOf(panels, options);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setResolution(static_cast<int>(72 * unit));
        generator.setSize(size);
        generator.setViewBox(QRect(QPoint(0, 0), size));
        paintPage(panels, layout, generator, size, styleOf(options, unit), true);
    }
    QByteArray bytes = withText(buffer.data(), options.outlines ? SvgText::outlines : SvgText::font);
    // The generator rounds the size to its units; this is the exact size.
    static const QRegularExpression sizeAttributes(u"width=\"[^\"]*mm\" height=\"[^\"]*mm\""_s);
    const auto header = sizeAttributes.match(QString::fromUtf8(bytes.left(500)));
    bytes.replace(header.capturedStart(), header.capturedLength(),
                  "width=\"" + QByteArray::number(options.widthMm) + "mm\" height=\"" +
                      QByteArray::number(options.heightMm) + "mm\"");
    // Replaces the generator's title and description, which it does not escape.
    bytes.remove(bytes.indexOf("<title>"), bytes.indexOf("<defs>") - bytes.indexOf("<title>"));
    bytes.insert(bytes.indexOf("<defs>"), "<title>" + titleOf(panels).toHtmlEscaped().toUtf8() + "</title>\n<desc>" +
                                              summaryOf(panels).toHtmlEscaped().toUtf8() + "</desc>\n");
    return bytes.insert(bytes.lastIndexOf("</svg>"), svgMetadata(panels, options));
}

QImage imageOf(std::span<const Figure> panels, const ExportOptions& options) {
    check(options);
    const double unit = options.dpi / 72.0;
    const PageLayout layout = layoutOf(panels, options);
    QImage result(sizeIn(options, unit), QImage::Format_RGB32);
    const auto dotsPerMeter = static_cast<int>(std::lround(options.dpi / 0.0254));
    result.setDotsPerMeterX(dotsPerMeter);
    result.setDotsPerMeterY(dotsPerMeter);
    paintPage(panels, layout, result, result.size(), styleOf(options, unit), false);
    result.setText(u"Title"_s, titleOf(panels));
    result.setText(u"Description"_s, summaryOf(panels));
    result.setText(u"Software"_s, u"RoPE Lab"_s);
    result.setText(u"Figure"_s, QString::fromUtf8(recordJson(panels, options)));
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const QString letter = panelLetter(i, panels.size());
        const QString ending = letter.isEmpty() ? QString() : QLatin1Char(' ') + letter;
        result.setText(u"Settings"_s + ending, settingsText(panels[i]));
        result.setText(u"Data"_s + ending, QString::fromUtf8(figureCsv(panels[i])));
    }
    return result;
}

QByteArray png(std::span<const Figure> panels, const ExportOptions& options) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    imageOf(panels, options).save(&buffer, "PNG");
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

QString suffixOf(FigureFormat format) {
    for (const auto& [known, suffix] : kSuffixes) {
        if (known == format) return QLatin1String(suffix);
    }
    return {};
}

FigureFormat formatOf(const QString& path) {
    if (const auto format = formatWith(QFileInfo(path).suffix().toLower())) return *format;
    throw BadInput("The figure's file name \"" + path.toStdString() +
                   "\" must end with .pdf, .svg, .png, .csv or .tex (PGFPlots).");
}

std::optional<FigureFormat> formatNamed(const QString& name) {
    return name == "pgfplots"_L1 ? FigureFormat::pgfplots : formatWith(name);
}

QByteArray figureBytes(const Figure& figure, const ExportOptions& options) {
    check(options);
    if (options.format == FigureFormat::csv) return figureCsv(figure);
    return pageBytes({&figure, 1}, options);
}

QByteArray pageBytes(std::span<const Figure> panels, const ExportOptions& options) {
    check(options);
    if (panels.empty()) throw BadInput("A page of figures requires at least one figure, but none is given.");
    switch (options.format) {
        case FigureFormat::pdf:
            return pdf(panels, options);
        case FigureFormat::svg:
            return svg(panels, options);
        case FigureFormat::png:
            return png(panels, options);
        case FigureFormat::csv:
            throw BadInput("Several figures cannot be written to one CSV file; choose PDF, SVG or PNG.");
        case FigureFormat::pgfplots:
            break;
    }
    throw BadInput(panels.size() > 1 ? "Several figures cannot be written to one PGFPlots file; choose PDF, SVG or PNG."
                                     : "A PGFPlots figure consists of two files, so it cannot be copied.");
}

QImage figureImage(const Figure& figure, const ExportOptions& options) {
    return imageOf({&figure, 1}, options);
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
    check(options);
    auto* data = new QMimeData;
    data->setImageData(imageOf(panels, options));
    data->setData(u"image/png"_s, png(panels, options));
    data->setData(u"image/svg+xml"_s, svg(panels, options));
    data->setData(u"application/pdf"_s, pdf(panels, options));
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
