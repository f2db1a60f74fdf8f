#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/experiment/experiment.h"
#include "core/results/fits/theta_curve.h"
#include "core/results/interactions.h"
#include "core/results/results_cells.h"
#include "core/results/results_compare.h"
#include "core/results/results_table.h"
#include "core/rope/frequencies.h"
#include "ui/common/results_words.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/results/results_figures.h"
#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

struct KeyPoint {
    double at = 0;
    std::size_t group = 0;
};

/// Groups that differ in one setting only, in ascending order of its value.
struct KeySeries {
    QString label;  // the values of the other swept settings; "" if there is a single series
    std::vector<KeyPoint> points;
};

/// NaN if the setting has no meaning for the group, such as θ of a model without RoPE. The rotated fraction of such a
/// model is 0.
double keyValue(const ResultsData& data, const ResultGroup& group, const std::string& key) {
    const RunSpec& spec = data.exampleOf(group).spec;
    if (key == "fraction" && !spec.rotates()) return 0;
    const bool hasTheta = spec.rotates() && spec.fraction != 0 && spec.frequencies == "auto";
    if (key == "theta" && !hasTheta) return std::nan("");
    if (const auto swept = group.settings.find(key); swept != group.settings.end()) {
        return swept->second.is_number() ? swept->second.get<double>() : std::nan("");
    }
    const auto settings = to_json(spec);
    const auto found = settings.find(key);
    return found != settings.end() && found->is_number() ? found->get<double>() : std::nan("");
}

QString partWords(const std::string& key, const nlohmann::json& value, int headDim) {
    if (value.is_boolean()) return value.get<bool>() ? keyTitle(key) : u"no %1"_s.arg(keyTitle(key));
    const QString words = settingTitle(key, value, headDim);
    return value.is_string() ? words : keyTitle(key) + QLatin1Char(' ') + words;
}

/// The swept settings whose value is determined by `key` in every group, for example the batch size in a sweep over the
/// context that holds the number of tokens per step constant. Empty if no value of `key` occurs twice, because then
/// every setting would qualify.
std::vector<std::string> keysAlongWith(const ResultsData& data, const std::string& key) {
    const ResultsTable& table = data.table();
    std::vector<std::pair<double, const ResultGroup*>> places;
    std::set<double> values;
    for (const ResultGroup& group : table.groups) {
        const double at = keyValue(data, group, key);
        if (!std::isfinite(at)) continue;
        places.emplace_back(at, &group);
        values.insert(at);
    }
    std::vector<std::string> result;
    if (places.size() == values.size()) return result;
    for (const std::string& other : table.swept) {
        if (other == key) continue;
        std::map<double, nlohmann::json> followed;
        const bool follows = std::all_of(places.begin(), places.end(), [&](const auto& place) {
            const nlohmann::json& value = place.second->settings.at(other);
            return followed.try_emplace(place.first, value).first->second == value;
        });
        if (follows) result.push_back(other);
    }
    return result;
}

/// One series per combination of the other swept settings, in the order of their values; settings of keysAlongWith() do
/// not separate series. Groups without a value of `key` are in no series.
std::vector<KeySeries> seriesAlong(const ResultsData& data, const std::string& key) {
    const ResultsTable& table = data.table();
    std::vector<KeySeries> result;
    std::vector<std::map<std::string, nlohmann::json>> others;
    const std::vector<std::string> following = keysAlongWith(data, key);
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const ResultGroup& group = table.groups[i];
        const double at = keyValue(data, group, key);
        if (!std::isfinite(at)) continue;
        std::map<std::string, nlohmann::json> rest = group.settings;
        rest.erase(key);
        for (const std::string& other : following) rest.erase(other);
        // A model without position encoding belongs to the series of RoPE models, at fraction 0.
        if (key == "fraction" && rest.contains("position")) {
            const auto& position = rest["position"];
            if (position == "none" || position == "rope") rest["position"] = "rope";
            if (position == "learned" || position == "learned+rope") rest["position"] = "learned+rope";
        }
        auto known = std::find(others.begin(), others.end(), rest);
        if (known == others.end()) {
            others.push_back(rest);
            known = others.end() - 1;
            result.emplace_back();
        }
        result[static_cast<std::size_t>(known - others.begin())].points.push_back({at, i});
    }
    const std::vector<std::string> telling = distinguishing_keys(table, key);
    for (std::size_t i = 0; i < result.size(); ++i) {
        std::stable_sort(result[i].points.begin(), result[i].points.end(),
                         [](const KeyPoint& a, const KeyPoint& b) { return a.at < b.at; });
        if (result.size() == 1) break;
        // The label names only settings in which the series differ.
        std::vector<std::pair<std::ptrdiff_t, QString>> parts;
        for (const std::string& name : telling) {
            if (!others[i].contains(name)) continue;
            const nlohmann::json& value = others[i].at(name);
            const auto alike =
                std::count_if(others.begin(), others.end(), [&](const auto& other) { return other.at(name) == value; });
            if (alike == std::ssize(others)) continue;
            parts.emplace_back(alike, partWords(name, value, head_dim_of(table)));
        }
        // Values that few other series have come first, because a long label is cut off at its end.
        std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        QStringList words;
        for (const auto& [alike, part] : parts) words << part;
        result[i].label = words.join(u", "_s);
    }
    return result;
}

std::size_t countDistinctValues(const std::vector<KeySeries>& series) {
    std::set<double> values;
    for (const KeySeries& own : series) {
        for (const KeyPoint& point : own.points) values.insert(point.at);
    }
    return values.size();
}

FigureCurve seriesLine(const KeySeries& own, Ink ink, QList<double> x, QList<double> y) {
    FigureCurve line = stroke(std::move(x), std::move(y), ink);
    line.label = own.label;
    return line;
}

std::vector<Ink> inksOf(const ResultsData& data, const std::vector<KeySeries>& series) {
    std::vector<std::size_t> first;
    for (const KeySeries& own : series) first.push_back(own.points.front().group);
    return seriesInks(data, first);
}

/// The x value of every group of the table; NaN for groups in no series.
QList<double> xByGroup(const ResultsData& data, const std::vector<KeySeries>& series) {
    QList<double> result(static_cast<qsizetype>(data.table().groups.size()), std::nan(""));
    for (const KeySeries& own : series) {
        for (const KeyPoint& point : own.points) result[static_cast<qsizetype>(point.group)] = point.at;
    }
    return result;
}

// Half the width of the caps of bars: a fraction of a linear axis's length, or a factor on a logarithmic axis.
constexpr double kCapFraction = 0.008;
constexpr double kCapFactor = 1.025;
constexpr double kPublishedPt = 6;

double capSize(const Figure& figure) {
    return figure.x.logarithmic ? kCapFactor : kCapFraction * (figure.x.maximum - figure.x.minimum);
}

const Description& descriptionOf(const ResultsData& data, std::size_t group) {
    return data.table().groups[group].described[data.table().compared];
}

double axisValue(const std::string& key, double at) {
    return key == "fraction" ? 100 * at : at;
}

QList<double> scaledPlaces(const ResultsData& data, const std::vector<KeySeries>& series, const std::string& key) {
    QList<double> places = xByGroup(data, series);
    for (double& place : places) place = axisValue(key, place);
    return places;
}

/// The values of the setting that were trained.
QList<double> axisMarks(const QList<double>& places) {
    QList<double> marks;
    for (const double x : places) {
        if (std::isfinite(x) && !marks.contains(x)) marks.append(x);
    }
    std::sort(marks.begin(), marks.end());
    return marks;
}

Axis axisOf(const std::string& key) {
    if (key == "fraction") return {u"rotated fraction as set"_s, u"%"_s};
    if (key == "context") return {u"context length"_s, u"tokens"_s, true};
    return {keyTitle(key), {}, key == "theta" || key == "learning_rate"};
}

void addPublished(ResultsPicture& picture, const ResultsData& data, const std::string& key) {
    struct Source {
        QString name;
        QList<double> x, y;
    };
    std::vector<Source> sources;
    for (const PublishedValue& value : data.published) {
        if (value.key != key || value.measure != data.measure().name) continue;
        const bool here = std::any_of(data.runs.begin(), data.runs.end(),
                                      [&](const ResultsRun& run) { return run.spec.data == value.data; });
        if (!here) continue;
        const double x = axisValue(key, value.at);
        const Ink ink{Ink::Kind::quiet};
        const QString name = u"%1, %2"_s.arg(text(value.source), text(value.data));
        auto source = std::find_if(sources.begin(), sources.end(), [&](const Source& s) { return s.name == name; });
        if (source == sources.end()) source = sources.insert(sources.end(), {name, {}, {}});
        source->x.append(x);
        source->y.append(value.sample.mean);
        const double s = value.sample.standard_deviation;
        const double mean = value.sample.mean;
        picture.figure.curves.push_back(dotWithBar(x, mean, mean - s, mean + s, kPublishedPt, ink));
        addErrorBar(picture.figure, x, mean - s, mean + s, capSize(picture.figure), ink);
        picture.spots.push_back({{x, value.sample.mean},
                                 u"published: %1"_s.arg(name),
                                 {{keyTitle(key), readableCount(value.at)},
                                  {u"mean"_s, valueText(data.table(), data.measure(), value.sample.mean)},
                                  {u"std. deviation"_s, QString::fromStdString(fixed_text(s, data.measure().decimals))},
                                  {u"seeds"_s, QString::number(value.sample.n)},
                                  {u"note"_s,
                                   u"computed on another machine with other code, so the last digits are "
                                   "not comparable"_s}}});
    }
    if (key == "theta") {
        for (const QString& sentence : data.omitted) addNote(picture.figure, sentence.chopped(1));  // without full stop
    }
    for (const Source& source : sources) {
        FigureCurve curve = stroke(source.x, source.y, {Ink::Kind::quiet});
        curve.companion = true;
        curve.quantity = u"published: %1"_s.arg(source.name);
        picture.figure.curves.push_back(std::move(curve));
        FigureCurve name =
            stroke({source.x.last()}, {source.y.last()}, {Ink::Kind::quiet});  // carries the label at the line's end
        name.label = source.name;
        picture.figure.curves.push_back(std::move(name));
        addNote(picture.figure, u"grey, dashed: published values (%1) ± standard deviation"_s.arg(source.name));
    }
}

/// A group for which the setting has no meaning is a horizontal line at its mean.
void addLevels(Figure& figure, const ResultsData& data, const QList<double>& places) {
    const QStringList labels = shortLabels(data.table());
    for (std::size_t i = 0; i < data.table().groups.size(); ++i) {
        const double mean = descriptionOf(data, i).mean;
        if (std::isfinite(places[static_cast<qsizetype>(i)]) || !std::isfinite(mean)) continue;
        figure.horizontalLines.push_back({.at = mean,
                                          .label = labels[static_cast<qsizetype>(i)],
                                          .ink = data.results.inkOf(data.table().groups[i]),
                                          .labelAtEnd = true});
    }
}

/// The note names the settings whose values change together with `key` along every curve.
void addFollowingSettings(Figure& figure, const ResultsData& data, const std::string& key) {
    QStringList titles;
    for (const std::string& other : keysAlongWith(data, key)) titles << keyTitle(other);
    if (titles.isEmpty()) return;
    const QString words = titles.join(u" and "_s);
    addNote(figure, titles.size() == 1 ? u"%2 changes together with %1"_s.arg(keyTitle(key), words)
                                       : u"%2 change together with %1"_s.arg(keyTitle(key), words));
}

struct KeyFigureWords {
    const char* name;
    std::string key;
    QString empty;
};

ResultsPicture alongKey(const ResultsData& data, const KeyFigureWords& words,
                        void (*bands)(Figure&, const ResultsData&, const std::vector<KeySeries>&) = nullptr) {
    const std::vector<KeySeries> series = seriesAlong(data, words.key);
    ResultsPicture picture{emptyFigure(data, words.name), {}};
    Figure& figure = picture.figure;
    figure.x = axisOf(words.key);
    figure.y = {measureTitle(data.measure()), measureUnit(data.table())};
    if (countDistinctValues(series) < 2) {
        return withoutNumbers(std::move(picture), words.empty);
    }
    if (data.measure().more_is_better) figure.y.minimum = 0;  // speeds are compared by their ratio
    QList<double> places = scaledPlaces(data, series, words.key);
    QList<double> extent = places;
    for (const PublishedValue& value : data.published) {
        if (value.key == words.key) extent.append(axisValue(words.key, value.at));
    }
    padX(figure, extent);
    figure.x.marks = axisMarks(places);
    ShownValues shown = shownMeans(data.table());
    shown.haveBars = shown.lackBars = false;
    // The interval that belongs to p. The spread over seeds, which all groups share, cancels in pairs.
    const bool isTested = data.table().comparisons() > 0;
    const QString bars = isTested
                             ? u"%1 of the difference from %2 (test: %3)"_s.arg(
                                   intervalTitle(data.table()), baselineTitle(data.table()), testTitle(data.table()))
                             : u"± standard deviation over seeds"_s;
    const auto barOf = [&](std::size_t group) {
        const Description& described = descriptionOf(data, group);
        const double deviation = described.standard_deviation;
        if (!isTested) return Range{described.mean - deviation, described.mean + deviation};
        const auto& estimate = data.table().groups[group].decided().estimate;
        if (!estimate) return Range{std::nan(""), std::nan("")};
        return Range{described.mean + estimate->low - estimate->difference,
                     described.mean + estimate->high - estimate->difference};
    };
    for (const KeySeries& own : series) {
        for (const KeyPoint& point : own.points) {
            const std::int64_t n = descriptionOf(data, point.group).n;
            const bool isExpected = !isTested || data.table().groups[point.group].decided().estimate;
            shown.addBar(barOf(point.group).minimum, isExpected ? n : 0);
        }
    }
    figure.note = barsNote(shown, u"bars: "_s + bars);
    figure.summary = u"%1 against %2 at %3 values, means%4."_s.arg(figure.y.label, figure.x.label)
                         .arg(countDistinctValues(series))
                         .arg(shown.haveBars ? (isTested ? u", with the "_s : u" "_s) + bars : QString());
    if (isTested && series.size() == 1) {
        figure.horizontalLines.push_back({.at = descriptionOf(data, data.table().baseline).mean,
                                          .label = u"baseline"_s,
                                          .ink = {Ink::Kind::quiet},
                                          .labelAtEnd = true});
    }
    if (data.measure().unit == "nats") addTokenizerNote(figure, data.table());
    addFollowingSettings(figure, data, words.key);
    if (bands) bands(figure, data, series);
    const std::vector<Ink> inks = inksOf(data, series);
    const SideBySide across(figure, data.table(), places, series.size());
    across.apply(figure);
    for (std::size_t i = 0; i < series.size(); ++i) {
        QList<double> x;
        QList<double> y;
        for (const KeyPoint& point : series[i].points) {
            const Description& described = descriptionOf(data, point.group);
            if (described.n == 0) continue;
            x.append(across.at(axisValue(words.key, point.at), i));
            y.append(described.mean);
        }
        FigureCurve curve = seriesLine(series[i], inks[i], x, y);
        curve.quantity = figure.y.label;
        figure.curves.push_back(std::move(curve));
    }
    QList<double> lows(places.size(), std::nan("")), highs = lows;
    for (std::size_t i = 0; i < series.size(); ++i) {
        for (const KeyPoint& point : series[i].points) {
            const double x = across.at(axisValue(words.key, point.at), i);
            places[static_cast<qsizetype>(point.group)] = x;
            const Description& described = descriptionOf(data, point.group);
            if (described.n == 0) continue;
            const Ink ink = series.size() > 1 ? inks[i] : data.results.inkOf(data.table().groups[point.group]);
            const Emphasis emphasis = emphasisOf(data, point.group);
            const auto [low, high] = barOf(point.group);
            lows[static_cast<qsizetype>(point.group)] = low;
            highs[static_cast<qsizetype>(point.group)] = high;
            figure.curves.push_back(dotWithBar(x, described.mean, low, high, kMeanPt, ink, emphasis));
            addErrorBar(figure, x, low, high, capSize(figure), ink, emphasis);
            picture.spots.push_back(groupSpot(data, point.group, {x, described.mean}));
        }
    }
    addLevels(figure, data, places);
    addPublished(picture, data, words.key);
    addWithoutValue(picture, data, places);
    figure.table = groupColumns(data);
    if (isTested) addBars(figure.table, u"95 % interval of the difference"_s, lows, highs);
    return picture;
}

/// As "apart in 4 of 6 curves, by 0.092 to 0.17 nats".
QString apartWords(qsizetype curves, const std::vector<double>& gaps, const QString& unit) {
    if (gaps.empty()) return u"the two shaded ranges overlap in all %1 curves"_s.arg(curves);
    const auto [least, most] = std::minmax_element(gaps.begin(), gaps.end());
    const QString from = numberText(rough_text(*least));
    const QString to = numberText(rough_text(*most));
    return u"the two shaded ranges are apart in %1 of %2 curves, by %3 %4"_s.arg(gaps.size())
        .arg(curves)
        .arg(from == to ? from : u"%1 to %2"_s.arg(from, to), unit)
        .trimmed();
}

void addBands(Figure& figure, const ResultsData& data, const std::vector<KeySeries>& series) {
    QStringList gaps;
    std::vector<double> apart;
    for (const KeySeries& line : series) {
        struct Part {
            QList<double> x;
            double low = std::numeric_limits<double>::infinity();
            double high = -std::numeric_limits<double>::infinity();
        };
        Part few;
        Part many;
        for (const KeyPoint& point : line.points) {
            const ResultGroup& group = data.table().groups[point.group];
            const int head = data.exampleOf(group).spec.rotary_head_dim();
            const bool isFew = rotary_dim(head, point.at) <= 2;
            const bool isMany = rotary_dim(head, point.at) >= rotary_dim(head, 0.1);
            if (isFew == isMany) continue;  // in a small head, 10 % are two channels
            Part& part = isFew ? few : many;
            for (const double value : group.values(data.table().compared)) {
                if (!std::isfinite(value)) continue;
                part.low = std::min(part.low, value);
                part.high = std::max(part.high, value);
                part.x.append(100 * point.at);
            }
        }
        if (few.x.isEmpty() || many.x.isEmpty()) continue;
        for (const Part* part : {&few, &many}) {
            // A band that covers a single fraction gets a visible width.
            const auto [left, right] = std::minmax_element(part->x.begin(), part->x.end());
            const double margin = *left == *right ? 1.5 : 0;
            figure.bands.push_back({part == &few ? u"0 or 2 channels"_s : u"10 % or more"_s,
                                    Ink{part == &few ? Ink::Kind::unrotated : Ink::Kind::rotated},
                                    {*left - margin, *right + margin},
                                    {part->low, part->low},
                                    {part->high, part->high}});
        }
        const bool below = many.high < few.low;
        const double gap = below ? few.low - many.high : many.low - few.high;
        if (gap > 0) apart.push_back(gap);
        const QString where = line.label.isEmpty() ? QString() : line.label + u": "_s;
        gaps << (gap > 0 ? u"%1the two ranges are %2 %3 apart"_s.arg(where, QString::fromStdString(rough_text(gap)),
                                                                     measureUnit(data.table()))
                         : u"%1the two ranges overlap"_s.arg(where));
    }
    if (gaps.isEmpty()) return;
    addNote(
        figure,
        u"shaded: ranges of the runs that rotate at most 2 channels, and of those that rotate 10\u202F% or more; %1"_s
            .arg(gaps.size() == 1 ? gaps.front() : apartWords(gaps.size(), apart, measureUnit(data.table()))));
    figure.summary +=
        u" Ranges of the runs that rotate at most 2 channels and of those that rotate 10 % or more: %1."_s.arg(
            gaps.join(u", "_s));
}

/// Tests a minimum or maximum at a middle θ (quadratic in ln θ against a constant).
void addThetaCurves(Figure& figure, const ResultsTable& table) {
    const std::vector<ThetaCurve> curves = theta_curves(table);
    for (const ThetaCurve& curve : curves) {
        figure.summary += QLatin1Char(' ') + withUnbreakablePercent(numberText(theta_curve_words(table, curve)));
    }
    if (curves.size() != 1 || figure.curves.empty()) return;  // several fits are too long for a note
    const QuadraticFit& fit = curves.front().fit;
    QString words = u"test of a fit that is quadratic in ln θ against a constant: %1"_s.arg(text(p_words(fit.p)));
    if (const auto& interval = fit.vertex_interval) {
        const QString vertex = fit.curvature.value > 0 ? u"minimum at θ = %1, 95 % interval %2 … %3"_s
                                                       : u"maximum at θ = %1, 95 % interval %2 … %3"_s;
        words += u", "_s + vertex.arg(text(rough_text(std::exp(fit.vertex))), text(rough_text(std::exp(interval->low))),
                                      text(rough_text(std::exp(interval->high))));
    }
    addNote(figure, withUnbreakablePercent(words));
}

}  // namespace

ResultsPicture lossByTheta(const ResultsData& data) {
    ResultsPicture picture = alongKey(
        data, {"loss-by-theta", "theta",
               u"This figure needs finished runs of models with RoPE and at least two values of θ: sweep θ on the page "
               "Train, e.g. 500, 5k, 10k."_s});
    addThetaCurves(picture.figure, data.table());
    return picture;
}

ResultsPicture lossByFraction(const ResultsData& data) {
    return alongKey(
        data,
        {"loss-by-fraction", "fraction",
         u"This figure needs at least two rotated fractions: sweep the fraction, e.g. 0, 2 ch, 10 %, 100 %."_s},
        addBands);
}

ResultsPicture lossByContext(const ResultsData& data) {
    return alongKey(data, {"loss-by-context", "context",
                           u"This figure needs at least two context lengths: sweep the context, e.g. 64, 128, 256."_s});
}

// One line per level of the other settings over the values of the factor.
ResultsPicture interactionFigure(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "interaction"), {}};
    Figure& figure = picture.figure;
    const Interactions all = interactions(table);
    figure.y = {measureTitle(data.measure()), measureUnit(data.table())};
    if (all.list.empty()) {
        return withoutNumbers(std::move(picture),
                              u"This figure needs finished runs of a sweep over two settings, such as θ = 100, 10k and "
                              "fraction = 25 %, 100 %."_s);
    }
    figure.x.label = keyTitle(all.factor);
    std::vector<nlohmann::json> values;
    std::vector<KeySeries> levels;
    std::vector<std::map<std::string, nlohmann::json>> known;
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const ResultGroup& group = table.groups[i];
        if (group.described[table.compared].n == 0) continue;
        const nlohmann::json& value = group.settings.at(all.factor);
        auto place = std::ranges::find(values, value);
        if (place == values.end()) {
            place = values.insert(place, value);
            figure.x.categories << settingTitle(table, group, all.factor);
        }
        std::map<std::string, nlohmann::json> level = group.settings;
        level.erase(all.factor);
        auto found = std::ranges::find(known, level);
        if (found == known.end()) {
            found = known.insert(found, level);
            KeySeries& own = levels.emplace_back();
            for (const std::string& key : distinguishing_keys(table, all.factor)) {
                own.label +=
                    (own.label.isEmpty() ? QString() : u", "_s) + partWords(key, level.at(key), head_dim_of(table));
            }
        }
        levels[static_cast<std::size_t>(found - known.begin())].points.push_back(
            {static_cast<double>(place - values.begin()), i});
    }
    const std::vector<Ink> inks = inksOf(data, levels);
    ShownValues shown = shownMeans(table);
    std::vector<std::size_t> drawn;
    FigureTable& rows = figure.table =
        FigureTable::of({figure.y.title(), u"95 % interval, low"_s, u"95 % interval, high"_s});
    std::vector<FigureCurve> lines;
    QList<double> places(static_cast<qsizetype>(table.groups.size()), std::nan(""));
    for (std::size_t s = 0; s < levels.size(); ++s) {
        QList<double> x, y;
        // Side by side, so that bars of several levels do not cover each other.
        const double shift = 0.3 * ((static_cast<double>(s) + 0.5) / static_cast<double>(levels.size()) - 0.5);
        for (const KeyPoint& point : levels[s].points) {
            const Description& described = descriptionOf(data, point.group);
            const double at = point.at + shift;
            places[static_cast<qsizetype>(point.group)] = at;
            x.append(at);
            y.append(described.mean);
            figure.curves.push_back(dotWithBar(at, described.mean, described.confidence_low, described.confidence_high,
                                               kMeanPt, inks[s], emphasisOf(data, point.group)));
            addErrorBar(figure, at, described.confidence_low, described.confidence_high, 0.03, inks[s],
                        emphasisOf(data, point.group));
            picture.spots.push_back(groupSpot(data, point.group, {at, described.mean}));
            rows.addRow({described.mean, described.confidence_low, described.confidence_high});
            drawn.push_back(point.group);
        }
        lines.push_back(seriesLine(levels[s], inks[s], x, y));
        lines.back().quantity = figure.y.label;
    }
    figure.curves.insert(figure.curves.begin(), lines.begin(), lines.end());
    addKeys(rows, table, drawn);
    setShown(figure, shown);
    figure.note =
        barsNote(shown, u"bars: %1 of the mean; lines are parallel without interaction"_s.arg(intervalTitle(table)));
    figure.summary = u"Mean %1 against %2, one line per level of the other settings. %3"_s.arg(
        measureTitle(data.measure()), keyTitle(all.factor), text(interaction_words(table, all)));
    addWithoutValue(picture, data, places);
    return picture;
}

ResultsPicture improvementFigure(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "improvement"), {}};
    Figure& figure = picture.figure;
    figure.y = {u"improvement"_s, u"%"_s};
    std::string key = "theta";
    std::vector<KeySeries> series;
    for (const char* candidate : {"theta", "fraction", "context", "learning_rate"}) {
        key = candidate;
        series = seriesAlong(data, key);
        if (countDistinctValues(series) > 1) break;
    }
    figure.x = axisOf(key);
    if (countDistinctValues(series) < 2 || table.groups.empty()) {
        return withoutNumbers(
            std::move(picture),
            u"This figure needs a sweep over θ, the rotary fraction, the context or the learning rate."_s);
    }
    QList<double> places = scaledPlaces(data, series, key);
    padX(figure, places);
    figure.x.marks = axisMarks(places);
    std::set<double> levels;  // values of the key of baselines
    for (const KeySeries& line : series) {
        for (const KeyPoint& point : line.points) {
            if (table.is_baseline(table.groups[point.group])) levels.insert(axisValue(key, point.at));
        }
    }
    const auto baselines = std::count_if(table.groups.begin(), table.groups.end(),
                                         [&](const ResultGroup& group) { return table.is_baseline(group); });
    const QString baseWords = baselines > 1 ? u"the baseline of the same "_s + text(level_words(table))
                                            : longLabel(table, table.groups[table.baseline]);
    const QString lineWords =
        baselines == 1 || levels.size() != 1
            ? baseWords
            : u"%1 = %2 %3"_s.arg(figure.x.label, readableCount(*levels.begin()), figure.x.unit).trimmed();
    ShownValues shown{std::vector<std::int64_t>(table.groups.size())};
    bool anyBar = false;
    bool anyWithoutBar = false;
    if (is_by_seed(table.test)) shown.unit = u"seed pair"_s;
    figure.horizontalLines.push_back(
        {.at = 0, .label = u"baseline: %1"_s.arg(lineWords), .ink = {Ink::Kind::quiet}, .labelAtEnd = true});
    FigureTable& rows = figure.table =
        FigureTable::of({u"improvement (%)"_s, u"95 % interval, low (%)"_s, u"95 % interval, high (%)"_s});
    std::vector<std::size_t> drawn;
    addFollowingSettings(figure, data, key);
    const std::vector<Ink> inks = inksOf(data, series);
    const SideBySide across(figure, data.table(), places, series.size());
    across.apply(figure);
    std::vector<FigureCurve> lines;
    QStringList without;
    for (std::size_t s = 0; s < series.size(); ++s) {
        const KeySeries& line = series[s];
        for (const KeyPoint& point : line.points) {
            places[static_cast<qsizetype>(point.group)] = across.at(axisValue(key, point.at), s);
        }
        QList<double> x;
        QList<double> y;
        for (const KeyPoint& point : line.points) {
            // The baseline of the table, also for lines of other settings: the caption and the table name the same one.
            const ResultGroup* baseline = table.baseline_of(table.groups[point.group]);
            const auto interval =
                interval_to_baseline(table, table.groups[point.group], table.compared, table.groups[point.group].test);
            if (!interval || !std::isfinite(interval->reference) || interval->reference == 0) continue;
            const double percent = (data.measure().more_is_better ? 100 : -100) / std::abs(interval->reference);
            const double at = places[static_cast<qsizetype>(point.group)];
            const double improvement = percent * interval->difference;
            const bool isReference = baseline == &table.groups[point.group];
            const double a = isReference ? std::nan("") : percent * interval->low;
            const double b = isReference ? std::nan("") : percent * interval->high;
            x.append(at);
            y.append(improvement);
            const Ink ink = series.size() > 1 ? inks[s] : data.results.inkOf(data.table().groups[point.group]);
            figure.curves.push_back(dotWithBar(at, improvement, std::min(a, b), std::max(a, b), kMeanPt, ink,
                                               emphasisOf(data, point.group)));
            addErrorBar(figure, at, std::min(a, b), std::max(a, b), capSize(figure), ink,
                        emphasisOf(data, point.group));
            Spot spot = groupSpot(data, point.group, {at, improvement});
            spot.rows.prepend({u"improvement"_s,
                               isReference ? u"the baseline"_s
                                           : numberText(signed_percent(improvement)) + u" %"_s +
                                                 (std::isfinite(a) ? u", %1 … %2"_s.arg(readableNumber(std::min(a, b)),
                                                                                        readableNumber(std::max(a, b)))
                                                                   : QString())});
            picture.spots.push_back(std::move(spot));
            rows.addRow({improvement, std::min(a, b), std::max(a, b)});
            // A baseline has no pairs, and its difference from itself is no measurement.
            if (!isReference || !is_by_seed(table.test)) shown.counts[point.group] = interval->values;
            anyBar = anyBar || std::isfinite(a);
            anyWithoutBar = anyWithoutBar || (!isReference && !std::isfinite(a));
            drawn.push_back(point.group);
        }
        if (x.isEmpty()) {
            without << line.label;
            continue;
        }
        lines.push_back(seriesLine(line, inks[s], x, y));
        lines.back().quantity = figure.y.label;
    }
    if (drawn.empty()) {
        figure.horizontalLines.clear();
        return withoutNumbers(
            std::move(picture),
            u"This figure needs finished runs with a value of the compared measure, of the baseline and of another "
            "group."_s);
    }
    figure.curves.insert(figure.curves.begin(), lines.begin(), lines.end());
    addKeys(rows, table, drawn);
    setShown(figure, shown);
    const QString test = testTitle(table);
    const QString others = std::exchange(
        figure.note, anyBar ? u"bars: %1 of the difference (%2)"_s.arg(intervalTitle(table), test) : QString());
    if (anyWithoutBar) {
        addNote(figure, anyBar                       ? u"points without a bar have too few values for an interval"_s
                        : shownMeans(table).haveBars ? u"there is no interval, because the groups have too few values"_s
                                                     : barsNote(shownMeans(table), {}));
    }
    addNote(figure, others);
    figure.summary = u"Improvement of the %1 over %2 in percent%3."_s.arg(
        measureTitle(data.measure()), baseWords,
        anyBar ? u", with 95 % confidence intervals of the difference (%1)"_s.arg(test) : QString());
    if (!without.isEmpty()) {
        addNote(figure, u"not shown, because the baseline has no value: %1"_s.arg(without.join(u", "_s)));
    }
    addWithoutValue(picture, data, places);
    return picture;
}

}  // namespace ropelab::ui
