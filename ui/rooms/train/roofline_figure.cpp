#include "ui/rooms/train/roofline_figure.h"

#include <QObject>
#include <algorithm>

namespace ropelab::ui {

namespace {

constexpr double kGiga = 1e9;

QString speedText(double operations) {
    return QObject::tr("%1 GFLOP/s").arg(QString::number(operations / kGiga, 'g', 3));
}

// From a tenth of the smallest to ten times the largest intensity of the runs and the ridge point.
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
        figure.emptyText = QObject::tr("The speed of this machine has not been measured yet");
        return figure;
    }
    if (runs.empty()) {
        figure.emptyText = QObject::tr("Each run that trains on the CPU appears here as a point");
        return figure;
    }
    const Range range = intensities(machine, runs);
    FigureCurve roof;
    roof.label = QObject::tr("this machine");
    roof.quantity = QObject::tr("peak speed");
    roof.ink = {Ink::Kind::text};
    for (const double intensity : {range.minimum, bench::ridge(machine), range.maximum}) {
        roof.x.append(intensity);
        roof.y.append(bench::roof(machine, intensity) / kGiga);
    }
    figure.x.minimum = range.minimum;
    figure.x.maximum = range.maximum;
    figure.curves.push_back(roof);
    for (const RooflineRun& run : runs) {
        FigureCurve point;
        point.label = run.label;
        point.quantity = QObject::tr("speed");
        point.ink = run.ink;
        point.shape = FigureCurve::Shape::points;
        point.pointPt = run.picked ? 9 : 6;
        point.emphasis = run.picked ? FigureCurve::Emphasis::picked : FigureCurve::Emphasis::normal;
        point.x = {run.point.work.intensity()};
        point.y = {run.point.reached() / kGiga};
        figure.curves.push_back(point);
    }
    figure.verticalLines.push_back(
        {bench::ridge(machine), QObject::tr("ridge point: arithmetic limits the speed to the right")});
    figure.note = QObject::tr("This machine reaches %1 in float32 matrix products and copies %2 GB/s.")
                      .arg(speedText(machine.multiply), QString::number(machine.copy / kGiga, 'g', 3));
    const RooflineRun& described = *std::max_element(
        runs.begin(), runs.end(), [](const RooflineRun& a, const RooflineRun& b) { return a.picked < b.picked; });
    figure.summary = QString::fromStdString(bench::verdict(machine, described.point));
    return figure;
}

}  // namespace ropelab::ui
