// Doctored pictures differ from the picture that is drawn again, even if the embedded data are untouched.
#include "ui/figure/export/figure_picture.h"

#include <gtest/gtest.h>

#include <QBuffer>
#include <QImage>
#include <QJsonDocument>
#include <vector>

#include "tests/ui/figure/sample_figure.h"
#include "ui/figure/export/pdf_attachments.h"

namespace ropelab::ui {
namespace {

ExportOptions optionsOf(FigureFormat format) {
    ExportOptions options;
    options.format = format;
    options.widthMm = 88;
    options.heightMm = 60;
    return options;
}

/// Returns the sample with a point at y.
Figure figureWithPoint(double y) {
    Figure figure = sampleFigure();
    FigureCurve point;
    point.shape = FigureCurve::Shape::points;
    point.x = {120};
    point.y = {y};
    figure.curves.push_back(point);
    return figure;
}

QByteArray drawn(const Figure& figure, FigureFormat format) {
    return figureBytes(figure, optionsOf(format));
}

class FigurePictures : public testing::TestWithParam<FigureFormat> {};
INSTANTIATE_TEST_SUITE_P(Formats, FigurePictures,
                         testing::Values(FigureFormat::pdf, FigureFormat::svg, FigureFormat::png),
                         [](const auto& each) { return suffixOf(each.param).toStdString(); });

TEST_P(FigurePictures, AgreeWithThemselves) {
    EXPECT_EQ(pictureDifference(drawn(figureWithPoint(2), GetParam()), drawn(figureWithPoint(2), GetParam())), "");
}

TEST_P(FigurePictures, ToleratesWhatRoundingChanges) {
    EXPECT_EQ(pictureDifference(drawn(figureWithPoint(2), GetParam()), drawn(figureWithPoint(2 + 1e-6), GetParam())),
              "")
        << pictureDifference(drawn(figureWithPoint(2), GetParam()), drawn(figureWithPoint(2 + 1e-6), GetParam()))
               .toStdString();
}

TEST_P(FigurePictures, DifferByAMovedPoint) {
    const QString words =
        pictureDifference(drawn(figureWithPoint(2.02), GetParam()), drawn(figureWithPoint(2), GetParam()));
    EXPECT_TRUE(words.startsWith("Picture: ")) << words.toStdString();
}

TEST_P(FigurePictures, DifferByAText) {
    Figure other = figureWithPoint(2);
    other.y.unit = QStringLiteral("bits");
    EXPECT_NE(pictureDifference(drawn(other, GetParam()), drawn(figureWithPoint(2), GetParam())), "");
}

TEST_P(FigurePictures, DifferByAColour) {
    Figure other = figureWithPoint(2);
    other.curves[0].ink = Ink::data(3);
    EXPECT_NE(pictureDifference(drawn(other, GetParam()), drawn(figureWithPoint(2), GetParam())), "");
}

TEST_P(FigurePictures, DifferByAMissingCurve) {
    Figure other = figureWithPoint(2);
    other.curves.pop_back();
    EXPECT_NE(pictureDifference(drawn(other, GetParam()), drawn(figureWithPoint(2), GetParam())), "");
}

TEST(FigurePicture, OfAnSvgDiffersByEachElement) {
    const QByteArray bytes = drawn(figureWithPoint(2), FigureFormat::svg);
    QByteArray text = bytes;
    text.replace(">loss (nats)</text>", ">loss (bits)</text>");
    ASSERT_NE(text, bytes);
    EXPECT_TRUE(pictureDifference(text, bytes).contains("loss (bits)"));
    QByteArray cover = bytes;
    cover.insert(cover.lastIndexOf("</svg>"), "<rect x=\"10\" y=\"10\" width=\"90\" height=\"90\" fill=\"#ffffff\"/>");
    EXPECT_NE(pictureDifference(cover, bytes), "");
    QByteArray hidden = bytes;
    hidden.replace("<g ", "<g display=\"none\" ");
    EXPECT_NE(pictureDifference(hidden, bytes), "");
    QByteArray styled = bytes;
    styled.insert(styled.indexOf("<svg"), "<?xml-stylesheet href=\"other.css\"?>");
    EXPECT_NE(pictureDifference(styled, bytes), "");
    QByteArray data = bytes;  // data and record have their own hash
    data.replace("<data ", "<data edited=\"yes\" ");
    EXPECT_EQ(pictureDifference(data, bytes), "");
    EXPECT_NE(pictureDifference(bytes.left(bytes.size() / 2), bytes), "");
}

TEST(FigurePicture, OfAPngDiffersByOnePixelButNotBySmoothedEdges) {
    const QByteArray bytes = drawn(figureWithPoint(2), FigureFormat::png);
    const auto changed = [&](auto change) {
        QImage image = QImage::fromData(bytes, "PNG");
        change(image);
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        image.save(&buffer, "PNG");
        return buffer.data();
    };
    const QString words = pictureDifference(changed([](QImage& image) { image.setPixel(4, 2, qRgb(0, 0, 0)); }), bytes);
    EXPECT_TRUE(words.contains("1 of ") && words.contains("column 5 of row 3")) << words.toStdString();
    EXPECT_EQ(pictureDifference(changed([](QImage& image) { image.setPixel(4, 2, qRgb(250, 250, 250)); }), bytes), "");
    EXPECT_NE(pictureDifference(changed([](QImage& image) { image = image.copy(0, 0, 300, 200); }), bytes), "");
    EXPECT_NE(pictureDifference("\x89PNG", bytes), "");
}

TEST(FigurePicture, OfAPdfDiffersByAnotherPageAndByDamage) {
    const QByteArray bytes = drawn(figureWithPoint(2), FigureFormat::pdf);
    EXPECT_GT(pdfObjects(bytes).size(), 8);
    EXPECT_NE(pictureDifference(bytes.left(bytes.size() / 2), bytes), "");
    QByteArray size = bytes;
    ASSERT_TRUE(size.contains("/MediaBox [0 0 "));
    size.replace("/MediaBox [0 0 ", "/MediaBox [9 9 ");
    EXPECT_NE(pictureDifference(size, bytes), "");
    QByteArray attached = bytes;  // attachments have their own hash
    // Later versions of Qt write the name in UTF-16.
    ASSERT_TRUE(attached.contains("(data.csv)") || attached.contains(QByteArrayView("d\0a\0t\0a\0.\0c\0s\0v", 15)));
    attached.replace("(data.csv)", "(dato.csv)");
    attached.replace(QByteArrayView("d\0a\0t\0a\0.\0c\0s\0v", 15), QByteArrayView("d\0a\0t\0o\0.\0c\0s\0v", 15));
    EXPECT_NE(pictureDifference(attached, bytes), "");
}

TEST(FigurePicture, OfAPdfIgnoresTheDescriptionOfTheDocument) {
    Figure other = figureWithPoint(2);
    other.settings[QStringLiteral("result")] = 0.30000000000000004;  // as on another machine
    EXPECT_EQ(pictureDifference(drawn(other, FigureFormat::pdf), drawn(figureWithPoint(2), FigureFormat::pdf)), "");
}

TEST(FigurePicture, IsDrawnAgainWithTheOptionsOfTheRecord) {
    ExportOptions options = optionsOf(FigureFormat::svg);
    options.fontPt = 7.5;
    options.dpi = 150;
    options.appearance = Appearance::dark;
    options.dashes = false;
    options.outlines = true;
    options.columns = 3;
    const QByteArray bytes = figureBytes(figureWithPoint(2), options);
    FigureRecord record;
    EXPECT_FALSE(drawingOptions(record, bytes)) << "a file of an earlier version";
    EXPECT_FALSE(isDrawnByThisProgram(record));
    const auto json = QJsonDocument::fromJson(recordJson(std::vector<Figure>{figureWithPoint(2)}, options)).object();
    record.drawing = json["drawing"].toObject();
    record.program = json["program"].toString();
    const auto read = drawingOptions(record, bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(figureBytes(figureWithPoint(2), *read), bytes);
    EXPECT_EQ(read->dpi, 150);
    EXPECT_EQ(read->columns, 3);
    EXPECT_EQ(drawingOptions(record, "%PDF-1.4")->format, FigureFormat::pdf);
    EXPECT_EQ(drawingOptions(record, "\x89PNG")->format, FigureFormat::png);
    EXPECT_TRUE(isDrawnByThisProgram(record));
    record.program += "1";
    EXPECT_FALSE(isDrawnByThisProgram(record));
}

}  // namespace
}  // namespace ropelab::ui
