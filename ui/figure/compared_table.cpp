#include "ui/figure/compared_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

bool isIncreasing(const QList<double>& keys) {
    const auto isWrong = [](double a, double b) { return !(a < b); };
    return !keys.isEmpty() && std::all_of(keys.begin(), keys.end(), [](double key) { return std::isfinite(key); }) &&
           std::adjacent_find(keys.begin(), keys.end(), isWrong) == keys.end();
}

/// NaN where the table has no such key.
QList<double> valuesAt(const QList<double>& keys, const QList<double>& ownKeys, const QList<double>& values) {
    QList<double> result;
    qsizetype at = 0;
    for (const double key : keys) {
        while (at < ownKeys.size() && ownKeys[at] < key) ++at;
        const bool isThere = at < ownKeys.size() && ownKeys[at] == key && at < values.size();
        result.append(isThere ? values[at] : kNoNumber);
    }
    return result;
}

QList<double> differencesOf(const QList<double>& a, const QList<double>& b, bool asRatio) {
    QList<double> result;
    for (qsizetype i = 0; i < a.size(); ++i) {
        const double value = asRatio ? b[i] / a[i] : b[i] - a[i];
        result.append(std::isfinite(value) ? value : kNoNumber);
    }
    return result;
}

FigureTable joined(const FigureTable& a, const FigureTable& b, bool asRatio) {
    QList<double> keys = a.columns.first();
    keys += b.columns.first();
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    FigureTable table;
    const auto add = [&table](const QString& name, const QList<double>& column) {
        table.names << name;
        table.columns << column;
    };
    add(a.names.first(), keys);
    for (qsizetype i = 1; i < a.columns.size(); ++i) {
        const QString name = a.names.value(i);
        const QList<double> first = valuesAt(keys, a.columns.first(), a.columns[i]);
        add(u"A · "_s + name, first);
        const qsizetype same = b.names.indexOf(name);
        if (same < 1) continue;
        const QList<double> second = valuesAt(keys, b.columns.first(), b.columns[same]);
        add(u"B · "_s + name, second);
        add((asRatio ? u"B / A · "_s : u"B − A · "_s) + name, differencesOf(first, second, asRatio));
    }
    for (qsizetype i = 1; i < b.columns.size(); ++i) {
        if (a.names.indexOf(b.names.value(i)) >= 1) continue;
        add(u"B · "_s + b.names.value(i), valuesAt(keys, b.columns.first(), b.columns[i]));
    }
    return table;
}

}  // namespace

FigureTable comparedTable(const FigureTable& a, const FigureTable& b, bool asRatio) {
    const bool canJoin = !a.columns.isEmpty() && !b.columns.isEmpty() && a.words.isEmpty() && b.words.isEmpty() &&
                         a.names.value(0) == b.names.value(0) && isIncreasing(a.columns.first()) &&
                         isIncreasing(b.columns.first());
    if (canJoin) return joined(a, b, asRatio);
    FigureTable table;
    const auto append = [&table](const FigureTable& from, const QString& letter) {
        for (const auto& [name, words] : from.words) table.words.append({letter + name, words});
        for (const QString& name : from.names) table.names << letter + name;
        table.columns += from.columns;
    };
    append(a, u"A · "_s);
    append(b, u"B · "_s);
    return table;
}

FigureTable tableOfCurves(const Figure& figure) {
    FigureTable table;
    for (const FigureCurve& curve : figure.curves) {
        const bool isNamed = !curve.label.isEmpty() || !curve.quantity.isEmpty();
        const bool isPoint = curve.x.size() < 2;
        if (!isNamed || isPoint) continue;
        if (table.columns.isEmpty()) {
            table.names << figure.x.title();
            table.columns << curve.x;
        }
        const QString name = curve.label.isEmpty()      ? curve.quantity
                             : curve.quantity.isEmpty() ? curve.label
                                                        : curve.label + u" · "_s + curve.quantity;
        if (curve.x != table.columns.first() || table.names.contains(name)) return {};
        table.names << name + (figure.y.unit.isEmpty() ? QString() : u" (%1)"_s.arg(figure.y.unit));
        table.columns << curve.y;
    }
    return table;
}

}  // namespace ropelab::ui
