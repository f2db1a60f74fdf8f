#include "ui/figure/export/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QBuffer>
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QImageReader>
#include <QJsonDocument>
#include <QMimeData>
#include <QPainter>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <memory>

#include "core/base/error.h"
#include "tests/ui/figure/sample_figure.h"

namespace ropelab::ui {
namespace {

ExportOptions options(FigureFormat format) {
    ExportOptions result;
    result.format = format;
    result.widthMm = 100;
    result.heightMm = 70;
    result.dpi = 200;
    return result;
}

/// Returns the number of pixels of (nearly) this colour in a part of an image.
int pixelsLike(const QImage& image, const QColor& color, const QRect& part) {
    int count = 0;
    const QRect inside = part.intersected(image.rect());
    for (int y = inside.top(); y <= inside.bottom(); ++y) {
        for (int x = inside.left(); x <= inside.right(); ++x) {
            const QColor here = image.pixelColor(x, y);
            if (std::abs(here.red() - color.red()) + std::abs(here.green() - color.green()) +
                    std::abs(here.blue() - color.blue()) <
                24) {
                ++count;
            }
        }
    }
    return count;
}

/// Runs a program of poppler-utils and returns its output; nullopt if the program is not installed.
std::optional<QString> poppler(const QString& program, const QStringList& arguments) {
    const QString path = QStandardPaths::findExecutable(program);
    if (path.isEmpty()) {
        return std::nullopt;
    }
    QProcess process;
    process.start(path, arguments);
    process.waitForFinished();
    return QString::fromUtf8(process.readAllStandardOutput());
}

TEST(ExportPng, HasSizeResolutionAndTextKeys) {
    const Figure figure = sampleFigure();
    QByteArray bytes = figureBytes(figure, options(FigureFormat::png));
    QImage image;
    ASSERT_TRUE(image.loadFromData(bytes, "PNG"));
    EXPECT_EQ(image.width(), qRound(100 / 25.4 * 200));
    EXPECT_EQ(image.height(), qRound(70 / 25.4 * 200));
    EXPECT_EQ(image.dotsPerMeterX(), qRound(200 / 0.0254));
    EXPECT_EQ(QJsonDocument::fromJson(image.text("Settings").toUtf8()).object(), figure.settings);
    EXPECT_EQ(image.text("Data").trimmed(), QString::fromUtf8(figureCsv(figure)).trimmed());
    EXPECT_EQ(image.text("Description"), figure.summary);
}

// Qt writes the time of the export into a PDF.
TEST(Export, ResultsInTheSameBytesEachTime) {
    for (const auto format : {FigureFormat::pdf, FigureFormat::svg, FigureFormat::png}) {
        const QByteArray first = figureBytes(sampleFigure(), options(format));
        EXPECT_FALSE(first.contains("CreationDate"));
        EXPECT_FALSE(first.contains("(D:20"));
        EXPECT_FALSE(first.contains("xmp:CreateDate"));
        const std::vector<Figure> other = {sampleFigure(), sampleFigure()};
        pageBytes(other, options(format));
        EXPECT_EQ(figureBytes(sampleFigure(), options(format)), first) << suffixOf(format).toStdString();
    }
}

TEST(ExportPng, ShowsTheCurvesInTheThemesColours) {
    ExportOptions how = options(FigureFormat::png);
    how.dashes = false;
    for (const auto appearance : {Appearance::light, Appearance::dark}) {
        how.appearance = appearance;
        const Theme& theme = Theme::of(appearance);
        QImage image;
        ASSERT_TRUE(image.loadFromData(figureBytes(sampleFigure(), how), "PNG"));
        EXPECT_EQ(image.pixelColor(2, image.height() - 3), theme.paper);
        EXPECT_GT(pixelsLike(image, theme.dataColor(0), image.rect()), 200);
        EXPECT_GT(pixelsLike(image, theme.dataColor(1), image.rect()), 200);
        EXPECT_EQ(pixelsLike(image, theme.dataColor(2), image.rect()), 0);
    }
}

TEST(ExportPng, CurvesStayInsideTheAxes) {
    // Both curves exceed the axes above and below; the strips above and below the axes contain only text.
    QImage image;
    ASSERT_TRUE(image.loadFromData(figureBytes(sampleFigure(), options(FigureFormat::png)), "PNG"));
    const Theme& theme = Theme::light();
    const int top = image.height() / 14;
    const QRect above(0, 0, image.width(), top);
    const QRect below(0, image.height() * 12 / 14, image.width(), image.height());
    for (int run = 0; run < 2; ++run) {
        EXPECT_EQ(pixelsLike(image, theme.dataColor(run), above), 0);
        EXPECT_EQ(pixelsLike(image, theme.dataColor(run), below), 0);
    }
}

TEST(ExportPdf, HasPageSizeTitleFontsAndAttachments) {
    const Figure figure = sampleFigure();
    const QByteArray bytes = figureBytes(figure, options(FigureFormat::pdf));
    EXPECT_TRUE(bytes.startsWith("%PDF-1."));
    const QRegularExpression box(QStringLiteral("/MediaBox \\[([0-9.]+) ([0-9.]+) ([0-9.]+) ([0-9.]+)\\]"));
    const auto match = box.match(QString::fromLatin1(bytes));
    ASSERT_TRUE(match.hasMatch());
    EXPECT_NEAR(match.captured(3).toDouble(), 100 / 25.4 * 72, 0.6);
    EXPECT_NEAR(match.captured(4).toDouble(), 70 / 25.4 * 72, 0.6);
    EXPECT_TRUE(bytes.contains("/FontFile2")) << "the font is not embedded";

    QTemporaryDir folder;
    const QString path = folder.filePath("figure.pdf");
    exportFigure(figure, options(FigureFormat::pdf), path);
    const auto fonts = poppler("pdffonts", {path});
    if (!fonts) {
        GTEST_SKIP() << "poppler-utils is not installed, so the PDF was not read back by another program.";
    }
    EXPECT_TRUE(fonts->contains("RopelabSans")) << fonts->toStdString();
    EXPECT_TRUE(poppler("pdfinfo", {path})->contains(QRegularExpression("Title: +sample")));
    EXPECT_TRUE(poppler("pdfinfo", {"-meta", path})->contains("10000.5"));
    const QString words = *poppler("pdftotext", {"-layout", path, "-"});
    EXPECT_TRUE(words.contains("loss (nats)")) << words.toStdString();
    EXPECT_TRUE(words.contains("θ = 0, 25 %")) << words.toStdString();
    poppler("pdfdetach", {"-saveall", "-o", folder.path(), path});
    QFile data(folder.filePath("data.csv"));
    ASSERT_TRUE(data.open(QIODevice::ReadOnly));
    EXPECT_EQ(data.readAll(), figureCsv(figure));
    QFile settings(folder.filePath("settings.json"));
    ASSERT_TRUE(settings.open(QIODevice::ReadOnly));
    EXPECT_EQ(QJsonDocument::fromJson(settings.readAll()).object(), figure.settings);
}

/// Returns the coordinates of all lines of a stroke colour, mapped by the transforms of Qt's generator. Text is not
/// included.
QList<QPointF> pointsOf(const QByteArray& svg, const QString& stroke) {
    QList<QPointF> points;
    QXmlStreamReader xml(svg);
    QString current;
    QTransform transform;
    static const QRegularExpression number(QStringLiteral("-?[0-9]+(\\.[0-9]+)?(e-?[0-9]+)?"));
    while (!xml.atEnd()) {
        xml.readNext();
        if (!xml.isStartElement()) {
            continue;
        }
        const auto attributes = xml.attributes();
        if (xml.name() == u"g" && attributes.hasAttribute("transform")) {
            current = attributes.value("stroke").toString();
            QList<double> m;
            for (auto it = number.globalMatch(attributes.value("transform").toString()); it.hasNext();) {
                m.append(it.next().captured().toDouble());
            }
            transform = m.size() == 6 ? QTransform(m[0], m[1], m[2], m[3], m[4], m[5]) : QTransform();
        }
        const QString text = xml.name() == u"polyline" ? attributes.value("points").toString()
                             : xml.name() == u"path"   ? attributes.value("d").toString()
                                                       : QString();
        if (current.compare(stroke, Qt::CaseInsensitive) == 0 && !text.isEmpty() &&
            !attributes.hasAttribute("aria-label")) {
            QList<double> values;
            for (auto it = number.globalMatch(text); it.hasNext();) {
                values.append(it.next().captured().toDouble());
            }
            for (qsizetype i = 0; i + 1 < values.size(); i += 2) {
                points.append(transform.map(QPointF(values[i], values[i + 1])));
            }
        }
    }
    EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
    return points;
}

// Qt compresses images in a PDF as JPEG, which changes the colours of cells.
TEST(ExportPdf, HasTheExactColoursOfAMap) {
    Figure figure;
    FigureMap map;
    map.columns = map.rows = 80;  // too many for a rectangle per cell
    for (int i = 0; i < map.columns * map.rows; ++i) map.values.append(static_cast<float>(i * 37 % 101));
    figure.map = map;
    const QByteArray pdf = figureBytes(figure, options(FigureFormat::pdf));
    EXPECT_TRUE(pdf.contains("/Subtype /Image"));
    EXPECT_FALSE(pdf.contains("DCTDecode"));
}

TEST(ExportSvg, IsXmlOfTheRightSizeWithData) {
    const Figure figure = sampleFigure();
    const QByteArray bytes = figureBytes(figure, options(FigureFormat::svg));
    QXmlStreamReader xml(bytes);
    QString description;
    QString settings;
    QString data;
    while (!xml.atEnd()) {
        xml.readNext();
        if (xml.isStartElement() && xml.name() == u"svg") {
            EXPECT_EQ(xml.attributes().value("width"), u"100mm");
            EXPECT_EQ(xml.attributes().value("height"), u"70mm");
        } else if (xml.isStartElement() && xml.name() == u"desc") {
            description = xml.readElementText();
        } else if (xml.isStartElement() && xml.name() == u"settings") {
            settings = xml.readElementText();
        } else if (xml.isStartElement() && xml.name() == u"data") {
            data = xml.readElementText();
        }
    }
    EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
    EXPECT_EQ(description, figure.summary);
    EXPECT_EQ(QJsonDocument::fromJson(settings.toUtf8()).object(), figure.settings);
    EXPECT_EQ(data.toUtf8(), figureCsv(figure));
    QSvgRenderer renderer(bytes);
    ASSERT_TRUE(renderer.isValid());
}

TEST(ExportSvg, HasTextInANamedFontOrOutlines) {
    ExportOptions how = options(FigureFormat::svg);
    const QByteArray text = figureBytes(sampleFigure(), how);
    EXPECT_TRUE(text.contains(">loss (nats)</text>"));
    EXPECT_TRUE(text.contains("font-family=\"'Ropelab Sans', Inter, sans-serif\""));
    EXPECT_FALSE(text.contains("aria-label"));
    how.outlines = true;
    const QByteArray outlines = figureBytes(sampleFigure(), how);
    EXPECT_FALSE(outlines.contains("<text"));
    EXPECT_TRUE(outlines.contains("aria-label=\"loss (nats)\""));
    QSvgRenderer renderer(outlines);
    EXPECT_TRUE(renderer.isValid());
}

TEST(ExportSvg, StatesTheNumberOfCurvesWithoutLabels) {
    Figure figure = sampleFigure();
    figure.curves.resize(1);
    figure.horizontalLines.clear();
    figure.y.minimum = 1.4;  // all curves end inside the axes
    ExportOptions how = options(FigureFormat::svg);
    how.outlines = true;  // whole texts are labels of their outlines
    EXPECT_FALSE(figureBytes(figure, how).contains(" more\"")) << "there is space for every label";
    for (int run = 1; run < 60; ++run) {
        FigureCurve curve = figure.curves[0];
        curve.label = QStringLiteral("run %1").arg(run);
        curve.y.last() += 0.02 * run;  // curves that cover each other are one with all names
        figure.curves.push_back(curve);
    }
    const QByteArray bytes = figureBytes(figure, how);
    const bool isFirstNamed = bytes.contains("aria-label=\"" + figure.curves[0].label.toUtf8() + '"');
    const qsizetype named = bytes.count("aria-label=\"run ") + (isFirstNamed ? 1 : 0);
    EXPECT_GT(named, 10);
    EXPECT_TRUE(isFirstNamed && bytes.contains("aria-label=\"run 59\"")) << "the lowest and the highest have names";
    EXPECT_TRUE(bytes.contains(QStringLiteral("aria-label=\"and %1 more\"").arg(60 - named).toUtf8()));
}

TEST(ExportSvg, CurvesAreInsideTheAxes) {
    // Qt's generator does not clip, so every coordinate must be inside the axes. Horizontal grid lines span the axes.
    Figure figure = sampleFigure();
    figure.horizontalLines.clear();
    for (FigureCurve& curve : figure.curves) {
        curve.label.clear();  // end labels have line samples to the right of the axes
    }
    const QByteArray bytes = figureBytes(figure, options(FigureFormat::svg));
    const QList<QPointF> grid = pointsOf(bytes, Theme::light().hairline.name());
    ASSERT_GE(grid.size(), 4);
    double left = 1e9;
    double right = 0;
    for (const QPointF& point : grid) {
        left = std::min(left, point.x());
        right = std::max(right, point.x());
    }
    const QList<QPointF> base = pointsOf(bytes, Theme::light().quietText.name());
    double bottom = 1e9;
    for (const QPointF& point : base) {
        bottom = std::min(bottom, point.y());  // tick marks extend below the base line
    }
    for (int run = 0; run < 2; ++run) {
        const QList<QPointF> points = pointsOf(bytes, Theme::light().dataColor(run).name());
        EXPECT_GT(points.size(), 50);
        for (const QPointF& point : points) {
            EXPECT_GE(point.x(), left - 10);
            EXPECT_LE(point.x(), right + 10);
            EXPECT_LE(point.y(), bottom + 10);
            EXPECT_GE(point.y(), 100);  // below the title
        }
    }
}

TEST(Export, RejectsInvalidOptionsAndPaths) {
    const Figure figure = sampleFigure();
    ExportOptions wrong = options(FigureFormat::pdf);
    wrong.widthMm = 5;
    EXPECT_THROW(figureBytes(figure, wrong), BadInput);
    wrong = options(FigureFormat::png);
    wrong.dpi = 5000;
    EXPECT_THROW(figureBytes(figure, wrong), BadInput);
    wrong = options(FigureFormat::png);
    wrong.widthMm = wrong.heightMm = 1000;
    wrong.dpi = 1200;
    EXPECT_THROW(figureBytes(figure, wrong), BadInput);
    EXPECT_THROW(formatOf("figure.bmp"), BadInput);
    EXPECT_EQ(formatOf("a.b/Figure.PDF"), FigureFormat::pdf);
    try {
        exportFigure(figure, options(FigureFormat::csv), "/nowhere at all/figure.csv");
        FAIL() << "wrote into a folder that does not exist";
    } catch (const BadInput& problem) {
        EXPECT_THAT(problem.what(), testing::HasSubstr("/nowhere at all/figure.csv"));
    }
    EXPECT_THROW(exportFigure(figure, options(FigureFormat::csv), "/dev/full"), WriteError);
    EXPECT_EQ(formatNamed("svg"), FigureFormat::svg);
    EXPECT_FALSE(formatNamed("bmp"));
}

TEST(Export, ExportsAnEmptyFigureInEveryFormat) {
    for (const auto format : {FigureFormat::pdf, FigureFormat::svg, FigureFormat::png, FigureFormat::csv}) {
        EXPECT_FALSE(figureBytes(Figure(), options(format)).isEmpty());
    }
}

TEST(Export, ClipboardHasPngSvgAndCsv) {
    const Figure figure = sampleFigure();
    copyFigure(figure, options(FigureFormat::png));
    const QMimeData* data = QGuiApplication::clipboard()->mimeData();
    ASSERT_NE(data, nullptr);
    EXPECT_TRUE(data->hasImage());
    EXPECT_TRUE(data->hasFormat("image/svg+xml"));
    EXPECT_EQ(data->data("text/csv"), figureCsv(figure));
}

}  // namespace
}  // namespace ropelab::ui
