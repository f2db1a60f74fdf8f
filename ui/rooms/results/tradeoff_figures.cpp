#include <QJsonDocument>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/forecast/likely_data.h"
#include "core/plan/step_cost.h"
#include "core/results/decision_aid.h"
#include "core/results/fits/loss_fit.h"
#include "core/results/results_cells.h"
#include "core/results/results_table.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/results/results_figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// Diameters in points (1/72 inch). They say which groups are on the Pareto front, so error bars do not change them.
constexpr double kFrontPt = 7;
constexpr double kOtherPt = 4;
constexpr std::size_t kMostNamed = 8;  // more groups share colours, and their labels do not fit
// Of parallel coordinates: heights in mm of an axis and of all else, and the longest list of values beside an axis.
constexpr double kAxisMm = 7;
constexpr double kParallelMm = 32;
constexpr qsizetype kLongestList = 24;

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
    stairs.quantity = u"Pareto front"_s;
    return stairs;
}

ResultsPicture tradeoff(const ResultsData& data, const Cost& cost) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, cost.name), {}};
    Figure& figure = picture.figure;
    figure.x = cost.axis;
    figure.y = {measureTitle(data.measure()), measureUnit(data.table())};
    if (data.measure().unit != "nats" && data.measure().unit != "bits") {
        return withoutNumbers(
            std::move(picture),
            u"This figure shows a loss against a cost, but the compared measure is not a loss; choose a loss as the "
            "measure."_s);
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
    if (fronts.empty()) return withoutNumbers(std::move(picture), cost.empty);
    QList<double> known = places;
    known.removeIf([](double x) { return !std::isfinite(x); });
    // Settings of one cost, such as the speed of one cohort, are side by side: nothing is weighed against the loss.
    const QStringList labels = shortLabels(table);
    const bool isOneCost = known.size() > 1 && known.count(known.first()) == known.size();
    QList<double> at = places;
    if (isOneCost) {
        figure.x = {shortLabelKeys(table), {}};
        figure.x.categories = labels;
        for (std::size_t i = 0; i < table.groups.size(); ++i) {
            at[static_cast<qsizetype>(i)] += static_cast<double>(i) - known.first();
        }
    } else {
        QList<double> extent = places;
        for (std::size_t i = 0; i < table.groups.size(); ++i) {
            const double across = cost.deviation(table.groups[i]);
            for (const double end : {-across, across}) extent.append(places[static_cast<qsizetype>(i)] + end);
        }
        padX(figure, extent);
    }
    const double cap = isOneCost ? 0.08 : 0.008 * (figure.x.maximum - figure.x.minimum);
    bool hasLine = false;
    std::vector<bool> isOnFront(table.groups.size());
    for (const std::vector<std::size_t>& front : fronts) {
        for (const std::size_t i : front) isOnFront[i] = true;
        if (isOneCost || front.size() < 2) continue;
        hasLine = true;
        figure.curves.push_back(frontCurve(front, choices, places, cost.moreIsBetter));
    }
    QStringList names;
    QList<double> lows(at.size(), std::nan("")), highs = lows;  // of bars across
    bool hasUnnamed = false;
    ShownValues shown = shownMeans(table);
    shown.haveBars = shown.lackBars = false;
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const ResultGroup& group = table.groups[i];
        const double x = at[static_cast<qsizetype>(i)];
        const double y = choices[i].second;
        if (!std::isfinite(x) || !std::isfinite(y)) {
            shown.counts[i] = 0;
            continue;
        }
        const bool onFront = isOnFront[i];
        const Emphasis emphasis = emphasisOf(data, i);
        const bool isNamed = isOneCost || onFront || table.groups.size() <= kMostNamed || emphasis == Emphasis::picked;
        hasUnnamed = hasUnnamed || !isNamed;
        const Ink ink = isNamed ? data.results.inkOf(group) : Ink{Ink::Kind::quiet};
        const double s = group.described[table.compared].standard_deviation;
        addErrorBar(figure, x, y - s, y + s, cap, ink, emphasis);
        shown.addBar(y - s, shown.counts[i]);
        const double across = cost.deviation(group);
        if (!isOneCost && std::isfinite(across) && across > 0) {
            FigureCurve bar = stroke({x - across, x + across}, {y, y}, ink, emphasis);
            bar.dots = false;
            bar.solid = true;
            figure.curves.push_back(std::move(bar));
            lows[static_cast<qsizetype>(i)] = x - across;
            highs[static_cast<qsizetype>(i)] = x + across;
        }
        FigureCurve place = isOneCost ? dotWithBar(x, y, y - s, y + s, kMeanPt, ink, emphasis)
                                      : dot(x, y, onFront ? kFrontPt : kOtherPt, ink, emphasis);
        if (!isOneCost && isNamed) place.label = labels[static_cast<qsizetype>(i)];
        if (onFront) {  // curves that come first get their labels first
            figure.curves.insert(figure.curves.begin(), std::move(place));
            names << longLabel(table, group);
        } else {
            figure.curves.push_back(std::move(place));
        }
        Spot spot = groupSpot(data, i, {x, y});
        spot.rows.prepend({cost.axis.label, readableCount(std::round(places[static_cast<qsizetype>(i)])) +
                                                QLatin1Char(' ') + cost.axis.unit});
        spot.rows.append({u"Pareto front of the means"_s,
                          onFront ? u"yes: no other mean is at least as good in loss and cost, and better in one"_s
                                  : u"no: another mean is at least as good in loss and cost, and better in one"_s});
        picture.spots.push_back(std::move(spot));
    }
    const bool oneText = fronts.size() == 1;
    const QString dataWords = text(data_words(table));
    const QString equal =
        u"%1: %2 %3 in every setting"_s.arg(cost.axis.label, readableCount(std::round(known.first())), cost.axis.unit);
    figure.note = isOneCost ? equal
                            : (hasLine ? u"large points, dashed line: Pareto front of the means"_s
                                       : u"large points: Pareto front of the means"_s) +
                                  (oneText ? QString() : u" of each "_s + dataWords);
    if (hasUnnamed)
        addNote(figure, u"grey: the other settings, which a setting on the front matches or beats in both"_s);
    setShown(figure, shown);
    addNote(figure, barsNote(shown, u"bars: ± standard deviation"_s));
    if (!isOneCost) addLabelNote(figure, table);
    const QString front = oneText ? QString() : u" of their %1"_s.arg(dataWords);
    figure.summary = u"%1 against %2. Groups on the Pareto front of the means%3: %4."_s.arg(
        figure.y.label, cost.axis.label, front, names.join(u"; "_s));
    addWithoutValue(picture, data, at);
    figure.table = groupColumns(data);
    figure.table.names << cost.axis.title();
    figure.table.columns.append(places);
    if (std::ranges::any_of(lows, [](double low) { return std::isfinite(low); }))
        addBars(figure.table, u"± standard deviation of the %1"_s.arg(cost.axis.label), lows, highs);
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
    QStringList words;
    for (const nlohmann::json& value : values) words << settingTitle(key, value, headDim);
    result.range = words.join(u" · "_s);  // says which point is which
    if (result.range.size() > kLongestList) result.range = words.first() + u" … "_s + words.last();
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
    const QString unit = quantity.unit == "nats" ? measureUnit(table, quantity) : QString();
    Coordinate result{
        Axis{text(quantity.title), unit}.title(), readableNumber(low) + u" … "_s + readableNumber(high), {}, {}};
    for (const ResultGroup& group : table.groups) {
        const double mean = group.described[measure].mean;
        result.fractions.append(high > low ? (mean - low) / (high - low) : std::isfinite(mean) ? 0.5 : mean);
        result.values << valueText(table, quantity, mean);
    }
    return result;
}

}  // namespace

ResultsPicture lossBySpeed(const ResultsData& data) {
    const std::size_t speed = measure_index("tokens_per_second");
    return tradeoff(data, {"loss-by-speed",
                           {u"training speed"_s, u"tokens/s"_s},
                           true,
                           u"This figure needs at least one finished run with a known training speed."_s,
                           [=](const ResultGroup& group) { return group.described[speed].mean; },
                           [=](const ResultGroup& group) { return group.described[speed].standard_deviation; }});
}

namespace {

const QString needsModels =
    u"This figure needs at least one finished run that RoPE Lab trained: the models of imported "
    "runs are not known."_s;

}  // namespace

ResultsPicture lossByMemory(const ResultsData& data) {
    constexpr double kMegabyte = 1e6;
    return tradeoff(data, {"loss-by-memory",
                           {u"estimated memory for training one run"_s, u"MB"_s},
                           false,
                           needsModels,
                           [&](const ResultGroup& group) {
                               if (data.exampleOf(group).imported) return std::nan("");
                               const RunSpec& spec = data.exampleOf(group).spec;
                               return memory_need(spec, 1, likely_vocabulary(spec)).total() / kMegabyte;
                           },
                           [](const ResultGroup&) { return std::nan(""); }});
}

ResultsPicture lossByGenerationSpeed(const ResultsData& data) {
    const std::size_t speed = measure_index("generated_tokens_per_second");
    return tradeoff(
        data,
        {"loss-by-generation-speed",
         {u"generation speed"_s, u"tokens/s"_s},
         true,
         u"This figure needs runs with a measured generation speed: measure it with “Measure generation speed” in the "
         "panel of the page Results."_s,
         [=](const ResultGroup& group) { return group.described[speed].mean; },
         [=](const ResultGroup& group) { return group.described[speed].standard_deviation; }});
}

ResultsPicture lossByCache(const ResultsData& data) {
    constexpr double kKilobyte = 1e3;
    return tradeoff(data, {"loss-by-cache",
                           {u"KV cache and RoPE cache at the context"_s, u"kB"_s},
                           false,
                           needsModels,
                           [&](const ResultGroup& group) {
                               if (data.exampleOf(group).imported) return std::nan("");
                               return static_cast<double>(cache_bytes(data.exampleOf(group).spec).total()) / kKilobyte;
                           },
                           [](const ResultGroup&) { return std::nan(""); }});
}

ResultsPicture parallelCoordinates(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "parallel-coordinates"), {}};
    Figure& figure = picture.figure;
    if (table.swept.empty()) {
        return withoutNumbers(
            std::move(picture),
            u"Parallel coordinates need groups of runs that differ in a setting other than the seed."_s);
    }
    std::vector<Coordinate> axes;
    std::vector<std::size_t> shown;
    QStringList equal;  // a measure with one value needs no axis
    for (const std::string& key : table.swept) axes.push_back(coordinateOfKey(table, key));
    for (const char* name :
         {"final_training_loss", "final_validation_loss", "best_validation_loss", "tokens_per_second"}) {
        const std::size_t measure = measure_index(name);
        const bool any = std::any_of(table.groups.begin(), table.groups.end(),
                                     [&](const ResultGroup& group) { return group.described[measure].n > 0; });
        if (!any) continue;
        shown.push_back(measure);
        Coordinate axis = coordinateOfMeasure(table, measure);
        QStringList values = axis.values;
        values.removeDuplicates();
        if (values.size() > 1) {
            axes.push_back(std::move(axis));
        } else {
            equal << u"%1 %2 %3"_s
                         .arg(measureTitle(measures()[measure]), axis.range.section(u' ', 0, 0),
                              measureUnit(table, measures()[measure]))
                         .trimmed();
        }
    }
    figure.x = {{}, {}, false, -0.06, 1.06, {u"lowest"_s, u"highest"_s}};
    const auto heightOf = [&](std::size_t axis) { return static_cast<double>(axes.size() - 1 - axis); };
    for (std::size_t a = 0; a < axes.size(); ++a) {
        figure.y.categories.prepend(axes[a].title);
        figure.horizontalLines.push_back(
            {.at = heightOf(a), .label = axes[a].range, .ink = {Ink::Kind::quiet}, .labelAtEnd = true});
    }
    figure.y.minimum = -0.3;
    figure.y.maximum = heightOf(0) + 0.3;
    int without = 0;
    const QStringList labels = shortLabels(table);
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const auto at = static_cast<qsizetype>(i);
        const Ink ink = data.results.inkOf(table.groups[i]);
        Spot groupRow{{}, longLabel(table, table.groups[i]), {}, static_cast<int>(i)};
        for (const Coordinate& axis : axes) groupRow.rows.append({axis.title, axis.values[at]});
        if (const int failed = table.groups[i].failed) {
            groupRow.rows.append({u"diverged or failed"_s, QString::number(failed)});
            without += failed;
        }
        QString label = labels[at];  // of the first piece of the group's line, which the legend names
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
                piece.quantity = labels[at];
                piece.label = std::exchange(label, {});
                figure.curves.push_back(std::move(piece));
            }
        }
    }
    if (figure.curves.empty()) {
        figure.horizontalLines.clear();
        figure.y.categories.clear();
        return withoutNumbers(
            std::move(picture),
            equal.isEmpty() ? u"Parallel coordinates need finished runs."_s
                            : u"Parallel coordinates need a measure that differs between the groups. Equal in all "
                              "groups: %1."_s.arg(equal.join(u", "_s)));
    }
    figure.heightMm = kParallelMm + kAxisMm * static_cast<double>(axes.size());
    figure.hasNamesBelow = true;
    figure.note = u"lines: groups; axes: swept settings and means over seeds"_s;
    addLabelNote(figure, table);
    addTokenizerNote(figure, table);
    if (!equal.isEmpty()) addNote(figure, u"equal in all groups: %1"_s.arg(equal.join(u", "_s)));
    if (without > 0)
        addNote(figure,
                u"%1 that diverged or failed; the means exclude these runs"_s.arg(countText(without, u"run"_s)));
    figure.summary = u"Parallel coordinates of %1 groups of runs on %2 axes: swept settings, losses and speed."_s
                         .arg(table.groups.size())
                         .arg(axes.size());
    figure.table = groupColumns(data);
    for (const std::size_t measure : shown) {
        if (measure == table.compared) continue;
        QList<double> column;
        for (const ResultGroup& group : table.groups) column.append(group.described[measure].mean);
        figure.table.names << Axis{measureTitle(measures()[measure]), measureUnit(table, measures()[measure])}.title();
        figure.table.columns.append(column);
    }
    return picture;
}

namespace {

constexpr int kCurvePoints = 61;
constexpr std::size_t kMostFitBands = 4;   // more bands cover each other
constexpr double kFitCapFraction = 0.008;  // half the width of a bar's caps, as a fraction of the x axis

/// Groups of equal size and number of tokens, which share a fitted curve.
struct FitCurve {
    double parameters = 0;
    double tokens = 0;
    std::vector<std::size_t> groups;  // indices in the table

    bool contains(int group) const {
        return std::any_of(groups.begin(), groups.end(),
                           [&](std::size_t own) { return static_cast<int>(own) == group; });
    }
};

TableLossFit fitOf(const ResultsData& data) {
    std::vector<LossFitSource> sources;
    for (const ResultsRun& run : data.runs) sources.push_back({run.spec, run.state});
    LossFitChoice choice;
    choice.like = data.picked >= 0 ? std::optional(static_cast<std::size_t>(data.picked)) : data.fitLike;
    choice.how_to_choose =
        u"Select a group in the table (in the terminal: --baseline key=value) to fit only the runs that have the "
        "group's values of these settings."_s.toStdString();
    TableLossFit fit = fit_table(data.table(), sources, choice);
    if (fit.fit.fraction.low == fit.fit.fraction.high) {
        throw BadInput(
            u"This figure needs runs at two or more rotated fractions: sweep the fraction, e.g. 0, 25 %, "
            "100 %."_s.toStdString());
    }
    return fit;
}

std::vector<FitCurve> curvesOf(const TableLossFit& fit) {
    std::vector<FitCurve> curves;
    for (std::size_t i = 0; i < fit.points.size(); ++i) {
        if (!fit.points[i]) continue;
        const LossPoint& at = *fit.points[i];
        auto known = std::find_if(curves.begin(), curves.end(), [&](const FitCurve& curve) {
            return curve.parameters == at.parameters && curve.tokens == at.tokens;
        });
        if (known == curves.end()) {
            known = curves.insert(curves.end(), {at.parameters, at.tokens, {}});
        }
        known->groups.push_back(i);
    }
    return curves;
}

QString curveLabel(const FitCurve& curve, const LossFit& fit) {
    QStringList words;
    if (fit.parameters.low < fit.parameters.high) words << u"N %1"_s.arg(roundText(curve.parameters));
    if (fit.tokens.low < fit.tokens.high) words << u"D %1"_s.arg(roundText(curve.tokens));
    return words.join(u", "_s);
}

void addFitCurve(Figure& figure, const FitCurve& curve, const TableLossFit& fit, Ink ink, bool withBand) {
    double low = 1;
    double high = 0;
    for (const std::size_t group : curve.groups) {
        low = std::min(low, fit.points[group]->fraction);
        high = std::max(high, fit.points[group]->fraction);
    }
    FigureCurve line = stroke({}, {}, ink);
    FigureBand band{u"95 % prediction interval"_s, ink, {}, {}, {}};
    for (int i = 0; i < kCurvePoints; ++i) {
        // The curve is steepest near 0, where points at equal distances of √p are dense.
        const double root = std::lerp(std::sqrt(low), std::sqrt(high), i / (kCurvePoints - 1.0));
        const double fraction = std::clamp(root * root, low, high);
        const LossPrediction at = predict_loss(fit.fit, {fraction, curve.parameters, curve.tokens}, true);
        line.x.append(100 * fraction);
        line.y.append(at.loss);
        band.lower.append(at.low);
        band.upper.append(at.high);
    }
    band.x = line.x;
    line.dots = false;
    line.label = curveLabel(curve, fit.fit);
    line.quantity = u"fit"_s;
    figure.curves.push_back(std::move(line));
    if (withBand) figure.bands.push_back(std::move(band));
}

QString intervalWords(const Measure& measure, const LossPrediction& prediction) {
    return u"%1 … %2"_s.arg(text(fixed_text(prediction.low, measure.decimals)),
                            text(fixed_text(prediction.high, measure.decimals)));
}

void addFitNote(Figure& figure, const TableLossFit& fit, const ShownValues& shown, bool allBands) {
    const LossFit& own = fit.fit;
    addNote(figure, u"curves: fit of the loss to %1 at %2 settings, residual deviation %3 % of the loss"_s
                        .arg(text(counted(own.n, "run")))
                        .arg(own.settings)
                        .arg(text(rough_text(100 * std::expm1(own.residual_deviation)))));
    addNote(figure, allBands ? u"shaded: 95 % prediction interval of one run"_s
                             : u"shaded: 95 % prediction interval of one run, for the selected group's curve"_s);
    addNote(figure, barsNote(shown, u"bars: ± standard deviation over seeds"_s));
    if (own.parameters.low < own.parameters.high) addNote(figure, u"N: parameters without embeddings"_s);
    if (own.tokens.low < own.tokens.high) addNote(figure, u"D: training tokens"_s);
    if (own.lack_of_fit && own.lack_of_fit->p < 0.05) {
        addNote(figure, u"the means deviate from the fit by more than the scatter between seeds explains (%1)"_s.arg(
                            text(p_words(own.lack_of_fit->p))));
    }
    if (fit.other_runs > 0) {
        QStringList names;
        for (const std::string& name : fit.chosen_by) names << keyTitle(name);
        addNote(figure, u"%1 excluded from the fit, because of other values of %2"_s.arg(
                            text(counted(fit.other_runs, "run")), names.join(u", "_s)));
    }
    figure.note = withUnbreakablePercent(figure.note);
}

QString fitSummary(const TableLossFit& fit) {
    QStringList lines;
    for (const std::string& line : loss_fit_words(fit)) lines << numberText(line).trimmed();
    return withUnbreakablePercent(lines.join(QLatin1Char(' ')));
}

void addFitPoint(ResultsPicture& picture, const ResultsData& data, const TableLossFit& fit, std::size_t group,
                 Ink ink) {
    const Description& described = data.table().groups[group].described[data.table().compared];
    const LossPoint& at = *fit.points[group];
    const LossPrediction fitted = predict_loss(fit.fit, at, true);
    const double x = 100 * at.fraction;
    Figure& figure = picture.figure;
    const double cap = kFitCapFraction * (figure.x.maximum - figure.x.minimum);
    figure.curves.push_back(dot(x, described.mean, kMeanPt, ink, emphasisOf(data, group)));
    addErrorBar(figure, x, described.mean - described.standard_deviation, described.mean + described.standard_deviation,
                cap, ink, emphasisOf(data, group));
    Spot spot = groupSpot(data, group, {x, described.mean});
    spot.rows.append({u"fit"_s, valueText(data.table(), data.measure(), fitted.loss)});
    spot.rows.append({u"95 % prediction interval"_s, intervalWords(data.measure(), fitted)});
    spot.rows.append({u"parameters (N)"_s, groupedText(std::llround(at.parameters))});
    spot.rows.append({u"training tokens (D)"_s, groupedText(std::llround(at.tokens))});
    picture.spots.push_back(std::move(spot));
    figure.table.addRow({x, at.parameters, at.tokens, static_cast<double>(described.n), described.mean,
                         described.standard_deviation, fitted.loss, fitted.low, fitted.high});
}

}  // namespace

ResultsPicture lossFitFigure(const ResultsData& data) {
    ResultsPicture picture{emptyFigure(data, "loss-fit"), {}};
    Figure& figure = picture.figure;
    // The setting is rounded to whole pairs: 10 % of 32 channels are 4 channels.
    figure.x = {u"rotated fraction in whole pairs"_s, u"%"_s};
    figure.y = {measureTitle(data.measure()), measureUnit(data.table())};
    std::optional<TableLossFit> made;
    try {
        made = fitOf(data);
    } catch (const BadInput& problem) {
        return withoutNumbers(std::move(picture), withUnbreakablePercent(text(problem.what())));
    }
    const TableLossFit& fit = *made;
    figure.settings.insert(u"loss_fit"_s,
                           QJsonDocument::fromJson(QByteArray::fromStdString(loss_fit_json(fit).dump())).object());
    figure.summary = fitSummary(fit);
    figure.table = FigureTable::of({u"rotated fraction (%)"_s, u"parameters without embeddings"_s, u"training tokens"_s,
                                    u"n"_s, u"mean"_s, u"standard deviation"_s, u"fit"_s,
                                    u"95 % prediction interval, low"_s, u"95 % prediction interval, high"_s});
    QList<double> places;
    for (const auto& point : fit.points) places.append(point ? 100 * point->fraction : std::nan(""));
    padX(figure, places);
    for (const double x : std::as_const(places)) {
        if (std::isfinite(x) && !figure.x.marks.contains(x)) figure.x.marks.append(x);
    }
    const std::vector<FitCurve> curves = curvesOf(fit);
    const bool allBands = curves.size() <= kMostFitBands;
    std::vector<std::size_t> first;
    for (const FitCurve& curve : curves) first.push_back(curve.groups.front());
    const std::vector<Ink> inks = seriesInks(data, first);
    for (std::size_t i = 0; i < curves.size(); ++i) {
        addFitCurve(figure, curves[i], fit, inks[i], allBands || curves[i].contains(data.picked));
    }
    std::vector<std::size_t> drawn;
    ShownValues shown{std::vector<std::int64_t>(data.table().groups.size())};
    for (std::size_t i = 0; i < curves.size(); ++i) {
        for (const std::size_t group : curves[i].groups) {
            const Description& described = data.table().groups[group].described[data.table().compared];
            shown.counts[group] = described.n;
            shown.addBar(described.mean - described.standard_deviation, described.n);
            const Ink own = data.results.inkOf(data.table().groups[group]);
            addFitPoint(picture, data, fit, group, curves.size() > 1 ? inks[i] : own);
            drawn.push_back(group);
        }
    }
    addKeys(figure.table, data.table(), drawn);
    setShown(figure, shown);
    addFitNote(figure, fit, shown, allBands);
    addWithoutValue(picture, data, places);
    return picture;
}

}  // namespace ropelab::ui
