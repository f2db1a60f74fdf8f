#pragma once

#include <span>

#include "core/rope/rotary_setup.h"
#include "ui/figure/figure.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

// Figures of position encodings other than RoPE and of the attention mask. A setup determines their number of heads,
// model width, context and attention window.

constexpr int kMostMaskPositions = 64;
/// Columns are distances or positions, rows are heads or channels.
constexpr int kMostEncodingColumns = 256;
constexpr int kMostEncodingRows = 128;
/// Lower end of the colour scale of ALiBi's bias, in nats. A bias of −16 multiplies an attention weight by e^−16.
constexpr double kLeastBias = -16;
/// Values of the cells of the mask; cells of future keys are NaN.
constexpr float kVisible = 1;
constexpr float kOutsideWindow = 0;

/// In channels: heads · head_dim.
std::int64_t widthOf(const RotarySetup& setup);
/// The largest number of tokens that a token attends to, including itself.
std::int64_t visibleTokens(const RotarySetup& setup);

/// The bias −slope_h·Δ by distance and head (formula 25). Distances beyond the attention window are NaN.
Figure alibiFigure(const RotarySetup& setup);
/// The keys that each query attends to, with query 0 at the top.
Figure maskFigure(const RotarySetup& setup);
/// The fixed embeddings by position and channel (formula 30).
Figure sinusoidalFigure(const RotarySetup& setup);

/// The formula with the values of the setup, and its source.
QString alibiToolTip(const RotarySetup& setup);
QString maskToolTip(const RotarySetup& setup);
QString sinusoidalToolTip(const RotarySetup& setup);

/// Named alibi-bias, attention-mask, sinusoidal-embeddings, window-reach, encodings.
std::span<const RotaryFigure> encodingFigures();

}  // namespace ropelab::ui
