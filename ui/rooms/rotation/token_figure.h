#pragma once

#include <QList>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <complex>
#include <optional>
#include <vector>

#include "ui/figure/figure.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

/// Splits a text into the tokens of a figure: its words, or its characters if it has no spaces. At most `most` tokens
/// are returned.
QStringList tokensOf(const std::string& text, int most);

/// Returns the pairs of a token's query before rotation, of norm 1, because rotation changes only the angles. They are
/// sampled from the token and the scene's seed, so that equal tokens have equal queries.
std::vector<std::complex<double>> tokenQuery(const RotationScene& scene, const QString& token);

/// Layout of the small dials: one column per token, one row per shown pair.
struct TokenGrid {
    QList<int> pairs;  // the pairs of the rows
    int tokens = 0;
    QRectF cells;
    double column = 0;  // width of a cell
    double row = 0;     // height of a cell

    /// Returns the cell of a token and a row. Its dial is in its middle.
    QRectF cellOf(int token, int rowIndex) const;
    /// Returns the pair of the row at a point, or nullopt.
    std::optional<int> pairAt(const QPointF& place) const;
};
TokenGrid tokenGridOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style);

/// Returns the figure "token-rotation": the query of each token of RotationState::text, pair by pair, before and after
/// its rotation by the position of the token (figure 1 of Su et al. 2021). The first token is at position m.
Figure tokenFigure(const RotationScene& scene);

}  // namespace ropelab::ui
