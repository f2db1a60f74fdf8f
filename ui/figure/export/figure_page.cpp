#include "ui/figure/export/figure_page.h"

#include <qcustomplot.h>

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "ui/figure/export/figure_record.h"
#include "ui/figure/paint/figure_painter.h"

namespace ropelab::ui {
namespace {

constexpr double kGapMm = 3;          // between panels
constexpr double kPanelRatio = 0.64;  // height of a panel relative to its width
constexpr double kLeastPanelMm = 20;  // smallest width and height of a panel, as of a figure
constexpr double kReadableMm = 57;    // smallest width of a panel that cuts off no name
constexpr double kLargestMm = 1000;   // height of a figure
constexpr double kPageMm = 228.6;     // text height of a page: 9 inches
constexpr double kStepMm = 0.5;       // in which heights are rounded up
constexpr int kTwoColumns = 4;        // largest number of panels in two columns
constexpr double kPointsPerPanelMm = 72 / 25.4;

double panelWidth(double widthMm, int columns) {
    return (widthMm - (columns - 1) * kGapMm) / columns;
}

int columnsOf(std::size_t count, int wanted, double widthMm) {
    const int panels = static_cast<int>(count);
    if (wanted > 0) return std::min(wanted, panels);
    int columns = panels < 2 ? 1 : panels <= kTwoColumns ? 2 : 3;
    while (columns > 1 && panelWidth(widthMm, columns) < kReadableMm) --columns;
    return columns;
}

/// In mm, at most that of a file.
double heightOf(const Figure& figure, double widthMm, double usualMm, double fontPt) {
    constexpr double unit = 10;  // per point
    const double perMm = unit * kPointsPerPanelMm;
    const FigureStyle style = FigureStyle::print(Theme::light(), fontPt, unit);
    // Rows with names say themselves how high they are.
    const double usual = figure.y.categories.isEmpty() ? std::max(usualMm, figure.heightMm) : usualMm;
    const double height = fittedHeight(figure, widthMm * perMm, usual * perMm, style) / perMm;
    if (std::abs(height - usual) <= kStepMm) return usual;
    return std::clamp(std::ceil(height / kStepMm) * kStepMm, kLeastPanelMm, kLargestMm);
}

void drawLetter(QPainter& painter, const QString& letter, const QPointF& corner, const FigureStyle& style) {
    QFont font = style.font(style.labelPt);
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(style.theme.text);
    painter.drawText(corner + QPointF(0, QFontMetricsF(font).ascent()), letter);
}

}  // namespace

PageLayout pageLayout(std::span<const Figure> panels, double widthMm, double heightMm, int columns, double fontPt) {
    const int perRow = columnsOf(panels.size(), columns, widthMm);
    const int rows = (static_cast<int>(panels.size()) + perRow - 1) / perRow;
    const double width = panelWidth(widthMm, perRow);
    std::vector<double> heights(static_cast<std::size_t>(rows), width * kPanelRatio);
    for (std::size_t i = 0; i < panels.size(); ++i) {
        double& height = heights[i / static_cast<std::size_t>(perRow)];
        height = std::max(height, heightOf(panels[i], width, width * kPanelRatio, fontPt));
    }
    double sum = 0;
    for (const double height : heights) sum += height;
    const double gaps = (rows - 1) * kGapMm;
    const double stretch = heightMm > 0 ? (heightMm - gaps) / sum : 1;

    PageLayout layout;
    double top = 0;
    for (int row = 0; row < rows; ++row) {
        const double height = heights[static_cast<std::size_t>(row)] * stretch;
        if (width < kLeastPanelMm || height < kLeastPanelMm) {
            throw BadInput("A page of " + number_text(widthMm) + " mm" +
                           (heightMm > 0 ? " × " + number_text(heightMm) + " mm" : std::string()) +
                           " is too small for " + std::to_string(panels.size()) + " panels in " +
                           std::to_string(perRow) + " columns, because a panel needs at least 20 × 20 mm.");
        }
        for (int column = 0; column < perRow && layout.panels.size() < panels.size(); ++column) {
            layout.panels.emplace_back(column * (width + kGapMm), top, width, height);
        }
        top += height + kGapMm;
    }
    layout.heightMm = top - kGapMm;
    return layout;
}

double fittedHeightMm(std::span<const Figure> panels, const ExportOptions& options) {
    if (panels.size() == 1) return heightOf(panels.front(), options.widthMm, options.heightMm, options.fontPt);
    return pageLayout(panels, options.widthMm, 0, options.columns, options.fontPt).heightMm;
}

QString higherThanPage(std::span<const Figure> panels, const ExportOptions& options) {
    if (panels.empty() || options.heightMm <= kPageMm) return {};
    const bool isOne = panels.size() == 1;
    return QStringLiteral(
               "The %1 needs %2 mm of height at a width of %3 mm, but a page has %4 mm: choose %5a wider size, such as "
               "ieee-page, or set the height yourself.")
        .arg(isOne ? QStringLiteral("figure ") + panels.front().name
                   : QStringLiteral("page of %1 figures").arg(panels.size()))
        .arg(std::ceil(options.heightMm))
        .arg(options.widthMm)
        .arg(std::floor(kPageMm))
        .arg(isOne ? QString() : QStringLiteral("fewer figures, another number of columns, "));
}

void paintPage(std::span<const Figure> panels, const PageLayout& layout, QPaintDevice& device, const QSize& size,
               const FigureStyle& style, bool vectors) {
    if (panels.size() == 1) return paintFigure(panels.front(), device, size, style, vectors);
    QCPPainter painter;
    if (vectors) {
        beginVectors(painter, device);
    } else {
        painter.begin(&device);
    }
    painter.fillRect(QRect(QPoint(0, 0), size), style.theme.paper);
    const double unit = style.units(kPointsPerPanelMm);  // units of the device per millimetre
    const double line = QFontMetricsF(style.font(style.labelPt)).height();
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const QRectF& place = layout.panels[i];
        const QPointF corner(place.left() * unit, place.top() * unit);
        const QSize space(static_cast<int>(std::floor(place.width() * unit)),
                          static_cast<int>(std::floor(place.height() * unit - line)));
        painter.save();
        painter.translate(std::round(corner.x()), std::round(corner.y() + line));
        paintFigure(panels[i], painter, space, style);
        painter.restore();
        painter.save();
        drawLetter(painter, panelLetter(i, panels.size()), corner, style);
        painter.restore();
    }
    painter.end();
}

}  // namespace ropelab::ui
