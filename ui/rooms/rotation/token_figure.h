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

/// Splits a text into its words, or into its characters if it has no spaces; at most `most` tokens.
QStringList tokensOf(const std::string& text, int most);

/// The pairs before rotation, of norm 1, because rotation changes only the angles. They are sampled from the token and
/// the scene's seed, so that equal tokens have equal queries.
std::vector<std::complex<double>> tokenQuery(const RotationScene& scene, const QString& token);

/// One column of small dials per token, one row per shown pair.
struct TokenGrid {
    QList<int> pairs;  // the pairs of the rows
    int tokens = 0;
    QRectF cells;
    double column = 0;  // width of a cell
    double row = 0;     // height of a cell

    /// The dial is in the middle of its cell.
    QRectF cellOf(int token, int rowIndex) const;
    std::optional<int> pairAt(const QPointF& place) const;
};
TokenGrid tokenGridOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style);

/// The query of each token of RotationState::text, pair by pair, before and after its rotation by the position of the
/// token (figure 1 of Su et al. 2021). The first token is at position m.
Figure tokenFigure(const RotationScene& scene);

}  // namespace ropelab::ui
