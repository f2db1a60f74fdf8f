#include "ui/rooms/rotation/rotation_text.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <cmath>
#include <numbers>

#include "ui/common/format.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

QString wavelengthText(double frequency) {
    if (!(frequency > 0)) {
        return QStringLiteral("∞");
    }
    return readableNumber(2 * std::numbers::pi / frequency) + QStringLiteral(" tokens");
}

QString angleText(double radians) {
    const double degrees = radians * 180 / std::numbers::pi;
    const auto whole = static_cast<std::int64_t>(std::trunc(degrees / 360));
    const double rest = degrees - 360 * static_cast<double>(whole);
    const QString restText = QString::number(std::abs(rest), 'f', 1) + QChar(0x00B0);
    const QString sign = degrees < 0 ? QStringLiteral("−") : QString();
    if (whole == 0) {
        return sign + restText;
    }
    const QString sum = QStringLiteral("%1 × 360° + %2").arg(groupedText(std::abs(whole)), restText);
    return sign.isEmpty() ? sum : sign + QLatin1Char('(') + sum + QLatin1Char(')');
}

QString shortAngleText(double radians) {
    const double degrees = radians * 180 / std::numbers::pi;
    const double rest = std::fmod(degrees, 360);
    return (std::abs(degrees) >= 360 ? QStringLiteral("≡ ") : QString()) + angleText(rest * std::numbers::pi / 180);
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
    using rotation::tr;
    const QString query = state.queryEdited ? tr("q edited by hand") : tr("seed %1").arg(state.seed);
    switch (state.source) {
        case VectorSource::equal:
            return tr("equal (k = q), %1").arg(query);
        case VectorSource::handEdited:
            return tr("edited by hand");
        case VectorSource::aimed:
            return tr("aimed at r = %1, %2").arg(groupedText(state.distance), query);
        case VectorSource::trained:
            return tr("from %1").arg(QString::fromStdString(state.origin));
        case VectorSource::random:
            break;
    }
    return tr("random, %1").arg(query);
}

QJsonObject rotationSettings(const RotationScene& scene) {
    QJsonObject settings{{QStringLiteral("setup"), QString::fromStdString(text_of(scene.setup))},
                         {QStringLiteral("m"), static_cast<qint64>(scene.state.m)},
                         {QStringLiteral("n"), static_cast<qint64>(scene.state.n)},
                         {QStringLiteral("query and key"), vectorsText(scene.state)}};
    if (const auto pair = scene.enlargedPair()) {
        settings.insert(QStringLiteral("pair"), *pair);
    }
    return settings;
}

namespace rotation {

QString tr(const char* text) {
    return QCoreApplication::translate("Rotation", text);
}

Figure figure(const QString& name, const RotationScene& scene) {
    Figure result;
    result.name = name;
    result.settings = rotationSettings(scene);
    return result;
}

double drawTitle(QPainter& painter, const QRectF& line, const FigureStyle& style, const QString& title) {
    const QFont font = style.font(style.tickPt);
    const QFontMetricsF metrics(font);
    const QString shown = metrics.elidedText(title, Qt::ElideRight, line.width());
    painter.setFont(font);
    painter.setPen(style.theme.text);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, shown);
    return metrics.horizontalAdvance(shown);
}

}  // namespace rotation

}  // namespace ropelab::ui
