#pragma once

#include "ui/inspect/inspect_data.h"

namespace ropelab::ui {

// What a run's checkpoint does when it is asked: with pairs knocked out, and beyond its context.

/// Loss by position, whole and without the pairs.
InspectPicture knockOutLoss(const InspectData& data);
/// Retrieval at each lag, whole and without the pairs.
InspectPicture knockOutRetrieval(const InspectData& data);
/// Loss against how many pairs are knocked out, from the fast and from the slow end.
InspectPicture knockOutCurve(const InspectData& data);
/// Retrieval likewise.
InspectPicture knockOutRetrievalCurve(const InspectData& data);
/// Loss by position up to a multiple of the context, one curve a scaling method.
InspectPicture beyondLoss(const InspectData& data);
/// Copies told at lags inside and beyond the context, likewise.
InspectPicture beyondRetrieval(const InspectData& data);

/// Loss by position before and after fine-tuning at the chosen length, one pair of curves a method that was trained.
InspectPicture fineTunedLoss(const InspectData& data);
/// Their mean losses inside and beyond the context, a line each.
QStringList fineTunedNumbers(const InspectData& data);

QString methodTitle(ScalingMethod method);
/// A method's colour, in every room.
Ink methodInk(ScalingMethod method);
/// "pairs 0–3 stopped".
QString knockOutText(const KnockOut& knockOut);
/// Means over blocks of positions, so that curves of few windows can be told apart; x is a block's middle.
FigureCurve blockMeans(const std::vector<double>& lossByPosition, const QString& label, Ink ink);

}  // namespace ropelab::ui
