#pragma once

#include <QList>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <complex>
#include <optional>
#include <vector>

#include "core/rope/logit.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/paint/formula.h"

class QPainter;

namespace ropelab::ui {

/// Parts with the numbers of a pair. A line may be broken between two parts.
using BreakableFormula = std::vector<Formula>;

inline constexpr float kProjectionAlpha = 0.22F;  // of its band

/// Numerator above denominator, or both in one line.
enum class Fractions { stacked, inLine };

/// The dot product of the rotated vectors as norms and a cosine, and the pair's term of the logit (formula 7).
std::vector<BreakableFormula> pairFormulas(const PairTerm& pair, Fractions fractions = Fractions::stacked);

/// The term from the projection, which the rows beside the dial have, where the dot product has no formula.
BreakableFormula termByProjection(const PairTerm& pair, Fractions fractions);

/// Unicode, one line per formula.
QString pairFormulaText(const PairTerm& pair);
/// LaTeX for displayed math, one line per formula.
QString pairFormulaLatex(const PairTerm& pair);

/// The enlarged dial of the figure "pair": a plane in which a vector of norm 1 has a length of `unit` pixels.
struct EnlargedDial {
    QPointF centre;
    double radius = 0;
    double unit = 1;

    QPointF pointOf(std::complex<double> value) const;
    /// The vector whose tip is at `place`, shortened to the rim.
    std::complex<double> valueAt(const QPointF& place) const;
};
/// The largest dial that fits in `place`, with the norm `rim` at its rim.
EnlargedDial dialIn(const QRectF& place, double rim, const FigureStyle& style);

/// Angles are in radians, counterclockwise from the right.
struct PairArc {
    double from = 0;
    double span = 0;  // negative: clockwise
    double radius = 0;
};

struct PairLabel {
    QString text;
    QRectF box;
    QColor color;
    bool isSymbol = true;  // symbols are italic, values are not
};

/// In the drawing's units. Arcs of length 0 are not painted.
struct PairDial {
    PairTerm pair;
    EnlargedDial dial;
    double rim = 1;
    bool rotates = true;                   // false: the pair has frequency 0 and is grey
    std::optional<PairArc> queryArc;       // m·ωᵢ without whole periods, from q_i to the rotated q_i
    std::optional<PairArc> keyArc;         // n·ωᵢ without whole periods, from k_i to the rotated k_i
    std::optional<PairArc> phaseArc;       // φ, from k_i to q_i
    std::optional<PairArc> sector;         // the sum φ + (m − n)·ωᵢ, from the rotated k_i to the rotated q_i
    std::optional<QPointF> projectionEnd;  // end of the projection of the rotated q_i on the direction of k_i
    QList<PairLabel> labels;               // without overlaps; the first two belong to the rotated q_i and k_i
};
/// Labels stay inside `place`; labels of angles and of the unrotated vectors are omitted where there is no space.
PairDial pairDial(const PairTerm& pair, double rim, const QRectF& place, const FigureStyle& style);
void paintPairDial(QPainter& painter, const PairDial& dial, const FigureStyle& style);

}  // namespace ropelab::ui
