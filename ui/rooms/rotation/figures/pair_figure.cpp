#include "ui/rooms/rotation/figures/scene_figures.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ui/common/format.h"
#include "ui/figure/text_metrics.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/pair_dial.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// Smallest dial that is accepted for the sake of full row names, as a fraction of the largest possible dial.
constexpr double kSmallestWithNames = 0.7;
// Smallest dial, as a fraction of the width of the drawing.
constexpr double kSmallestOfWidth = 0.4;
// Width of a low drawing, relative to its height, from which its formulas are beside the dial instead of below it.
constexpr double kWidthOfLow = 2;

// Height of the dial on a page, as a fraction of its width.
constexpr double kPrintedDial = 0.62;
constexpr double kMostPrintedDial = 112;  // in points, so that two setups fit a column

// Lengths in points.
constexpr double kPairLine = 15;         // on screen
constexpr double kPrintedFormulas = 54;  // height of the formulas on a page
constexpr double kGap = 6;
constexpr double kSwatch = 9;       // length of the line before the name of a row
constexpr double kBandSwatch = 5;   // width of the line of the projection, which is a band in the dial
constexpr double kSwatchGap = 4;    // distance of that line to the name
constexpr double kFormulaLead = 2;  // distance of two lines of the formulas
constexpr double kLowHeight = 190;  // drawings below this height have fractions in one line

double pairLine(const FigureStyle& style) {
    constexpr double spacing = 1.25;
    return style.units(style.onScreen ? kPairLine : spacing * style.tickPt);
}

struct PairPicture {
    QString title;
    std::vector<PairRow> rows;
    PairTerm pair;
    double rim = 1;
    QString empty;
};

/// Dial and text are side by side where the drawing is wider than high, otherwise one above the other. The formulas are
/// below both, in a low drawing below the text only.
struct Places {
    QRectF dial;
    QRectF words;
    QRectF formulas;
    std::size_t formulaCount = 0;  // of the last formulas, which fit
};

double widthOf(const std::vector<PairRow>& rows, bool full, const FigureStyle& style) {
    double widest = 0;
    for (const PairRow& row : rows) {
        widest = std::max(widest, style.extentOf(full ? row.name : row.symbol, style.tickPt).width +
                                      style.extentOf(full ? row.value : row.compact(), style.tickPt).width);
    }
    return widest + style.units(10 + kSwatch + kSwatchGap);
}

struct FormulaLine {
    Formula content;
    Formula::Extent extent;
};

/// The last `count`. A low drawing has no fractions of two lines.
std::vector<BreakableFormula> formulasFor(const PairTerm& pair, std::size_t count, double height,
                                          const FigureStyle& style) {
    const Fractions fractions = height < style.units(kLowHeight) ? Fractions::inLine : Fractions::stacked;
    if (count == 1) return {termByProjection(pair, fractions)};
    return count == 0 ? std::vector<BreakableFormula>() : pairFormulas(pair, fractions);
}

/// A part that is wider than a line makes all lines smaller; `points` is the font size.
std::vector<FormulaLine> formulaLines(const std::vector<BreakableFormula>& formulas, double width,
                                      const FigureStyle& style, double& points) {
    points = style.tickPt;
    double widest = 0;
    for (const BreakableFormula& formula : formulas) {
        for (const Formula& part : formula) widest = std::max(widest, part.extent(style, points).width);
    }
    if (widest > width) points *= 0.98 * width / widest;
    std::vector<FormulaLine> lines;
    for (const BreakableFormula& formula : formulas) {
        BreakableFormula line;
        const auto add = [&] {
            const Formula row = Formula::row(line);
            lines.push_back({row, row.extent(style, points)});
            line.clear();
        };
        for (const Formula& part : formula) {
            BreakableFormula longer = line;
            longer.push_back(part);
            if (!line.empty() && Formula::row(longer).extent(style, points).width > width) add();
            line.push_back(part);
        }
        add();
    }
    return lines;
}

double heightOf(const std::vector<FormulaLine>& lines, const FigureStyle& style) {
    double height = 0;
    for (const FormulaLine& line : lines) height += line.extent.height() + style.units(kFormulaLead);
    return height;
}

std::vector<PairRow> rowsThatFit(std::vector<PairRow> rows, double height, const FigureStyle& style) {
    const auto room = static_cast<std::size_t>(std::max(1.0, std::floor(height / pairLine(style)) - 1));
    while (rows.size() > room) {
        rows.erase(std::max_element(rows.begin(), rows.end(), [](const PairRow& a, const PairRow& b) {
            return a.omissionOrder < b.omissionOrder;
        }));
    }
    return rows;
}

Places placesAbove(const QRectF& rect, const std::vector<PairRow>& rows, const FigureStyle& style) {
    const double words = pairLine(style) * static_cast<double>(rows.size() + 1);
    const double gap = style.units(kGap);
    // Typical row widths are used instead of the actual ones, so that the dial has the same size for every pair.
    const auto rowOf = [&](const QString& text) {
        return style.extentOf(text, style.tickPt).width + style.units(10 + kSwatch + kSwatchGap);
    };
    const double shortRow = rowOf(u"ωᵢ 0.000000 rad/token"_s);
    const double fullRow = rowOf(u"rotation of q: mωᵢ 00,000.0° = 00 periods + 000.0°"_s);
    const auto widthBeside = [&](double row) {
        return std::max(1.0, std::min(rect.height(), rect.width() - row - 2 * gap));
    };
    Places places;
    const double largest = widthBeside(shortRow);
    // Full names justify a slightly smaller dial, but not one whose arrows are too small to drag.
    const double beside =
        std::max(widthBeside(fullRow) >= kSmallestWithNames * largest ? widthBeside(fullRow) : largest,
                 std::min(rect.height(), kSmallestOfWidth * rect.width()));
    // On a page the names are whole, so they have all of the width below the dial.
    if (rect.height() - words - gap < (style.onScreen ? beside : kSmallestOfWidth * rect.width())) {
        // The remaining width goes to the text, up to its full width, then to both margins.
        const double wordsWidth =
            std::min(rect.width() - beside - 2 * gap, std::max(widthOf(rows, true, style), fullRow));
        const double left = rect.left() + (rect.width() - beside - 2 * gap - wordsWidth) / 2;
        const double height = std::min(words, rect.height());
        places.dial = QRectF(left, rect.top(), beside, rect.height());
        places.words = QRectF(left + beside + 2 * gap, rect.top() + (rect.height() - height) / 2, wordsWidth, height);
    } else {
        places.dial = QRectF(rect.left(), rect.top(), rect.width(), rect.height() - words - gap);
        places.words = QRectF(rect.left(), rect.bottom() - words, rect.width(), words);
    }
    return places;
}

/// A pair with numbers as long as they usually become, whose formulas decide the layout for every pair and position.
PairTerm typicalTerm(PairTerm pair) {
    pair.query_norm = pair.key_norm = 8.888;
    pair.phase = -3;
    pair.relative_rotation = 888;
    pair.product = pair.term = -8.888;
    return pair;
}

/// Uses the typical numbers of the pair where they are longer.
double heightOfLast(std::size_t count, const PairTerm& pair, const QRectF& rect, const FigureStyle& style) {
    double height = 0;
    for (const PairTerm& each : {pair, typicalTerm(pair)}) {
        double points = 0;
        const auto lines = formulaLines(formulasFor(each, count, rect.height(), style), rect.width(), style, points);
        height = std::max(height, heightOf(lines, style));
    }
    return height;
}

/// Counts from the last formula.
std::size_t formulasThatFit(const PairTerm& pair, const QRectF& rect, double height, const FigureStyle& style) {
    std::size_t count = pairFormulas(pair).size();
    while (count > 0 && heightOfLast(count, pair, rect, style) > height) --count;
    return count;
}

Places placesBeside(const QRectF& rect, const PairPicture& picture, const FigureStyle& style) {
    Places places;
    places.dial = QRectF(rect.topLeft(), QSizeF(rect.height(), rect.height()));
    const QRectF column = rect.adjusted(rect.height() + style.units(2 * kGap), 0, 0, 0);
    // The last formula, the pair's part of the logit, is worth more than the last row.
    const double least = heightOfLast(1, picture.pair, column, style);
    const auto rows = static_cast<double>(rowsThatFit(picture.rows, column.height() - least, style).size());
    places.words = QRectF(column.topLeft(), QSizeF(column.width(), pairLine(style) * (rows + 1)));
    places.formulas = column.adjusted(0, places.words.height(), 0, 0);
    places.formulaCount = formulasThatFit(picture.pair, column, places.formulas.height(), style);
    return places;
}

/// The formulas get the height that those with typical long numbers need, so that the dial has the same size for every
/// pair and position.
Places placesOf(const QRectF& rect, const PairPicture& picture, const FigureStyle& style) {
    if (rect.height() < style.units(kLowHeight) && rect.width() > kWidthOfLow * rect.height()) {
        return placesBeside(rect, picture, style);
    }
    const std::size_t count = formulasThatFit(picture.pair, rect, rect.height() / 2, style);
    const double height = heightOfLast(count, picture.pair, rect, style);
    Places places = placesAbove(rect.adjusted(0, 0, 0, -height), picture.rows, style);
    places.formulas = QRectF(rect.left(), rect.bottom() - height, rect.width(), height);
    places.formulaCount = count;
    return places;
}

void drawFormulas(QPainter& painter, const QRectF& rect, const std::vector<BreakableFormula>& formulas,
                  const FigureStyle& style) {
    double points = 0;
    const std::vector<FormulaLine> lines = formulaLines(formulas, rect.width(), style, points);
    double widest = 0;
    for (const FormulaLine& line : lines) widest = std::max(widest, line.extent.width);
    const double left = rect.left() + std::max(0.0, (rect.width() - widest) / 2);
    double top = rect.top();
    painter.setPen(style.theme.text);
    for (const FormulaLine& line : lines) {
        line.content.paint(painter, {left, top + line.extent.ascent}, style, points);
        top += line.extent.height() + style.units(kFormulaLead);
    }
}

void drawWords(QPainter& painter, const QRectF& rect, const PairPicture& picture, const FigureStyle& style) {
    QFont title = style.font(style.labelPt);
    title.setWeight(QFont::DemiBold);
    const QFont font = style.font(style.tickPt);
    const TextMetrics metrics(font);
    const std::vector<PairRow> rows = rowsThatFit(picture.rows, rect.height(), style);
    const double full = widthOf(rows, true, style);
    const bool isRoomy = full <= rect.width();
    // Limits the width of the rows, because names and values far apart are hard to associate.
    const double width = std::min(rect.width(), std::max(style.units(280), full));
    const double left = rect.left() + (rect.width() - width) / 2;
    const double line = pairLine(style);
    painter.setFont(title);
    painter.setPen(style.theme.accent);
    painter.drawText(QRectF(left, rect.top(), width, line), Qt::AlignLeft | Qt::AlignVCenter,
                     TextMetrics(title).elidedText(picture.title, Qt::ElideRight, width));
    painter.setFont(font);
    double top = rect.top() + line;
    for (const PairRow& row : rows) {
        if (row.ink) {
            const bool isBand = row.kind == PairRow::Kind::projection;
            QColor ink = style.colorOf(*row.ink);
            if (isBand) ink.setAlphaF(kProjectionAlpha);
            painter.setPen(QPen(ink, style.units(isBand ? kBandSwatch : 2), Qt::SolidLine, Qt::FlatCap));
            const double middle = top + line / 2;
            painter.drawLine(QPointF(left, middle), QPointF(left + style.units(kSwatch), middle));
        }
        const double indent = style.units(kSwatch + kSwatchGap);
        const QRectF place(left + indent, top, width - indent, line);
        const QString& name = isRoomy ? row.name : row.symbol;
        painter.setPen(style.theme.quietText);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, name);
        painter.setPen(style.theme.text);
        const double space = place.width() - metrics.horizontalAdvance(name) - style.units(4);
        const QString& value = metrics.horizontalAdvance(row.value) <= space ? row.value : row.compact();
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, metrics.elidedText(value, Qt::ElideRight, space));
        top += line;
    }
}

void paint(QPainter& painter, const QRectF& rect, const FigureStyle& style, const PairPicture& picture) {
    if (!picture.empty.isEmpty()) {
        painter.setFont(style.font(style.labelPt));
        painter.setPen(style.theme.quietText);
        painter.drawText(rect, Qt::AlignCenter | Qt::TextWordWrap, picture.empty);
        return;
    }
    const Places places = placesOf(rect, picture, style);
    paintPairDial(painter, pairDial(picture.pair, picture.rim, places.dial, style), style);
    drawWords(painter, places.words, picture, style);
    drawFormulas(painter, places.formulas, formulasFor(picture.pair, places.formulaCount, rect.height(), style), style);
}

/// The picture has no rows if there is no pair.
PairPicture pictureOf(const RotationScene& scene) {
    PairPicture picture;
    const auto pair = scene.enlargedPair();
    if (!pair) {
        picture.empty = u"At fraction 0 no pair is rotated, and the logit is the same at every distance."_s;
        return picture;
    }
    picture.title = u"pair i = %1"_s.arg(*pair);
    if (const auto from = scene.state.shiftedFrom) {
        picture.title =
            u"pair i = %1, m and n + %2"_s.arg(*pair).arg(readableCount(static_cast<double>(scene.state.m - from->m)));
    }
    picture.rows = pairRows(scene);
    picture.pair = scene.term(*pair);
    picture.rim = rimOf(scene);
    return picture;
}

}  // namespace

double rimOf(const RotationScene& scene) {
    const auto pair = scene.enlargedPair();
    if (!pair) {
        return 1;
    }
    return scene.state.fixedRim.value_or(1.15 *
                                         std::max({std::abs(scene.query(*pair)), std::abs(scene.key(*pair)), 1.0}));
}

EnlargedDial enlargedDialOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style) {
    const PairPicture picture = pictureOf(scene);
    return dialIn(placesOf(rect, picture, style).dial, picture.rim, style);
}

std::optional<PairDial> pairDialOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style) {
    const PairPicture picture = pictureOf(scene);
    if (picture.rows.empty()) {
        return std::nullopt;
    }
    return pairDial(picture.pair, picture.rim, placesOf(rect, picture, style).dial, style);
}

std::vector<PairRow> pairRows(const RotationScene& scene) {
    const auto index = scene.enlargedPair();
    if (!index) {
        return {};
    }
    using Kind = PairRow::Kind;
    const PairTerm pair = scene.term(*index);
    const bool rotates = pair.frequency > 0;
    const Ink query = rotates ? Ink{Ink::Kind::query} : Ink{Ink::Kind::unrotated};
    const Ink key = rotates ? Ink{Ink::Kind::key} : Ink{Ink::Kind::unrotated};
    const ChannelPair channels = scene.pairs[static_cast<std::size_t>(*index)];
    const QString norms = u"%1, %2"_s.arg(readableNumber(pair.query_norm), readableNumber(pair.key_norm));
    return {{Kind::channels, u"channels"_s, u"ch."_s, u"%1 and %2"_s.arg(channels.first).arg(channels.second), {}, 9},
            {Kind::frequency, u"frequency ωᵢ"_s, u"ωᵢ"_s, u"%1 rad/token"_s.arg(frequencyText(pair.frequency)), {}, 5},
            {Kind::wavelength,
             u"wavelength λᵢ"_s,
             u"λᵢ"_s,
             rotates ? wavelengthText(pair.frequency) : u"∞ (not rotated)"_s,
             {},
             6},
            {Kind::periods,
             u"periods in the context"_s,
             u"L/λᵢ"_s,
             u"%1 periods"_s.arg(readableNumber(periodsInContext(scene, *index))),
             {},
             8},
            {Kind::norms, u"norms ‖qᵢ‖, ‖kᵢ‖"_s, u"‖qᵢ‖, ‖kᵢ‖"_s, norms, {}, 7},
            {Kind::phase, u"angle from k to q: φ"_s, u"φ"_s, degreesText(pair.phase), {}, 4, Ink{Ink::Kind::quiet}},
            {Kind::query, u"rotation of q: mωᵢ"_s, u"of q: mωᵢ"_s, angleText(pair.query_rotation),
             shortAngleText(pair.query_rotation), 1, query},
            {Kind::key, u"rotation of k: nωᵢ"_s, u"of k: nωᵢ"_s, angleText(pair.key_rotation),
             shortAngleText(pair.key_rotation), 1, key},
            {Kind::relative, u"difference: (m − n)ωᵢ"_s, u"(m−n)ωᵢ"_s, angleText(pair.relative_rotation),
             shortAngleText(pair.relative_rotation), 0},
            {Kind::sum, u"sum: φ + (m − n)ωᵢ"_s, u"φ+(m−n)ωᵢ"_s, betweenText(pair.angle),
             (std::abs(pair.angle) > std::numbers::pi ? u"≡ "_s : QString()) + degreesText(pair.reduced_angle), 0,
             Ink{Ink::Kind::accent}},
            {Kind::projection,
             u"projection of Rₘqᵢ on Rₙkᵢ"_s,
             u"projection"_s,
             readableNumber(pair.projection),
             {},
             2,
             Ink{Ink::Kind::text}},
            {Kind::term, u"term of the logit: lᵢ"_s, u"logit term lᵢ"_s, signedText(pair.term), {}, 0}};
}

QString pairToolTip(const RotationScene& scene) {
    const auto index = scene.enlargedPair();
    if (!index) {
        return {};
    }
    const PairTerm pair = scene.term(*index);
    const bool isSlice = scene.setup.partial == Partial::slice;
    QString tip =
        u"Drag an arrow to set this pair of q or k. Press Q or K to choose an arrow, and the arrow keys to rotate "
        "or lengthen it.\n"
        "Dashed lines are q and k before rotation, arrows after it. Angles are counterclockwise, from k to q.\n"
        "ωᵢ = %1 rad/token (%2); λᵢ = 2π/ωᵢ = %3; periods in the context L/λᵢ = %4 (Peng et al. 2023; formula 9 of the "
        "guide)\n"
        "RoPE rotates q by mωᵢ = %5 and k by nωᵢ = %6 (Su et al. 2021; formula 1 of the guide).\n"
        "The angle between the rotated vectors is φ + (m − n)ωᵢ = %7, which depends only on the distance Δ = m − n "
        "(formula 2 of the guide)."_s.arg(
            frequencyText(pair.frequency),
            isSlice ? u"θ^(−2i/dᵣ), formula 3, then the scaling"_s : u"θ^(−2i/d), formula 4, then the scaling"_s,
            wavelengthText(pair.frequency), readableNumber(periodsInContext(scene, *index)),
            angleText(pair.query_rotation), angleText(pair.key_rotation), betweenText(pair.angle));
    tip += QLatin1Char('\n') +
           u"The grey bar is the projection of one rotated vector on the other. The projection times the norm of the "
           "other vector is the dot product of the pair; this product divided by √d is the pair's term lᵢ of the logit "
           "(formula 7 of the guide)."_s;
    if (pair.attention_factor != 1) {
        tip += QLatin1Char(' ') +
               u"The scaling multiplies the pair's term of the logit by the square of the "
               "attention factor %1."_s.arg(readableNumber(pair.attention_factor));
    }
    return tip + QLatin1Char('\n') + pairFormulaText(pair);
}

Figure pairFigure(const RotationScene& scene) {
    Figure figure = rotation::figure(u"pair"_s, scene);
    PairPicture picture = pictureOf(scene);
    const PairTerm& pair = picture.pair;
    const auto index = scene.enlargedPair();
    const auto column = [&](const QString& name, double value) {
        figure.table.names.append(name);
        figure.table.columns.append(index ? QList<double>{value} : QList<double>{});
    };
    constexpr double degrees = 180 / std::numbers::pi;
    column(u"pair"_s, index.value_or(0));
    column(u"frequency (rad/token)"_s, pair.frequency);
    column(u"q, first channel"_s, pair.rotated_query.real());
    column(u"q, second channel"_s, pair.rotated_query.imag());
    column(u"k, first channel"_s, pair.rotated_key.real());
    column(u"k, second channel"_s, pair.rotated_key.imag());
    column(u"contribution to the logit"_s, pair.term);
    column(u"norm of q"_s, pair.query_norm);
    column(u"norm of k"_s, pair.key_norm);
    column(u"angle from k to q before rotation (degrees)"_s, pair.phase * degrees);
    column(u"rotation of q (degrees)"_s, pair.query_rotation * degrees);
    column(u"rotation of k (degrees)"_s, pair.key_rotation * degrees);
    column(u"angle from k to q after rotation (degrees)"_s, pair.angle * degrees);
    column(u"projection of q on k"_s, pair.projection);
    column(u"dot product"_s, pair.product);
    figure.summary = picture.empty;
    if (index) {
        figure.summary = picture.title;
        for (const PairRow& row : picture.rows) {
            figure.summary += u", %1 %2"_s.arg(row.name, row.value);
        }
        figure.summary += QLatin1Char('.');
    }
    figure.note =
        u"dashed: qᵢ and kᵢ before rotation, and from Rₘqᵢ to its projection; circles: norms 1, 2 … and the edge "
        "of the dial"_s;
    figure.drawingHeight = [rows = static_cast<double>(picture.rows.size())](double width, const FigureStyle& style) {
        return std::min(kPrintedDial * width, style.units(kMostPrintedDial)) + (rows + 1) * pairLine(style) +
               style.units(kPrintedFormulas);
    };
    figure.drawing = rotation::drawing(std::move(picture), paint);
    return figure;
}

}  // namespace ropelab::ui
