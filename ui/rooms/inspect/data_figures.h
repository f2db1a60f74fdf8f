#pragma once

#include <QColor>
#include <QList>
#include <QRectF>
#include <QStringList>

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Figures of a run's data set, and of the bits that its tokens cost under the run's model.

/// Returns an excerpt of the validation split with alternating backgrounds of its tokens.
InspectPicture dataTokens(const InspectData& data);
/// Returns the frequencies of the most frequent tokens.
InspectPicture dataFrequencies(const InspectData& data);
/// Returns the frequencies of tokens and words by rank with the fits of Zipf's law (formula 57).
InspectPicture dataZipf(const InspectData& data);
/// Returns the mutual information of tokens by distance, with that of the shuffled text (formula 58).
InspectPicture dataInformation(const InspectData& data);
/// Returns a text whose tokens are painted by their bits under the run's model (formulas 35 and 59).
InspectPicture dataBits(const InspectData& data);

/// Layout of the tokens of a text in lines. A token that is a line end ends its line.
struct TokenLayout {
    double fontPt = 0;     // size of the letters
    QList<QRectF> places;  // of the tokens that fit into the rectangle
};
/// Returns the layout of visible tokens (see visibleTokens) in a rectangle: the largest letters, from 11 down to 6 pt,
/// with which all tokens fit; at 6 pt the rest is omitted.
TokenLayout layoutTokens(const QStringList& tokens, const QRectF& rect, const FigureStyle& style);

/// Returns the background of a token that costs `bits`: the paper's colour for 0 bits, and the full tint for `most`
/// bits or more. Text on it has a contrast of at least 4.5:1.
QColor bitsColor(double bits, double most, const Theme& theme);

}  // namespace ropelab::ui
