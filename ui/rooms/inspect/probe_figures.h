#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Figures of length extrapolation, which a run's checkpoint has to compute.

/// Returns the figure of the loss by position up to a multiple of the training context: one curve per scaling method,
/// or one for a run without RoPE.
InspectPicture extrapolationLoss(const InspectData& data);
/// Returns the figure of the retrieval accuracy at lags inside and beyond the training context, one curve per scaling
/// method.
InspectPicture extrapolationRetrieval(const InspectData& data);

/// Returns the figure of the loss by position before and after fine-tuning at the selected length, two curves per
/// scaling method.
InspectPicture fineTunedLoss(const InspectData& data);
/// Returns one line per fine-tuning at the selected length, with the mean losses inside and beyond the training
/// context.
QStringList fineTunedNumbers(const InspectData& data);

/// Returns the title of a scaling method, as "YaRN".
QString methodTitle(ScalingMethod method);
/// Returns the loss as means over blocks of positions, which reduces the noise of few sequences. x is the middle of a
/// block.
FigureCurve blockMeans(const std::vector<double>& lossByPosition, const QString& label, Ink ink);

/// Returns the note that names the run and the step of its checkpoint.
QString checkpointNote(const InspectData& data, std::int64_t iteration);
/// Returns the curve drawn dashed, with its label.
FigureCurve dashedCurve(FigureCurve curve);

}  // namespace ropelab::ui
