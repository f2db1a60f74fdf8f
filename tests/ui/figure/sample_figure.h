#pragma once

#include <cmath>
#include <limits>

#include "ui/figure/figure.h"

namespace ropelab::ui {

/// Returns a figure with two curves that exceed the axes above and below (one has raw values and a gap), a horizontal
/// line and settings.
inline Figure sampleFigure() {
    Figure figure;
    figure.name = QStringLiteral("sample");
    figure.summary = QStringLiteral("Two curves & a floor <exactly>.");
    figure.x.label = QStringLiteral("iteration");
    figure.y = {.label = QStringLiteral("loss"), .unit = QStringLiteral("nats")};
    figure.y.minimum = 1.5;
    figure.y.maximum = 3;
    figure.settings[QStringLiteral("theta")] = 10000.5;
    figure.settings[QStringLiteral("data")] = QStringLiteral("a ]]> b & \"c\"");
    for (int run = 0; run < 2; ++run) {
        FigureCurve curve;
        curve.label = QStringLiteral("θ = %1, 25 %").arg(run);
        curve.quantity = QStringLiteral("loss");
        curve.ink = Ink::data(run);
        for (int i = 0; i <= 100; ++i) {
            curve.x.append(i * (run + 1));
            curve.y.append(1.4 + 2 * std::exp(-i / 20.0) + 0.1 / 3 * run);
            if (run == 1) {
                curve.raw.append(curve.y.last() + 0.3 * std::sin(i));
            }
        }
        figure.curves.push_back(curve);
    }
    figure.curves[1].y[50] = std::numeric_limits<double>::quiet_NaN();
    figure.horizontalLines.push_back({1.6, QStringLiteral("floor 1.6")});
    return figure;
}

}  // namespace ropelab::ui
