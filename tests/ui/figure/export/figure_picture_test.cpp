// Doctored pictures differ from the picture that is drawn again, even if the embedded data are untouched.
#include "ui/figure/export/figure_picture.h"

#include <gtest/gtest.h>

#include <QBuffer>
#include <QImage>
#include <QJsonDocument>
#include <QRegularExpression>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFWriter.hh>
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

// Programs that make SVGs smaller write attributes in another order.
TEST(FigurePicture, OfAnSvgIgnoresTheOrderOfAttributes) {
    const QByteArray bytes = drawn(figureWithPoint(2), FigureFormat::svg);
    const QString text = QString::fromUtf8(bytes);
    QString other = text;
    other.replace(QRegularExpression("<g ([a-z-]+=\"[^\"]*\") ([a-z-]+=\"[^\"]*\")"), "<g \\2 \\1");
    ASSERT_NE(other, text);
    EXPECT_EQ(pictureDifference(other.toUtf8(), bytes), "");
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

TEST(FigurePicture, OfAPngHasNoPartsThatTheProgramDoesNotWrite) {
    const QByteArray bytes = drawn(figureWithPoint(2), FigureFormat::png);
    QByteArray more = bytes;
    more.insert(bytes.indexOf("IDAT") - 4,
                QByteArray::fromHex("0000000467414d410000b18f0bfc6105"));  // a gamma of 1/2.2
    EXPECT_EQ(pictureDifference(more, bytes),
              "Picture: the file has the part \"gAMA\", which RoPE Lab does not write.");
    more = bytes;  // a background colour, which programs that compress anew write
    more.insert(bytes.indexOf("IDAT") - 4, QByteArray::fromHex("00000006624b4744ffffffffffff0958f7dc"));
    EXPECT_EQ(pictureDifference(more, bytes), "");
    QImage image = QImage::fromData(bytes, "PNG");
    image.fill(Qt::white);
    QBuffer white;
    white.open(QIODevice::WriteOnly);
    image.save(&white, "PNG");
    QBuffer indexed;  // the same pixels by a palette
    indexed.open(QIODevice::WriteOnly);
    image.convertToFormat(QImage::Format_Indexed8).save(&indexed, "PNG");
    ASSERT_TRUE(indexed.data().contains("PLTE"));
    EXPECT_EQ(pictureDifference(indexed.data(), white.data()), "");
    EXPECT_EQ(pictureDifference(bytes + "more", bytes),
              "Picture: the file has the part \"bytes after its end\", which RoPE Lab does not write.");
    const auto withText = [&](const QString& key, const QString& text) {
        QImage image = QImage::fromData(bytes, "PNG");
        image.setText(key, text);
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        image.save(&buffer, "PNG");
        return buffer.data();
    };
    EXPECT_TRUE(pictureDifference(withText("Comment", "better"), bytes).contains("the part \"text Comment\""));
    EXPECT_TRUE(pictureDifference(withText("Description", "Better"), bytes).contains("\"Description: Better\""));
}

TEST(FigurePicture, OfAPdfThatAnotherProgramWroteAnewIsTheSame) {
    const QByteArray bytes = drawn(figureWithPoint(2), FigureFormat::pdf);
    const auto rewritten = [&](auto change) {
        QPDF pdf;
        pdf.processMemoryFile("figure", bytes.constData(), static_cast<std::size_t>(bytes.size()));
        QPDFWriter writer(pdf);
        writer.setOutputMemory();
        change(pdf, writer);
        writer.write();
        const auto buffer = writer.getBufferSharedPointer();
        return QByteArray(reinterpret_cast<const char*>(buffer->getBuffer()), qsizetype(buffer->getSize()));
    };
    const auto page = [](QPDF& pdf) { return pdf.getAllPages().front(); };
    EXPECT_EQ(pictureDifference(rewritten([](auto&...) {}), bytes), "");
    EXPECT_EQ(pictureDifference(rewritten([](QPDF&, QPDFWriter& writer) {
                                    writer.setQDFMode(true);
                                    writer.setObjectStreamMode(qpdf_o_disable);
                                }),
                                bytes),
              "");
    EXPECT_EQ(pictureDifference(rewritten([](QPDF&, QPDFWriter& writer) {
                                    writer.setLinearization(true);
                                    writer.setObjectStreamMode(qpdf_o_generate);
                                }),
                                bytes),
              "");
    // MuPDF writes the parts of a page as objects of their own, pypdf as parts of the page; both leave out what is
    // empty, spell numbers in their own way and add what they are to the description.
    EXPECT_EQ(pictureDifference(rewritten([&](QPDF& pdf, auto&) {
                                    QPDFObjectHandle shown = page(pdf);
                                    QPDFObjectHandle resources = shown.getKey("/Resources").shallowCopy();
                                    for (const std::string& key : resources.getKeys()) {
                                        QPDFObjectHandle part = resources.getKey(key);
                                        if (part.isDictionary() && part.getKeys().empty()) resources.removeKey(key);
                                    }
                                    shown.replaceKey("/Resources", resources);
                                    shown.replaceKey("/Annots", QPDFObjectHandle::newArray());
                                    QPDFObjectHandle box = QPDFObjectHandle::newArray();
                                    for (const QPDFObjectHandle& end : shown.getKey("/MediaBox").getArrayAsVector()) {
                                        const double at = QPDFObjectHandle(end).getNumericValue();
                                        box.appendItem(QPDFObjectHandle::newReal(at, 2));
                                    }
                                    shown.replaceKey("/MediaBox", pdf.makeIndirectObject(box));
                                    shown.addPageContents(QPDFObjectHandle::newStream(&pdf, " "), false);
                                    pdf.getTrailer().removeKey("/Info");
                                    pdf.getRoot().replaceKey("/Lang", QPDFObjectHandle::newString("en"));
                                }),
                                bytes),
              "");
    EXPECT_EQ(pictureDifference(
                  rewritten([&](QPDF& pdf, auto&) {
                      QPDFObjectHandle metadata = pdf.getRoot().getKey("/Metadata");
                      const auto old = metadata.getStreamData();
                      std::string words(reinterpret_cast<const char*>(old->getBuffer()), old->getSize());
                      words.insert(words.find("</rdf:Description>"), "<dc:publisher>Press 1.0</dc:publisher>");
                      metadata.replaceStreamData(words, QPDFObjectHandle::newNull(), QPDFObjectHandle::newNull());
                  }),
                  bytes),
              "");
    const QString words = pictureDifference(
        rewritten([&](QPDF& pdf, auto&) { page(pdf).replaceKey("/Rotate", QPDFObjectHandle::newInteger(180)); }),
        bytes);
    EXPECT_TRUE(words.contains("describes its pages, fonts or colours in another way")) << words.toStdString();
    EXPECT_NE(pictureDifference(rewritten([&](QPDF& pdf, auto&) {
                                    page(pdf).addPageContents(QPDFObjectHandle::newStream(&pdf, "0 0 9 9 re f"), false);
                                }),
                                bytes),
              "");
    EXPECT_NE(
        pictureDifference(rewritten([&](QPDF& pdf, auto&) { pdf.addPage(page(pdf).shallowCopy(), false); }), bytes),
        "");
}

TEST(FigurePicture, OfAPdfDiffersByAnotherPageAndByDamage) {
    const QByteArray bytes = drawn(figureWithPoint(2), FigureFormat::pdf);
    EXPECT_GE(pdfObjects(bytes).size(), 3) << "a page, a font and its letters";
    EXPECT_NE(pictureDifference(bytes.left(bytes.size() / 2), bytes), "");
    QByteArray size = bytes;
    ASSERT_TRUE(size.contains("/MediaBox [0 0 "));
    size.replace("/MediaBox [0 0 ", "/MediaBox [9 9 ");
    EXPECT_EQ(pictureDifference(size, bytes),
              "Picture: the page of the file is cropped, or has another size than the figure.");
    QByteArray attached = bytes;  // attachments have their own hash
    // Later versions of Qt write the name in UTF-16.
    ASSERT_TRUE(attached.contains("(data.csv)") || attached.contains(QByteArrayView("d\0a\0t\0a\0.\0c\0s\0v", 15)));
    attached.replace("(data.csv)", "(dato.csv)");
    attached.replace(QByteArrayView("d\0a\0t\0a\0.\0c\0s\0v", 15), QByteArrayView("d\0a\0t\0o\0.\0c\0s\0v", 15));
    EXPECT_NE(pictureDifference(attached, bytes), "");
}

/// Qt writes fonts in the order of a hash table, which differs from process to process, and names their parts by it.
TEST(FigurePicture, OfAPdfIgnoresTheTagsOfFontsButNotTheirNames) {
    const QByteArray bytes = drawn(figureWithPoint(2), FigureFormat::pdf);
    const qsizetype tag = bytes.indexOf("/FontName /") + 11;
    ASSERT_GT(tag, 11);
    ASSERT_EQ(bytes[tag + 6], '+');
    EXPECT_EQ(pictureDifference(QByteArray(bytes).replace(tag, 6, "ROPELB"), bytes), "");
    EXPECT_NE(pictureDifference(QByteArray(bytes).replace(tag + 7, 3, "Era"), bytes), "");
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
    const std::vector<Figure> figures = {figureWithPoint(2)};
    const std::vector<QByteArray> data = {figureCsv(figures.front())};
    const auto json = QJsonDocument::fromJson(recordJson(figures, data, options)).object();
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
