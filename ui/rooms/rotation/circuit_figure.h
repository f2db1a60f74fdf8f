#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <optional>

#include "ui/figure/figure.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

/// Numbers of the head that the scene's q and k build, on the text of the scene.
struct CircuitReadout {
    QStringList tokens;
    std::int64_t searched = 0;  // number of distances among which the largest logit was found, from 0 on
    std::int64_t peak = 0;      // distance of the largest logit, in tokens
    double peakLogit = 0;
    std::int64_t target = 0;  // the aimed distance, or the peak if the head is not aimed
    /// Mean attention weight at the target distance, over the tokens that have a token so far back; NaN if none has.
    double share = 0;
};
CircuitReadout circuitReadout(const RotationScene& scene);
QString circuitText(const RotationScene& scene);

/// Mean attention weight by distance, to be shown beside the head built by hand.
struct TrainedHead {
    QString name;             // "θ 10k, layer 0, head 3"
    double similarity = 0;    // cosine similarity of both curves
    std::int64_t length = 0;  // tokens of the sequences in which both were measured
    QList<double> distances;
    QList<double> trained;
    QList<double> built;
};

Figure circuitFigure(const RotationScene& scene);
/// The mean attention weight by distance, on the text of the scene, or in the sequences of `trained` beside this head.
Figure circuitDistanceFigure(const RotationScene& scene, const std::optional<TrainedHead>& trained = {});

}  // namespace ropelab::ui
