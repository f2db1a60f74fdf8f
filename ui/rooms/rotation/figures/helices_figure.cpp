#include <QImage>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <future>
#include <numbers>
#include <span>
#include <vector>

#include "ui/common/format.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/text_metrics.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kMostHelices = 64;
constexpr double kBeyond = 1.25;      // the axis ends at this multiple of the context
constexpr double kMostPixels = 1600;  // columns of the shaded picture; a print needs no more
constexpr double kColumnPt = 0.36;    // of print, whose raster at 200 dpi shows no finer waves than a screen
constexpr double kAmplitude = 0.36;   // of a row
constexpr double kRadius = 0.11;      // of the tube, of a row
constexpr double kTurn = 2 * std::numbers::pi;

struct HelicesPicture {
    QList<int> pairs;           // one per row
    QList<double> frequencies;  // of the rows, in radians per token
    double context = 1;
    double last = 1;  // position at the right end
    double m = 0;
    double n = 0;
    int picked = -1;
    QString title;
};

struct HelixRows {
    QRectF title;
    QRectF rows;
    double row = 0;

    HelixRows(const QRectF& rect, const FigureStyle& style, const HelicesPicture& picture) {
        const TextMetrics metrics(style.font(style.tickPt));
        const QRectF line(rect.topLeft(), QSizeF(rect.width(), rect.height() / 3));
        title = TextMetrics(style.font(style.labelPt)).boundingRect(line, Qt::TextWordWrap, picture.title);
        const double left = metrics.horizontalAdvance(u"pair 000"_s) + style.units(6);
        const double right = metrics.horizontalAdvance(u"λ 0.00×10⁰⁰"_s) + style.units(6);
        const double above = title.height() + metrics.height() + style.units(6);
        const double below = 2 * metrics.height() + style.units(8);
        rows = rect.adjusted(left, above, -right, -below);
        row = rows.height() / static_cast<double>(std::max<qsizetype>(1, picture.pairs.size()));
    }
    double centre(qsizetype index) const { return rows.top() + (static_cast<double>(index) + 0.5) * row; }
    double x(double position, const HelicesPicture& picture) const {
        return rows.left() + rows.width() * position / picture.last;
    }
};

/// Of a tube at `u` of its radius, −1 to 1, as seen from the side: bright in the middle, dark at the edges.
float tubeShade(float u) {
    static const auto table = [] {
        std::array<float, 257> shades{};
        for (std::size_t i = 0; i < shades.size(); ++i) {
            const double part = static_cast<double>(i) / 256;
            shades[i] = static_cast<float>(0.35 + 0.65 * std::sqrt(1 - part * part));
        }
        return shades;
    }();
    return table[static_cast<std::size_t>(std::abs(u) * 256)];
}

/// The shades of one helix, seen from the side: a tube whose near half is dark and whose far half is faint. `shade`
/// has `height` rows of `width` numbers from 0 (paper) to 1. Where a turn takes less than `fewest` columns, the tube
/// covers its whole band, denser at the edges, where the helix turns around.
void shadeHelix(std::span<float> shade, int width, int height, double perColumn, double fewest) {
    const auto centre = static_cast<float>(0.5 * height);
    const auto amplitude = static_cast<float>(kAmplitude * height);
    const auto radius = static_cast<float>(std::max(0.75, kRadius * height));
    const float perRadius = 1 / radius;
    if (perColumn > kTurn / fewest) {
        for (int y = 0; y < height; ++y) {
            const float u = (static_cast<float>(y) + 0.5F - centre) / (amplitude + radius);
            if (std::abs(u) >= 1) continue;
            const float density = std::min(1.0F, 0.4F / std::sqrt(1 - u * u));
            std::fill_n(shade.data() + y * width, width, density);
        }
        return;
    }
    const int parts = 1 + static_cast<int>(std::ceil(1.5 * perColumn * amplitude / radius));
    const std::complex<double> turn = std::polar(1.0, perColumn / parts);
    std::complex<double> hand = 1;  // multiplied by `turn` at each step: no sine and cosine per column
    std::vector<float> nearest(static_cast<std::size_t>(height));
    for (int x = 0; x < width; ++x) {
        std::ranges::fill(nearest, -2.0F);
        for (int part = 0; part < parts; ++part, hand *= turn) {
            const float at = centre - amplitude * static_cast<float>(hand.imag());
            const auto depth = static_cast<float>(hand.real());
            const float brightness = 0.65F + 0.35F * depth;
            // The tube covers the pixels whose middle is at most a radius away; the tube is never above row 0.
            const int first = std::max(0, static_cast<int>(at - radius + 0.5F));
            const int last = std::min(height - 1, static_cast<int>(at + radius - 0.5F));
            for (int y = first; y <= last; ++y) {
                float& near = nearest[static_cast<std::size_t>(y)];
                if (near > depth) continue;
                const float u = (static_cast<float>(y) + 0.5F - at) * perRadius;
                if (std::abs(u) >= 1) continue;
                near = depth;
                shade[static_cast<std::size_t>(y * width + x)] = brightness * tubeShade(u);
            }
        }
    }
}

using Ramp = std::array<QRgb, 256>;

/// From paper to ink.
Ramp rampOf(const QColor& paper, const QColor& ink) {
    Ramp ramp;
    for (std::size_t i = 0; i < ramp.size(); ++i) {
        const auto between = [share = static_cast<double>(i) / 255](int a, int b) {
            return static_cast<int>(std::lround(a + (b - a) * share));
        };
        ramp[i] = qRgb(between(paper.red(), ink.red()), between(paper.green(), ink.green()),
                       between(paper.blue(), ink.blue()));
    }
    return ramp;
}

/// Positions beyond the context at which the pair's angle occurs in no training sequence: those of the first turn that
/// the context does not complete.
bool isUnseen(double position, double frequency, double context) {
    return position > context - 1 && position * frequency < kTurn;
}

/// The colours of a row's columns, from paper to ink.
struct Ramps {
    Ramps(const QColor& paper, const FigureStyle& style)
        : rotated(rampOf(paper, style.theme.rotated)),
          rotatedBeyond(rampOf(paper, QColor::fromRgb(rotated[110]))),
          unrotated(rampOf(paper, style.theme.unrotated)),
          unrotatedBeyond(rampOf(paper, QColor::fromRgb(unrotated[110]))),
          unseen(rampOf(paper, style.theme.error)) {}
    Ramp rotated, rotatedBeyond, unrotated, unrotatedBeyond, unseen;
};

/// Paints a row of `height` lines, from the pixel `first` on.
void drawRow(QRgb* first, int width, int height, const HelicesPicture& picture, double frequency, double fewest,
             const Ramps& ramps) {
    const double step = picture.last / width;  // tokens per column
    std::vector<float> shade(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    shadeHelix(shade, width, height, frequency * step, fewest);
    const Ramp& seen = frequency > 0 ? ramps.rotated : ramps.unrotated;
    const Ramp& beyond = frequency > 0 ? ramps.rotatedBeyond : ramps.unrotatedBeyond;
    std::vector<const Ramp*> columns;
    for (int x = 0; x < width; ++x) {
        const double position = (x + 0.5) * step;
        columns.push_back(frequency > 0 && isUnseen(position, frequency, picture.context) ? &ramps.unseen
                          : position > picture.context - 1                                ? &beyond
                                                                                          : &seen);
    }
    for (int y = 0; y < height; ++y) {
        QRgb* line = first + qsizetype(y) * width;
        for (int x = 0; x < width; ++x) {
            const float each = shade[static_cast<std::size_t>(y * width + x)];
            line[x] = (*columns[static_cast<std::size_t>(x)])[static_cast<std::size_t>(each * 255)];
        }
    }
}

/// All rows in one picture, which is painted without scaling where its pixels are those of the screen; `scale` is its
/// number of pixels per unit of the style.
QImage helixRows(const HelicesPicture& picture, const QSize& size, const FigureStyle& style, double scale) {
    const double fewest = 4 * std::max(1.0, scale * style.units(kColumnPt));  // columns per turn
    QImage image(size, QImage::Format_RGB32);
    const Ramps plain(style.theme.paper, style);
    // The picked pair has a tinted row.
    const Ramps tinted(QColor::fromRgb(rampOf(style.theme.paper, style.theme.accent)[40]), style);
    const auto topOf = [&](qsizetype row) { return static_cast<int>(row * size.height() / picture.pairs.size()); };
    auto* pixels = reinterpret_cast<QRgb*>(image.bits());
    const auto draw = [&](qsizetype first, qsizetype end) {
        for (qsizetype row = first; row < end; ++row) {
            const bool isTinted = style.onScreen && picture.pairs[row] == picture.picked;
            drawRow(pixels + qsizetype(topOf(row)) * size.width(), size.width(), topOf(row + 1) - topOf(row), picture,
                    picture.frequencies[row], fewest, isTinted ? tinted : plain);
        }
    };
    const qsizetype half = picture.pairs.size() / 2;
    std::future<void> upper = std::async(std::launch::async, draw, 0, half);
    draw(half, picture.pairs.size());
    upper.get();
    return image;
}

void paint(QPainter& painter, const QRectF& rect, const FigureStyle& style, const HelicesPicture& picture) {
    const QFont font = style.font(style.tickPt);
    const TextMetrics metrics(font);
    const HelixRows place(rect, style, picture);
    painter.setFont(style.font(style.labelPt));
    painter.setPen(style.theme.text);
    painter.drawText(QRectF(rect.topLeft(), QSizeF(rect.width(), place.title.height())), Qt::TextWordWrap,
                     picture.title);
    painter.setFont(font);
    if (place.row < 1 || place.rows.width() < 8) return;
    const double scale = std::min(1.0, kMostPixels / place.rows.width());
    const QSize size = (place.rows.size() * scale).toSize();
    painter.drawImage(scale < 1 ? place.rows : QRectF(place.rows.topLeft().toPoint(), QSizeF(size)),
                      helixRows(picture, size, style, scale));
    // The selection is the window's.
    const qsizetype picked = style.onScreen ? picture.pairs.indexOf(picture.picked) : -1;
    double labelled = -1e9;
    for (qsizetype i = 0; i < picture.pairs.size(); ++i) {
        const bool isPicked = i == picked;
        const double toPicked = picked < 0 ? 1e9 : std::abs(place.centre(i) - place.centre(picked));
        const double space = std::min(place.centre(i) - labelled, toPicked);
        if (!isPicked && space < 1.2 * metrics.height()) continue;
        labelled = place.centre(i);
        painter.setPen(isPicked ? style.theme.text : style.theme.quietText);
        const double base = place.centre(i) + metrics.ascent() / 2 - style.units(1);
        const QString name = u"pair %1"_s.arg(picture.pairs[i]);
        painter.drawText(QPointF(place.rows.left() - style.units(4) - metrics.horizontalAdvance(name), base), name);
        const double frequency = picture.frequencies[i];
        painter.drawText(QPointF(place.rows.right() + style.units(4), base),
                         frequency > 0 ? u"λ %1"_s.arg(readableNumber(kTurn / frequency)) : u"not rotated"_s);
    }
    // `side`: −1 left of the line, 0 in the middle, 1 right of it.
    const auto line = [&](double position, const QColor& color, const QString& text, int side) {
        if (position < 0 || position > picture.last) return;
        const double x = place.x(position, picture);
        painter.setPen(QPen(color, style.units(1)));
        painter.drawLine(QPointF(x, place.rows.top() - style.units(2)), QPointF(x, place.rows.bottom()));
        const double width = metrics.horizontalAdvance(text);
        const double left =
            std::clamp(x + (side - 1) * width / 2 + side * style.units(2), rect.left(), rect.right() - width);
        painter.drawText(QPointF(left, place.rows.top() - style.units(4)), text);
    };
    const QString m = u"m = %1"_s.arg(readableCount(picture.m));
    const QString n = u"n = %1"_s.arg(readableCount(picture.n));
    const double apart = std::abs(place.x(picture.m, picture) - place.x(picture.n, picture));
    const double both = (metrics.horizontalAdvance(m) + metrics.horizontalAdvance(n)) / 2 + style.units(4);
    const int side = apart > both ? 0 : picture.m < picture.n ? -1 : 1;
    line(picture.n, style.theme.key, n, -side);
    line(picture.m, style.theme.query, m, side);
    painter.setPen(style.theme.quietText);
    const int about = std::clamp(static_cast<int>(place.rows.width() / style.units(70)), 1, 8);
    const Ticks ticks = ticksOf(0, picture.last, false, about);
    for (qsizetype i = 0; i < ticks.at.size(); ++i) {
        if (ticks.at[i] < 0 || ticks.at[i] > picture.last) continue;
        const double x = place.x(ticks.at[i], picture);
        painter.drawLine(QPointF(x, place.rows.bottom()), QPointF(x, place.rows.bottom() + style.units(3)));
        const double width = metrics.horizontalAdvance(ticks.labels[i]);
        painter.drawText(QPointF(std::min(x - width / 2, rect.right() - width),
                                 place.rows.bottom() + style.units(4) + metrics.ascent()),
                         ticks.labels[i]);
    }
    const QRectF axis(rect.left(), place.rows.bottom() + metrics.height() + style.units(5), rect.width(),
                      metrics.height());
    const QString title =
        u"position (tokens); the context ends at %1"_s.arg(groupedText(static_cast<qint64>(picture.context)));
    painter.setFont(style.fitting(font, title, axis.width()));
    painter.drawText(axis, Qt::AlignCenter, title);
    painter.setPen(QPen(style.theme.accent, style.units(1), Qt::DashLine));
    const double end = place.x(picture.context, picture);
    painter.drawLine(QPointF(end, place.rows.top()), QPointF(end, place.rows.bottom()));
}

double helixFrequency(const RotationScene& scene, int pair) {
    return pair < scene.rotatedPairs() ? scene.frequency(pair) : 0.0;
}

/// Of the first period, the share of angles that no position of the context has.
double unseenShare(const RotationScene& scene, double frequency) {
    const double turned = frequency * static_cast<double>(scene.setup.context - 1) / kTurn;
    return frequency > 0 ? std::max(0.0, 1 - turned) : 0.0;
}

QString helicesTitle(const RotationScene& scene) {
    if (scene.rotatedPairs() == 0) return u"At fraction 0 no pair is rotated, so there is no helix"_s;
    int unseen = 0;
    for (int pair = 0; pair < scene.rotatedPairs(); ++pair) unseen += unseenShare(scene, scene.frequency(pair)) > 0;
    const QString context = groupedText(scene.setup.context);
    if (unseen == 0)
        return u"Every rotated pair completes a period in the context of %1 tokens; faint: the far half of each "
               "period, and beyond the context; λ: wavelength (tokens)"_s.arg(context);
    return u"%1 of %2 rotated pairs complete no period in the context of %3 tokens; red: angles that no training "
           "sequence contains; faint: the far half of each period, and beyond the context; λ: wavelength (tokens)"_s
               .arg(unseen)
               .arg(scene.rotatedPairs())
               .arg(context);
}

HelicesPicture helicesPictureOf(const RotationScene& scene) {
    HelicesPicture picture;
    picture.title = helicesTitle(scene);
    const int pairs = static_cast<int>(scene.pairs.size());
    const int rows = std::min(kMostHelices, pairs);
    picture.picked = scene.markedPair().value_or(-1);
    for (int row = 0; row < rows; ++row) {
        picture.pairs.append(
            rows < 2 ? 0 : static_cast<int>(std::lround(static_cast<double>(row) * (pairs - 1) / (rows - 1))));
    }
    if (picture.picked >= 0 && !picture.pairs.contains(picture.picked)) {  // the rows leave it out
        *std::min_element(picture.pairs.begin(), picture.pairs.end(), [&](int a, int b) {
            return std::abs(a - picture.picked) < std::abs(b - picture.picked);
        }) = picture.picked;
    }
    for (const int pair : picture.pairs) picture.frequencies.append(helixFrequency(scene, pair));
    picture.context = static_cast<double>(scene.setup.context);
    picture.last = std::max(2.0, kBeyond * picture.context);
    picture.m = static_cast<double>(scene.state.m);
    picture.n = static_cast<double>(scene.state.n);
    return picture;
}

}  // namespace

Figure helicesFigure(const RotationScene& scene) {
    Figure figure = rotation::figure(u"helices"_s, scene);
    figure.table = FigureTable::of({u"pair"_s, u"frequency (radians per token)"_s, u"wavelength (tokens)"_s,
                                    u"periods in the context"_s, u"unseen share of the first period"_s});
    for (int pair = 0; pair < static_cast<int>(scene.pairs.size()); ++pair) {
        const double frequency = helixFrequency(scene, pair);
        figure.table.addRow({static_cast<double>(pair), frequency, kTurn / frequency,
                             static_cast<double>(scene.setup.context) * frequency / kTurn,
                             unseenShare(scene, frequency)});
    }
    HelicesPicture picture = helicesPictureOf(scene);
    figure.summary = picture.title + QLatin1Char('.');
    figure.drawing = rotation::drawing(std::move(picture), paint);
    return figure;
}

std::optional<int> pairOfHelix(const RotationScene& scene, const QRectF& rect, const FigureStyle& style,
                               const QPointF& place) {
    const HelicesPicture picture = helicesPictureOf(scene);
    const HelixRows layout(rect, style, picture);
    const double row = (place.y() - layout.rows.top()) / layout.row;
    if (picture.pairs.isEmpty() || row < 0 || row >= static_cast<double>(picture.pairs.size())) return std::nullopt;
    return picture.pairs[static_cast<qsizetype>(row)];
}

}  // namespace ropelab::ui
