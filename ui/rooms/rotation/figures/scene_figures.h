#pragma once

#include <QList>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <QStringList>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/rope/context.h"
#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/paint/dials_painting.h"
#include "ui/rooms/rotation/pair_dial.h"
#include "ui/rooms/rotation/rotation_state.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

/// Highest frequency first: head_dim/2 dials, or 128 evenly spaced ones where there are more. The enlarged pair is
/// always among them.
QList<Dial> dialsOf(const RotationScene& scene);

DialGrid gridOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style);

std::optional<int> pairAt(const RotationScene& scene, const QRectF& rect, const FigureStyle& style,
                          const QPointF& place);

/// Tells which pairs are grey and how many dials are omitted.
QString dialsNote(const RotationScene& scene);
/// The frequency, wavelength and number of periods of `pair`, or the note of the dials where `pair` is nullopt.
QString dialsToolTip(const RotationScene& scene, std::optional<int> pair);

Figure dialsFigure(const RotationScene& scene);

/// As pairFigure(scene) draws it in `rect`.
EnlargedDial enlargedDialOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style);

/// As pairFigure(scene) draws it in `rect`; nullopt if there is no pair.
std::optional<PairDial> pairDialOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style);

/// The norm at the rim of the enlarged dial: 1.15 times the longer of both arrows, at least 1.15, or the fixed value of
/// a drag (RotationState::fixedRim).
double rimOf(const RotationScene& scene);

struct PairRow {
    /// The tests and the tooltip find rows by their kind.
    enum class Kind {
        channels,
        frequency,
        wavelength,
        periods,
        norms,
        phase,
        query,
        key,
        relative,
        sum,
        projection,
        term
    };
    Kind kind = Kind::channels;
    QString name;    // "wavelength λᵢ"
    QString symbol;  // "λᵢ"
    QString value;   // "628.3 tokens"
    /// Replaces `value` in a narrow drawing: an angle modulo 360°. Empty if `value` is used.
    QString shortValue = {};
    /// The row with the largest number is omitted first in a low drawing.
    int omissionOrder = 0;
    /// Colour of the quantity in the dial, shown as a line before the name; nullopt if the dial does not show it.
    std::optional<Ink> ink = {};

    const QString& compact() const { return shortValue.isEmpty() ? value : shortValue; }
};
/// Empty if there is no pair.
std::vector<PairRow> pairRows(const RotationScene& scene);
QString pairToolTip(const RotationScene& scene);

/// The plane of the enlarged pair with q and k before and after rotation, the angles between them, the projection of
/// the rotated q on the rotated k, the values of these quantities, and the formula of the pair's term of the logit. All
/// numbers come from RotationScene::term.
Figure pairFigure(const RotationScene& scene);

/// The logit at positions m and n as one signed bar per pair and one bar for the unrotated channels, with their
/// cumulative sum and the total (formula 7).
Figure logitFigure(const RotationScene& scene);

/// `x` is a coordinate of the figure "logit-split"; nullopt beside the bars.
std::optional<int> pairOfBar(const RotationScene& scene, double x);

struct BarText {
    double x = 0;
    QString title;
    QString part;
    QString sum;
};
std::optional<BarText> barText(const RotationScene& scene, double x);

/// The logit before and after a common shift of m and n, in one arithmetic.
struct ShiftRow {
    QString name;  // "bfloat16"
    QString tip;   // tooltip: which numbers are rounded
    double before = 0;
    double after = 0;
    /// True if `before` and `after` differ by at most 0.1 % of the sum of the absolute contributions.
    bool stays = true;
};
/// At two places of equal distance in three arithmetics: exactly, in float64; with the angles position × frequency in
/// float32, as Hugging Face computes its table; and with positions rounded to bfloat16.
QList<ShiftRow> shiftRows(const RotationScene& scene, RotationState::Place before, RotationState::Place after);

/// The whole context, or 40 periods around m where the context has more.
Range helixRange(const RotationScene& scene);

/// All pairs, or 64 evenly spaced ones, as helices seen from the side, one row each, from position 0 to 1.25 times the
/// context: near halves are bright, far halves dark. Angles that no training sequence contains are red.
Figure helicesFigure(const RotationScene& scene);
/// The pair of the row at `place`, as helicesFigure(scene) draws it in `rect`.
std::optional<int> pairOfHelix(const RotationScene& scene, const QRectF& rect, const FigureStyle& style,
                               const QPointF& place);

/// The curve (cos mωᵢ, sin mωᵢ, m) of the enlarged pair, with marks at m and n.
Figure helixFigure(const RotationScene& scene);

/// The matrix is shown without gaps up to this head dimension.
inline constexpr int kWholeMatrix = 16;

/// Channels in ascending order: the first, the last, the two of the enlarged pair, and as many neighbours as fit in
/// `places` rows, where each gap takes one row. All channels up to head_dim = kWholeMatrix.
std::vector<int> matrixChannels(const RotationScene& scene, int places);

/// An entry of the rotation matrix R_m at the query's position m, without an attention factor.
double matrixEntry(const RotationScene& scene, int row, int column);

/// The smallest size at which the entries are legible.
QSizeF matrixMinimum(const RotationScene& scene, const FigureStyle& style);

/// The entries of R_m at the query's position; large heads show only the channels of matrixChannels (Su et al. 2021,
/// equation 15; formulas 1 and 6). Its table lists the entries that are not zero.
Figure matrixFigure(const RotationScene& scene);

/// The logit (formula 7) versus the distance Δ = m − n, from 0 to the context length − 1.
struct LogitCurve {
    /// In tokens. Where the context has more distances than `stretches`, the curve consists of the smallest and the
    /// largest logit of each stretch of neighbouring distances.
    std::vector<double> distances;
    std::vector<double> logits;
    /// The largest logit that was computed, and its distance in tokens.
    double bestDistance = 0;
    double best = 0;
    /// Step between the computed distances, in tokens.
    std::int64_t stride = 1;
    bool complete = true;  // false if the computation was cancelled
};

/// Computes every `stride`-th distance and the aimed distance, reduced to about `stretches` stretches.
LogitCurve logitCurve(const RotationScene& scene, std::int64_t stride, int stretches, const Cancelled& cancelled = {});

/// The stride at which a curve costs about `budget` evaluations of one pair at one distance.
std::int64_t strideWithin(const RotationScene& scene, std::int64_t budget);

double logitAt(const RotationScene& scene, double distance);

/// The draggable vertical line at the aimed distance in FigureView::lineDragged.
inline constexpr const char* kAimHandle = "aimed-distance";

/// The logit versus the distance m − n, with marks at its maximum, at the aimed distance Δ and at the current distance
/// (formula 17).
Figure aimFigure(const RotationScene& scene, const LogitCurve& curve);

QString aimText(const RotationScene& scene, const LogitCurve& curve);

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

/// Numbers of the head that the scene's q and k build, on the text of the scene.
struct CircuitReadout {
    QStringList tokens;
    std::int64_t searched = 0;  // number of distances among which the largest logit was found, from 0 on
    std::int64_t peak = 0;      // distance of the largest logit, in tokens
    double peakLogit = 0;
    std::int64_t target = 0;  // the aimed distance, or the peak if the head is not aimed
    /// Mean attention weight at the target distance, over the tokens that have a token so far back; NaN if none has.
    double share = 0;
};
CircuitReadout circuitReadout(const RotationScene& scene);
QString circuitText(const RotationScene& scene);

/// Mean attention weight by distance, to be shown beside the head built by hand.
struct TrainedHead {
    QString name;             // "θ 10k, layer 0, head 3"
    double similarity = 0;    // cosine similarity of both curves
    std::int64_t length = 0;  // tokens of the sequences in which both were measured
    QList<double> distances;
    QList<double> trained;
    QList<double> built;
};

Figure circuitFigure(const RotationScene& scene);
/// The attention weight by distance of a query with as many keys as the context, at most 1,024.
Figure circuitKeysFigure(const RotationScene& scene);
/// The mean attention weight by distance, on the text of the scene, or in the sequences of `trained` beside this head.
Figure circuitDistanceFigure(const RotationScene& scene, const std::optional<TrainedHead>& trained = {});

/// The draggable vertical line at m in FigureView::lineDragged.
inline constexpr const char* kReadingHandle = "reading-position";

/// The positions that remain possible after the angles of the fastest pairs at position m are read, a row for each
/// number of pairs.
Figure readingFigure(const RotationScene& scene);

/// Logits, attention weights and outputs of the tokens of the text, the first one at position m, as three grids with
/// their changes from position 0.
Figure sentenceFigure(const RotationScene& scene);
/// One row of grids per setup if `figure` compares the sentenceFigure() of two; one empty panel without tokens.
Figure sentencePanels(Figure figure);

/// Figures in the initial state of the room: m = 100, n = 60, q and k sampled with seed 1, and Δ = 40 tokens for "aim".
/// The first token of token-rotation is at position 0, and the circuit is a previous-token head.
std::span<const RotaryFigure> rotationFigures();

/// nullopt if the room has no figure with this name.
std::optional<Figure> rotationFigureOf(const QString& name, const RotationScene& scene);

/// True for figures of the room that depend on positions and on the enlarged pair. All other rotary figures depend on
/// theta alone.
bool changesWithPosition(const QString& name);

}  // namespace ropelab::ui
