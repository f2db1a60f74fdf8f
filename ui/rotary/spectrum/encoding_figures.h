#pragma once

#include <span>

#include "core/rope/rotary_setup.h"
#include "ui/figure/figure.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

// Position encodings other than RoPE, and the mask, as matrices of a setup's heads, width, context and attention
// window.

/// Positions that the mask shows at most.
constexpr int kMostMaskPositions = 64;
/// Distances or positions that the other matrices show at most, and heads or channels.
constexpr int kMostEncodingColumns = 256;
constexpr int kMostEncodingRows = 128;
/// Where the colours of ALiBi's bias end, in nats: e^−16 of the weight is left.
constexpr double kLeastBias = -16;
/// Values of the mask's cells; keys in the future have no value.
constexpr float kVisible = 1;
constexpr float kOutsideWindow = 0;

/// Channels of the model: heads · head_dim.
std::int64_t widthOf(const RotarySetup& setup);
/// Tokens that a token attends to at most, itself included.
std::int64_t visibleTokens(const RotarySetup& setup);

/// ALiBi's bias −slope_h·Δ by distance and head (F25); distances beyond the attention window have no value.
Figure alibiFigure(const RotarySetup& setup);
/// Which keys a query attends to, by key and query.
Figure maskFigure(const RotarySetup& setup);
/// The sinusoidal embeddings by position and channel (F30).
Figure sinusoidalFigure(const RotarySetup& setup);

/// Formulas of the three figures with the setup's values, and their sources.
QString whyOfAlibi(const RotarySetup& setup);
QString whyOfMask(const RotarySetup& setup);
QString whyOfSinusoidal(const RotarySetup& setup);

/// The figures by name: alibi-bias, attention-mask, sinusoidal-embeddings.
std::span<const RotaryFigure> encodingFigures();

}  // namespace ropelab::ui
