#include "ui/probes/spectrum_maps.h"
#include "ui/probes/interval_bands.h"

#include <QObject>
#include <algorithm>
#include <cmath>

#include "ui/common/format.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

struct MappedQuantity {
    const char* name;
    QString title;
    QString unit;
    QString formula;
    ProbeArray ProbeResult::*array;
    /// What a layer or head, in front of these words, does with its pair (%1) of the largest value.
    QString uses = {};
    enum class Columns { pairs, pairsAndRest, channels } columns = Columns::pairs;
    double factor = 1;  // converts the stored values to the unit
};

constexpr int kColumnsPerPair = 3;  // on the axis of wavelengths

struct Columns {
    std::vector<double> wavelengths;  // one per pair, in tokens
    std::vector<int> source;          // for each column, the index of its value in a row; −1 for an empty column
    QStringList names;                // labels of the columns; if empty, they are numbered from 0
    QString axis;
};

/// Evenly spaced logarithms of the wavelength, equal for both runs. Each column shows the pair with the nearest
/// wavelength, if it is within half a step. `own` and `all` are the wavelengths of this run and of both.
Columns byWavelength(const std::vector<double>& own, const std::vector<double>& all) {
    Columns columns;
    columns.wavelengths = own;
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    double rotated = 0;
    for (const double wavelength : all) {
        if (!std::isfinite(wavelength)) continue;
        low = std::min(low, wavelength);
        high = std::max(high, wavelength);
        ++rotated;
    }
    const int count = std::max(1, static_cast<int>(own.size()) * kColumnsPerPair);
    const double step = rotated > 1 ? std::log(high / low) / std::max(1, count - 1) : 1;
    // The largest logarithmic step between neighbouring pairs of this run.
    double widest = step;
    for (std::size_t i = 1; i < own.size(); ++i) {
        if (std::isfinite(own[i])) widest = std::max(widest, std::abs(std::log(own[i] / own[i - 1])));
    }
    for (int column = 0; column < count && rotated > 0; ++column) {
        const double wavelength = low * std::exp(step * column);
        int nearest = -1;
        double distance = 0.51 * widest;
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (!std::isfinite(own[i])) continue;
            const double apart = std::abs(std::log(own[i] / wavelength));
            if (apart <= distance) {
                distance = apart;
                nearest = static_cast<int>(i);
            }
        }
        columns.source.push_back(nearest);
        columns.names << markText(wavelength < 100 ? std::round(wavelength * 10) / 10 : std::round(wavelength));
    }
    columns.axis = u"wavelength"_s;
    return columns;
}

Columns columnsOf(const InspectData& data, const InsideRun& run, const MappedQuantity& quantity) {
    Columns columns;
    const std::vector<double> own = wavelengthsOf(run.plan);
    if (quantity.columns == MappedQuantity::Columns::channels) {
        for (int i = 0; i < 2 * run.pairs(); ++i) columns.source.push_back(i);
        columns.axis = u"channel"_s;
        return columns;
    }
    if (data.choices.byWavelength && rotatesPairs(run.plan)) {
        std::vector<double> all = own;
        if (data.ghost) {
            const auto other = wavelengthsOf(data.ghost->plan);
            all.insert(all.end(), other.begin(), other.end());
        }
        return byWavelength(own, all);
    }
    columns.wavelengths = own;
    for (int i = 0; i < static_cast<int>(own.size()); ++i) columns.source.push_back(i);
    const bool isRotated = rotatesPairs(run.plan) && quantity.array != &ProbeResult::value_usage;
    columns.axis = isRotated ? u"pair, fastest first"_s : u"pair of channels"_s;
    return columns;
}

/// The part of the unrotated channels, which may be much larger than that of a pair, is a number beside its row and not
/// a cell of the map.
double restOf(const std::vector<double>& row, const MappedQuantity& quantity) {
    return quantity.columns == MappedQuantity::Columns::pairsAndRest && !row.empty() ? row.back() : 0;
}

struct Rows {
    QStringList names;   // labels on the axis
    QStringList titles;  // "layer 0, head 1"
    QString axis;
    std::vector<std::vector<double>> values;  // in the quantity's unit

    void add(const QString& name, const QString& title, std::vector<double> row, double factor) {
        names << name;
        titles << title;
        for (double& value : row) value *= factor;
        values.push_back(std::move(row));
    }
};

struct HeadPlace {
    std::int64_t layer = 0;
    std::int64_t head = 0;
    std::int64_t strongest = 0;  // pair or channel
    float strength = 0;
};

/// In the order of the pair or channel that is strongest in the newest snapshot, the strongest row of one pair first.
std::vector<HeadPlace> sortedHeads(const InsideRun& run, const MappedQuantity& quantity) {
    const ProbeArray& array = run.snapshots.back().result.get()->*quantity.array;
    std::vector<HeadPlace> places;
    for (std::int64_t layer = 0; layer < array.shape[0]; ++layer) {
        for (std::int64_t head = 0; head < array.shape[1]; ++head) {
            std::span<const float> row = array.row(layer, head);
            if (quantity.columns == MappedQuantity::Columns::pairsAndRest) row = row.first(row.size() - 1);
            const auto most = std::max_element(row.begin(), row.end());
            places.push_back({layer, head, most - row.begin(), *most});
        }
    }
    std::stable_sort(places.begin(), places.end(), [](const HeadPlace& a, const HeadPlace& b) {
        return a.strongest != b.strongest ? a.strongest < b.strongest : a.strength > b.strength;
    });
    return places;
}

/// Of many heads, names only the first one of each layer or strongest pair, where the names have space.
void nameGroups(Rows& rows, const std::vector<HeadPlace>& places, bool isSorted) {
    constexpr std::size_t mostNamed = 40;
    if (places.size() <= mostNamed) return;
    const std::size_t least = places.size() / mostNamed;
    rows.axis = isSorted ? u"strongest pair, a row per head"_s : u"layer, a row per head"_s;
    std::size_t named = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto groupOf = [&](std::size_t row) { return isSorted ? places[row].strongest : places[row].layer; };
        const bool begins = i == 0 || (groupOf(i) != groupOf(i - 1) && i - named >= least);
        if (begins) named = i;
        rows.names[static_cast<qsizetype>(i)] = begins ? QString::number(groupOf(i)) : QString();
    }
}

Rows rowsOf(const InspectData& data, const InsideRun& run, const Snapshot& snapshot, const MappedQuantity& quantity) {
    const ProbeArray& array = snapshot.result.get()->*quantity.array;
    Rows rows;
    if (array.empty()) return rows;
    if (data.choices.rows == InspectRows::allHeads || data.choices.rows == InspectRows::sorted) {
        const bool isSorted = data.choices.rows == InspectRows::sorted;
        rows.axis = isSorted ? u"layer.head, by strongest pair"_s : u"layer.head"_s;
        std::vector<HeadPlace> places;
        for (std::int64_t i = 0; i < array.shape[0] * array.shape[1]; ++i)
            places.push_back({i / array.shape[1], i % array.shape[1]});
        if (isSorted) places = sortedHeads(*data.run, quantity);
        for (const HeadPlace& place : places) {
            rows.add(u"%1.%2"_s.arg(place.layer).arg(place.head),
                     u"layer %1, head %2"_s.arg(place.layer).arg(place.head),
                     meanRow(array, place.layer, place.head, array.shape[1]), quantity.factor);
        }
        nameGroups(rows, places, isSorted);
        return rows;
    }
    if (data.choices.rows == InspectRows::headsOfLayer) {
        const std::int64_t layer = std::clamp<std::int64_t>(data.choices.layer, 0, run.spec.layers - 1);
        rows.axis = u"head of layer %1"_s.arg(layer);
        for (std::int64_t head = 0; head < array.shape[1]; ++head) {
            rows.add(QString::number(head), u"layer %1, head %2"_s.arg(layer).arg(head),
                     meanRow(array, layer, head, array.shape[1]), quantity.factor);
        }
        return rows;
    }
    rows.axis = u"layer"_s;
    for (std::int64_t layer = 0; layer < array.shape[0]; ++layer) {
        rows.add(QString::number(layer), u"layer %1"_s.arg(layer),
                 meanRow(array, layer, data.choices.head, run.spec.heads), quantity.factor);
    }
    return rows;
}

/// Extends the colour scale to the values of all snapshots.
void widen(FigureMap& map, const InspectData& data, const InsideRun& run, const MappedQuantity& quantity) {
    for (const Snapshot& snapshot : run.snapshots) {
        for (auto& row : rowsOf(data, run, snapshot, quantity).values) {
            if (quantity.columns == MappedQuantity::Columns::pairsAndRest) row.pop_back();
            for (const double value : row) {
                map.minimum = std::min(map.minimum, value);
                map.maximum = std::max(map.maximum, value);
            }
        }
    }
}

double valueAt(const std::vector<double>& row, int source) {
    const bool has = source >= 0 && source < static_cast<int>(row.size());
    return has ? row[static_cast<std::size_t>(source)] : std::nan("");
}

QString columnText(const Columns& columns, const MappedQuantity& quantity, int source) {
    if (quantity.columns == MappedQuantity::Columns::channels) return u"channel %1"_s.arg(source);
    return u"pair %1, %2"_s.arg(source).arg(pairWavelengthText(columns.wavelengths[static_cast<std::size_t>(source)]));
}

/// Adds what depends on the columns: axes, the line of the highlighted pair and the readout.
void addAxesAndReadout(InspectPicture& picture, const InspectData& data, const MappedQuantity& quantity,
                       const Columns& columns, const Rows& rows, const QString& what) {
    Figure& figure = picture.figure;
    figure.x = Axis::cells(columns.axis, std::ssize(columns.source), columns.names);
    if (columns.axis == u"wavelength"_s) figure.x.unit = u"tokens"_s;
    figure.x.whole = true;  // columns are counted: pairs or channels
    figure.y = Axis::cells(rows.axis, rows.names.size(), rows.names);
    if (quantity.columns != MappedQuantity::Columns::channels) {
        picture.pairAt = [source = columns.source,
                          pairs = columns.wavelengths.size()](QPointF place) -> std::optional<int> {
            const int column = static_cast<int>(std::lround(place.x()));
            if (column < 0 || column >= static_cast<int>(source.size())) return std::nullopt;
            const int pair = source[static_cast<std::size_t>(column)];
            return pair >= 0 && pair < static_cast<int>(pairs) ? std::optional(pair) : std::nullopt;
        };
        if (const auto pair = data.choices.pair) {
            const auto first = std::find(columns.source.begin(), columns.source.end(), *pair);
            if (first != columns.source.end()) {
                auto last = first;
                while (std::next(last) != columns.source.end() && *std::next(last) == *pair) ++last;
                const double left = static_cast<double>(first - columns.source.begin());
                const double right = static_cast<double>(last - columns.source.begin());
                figure.verticalLines.push_back(
                    {(left + right) / 2, columnText(columns, quantity, *pair), {Ink::Kind::text}});
            }
        }
    }
    const QString unit = figure.map->unit;
    picture.readout = cellReadout(*figure.map, [=, titles = rows.titles](int row, int column, double value) {
        const int source = columns.source[static_cast<std::size_t>(column)];
        if (source < 0) return std::optional<FigureView::Readout>();
        const QString number = readableNumber(value);
        return std::optional(FigureView::Readout{
            u"%1, %2"_s.arg(titles[row], columnText(columns, quantity, source)),
            static_cast<double>(column),
            {{what, unit.isEmpty() ? number : number + QLatin1Char(' ') + unit}, {u"formula"_s, quantity.formula}}});
    });
}

/// Names each row with the part of the unrotated channels, if there are any, and adds it to the exported table.
void addRest(Figure& figure, const QList<double>& rests) {
    const FigureMap& map = *figure.map;
    FigureTable table;
    table.names << figure.y.title() + u" \\ pair, fastest first; rest: unrotated channels"_s;
    QList<double> rows;
    for (int row = 0; row < map.rows; ++row) rows.append(row);
    table.columns << rows;
    for (int column = 0; column <= map.columns; ++column) {
        QList<double> cells;
        for (int row = 0; row < map.rows; ++row) {
            const qsizetype at = static_cast<qsizetype>(row) * map.columns + column;
            cells.append(column < map.columns ? static_cast<double>(map.values[at]) : rests[row]);
        }
        table.names << QString::number(column);
        table.columns << cells;
    }
    if (figure.x.label != "wavelength"_L1) figure.table = std::move(table);
    constexpr double rounding = 1e-9;  // of a model without unrotated channels
    if (std::all_of(rests.begin(), rests.end(), [](double rest) { return std::abs(rest) < rounding; })) return;
    const QString unit = map.unit == "%"_L1 ? u" %"_s : QString();
    for (int row = 0; row < map.rows; ++row) {
        if (!figure.y.categories[row].isEmpty())
            figure.y.categories[row] += u": rest %1"_s.arg(rests[row], 0, 'g', 3) + unit;
    }
    figure.y.label += u", rest: unrotated channels"_s;
}

constexpr std::size_t kMostLollipopRows = 4;

bool hasLollipops(const InspectData& data, const MappedQuantity& quantity, const Rows& rows) {
    return data.choices.lollipops && !data.choices.difference &&
           quantity.columns != MappedQuantity::Columns::channels && rotatesPairs(data.run->plan) &&
           rows.values.size() <= kMostLollipopRows;
}

/// "layer 1 uses pair 0 most (wavelength 6.28, 15.3 %)".
QString usedMost(const MappedQuantity& quantity, const QString& title, const std::vector<double>& row,
                 const std::vector<double>& wavelengths) {
    const auto pair = std::max_element(row.begin(), row.begin() + std::ssize(wavelengths)) - row.begin();
    const double wavelength = wavelengths[static_cast<std::size_t>(pair)];
    const auto digits = [](double number) { return QString::number(number, 'g', 3); };
    const QString value = digits(row[static_cast<std::size_t>(pair)]) +
                          (quantity.unit.isEmpty() ? QString() : QLatin1Char(' ') + quantity.unit);
    return u"%1 %2 (%3, %4)"_s.arg(
        title, quantity.uses.arg(pair),
        std::isfinite(wavelength) ? u"wavelength %1"_s.arg(digits(wavelength)) : pairWavelengthText(wavelength), value);
}

/// A stem per pair and row over the pair's wavelength. Each begins at the next lower one of its pair, so that all are
/// visible unless they are equal. Their axis is that of all snapshots, so it holds still in a replay.
InspectPicture lollipops(const InspectData& data, const MappedQuantity& quantity, const Rows& rows) {
    InspectPicture picture{inspectFigure(data, quantity.name)};
    Figure& figure = picture.figure;
    const std::vector<double> wavelengths = wavelengthsOf(data.run->plan);
    const auto rotated = static_cast<std::size_t>(
        std::count_if(wavelengths.begin(), wavelengths.end(), [](double each) { return std::isfinite(each); }));
    const double ratio = rotated > 1 ? wavelengths[1] / wavelengths[0] : 2;
    const auto context = static_cast<double>(data.run->spec.context);
    figure.x = {u"wavelength"_s, u"tokens"_s, true};
    figure.x.minimum = std::min(wavelengths[0], context) / ratio;
    figure.x.maximum = std::max(wavelengths[rotated - 1], context) * ratio;
    figure.y = {quantity.title, quantity.unit};
    FigureMap scale;
    scale.minimum = scale.maximum = 0;
    widen(scale, data, *data.run, quantity);
    if (data.ghost) widen(scale, data, *data.ghost, quantity);
    figure.y.minimum = 1.05 * scale.minimum;
    figure.y.maximum = scale.maximum > 0 ? 1.05 * scale.maximum : 1;
    figure.verticalLines.push_back(
        {context, u"context %1"_s.arg(groupedText(data.run->spec.context)), {Ink::Kind::accent}});
    figure.table.names = {u"pair"_s, u"wavelength (tokens)"_s};
    figure.table.columns.resize(2);
    for (std::size_t pair = 0; pair < wavelengths.size(); ++pair) {
        figure.table.columns[0].append(static_cast<double>(pair));
        figure.table.columns[1].append(wavelengths[pair]);
    }
    QStringList sentences;
    QStringList rests;
    const auto footOf = [&](double value, std::size_t pair) {
        double foot = 0;
        for (const auto& other : rows.values) {
            const bool isBetween =
                value > 0 ? other[pair] > foot && other[pair] < value : other[pair] < foot && other[pair] > value;
            if (isBetween) foot = other[pair];
        }
        return foot;
    };
    for (std::size_t row = 0; row < rows.values.size(); ++row) {
        const std::vector<double>& values = rows.values[row];
        const QString title = rows.titles[static_cast<qsizetype>(row)];
        FigureCurve stems;
        stems.ink = Ink::data(static_cast<int>(row));
        stems.solid = true;
        stems.dots = false;
        FigureCurve heads;
        heads.label = title;
        heads.quantity = quantity.title;
        heads.ink = stems.ink;
        heads.shape = FigureCurve::Shape::points;
        heads.pointPt = 5;
        for (std::size_t pair = 0; pair < rotated; ++pair) {
            const double x = wavelengths[pair];
            stems.x << x << x << x;
            stems.y << footOf(values[pair], pair) << values[pair] << std::nan("");
            heads.x << x;
            heads.y << values[pair];
        }
        figure.curves.push_back(std::move(stems));
        figure.curves.push_back(std::move(heads));
        figure.table.names << title;
        figure.table.columns.append(QList<double>(values.begin(), values.begin() + std::ssize(wavelengths)));
        sentences << usedMost(quantity, title, values, wavelengths);
        if (const double rest = restOf(values, quantity); rest != 0) {
            rests << u"%1 %2 %3"_s.arg(title, readableNumber(rest), quantity.unit);
        }
    }
    std::reverse(sentences.begin(), sentences.end());  // the last layer first, next to the output
    picture.sentence = sentences.join(u"; "_s) + QLatin1Char('.');
    picture.sentence[0] = picture.sentence[0].toUpper();
    figure.hasLegend = rows.values.size() > 1;
    figure.note = data.run->at(data.snapshot()->iteration);
    if (data.choices.rows == InspectRows::layers) {
        figure.note += data.choices.head < 0 ? u", mean over heads"_s : u", head %1"_s.arg(data.choices.head);
    }
    figure.note += u"; %1"_s.arg(sequencesText(*data.snapshot()->result));
    if (!rests.isEmpty()) figure.note += u"; unrotated channels: %1"_s.arg(rests.join(u", "_s));
    figure.note += u"; %1: %2"_s.arg(quantity.title, quantity.formula);
    figure.summary = u"%1 (%2) of %3, by wavelength. %4"_s.arg(
        quantity.title, quantity.formula, data.run->words(data.snapshot()->iteration), picture.sentence);
    if (const auto pair = data.choices.pair; pair && std::cmp_less(*pair, rotated)) {
        figure.verticalLines.push_back(
            {wavelengths[static_cast<std::size_t>(*pair)], u"pair %1"_s.arg(*pair), {Ink::Kind::text}});
    }
    picture.pairAt = [wavelengths, rotated, ratio](QPointF place) -> std::optional<int> {
        for (std::size_t pair = 0; pair < rotated; ++pair) {
            if (std::abs(std::log(place.x() / wavelengths[pair])) <= std::log(ratio) / 2) return static_cast<int>(pair);
        }
        return std::nullopt;
    };
    picture.readout = [pairAt = picture.pairAt, wavelengths, rows, quantity](QPointF place) {
        const auto pair = pairAt(place);
        if (!pair) return std::optional<FigureView::Readout>();
        const auto at = static_cast<std::size_t>(*pair);
        FigureView::Readout readout{
            u"pair %1, %2"_s.arg(*pair).arg(pairWavelengthText(wavelengths[at])), wavelengths[at], {}};
        for (std::size_t row = 0; row < rows.values.size(); ++row) {
            const QString number = readableNumber(rows.values[row][at]);
            readout.rows.append({rows.titles[static_cast<qsizetype>(row)],
                                 quantity.unit.isEmpty() ? number : number + QLatin1Char(' ') + quantity.unit,
                                 2 * static_cast<int>(row) + 1});
        }
        readout.rows.append({u"formula"_s, quantity.formula});
        return std::optional(readout);
    };
    return picture;
}

InspectPicture spectrum(const InspectData& data, const MappedQuantity& quantity) {
    const Snapshot* now = data.snapshot();
    if (!now) return withoutNumbers(data, quantity.name);
    Rows rows = rowsOf(data, *data.run, *now, quantity);
    if (rows.values.empty()) return withoutNumbers(data, quantity.name);
    InspectPicture picture{inspectFigure(data, quantity.name)};
    Figure& figure = picture.figure;
    if (hasLollipops(data, quantity, rows)) return lollipops(data, quantity, rows);
    const Columns columns = columnsOf(data, *data.run, quantity);
    FigureMap map;
    map.columns = static_cast<int>(columns.source.size());
    map.rows = static_cast<int>(rows.values.size());
    QString what = quantity.title;
    QList<double> rests;
    for (const auto& row : rows.values) rests.append(restOf(row, quantity));
    const Snapshot* other = data.choices.difference ? data.ghostSnapshot() : nullptr;
    if (data.choices.difference && !other) {
        return withoutNumbers(data, quantity.name,
                              data.ghost ? u"The second run has no snapshots to compare with."_s
                                         : u"Choose a second run to see the difference between two runs."_s);
    }
    if (other) {
        const Rows otherRows = rowsOf(data, *data.ghost, *other, quantity);
        const Columns otherColumns = columnsOf(data, *data.ghost, quantity);
        if (otherRows.values.size() != rows.values.size() || otherColumns.source.size() != columns.source.size()) {
            return withoutNumbers(data, quantity.name,
                                  u"The two runs differ in their number of layers, heads or pairs, so no difference "
                                  "can be computed; show the second run in the side figure instead."_s);
        }
        for (std::size_t row = 0; row < rows.values.size(); ++row) {
            rests[static_cast<qsizetype>(row)] -= restOf(otherRows.values[row], quantity);
            for (std::size_t column = 0; column < columns.source.size(); ++column) {
                map.values.append(static_cast<float>(valueAt(rows.values[row], columns.source[column]) -
                                                     valueAt(otherRows.values[row], otherColumns.source[column])));
            }
        }
        map.scale = FigureMap::Scale::diverging;
        what = u"difference of %1"_s.arg(quantity.title);
        figure.note = u"step %3: %1 − %2"_s.arg(data.run->name, data.ghost->name, groupedText(now->iteration));
    } else {
        for (const auto& row : rows.values) {
            for (const int source : columns.source) map.values.append(static_cast<float>(valueAt(row, source)));
        }
        map.minimum = 0;  // a logit contribution can be slightly negative
        map.maximum = 0;
        widen(map, data, *data.run, quantity);
        if (data.ghost) widen(map, data, *data.ghost, quantity);
        if (!(map.maximum > map.minimum)) map.maximum = map.minimum + 1;
        figure.note = data.run->at(now->iteration);
        constexpr double visible = 0.02;  // of the scale
        if (-map.minimum > visible * map.maximum) {
            map.scale = FigureMap::Scale::diverging;
            map.maximum = std::max(map.maximum, -map.minimum);
            map.minimum = -map.maximum;
        }
    }
    if (data.choices.rows == InspectRows::layers) {
        figure.note += data.choices.head < 0 ? u", mean over heads"_s : u", head %1"_s.arg(data.choices.head);
    }
    figure.note += u"; %1"_s.arg(sequencesText(*now->result));
    if (!other && map.scale == FigureMap::Scale::diverging) {
        figure.note +=
            u"; below 0: the pair's term falls where the logit rises, so other pairs can exceed 100 %; all "
            "parts of a row add up to 100 %"_s;
    }
    if (quantity.columns == MappedQuantity::Columns::channels) {
        figure.note += u"; %1: %2"_s.arg(quantity.title, quantity.formula);
    }
    constexpr double fewColours = 0.8;  // of the scale; fewer ask for the reason
    const bool isDark = !map.values.isEmpty() && map.scale != FigureMap::Scale::diverging &&
                        *std::max_element(map.values.begin(), map.values.end()) < fewColours * map.maximum;
    if (isDark)
        figure.note += data.ghost ? u"; colours as at all steps of both runs"_s : u"; colours as at all steps"_s;
    map.label = what;
    const bool isDifference = other != nullptr;
    map.unit = isDifference && quantity.unit == "%"_L1 ? u"percentage points"_s : quantity.unit;
    figure.map = map;
    figure.summary = u"%1 (%2) of %3; rows: %4; columns: %5."_s.arg(
        what, quantity.formula, data.run->words(now->iteration), rows.axis, columns.axis);
    addAxesAndReadout(picture, data, quantity, columns, rows, what);
    if (quantity.columns == MappedQuantity::Columns::pairsAndRest) addRest(figure, rests);
    return picture;
}

/// All pairs of the run, and of the second run in a difference, contribute 0 because they are not rotated.
bool hasNoRotaryPart(const InspectData& data) {
    return data.snapshot() && !rotatesPairs(data.run->plan) &&
           !(data.choices.difference && data.ghost && rotatesPairs(data.ghost->plan));
}

QString noRotaryPart(const InsideRun& run) {
    return u"The run %1 rotates no pairs, so no pair has a logit contribution of its own: the unrotated channels "
           "contribute 100 %. Choose a run with RoPE."_s.arg(run.name);
}

}  // namespace

InspectPicture querySpectrum(const InspectData& data) {
    return spectrum(data, {"query-spectrum",
                           u"query norm by frequency"_s,
                           {},
                           u"mean norm of the pair's two channels"_s,
                           &ProbeResult::query_usage,
                           u"has its largest query norm in pair %1"_s});
}

InspectPicture keySpectrum(const InspectData& data) {
    return spectrum(data, {"key-spectrum",
                           u"key norm by frequency"_s,
                           {},
                           u"mean norm of the pair's two channels"_s,
                           &ProbeResult::key_usage,
                           u"has its largest key norm in pair %1"_s});
}

InspectPicture valueSpectrum(const InspectData& data) {
    return spectrum(data, {"value-spectrum",
                           u"value norm by pair of channels"_s,
                           {},
                           u"mean norm of two channels of the value vectors v (RoPE does not rotate v)"_s,
                           &ProbeResult::value_usage,
                           u"has its largest value norm in pair %1"_s});
}

InspectPicture contributionSpectrum(const InspectData& data) {
    if (hasNoRotaryPart(data)) return withoutNumbers(data, "logit-contribution", noRotaryPart(*data.run));
    return spectrum(
        data, {"logit-contribution", u"logit contribution"_s, u"%"_s, u"Cov(pair's term, logit) / Var(logit)"_s,
               &ProbeResult::logit_contribution, u"uses pair %1 most"_s, MappedQuantity::Columns::pairsAndRest, 100});
}

InspectPicture weightedContributionSpectrum(const InspectData& data) {
    if (hasNoRotaryPart(data)) return withoutNumbers(data, "weighted-logit-contribution", noRotaryPart(*data.run));
    return spectrum(data, {"weighted-logit-contribution", u"logit contribution, weighted by attention"_s, u"%"_s,
                           u"Cov(pair's term, logit) / Var(logit) under the attention weights"_s,
                           &ProbeResult::weighted_logit_contribution, u"uses pair %1 most, weighted by attention"_s,
                           MappedQuantity::Columns::pairsAndRest, 100});
}

InspectPicture queryChannels(const InspectData& data) {
    return spectrum(data, {"query-channels",
                           u"massive query values"_s,
                           {},
                           u"norm of the channel over the positions of a sequence"_s,
                           &ProbeResult::query_massive,
                           {},
                           MappedQuantity::Columns::channels});
}

InspectPicture keyChannels(const InspectData& data) {
    return spectrum(data, {"key-channels",
                           u"massive key values"_s,
                           {},
                           u"norm of the channel over the positions of a sequence"_s,
                           &ProbeResult::key_massive,
                           {},
                           MappedQuantity::Columns::channels});
}

InspectData secondRunData(const InspectData& data) {
    InspectData swapped = data;
    std::swap(swapped.run, swapped.ghost);
    swapped.choices.difference = false;
    swapped.text.reset();
    swapped.textPair.reset();
    swapped.ablation.reset();
    swapped.ablationCurve.reset();
    swapped.beyond.reset();
    swapped.fineTunings.clear();
    swapped.problem =
        u"Only the first run’s model is evaluated. To evaluate the second run, select it as the first "
        "run."_s;
    return swapped;
}

}  // namespace ropelab::ui
