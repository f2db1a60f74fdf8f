#pragma once

#include <string>
#include <vector>

#include "core/experiment/experiment.h"

namespace ropelab {

/// One of a sweep's settings of θ and of the rotated fraction, as the experiment spells it and as numbers.
struct PlanePoint {
    std::string theta;
    std::string fraction;
    double theta_number = 0;
    double fraction_number = 0;  // 0 to 1
};

/// Each setting once, in the order of the runs. Throws BadInput if the experiment is invalid.
std::vector<PlanePoint> plane_points(const Experiment& experiment);
/// Nearest setting that a model of the experiment can have: θ with two digits, at least 1.1, and a whole number
/// of rotated pairs.
PlanePoint snapped_point(const Experiment& experiment, double theta, double fraction);
/// The points become the experiment's settings: lists of θ and fraction where they are all combinations of these, else
/// single runs. Equal points count once. Throws BadInput if no point is left, or if the experiment pairs or excludes θ
/// or fraction, or lists single runs with other settings, so that the points would not say which runs are meant.
void set_plane_points(Experiment& experiment, const std::vector<PlanePoint>& points);

}  // namespace ropelab
