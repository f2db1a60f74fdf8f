#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/rope/rotary_setup.h"
#include "ui/figure/figure.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

struct SpectrumOptions {
    /// Shows radians per token instead of wavelengths in tokens.
    bool asFrequency = false;
    /// Adds the frequencies of the other method of partial rotation (slice or truncate) at the same base and with the
    /// same scaling.
    bool otherPartial = false;
    /// Methods whose inputs the setup lacks are omitted.
    std::vector<ScalingMethod> compared = {};
    std::optional<int> highlighted = {};
    /// Fixed ends of the y axis while a line is dragged.
    std::optional<Range> ends = {};
};

// Handles of the draggable lines.
inline const QString kContextHandle = u"context"_s;
inline const QString kThetaHandle = u"theta"_s;

/// The figure is named "scalings" if scalings are compared. It has lines at the context and at the longest wavelength.
Figure spectrumFigure(const RotarySetup& setup, const SpectrumOptions& options = {});
/// Both setups have the same axes. The other partial method and the compared scalings are those of `options` for the
/// edited setup only, so that the figure remains readable.
Figure comparedSpectrumFigure(const ShapedSetup& a, const ShapedSetup& b, const SpectrumOptions& options = {},
                              bool editsB = false);
/// "46 of 64 rotated pairs complete a period in 4,096 tokens".
QString completeSentence(const RotarySetup& setup);

/// Named spectrum, scalings, kernel, kernel-spectrum.
std::span<const RotaryFigure> spectrumFigures();

}  // namespace ropelab::ui
