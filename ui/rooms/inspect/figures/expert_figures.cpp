#include "ui/rooms/inspect/figures/figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "core/study/expert_load.h"
#include "ui/common/format.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"
#include "ui/probes/interval_bands.h"
#include "ui/rooms/inspect/inspect_figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr std::size_t kMostExpertTokens = 12;  // columns of the heat map of tokens
constexpr qsizetype kNamedTokens = 5;          // tokens in the label of a row

struct ExpertPlace {
    std::int64_t layer = 0;
    std::int64_t expert = 0;
};

bool hasExperts(const ProbeResult& result, std::int64_t layer) {
    const std::vector<double> load = expert_load(result, layer);
    return std::accumulate(load.begin(), load.end(), 0.0) > 0;
}

/// Without a selected layer, all layers with experts.
std::vector<std::int64_t> expertLayersOf(const InspectData& data, const ProbeResult& result) {
    std::vector<std::int64_t> layers;
    if (result.expert_shares.empty()) return layers;
    for (std::int64_t layer = 0; layer < result.expert_shares.shape[0]; ++layer) {
        const bool isShown = layerOf(data) < 0 || layerOf(data) == layer;
        if (isShown && hasExperts(result, layer)) layers.push_back(layer);
    }
    return layers;
}

std::vector<ExpertPlace> expertsOf(const InspectData& data, const ProbeResult& result) {
    std::vector<ExpertPlace> places;
    for (const std::int64_t layer : expertLayersOf(data, result)) {
        for (std::int64_t expert = 0; expert < result.expert_shares.shape[1]; ++expert) {
            places.push_back({layer, expert});
        }
    }
    return places;
}

/// The loads of a layer's experts are computed once, at its first place.
bool beginsLayer(const std::vector<ExpertPlace>& places, std::size_t at) {
    return at == 0 || places[at].layer != places[at - 1].layer;
}

InspectPicture withoutExperts(const InspectData& data, const char* name) {
    if (!data.snapshot()) return withoutNumbers(data, name);
    return withoutNumbers(
        data, name,
        data.snapshot()->result->expert_shares.empty()
            ? u"The run %1 has no experts. Train a run with a mixture of experts, such as experts = 4."_s.arg(
                  data.run->name)
            : u"Layer %1 of the run %2 has a dense feed-forward network instead of experts; choose another layer."_s
                  .arg(layerOf(data))
                  .arg(data.run->name));
}

QString expertTitle(const ExpertPlace& place) {
    return u"layer %1, expert %2"_s.arg(place.layer).arg(place.expert);
}

QStringList expertNames(const InspectData& data, const std::vector<ExpertPlace>& places) {
    QStringList names;
    for (const ExpertPlace& place : places) {
        names << (layerOf(data) < 0 ? u"%1.%2"_s.arg(place.layer).arg(place.expert) : QString::number(place.expert));
    }
    return names;
}

QString expertAxis(const InspectData& data) {
    return layerOf(data) < 0 ? u"layer.expert"_s : u"expert of layer %1"_s.arg(layerOf(data));
}

/// A heat map with one row per expert. Values are shares from 0 to 1.
struct ExpertMap {
    const char* name;
    QString label;
    std::vector<ExpertPlace> places;
    QStringList rowNames;
    QString columnAxis;
    QStringList columnNames;
    std::vector<std::vector<double>> rows;
};

/// In percent. `columnText(row, column)` describes a cell in its readout.
InspectPicture expertPicture(const InspectData& data, const ExpertMap& values,
                             const std::function<QString(int, int)>& columnText) {
    InspectPicture picture{inspectFigure(data, values.name)};
    Figure& figure = picture.figure;
    FigureMap map;
    map.label = values.label;
    map.unit = u"%"_s;
    map.rows = static_cast<int>(values.rows.size());
    map.columns = static_cast<int>(values.columnNames.size());
    map.minimum = 0;
    map.maximum = 0;
    for (const auto& row : values.rows) {
        for (const double value : row) {
            map.values.append(static_cast<float>(100 * value));
            if (std::isfinite(value)) map.maximum = std::max(map.maximum, 100 * value);
        }
    }
    if (!(map.maximum > 0)) map.maximum = 1;
    figure.map = map;
    figure.x = Axis::cells(values.columnAxis, map.columns, values.columnNames);
    figure.y = Axis::cells(expertAxis(data), map.rows, values.rowNames);
    figure.y.downwards = true;
    QStringList titles;
    for (const ExpertPlace& place : values.places) titles << expertTitle(place);
    picture.readout = cellReadout(map, [label = map.label, titles, columnText](int row, int column, double value) {
        if (!std::isfinite(value)) return std::optional<FigureView::Readout>();
        return std::optional(FigureView::Readout{u"%1, %2"_s.arg(titles[row], columnText(row, column)),
                                                 static_cast<double>(column),
                                                 {{label, readableNumber(value) + u" %"_s}}});
    });
    return picture;
}

InspectPicture expertCourse(const InspectData& data, const char* name, Axis y, ProbeArray ProbeResult::*array,
                            double factor) {
    const Snapshot* now = data.snapshot();
    const auto layers = now ? expertLayersOf(data, *now->result) : std::vector<std::int64_t>();
    if (layers.empty()) return withoutExperts(data, name);
    InspectPicture picture{overTraining(data, name, std::move(y))};
    Figure& figure = picture.figure;
    int index = 0;
    for (const std::int64_t layer : layers) {
        const auto courseIn = [&, ink = Ink::data(index++)](const InsideRun& run) {
            return courseOf(run, u"layer %1"_s.arg(layer), figure.y.label, ink,
                            [&](const ProbeResult& result) -> std::optional<double> {
                                const ProbeArray& numbers = result.*array;
                                if (numbers.empty() || layer >= numbers.shape[0]) return std::nullopt;
                                return factor * static_cast<double>(numbers.row(layer, 0)[0]);
                            });
        };
        if (data.ghost) figure.curves.push_back(ghostCurve(courseIn(*data.ghost), *data.ghost));
        figure.curves.push_back(courseIn(*data.run));
    }
    addTimeCursor(figure, static_cast<double>(now->iteration), *now);
    figure.note = u"%1; %2"_s.arg(data.run->name, sequencesText(*now->result));
    figure.summary =
        u"%1 during the training of the run %2, one curve per layer."_s.arg(figure.y.label, data.run->name);
    return picture;
}

}  // namespace

static InspectPicture expertLoad(const InspectData& data) {
    constexpr const char* name = "expert-load";
    const Snapshot* now = data.snapshot();
    ExpertMap map{name, u"load"_s, {}, {}, u"step"_s, {}, {}};
    if (now) map.places = expertsOf(data, *now->result);
    if (map.places.empty()) return withoutExperts(data, name);
    map.rowNames = expertNames(data, map.places);
    map.rows.resize(map.places.size());
    double cursor = 0;
    for (const Snapshot& snapshot : data.run->snapshots) {
        if (snapshot.iteration <= now->iteration) cursor = static_cast<double>(map.columnNames.size());
        map.columnNames << groupedText(snapshot.iteration);
        std::vector<double> load;  // of the layer of the row
        for (std::size_t row = 0; row < map.places.size(); ++row) {
            const ExpertPlace& place = map.places[row];
            if (beginsLayer(map.places, row)) load = expert_load(*snapshot.result, place.layer);
            const auto expert = static_cast<std::size_t>(place.expert);
            map.rows[row].push_back(expert < load.size() ? load[expert] : std::nan(""));
        }
    }
    const QStringList steps = map.columnNames;
    InspectPicture picture =
        expertPicture(data, map, [steps](int, int column) { return u"step %1"_s.arg(steps[column]); });
    Figure& figure = picture.figure;
    addTimeCursor(figure, cursor, *now);
    const double even = 100.0 / static_cast<double>(now->result->expert_shares.shape[1]);
    figure.note = u"%1; an equal load is %2 % per expert; %3"_s.arg(data.run->name, readableNumber(even),
                                                                    sequencesText(*now->result));
    figure.summary =
        u"Load of each expert of the run %1 during training: the percentage of the router's choices that select the "
        "expert."_s.arg(data.run->name);
    return picture;
}

static InspectPicture expertLoadByClass(const InspectData& data) {
    constexpr const char* name = "expert-load-by-class";
    const Snapshot* now = data.snapshot();
    ExpertMap map{name, u"share of the class's choices"_s, {}, {}, u"token class"_s, {}, {}};
    if (now) map.places = expertsOf(data, *now->result);
    if (map.places.empty()) return withoutExperts(data, name);
    if (data.run->vocabulary.empty()) {
        return withoutNumbers(data, name,
                              u"The vocabulary of this run is known only after training has started, so "
                              "its tokens have no classes yet."_s);
    }
    const Vocabulary vocabulary = Vocabulary::from_text(data.run->vocabulary);
    map.rowNames = expertNames(data, map.places);
    std::vector<std::size_t> classes;       // those with tokens
    std::vector<std::vector<double>> load;  // of the experts of a layer
    for (std::size_t place = 0; place < map.places.size(); ++place) {
        if (beginsLayer(map.places, place)) {
            load = expert_load_by_class(*now->result, map.places[place].layer, vocabulary);
        }
        const std::vector<double>& row = load[static_cast<std::size_t>(map.places[place].expert)];
        if (classes.empty()) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                if (!std::isfinite(row[i])) continue;
                classes.push_back(i);
                map.columnNames << text(token_class_word(static_cast<TokenClass>(i)));
            }
        }
        std::vector<double>& values = map.rows.emplace_back();
        for (const std::size_t column : classes) values.push_back(row[column]);
    }
    const QStringList words = map.columnNames;
    InspectPicture picture = expertPicture(data, map, [words](int, int column) { return words[column]; });
    picture.figure.note =
        u"%1; for each token class, the shares of a layer's experts add up to 100 %; "
        "%2"_s.arg(data.run->at(now->iteration), sequencesText(*now->result));
    picture.figure.summary =
        u"Percentage of each token class that is routed to each expert of the run %1 after %2 steps."_s.arg(
            data.run->name, groupedText(now->iteration));
    return picture;
}

static InspectPicture expertTokens(const InspectData& data) {
    constexpr const char* name = "expert-tokens";
    const Snapshot* now = data.snapshot();
    ExpertMap map{name, u"share of the expert's tokens"_s, {}, {}, u"rank of the token"_s, {}, {}};
    if (now) map.places = expertsOf(data, *now->result);
    if (map.places.empty()) return withoutExperts(data, name);
    const QStringList names = expertNames(data, map.places);
    std::vector<QStringList> texts;
    std::size_t columns = 0;
    for (std::size_t i = 0; i < map.places.size(); ++i) {
        const auto top =
            top_tokens_of_expert(*now->result, map.places[i].layer, map.places[i].expert, kMostExpertTokens);
        std::vector<std::int32_t> tokens;
        std::vector<double>& values = map.rows.emplace_back();
        for (const ExpertToken& token : top) {
            tokens.push_back(token.token);
            values.push_back(token.share);
        }
        texts.push_back(data.run->tokenTexts(tokens));
        map.rowNames << u"%1: %2"_s.arg(names[static_cast<qsizetype>(i)],
                                        texts.back().mid(0, kNamedTokens).join(QLatin1Char(' ')));
        columns = std::max(columns, values.size());
    }
    for (auto& row : map.rows) row.resize(columns, std::nan(""));
    for (std::size_t i = 1; i <= columns; ++i) map.columnNames << QString::number(i);
    InspectPicture picture = expertPicture(data, map, [texts](int row, int column) {
        return u"token “%1”"_s.arg(texts[static_cast<std::size_t>(row)].value(column));
    });
    if (picture.figure.map) picture.figure.map->blankLabel = u"no further token"_s;
    picture.figure.note = u"%1; %2"_s.arg(data.run->at(now->iteration), sequencesText(*now->result));
    picture.figure.summary =
        u"The tokens that are routed to each expert of the run %1 most often after %2 steps: %3."_s.arg(
            data.run->name, groupedText(now->iteration), map.rowNames.join(u"; "_s));
    return picture;
}

static InspectPicture expertBalance(const InspectData& data) {
    return expertCourse(data, "expert-balance", {u"load-balancing loss"_s, {}}, &ProbeResult::expert_balance, 1);
}

static InspectPicture expertDropped(const InspectData& data) {
    const Snapshot* now = data.snapshot();
    if (now && !now->result->expert_shares.empty() && data.run->spec.expert_capacity == 0) {
        return withoutNumbers(data, "expert-dropped",
                              u"The experts of the run %1 have no capacity limit (expert_capacity = 0), so no "
                              "choices of the router are dropped."_s.arg(data.run->name));
    }
    Axis y{u"choices beyond the capacity"_s, u"%"_s};
    y.minimum = 0;
    return expertCourse(data, "expert-dropped", y, &ProbeResult::expert_dropped, 100);
}

InspectFigures expertFigures() {
    using Controls = InspectFigure::Controls;
    return {
        {"expert-load", InspectGroup::experts, u"load of each expert over training"_s,
         u"Shows the load of each expert of a mixture of experts at every snapshot: the percentage of the router's "
         "choices that select the expert. Shazeer et al. 2017; formula 49 of the guide"_s,
         nullptr, Controls::layer, expertLoad},
        {"expert-load-by-class", InspectGroup::experts, u"load by class of tokens"_s,
         u"Shows which percentage of the letters, digits, white space, punctuation and other tokens is routed to each "
         "expert. Formula 49 of the guide"_s,
         nullptr, Controls::layer, expertLoadByClass},
        {"expert-tokens", InspectGroup::experts, u"tokens of each expert"_s,
         u"Shows the tokens that are routed to each expert most often; each row's label lists the five most frequent "
         "ones. Formula 49 of the guide"_s,
         nullptr, Controls::layer, expertTokens},
        {"expert-balance", InspectGroup::experts, u"load-balancing loss"_s,
         u"Shows the load-balancing loss of each layer over training. The loss is 1 if all experts have equal loads. "
         "Fedus et al. 2022; formula 50 of the guide"_s,
         nullptr, Controls::layer, expertBalance},
        {"expert-dropped", InspectGroup::experts, u"choices beyond the capacity"_s,
         u"Shows the percentage of the router's choices that exceed the capacity of the experts and would be dropped "
         "in training. Formula 51 of the guide"_s,
         nullptr, Controls::layer, expertDropped},
    };
}

}  // namespace ropelab::ui
