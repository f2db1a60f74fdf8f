#pragma once

#include <QString>

#include "ui/session/rotary_model.h"

namespace ropelab::ui {

/// Names of two compared setups, such as "θ = 10k" and "θ = 500k"; empty if nothing differs.
struct SetupNames {
    QString a;
    QString b;
};
/// Returns names that say what differs between two setups: at most two values, or the names of their models if more
/// values differ and both have a name.
SetupNames setupNames(const ShapedSetup& a, const ShapedSetup& b);

/// Returns the values that differ between two states as "θ 500k → 10k", and "" if more differ than a short text can
/// hold or if the states compare different setups.
QString rotaryChanges(const RotaryModel::State& from, const RotaryModel::State& to);

}  // namespace ropelab::ui
