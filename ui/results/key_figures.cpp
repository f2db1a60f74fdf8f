#include "ui/results/key_figures.h"

#include <algorithm>
#include <cmath>

#include "core/rope/frequencies.h"
#include "core/stats/results_cells.h"
#include "core/stats/results_interval.h"
#include "ui/figure/ticks.h"
#include "ui/results/key_series.h"
#include "ui/results/results_words.h"
#include "ui/window/text.h"

namespace ropelab::ui {

namespace {

constexpr double capShare = 0.008;   // of the axis
constexpr double capFactor = 1.025;  // on a logarithmic axis
constexpr double publishedPt = 6;

double capOf(const Figure& figure) {
    return figure.x.logarithmic ? capFactor : capShare * (figure.x.maximum - figure.x.minimum);
}

const Description& describedAt(const ResultsData& data, std::size_t group) {
    return data.table().groups[group].described[data.table().compared];
}

// x in the figure's units: a fraction in percent.
double placeOf(const std::string& key, double at) {
    return key == "fraction" ? 100 * at : at;
}

QList<double> scaledPlaces(const ResultsData& data, const std::vector<KeySeries>& series, const std::string& key) {
    QList<double> places = placesOf(data, series);
    for (double& place : places) place = placeOf(key, place);
    return places;
}

// The values that were run are what the axis has to name.
QList<double> marksOf(const QList<double>& places) {
    QList<double> marks;
    std::copy_if(places.begin(), places.end(), std::back_inserter(marks), [](double x) { return std::isfinite(x); });
    return marks;
}

Axis axisOf(const std::string& key) {
    if (key == "fraction") return {QObject::tr("rotated fraction of a head"), QStringLiteral("%")};
    if (key == "context") return {QObject::tr("context length"), QObject::tr("symbols"), true};
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
        const double x = placeOf(key, value.at);
        const Ink ink{Ink::Kind::quiet};
        const QString name = QObject::tr("%1, %2").arg(value.source, QString::fromStdString(value.data));
        auto source = std::find_if(sources.begin(), sources.end(), [&](const Source& s) { return s.name == name; });
        if (source == sources.end()) source = sources.insert(sources.end(), {name, {}, {}});
        source->x.append(x);
        source->y.append(value.sample.mean);
        picture.figure.curves.push_back(dot(x, value.sample.mean, publishedPt, ink));
        const double s = value.sample.standard_deviation;
        addErrorBar(picture.figure, x, value.sample.mean - s, value.sample.mean + s, capOf(picture.figure), ink);
        picture.spots.push_back(
            {{x, value.sample.mean},
             QObject::tr("published: %1").arg(name),
             {{keyTitle(key), readableCount(value.at)},
              {QObject::tr("mean"), valueText(data.measure(), value.sample.mean)},
              {QObject::tr("± std"), QString::fromStdString(fixed_text(s, data.measure().decimals))},
              {QObject::tr("seeds"), QString::number(value.sample.n)},
              {QObject::tr("note"), QObject::tr("another machine and code: not comparable to the last digit")}}});
    }
    for (const Source& source : sources) {
        FigureCurve line = stroke(source.x, source.y, {Ink::Kind::quiet});
        line.companion = true;
        line.quantity = QObject::tr("published: %1").arg(source.name);
        picture.figure.curves.push_back(std::move(line));
        FigureCurve name = stroke({source.x.last()}, {source.y.last()}, {Ink::Kind::quiet});  // its words, at the end
        name.label = source.name;
        picture.figure.curves.push_back(std::move(name));
        addNote(picture.figure, QObject::tr("grey, dashed: published (%1)").arg(source.name));
    }
}

// Groups to which the key means nothing: a level that the others are seen against.
void addLevels(Figure& figure, const ResultsData& data, const QList<double>& places) {
    for (std::size_t i = 0; i < data.table().groups.size(); ++i) {
        const double mean = describedAt(data, i).mean;
        if (std::isfinite(places[static_cast<qsizetype>(i)]) || !std::isfinite(mean)) continue;
        figure.horizontalLines.push_back({.at = mean,
                                          .label = shortLabel(data.table(), data.table().groups[i]),
                                          .ink = Ink::data(data.results.colorOf(data.table().groups[i])),
                                          .wordsAtEnd = true});
    }
}

// What changes beside the key, along every curve.
void addAlong(Figure& figure, const ResultsData& data, const std::string& key) {
    QStringList titles;
    for (const std::string& other : keysAlongWith(data, key)) titles << keyTitle(other);
    if (titles.isEmpty()) return;
    const QString words = titles.join(QObject::tr(" and "));
    addNote(figure, titles.size() == 1 ? QObject::tr("%1 changes with it").arg(words)
                                       : QObject::tr("%1 change with it").arg(words));
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
    figure.y = {measureTitle(data.measure()), measureUnit(data.measure())};
    if (valuesOf(series) < 2) {
        figure.emptyText = words.empty;
        figure.summary = words.empty;
        return picture;
    }
    const QList<double> places = scaledPlaces(data, series, words.key);
    QList<double> extent = places;
    for (const PublishedValue& value : data.published) {
        if (value.key == words.key) extent.append(placeOf(words.key, value.at));
    }
    padX(figure, extent);
    figure.x.marks = marksOf(places);
    figure.note = QObject::tr("bars: ± standard deviation of seeds");
    figure.summary = QObject::tr("%1 against %2 over %3 values, with ± standard deviation over seeds.")
                         .arg(figure.y.label, figure.x.label)
                         .arg(valuesOf(series));
    addAlong(figure, data, words.key);
    if (bands) bands(figure, data, series);
    for (const KeySeries& of : series) {
        QList<double> x;
        QList<double> y;
        for (const KeyPoint& point : of.points) {
            const Description& described = describedAt(data, point.group);
            if (described.n == 0) continue;
            x.append(placeOf(words.key, point.at));
            y.append(described.mean);
        }
        FigureCurve line = lineOf(series, of, x, y);
        line.quantity = figure.y.label;
        figure.curves.push_back(std::move(line));
    }
    for (const KeySeries& of : series) {
        for (const KeyPoint& point : of.points) {
            const Description& described = describedAt(data, point.group);
            if (described.n == 0) continue;
            const double x = placeOf(words.key, point.at);
            const Ink ink = inkOf(data, series, of, point.group);
            const Emphasis emphasis = emphasisOf(data, point.group);
            figure.curves.push_back(dot(x, described.mean, meanPt, ink, emphasis));
            addErrorBar(figure, x, described.mean - described.standard_deviation,
                        described.mean + described.standard_deviation, capOf(figure), ink, emphasis);
            picture.spots.push_back(groupSpot(data, point.group, {x, described.mean}));
        }
    }
    addLevels(figure, data, places);
    addPublished(picture, data, words.key);
    addDiverged(picture, data, places);
    figure.table = groupColumns(data);
    return picture;
}

// "apart in 4 of 6, by 0.092 to 0.17 nats": what the summary tells of each curve.
QString apartWords(qsizetype curves, const std::vector<double>& gaps, const Measure& measure) {
    if (gaps.empty()) return QObject::tr("they overlap in all %1").arg(curves);
    const auto [least, most] = std::minmax_element(gaps.begin(), gaps.end());
    const QString from = numberText(rough_text(*least));
    const QString to = numberText(rough_text(*most));
    return QObject::tr("apart in %1 of %2, by %3 %4")
        .arg(gaps.size())
        .arg(curves)
        .arg(from == to ? from : QObject::tr("%1 to %2").arg(from, to), measureUnit(measure));
}

void addBands(Figure& figure, const ResultsData& data, const std::vector<KeySeries>& series) {
    QStringList gaps;
    std::vector<double> apart;
    for (const KeySeries& of : series) {
        struct Part {
            QList<double> x;
            double low = std::numeric_limits<double>::infinity();
            double high = -std::numeric_limits<double>::infinity();
        };
        Part few;
        Part many;
        for (const KeyPoint& point : of.points) {
            const ResultGroup& group = data.table().groups[point.group];
            const int head = data.exampleOf(group).spec.head_dim();
            const bool isFew = rotary_dim(head, point.at) <= 2;
            const bool isMany = rotary_dim(head, point.at) >= rotary_dim(head, 0.1);
            if (isFew == isMany) continue;  // in a small head 10 % are two channels
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
            // A band of one fraction is still seen.
            const auto [left, right] = std::minmax_element(part->x.begin(), part->x.end());
            const double room = *left == *right ? 1.5 : 0;
            figure.bands.push_back({part == &few ? QObject::tr("0 and 2 channels") : QObject::tr("10 % and more"),
                                    series.size() > 1 ? Ink::data(of.color)
                                                      : Ink{part == &few ? Ink::Kind::unrotated : Ink::Kind::rotated},
                                    {*left - room, *right + room},
                                    {part->low, part->low},
                                    {part->high, part->high}});
        }
        const bool below = many.high < few.low;
        const double gap = below ? few.low - many.high : many.low - few.high;
        if (gap > 0) apart.push_back(gap);
        const QString where = of.label.isEmpty() ? QString() : of.label + QStringLiteral(": ");
        gaps << (gap > 0 ? QObject::tr("%1%2 %3 apart")
                               .arg(where, QString::fromStdString(rough_text(gap)), measureUnit(data.measure()))
                         : QObject::tr("%1they overlap").arg(where));
    }
    if (gaps.isEmpty()) return;
    addNote(figure, QObject::tr("shaded: all runs with ≤\u00A02 channels, and with ≥\u00A010\u202F%; %1")
                        .arg(gaps.size() == 1 ? gaps.front() : apartWords(gaps.size(), apart, data.measure())));
    figure.summary += QObject::tr(" The range of runs with at most 2 channels and that with 10 % and more: %1.")
                          .arg(gaps.join(QStringLiteral(", ")));
}

}  // namespace

ResultsPicture lossByTheta(const ResultsData& data) {
    return alongKey(data, {"loss-by-theta", "theta",
                           QObject::tr("A curve against θ needs at least two thetas in rotating models with finished "
                                       "runs: sweep θ in Train, as 500, 5k, 10k.")});
}

ResultsPicture lossByFraction(const ResultsData& data) {
    return alongKey(data,
                    {"loss-by-fraction", "fraction",
                     QObject::tr("A curve against the rotated fraction needs at least two fractions: sweep it in "
                                 "Train, as 0, 2 ch, 10 %, 100 %.")},
                    addBands);
}

ResultsPicture lossByContext(const ResultsData& data) {
    return alongKey(data, {"loss-by-context", "context",
                           QObject::tr("A curve against the context length needs at least two of them: sweep context "
                                       "in Train, as 64, 128, 256.")});
}

ResultsPicture improvementFigure(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "improvement"), {}};
    Figure& figure = picture.figure;
    figure.y = {QObject::tr("improvement"), QStringLiteral("%")};
    std::string key = "theta";
    std::vector<KeySeries> series;
    for (const char* candidate : {"theta", "fraction", "context", "learning_rate"}) {
        key = candidate;
        series = seriesAlong(data, key);
        if (valuesOf(series) > 1) break;
    }
    figure.x = axisOf(key);
    const double base = table.groups.empty() ? std::nan("") : keyValue(data, table.groups[table.baseline], key);
    if (valuesOf(series) < 2 || !std::isfinite(base)) {
        figure.emptyText = QObject::tr(
            "Improvements along a key need a swept θ, fraction, context or learning rate, and a baseline that has a "
            "value of it.");
        figure.summary = figure.emptyText;
        return picture;
    }
    const QList<double> places = scaledPlaces(data, series, key);
    padX(figure, places);
    figure.x.marks = marksOf(places);
    figure.note = QObject::tr("bars: 95 % interval of the difference (%1)").arg(testTitle(table.test));
    figure.summary =
        QObject::tr("Improvement of the %4 in percent over %1 %2 with 95 % intervals of the difference (%3).")
            .arg(keyTitle(key), settingTitle(key, base), testTitle(table.test), measureTitle(data.measure()));
    figure.horizontalLines.push_back(
        {.at = 0,
         .label = QObject::tr("baseline: %1 %2").arg(keyTitle(key), settingTitle(key, base)),
         .ink = {Ink::Kind::quiet},
         .wordsAtEnd = true});
    FigureTable& rows = figure.table;
    rows.names = {QObject::tr("improvement (%)"), QObject::tr("95 % interval, low (%)"),
                  QObject::tr("95 % interval, high (%)")};
    rows.columns.resize(rows.names.size());
    std::vector<std::size_t> drawn;
    addAlong(figure, data, key);
    QStringList without;
    for (const KeySeries& of : series) {
        const KeyPoint* reference = of.at(base);
        const double level = reference ? describedAt(data, reference->group).mean : std::nan("");
        if (!std::isfinite(level) || level == 0) {
            without << of.label;
            continue;
        }
        const double percent = (data.measure().more_is_better ? 100 : -100) / level;
        QList<double> x;
        QList<double> y;
        for (const KeyPoint& point : of.points) {
            const auto interval = difference_interval(table.groups[point.group], table.groups[reference->group],
                                                      table.compared, table.test);
            if (!interval) continue;
            const double at = placeOf(key, point.at);
            const double improvement = percent * interval->difference;
            const bool isReference = &point == reference;
            const double a = isReference ? std::nan("") : percent * interval->low;
            const double b = isReference ? std::nan("") : percent * interval->high;
            x.append(at);
            y.append(improvement);
            const Ink ink = inkOf(data, series, of, point.group);
            figure.curves.push_back(dot(at, improvement, meanPt, ink, emphasisOf(data, point.group)));
            addErrorBar(figure, at, std::min(a, b), std::max(a, b), capOf(figure), ink, emphasisOf(data, point.group));
            Spot spot = groupSpot(data, point.group, {at, improvement});
            spot.rows.prepend({QObject::tr("improvement"), isReference ? QObject::tr("the baseline")
                                                                       : numberText(signed_percent(improvement)) +
                                                                             QObject::tr(" %, %1 … %2")
                                                                                 .arg(readableNumber(std::min(a, b)),
                                                                                      readableNumber(std::max(a, b)))});
            picture.spots.push_back(std::move(spot));
            const double numbers[] = {improvement, std::min(a, b), std::max(a, b)};
            drawn.push_back(point.group);
            for (qsizetype i = 0; i < rows.columns.size(); ++i) rows.columns[i].append(numbers[i]);
        }
        FigureCurve line = lineOf(series, of, x, y);
        line.quantity = figure.y.label;
        figure.curves.insert(figure.curves.begin(), std::move(line));
    }
    addKeys(rows, table, drawn);
    if (!without.isEmpty()) {
        addNote(figure, QObject::tr("without a baseline: %1").arg(without.join(QStringLiteral(", "))));
    }
    addDiverged(picture, data, places);
    return picture;
}

}  // namespace ropelab::ui
