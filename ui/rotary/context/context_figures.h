#pragma once

#include <optional>
#include <span>

#include "ui/figure/figure.h"
#include "ui/figure/polyline.h"
#include "ui/rotary/context/base_profile.h"
#include "ui/rotary/context/bound_data.h"
#include "ui/rotary/context/logit_draws.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

/// The name of the context line, which can be dragged.
inline const QString kContextLine = QStringLiteral("context");

/// Values at 0, 1, 2 … (0 left out on a logarithmic axis); long ones as the extremes of 4,096 columns, which no axis
/// can tell from the whole.
Polyline polylineOf(const std::vector<double>& values, bool logarithmic);

/// B(m) against m (F12, F13).
Figure boundFigure(const BoundData& data, bool logarithmic);
/// What it says, in a sentence.
QString boundSentence(const BoundData& data);

/// Su's bound (F11) over distance; `end` as pictureEnd has it.
Figure decayFigure(const RotarySetup& setup, std::int64_t end);
QString decaySentence();

/// Which part of the bases a scan covers: 100 to 100 million and further where theta is, or a decade around theta.
BaseProfile::Range baseRange(const RotarySetup& setup, bool near);
/// Bases against the contexts that they carry, with the islands at today's context (F12).
Figure basesFigure(const RotarySetup& setup, const BaseProfile& profile);
QString basesSentence(const RotarySetup& setup, const BaseProfile& profile);
/// How to read the thin stairs; "" where nothing is drawn.
QString stairsSentence(const RotarySetup& setup);
/// "scan: 129 bases from 100 to 100M, 11 % apart, to 131,072 tokens".
QString scanText(const BaseProfile& profile);

/// Independent and equal q and k, sampled (F16).
Figure randomFigure(const LogitDraws& draws, std::int64_t end);
QString randomSentence(const LogitDraws& draws);

/// The room's figures by name: context-bound, feasible-bases, decay-bound, random-logits.
std::span<const RotaryFigure> contextFigures();

}  // namespace ropelab::ui
