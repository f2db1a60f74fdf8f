#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/rope/rotary_setup.h"
#include "ui/figure/figure.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

/// What the picture of the spectrum shows besides the setup's own spectrum.
struct SpectrumOptions {
    /// Inverse frequency (radians per token) in place of wavelength (tokens).
    bool asFrequency = false;
    /// The other of slice and truncate at the same base.
    bool otherPartial = false;
    /// Scalings of the plain spectrum; those that lack something are left out.
    std::vector<ScalingMethod> compared = {};
    std::optional<int> lit = {};
    /// Ends of the y axis, kept while a line is in a hand.
    std::optional<Range> ends = {};
};

// Handles of the figure's lines.
inline const QString kContextHandle = QStringLiteral("context");
inline const QString kThetaHandle = QStringLiteral("theta");

/// Wavelength or inverse frequency of every pair, with the context as a line.
Figure spectrumFigure(const RotarySetup& setup, const SpectrumOptions& options = {});
/// "46 of the 64 rotated pairs complete a turn in 4,096 tokens".
QString completeSentence(const RotarySetup& setup);

/// The room's figures by name: spectrum, scalings, kernel, kernel-spectrum.
std::span<const RotaryFigure> spectrumFigures();

}  // namespace ropelab::ui
