#include "ui/rooms/inspect/figures/figures.h"

#include <cmath>

#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/inspect/inspect_figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

struct LayerQuantity {
    const char* name;
    QString title;
    ProbeArray ProbeResult::*array;
    bool logarithmic;  // whether the map shows common logarithms
};

std::vector<double> layerRows(const ProbeArray& array, bool logarithmic) {
    std::vector<double> rows;
    for (const float value : array.values) {
        const auto number = static_cast<double>(value);
        rows.push_back(!logarithmic ? number : number > 0 ? std::log10(number) : std::nan(""));
    }
    return rows;
}

/// "layer 0, attention", "layer 0, MLP", … for arrays of attention and MLP, else "before layer 0", …, "after the last
/// layer".
QStringList rowTitles(const ProbeArray& array) {
    QStringList titles;
    const std::int64_t layers = array.shape.front();
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        if (array.shape.size() == 2) {
            titles << u"layer %1, attention"_s.arg(layer) << u"layer %1, MLP"_s.arg(layer);
        } else {
            titles << (layer + 1 < layers ? u"before layer %1"_s.arg(layer) : u"after the last layer"_s);
        }
    }
    return titles;
}

QStringList rowNames(const ProbeArray& array) {
    QStringList names;
    for (std::int64_t layer = 0; layer < array.shape.front(); ++layer) {
        if (array.shape.size() == 2) {
            names << u"%1 attention"_s.arg(layer) << u"%1 MLP"_s.arg(layer);
        } else {
            names << (layer + 1 < array.shape.front() ? QString::number(layer) : u"end"_s);
        }
    }
    return names;
}

QString whyNoStep(const InspectData& data) {
    if (!data.snapshot()) return {};
    return u"The snapshot at this step has no gradients and updates. Gradients and updates are measured in the "
           "training step before a snapshot, so the first snapshot that contains them is that of step 1 or later."_s;
}

/// One column per snapshot, and one row per layer, or per attention and MLP of each layer.
InspectPicture layerMap(const InspectData& data, const LayerQuantity& quantity) {
    if (!data.snapshot()) return withoutNumbers(data, quantity.name);
    std::vector<const Snapshot*> columns;
    for (const Snapshot& snapshot : data.run->snapshots) {
        const ProbeArray& array = snapshot.result.get()->*quantity.array;
        if (!array.empty() &&
            (columns.empty() || array.shape == (columns.front()->result.get()->*quantity.array).shape)) {
            columns.push_back(&snapshot);
        }
    }
    if (columns.empty()) {
        return withoutNumbers(data, quantity.name,
                              u"No snapshot of this run contains the values of this figure: an earlier version of "
                              "the program stored the snapshots without measurements per layer."_s);
    }
    const ProbeArray& first = columns.front()->result.get()->*quantity.array;
    InspectPicture picture{inspectFigure(data, quantity.name)};
    Figure& figure = picture.figure;
    FigureMap map;
    map.columns = static_cast<int>(columns.size());
    map.rows = static_cast<int>(first.values.size());
    map.label = quantity.logarithmic ? u"log₁₀ of the %1"_s.arg(quantity.title) : quantity.title;
    map.values.resize(static_cast<qsizetype>(map.columns) * map.rows);
    QStringList steps;
    int cursor = 0;
    for (int column = 0; column < map.columns; ++column) {
        const Snapshot& snapshot = *columns[static_cast<std::size_t>(column)];
        if (snapshot.iteration <= data.snapshot()->iteration) cursor = column;
        steps << groupedText(snapshot.iteration);
        const auto rows = layerRows(snapshot.result.get()->*quantity.array, quantity.logarithmic);
        for (int row = 0; row < map.rows; ++row) {
            map.values[static_cast<qsizetype>(row) * map.columns + column] =
                static_cast<float>(rows[static_cast<std::size_t>(row)]);
        }
    }
    figure.map = map;
    figure.x = Axis::cells(u"step of the snapshot"_s, map.columns, steps);
    figure.y = Axis::cells(u"layer"_s, map.rows, rowNames(first));
    addTimeCursor(figure, cursor, *columns[static_cast<std::size_t>(cursor)]);
    figure.note = data.run->name;
    figure.summary = u"%1 by layer during the training of the run %2."_s.arg(quantity.title, data.run->name);
    picture.readout = cellReadout(map, [=, titles = rowTitles(first)](int row, int column, double value) {
        if (!std::isfinite(value)) return std::optional<FigureView::Readout>();
        return std::optional(FigureView::Readout{
            u"%1, step %2"_s.arg(titles[row], steps[column]),
            static_cast<double>(column),
            {{quantity.title, readableNumber(quantity.logarithmic ? std::pow(10.0, value) : value)}}});
    });
    return picture;
}

struct LayerCurve {
    QString label;
    ProbeArray ProbeResult::*array;
    std::size_t column;
    std::size_t columns;  // numbers per layer
};

FigureCurve layerCurve(const LayerCurve& curve, const ProbeResult& result, Ink ink, const QString& quantity) {
    FigureCurve made = inspectCurve(curve.label, quantity, ink);
    const std::vector<float>& values = (result.*curve.array).values;
    for (std::size_t i = curve.column; i < values.size(); i += curve.columns) {
        made.x.append(static_cast<double>(i / curve.columns));
        made.y.append(static_cast<double>(values[i]));
    }
    return made;
}

InspectPicture byLayer(const InspectData& data, const char* name, const QString& y, const QString& x,
                       const std::vector<LayerCurve>& curves, const QString& whyEmpty) {
    const Snapshot* now = data.snapshot();
    if (!now) return withoutNumbers(data, name);
    if ((now->result.get()->*curves.front().array).empty()) return withoutNumbers(data, name, whyEmpty);
    InspectPicture picture{inspectFigure(data, name, {x, {}}, {y, {}, true})};
    Figure& figure = picture.figure;
    figure.x.whole = true;
    int index = 0;
    for (const LayerCurve& curve : curves) {
        const Ink ink = Ink::data(index++);
        if (const Snapshot* other = data.ghostSnapshot()) {
            figure.curves.push_back(ghostCurve(layerCurve(curve, *other->result, ink, y), *data.ghost));
        }
        figure.curves.push_back(layerCurve(curve, *now->result, ink, y));
    }
    figure.note = data.run->at(now->iteration);
    figure.summary = u"%1 by layer of %2."_s.arg(y, data.run->words(now->iteration));
    return picture;
}

}  // namespace

static InspectPicture gradientNormMap(const InspectData& data) {
    return layerMap(data, {"gradient-norm-over-training", u"gradient norm"_s, &ProbeResult::gradient_norm, true});
}

static InspectPicture updateRatioMap(const InspectData& data) {
    return layerMap(data,
                    {"update-ratio-over-training", u"update-to-weight ratio"_s, &ProbeResult::update_ratio, true});
}

static InspectPicture residualStreamMap(const InspectData& data) {
    return layerMap(data, {"residual-stream-over-training", u"root mean square of the residual stream"_s,
                           &ProbeResult::stream_rms, false});
}

static InspectPicture massiveActivationMap(const InspectData& data) {
    return layerMap(data, {"massive-activations-over-training", u"largest magnitude in the residual stream"_s,
                           &ProbeResult::stream_largest, true});
}

static InspectPicture gradientNormByLayer(const InspectData& data) {
    constexpr auto array = &ProbeResult::gradient_norm;
    return byLayer(data, "gradient-norm-by-layer", u"gradient norm"_s, u"layer"_s,
                   {{u"attention"_s, array, 0, 2}, {u"MLP"_s, array, 1, 2}}, whyNoStep(data));
}

static InspectPicture updatesByLayer(const InspectData& data) {
    constexpr auto step = &ProbeResult::update_ratio;
    constexpr auto all = &ProbeResult::accumulated_update;
    return byLayer(data, "updates-by-layer", u"update-to-weight ratio"_s, u"layer"_s,
                   {{u"attention, last step"_s, step, 0, 2},
                    {u"MLP, last step"_s, step, 1, 2},
                    {u"attention, since initialization"_s, all, 0, 2},
                    {u"MLP, since initialization"_s, all, 1, 2}},
                   whyNoStep(data));
}

static InspectPicture residualStreamByLayer(const InspectData& data) {
    return byLayer(
        data, "residual-stream-by-layer", u"magnitude in the residual stream"_s,
        u"number of layers passed (0: embeddings)"_s,
        {{u"root mean square"_s, &ProbeResult::stream_rms, 0, 1}, {u"largest"_s, &ProbeResult::stream_largest, 0, 1}},
        u"An earlier version of the program stored this snapshot without measurements of the "
        "residual stream."_s);
}

InspectFigures layerFigures() {
    using Controls = InspectFigure::Controls;
    return {
        {"gradient-norm-over-training", InspectGroup::training, u"gradient norm by layer"_s,
         u"Shows the norm of the gradient, before clipping, of the weights of attention and MLP of each "
         "layer at the training step before each snapshot. Formula 56 of the guide"_s,
         nullptr, Controls::none, gradientNormMap},
        {"update-ratio-over-training", InspectGroup::training, u"update-to-weight ratio by layer"_s,
         u"Shows the norm of the change that a training step makes to the weights of attention and MLP of "
         "each layer, divided by the norm of these weights. Formula 56 of the guide"_s,
         nullptr, Controls::none, updateRatioMap},
        {"residual-stream-over-training", InspectGroup::training, u"residual stream by layer"_s,
         u"Shows the root mean square of the residual stream before each layer and after the last one. Formula 56 of the guide"_s,
         nullptr, Controls::none, residualStreamMap},
        {"massive-activations-over-training", InspectGroup::training, u"massive activations by layer"_s,
         u"Shows the largest magnitude of a single number in the residual stream before each layer and "
         "after the last one. Sun et al. 2024; formula 56 of the guide"_s,
         nullptr, Controls::none, massiveActivationMap},
        {"gradient-norm-by-layer", InspectGroup::moment, u"gradient norm by layer"_s,
         u"Shows the norm of the gradient of attention and MLP against the layer. At step 1, this is the gradient at "
         "initialization. Xiong et al. 2020; formula 56 of the guide"_s,
         nullptr, Controls::none, gradientNormByLayer},
        {"updates-by-layer", InspectGroup::moment, u"weight updates by layer"_s,
         u"Shows how much the weights of attention and MLP of each layer changed in the last training step and since "
         "initialization: the norm of the change divided by the norm of the weights. Formula 56 of the guide"_s,
         nullptr, Controls::none, updatesByLayer},
        {"residual-stream-by-layer", InspectGroup::moment, u"size of the residual stream by layer"_s,
         u"Shows the root mean square and the largest magnitude of the residual stream against the layer. "
         "Formula 56 of the guide"_s,
         nullptr, Controls::none, residualStreamByLayer},
    };
}

}  // namespace ropelab::ui
