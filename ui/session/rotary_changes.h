#pragma once

#include <QString>

#include "ui/session/rotary_model.h"

namespace ropelab::ui {

/// "θ = 10k" and "θ = 500k"; empty if nothing differs.
struct SetupNames {
    QString a;
    QString b;
};
/// At most two values that differ, or the names of the models if more values differ and both have a name.
SetupNames setupNames(const ShapedSetup& a, const ShapedSetup& b);

/// "θ 500k → 10k"; "" if more differ than a short text can hold or if the states compare different setups.
QString rotaryChanges(const RotaryModel::State& from, const RotaryModel::State& to);

}  // namespace ropelab::ui
