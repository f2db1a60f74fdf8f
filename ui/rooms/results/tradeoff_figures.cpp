#include "ui/rooms/results/tradeoff_figures.h"

#include <algorithm>
#include <cmath>

#include "core/forecast/likely_data.h"
#include "core/plan/step_cost.h"
#include "core/results/decision_aid.h"
#include "core/results/results_table.h"
#include "ui/common/results_words.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

namespace {

constexpr double kFrontPt = 8;  // diameter of points on the Pareto front, in points (1/72 inch)
constexpr double kOtherPt = 5;  // diameter of all other points

struct Cost {
    const char* name;
    Axis axis;
    bool moreIsBetter = false;
    QString empty;
    /// NaN if the cost is unknown.
    std::function<double(const ResultGroup&)> quantity;
    std::function<double(const ResultGroup&)> deviation;
};

/// One front per data set, since losses on different data sets are not comparable. A front is a list of group indices;
/// data sets without finite values are omitted.
std::vector<std::vector<std::size_t>> paretoFronts(const ResultsTable& table, const std::vector<Costs>& choices) {
    std::vector<std::vector<std::size_t>> fronts;
    std::vector<bool> seen(choices.size());
    for (std::size_t first = 0; first < choices.size(); ++first) {
        if (seen[first]) continue;
        std::vector<std::size_t> members;
        std::vector<Costs> memberChoices;
        for (std::size_t i = first; i < choices.size(); ++i) {
            if (!same_data(table.groups[first], table.groups[i], table.compared)) continue;
            seen[i] = true;
            members.push_back(i);
            memberChoices.push_back(choices[i]);
        }
        std::vector<std::size_t> front = pareto_front(memberChoices);
        for (std::size_t& place : front) place = members[place];
        if (!front.empty()) fronts.push_back(std::move(front));
    }
    return fronts;
}

FigureCurve frontCurve(const std::vector<std::size_t>& front, const std::vector<Costs>& choices,
                       const QList<double>& places, bool moreIsBetter) {
    FigureCurve stairs;
    stairs.ink = {Ink::Kind::quiet};
    for (const std::size_t i : front) {
        if (!stairs.x.isEmpty()) {
            stairs.x.append(places[static_cast<qsizetype>(i)]);
            stairs.y.append(stairs.y.last());
        }
        stairs.x.append(places[static_cast<qsizetype>(i)]);
        stairs.y.append(choices[i].second);
    }
    if (moreIsBetter) {
        std::reverse(stairs.x.begin(), stairs.x.end());
        std::reverse(stairs.y.begin(), stairs.y.end());
    }
    stairs.companion = true;
    stairs.dots = false;
    stairs.quantity = QObject::tr("Pareto front");
    return stairs;
}

ResultsPicture tradeoff(const ResultsData& data, const Cost& cost) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, cost.name), {}};
    Figure& figure = picture.figure;
    figure.x = cost.axis;
    figure.y = {measureTitle(data.measure()), measureUnit(data.measure())};
    const auto emptyWith = [&](const QString& words) {
        figure.emptyText = words;
        figure.summary = words;
        return picture;
    };
    if (data.measure().unit != "nats" && data.measure().unit != "bits") {
        return emptyWith(QObject::tr("This figure shows a loss against its cost: choose a loss as the measure."));
    }
    std::vector<Costs> choices;
    QList<double> places;
    for (const ResultGroup& group : table.groups) {
        const double x = cost.quantity(group);
        const double y = group.described[table.compared].mean;
        choices.push_back({cost.moreIsBetter ? -x : x, y});
        places.append(x);
    }
    const std::vector<std::vector<std::size_t>> fronts = paretoFronts(table, choices);
    if (fronts.empty()) return emptyWith(cost.empty);
    QList<double> extent = places;
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const double across = cost.deviation(table.groups[i]);
        for (const double end : {-across, across}) extent.append(places[static_cast<qsizetype>(i)] + end);
    }
    padX(figure, extent);
    const double cap = 0.008 * (figure.x.maximum - figure.x.minimum);
    std::vector<bool> isOnFront(table.groups.size());
    for (const std::vector<std::size_t>& front : fronts) {
        for (const std::size_t i : front) isOnFront[i] = true;
        figure.curves.push_back(frontCurve(front, choices, places, cost.moreIsBetter));
    }
    QStringList names;
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const ResultGroup& group = table.groups[i];
        const double x = places[static_cast<qsizetype>(i)];
        const double y = choices[i].second;
        if (!std::isfinite(x) || !std::isfinite(y)) continue;
        const bool onFront = isOnFront[i];
        const Ink ink = data.results.inkOf(group);
        const Emphasis emphasis = emphasisOf(data, i);
        const double s = group.described[table.compared].standard_deviation;
        addErrorBar(figure, x, y - s, y + s, cap, ink, emphasis);
        const double across = cost.deviation(group);
        if (std::isfinite(across) && across > 0) {
            FigureCurve bar = stroke({x - across, x + across}, {y, y}, ink, emphasis);
            bar.dots = false;
            bar.solid = true;
            figure.curves.push_back(std::move(bar));
        }
        FigureCurve place = dotWithBar(x, y, y - s, y + s, onFront ? kFrontPt : kOtherPt, ink, emphasis);
        place.label = shortLabel(table, group);
        if (onFront) {  // curves that come first get their labels first
            figure.curves.insert(figure.curves.begin(), std::move(place));
            names << longLabel(table, group);
        } else {
            figure.curves.push_back(std::move(place));
        }
        Spot spot = groupSpot(data, i, {x, y});
        spot.rows.prepend({figure.x.label, readableCount(std::round(x)) + QLatin1Char(' ') + figure.x.unit});
        spot.rows.append({QObject::tr("Pareto front"), onFront ? QObject::tr("yes: no other group beats it in both")
                                                               : QObject::tr("no: another group beats it in both")});
        picture.spots.push_back(std::move(spot));
    }
    const bool oneText = fronts.size() == 1;
    figure.note = (oneText ? QObject::tr("large points, dashed: Pareto front")
                           : QObject::tr("large points, dashed: Pareto front of each data set")) +
                  QStringLiteral("; ") + barsNote(table, QObject::tr("bars: ± standard deviation"));
    addLabelNote(figure, table);
    figure.summary = (oneText ? QObject::tr("%1 against %2. Groups on the Pareto front: %3.")
                              : QObject::tr("%1 against %2. Groups on the Pareto front of their data set: %3."))
                         .arg(figure.y.label, figure.x.label, names.join(QStringLiteral("; ")));
    addDiverged(picture, data, places);
    figure.table = groupColumns(data);
    figure.table.names << figure.x.title();
    figure.table.columns.append(places);
    return picture;
}

struct Coordinate {
    QString title;
    QString range;            // "500 … 10k"
    QList<double> fractions;  // place of each group on the axis, 0 (lowest) to 1 (highest); NaN if it has no value
    QStringList values;       // each group's value in words
};

Coordinate coordinateOfKey(const ResultsTable& table, const std::string& key) {
    std::vector<nlohmann::json> values;
    for (const ResultGroup& group : table.groups) {
        const auto& value = group.settings.at(key);
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    const bool numbers =
        std::all_of(values.begin(), values.end(), [](const nlohmann::json& value) { return value.is_number(); });
    if (numbers) std::sort(values.begin(), values.end());
    Coordinate result{keyTitle(key), {}, {}, {}};
    for (const ResultGroup& group : table.groups) {
        const auto& value = group.settings.at(key);
        const auto place = std::find(values.begin(), values.end(), value) - values.begin();
        result.fractions.append(static_cast<double>(place) /
                                static_cast<double>(std::max<std::size_t>(1, values.size() - 1)));
        result.values << settingTitle(table, group, key);
    }
    const int headDim = head_dim_of(table);
    result.range =
        settingTitle(key, values.front(), headDim) + QStringLiteral(" … ") + settingTitle(key, values.back(), headDim);
    return result;
}

Coordinate coordinateOfMeasure(const ResultsTable& table, std::size_t measure) {
    const Measure& quantity = measures()[measure];
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const ResultGroup& group : table.groups) {
        const double mean = group.described[measure].mean;
        if (!std::isfinite(mean)) continue;
        low = std::min(low, mean);
        high = std::max(high, mean);
    }
    const QString unit = quantity.unit == "nats" ? QObject::tr(" (nats)") : QString();
    Coordinate result{
        text(quantity.title) + unit, readableNumber(low) + QStringLiteral(" … ") + readableNumber(high), {}, {}};
    for (const ResultGroup& group : table.groups) {
        const double mean = group.described[measure].mean;
        result.fractions.append(high > low ? (mean - low) / (high - low) : std::isfinite(mean) ? 0.5 : mean);
        result.values << valueText(quantity, mean);
    }
    return result;
}

}  // namespace

ResultsPicture lossBySpeed(const ResultsData& data) {
    const std::size_t speed = measure_index("tokens_per_second");
    return tradeoff(data, {"loss-by-speed",
                           {QObject::tr("training speed"), QObject::tr("tokens/s")},
                           true,
                           QObject::tr("This figure needs at least one finished run with a known training speed."),
                           [=](const ResultGroup& group) { return group.described[speed].mean; },
                           [=](const ResultGroup& group) { return group.described[speed].standard_deviation; }});
}

ResultsPicture lossByMemory(const ResultsData& data) {
    constexpr double kMegabyte = 1e6;
    return tradeoff(data, {"loss-by-memory",
                           {QObject::tr("estimated memory for training one run"), QStringLiteral("MB")},
                           false,
                           QObject::tr("This figure needs at least one finished run."),
                           [&](const ResultGroup& group) {
                               const RunSpec& spec = data.exampleOf(group).spec;
                               return memory_need(spec, 1, likely_vocabulary(spec)).total() / kMegabyte;
                           },
                           [](const ResultGroup&) { return std::nan(""); }});
}

ResultsPicture lossByGenerationSpeed(const ResultsData& data) {
    const std::size_t speed = measure_index("generated_tokens_per_second");
    return tradeoff(data, {"loss-by-generation-speed",
                           {QObject::tr("generation speed"), QObject::tr("tokens/s")},
                           true,
                           QObject::tr("This figure needs runs with a measured generation speed: “Measure generation "
                                       "speed” in the panel measures it."),
                           [=](const ResultGroup& group) { return group.described[speed].mean; },
                           [=](const ResultGroup& group) { return group.described[speed].standard_deviation; }});
}

ResultsPicture lossByCache(const ResultsData& data) {
    constexpr double kKilobyte = 1e3;
    return tradeoff(data, {"loss-by-cache",
                           {QObject::tr("KV cache and RoPE cache at the context"), QStringLiteral("kB")},
                           false,
                           QObject::tr("This figure needs at least one finished run."),
                           [&](const ResultGroup& group) {
                               return static_cast<double>(cache_bytes(data.exampleOf(group).spec).total()) / kKilobyte;
                           },
                           [](const ResultGroup&) { return std::nan(""); }});
}

ResultsPicture parallelCoordinates(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "parallel-coordinates"), {}};
    Figure& figure = picture.figure;
    if (table.swept.empty()) {
        figure.emptyText = QObject::tr("Parallel coordinates need runs that differ in a setting other than the seed.");
        figure.summary = figure.emptyText;
        return picture;
    }
    std::vector<Coordinate> axes;
    std::vector<std::size_t> shown;
    for (const std::string& key : table.swept) axes.push_back(coordinateOfKey(table, key));
    for (const char* name :
         {"final_training_loss", "final_validation_loss", "best_validation_loss", "tokens_per_second"}) {
        const std::size_t measure = measure_index(name);
        const bool any = std::any_of(table.groups.begin(), table.groups.end(),
                                     [&](const ResultGroup& group) { return group.described[measure].n > 0; });
        if (!any) continue;
        axes.push_back(coordinateOfMeasure(table, measure));
        shown.push_back(measure);
    }
    figure.x = {{}, {}, false, -0.06, 1.06, {QObject::tr("lowest"), QObject::tr("highest")}};
    const auto heightOf = [&](std::size_t axis) { return static_cast<double>(axes.size() - 1 - axis); };
    for (std::size_t a = 0; a < axes.size(); ++a) {
        figure.y.categories.prepend(axes[a].title);
        figure.horizontalLines.push_back(
            {.at = heightOf(a), .label = axes[a].range, .ink = {Ink::Kind::quiet}, .labelAtEnd = true});
    }
    figure.y.minimum = -0.3;
    figure.y.maximum = heightOf(0) + 0.3;
    int without = 0;
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const auto at = static_cast<qsizetype>(i);
        const Ink ink = data.results.inkOf(table.groups[i]);
        Spot groupRow{{}, longLabel(table, table.groups[i]), {}, static_cast<int>(i)};
        for (const Coordinate& axis : axes) groupRow.rows.append({axis.title, axis.values[at]});
        if (const int diverged = divergedRuns(data, table.groups[i])) {
            groupRow.rows.append({QObject::tr("diverged or failed"), QString::number(diverged)});
            without += diverged;
        }
        for (std::size_t a = 0; a < axes.size(); ++a) {
            const QPointF here(axes[a].fractions[at], heightOf(a));
            if (!std::isfinite(here.x())) continue;
            groupRow.at = here;
            picture.spots.push_back(groupRow);
            const QPointF next = a + 1 < axes.size() ? QPointF(axes[a + 1].fractions[at], heightOf(a + 1)) : here;
            if (!std::isfinite(next.x())) {
                // The group has no value on the next axis, so its line ends here.
                figure.curves.push_back(dot(here.x(), here.y(), 6, {Ink::Kind::error}, emphasisOf(data, i)));
            } else if (a + 1 < axes.size()) {
                // The x values of a curve must ascend.
                const auto [left, right] = std::minmax(here, next, [](QPointF p, QPointF q) { return p.x() < q.x(); });
                FigureCurve piece = stroke({left.x(), right.x()}, {left.y(), right.y()}, ink, emphasisOf(data, i));
                piece.quantity = shortLabel(table, table.groups[i]);
                figure.curves.push_back(std::move(piece));
            }
        }
    }
    figure.note = QObject::tr("lines: groups; axes: swept settings and means over seeds");
    if (without > 0) addNote(figure, QObject::tr("%1 diverged or failed, not in any mean").arg(without));
    figure.summary =
        QObject::tr("Parallel coordinates of %1 groups on %2 axes.").arg(table.groups.size()).arg(axes.size());
    figure.table = groupColumns(data);
    for (const std::size_t measure : shown) {
        if (measure == table.compared) continue;
        QList<double> column;
        for (const ResultGroup& group : table.groups) column.append(group.described[measure].mean);
        figure.table.names << QObject::tr("%1 (%2)").arg(measureTitle(measures()[measure]),
                                                         measureUnit(measures()[measure]));
        figure.table.columns.append(column);
    }
    return picture;
}

}  // namespace ropelab::ui
