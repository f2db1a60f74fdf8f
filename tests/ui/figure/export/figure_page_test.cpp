#include "ui/figure/export/figure_page.h"

#include <gtest/gtest.h>

#include <QRegularExpression>
#include <vector>

#include "core/base/error.h"
#include "tests/ui/figure/sample_figure.h"
#include "ui/figure/export/export.h"

namespace ropelab::ui {
namespace {

TEST(PageLayout, PanelsDoNotOverlapAndFillTheWidth) {
    for (const std::size_t count : {2U, 3U, 4U, 5U, 9U}) {
        const std::vector<Figure> panels(count, sampleFigure());
        const PageLayout layout = pageLayout(panels, 180, 0, 0, 8.5);
        ASSERT_EQ(layout.panels.size(), count);
        double right = 0;
        for (std::size_t i = 0; i < count; ++i) {
            right = std::max(right, layout.panels[i].right());
            EXPECT_LE(layout.panels[i].bottom(), layout.heightMm + 1e-9);
            for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(layout.panels[i].intersects(layout.panels[j]));
        }
        EXPECT_NEAR(right, 180, 1e-9);
    }
}

TEST(PageLayout, RowsHaveTheHeightThatTheirFiguresNeed) {
    std::vector<Figure> panels(4, sampleFigure());
    panels[2].heightMm = 150;
    const PageLayout layout = pageLayout(panels, 180, 0, 2, 8.5);
    EXPECT_DOUBLE_EQ(layout.panels[2].height(), 150);
    EXPECT_DOUBLE_EQ(layout.panels[3].height(), 150);
    EXPECT_LT(layout.panels[0].height(), 100);
    EXPECT_NEAR(pageLayout(panels, 180, 120, 2, 8.5).heightMm, 120, 1e-9);
}

TEST(PageLayout, APageOfSeveralFiguresIsNotHigherThanAPage) {
    std::vector<Figure> panels(8, sampleFigure());
    ExportOptions options;
    options.widthMm = 82.5;
    options.columns = 2;
    options.heightMm = fittedHeightMm(panels, options);
    EXPECT_EQ(higherThanPage(panels, options), "");
    options.columns = 1;
    options.heightMm = fittedHeightMm(panels, options);
    EXPECT_TRUE(
        QRegularExpression("^The page of 8 figures needs \\d+ mm of height at a width of 82.5 mm, but a page has "
                           "228 mm: choose fewer figures, another number of columns, a wider size, such as "
                           "ieee-page, or set the height yourself\\.$")
            .match(higherThanPage(panels, options))
            .hasMatch())
        << higherThanPage(panels, options).toStdString();
}

// Two panels beside each other in a column cut off the names of axes and legends.
TEST(PageLayout, NarrowPagesHaveFewerPanelsPerRow) {
    const std::vector<Figure> panels(5, sampleFigure());
    const auto perRow = [&](double width) {
        const PageLayout layout = pageLayout(panels, width, 0, 0, 8);
        return std::ranges::count_if(layout.panels, [](const QRectF& panel) { return panel.top() == 0; });
    };
    EXPECT_EQ(perRow(82.5), 1);
    EXPECT_EQ(perRow(120), 2);
    EXPECT_EQ(perRow(181), 3);
}

TEST(PageLayout, RejectsPanelsThatAreTooSmall) {
    const std::vector<Figure> panels(6, sampleFigure());
    EXPECT_THROW(pageLayout(panels, 60, 0, 3, 8.5), BadInput);
    EXPECT_THROW(pageLayout(panels, 180, 30, 3, 8.5), BadInput);
}

TEST(Page, HasALetterForEachPanel) {
    const std::vector<Figure> panels(3, sampleFigure());
    ExportOptions options;
    options.format = FigureFormat::svg;
    options.widthMm = 180;
    options.heightMm = 120;
    const QByteArray bytes = pageBytes(panels, options);
    static const QRegularExpression text(QStringLiteral("font-weight=\"([0-9]+)\"[^>]*>([abc])</text>"));
    QStringList letters;
    for (auto it = text.globalMatch(QString::fromUtf8(bytes)); it.hasNext();) {
        const auto match = it.next();
        EXPECT_GT(match.captured(1).toInt(), 400);
        letters << match.captured(2);
    }
    EXPECT_EQ(letters, QStringList({"a", "b", "c"}));
    EXPECT_EQ(bytes.count(">loss (nats)</text>"), 3);
    EXPECT_TRUE(bytes.contains("panel=\"c\""));
}

TEST(Page, OfOneFigureIsTheFigure) {
    const Figure figure = sampleFigure();
    ExportOptions options;
    options.format = FigureFormat::svg;
    EXPECT_EQ(pageBytes({&figure, 1}, options), figureBytes(figure, options));
}

TEST(Page, CannotBeATable) {
    const std::vector<Figure> panels(2, sampleFigure());
    for (const auto format : {FigureFormat::csv, FigureFormat::pgfplots}) {
        ExportOptions options;
        options.format = format;
        EXPECT_THROW(pageBytes(panels, options), BadInput);
    }
}

}  // namespace
}  // namespace ropelab::ui
