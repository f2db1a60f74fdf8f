#include <algorithm>

#include "core/rope/reading.h"
#include "ui/common/format.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr std::int64_t kMostPositions = 1 << 16;
constexpr double kPointPt = 2.5;
constexpr double kLargePointPt = 5;  // of rows with few points
constexpr std::size_t kFew = 32;

QString namesOfPairs(int count) {
    return count == 0   ? u"no pair"_s
           : count == 1 ? u"pair 0"_s
           : count == 2 ? u"pairs 0, 1"_s
                        : u"pairs 0 to %1"_s.arg(count - 1);
}

}  // namespace

Figure readingFigure(const RotationScene& scene) {
    Figure figure = rotation::figure(u"position-reading"_s, scene);
    const RotationState& state = scene.state;
    figure.settings.insert(u"error"_s, state.accuracy);
    figure.settings.insert(u"hands"_s, state.hands);
    const int rows = std::min(kMostHands, scene.rotatedPairs());
    if (rows == 0) {
        figure.emptyText = u"No pair is rotated, so no hand tells a position."_s;
        figure.summary = figure.emptyText;
        return figure;
    }
    // A longer context is shown where m is.
    const std::int64_t first = state.m / kMostPositions * kMostPositions;
    const std::int64_t count = std::min(scene.setup.context - first, kMostPositions);
    figure.x = {u"position"_s, u"tokens"_s};
    figure.x.minimum = static_cast<double>(first);
    figure.x.maximum = static_cast<double>(first + count);
    figure.y.label = u"pairs whose angles are read"_s;
    figure.y.downwards = true;
    figure.y.minimum = -0.5;
    figure.y.maximum = rows + 0.5;
    FigureTable table = FigureTable::of({u"pairs that are read"_s, u"position"_s});
    QStringList left;
    for (int read = 0; read <= rows; ++read) {
        figure.y.categories << namesOfPairs(read);
        if (read > state.hands) continue;
        const std::vector<std::int64_t> possible = possible_positions(scene.frequencies, state.m, first, count,
                                                                      state.accuracy, static_cast<std::size_t>(read));
        FigureCurve curve;
        curve.quantity = namesOfPairs(read);
        curve.ink = {Ink::Kind::query};
        curve.shape = FigureCurve::Shape::points;
        curve.pointPt = possible.size() <= kFew ? kLargePointPt : kPointPt;
        if (read == 0) {  // all positions: a line looks like as many points
            curve.ink = {Ink::Kind::quiet};
            curve.shape = FigureCurve::Shape::line;
            curve.dots = false;
            curve.companion = curve.solid = true;
            curve.x = {static_cast<double>(possible.front()), static_cast<double>(possible.back())};
            curve.y = {0, 0};
        }
        for (const std::int64_t position : possible) {
            if (read == 0) break;
            curve.x.append(static_cast<double>(position));
            curve.y.append(read);
            table.addRow({static_cast<double>(read), static_cast<double>(position)});
        }
        left << groupedText(static_cast<std::int64_t>(possible.size()));
        figure.horizontalLines.push_back({.at = static_cast<double>(read),
                                          .label = read == 0 ? u"%1 positions"_s.arg(left.last()) : left.last(),
                                          .ink = {Ink::Kind::quiet},
                                          .labelAtEnd = true});
        figure.curves.push_back(std::move(curve));
    }
    figure.table = std::move(table);
    figure.verticalLines.push_back({static_cast<double>(state.m),
                                    u"m = %1"_s.arg(groupedText(state.m)),
                                    {Ink::Kind::accent},
                                    QLatin1String(kReadingHandle)});
    figure.note =
        u"points: positions that the angles leave possible, at the right their number; each angle is read with an "
        u"error "
        "of at most %1°"_s.arg(QString::number(state.accuracy));
    figure.summary =
        u"Positions that the angles of the fastest pairs at position %1 leave possible, each read with an error of at "
        "most %2 degrees; from no pair on: %3."_s.arg(groupedText(state.m), QString::number(state.accuracy),
                                                      left.join(u", "_s));
    return figure;
}

}  // namespace ropelab::ui
