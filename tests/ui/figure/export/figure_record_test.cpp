#include "ui/figure/export/figure_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QTemporaryDir>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "tests/ui/figure/sample_figure.h"
#include "ui/figure/export/export.h"
#include "ui/figure/export/pdf_attachments.h"
#include "ui/figure/figure_caption.h"

namespace ropelab::ui {
namespace {

Figure figureWithOrigin() {
    Figure figure = sampleFigure();
    figure.origin.flags = {{"figure", "loss-by-theta"}, {"baseline", QJsonArray{"theta=10000", "data=a b"}}};
    figure.origin.lab = {{"path", "~/θ labs/one.ropelab"}, {"runs", QJsonArray{1, 2}}};
    return figure;
}

class FigureRecords : public ::testing::TestWithParam<const char*> {
 protected:
    QString path() const { return m_folder.filePath(QStringLiteral("figure.") + GetParam()); }
    ExportOptions options() const {
        ExportOptions result;
        result.format = formatOf(path());
        return result;
    }
    /// Replaces bytes of the exported file.
    void edit(const QByteArray& before, const QByteArray& after) const {
        QFile file(path());
        ASSERT_TRUE(file.open(QIODevice::ReadWrite));
        QByteArray bytes = file.readAll();
        ASSERT_TRUE(bytes.contains(before));
        bytes.replace(before, after);
        file.resize(0);
        file.seek(0);
        file.write(bytes);
    }

    QTemporaryDir m_folder;
};

TEST_P(FigureRecords, ContainDataSettingsAndOrigin) {
    const Figure figure = figureWithOrigin();
    exportFigure(figure, options(), path());
    const std::vector<FigureRecord> records = readFigureFile(path());
    ASSERT_EQ(records.size(), 1U);
    const FigureRecord& record = records.front();
    EXPECT_EQ(record.letter, QString());
    EXPECT_EQ(record.figure, figure.name);
    EXPECT_EQ(record.summary, figure.summary);
    EXPECT_EQ(record.caption, captionOf(figure));
    EXPECT_EQ(record.settings, figure.settings);
    EXPECT_EQ(record.origin.flags, figure.origin.flags);
    EXPECT_EQ(record.origin.lab, figure.origin.lab);
    EXPECT_EQ(record.data.trimmed(), figureCsv(figure).trimmed());
    EXPECT_FALSE(record.isEdited);
}

TEST_P(FigureRecords, ContainEveryPanelOfAPage) {
    std::vector<Figure> panels = {figureWithOrigin(), sampleFigure(), sampleFigure()};
    panels[1].name = "other";
    panels[1].curves[0].y[3] = 2.5;
    exportPage(panels, options(), path());
    const std::vector<FigureRecord> records = readFigureFile(path());
    ASSERT_EQ(records.size(), 3U);
    for (std::size_t i = 0; i < panels.size(); ++i) {
        EXPECT_EQ(records[i].letter, panelLetter(i, 3));
        EXPECT_EQ(records[i].figure, panels[i].name);
        EXPECT_EQ(records[i].data.trimmed(), figureCsv(panels[i]).trimmed());
        EXPECT_FALSE(records[i].isEdited);
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, FigureRecords, ::testing::Values("pdf", "svg", "png"),
                         [](const auto& each) { return std::string(each.param); });

using FigureRecordsOfSvg = FigureRecords;
INSTANTIATE_TEST_SUITE_P(Svg, FigureRecordsOfSvg, ::testing::Values("svg"));

TEST_P(FigureRecordsOfSvg, SayThatDataOrSettingsWereEdited) {
    exportFigure(figureWithOrigin(), options(), path());
    edit("\n50,", "\n50.5,");
    EXPECT_TRUE(readFigureFile(path()).front().isEdited);
    exportFigure(figureWithOrigin(), options(), path());
    edit("\"theta=10000\"", "\"theta=100\"");
    EXPECT_TRUE(readFigureFile(path()).front().isEdited);
}

TEST(FigureRecord, SaysThatTheDataOfAPngWereEdited) {
    QTemporaryDir folder;
    const QString path = folder.filePath("figure.png");
    QImage image = figureImage(figureWithOrigin(), ExportOptions{});
    ASSERT_TRUE(image.save(path));
    EXPECT_FALSE(readFigureFile(path).front().isEdited);
    image.setText("Data", image.text("Data").replace("0,", "0,1"));
    ASSERT_TRUE(image.save(path));
    EXPECT_TRUE(readFigureFile(path).front().isEdited);
}

// Other programs refuse a text of more than 1 MiB (Pillow by default).
TEST(FigureRecord, LongDataOfAPngAreInPiecesAndReadWhole) {
    QTemporaryDir folder;
    Figure figure = figureWithOrigin();
    FigureCurve& curve = figure.curves.front();
    curve.x.clear();
    curve.y.clear();
    for (int i = 0; i < 120'000; ++i) {
        curve.x.push_back(i);
        curve.y.push_back(std::sqrt(1.0 + i));
    }
    const QByteArray data = figureCsv(figure);
    ASSERT_GT(data.size(), 2 << 20);
    const QImage image = figureImage(figure, ExportOptions{});
    const QStringList keys = image.textKeys();
    EXPECT_TRUE(keys.contains(u"Data03"_s)) << keys.join(u' ').toStdString();
    for (const QString& key : keys) {
        EXPECT_LE(image.text(key).toUtf8().size(), 1 << 20) << key.toStdString();
    }
    const QString path = folder.filePath("figure.png");
    ASSERT_TRUE(image.save(path));
    const FigureRecord record = readFigureFile(path).front();
    EXPECT_EQ(record.data.trimmed(), data.trimmed());
    EXPECT_FALSE(record.isEdited);
}

// The settings are in the file several times, and a reader may look at any of them.
TEST(FigureRecord, SaysWhichCopyOfTheSettingsIsAnother) {
    QTemporaryDir folder;
    QImage image = figureImage(figureWithOrigin(), ExportOptions{});
    const QString png = folder.filePath("figure.png");
    ASSERT_TRUE(image.save(png));
    EXPECT_EQ(readFigureFile(png).front().copyDifferences, QStringList());
    image.setText("Settings", image.text("Settings").replace("10000.5", "10001.5"));
    ASSERT_TRUE(image.save(png));
    EXPECT_EQ(readFigureFile(png).front().copyDifferences,
              QStringList("Settings in the text Settings: theta is \"10001.5\", but \"10000.5\" in the record."));
    EXPECT_FALSE(readFigureFile(png).front().isEdited);

    const auto written = [&](const QString& name, QByteArray bytes, const char* start, const char* before,
                             const char* after) {
        const qsizetype place = bytes.indexOf(before, bytes.indexOf(start));
        EXPECT_GT(place, 0) << start;
        bytes.replace(place, qsizetype(strlen(before)), after);
        QFile file(folder.filePath(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        return readFigureFile(file.fileName()).front();
    };
    ExportOptions options;
    options.format = FigureFormat::svg;
    const QByteArray svg = figureBytes(figureWithOrigin(), options);
    EXPECT_EQ(written("a.svg", svg, "<settings", "10000.5", "10001.5").copyDifferences.value(0),
              "Settings in the element settings: theta is \"10001.5\", but \"10000.5\" in the record.");
    EXPECT_EQ(written("b.svg", svg, "# settings", "10000.5", "10001.5").copyDifferences.value(0),
              "Settings in the comments of the data: theta is \"10001.5\", but \"10000.5\" in the record.");
    EXPECT_EQ(written("c.svg", svg, "\"settings\":{", "10000.5", "10001.5").copyDifferences.size(), 2);
    options.format = FigureFormat::pdf;
    EXPECT_EQ(written("a.pdf", figureBytes(figureWithOrigin(), options), "<dc:description", "10000.5", "10001.5")
                  .copyDifferences.value(0),
              "Settings in the metadata (XMP): theta is \"10001.5\", but \"10000.5\" in the record.");
}

TEST(FigureRecord, RejectsFilesWithoutARecord) {
    QTemporaryDir folder;
    QImage image(20, 20, QImage::Format_RGB32);
    const QString path = folder.filePath("photo.png");
    ASSERT_TRUE(image.save(path));
    EXPECT_THROW(readFigureFile(path), BadInput);
    EXPECT_THROW(readFigureFile(folder.filePath("missing.pdf")), BadInput);
    QFile text(folder.filePath("text.pdf"));
    ASSERT_TRUE(text.open(QIODevice::WriteOnly));
    text.write("%PDF-1.4\nstartxref\n99999\n%%EOF");
    text.close();
    EXPECT_THROW(readFigureFile(text.fileName()), BadInput);
}

TEST(PdfAttachments, OfADamagedFileAreEmpty) {
    QByteArray bytes = figureBytes(figureWithOrigin(), ExportOptions{});
    const auto files = pdfAttachments(bytes);
    EXPECT_EQ(files.value("data.csv"), figureCsv(figureWithOrigin()));
    EXPECT_TRUE(files.contains("settings.json"));
    EXPECT_TRUE(pdfAttachments(bytes.left(bytes.size() / 2)).isEmpty());
    EXPECT_TRUE(pdfAttachments("no PDF").isEmpty());
    for (qsizetype length = 0; length < bytes.size(); length += 997) pdfAttachments(bytes.left(length));
}

TEST(PanelLetters, ContinueAfterZ) {
    EXPECT_EQ(panelLetter(0, 1), QString());
    EXPECT_EQ(panelLetter(0, 2), "a");
    EXPECT_EQ(panelLetter(25, 30), "z");
    EXPECT_EQ(panelLetter(26, 30), "aa");
    EXPECT_EQ(panelLetter(27, 30), "ab");
}

}  // namespace
}  // namespace ropelab::ui
