#include "ui/rooms/rotation/aim_figure.h"

#include <algorithm>

#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {
namespace {

using rotation::tr;

QString count(double value) {
    return readableCount(value);
}

}  // namespace

QString aimText(const RotationScene& scene, const LogitCurve& curve) {
    if (scene.rotatedPairs() == 0) {
        return tr("At fraction 0 no pair is rotated: the logit is the same at every distance, and k cannot be aimed.");
    }
    return tr("The largest logit in the context is %1, at a distance of %2 tokens.")
        .arg(readableNumber(curve.best), count(curve.bestDistance));
}

Figure aimFigure(const RotationScene& scene, const LogitCurve& curve) {
    Figure figure;
    figure.name = QStringLiteral("aim");
    figure.x = {tr("distance m − n"), tr("tokens"), false, 0,
                static_cast<double>(std::max<std::int64_t>(1, scene.setup.context - 1))};
    figure.y.label = tr("logit q·k/√d");
    figure.summary = aimText(scene, curve);
    figure.settings = rotationSettings(scene);
    if (curve.stride > 1) {
        figure.note = tr("computed in steps of %1 tokens").arg(groupedText(curve.stride));
        figure.settings.insert(QStringLiteral("distance step"), static_cast<qint64>(curve.stride));
    }
    FigureCurve logit;
    logit.quantity = tr("logit");
    logit.ink = {Ink::Kind::rotated};
    logit.x = QList<double>(curve.distances.begin(), curve.distances.end());
    logit.y = QList<double>(curve.logits.begin(), curve.logits.end());
    figure.curves.push_back(std::move(logit));

    FigureCurve maximum;
    maximum.quantity = tr("largest logit");
    maximum.ink = {Ink::Kind::accent};
    maximum.shape = FigureCurve::Shape::points;
    maximum.pointPt = 7;
    maximum.x = {curve.bestDistance};
    maximum.y = {curve.best};
    figure.curves.push_back(std::move(maximum));

    const auto aimed = static_cast<double>(scene.state.distance);
    figure.verticalLines.push_back({aimed,
                                    scene.state.source == VectorSource::aimed ? tr("aimed at r = %1").arg(count(aimed))
                                                                              : tr("r = %1").arg(count(aimed)),
                                    {Ink::Kind::key},
                                    QString::fromLatin1(kAimHandle)});
    const auto distance = static_cast<double>(scene.state.m - scene.state.n);
    if (distance >= 0) {
        figure.verticalLines.push_back({distance, tr("Δ = m − n = %1").arg(count(distance)), {Ink::Kind::quiet}});
    }
    return figure;
}

}  // namespace ropelab::ui
