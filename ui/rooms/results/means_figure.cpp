#include "ui/rooms/results/means_figure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/results/results_compare.h"
#include "ui/common/results_words.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

namespace {

constexpr double kSeedOffset = 0.16;     // distance of the seeds' points from the bar, in units of the x axis
constexpr double kCapWidth = 0.06;       // half the width of a bar's caps, in units of the x axis
constexpr qsizetype kLongestTitle = 28;  // characters

QList<double> groupPlaces(const ResultsTable& table) {
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
    figure.summary = QObject::tr("Mean %1 of %2 with 95 % confidence intervals over the seeds. %3")
                         .arg(measureTitle(measure),
                              table.groups.size() == 1 ? QObject::tr("one group")
                                                       : QObject::tr("%1 groups").arg(table.groups.size()),
                              overallWords(table));
    figure.note = barsNote(table, QObject::tr("bars: 95 % confidence interval; small points: seeds"));
    figure.y = {measureTitle(measure), measureUnit(measure)};
    figure.emptyText = QObject::tr("No run has a value of this measure yet.");
    figure.x.label = shortLabelKeys(table);
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const ResultGroup& group = table.groups[i];
        figure.x.categories << shortLabel(table, group);
        const Description& described = group.described[table.compared];
        if (described.n == 0) continue;
        const double x = static_cast<double>(i);
        const Ink ink = data.results.inkOf(group);
        const Emphasis emphasis = emphasisOf(data, i);
        addErrorBar(figure, x, described.confidence_low, described.confidence_high, kCapWidth, ink, emphasis);
        FigureCurve mean =
            dotWithBar(x, described.mean, described.confidence_low, described.confidence_high, kMeanPt, ink, emphasis);
        mean.quantity = figure.y.label;
        figure.curves.push_back(std::move(mean));
        const std::vector<double> values = group.values(table.compared);
        for (std::size_t seed = 0; seed < values.size(); ++seed) {
            if (!std::isfinite(values[seed])) continue;
            const Ink own = data.runs[group.counted[seed]].ink;
            figure.curves.push_back(dot(x + kSeedOffset, values[seed], kSeedPt, own, emphasis));
        }
        picture.spots.push_back(groupSpot(data, i, {x, described.mean}));
    }
    for (const ResultGroup& group : table.groups) {
        if (table.groups.size() == 1 || !table.is_baseline(group) || group.described[table.compared].n == 0) continue;
        figure.horizontalLines.push_back({.at = group.described[table.compared].mean,
                                          .label = QObject::tr("baseline"),
                                          .ink = {Ink::Kind::quiet},
                                          .labelAtEnd = true});  // the label must not cover the points
    }
    if (!figure.curves.empty()) addDiverged(picture, data, groupPlaces(table));
    figure.table = groupColumns(data);
    return picture;
}

ResultsPicture pairedDifferences(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "paired-differences"), {}};
    Figure& figure = picture.figure;
    figure.x.label = shortLabelKeys(table);
    const QString against = table.groups.empty() ? QString() : baselineTitle(table);
    // A long name would push the unit out of the axis title, so the note shows it instead.
    const bool isLong = against.size() > kLongestTitle;
    figure.y = {QObject::tr("difference from %1").arg(isLong ? QObject::tr("the baseline") : against),
                measureUnit(data.measure())};
    figure.emptyText = QObject::tr(
        "Paired differences need a second group with a seed that the baseline also has: sweep a setting and use the "
        "same seeds for each value.");
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
        const Ink ink = data.results.inkOf(group);
        const Emphasis emphasis = emphasisOf(data, i);
        addErrorBar(figure, x, interval->low, interval->high, kCapWidth, ink, emphasis);
        figure.curves.push_back(
            dotWithBar(x, interval->difference, interval->low, interval->high, kMeanPt, ink, emphasis));
        Spot spot{{x, interval->difference}, longLabel(table, group), {}, static_cast<int>(i)};
        spot.rows.append({QObject::tr("mean difference"), readableNumber(interval->difference)});
        if (std::isfinite(interval->low)) {
            spot.rows.append(
                {QObject::tr("95 % interval"),
                 QObject::tr("%1 … %2").arg(readableNumber(interval->low), readableNumber(interval->high))});
        }
        for (const SeedDifference& pair : seed_differences(group, *baseline, table.compared)) {
            figure.curves.push_back(dot(x + kSeedOffset, pair.difference, kSeedPt, ink, emphasis));
            spot.rows.append({QObject::tr("seed %1").arg(pair.seed), readableNumber(pair.difference)});
            drawn.push_back(i);
            rows.columns[0].append(static_cast<double>(pair.seed));
            rows.columns[1].append(pair.difference);
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
    figure.note = barsNote(table, QObject::tr("small points: seeds; bars: 95 % confidence interval of the mean"));
    figure.summary =
        QObject::tr(
            "Difference of the %3 from %1 per seed: %2 pairs, and each group's mean with its 95 % confidence interval.")
            .arg(against)
            .arg(pairs)
            .arg(measureTitle(data.measure()));
    if (isLong) addNote(figure, QObject::tr("baseline: %1").arg(against));
    figure.horizontalLines.push_back({.at = 0, .label = {}, .ink = {Ink::Kind::quiet}});
    addDiverged(picture, data, groupPlaces(table));
    return picture;
}

}  // namespace ropelab::ui
