#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Figures of length extrapolation, which a run's checkpoint has to compute.

/// By position, one curve per scaling method, or one for a run without RoPE.
InspectPicture extrapolationLoss(const InspectData& data);
/// At lags inside and beyond the training context, one curve per scaling method.
InspectPicture extrapolationRetrieval(const InspectData& data);

/// By position before and after fine-tuning at the selected length, two curves per scaling method.
InspectPicture fineTunedLoss(const InspectData& data);
/// One line per fine-tuning at the selected length, with the mean losses inside and beyond the training context.
QStringList fineTunedNumbers(const InspectData& data);

QString methodTitle(ScalingMethod method);
/// Means over blocks of positions reduce the noise of few sequences. x is the middle of a block.
FigureCurve blockMeans(const std::vector<double>& lossByPosition, const QString& label, Ink ink);

QString checkpointNote(const InspectData& data, std::int64_t iteration);
FigureCurve dashedCurve(FigureCurve curve);

}  // namespace ropelab::ui
