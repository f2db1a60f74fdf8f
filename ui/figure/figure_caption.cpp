#include "ui/figure/figure_caption.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QMap>
#include <QStringList>
#include <algorithm>

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// A symbol at the beginning, such as θ or B(m), stays as it is.
QString captionSentence(QString words) {
    words = words.trimmed();
    if (words.isEmpty()) return words;
    const bool isWord = words.startsWith("a "_L1) ||
                        (words.size() > 1 && words[0].isLower() && words[0].unicode() < 0x80 && words[1].isLower());
    if (isWord) words[0] = words[0].toUpper();
    return words.endsWith(QLatin1Char('.')) ? words : words + QLatin1Char('.');
}

QString captionValue(const QJsonValue& value);

/// One of several values: "none" for a missing or empty one.
QString captionItem(const QJsonValue& value) {
    const QString words = captionValue(value);
    return words.isEmpty() ? u"none"_s : words;
}

/// "0.25", "100, 10000"; "" for a nested object.
QString captionValue(const QJsonValue& value) {
    if (value.isArray()) {
        QStringList all;
        for (const QJsonValue& each : value.toArray()) all << captionItem(each);
        return all.join(u", "_s);
    }
    if (value.isObject()) return {};
    return value.isBool() ? (value.toBool() ? u"true"_s : u"false"_s) : value.toVariant().toString();
}

/// "theta = 100, 10000; width = 16".
QString captionValues(const QJsonObject& settings, const QStringList& omitted = {}) {
    QStringList parts;
    for (const QString& key : settings.keys()) {
        const QString value = captionValue(settings[key]);
        if (!value.isEmpty() && !omitted.contains(key)) parts << u"%1 = %2"_s.arg(key, value);
    }
    return parts.join(u"; "_s);
}

/// Drawings of two setups have their own numbers, and their summary names both.
bool isOfTwoDrawings(const Figure& figure) {
    return figure.settings.contains(u"compared"_s) && !figure.panels.empty() && figure.panels.front().drawing;
}

/// "key norm by frequency, by pair (fastest first) and layer".
QString mapWords(const QString& values, const QString& columns, const QString& rows) {
    const auto inBrackets = [](const QString& title) {
        const qsizetype comma = title.indexOf(u", "_s);
        return comma < 0 ? title : u"%1 (%2)"_s.arg(title.first(comma), title.sliced(comma + 2));
    };
    if (values.endsWith(u" by "_s + columns)) return u"%1 and %2"_s.arg(values, rows);
    const QString by = values.contains(u" by "_s) || values.contains(u" / "_s) ? u", by"_s : u" by"_s;
    return u"%1%2 %3 and %4"_s.arg(values, by, inBrackets(columns), inBrackets(rows));
}

QString quantityWords(const Figure& figure) {
    if (isOfTwoDrawings(figure)) return figure.summary;
    if (!figure.panels.empty()) {
        QStringList all;
        for (const Figure& panel : figure.panels) {
            if (!isEmpty(panel) && !isPlaceholder(panel)) all << quantityWords(panel);
        }
        all.removeDuplicates();
        return all.isEmpty() ? quantityWords(figure.panels.front()) : all.join(u"; "_s);
    }
    if (figure.drawing) return figure.summary;
    if (figure.map) {
        const QStringList& classes = figure.map->classes;
        return mapWords(classes.isEmpty() ? figure.map->title() : classes.join(u" / "_s), figure.x.title(),
                        figure.y.title());
    }
    if (figure.y.label.isEmpty() || figure.x.label.isEmpty()) {
        const QString title = figure.x.title() + figure.y.title();
        return title.isEmpty() ? figure.summary : title;
    }
    return u"%1 against %2"_s.arg(figure.y.title(), figure.x.title());
}

/// All groups, unless the figure says how many values of each it shows.
QJsonArray shownGroups(const QJsonObject& results) {
    QJsonArray shown;
    const QJsonArray groups = results[u"groups"_s].toArray();
    for (const QJsonValue& group : groups) {
        if (group[u"shown"_s].toInt(1) > 0) shown.append(group);
    }
    return shown;
}

/// "n = 3 seeds per setting", or pairs of what the figure counts. A setting without values is not counted.
QString seedWords(const QJsonObject& results) {
    int least = 0;
    int most = 0;
    const QJsonArray groups = shownGroups(results);
    for (const QJsonValue& group : groups) {
        const int n = group[u"shown"_s].toInt(group[u"n"_s].toInt());
        if (n == 0) continue;
        least = least == 0 ? n : std::min(least, n);
        most = std::max(most, n);
    }
    if (most == 0) return {};
    const QString unit = results[u"counted"_s].toString(u"seed"_s) + (most == 1 ? QString() : u"s"_s);
    return u"n = %1 %2 per setting"_s.arg(least == most ? QString::number(most) : u"%1 to %2"_s.arg(least).arg(most),
                                          unit);
}

/// "Settings: theta = 100, 10000".
QString groupWords(const QJsonArray& groups) {
    QMap<QString, QStringList> values;
    for (const QJsonValue& group : groups) {
        const QJsonObject settings = group[u"settings"_s].toObject();
        for (const QString& key : settings.keys()) {
            const QString value = captionItem(settings[key]);
            if (!values[key].contains(value)) values[key] << value;
        }
    }
    QStringList parts;
    for (const auto& [key, all] : values.asKeyValueRange()) {
        parts << u"%1 = %2"_s.arg(key, all.join(u", "_s));
    }
    return parts.isEmpty() ? QString() : u"Settings: %1"_s.arg(parts.join(u"; "_s));
}

/// "Baseline: theta = 100", or one per data set; "" if the shown groups are compared with none.
QString baselineWords(const QJsonObject& results) {
    if (!results.contains(u"baseline"_s)) return {};
    QStringList baselines;
    const QJsonArray groups = shownGroups(results);
    for (const QJsonValue& group : groups) {
        const QJsonValue baseline = group[u"baseline"_s];
        if (baseline == group[u"settings"_s]) continue;
        const QString values = captionValues(baseline.toObject());
        if (!values.isEmpty() && !baselines.contains(values)) baselines << values;
    }
    if (baselines.isEmpty()) return {};
    return baselines.size() == 1 ? u"Baseline: %1"_s.arg(baselines.front())
                                 : u"Baselines: (%1)"_s.arg(baselines.join(u"), ("_s));
}

QStringList resultsWords(const QJsonObject& results) {
    return {seedWords(results), groupWords(shownGroups(results)), baselineWords(results),
            results[u"search_warning"_s].toString()};
}

QStringList runWords(const QJsonObject& settings) {
    QStringList parts = {u"Run: %1"_s.arg(settings[u"name"_s].toString())};
    if (settings.contains(u"snapshot"_s)) {
        parts.first() += u", step %1"_s.arg(captionValue(settings[u"snapshot"_s]));
    }
    if (const QJsonObject second = settings[u"second_run"_s].toObject(); !second.isEmpty()) {
        parts << u"Second run: %1"_s.arg(second[u"name"_s].toString());
    }
    const int layer = settings[u"layer"_s].toInt(-1);
    const int head = settings[u"head"_s].toInt(-1);
    if (layer >= 0 && head >= 0) parts << u"Layer %1, head %2"_s.arg(layer).arg(head);
    return parts;
}

/// Numbers of runs by precision: of the results, only runs of the shown groups' means.
QJsonObject precisionsOf(const Figure& figure) {
    QJsonObject counts;
    const QJsonArray groups = shownGroups(figure.settings[u"results"_s].toObject());
    for (const QJsonValue& group : groups) {
        const QJsonObject chosen = group[u"chosen_precision"_s].toObject();
        for (const QString& name : chosen.keys()) counts[name] = counts[name].toInt() + chosen[name].toInt();
    }
    return counts.isEmpty() ? figure.origin.lab[u"precision"_s].toObject() : counts;
}

/// "Precision: float32", or with the numbers of runs if they differ; "" if no run has begun.
QString precisionWords(const Figure& figure) {
    const QJsonObject counts = precisionsOf(figure);
    QStringList parts;
    for (const QString& precision : counts.keys()) {
        const int runs = counts[precision].toInt();
        parts << (counts.size() == 1 ? precision
                  : runs == 1        ? u"%1 (1 run)"_s.arg(precision)
                                     : u"%1 (%2 runs)"_s.arg(precision).arg(runs));
    }
    return parts.isEmpty() ? QString() : u"Precision: %1"_s.arg(parts.join(u", "_s));
}

QStringList settingsWords(const Figure& figure) {
    const QJsonObject& settings = figure.settings;
    if (settings.contains(u"results"_s)) return resultsWords(settings[u"results"_s].toObject());
    if (settings.contains(u"setup"_s)) {
        const QString setup = settings[u"setup"_s].toString();
        QStringList parts = {(setup.contains(u" | B: "_s) ? u"Setups: A: %1"_s : u"Setup: %1"_s).arg(setup)};
        QStringList omitted = {u"figure"_s, u"setup"_s, u"head"_s};                    // the note names the head
        if (figure.origin.flags[u"distances"_s] == u"0"_s) omitted << u"distances"_s;  // all distances
        if (figure.origin.lab.isEmpty()) omitted << u"layer"_s;                        // of trained encodings
        const QString flags = captionValues(figure.origin.flags, omitted);
        if (!flags.isEmpty()) parts << flags;
        return parts;
    }
    if (settings.contains(u"snapshot"_s) || settings.contains(u"run"_s)) {
        return runWords(settings);
    }
    QStringList parts;
    if (const auto runs = figure.origin.lab[u"runs"_s].toArray(); !runs.isEmpty()) {
        parts << (runs.size() == 1 ? u"n = 1 run"_s : u"n = %1 runs"_s.arg(runs.size()));
    }
    // Of a model, or of two.
    for (const QString& suffix : {QString(), u" B"_s}) {
        const QString words = settings[u"settings"_s + suffix].toString();
        if (words.isEmpty()) continue;
        parts << (settings.contains(u"settings B"_s)
                      ? suffix.isEmpty() ? u"Settings of the first model: %1"_s : u"Settings of the second model: %1"_s
                      : u"Settings: %1"_s)
                     .arg(words);
    }
    // The setting "precision" can be "auto"; the caption says what was used.
    QStringList omitted = {u"name"_s, u"settings"_s, u"settings B"_s};
    if (settings[u"vocabulary"_s] == settings[u"vocabulary B"_s]) omitted << u"vocabulary B"_s;
    if (!precisionWords(figure).isEmpty()) omitted << u"precision"_s;
    if (const QString values = captionValues(settings, omitted); !values.isEmpty()) {
        parts << (settings.contains(u"settings B"_s) ? u"Both: %1"_s : u"Settings: %1"_s).arg(values);
    }
    return parts;
}

}  // namespace

QStringList noteParts(const QString& note) {
    QStringList parts;
    for (const QString& part : note.split(u"; "_s, Qt::SkipEmptyParts)) {
        const bool isOpen = !parts.isEmpty() && parts.last().count(u'(') > parts.last().count(u')');
        if (isOpen) {
            parts.last() += u"; "_s + part;
        } else {
            parts << part;
        }
    }
    return parts;
}

QString captionOf(const Figure& figure) {
    QStringList sentences = {captionSentence(quantityWords(figure))};
    const QStringList notes = isOfTwoDrawings(figure) ? QStringList() : noteParts(figure.note);
    for (const QString& note : notes) sentences << captionSentence(note);
    // A point at a short bar is smaller than its bar (figure_curves.cpp).
    if (std::ranges::any_of(figure.curves, [](const FigureCurve& each) { return each.bar.has_value(); }))
        sentences << u"Points are smaller where their bars are short."_s;
    const QStringList settings = settingsWords(figure);
    for (const QString& words : settings) sentences << captionSentence(words);
    sentences << captionSentence(precisionWords(figure));
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char(' '));
}

}  // namespace ropelab::ui
