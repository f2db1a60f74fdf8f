#include "ui/figure/figure_caption.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QMap>
#include <QObject>
#include <QStringList>
#include <algorithm>

namespace ropelab::ui {
namespace {

/// A symbol at the beginning, such as θ or B(m), stays as it is.
QString captionSentence(QString words) {
    words = words.trimmed();
    if (words.isEmpty()) return words;
    const bool isWord = words.size() > 1 && words[0].isLower() && words[0].unicode() < 0x80 && words[1].isLower();
    if (isWord) words[0] = words[0].toUpper();
    return words.endsWith(QLatin1Char('.')) ? words : words + QLatin1Char('.');
}

/// "0.25", "100, 10000"; "" for a nested object.
QString captionValue(const QJsonValue& value) {
    if (value.isArray()) {
        QStringList all;
        for (const QJsonValue& each : value.toArray()) all << captionValue(each);
        return all.join(QStringLiteral(", "));
    }
    if (value.isObject()) return {};
    return value.isBool() ? (value.toBool() ? QStringLiteral("true") : QStringLiteral("false"))
                          : value.toVariant().toString();
}

/// "theta = 100, 10000; width = 16".
QString captionValues(const QJsonObject& settings, const QStringList& omitted = {}) {
    QStringList parts;
    for (const QString& key : settings.keys()) {
        const QString value = captionValue(settings[key]);
        if (!value.isEmpty() && !omitted.contains(key)) parts << QStringLiteral("%1 = %2").arg(key, value);
    }
    return parts.join(QStringLiteral("; "));
}

QString quantityWords(const Figure& figure) {
    if (!figure.panels.empty()) return quantityWords(figure.panels.front());  // the panels show the same quantity
    if (figure.drawing) return figure.summary;
    if (figure.map) {
        return QObject::tr("%1 by %2 and %3").arg(figure.map->title(), figure.x.title(), figure.y.title());
    }
    if (figure.y.label.isEmpty() || figure.x.label.isEmpty()) {
        const QString title = figure.x.title() + figure.y.title();
        return title.isEmpty() ? figure.summary : title;
    }
    return QObject::tr("%1 against %2").arg(figure.y.title(), figure.x.title());
}

/// "n = 3 seeds per setting".
QString seedWords(const QJsonArray& groups) {
    int least = -1;
    int most = 0;
    for (const QJsonValue& group : groups) {
        const int n = group[QStringLiteral("n")].toInt();
        least = least < 0 ? n : std::min(least, n);
        most = std::max(most, n);
    }
    if (most == 0) return {};
    if (least == most) {
        return most == 1 ? QObject::tr("n = 1 seed per setting") : QObject::tr("n = %1 seeds per setting").arg(most);
    }
    return QObject::tr("n = %1 to %2 seeds per setting").arg(least).arg(most);
}

/// "Settings: theta = 100, 10000".
QString groupWords(const QJsonArray& groups) {
    QMap<QString, QStringList> values;
    for (const QJsonValue& group : groups) {
        const QJsonObject settings = group[QStringLiteral("settings")].toObject();
        for (const QString& key : settings.keys()) {
            const QString value = captionValue(settings[key]);
            if (!values[key].contains(value)) values[key] << value;
        }
    }
    QStringList parts;
    for (const auto& [key, all] : values.asKeyValueRange()) {
        parts << QStringLiteral("%1 = %2").arg(key, all.join(QStringLiteral(", ")));
    }
    return parts.isEmpty() ? QString() : QObject::tr("Settings: %1").arg(parts.join(QStringLiteral("; ")));
}

QStringList resultsWords(const QJsonObject& results) {
    const QJsonArray groups = results[QStringLiteral("groups")].toArray();
    QStringList parts = {seedWords(groups), groupWords(groups)};
    if (const QString baseline = captionValues(results[QStringLiteral("baseline")].toObject()); !baseline.isEmpty()) {
        parts << QObject::tr("Baseline: %1").arg(baseline);
    }
    return parts;
}

QStringList runWords(const QJsonObject& settings) {
    QStringList parts = {QObject::tr("Run: %1").arg(settings[QStringLiteral("name")].toString())};
    if (settings.contains(QStringLiteral("snapshot"))) {
        parts.first() += QObject::tr(", step %1").arg(captionValue(settings[QStringLiteral("snapshot")]));
    }
    if (const QJsonObject second = settings[QStringLiteral("second_run")].toObject(); !second.isEmpty()) {
        parts << QObject::tr("Second run: %1").arg(second[QStringLiteral("name")].toString());
    }
    const int layer = settings[QStringLiteral("layer")].toInt(-1);
    const int head = settings[QStringLiteral("head")].toInt(-1);
    if (layer >= 0 && head >= 0) parts << QObject::tr("Layer %1, head %2").arg(layer).arg(head);
    return parts;
}

/// "Precision: float32", or with the numbers of runs if they differ; "" if no run has begun.
QString precisionWords(const QJsonObject& lab) {
    const QJsonObject counts = lab[QStringLiteral("precision")].toObject();
    QStringList parts;
    for (const QString& precision : counts.keys()) {
        const int runs = counts[precision].toInt();
        parts << (counts.size() == 1 ? precision
                  : runs == 1        ? QObject::tr("%1 (1 run)").arg(precision)
                                     : QObject::tr("%1 (%2 runs)").arg(precision).arg(runs));
    }
    return parts.isEmpty() ? QString() : QObject::tr("Precision: %1").arg(parts.join(QStringLiteral(", ")));
}

QStringList settingsWords(const Figure& figure) {
    const QJsonObject& settings = figure.settings;
    if (settings.contains(QStringLiteral("results")))
        return resultsWords(settings[QStringLiteral("results")].toObject());
    if (settings.contains(QStringLiteral("setup"))) {
        QStringList parts = {QObject::tr("Setup: %1").arg(settings[QStringLiteral("setup")].toString())};
        const QString flags = captionValues(figure.origin.flags, {QStringLiteral("figure"), QStringLiteral("setup")});
        if (!flags.isEmpty()) parts << flags;
        return parts;
    }
    if (settings.contains(QStringLiteral("snapshot")) || settings.contains(QStringLiteral("run"))) {
        return runWords(settings);
    }
    QStringList parts;
    if (const auto runs = figure.origin.lab[QStringLiteral("runs")].toArray(); !runs.isEmpty()) {
        parts << (runs.size() == 1 ? QObject::tr("n = 1 run") : QObject::tr("n = %1 runs").arg(runs.size()));
    }
    const QJsonObject view = settings[QStringLiteral("view")].toObject();
    if (const double smoothing = view[QStringLiteral("smoothing")].toDouble(); smoothing > 0) {
        parts << QObject::tr("Curves are smoothed with the weight %1").arg(smoothing);
    }
    // The setting "precision" can be "auto"; the caption says what was used.
    QStringList omitted = {QStringLiteral("name")};
    if (!precisionWords(figure.origin.lab).isEmpty()) omitted << QStringLiteral("precision");
    if (const QString values = captionValues(settings, omitted); !values.isEmpty()) {
        parts << QObject::tr("Settings: %1").arg(values);
    }
    return parts;
}

}  // namespace

QString captionOf(const Figure& figure) {
    QStringList sentences = {captionSentence(quantityWords(figure))};
    const QStringList notes = figure.note.split(QStringLiteral("; "), Qt::SkipEmptyParts);
    for (const QString& note : notes) sentences << captionSentence(note);
    const QStringList settings = settingsWords(figure);
    for (const QString& words : settings) sentences << captionSentence(words);
    sentences << captionSentence(precisionWords(figure.origin.lab));
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char(' '));
}

}  // namespace ropelab::ui
