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

/// Values at 0, 1, 2 … (0 left out on a logarithmic axis); long ones as the extremes of 2,048 columns, which no axis
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
/// Bases against the contexts that they carry, with the islands at today's context (F12). `isCarried`: whether today's
/// base carries today's context, as plainlyCarried has it.
Figure basesFigure(const RotarySetup& setup, const BaseProfile& profile, std::optional<bool> isCarried);
/// Whether the base without scaling carries the context; nullopt where `limit` tokens do not tell.
std::optional<bool> plainlyCarried(const RotarySetup& setup, std::int64_t limit);
QString basesSentence(const RotarySetup& setup, const BaseProfile& profile);
/// "scan: 129 bases from 100 to 100M, 11 % apart, to 131,072 tokens".
QString scanText(const BaseProfile& profile);

/// Independent and equal q and k, sampled (F16).
Figure randomFigure(const LogitDraws& draws, std::int64_t end);
QString randomSentence(const LogitDraws& draws);

/// The room's figures by name: context-bound, feasible-bases, decay-bound, random-logits.
std::span<const RotaryFigure> contextFigures();

}  // namespace ropelab::ui
