#pragma once

#include <QColor>
#include <QList>
#include <QRectF>
#include <QStringList>

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Figures of a run's data set, and of the bits that its tokens cost under the run's model.

/// An excerpt of the validation split with alternating backgrounds of its tokens.
InspectPicture dataTokens(const InspectData& data);
InspectPicture dataFrequencies(const InspectData& data);
/// Frequencies by rank with the fits of Zipf's law (formula 57).
InspectPicture dataZipf(const InspectData& data);
/// By distance, with that of the shuffled text (formula 58).
InspectPicture dataInformation(const InspectData& data);
/// A text whose tokens are painted by their bits under the run's model (formulas 35 and 59).
InspectPicture dataBits(const InspectData& data);

/// A token that is a line end ends its line.
struct TokenLayout {
    double fontPt = 0;     // size of the letters
    QList<QRectF> places;  // of the tokens that fit into the rectangle
};
/// Uses the largest letters, from 11 down to 6 pt, with which all visibleTokens() fit; at 6 pt the rest is omitted.
TokenLayout layoutTokens(const QStringList& tokens, const QRectF& rect, const FigureStyle& style);

/// The paper's colour for 0 bits, and the full tint for `most` bits or more. Text on it has a contrast of at least
/// 4.5:1.
QColor bitsColor(double bits, double most, const Theme& theme);

}  // namespace ropelab::ui
