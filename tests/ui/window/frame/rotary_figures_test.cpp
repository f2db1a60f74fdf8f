// Tests that exports every figure of a rotary setup and checks the files.
#include "ui/window/frame/figures.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QJsonDocument>
#include <QPainter>
#include <QRegularExpression>
#include <QSet>
#include <QSvgRenderer>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "ui/figure/export/export.h"
#include "ui/figure/export/pdf_attachments.h"
#include "ui/figure/figure_style.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

std::vector<RotarySetup> setups() {
    return {
        RotarySetup{}, parse_setup("theta=500k head_dim=128 context=8192 scaling=llama3 factor=8 precision=bfloat16"),
        parse_setup("theta=10k head_dim=64 fraction=25% context=256 partial=truncate pairing=interleaved"),
        parse_setup("theta=100 head_dim=8 context=16"), parse_setup("theta=10k head_dim=64 fraction=0 context=256")};
}

/// Returns whether a reader can tell two lines apart only by their colours: neither has a label that the other lacks,
/// their pens differ in nothing else, and they have different values at the same x.
bool differOnlyInColor(const FigureCurve& a, const FigureCurve& b, const FigureStyle& style) {
    if (a.shape != FigureCurve::Shape::line || b.shape != FigureCurve::Shape::line) return false;
    if (a.solid && b.solid) return false;  // bars of errors, whose place says whose they are
    const QPen first = style.penOf(a);
    const QPen second = style.penOf(b);
    if (first.color() == second.color() || first.dashPattern() != second.dashPattern() ||
        first.widthF() != second.widthF()) {
        return false;
    }
    const auto labelOf = [](const FigureCurve& curve) {
        return curve.companion && !curve.isNamed ? QString() : curve.label;
    };
    if (labelOf(a) != labelOf(b)) return false;
    if (a.x != b.x) {  // reduced to different points: the same x where their ranges overlap
        return !a.x.isEmpty() && !b.x.isEmpty() &&
               std::max(a.x.first(), b.x.first()) < std::min(a.x.last(), b.x.last());
    }
    for (qsizetype i = 0; i < a.x.size(); ++i) {
        if (std::isfinite(a.y[i]) && std::isfinite(b.y[i]) && a.y[i] != b.y[i]) return true;
    }
    return false;
}

class RotaryFigures : public ::testing::Test {
 protected:
    void SetUp() override { ThemeManager::instance().apply(); }
};

TEST_F(RotaryFigures, HaveDistinctNames) {
    QStringList names;
    for (const FigureEntry& entry : figureEntries()) names << entry.name;
    EXPECT_EQ(QSet<QString>(names.begin(), names.end()).size(), names.size());
    EXPECT_GE(names.size(), 100);
    for (const QString& name : names) EXPECT_NE(findFigure(name), nullptr);
    for (const RotaryFigure& figure : rotaryFigures()) EXPECT_TRUE(names.contains(QLatin1String(figure.name)));
    EXPECT_EQ(findRotaryFigure(QStringLiteral("nothing")), nullptr);
    // Earlier names are still read.
    EXPECT_EQ(findRotaryFigure(QStringLiteral("cache-table")), findRotaryFigure(QStringLiteral("cosine-table")));
    EXPECT_EQ(findRotaryFigure(QStringLiteral("cache-error")), findRotaryFigure(QStringLiteral("table-error")));
    EXPECT_NE(findRotaryFigure(QStringLiteral("cache-error")), nullptr);
}

void expectLinesThatDifferInMoreThanColor(const Figure& figure, const std::string& where) {
    for (const FigureStyle& style :
         {FigureStyle::screen(Theme::light(), 1), FigureStyle::print(Theme::light(), 9, 1)}) {
        for (std::size_t i = 0; i < figure.curves.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                EXPECT_FALSE(differOnlyInColor(figure.curves[i], figure.curves[j], style))
                    << where << ": " << figure.curves[i].quantity.toStdString() << " and "
                    << figure.curves[j].quantity.toStdString();
            }
        }
    }
}

void expectNothingOutsideThePage(const Figure& figure, const std::string& where) {
    ExportOptions options;
    options.format = FigureFormat::svg;
    options.widthMm = 90;
    options.heightMm = 60;
    options.outlines = true;  // the font of a viewer may be wider
    const QByteArray bytes = figureBytes(figure, options);
    EXPECT_TRUE(bytes.contains("width=\"90mm\" height=\"60mm\"")) << where;
    QSvgRenderer renderer(bytes);
    ASSERT_TRUE(renderer.isValid()) << where;
    // The page is rendered in the middle of a larger one.
    const QRectF page = renderer.viewBoxF();
    renderer.setViewBox(page.adjusted(-page.width() / 2, -page.height() / 2, page.width() / 2, page.height() / 2));
    QImage picture(360, 240, QImage::Format_RGB32);
    picture.fill(Qt::magenta);
    QPainter painter(&picture);
    renderer.render(&painter);
    painter.end();
    int outside = 0;
    for (int y = 0; y < 240; ++y) {
        for (int x = 0; x < 360; ++x) {
            const bool inside = x >= 88 && x < 272 && y >= 58 && y < 182;
            outside += !inside && picture.pixelColor(x, y) != Qt::magenta ? 1 : 0;
        }
    }
    EXPECT_EQ(outside, 0) << where;
}

TEST_F(RotaryFigures, HaveTheirSummaryAndSettingsDistinctLinesAndNothingOutsideTheirPage) {
    for (const RotaryFigure& entry : rotaryFigures()) {
        for (const RotarySetup& setup : setups()) {
            const Figure figure = entry.make(setup, {});
            const std::string where = std::string(entry.name) + " of " + text_of(setup);
            EXPECT_EQ(figure.name, QString::fromLatin1(entry.name));
            EXPECT_TRUE(figure.summary.endsWith(QLatin1Char('.'))) << where << ": " << figure.summary.toStdString();
            EXPECT_EQ(figure.settings.value(QStringLiteral("setup")).toString().toStdString(), text_of(setup)) << where;
            expectLinesThatDifferInMoreThanColor(figure, where);
            expectNothingOutsideThePage(figure, where);
        }
    }
}

TEST_F(RotaryFigures, ContainBothOfTwoSetups) {
    ExportOptions options;
    options.widthMm = 100;
    options.heightMm = 70;
    options.dpi = 127;
    const ShapedSetup a{setups()[1], {}};
    const ShapedSetup b{setups()[2], {}};
    const std::string text = setups_text({a.setup, b.setup});
    for (const RotaryFigure& entry : rotaryFigures()) {
        const Figure figure = entry.ofBoth(a, b);
        EXPECT_EQ(figure.name, QString::fromLatin1(entry.name));
        EXPECT_EQ(figure.settings.value(QStringLiteral("setup")).toString().toStdString(), text) << entry.name;
        EXPECT_FALSE(isEmpty(figure)) << entry.name;
        for (const FigureFormat format : {FigureFormat::csv, FigureFormat::svg}) {
            options.format = format;
            const QString file = QString::fromUtf8(figureBytes(figure, options));
            EXPECT_TRUE(file.contains(QStringLiteral("theta=500k")) && file.contains(QStringLiteral("fraction=25%")))
                << entry.name;
            EXPECT_TRUE(file.contains(QStringLiteral("A: ")) && file.contains(QStringLiteral("B: "))) << entry.name;
        }
        options.format = FigureFormat::png;
        EXPECT_EQ(QImage::fromData(figureBytes(figure, options)).size(), QSize(500, 350)) << entry.name;
        options.format = FigureFormat::pdf;
        EXPECT_TRUE(figureBytes(figure, options).startsWith("%PDF")) << entry.name;
    }
}

TEST_F(RotaryFigures, EveryFormatHasSizeAndData) {
    ExportOptions options;
    options.widthMm = 100;
    options.heightMm = 70;
    options.dpi = 127;  // 5 pixels per millimetre
    for (const RotaryFigure& entry : rotaryFigures()) {
        const Figure figure = entry.make(setups()[1], {});
        options.format = FigureFormat::png;
        const QImage picture = QImage::fromData(figureBytes(figure, options));
        EXPECT_EQ(picture.size(), QSize(500, 350)) << entry.name;
        EXPECT_FALSE(picture.text(QStringLiteral("Data")).isEmpty()) << entry.name;
        EXPECT_TRUE(picture.text(QStringLiteral("Settings")).contains(QStringLiteral("head_dim=128"))) << entry.name;

        options.format = FigureFormat::csv;
        int rows = 0;
        for (const QByteArray& line : figureBytes(figure, options).split('\n')) {
            rows += !line.isEmpty() && !line.startsWith('#') ? 1 : 0;
        }
        EXPECT_GE(rows, 2) << entry.name;  // a row of names and at least one row of numbers

        options.format = FigureFormat::pdf;
        const QByteArray pdf = figureBytes(figure, options);
        EXPECT_TRUE(pdf.startsWith("%PDF")) << entry.name;
        EXPECT_TRUE(pdfAttachments(pdf).contains("data.csv")) << entry.name;
    }
}

}  // namespace
}  // namespace ropelab::ui
