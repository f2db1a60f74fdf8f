#include "ui/results/results_figure.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <algorithm>
#include <cmath>

#include "core/stats/results_cells.h"
#include "ui/results/results_words.h"

namespace ropelab::ui {

namespace {

constexpr double meanPt = 7;
constexpr double seedPt = 3.6;
constexpr double seedOffset = 0.16;  // beside the bar, in groups
constexpr double capWidth = 0.06;

using Emphasis = FigureCurve::Emphasis;

Emphasis emphasisOf(int group, int picked) {
    return group == picked ? Emphasis::picked : Emphasis::normal;
}

FigureCurve stroke(QList<double> x, QList<double> y, Ink ink, Emphasis emphasis) {
    FigureCurve curve;
    curve.x = std::move(x);
    curve.y = std::move(y);
    curve.ink = ink;
    curve.emphasis = emphasis;
    return curve;
}

FigureCurve point(double x, double y, double size, Ink ink, Emphasis emphasis) {
    FigureCurve curve = stroke({x}, {y}, ink, emphasis);
    curve.shape = FigureCurve::Shape::points;
    curve.pointPt = size;
    return curve;
}

QJsonObject settingsOf(const Results& results) {
    const auto text = QByteArray::fromStdString(results_json(results.table).dump());
    return {{QStringLiteral("results"), QJsonDocument::fromJson(text).object()}};
}

FigureTable tableOf(const ResultsTable& table) {
    FigureTable result;
    const auto add = [&](const QString& name, auto number) {
        QList<double> column;
        for (const ResultGroup& group : table.groups) column.append(number(group));
        result.names << name;
        result.columns.append(column);
    };
    for (const std::string& key : table.swept) {
        const bool isNumber = std::all_of(table.groups.begin(), table.groups.end(),
                                          [&](const ResultGroup& group) { return group.settings.at(key).is_number(); });
        if (!isNumber) continue;
        add(QString::fromStdString(key),
            [&key](const ResultGroup& group) { return group.settings.at(key).get<double>(); });
    }
    const std::size_t compared = table.compared;
    const Measure& measure = measures()[compared];
    const QString what = QObject::tr("%1 (%2)").arg(measureTitle(measure), measureUnit(measure));
    add(QObject::tr("n"), [=](const ResultGroup& g) { return static_cast<double>(g.described[compared].n); });
    add(what, [=](const ResultGroup& g) { return g.described[compared].mean; });
    add(QObject::tr("standard deviation"),
        [=](const ResultGroup& g) { return g.described[compared].standard_deviation; });
    add(QObject::tr("95 % interval, low"), [=](const ResultGroup& g) { return g.described[compared].confidence_low; });
    add(QObject::tr("95 % interval, high"),
        [=](const ResultGroup& g) { return g.described[compared].confidence_high; });
    return result;
}

}  // namespace

Figure resultsFigure(const Results& results, int picked) {
    const ResultsTable& table = results.table;
    const Measure& measure = measures()[table.compared];
    Figure figure;
    figure.name = QStringLiteral("results-") + QString::fromUtf8(measure.name.data());
    figure.name.replace(QLatin1Char('_'), QLatin1Char('-'));
    figure.summary = QObject::tr("Mean %1 of %2 with 95 % confidence intervals over seeds. %3")
                         .arg(measureTitle(measure),
                              table.groups.size() == 1 ? QObject::tr("one group")
                                                       : QObject::tr("%1 groups").arg(table.groups.size()),
                              overallWords(table));
    figure.note = QObject::tr("bars: 95 % interval; small points: seeds");
    figure.y.label = measureTitle(measure);
    figure.y.unit = measureUnit(measure);
    figure.placeholder = QObject::tr("No run has a number for this measure yet.");
    QStringList keys;
    for (const std::string& key : table.swept) keys << keyTitle(key);
    figure.x.label = keys.isEmpty() ? QObject::tr("group") : keys.join(QStringLiteral(" · "));

    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const ResultGroup& group = table.groups[i];
        figure.x.categories << shortLabel(table, group);
        const Description& described = group.described[table.compared];
        if (described.n == 0) continue;
        const double x = static_cast<double>(i);
        const Ink ink = Ink::data(results.colorOf(group));
        const Emphasis emphasis = emphasisOf(static_cast<int>(i), picked);
        if (described.n > 1) {
            const double low = described.confidence_low;
            const double high = described.confidence_high;
            figure.curves.push_back(stroke({x, x}, {low, high}, ink, emphasis));
            for (const double end : {low, high}) {
                figure.curves.push_back(stroke({x - capWidth, x + capWidth}, {end, end}, ink, emphasis));
            }
        }
        FigureCurve mean = point(x, described.mean, meanPt, ink, emphasis);
        mean.quantity = figure.y.label;
        figure.curves.push_back(mean);
        const std::vector<double> values = group.values(table.compared);
        for (std::size_t seed = 0; seed < values.size(); ++seed) {
            if (!std::isfinite(values[seed])) continue;
            const int color = static_cast<int>(results.runAt(group.counted[seed]) - 1);
            figure.curves.push_back(point(x + seedOffset, values[seed], seedPt, Ink::data(color), emphasis));
        }
    }
    if (table.groups.size() > 1 && table.groups[table.baseline].described[table.compared].n > 0) {
        figure.horizontalLines.push_back({table.groups[table.baseline].described[table.compared].mean,
                                          QObject::tr("baseline"), Ink{Ink::Kind::quiet}});
    }
    figure.table = tableOf(table);
    figure.settings = settingsOf(results);
    return figure;
}

std::optional<FigureView::Readout> resultsReadout(const Results& results, QPointF place) {
    const ResultsTable& table = results.table;
    const double nearest = std::round(place.x());
    if (nearest < 0 || nearest >= static_cast<double>(table.groups.size())) return std::nullopt;
    const ResultGroup& group = table.groups[static_cast<std::size_t>(nearest)];
    const Description& described = group.described[table.compared];
    const Measure& measure = measures()[table.compared];
    const QString unit = QLatin1Char(' ') + measureUnit(measure);
    const auto text = [](const std::string& words) { return QString::fromStdString(words); };
    FigureView::Readout readout{longLabel(table, group), nearest, {}};
    readout.rows.append(
        {QObject::tr("mean ± std"), text(mean_and_deviation(described, measure.decimals, " ± ")) + unit});
    readout.rows.append({QObject::tr("95 % interval"), text(interval_text(described, measure.decimals, " … "))});
    readout.rows.append({QObject::tr("seeds"), QString::number(described.n)});
    if (table.groups.size() > 1) {
        readout.rows.append({QObject::tr("verdict"), text(to_string(verdict_of(table, group).kind))});
    }
    return readout;
}

}  // namespace ropelab::ui
