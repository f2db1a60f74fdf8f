#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "core/reproduce/rules/measuring.h"
#include "core/results/results_compare.h"
#include "core/stats/descriptive.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/results/results_figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kSeedOffset = 0.16;     // distance of the seeds' points from the bar, in units of the x axis
constexpr double kCapWidth = 0.06;       // half the width of a bar's caps, in units of the x axis
constexpr qsizetype kLongestTitle = 28;  // characters
constexpr std::size_t kMostLevels = 30;  // names beside their lines; the axis names more

/// The columns of groups. Where a lab has a baseline for each text (or model), the groups of one text are beside each
/// other, below its name, so that the labels of the columns need not say it. The axis names many texts instead: it has
/// no space for a label per column, and the first column of each text has the same label.
struct Columns {
    std::vector<std::size_t> order;  // of the groups
    QString keys;
    QStringList labels;  // by group, as `levels`
    QStringList levels;  // the text; empty if there is one only
    bool isCrowded = false;

    explicit Columns(const ResultsTable& table) : order(table.groups.size()) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::vector<std::string> within, level;
        const auto isOfLevel = [&](const std::string& key) {
            return std::ranges::all_of(table.groups, [&](const ResultGroup& group) {
                const ResultGroup* baseline = table.baseline_of(group);
                return baseline && group.settings.at(key) == baseline->settings.at(key);
            });
        };
        for (const std::string& key : distinguishing_keys(table)) (isOfLevel(key) ? level : within).push_back(key);
        if (level.empty() || has_names(table)) within.clear();
        keys = shortLabelKeys(table, within);
        labels = shortLabels(table, within);
        if (within.empty()) return;
        levels = shortLabels(table, level);
        std::ranges::stable_sort(order, {}, [&](std::size_t group) { return table.groups[group].against; });
        isCrowded = std::set(levels.begin(), levels.end()).size() > kMostLevels;
        if (isCrowded) keys = shortLabelKeys(table, level);
    }
};

}  // namespace

ResultsPicture meansFigure(const ResultsData& data) {
    const ResultsTable& table = data.table();
    const Measure& measure = data.measure();
    ResultsPicture picture{emptyFigure(data, "group-means"), {}};
    Figure& figure = picture.figure;
    const ShownValues shown = shownMeans(table);
    figure.summary = u"Mean %1 of %2%4. %3"_s.arg(
        measureTitle(measure), table.groups.size() == 1 ? u"one group"_s : u"%1 groups"_s.arg(table.groups.size()),
        overallWords(table), shown.haveBars ? u" with 95 % confidence intervals over the seeds"_s : QString());
    // The spread over seeds that all groups share cancels in pairs, so overlapping bars do not contradict a verdict.
    const QString paired = is_by_seed(table.test) ? u"; tests compare equal seeds, not bars"_s : QString();
    figure.note = barsNote(shown, u"means with %1; beside: each seed"_s.arg(intervalTitle(table)) + paired,
                           u"large points: means; beside: each seed; "_s);
    if (data.measure().unit == "nats") addTokenizerNote(figure, table);
    figure.y = {measureTitle(measure), measureUnit(table)};
    figure.emptyText = u"No run has a value of the compared measure yet."_s;
    const Columns columns(table);
    figure.x.label = columns.keys;
    QList<double> places(columns.labels.size());
    QString level;
    for (const std::size_t i : columns.order) {
        const ResultGroup& group = table.groups[i];
        const Description& described = group.described[table.compared];
        const auto x = static_cast<double>(figure.x.categories.size());
        places[static_cast<qsizetype>(i)] = x;
        figure.x.categories << (columns.isCrowded ? QString() : columns.labels[static_cast<qsizetype>(i)]);
        if (const QString name = columns.levels.value(static_cast<qsizetype>(i)); name != level) {
            level = name;
            if (columns.isCrowded) figure.x.categories.last() = name;
            figure.verticalLines.push_back({x - 0.5, columns.isCrowded ? QString() : name});
            const auto size =
                static_cast<double>(std::ranges::count(table.groups, group.against, &ResultGroup::against));
            const Description& baseline = table.baseline_of(group)->described[table.compared];
            FigureCurve line = stroke({x - 0.5, x + size - 0.5}, {baseline.mean, baseline.mean}, {Ink::Kind::quiet});
            line.companion = true;
            line.dots = false;
            if (baseline.n > 0) figure.curves.push_back(std::move(line));
        }
        if (described.n == 0) continue;
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
            figure.curves.push_back(dot(x + kSeedOffset, values[seed], kSeedPt, ink, emphasis));
        }
        picture.spots.push_back(groupSpot(data, i, {x, described.mean}));
    }
    const auto isLevel = [&](const ResultGroup& group) {
        return table.groups.size() > 1 && table.is_baseline(group) && group.described[table.compared].n > 0;
    };
    const auto levels = std::ranges::count_if(table.groups, isLevel);
    for (const ResultGroup& group : table.groups) {
        if (!isLevel(group) || !columns.levels.isEmpty()) continue;
        figure.horizontalLines.push_back({.at = group.described[table.compared].mean,
                                          .label = !figure.horizontalLines.empty() ? QString()
                                                   : levels > 1                    ? u"baselines"_s
                                                                                   : u"baseline"_s,
                                          .ink = {Ink::Kind::quiet},
                                          .labelAtEnd = true});  // the label must not cover the points
    }
    if (!columns.levels.isEmpty()) addNote(figure, u"grey: baseline of each %1"_s.arg(text(level_words(table))));
    joinAlike(figure);
    if (!figure.curves.empty()) addWithoutValue(picture, data, places);
    figure.table = groupColumns(data);
    return picture;
}

ResultsPicture pairedDifferences(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "paired-differences"), {}};
    Figure& figure = picture.figure;
    figure.x.label = shortLabelKeys(table);
    const QStringList labels = shortLabels(table);
    const QString against = table.groups.empty() ? QString() : baselineTitle(table);
    // A long name would push the unit out of the axis title, so the note shows it instead.
    const bool isLong = against.size() > kLongestTitle;
    figure.y = {u"difference from %1"_s.arg(isLong ? u"the baseline"_s : against), measureUnit(data.table())};
    figure.emptyText =
        u"Differences per seed need a second group of runs with a seed that the baseline also has: sweep a setting "
        "and use the same seeds for each value."_s;
    FigureTable& rows = figure.table = FigureTable::of({u"seed"_s, figure.y.title()});
    std::vector<std::size_t> drawn;
    QList<double> lows, highs;  // of each row's group
    int pairs = 0;
    QList<double> places(labels.size(), std::nan(""));
    ShownValues shown{std::vector<std::int64_t>(table.groups.size()), u"seed pair"_s};
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const ResultGroup& group = table.groups[i];
        const ResultGroup* baseline = table.baseline_of(group);
        if (!baseline || baseline == &group) continue;
        const auto interval =
            interval_to_baseline(table, group, table.compared, is_by_seed(table.test) ? *table.test : TestKind::paired);
        if (!interval) continue;
        const auto x = static_cast<double>(figure.x.categories.size());  // a baseline has no column
        places[static_cast<qsizetype>(i)] = x;
        figure.x.categories << labels[static_cast<qsizetype>(i)];
        const Ink ink = data.results.inkOf(group);
        const Emphasis emphasis = emphasisOf(data, i);
        addErrorBar(figure, x, interval->low, interval->high, kCapWidth, ink, emphasis);
        figure.curves.push_back(
            dotWithBar(x, interval->difference, interval->low, interval->high, kMeanPt, ink, emphasis));
        Spot spot{{x, interval->difference}, longLabel(table, group), {}, static_cast<int>(i)};
        spot.rows.append({u"mean difference"_s, readableNumber(interval->difference)});
        if (std::isfinite(interval->low)) {
            spot.rows.append(
                {u"95 % interval"_s, u"%1 … %2"_s.arg(readableNumber(interval->low), readableNumber(interval->high))});
        }
        for (const SeedDifference& pair : seed_differences(group, *baseline, table.compared)) {
            figure.curves.push_back(dot(x + kSeedOffset, pair.difference, kSeedPt, ink, emphasis));
            spot.rows.append({u"seed %1"_s.arg(pair.seed), readableNumber(pair.difference)});
            drawn.push_back(i);
            rows.addRow({static_cast<double>(pair.seed), pair.difference});
            lows << interval->low;
            highs << interval->high;
            ++shown.counts[i];
            ++pairs;
        }
        shown.addBar(interval->low, shown.counts[i]);
        picture.spots.push_back(std::move(spot));
    }
    addKeys(rows, table, drawn);
    addBars(rows, u"95 % interval of the group's mean difference"_s, lows, highs);
    if (pairs == 0) {
        figure.x.categories.clear();
        return withoutNumbers(std::move(picture));
    }
    setShown(figure, shown);
    const QString points = u"large points: means; points beside them: differences per seed; "_s;
    figure.note = barsNote(shown, points + u"bars: %1 of the mean"_s.arg(intervalTitle(table)), points);
    figure.summary = u"Difference of the %3 from %1 per seed, in %2, and each group's mean difference%4."_s.arg(
        against, countText(pairs, u"seed pair"_s), measureTitle(data.measure()),
        shown.haveBars ? u" with its 95 % confidence interval"_s : QString());
    if (against != longLabel(table, table.groups[table.baseline])) {
        addNote(figure, u"each %1 has a baseline of its own"_s.arg(text(level_words(table))));
    } else if (isLong) {
        addNote(figure, u"baseline: %1"_s.arg(against));
    }
    figure.horizontalLines.push_back({.at = 0, .label = {}, .ink = {Ink::Kind::quiet}});
    joinAlike(figure);
    addWithoutValue(picture, data, places);
    return picture;
}

namespace {

constexpr std::int64_t kMostTimes = 64;   // largest multiple of the context that is looked up
constexpr double kLengthCap = 1.02;       // factor between the end of a cap and its middle
constexpr std::size_t kLeastLengths = 2;  // a curve has at least these lengths

/// Describes a group's losses over its seeds, by the multiple of the context.
std::map<std::int64_t, Description> lossesOf(const ResultsData& data, const ResultGroup& group) {
    std::map<std::int64_t, Description> losses;
    for (std::int64_t times = 1; times <= kMostTimes; ++times) {
        std::vector<double> values;
        for (const std::size_t run : group.counted) {
            const auto found = data.runs[run].measurements.find(loss_at(times));
            if (found != data.runs[run].measurements.end()) values.push_back(found->second);
        }
        const Description described = describe(values);
        if (described.n > 0) losses[times] = described;
    }
    return losses;
}

}  // namespace

ResultsPicture lossByLength(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "loss-by-length"), {}};
    Figure& figure = picture.figure;
    figure.emptyText =
        u"This figure needs losses at lengths beyond the training context: measure them with ropelab-cli results "
        "--measure-lengths, or train the reproduction “encodings” on the page Reproduce."_s;
    figure.x = {.label = u"sequence length"_s, .unit = u"tokens"_s, .logarithmic = true};
    figure.y = {u"validation loss"_s, u"nats"_s};
    FigureTable& rows = figure.table =
        FigureTable::of({u"sequence length (tokens)"_s, u"n"_s, u"mean (nats)"_s, u"95 % interval, low (nats)"_s,
                         u"95 % interval, high (nats)"_s});
    std::vector<std::size_t> drawn;
    std::set<double> lengths;
    std::set<std::int64_t> contexts;
    const QStringList labels = shortLabels(table);
    QStringList without;
    struct Curve {
        std::size_t group;
        std::int64_t context;
        std::map<std::int64_t, Description> losses;
    };
    std::vector<Curve> curves;
    ShownValues shown{std::vector<std::int64_t>(table.groups.size())};
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        Curve curve{i, data.exampleOf(table.groups[i]).spec.context, lossesOf(data, table.groups[i])};
        if (curve.losses.size() < kLeastLengths) {
            without << labels[static_cast<qsizetype>(i)];
            continue;
        }
        shown.counts[i] = curve.losses.begin()->second.n;
        shown.addBar(curve.losses.begin()->second.confidence_low, shown.counts[i]);
        contexts.insert(curve.context);
        for (const auto& [times, described] : curve.losses) lengths.insert(static_cast<double>(times * curve.context));
        curves.push_back(std::move(curve));
    }
    const QList<double> places(lengths.begin(), lengths.end());
    padX(figure, places);
    const SideBySide across(figure, table, places, curves.size());
    for (std::size_t c = 0; c < curves.size(); ++c) {
        const auto& [i, context, losses] = curves[c];
        const ResultGroup& group = table.groups[i];
        const Ink ink = data.results.inkOf(group);
        QList<double> x;
        QList<double> y;
        for (const auto& [times, described] : losses) {
            const auto length = static_cast<double>(times * context);
            const double at = across.at(length, c);
            x.append(at);
            y.append(described.mean);
            addErrorBar(figure, at, described.confidence_low, described.confidence_high, kLengthCap, ink,
                        emphasisOf(data, i));
            Spot spot{{at, described.mean}, longLabel(table, group), {}, static_cast<int>(i)};
            spot.rows.append({u"length"_s, u"%1 tokens"_s.arg(readableCount(length))});
            spot.rows.append({u"mean loss"_s, u"%1 nats"_s.arg(readableNumber(described.mean))});
            if (std::isfinite(described.confidence_low)) {
                spot.rows.append({u"95 % interval"_s, u"%1 … %2"_s.arg(readableNumber(described.confidence_low),
                                                                       readableNumber(described.confidence_high))});
            }
            spot.rows.append({u"seeds"_s, QString::number(described.n)});
            picture.spots.push_back(std::move(spot));
            drawn.push_back(i);
            rows.addRow({length, static_cast<double>(described.n), described.mean, described.confidence_low,
                         described.confidence_high});
        }
        FigureCurve curve = stroke(std::move(x), std::move(y), ink, emphasisOf(data, i));
        curve.label = labels[static_cast<qsizetype>(i)];
        curve.quantity = figure.y.label;
        figure.curves.push_back(std::move(curve));
    }
    addKeys(rows, table, drawn);
    if (lengths.empty()) return withoutNumbers(std::move(picture));
    figure.x.marks = places;
    if (contexts.size() == 1) {
        figure.verticalLines.push_back(
            {static_cast<double>(*contexts.begin()), u"training context"_s, {Ink::Kind::quiet}});
    }
    setShown(figure, shown);
    figure.note = barsNote(shown, u"bars: 95 % confidence interval over seeds"_s);
    across.apply(figure);
    addLabelNote(figure, table);
    if (!without.isEmpty()) {
        addNote(figure,
                u"not shown, because losses at other lengths are not measured: %1"_s.arg(without.join(u", "_s)));
    }
    figure.summary = u"Mean validation loss of %1 at sequence lengths from %2 to %3 tokens%4."_s.arg(
        countText(std::ssize(curves), u"group"_s), readableCount(*lengths.begin()), readableCount(*lengths.rbegin()),
        shown.haveBars ? u", with 95 % confidence intervals over the seeds"_s : QString());
    return picture;
}

}  // namespace ropelab::ui
