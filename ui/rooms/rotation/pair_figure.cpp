#include "ui/rooms/rotation/pair_figure.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {
namespace {

// Smallest dial that is accepted for the sake of full row names, as a fraction of the largest possible dial.
constexpr double kSmallestWithNames = 0.7;
// Smallest dial, as a fraction of the width of the drawing.
constexpr double kSmallestOfWidth = 0.4;

// Lengths in points.
constexpr double kPairLine = 15;
constexpr double kDialMargin = 5;  // margin around the dial
constexpr double kGap = 6;
constexpr double kLargestRadius = 190;

using rotation::tr;

struct PairPicture {
    QString title;
    std::vector<PairRow> rows;
    std::complex<double> query;
    std::complex<double> key;
    double rim = 1;
    bool rotates = true;
    QString empty;
};

/// Areas of the dial and the text: side by side where the drawing is wider than high, otherwise one above the other.
struct Places {
    QRectF dial;
    QRectF words;
};

/// Returns the width of the widest row, with full or with short names and values.
double widthOf(const std::vector<PairRow>& rows, bool full, const FigureStyle& style) {
    const QFontMetricsF metrics(style.font(style.tickPt));
    double widest = 0;
    for (const PairRow& row : rows) {
        widest = std::max(widest, metrics.horizontalAdvance(full ? row.name : row.symbol) +
                                      metrics.horizontalAdvance(full ? row.value : row.compact()));
    }
    return widest + style.units(10);
}

/// Returns the rows that fit below the title.
std::vector<PairRow> rowsThatFit(std::vector<PairRow> rows, double height, const FigureStyle& style) {
    const auto room = static_cast<std::size_t>(std::max(1.0, std::floor(height / style.units(kPairLine)) - 1));
    while (rows.size() > room) {
        rows.erase(std::max_element(rows.begin(), rows.end(), [](const PairRow& a, const PairRow& b) {
            return a.omissionOrder < b.omissionOrder;
        }));
    }
    return rows;
}

Places placesOf(const QRectF& rect, const std::vector<PairRow>& rows, const FigureStyle& style) {
    const double words = style.units(kPairLine) * static_cast<double>(rows.size() + 1);
    const double gap = style.units(kGap);
    // Typical row widths are used instead of the actual ones, so that the dial has the same size for every pair.
    const QFontMetricsF metrics(style.font(style.tickPt));
    const double shortRow = metrics.horizontalAdvance(QStringLiteral("g 0.000000 rad/token")) + style.units(10);
    const double fullRow =
        metrics.horizontalAdvance(QStringLiteral("difference: (m − n)·g 000 × 360° + 000.0°")) + style.units(10);
    const auto widthBeside = [&](double row) {
        return std::max(1.0, std::min(rect.height(), rect.width() - row - 2 * gap));
    };
    Places places;
    const double largest = widthBeside(shortRow);
    // Full names justify a slightly smaller dial, but not one whose arrows are too small to drag.
    const double beside =
        std::max(widthBeside(fullRow) >= kSmallestWithNames * largest ? widthBeside(fullRow) : largest,
                 std::min(rect.height(), kSmallestOfWidth * rect.width()));
    if (rect.height() - words - gap < beside) {
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

EnlargedDial dialIn(const QRectF& place, const FigureStyle& style, double rim) {
    EnlargedDial dial;
    dial.centre = place.center();
    dial.radius = std::clamp(std::min(place.width(), place.height()) / 2 - style.units(kDialMargin), 1.0,
                             style.units(kLargestRadius));
    dial.unit = dial.radius / rim;
    return dial;
}

void drawArrow(QPainter& painter, const EnlargedDial& dial, const QRectF& inside, std::complex<double> value,
               const QString& name, const QColor& color, double width, const FigureStyle& style) {
    const QPointF tip = dial.pointOf(value);
    const QPointF along = tip - dial.centre;
    const double length = std::hypot(along.x(), along.y());
    const double head = std::min(style.units(9), length);
    if (length > 0) {
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
    const QFontMetricsF metrics(style.font(style.labelPt));
    const QPointF out = length > 0 ? along / length * style.units(8) : QPointF(style.units(8), 0);
    const double size = metrics.height();
    const QPointF corner = tip + out - QPointF(size / 2, size / 2);
    const QRectF place(std::clamp(corner.x(), inside.left(), std::max(inside.left(), inside.right() - size)),
                       std::clamp(corner.y(), inside.top(), std::max(inside.top(), inside.bottom() - size)), size,
                       size);
    painter.setPen(color);
    painter.drawText(place, Qt::AlignCenter, name);
}

void drawDial(QPainter& painter, const QRectF& inside, const PairPicture& picture, const FigureStyle& style) {
    const EnlargedDial dial = dialIn(inside, style, picture.rim);
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

    // The filled sector is the smaller angle from k to q. For given norms it alone determines the logit contribution.
    if (std::abs(picture.query) > 0 && std::abs(picture.key) > 0) {
        const double from = std::arg(picture.key);
        const double span = std::remainder(std::arg(picture.query) - from, 2 * std::numbers::pi);
        const double radius = 0.3 * dial.radius;
        const QRectF circle(dial.centre - QPointF(radius, radius), QSizeF(2 * radius, 2 * radius));
        QColor fill = style.theme.accent;
        fill.setAlphaF(0.16F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        const double sixteenths = 16 * 180 / std::numbers::pi;
        painter.drawPie(circle, static_cast<int>(std::lround(from * sixteenths)),
                        static_cast<int>(std::lround(span * sixteenths)));
        painter.setBrush(Qt::NoBrush);
    }
    painter.setFont(style.font(style.labelPt));
    const QColor grey = style.theme.unrotated;
    drawArrow(painter, dial, inside, picture.key, QStringLiteral("k"), picture.rotates ? style.theme.key : grey,
              style.units(2.6), style);
    drawArrow(painter, dial, inside, picture.query, QStringLiteral("q"), picture.rotates ? style.theme.query : grey,
              style.units(1.6), style);
}

void drawWords(QPainter& painter, const QRectF& rect, const PairPicture& picture, const FigureStyle& style) {
    QFont title = style.font(style.labelPt);
    title.setWeight(QFont::DemiBold);
    const QFont font = style.font(style.tickPt);
    const QFontMetricsF metrics(font);
    const std::vector<PairRow> rows = rowsThatFit(picture.rows, rect.height(), style);
    const bool isRoomy = widthOf(rows, true, style) <= rect.width();
    // Limits the width of the rows, because names and values far apart are hard to associate.
    const double width = std::min(rect.width(), style.units(280));
    const double left = rect.left() + (rect.width() - width) / 2;
    const double line = style.units(kPairLine);
    painter.setFont(title);
    painter.setPen(style.theme.accent);
    painter.drawText(QRectF(left, rect.top(), width, line), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(title).elidedText(picture.title, Qt::ElideRight, width));
    painter.setFont(font);
    double top = rect.top() + line;
    for (const PairRow& row : rows) {
        const QRectF place(left, top, width, line);
        const QString& name = isRoomy ? row.name : row.symbol;
        painter.setPen(style.theme.quietText);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, name);
        painter.setPen(style.theme.text);
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(isRoomy ? row.value : row.compact(), Qt::ElideRight,
                                            width - metrics.horizontalAdvance(name) - style.units(4)));
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
    const Places places = placesOf(rect, picture.rows, style);
    drawDial(painter, places.dial, picture, style);
    drawWords(painter, places.words, picture, style);
}

}  // namespace

QPointF EnlargedDial::pointOf(std::complex<double> value) const {
    return centre + unit * QPointF(value.real(), -value.imag());
}

std::complex<double> EnlargedDial::valueAt(const QPointF& place) const {
    const QPointF from = (place - centre) / unit;
    const std::complex<double> value(from.x(), -from.y());
    const double rim = radius / unit;
    return std::abs(value) > rim ? value * (rim / std::abs(value)) : value;
}

double rimOf(const RotationScene& scene) {
    const auto pair = scene.enlargedPair();
    if (!pair) {
        return 1;
    }
    return scene.state.fixedRim.value_or(1.15 *
                                         std::max({std::abs(scene.query(*pair)), std::abs(scene.key(*pair)), 1.0}));
}

EnlargedDial enlargedDialOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style) {
    return dialIn(placesOf(rect, pairRows(scene), style).dial, style, rimOf(scene));
}

std::vector<PairRow> pairRows(const RotationScene& scene) {
    const auto pair = scene.enlargedPair();
    if (!pair) {
        return {};
    }
    const double g = scene.frequency(*pair);
    const auto m = static_cast<double>(scene.state.m);
    const auto n = static_cast<double>(scene.state.n);
    const ChannelPair channels = scene.pairs[static_cast<std::size_t>(*pair)];
    const double part = scene.split().pairs[static_cast<std::size_t>(*pair)];
    return {{tr("channels"), tr("ch."), tr("%1 and %2").arg(channels.first).arg(channels.second), {}, 5},
            {tr("frequency g"), QStringLiteral("g"), tr("%1 rad/token").arg(frequencyText(g)), {}, 3},
            {tr("wavelength λ"), QStringLiteral("λ"), g > 0 ? wavelengthText(g) : tr("∞ (not rotated)"), {}, 0},
            {tr("periods in the context"),
             QStringLiteral("L/λ"),
             tr("%1 periods").arg(readableNumber(periodsInContext(scene, *pair))),
             {},
             1},
            {tr("angle of q: m·g"), QStringLiteral("m·g"), angleText(m * g), shortAngleText(m * g), 0},
            {tr("angle of k: n·g"), QStringLiteral("n·g"), angleText(n * g), shortAngleText(n * g), 4},
            {tr("difference: (m − n)·g"), QStringLiteral("(m−n)·g"), angleText((m - n) * g),
             shortAngleText((m - n) * g), 0},
            {tr("contribution to the logit"), tr("logit"), signedText(part), {}, 2}};
}

QString pairToolTip(const RotationScene& scene) {
    const auto pair = scene.enlargedPair();
    if (!pair) {
        return {};
    }
    const std::vector<PairRow> rows = pairRows(scene);
    return tr("Drag an arrow to set this pair of q or k. Press Q or K to choose an arrow, and the arrow keys to rotate "
              "or lengthen it.\n"
              "g = %1 (%2); λ = 2π/g = %3; periods in the context L/λ = %4 (Peng et al. 2023, formula 9)\n"
              "q is rotated by m·g = %5, k by n·g = %6 (Su et al. 2021, formula 1)\n"
              "contribution to the logit = ‖q‖‖k‖ cos(φ + (m − n)·g)/√d = %7 (formula 7)")
        .arg(rows[1].value,
             scene.setup.partial == Partial::slice ? tr("θ^(−2i/d_r), formula 3, then the scaling")
                                                   : tr("θ^(−2i/d), formula 4, then the scaling"),
             rows[2].value, rows[3].value, rows[4].value, rows[5].value, rows[7].value);
}

Figure pairFigure(const RotationScene& scene) {
    Figure figure = rotation::figure(QStringLiteral("pair"), scene);
    figure.table.names = {tr("pair"),
                          tr("frequency (rad/token)"),
                          tr("q, first channel"),
                          tr("q, second channel"),
                          tr("k, first channel"),
                          tr("k, second channel"),
                          tr("contribution to the logit")};
    figure.table.columns.resize(figure.table.names.size());
    PairPicture picture;
    if (const auto pair = scene.enlargedPair()) {
        picture.title = tr("pair %1").arg(*pair);
        picture.rows = pairRows(scene);
        picture.query = scene.rotatedQuery(*pair);
        picture.key = scene.rotatedKey(*pair);
        picture.rim = rimOf(scene);
        picture.rotates = *pair < scene.rotatedPairs();
        figure.summary = picture.title;
        for (const PairRow& row : picture.rows) {
            figure.summary += QStringLiteral(", %1 %2").arg(row.name, row.value);
        }
        figure.summary += QLatin1Char('.');
        const double values[] = {static_cast<double>(*pair),
                                 scene.frequency(*pair),
                                 picture.query.real(),
                                 picture.query.imag(),
                                 picture.key.real(),
                                 picture.key.imag(),
                                 scene.split().pairs[static_cast<std::size_t>(*pair)]};
        for (qsizetype i = 0; i < figure.table.columns.size(); ++i) {
            figure.table.columns[i].append(values[i]);
        }
    } else {
        picture.empty = tr("At fraction 0 no pair is rotated, and the logit is the same at every distance.");
        figure.summary = picture.empty;
    }
    figure.drawing = [picture = std::move(picture)](QPainter& painter, const QRectF& rect, const FigureStyle& style) {
        paint(painter, rect, style, picture);
    };
    return figure;
}

}  // namespace ropelab::ui
