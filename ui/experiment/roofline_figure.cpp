#include "ui/experiment/roofline_figure.h"

#include <QObject>
#include <algorithm>

namespace ropelab::ui {

namespace {

constexpr double kGiga = 1e9;

QString speedText(double operations) {
    return QObject::tr("%1 GFLOP/s").arg(QString::number(operations / kGiga, 'g', 3));
}

// From a tenth of the leftmost to ten times the rightmost of what is to be seen.
Range intensities(const bench::MachineSpeed& machine, const std::vector<RooflineRun>& runs) {
    Range range{bench::ridge(machine), bench::ridge(machine)};
    for (const RooflineRun& run : runs) {
        range.minimum = std::min(range.minimum, run.point.work.intensity());
        range.maximum = std::max(range.maximum, run.point.work.intensity());
    }
    return {range.minimum / 10, range.maximum * 10};
}

}  // namespace

Figure rooflineFigure(const bench::MachineSpeed& machine, const std::vector<RooflineRun>& runs) {
    Figure figure;
    figure.name = QStringLiteral("roofline");
    figure.x = {
        .label = QObject::tr("arithmetic intensity"), .unit = QObject::tr("operations per byte"), .logarithmic = true};
    figure.y = {.label = QObject::tr("speed"), .unit = QStringLiteral("GFLOP/s"), .logarithmic = true};
    if (!machine.known()) {
        figure.emptyText = QObject::tr("This machine's own speed is not known yet");
        return figure;
    }
    if (runs.empty()) {
        figure.emptyText = QObject::tr("A run's step stands here as soon as one trains on the processor");
        return figure;
    }
    const Range range = intensities(machine, runs);
    FigureCurve roof;
    roof.label = QObject::tr("this machine");
    roof.quantity = QObject::tr("at most");
    roof.ink = {Ink::Kind::text};
    for (const double intensity : {range.minimum, bench::ridge(machine), range.maximum}) {
        roof.x.append(intensity);
        roof.y.append(bench::roof(machine, intensity) / kGiga);
    }
    figure.x.minimum = range.minimum;
    figure.x.maximum = range.maximum;
    figure.curves.push_back(roof);
    for (const RooflineRun& run : runs) {
        FigureCurve place;
        place.label = run.label;
        place.quantity = QObject::tr("speed");
        place.ink = Ink::data(run.colorIndex);
        place.shape = FigureCurve::Shape::points;
        place.pointPt = run.picked ? 9 : 6;
        place.emphasis = run.picked ? FigureCurve::Emphasis::picked : FigureCurve::Emphasis::normal;
        place.x = {run.point.work.intensity()};
        place.y = {run.point.reached() / kGiga};
        figure.curves.push_back(place);
    }
    figure.verticalLines.push_back({bench::ridge(machine), QObject::tr("arithmetic limits from here on")});
    figure.note = QObject::tr("float32 products reach %1, copies %2 GB/s")
                      .arg(speedText(machine.multiply), QString::number(machine.copy / kGiga, 'g', 3));
    const RooflineRun& told = *std::max_element(
        runs.begin(), runs.end(), [](const RooflineRun& a, const RooflineRun& b) { return a.picked < b.picked; });
    figure.summary = QString::fromStdString(bench::verdict(machine, told.point));
    return figure;
}

}  // namespace ropelab::ui
