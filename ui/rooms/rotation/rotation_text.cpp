#include "ui/rooms/rotation/rotation_text.h"

#include <QCoreApplication>
#include <QPainter>
#include <cmath>
#include <numbers>

#include "ui/common/format.h"
#include "ui/figure/paint/figure_head.h"
#include "ui/figure/text_metrics.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr std::int64_t kPeriod = 3600;  // 360° in tenths of a degree

/// Tenths of a degree. Texts are made of this number, so that their parts add up exactly.
std::int64_t tenthsOf(double radians) {
    return std::llround(radians * 1800 / std::numbers::pi);
}

QString tenthsText(std::int64_t tenths) {
    const std::int64_t size = std::abs(tenths);
    return u"%1%2.%3°"_s.arg(tenths < 0 ? u"−"_s : QString(), groupedText(size / 10)).arg(size % 10);
}

QString withPeriods(std::int64_t tenths, std::int64_t periods) {
    if (periods == 0) {
        return tenthsText(tenths);
    }
    const std::int64_t rest = tenths - periods * kPeriod;
    return u"%1 = %2%3 %4 %5"_s.arg(tenthsText(tenths), periods < 0 ? u"−"_s : QString(),
                                    countText(std::abs(periods), u"period"_s), rest < 0 ? u"−"_s : u"+"_s,
                                    tenthsText(std::abs(rest)));
}

}  // namespace

QString wavelengthText(double frequency) {
    if (!(frequency > 0)) {
        return u"∞"_s;
    }
    return readableNumber(2 * std::numbers::pi / frequency) + u" tokens"_s;
}

double degreesOf(double radians) {
    return radians * 180 / std::numbers::pi;
}

QString degreesText(double radians) {
    return tenthsText(tenthsOf(radians));
}

QString angleText(double radians) {
    const std::int64_t tenths = tenthsOf(radians);
    return withPeriods(tenths, tenths / kPeriod);
}

QString betweenText(double radians) {
    const std::int64_t tenths = tenthsOf(radians);
    const std::int64_t half = kPeriod / 2;
    const std::int64_t periods = std::abs(tenths) <= half ? 0 : (tenths > 0 ? tenths + half : tenths - half) / kPeriod;
    return withPeriods(tenths, periods);
}

QString shortAngleText(double radians) {
    const std::int64_t tenths = tenthsOf(radians);
    return (std::abs(tenths) >= kPeriod ? u"≡ "_s : QString()) + tenthsText(tenths % kPeriod);
}

QString frequencyText(double frequency) {
    constexpr double shortest = 1e-3;
    return frequency >= shortest ? QString::number(frequency, 'g', 4) : readableNumber(frequency);
}

QString signedText(double value) {
    const QString text = readableNumber(value);
    return value > 0 ? QLatin1Char('+') + text : text;
}

double periodsInContext(const RotationScene& scene, int pair) {
    return static_cast<double>(scene.setup.context) * scene.frequency(pair) / (2 * std::numbers::pi);
}

QString vectorsText(const RotationState& state) {
    const QString query = state.queryEdited ? u"q edited by hand"_s : u"seed %1"_s.arg(state.seed);
    switch (state.source) {
        case VectorSource::equal:
            return u"equal (k = q), %1"_s.arg(query);
        case VectorSource::handEdited:
            return u"edited by hand"_s;
        case VectorSource::aimed:
            return u"aimed at r = %1, %2"_s.arg(groupedText(state.distance), query);
        case VectorSource::trained:
            return u"from %1"_s.arg(QString::fromStdString(state.origin));
        case VectorSource::random:
            break;
    }
    return u"random, %1"_s.arg(query);
}

QJsonObject rotationSettings(const RotationScene& scene) {
    QJsonObject settings{{u"setup"_s, QString::fromStdString(text_of(scene.setup))},
                         {u"m"_s, static_cast<qint64>(scene.state.m)},
                         {u"n"_s, static_cast<qint64>(scene.state.n)},
                         {u"query and key"_s, vectorsText(scene.state)}};
    if (const auto pair = scene.enlargedPair()) {
        settings.insert(u"pair"_s, *pair);
    }
    return settings;
}

namespace rotation {

Figure figure(const QString& name, const RotationScene& scene) {
    Figure result;
    result.name = name;
    result.settings = rotationSettings(scene);
    return result;
}

QStringList titleLines(const QString& title, double width, const FigureStyle& style) {
    constexpr int mostLines = 4;
    return wrapped(title, TextMetrics(style.font(style.tickPt)), width, style.onScreen ? 1 : mostLines);
}

double drawTitle(QPainter& painter, const QRectF& line, const FigureStyle& style, const QString& title) {
    const QFont font = style.font(style.tickPt);
    const QStringList lines = titleLines(title, line.width(), style);
    painter.setFont(font);
    painter.setPen(style.theme.text);
    QRectF place = line;
    for (const QString& words : lines) {
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, words);
        place.translate(0, line.height());
    }
    return TextMetrics(font).horizontalAdvance(lines.first());
}

}  // namespace rotation

}  // namespace ropelab::ui
