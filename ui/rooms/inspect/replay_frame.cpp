#include "ui/rooms/inspect/replay_frame.h"

#include <QPaintEngine>
#include <QPainter>
#include <QPicture>
#include <algorithm>
#include <cmath>

#include "ui/common/format.h"
#include "ui/figure/figure_painter.h"
#include "ui/rooms/inspect/course_figures.h"

namespace ropelab::ui {
namespace {

constexpr double kLossFraction = 0.28;  // of a frame's height

/// Raster devices get an image, because vector graphics would leave seams between the cells of heat maps.
void paintPart(QPainter& painter, const Figure& figure, const QRectF& where, const FigureStyle& style) {
    const QSize size = where.size().toSize();
    if (painter.paintEngine()->type() == QPaintEngine::Raster) {
        QImage image(size, QImage::Format_ARGB32_Premultiplied);
        image.fill(style.theme.paper);
        paintFigure(figure, image, size, style, false);
        painter.drawImage(where.topLeft(), image);
        return;
    }
    QPicture picture;
    paintFigure(figure, picture, size, style, true);
    painter.save();
    painter.translate(where.topLeft());
    // Qt scales a QPicture by the ratio of the resolutions; the figure already uses the painter's units.
    painter.scale(static_cast<double>(picture.logicalDpiX()) / painter.device()->logicalDpiX(),
                  static_cast<double>(picture.logicalDpiY()) / painter.device()->logicalDpiY());
    painter.drawPicture(0, 0, picture);
    painter.restore();
}

}  // namespace

Figure replayFrame(std::vector<ReplayPicture> pictures, std::int64_t iteration) {
    std::vector<Figure> upper;
    for (ReplayPicture& picture : pictures) {
        picture.data.iteration = iteration;
        upper.push_back(picture.figure->make(picture.data).figure);
    }
    const InspectData& data = pictures.front().data;
    const Figure loss = lossCourse(data).figure;
    Figure frame = inspectFigure(data, "inspect-frame");
    frame.summary =
        QObject::tr("%1 after %2 steps.").arg(data.run ? data.run->name : QString(), groupedText(iteration));
    frame.drawing = [upper, loss](QPainter& painter, const QRectF& all, const FigureStyle& style) {
        const double below = kLossFraction * all.height();
        const double width = all.width() / static_cast<double>(upper.size());
        for (std::size_t i = 0; i < upper.size(); ++i) {
            paintPart(painter, upper[i],
                      {all.left() + static_cast<double>(i) * width, all.top(), width, all.height() - below}, style);
        }
        paintPart(painter, loss, {all.left(), all.bottom() - below, all.width(), below}, style);
    };
    return frame;
}

std::vector<std::int64_t> replayIterations(const InsideRun& run, int most) {
    std::vector<std::int64_t> iterations;
    const auto all = run.snapshots.size();
    const std::size_t count = most > 0 ? std::min(all, static_cast<std::size_t>(most)) : all;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = count > 1 ? (i * (all - 1) + (count - 1) / 2) / (count - 1) : all - 1;
        iterations.push_back(run.snapshots[place].iteration);
    }
    return iterations;
}

}  // namespace ropelab::ui
