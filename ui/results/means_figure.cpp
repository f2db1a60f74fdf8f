#include "ui/results/means_figure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/stats/results_interval.h"
#include "ui/figure/ticks.h"
#include "ui/results/results_words.h"

namespace ropelab::ui {

namespace {

constexpr double seedOffset = 0.16;  // beside the bar, in groups
constexpr double capWidth = 0.06;
constexpr qsizetype longestTitle = 28;

QList<double> everyGroup(const ResultsTable& table) {
    QList<double> places(static_cast<qsizetype>(table.groups.size()));
    std::iota(places.begin(), places.end(), 0.0);
    return places;
}

}  // namespace

ResultsPicture meansFigure(const ResultsData& data) {
    const ResultsTable& table = data.table();
    const Measure& measure = data.measure();
    ResultsPicture picture{emptyFigure(data, "group-means"), {}};
    Figure& figure = picture.figure;
    figure.summary = QObject::tr("Mean %1 of %2 with 95 % confidence intervals over seeds. %3")
                         .arg(measureTitle(measure),
                              table.groups.size() == 1 ? QObject::tr("one group")
                                                       : QObject::tr("%1 groups").arg(table.groups.size()),
                              overallWords(table));
    figure.note = QObject::tr("bars: 95 % interval; small points: seeds");
    figure.y = {measureTitle(measure), measureUnit(measure)};
    figure.emptyText = QObject::tr("No run has a number for this measure yet.");
    figure.x.label = shortLabelKeys(table);
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const ResultGroup& group = table.groups[i];
        figure.x.categories << shortLabel(table, group);
        const Description& described = group.described[table.compared];
        if (described.n == 0) continue;
        const double x = static_cast<double>(i);
        const Ink ink = Ink::data(data.results.colorOf(group));
        const Emphasis emphasis = emphasisOf(data, i);
        addErrorBar(figure, x, described.confidence_low, described.confidence_high, capWidth, ink, emphasis);
        FigureCurve mean = dot(x, described.mean, meanPt, ink, emphasis);
        mean.quantity = figure.y.label;
        figure.curves.push_back(std::move(mean));
        const std::vector<double> values = group.values(table.compared);
        for (std::size_t seed = 0; seed < values.size(); ++seed) {
            if (!std::isfinite(values[seed])) continue;
            const int color = data.runs[group.counted[seed]].colorIndex();
            figure.curves.push_back(dot(x + seedOffset, values[seed], seedPt, Ink::data(color), emphasis));
        }
        picture.spots.push_back(groupSpot(data, i, {x, described.mean}));
    }
    for (const ResultGroup& group : table.groups) {
        if (table.groups.size() == 1 || !table.is_baseline(group) || group.described[table.compared].n == 0) continue;
        figure.horizontalLines.push_back({.at = group.described[table.compared].mean,
                                          .label = QObject::tr("baseline"),
                                          .ink = {Ink::Kind::quiet},
                                          .wordsAtEnd = true});  // beside the points, not on them
    }
    if (!figure.curves.empty()) addDiverged(picture, data, everyGroup(table));
    figure.table = groupColumns(data);
    return picture;
}

ResultsPicture pairedDifferences(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "paired-differences"), {}};
    Figure& figure = picture.figure;
    figure.x.label = shortLabelKeys(table);
    const QString against = table.groups.empty() ? QString() : baselineTitle(table);
    // A long name would push the unit out of the axis's title; it goes into the note.
    const bool isLong = against.size() > longestTitle;
    figure.y = {QObject::tr("difference from %1").arg(isLong ? QObject::tr("the baseline") : against),
                measureUnit(data.measure())};
    figure.emptyText = QObject::tr(
        "Paired differences need a second group that shares a seed with the baseline: sweep a key with the same "
        "seeds.");
    FigureTable& rows = figure.table;
    rows.names = {QObject::tr("seed"), figure.y.title()};
    rows.columns.resize(2);
    std::vector<std::size_t> drawn;
    int pairs = 0;
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const ResultGroup& group = table.groups[i];
        figure.x.categories << shortLabel(table, group);
        const ResultGroup* baseline = table.baseline_of(group);
        if (!baseline || baseline == &group) continue;
        const auto interval = difference_interval(group, *baseline, table.compared, TestKind::paired);
        if (!interval) continue;
        const double x = static_cast<double>(i);
        const Ink ink = Ink::data(data.results.colorOf(group));
        const Emphasis emphasis = emphasisOf(data, i);
        addErrorBar(figure, x, interval->low, interval->high, capWidth, ink, emphasis);
        figure.curves.push_back(dot(x, interval->difference, meanPt, ink, emphasis));
        Spot spot{{x, interval->difference}, longLabel(table, group), {}, static_cast<int>(i)};
        spot.rows.append({QObject::tr("mean difference"), readableNumber(interval->difference)});
        if (std::isfinite(interval->low)) {
            spot.rows.append(
                {QObject::tr("95 % interval"),
                 QObject::tr("%1 … %2").arg(readableNumber(interval->low), readableNumber(interval->high))});
        }
        for (const SeedDifference& of : seed_differences(group, *baseline, table.compared)) {
            figure.curves.push_back(dot(x + seedOffset, of.difference, seedPt, ink, emphasis));
            spot.rows.append({QObject::tr("seed %1").arg(of.seed), readableNumber(of.difference)});
            drawn.push_back(i);
            rows.columns[0].append(static_cast<double>(of.seed));
            rows.columns[1].append(of.difference);
            ++pairs;
        }
        picture.spots.push_back(std::move(spot));
    }
    addKeys(rows, table, drawn);
    if (pairs == 0) {
        figure.x.categories.clear();
        figure.summary = figure.emptyText;
        return picture;
    }
    figure.note = QObject::tr("small points: seeds; bars: 95 % interval of their mean");
    figure.summary =
        QObject::tr("Differences of the %3 from %1 by seed, %2 pairs, each group's mean with its 95 % interval.")
            .arg(against)
            .arg(pairs)
            .arg(measureTitle(data.measure()));
    if (isLong) addNote(figure, QObject::tr("baseline: %1").arg(against));
    figure.horizontalLines.push_back({.at = 0, .label = {}, .ink = {Ink::Kind::quiet}});
    addDiverged(picture, data, everyGroup(table));
    return picture;
}

}  // namespace ropelab::ui
