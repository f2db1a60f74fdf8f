#include "ui/figure/figure_summary.h"

#include <cmath>
#include <limits>

#include "ui/figure/ticks.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

struct Extremes {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    QString lowest;
    QString highest;

    void add(double value, const QString& name) {
        if (!std::isfinite(value)) return;
        if (value < low) {
            low = value;
            lowest = name;
        }
        if (value > high) {
            high = value;
            highest = name;
        }
    }
    bool isEmpty() const { return low > high; }
};

QString valueText(double value, const QString& unit, const QString& name = {}) {
    QString text = readableNumber(value);
    if (!unit.isEmpty()) text += QLatin1Char(' ') + unit;
    return name.isEmpty() ? text : u"%1 (%2)"_s.arg(text, name);
}

QString mapSummary(const Figure& figure) {
    const FigureMap& map = *figure.map;
    Extremes values;
    for (const float value : map.values) values.add(value, {});
    if (values.isEmpty()) return u"The map of %1 has no values."_s.arg(map.label);
    return u"Map of %1 with %2 columns (%3) and %4 rows (%5), values from %6 to %7."_s.arg(map.label)
        .arg(map.columns)
        .arg(figure.x.label)
        .arg(map.rows)
        .arg(figure.y.label, valueText(values.low, map.unit), valueText(values.high, map.unit));
}

QString curvesSummary(const Figure& figure) {
    Extremes x;
    Extremes y;
    int count = 0;
    for (const FigureCurve& curve : figure.curves) {
        if (curve.x.isEmpty()) continue;
        ++count;
        x.add(curve.x.first(), {});
        x.add(curve.x.last(), {});
        for (const double value : curve.y) y.add(value, curve.label);
    }
    if (x.isEmpty() || y.isEmpty()) return u"The figure of %1 has no values."_s.arg(figure.y.label);
    const QString curves = count == 1 ? u"1 curve"_s : u"%1 curves"_s.arg(count);
    return u"%1 against %2 from %3 to %4: %5, lowest value %6, highest value %7."_s.arg(
        figure.y.label, figure.x.label, valueText(x.low, {}), valueText(x.high, figure.x.unit), curves,
        valueText(y.low, figure.y.unit, y.lowest), valueText(y.high, figure.y.unit, y.highest));
}

}  // namespace

QString figureSummary(const Figure& figure) {
    if (!figure.summary.isEmpty()) return figure.summary;
    if (isEmpty(figure)) return figure.emptyText;
    if (figure.map) return mapSummary(figure);
    return figure.curves.empty() ? figure.name : curvesSummary(figure);
}

}  // namespace ropelab::ui
