#include "ui/rooms/rotation/pair_dial.h"

#include <QPainter>
#include <QPainterPath>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ui/figure/paint/label_places.h"
#include "ui/figure/text_metrics.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

Formula withIndex(const QString& letter) {
    return Formula::subscript(Formula::symbol(letter), Formula::symbol(u"i"_s));
}

Formula normOf(const QString& letter) {
    const Formula bars = Formula::text(u"‖"_s);
    return Formula::row({bars, withIndex(letter), bars});
}

/// "φ + (m − n)ωᵢ".
Formula angleSymbols() {
    return Formula::row({Formula::symbol(u"φ"_s), Formula::text(u" + ("_s), Formula::symbol(u"m"_s),
                         Formula::text(u" − "_s), Formula::symbol(u"n"_s), Formula::text(u")"_s), withIndex(u"ω"_s)});
}

BreakableFormula productFormula(const PairTerm& pair) {
    const QString relative = degreesText(std::abs(pair.relative_rotation));
    const QString sign = pair.relative_rotation < 0 ? u"−"_s : u"+"_s;
    return {
        Formula::row({normOf(u"q"_s), Formula::text(u" "_s), normOf(u"k"_s), Formula::text(u" cos("_s), angleSymbols(),
                      Formula::text(u")"_s)}),
        Formula::text(u" = %1 · %2 · cos(%3 %4 %5)"_s.arg(
            readableNumber(pair.query_norm), readableNumber(pair.key_norm), degreesText(pair.phase), sign, relative)),
        Formula::text(u" = %1"_s.arg(readableNumber(pair.product)))};
}

BreakableFormula termFormula(const PairTerm& pair, Fractions fractions, Formula above) {
    if (pair.attention_factor != 1) {
        above = Formula::row(
            {Formula::superscript(Formula::text(readableNumber(pair.attention_factor)), Formula::text(u"2"_s)),
             Formula::text(pair.product < 0 ? u" · ("_s : u" · "_s), above,
             Formula::text(pair.product < 0 ? u")"_s : QString())});
    }
    const Formula below = Formula::root(Formula::text(QString::number(pair.head_dim)));
    const Formula fraction = fractions == Fractions::stacked ? Formula::fraction(above, below)
                                                             : Formula::row({above, Formula::text(u"/"_s), below});
    return {Formula::row({withIndex(u"l"_s), Formula::text(u" = "_s), fraction,
                          Formula::text(u" = %1"_s.arg(readableNumber(pair.term)))})};
}

// Lengths in points.
constexpr double kDialMargin = 5;  // margin around the dial
constexpr double kLargestRadius = 190;
constexpr double kArrowHead = 9;
constexpr double kArcHead = 5;
constexpr double kArcGap = 7;         // smallest distance of the arcs of q and k
constexpr double kBand = 7;           // width of the projection
constexpr double kLabelStep = 7;      // distance of a label, and of the next places that are tried
constexpr double kRoomyRadius = 105;  // smallest dial whose arcs are labelled with their angles
constexpr double kTinyRadius = 42;    // dials below it have labels at the rotated vectors only

// Radii as fractions of the dial's radius.
constexpr double kPhaseRadius = 0.19;
constexpr double kSectorRadius = 0.31;
constexpr double kSmallestArc = 0.42;

constexpr double kDegrees = 180 / std::numbers::pi;
constexpr double kShortestArc = 0.5 / kDegrees;

bool isVector(std::complex<double> value) {
    return std::abs(value) > 0;
}

QPointF pointAt(const EnlargedDial& dial, double angle, double radius) {
    return dial.centre + radius * QPointF(std::cos(angle), -std::sin(angle));
}

/// A rotation is drawn at the tip of its vector, where the tip moves, but not so far inside that it would meet the
/// sectors between the vectors.
void addArcs(PairDial& picture, const FigureStyle& style) {
    const PairTerm& pair = picture.pair;
    const double radius = picture.dial.radius;
    const auto radiusOf = [&](double norm) {
        return std::clamp(norm * picture.dial.unit, kSmallestArc * radius, radius);
    };
    double query = radiusOf(pair.query_norm);
    double key = radiusOf(pair.key_norm);
    const double gap = style.units(kArcGap);
    if (std::abs(query - key) < gap) {
        (query < key ? query : key) = std::max(query, key) - gap;
    }
    const auto arc = [](std::complex<double> from, double rotation, double at) -> std::optional<PairArc> {
        const double span = std::fmod(rotation, 2 * std::numbers::pi);
        if (!isVector(from) || std::abs(span) < kShortestArc) return std::nullopt;
        return PairArc{std::arg(from), span, at};
    };
    picture.queryArc = arc(pair.query, pair.query_rotation, query);
    picture.keyArc = arc(pair.key, pair.key_rotation, key);
    if (isVector(pair.query) && isVector(pair.key)) {
        picture.phaseArc = PairArc{std::arg(pair.key), pair.phase, kPhaseRadius * radius};
        picture.sector = PairArc{std::arg(pair.rotated_key), pair.reduced_angle, kSectorRadius * radius};
        picture.projectionEnd = picture.dial.pointOf(std::polar(pair.projection, std::arg(pair.rotated_key)));
    }
}

class LabelPlacer {
 public:
    LabelPlacer(PairDial& picture, const QRectF& inside, const FigureStyle& style)
        : m_picture(picture), m_inside(inside), m_style(style) {
        if (!style.onScreen) m_places.setGap(style.units(3));
    }

    void avoid(const QPointF& from, const QPointF& to) { m_places.addStroke(from, to); }

    /// Adds the first of `texts` that has a free place near `anchor`, preferably in the direction `angle`; false if
    /// none has.
    bool add(const QStringList& texts, bool isSymbol, const QColor& color, const QPointF& anchor, double angle,
             bool isWide = false) {
        using Avoided = LabelPlaces::Avoided;
        // On paper and for a wide label, a place beside the lines is worth more distance.
        const Avoided first = m_style.onScreen && !isWide ? Avoided::labels : Avoided::data;
        for (const Avoided avoided : {first, isWide ? first : Avoided::labels}) {
            const int rings = avoided == Avoided::data ? 6 : 3;
            for (const QString& text : texts) {
                const QSizeF size = sizeOf(text, isSymbol);
                for (int ring = 0; ring < rings; ++ring) {
                    const double distance = (1 + ring) * m_style.units(kLabelStep);
                    if (take(text, isSymbol, color, around(anchor, angle, size, distance), avoided)) return true;
                }
            }
        }
        return false;
    }

    /// Where no place near `anchor` is free, it uses the nearest free one.
    void require(const QString& text, const QColor& color, const QPointF& anchor, double angle) {
        if (add({text}, true, color, anchor, angle)) return;
        const QSizeF size = sizeOf(text, true);
        QList<QRectF> all;
        for (double y = m_inside.top(); y + size.height() <= m_inside.bottom(); y += size.height() / 2) {
            for (double x = m_inside.left(); x + size.width() <= m_inside.right(); x += size.width() / 2) {
                all.append(QRectF(QPointF(x, y), size));
            }
        }
        std::sort(all.begin(), all.end(), [&anchor](const QRectF& a, const QRectF& b) {
            const QPointF toA = a.center() - anchor;
            const QPointF toB = b.center() - anchor;
            return QPointF::dotProduct(toA, toA) < QPointF::dotProduct(toB, toB);
        });
        for (const QRectF& place : std::as_const(all)) {
            if (take(text, true, color, {place})) return;
        }
    }

 private:
    QSizeF sizeOf(const QString& text, bool isSymbol) const {
        QFont font = m_style.font(m_style.tickPt);
        font.setItalic(isSymbol);
        const TextMetrics metrics(font);
        return {metrics.horizontalAdvance(text) + m_style.units(3), metrics.height()};
    }

    QList<QRectF> around(const QPointF& anchor, double angle, const QSizeF& size, double distance) const {
        QList<QRectF> boxes;
        for (const int step : {0, 1, -1, 2, -2, 3, -3, 4}) {
            const double direction = angle + step * std::numbers::pi / 4;
            const QPointF along(std::cos(direction), -std::sin(direction));
            const QPointF centre =
                anchor + QPointF(along.x() * (distance + size.width() / 2), along.y() * (distance + size.height() / 2));
            const QRectF box(centre - QPointF(size.width() / 2, size.height() / 2), size);
            if (m_inside.contains(box)) boxes.append(box);
        }
        return boxes;
    }

    bool take(const QString& text, bool isSymbol, const QColor& color, const QList<QRectF>& boxes,
              LabelPlaces::Avoided avoided = LabelPlaces::Avoided::labels) {
        const auto box = m_places.place(boxes, avoided);
        if (box) m_picture.labels.append({text, *box, color, isSymbol});
        return box.has_value();
    }

    PairDial& m_picture;
    QRectF m_inside;
    const FigureStyle& m_style;
    LabelPlaces m_places;
};

void addLabels(PairDial& picture, const QRectF& inside, const FigureStyle& style) {
    const PairTerm& pair = picture.pair;
    const EnlargedDial& dial = picture.dial;
    const QColor query = picture.rotates ? style.theme.query : style.theme.unrotated;
    const QColor key = picture.rotates ? style.theme.key : style.theme.unrotated;
    const bool isRoomy = dial.radius >= style.units(kRoomyRadius);
    LabelPlacer labels(picture, inside, style);
    for (const auto& vector : {pair.rotated_query, pair.rotated_key, pair.query, pair.key}) {
        labels.avoid(dial.centre, dial.pointOf(vector));
    }
    for (const auto& arc : {picture.queryArc, picture.keyArc, picture.phaseArc, picture.sector}) {
        constexpr int pieces = 12;
        for (int i = 0; arc && i < pieces; ++i) {
            const auto at = [&](int step) { return pointAt(dial, arc->from + arc->span * step / pieces, arc->radius); };
            labels.avoid(at(i), at(i + 1));
        }
    }
    if (picture.projectionEnd && !style.onScreen) labels.avoid(dial.centre, *picture.projectionEnd);
    const auto tip = [&](std::complex<double> value) { return dial.pointOf(value); };
    labels.require(picture.rotates ? u"Rₘqᵢ"_s : u"qᵢ"_s, query, tip(pair.rotated_query), std::arg(pair.rotated_query));
    labels.require(picture.rotates ? u"Rₙkᵢ"_s : u"kᵢ"_s, key, tip(pair.rotated_key), std::arg(pair.rotated_key));
    if (dial.radius < style.units(kTinyRadius)) return;
    const auto middle = [&](const PairArc& arc) { return pointAt(dial, arc.from + arc.span / 2, arc.radius); };
    const auto direction = [](const PairArc& arc) { return arc.from + arc.span / 2; };
    if (picture.sector) {
        labels.add({degreesText(pair.reduced_angle)}, false, style.theme.accent, middle(*picture.sector),
                   direction(*picture.sector));
    }
    const auto angle = [&](const std::optional<PairArc>& arc, const QString& symbol, double value,
                           const QColor& color) {
        if (!arc) return;
        QStringList texts = {symbol};
        if (isRoomy) texts.prepend(u"%1 = %2"_s.arg(symbol, angleText(value)));
        labels.add(texts, true, color, middle(*arc), direction(*arc));
    };
    angle(picture.queryArc, u"mωᵢ"_s, pair.query_rotation, query);
    angle(picture.keyArc, u"nωᵢ"_s, pair.key_rotation, key);
    if (picture.projectionEnd) {
        const double along = std::arg(pair.rotated_key) + (pair.projection < 0 ? std::numbers::pi : 0);
        // On paper, the table below says what the number is, which finds a place beside its band.
        QStringList words(readableNumber(pair.projection));
        if (style.onScreen) words.prepend(u"projection %1"_s.arg(words.first()));
        labels.add(words, false, style.theme.text, (dial.centre + *picture.projectionEnd) / 2,
                   along - std::numbers::pi / 2, style.onScreen);
    }
    angle(picture.phaseArc, u"φ"_s, pair.phase, style.theme.quietText);
    if (picture.queryArc) {
        labels.add({u"qᵢ"_s}, true, query, tip(pair.query), std::arg(pair.query));
    }
    if (picture.keyArc) {
        labels.add({u"kᵢ"_s}, true, key, tip(pair.key), std::arg(pair.key));
    }
}

void drawArrow(QPainter& painter, const EnlargedDial& dial, std::complex<double> value, const QColor& color,
               double width, const FigureStyle& style) {
    const QPointF tip = dial.pointOf(value);
    const QPointF along = tip - dial.centre;
    const double length = std::hypot(along.x(), along.y());
    if (length <= 0) return;
    const double head = std::min(style.units(kArrowHead), length);
    const QPointF unit = along / length;
    const QPointF across(-unit.y(), unit.x());
    const QPointF neck = tip - head * unit;
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(dial.centre, neck);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPolygon(QPolygonF({tip, neck + 0.42 * head * across, neck - 0.42 * head * across}));
    painter.setBrush(Qt::NoBrush);
}

void drawFaint(QPainter& painter, const EnlargedDial& dial, std::complex<double> value, QColor color,
               const FigureStyle& style) {
    color.setAlphaF(0.55F);
    QPen pen(color, style.units(1.2), Qt::SolidLine, Qt::FlatCap);
    pen.setDashPattern({4, 2});
    painter.setPen(pen);
    painter.drawLine(dial.centre, dial.pointOf(value));
}

QPainterPath pathOf(const EnlargedDial& dial, const PairArc& arc) {
    const QRectF circle(dial.centre - QPointF(arc.radius, arc.radius), QSizeF(2 * arc.radius, 2 * arc.radius));
    QPainterPath path;
    path.arcMoveTo(circle, arc.from * kDegrees);
    path.arcTo(circle, arc.from * kDegrees, arc.span * kDegrees);
    return path;
}

/// Dotted lines connect the ends of the arc with shorter vectors.
void drawRotation(QPainter& painter, const EnlargedDial& dial, const PairArc& arc, double length, const QColor& color,
                  const FigureStyle& style) {
    if (length + style.units(2) < arc.radius) {
        QPen dotted(color, style.units(style.hairPt));
        dotted.setDashPattern({1.5, 3});
        painter.setPen(dotted);
        for (const double angle : {arc.from, arc.from + arc.span}) {
            painter.drawLine(pointAt(dial, angle, length), pointAt(dial, angle, arc.radius));
        }
    }
    painter.setPen(QPen(color, style.units(1), Qt::SolidLine, Qt::FlatCap));
    painter.drawPath(pathOf(dial, arc));
    const double end = arc.from + arc.span;
    const double turn = arc.span < 0 ? -1 : 1;
    const QPointF forwards = turn * QPointF(-std::sin(end), -std::cos(end));
    const QPointF outwards(std::cos(end), -std::sin(end));
    const double head = std::min(style.units(kArcHead), std::abs(arc.span) * arc.radius);
    const QPointF tip = pointAt(dial, end, arc.radius);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPolygon(QPolygonF(
        {tip, tip - head * forwards + 0.45 * head * outwards, tip - head * forwards - 0.45 * head * outwards}));
    painter.setBrush(Qt::NoBrush);
}

void drawSector(QPainter& painter, const EnlargedDial& dial, const PairArc& arc, QColor color, float alpha,
                const FigureStyle& style) {
    QPainterPath path = pathOf(dial, arc);
    painter.setPen(QPen(color, style.units(style.hairPt)));
    painter.drawPath(path);
    path.lineTo(dial.centre);
    path.closeSubpath();
    color.setAlphaF(alpha);
    painter.fillPath(path, color);
}

void drawProjection(QPainter& painter, const PairDial& picture, const FigureStyle& style) {
    const EnlargedDial& dial = picture.dial;
    QColor band = style.theme.text;
    band.setAlphaF(kProjectionAlpha);
    painter.setPen(QPen(band, style.units(kBand), Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(dial.centre, *picture.projectionEnd);
    QPen dashed(style.theme.quietText, style.units(style.hairPt));
    dashed.setDashPattern({3, 3});
    painter.setPen(dashed);
    painter.drawLine(dial.pointOf(picture.pair.rotated_query), *picture.projectionEnd);
}

void drawCircles(QPainter& painter, const PairDial& picture, const FigureStyle& style) {
    const EnlargedDial& dial = picture.dial;
    const double hair = style.units(style.hairPt);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(style.theme.hairline, hair));
    const double step = picture.rim > 4 ? std::ceil(picture.rim / 4) : 1;
    for (double norm = step; norm < picture.rim * 0.98; norm += step) {
        painter.drawEllipse(dial.centre, norm * dial.unit, norm * dial.unit);
    }
    painter.drawLine(dial.centre - QPointF(dial.radius, 0), dial.centre + QPointF(dial.radius, 0));
    painter.drawLine(dial.centre - QPointF(0, dial.radius), dial.centre + QPointF(0, dial.radius));
    painter.setPen(QPen(style.theme.quietText, hair));
    painter.drawEllipse(dial.centre, dial.radius, dial.radius);
}

}  // namespace

std::vector<BreakableFormula> pairFormulas(const PairTerm& pair, Fractions fractions) {
    return {productFormula(pair), termFormula(pair, fractions, Formula::text(readableNumber(pair.product)))};
}

BreakableFormula termByProjection(const PairTerm& pair, Fractions fractions) {
    const Formula projection = Formula::text(readableNumber(pair.projection) + u" "_s);
    return termFormula(pair, fractions, Formula::row({projection, normOf(u"k"_s)}));
}

QString pairFormulaText(const PairTerm& pair) {
    QStringList lines;
    for (const BreakableFormula& formula : pairFormulas(pair)) lines += Formula::row(formula).unicode();
    return lines.join(QLatin1Char('\n'));
}

QString pairFormulaLatex(const PairTerm& pair) {
    QStringList lines;
    for (const BreakableFormula& formula : pairFormulas(pair)) lines += Formula::row(formula).latex();
    return lines.join(QLatin1Char('\n'));
}

QPointF EnlargedDial::pointOf(std::complex<double> value) const {
    return centre + unit * QPointF(value.real(), -value.imag());
}

std::complex<double> EnlargedDial::valueAt(const QPointF& place) const {
    const QPointF from = (place - centre) / unit;
    const std::complex<double> value(from.x(), -from.y());
    const double rim = radius / unit;
    return std::abs(value) > rim ? value * (rim / std::abs(value)) : value;
}

EnlargedDial dialIn(const QRectF& place, double rim, const FigureStyle& style) {
    EnlargedDial dial;
    dial.centre = place.center();
    dial.radius = std::clamp(std::min(place.width(), place.height()) / 2 - style.units(kDialMargin), 1.0,
                             style.units(kLargestRadius));
    dial.unit = dial.radius / rim;
    return dial;
}

PairDial pairDial(const PairTerm& pair, double rim, const QRectF& place, const FigureStyle& style) {
    PairDial picture;
    picture.pair = pair;
    picture.rim = rim;
    picture.rotates = pair.frequency > 0;
    picture.dial = dialIn(place, rim, style);
    addArcs(picture, style);
    addLabels(picture, place, style);
    return picture;
}

void paintPairDial(QPainter& painter, const PairDial& picture, const FigureStyle& style) {
    const PairTerm& pair = picture.pair;
    const EnlargedDial& dial = picture.dial;
    const QColor query = picture.rotates ? style.theme.query : style.theme.unrotated;
    const QColor key = picture.rotates ? style.theme.key : style.theme.unrotated;
    drawCircles(painter, picture, style);
    if (picture.projectionEnd) drawProjection(painter, picture, style);
    if (picture.sector) drawSector(painter, dial, *picture.sector, style.theme.accent, 0.16F, style);
    if (picture.phaseArc) drawSector(painter, dial, *picture.phaseArc, style.theme.quietText, 0.1F, style);
    if (picture.keyArc) {
        drawFaint(painter, dial, pair.key, key, style);
        drawRotation(painter, dial, *picture.keyArc, pair.key_norm * dial.unit, key, style);
    }
    if (picture.queryArc) {
        drawFaint(painter, dial, pair.query, query, style);
        drawRotation(painter, dial, *picture.queryArc, pair.query_norm * dial.unit, query, style);
    }
    // The arrow of k is wider and below that of q, so that both are visible where they point in the same direction.
    drawArrow(painter, dial, pair.rotated_key, key, style.units(2.6), style);
    drawArrow(painter, dial, pair.rotated_query, query, style.units(1.6), style);
    QColor paper = style.theme.paper;
    paper.setAlphaF(0.8F);
    for (const PairLabel& label : picture.labels) {
        QFont font = style.font(style.tickPt);
        font.setItalic(label.isSymbol);
        painter.setFont(font);
        painter.fillRect(label.box, paper);
        painter.setPen(label.color);
        painter.drawText(label.box, Qt::AlignCenter, label.text);
    }
}

}  // namespace ropelab::ui
