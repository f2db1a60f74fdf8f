#include "ui/probes/inspect_data.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/experiment/experiment.h"
#include "core/run/probing.h"
#include "core/sweep/stored_run.h"
#include "ui/common/format.h"
#include "ui/figure/paint/printed_figure.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

Figure inspectFigure(const InspectData& data, const char* name, Axis x, Axis y) {
    Figure figure;
    figure.name = QLatin1String(name);
    figure.x = std::move(x);
    figure.y = std::move(y);
    if (!data.run) return figure;
    const auto describe = [](const InsideRun& run, const Snapshot* snapshot) {
        if (run.isOpened()) {
            QJsonObject object{{u"model"_s, QString::fromStdString(run.checkpoint.path.string())},
                               {u"name"_s, run.name},
                               {u"text"_s, QString::fromStdString(run.checkpoint.external->corpus->name)}};
            if (snapshot && run.training) object[u"snapshot"_s] = static_cast<double>(snapshot->iteration);
            return object;
        }
        QJsonObject object{{u"run"_s, static_cast<double>(run.id)},
                           {u"name"_s, run.name},
                           {u"settings"_s, QString::fromStdString(to_json(run.spec).dump())}};
        if (snapshot) object[u"snapshot"_s] = static_cast<double>(snapshot->iteration);
        return object;
    };
    figure.settings = describe(*data.run, data.snapshot());
    figure.settings[u"layer"_s] = static_cast<double>(data.choices.layer);
    figure.settings[u"head"_s] = static_cast<double>(std::max<std::int64_t>(data.choices.head, -1));
    if (data.ghost) figure.settings[u"second_run"_s] = describe(*data.ghost, data.ghostSnapshot());
    return figure;
}

QString whyNoSnapshots(const InspectData& data) {
    if (!data.run) return u"There is no run to inspect yet. Train a run, or open a lab file or a model."_s;
    if (!data.run->snapshots.empty()) return {};
    if (data.run->isOpened()) {
        const QString text = QString::fromStdString(data.run->checkpoint.external->corpus->name);
        return data.problem.isEmpty() ? u"Measuring %1 on %2, which takes some seconds …"_s.arg(data.run->name, text)
                                      : data.problem;
    }
    if (data.run->isImported) return QString::fromStdString(no_model_words(data.run->name.toStdString()));
    if (data.run->spec.probe_every == 0) {
        return u"This run was trained with probe_every = 0, so it has no snapshots of its internals. Train it with "
               "probe_every = 1. Only a checkpoint is needed for the attention in a text that you type, ablation "
               "and length extrapolation."_s;
    }
    if (!data.run->iterations.isEmpty()) {
        return u"This lab file contains no snapshots of this run’s internals. Choose another run, or train this one "
               "again: a run stores snapshots while it trains."_s;
    }
    return u"This run has no snapshots yet. The first snapshot is stored before the first step."_s;
}

InspectPicture withoutNumbers(const InspectData& data, const char* name, const QString& words) {
    InspectPicture picture{inspectFigure(data, name)};
    picture.figure.emptyText = whyNoSnapshots(data);
    if (!words.isEmpty() && data.run) picture.figure.emptyText = words;
    if (picture.figure.emptyText.isEmpty() && data.run && layerOf(data) >= 0 && !data.run->hasWeights(layerOf(data))) {
        picture.figure.emptyText =
            u"Layer %1 is a gated DeltaNet layer, which has no attention weights; choose another layer."_s.arg(
                layerOf(data));
    }
    if (picture.figure.emptyText.isEmpty()) {
        picture.figure.emptyText =
            data.run && !data.run->hasSteps()
                ? u"The measurement of this model does not contain the values of this figure: they belong to a "
                  "training, or to a part that the model does not have. Choose another figure."_s
                : u"The snapshots of this run do not contain the values of this figure."_s;
    }
    picture.figure.summary = picture.figure.emptyText;
    return picture;
}

std::vector<double> wavelengthsOf(const ModelPlan& plan) {
    ProbeRequest request;
    request.sequences.length = plan.sizes.T;
    std::vector<double> result = probed_frequencies(plan, request);
    for (double& value : result) {
        value = value > 0 ? 2 * std::numbers::pi / value : std::numeric_limits<double>::infinity();
    }
    return result;
}

bool rotatesPairs(const ModelPlan& plan) {
    const std::vector<double> wavelengths = wavelengthsOf(plan);
    return std::any_of(wavelengths.begin(), wavelengths.end(), [](double w) { return std::isfinite(w); });
}

QString pairWavelengthText(double wavelength) {
    if (!std::isfinite(wavelength)) return u"not rotated"_s;
    return u"%1 tokens"_s.arg(readableNumber(wavelength));
}

std::int64_t layerOf(const InspectData& data) {
    return std::min(data.choices.layer, data.run->spec.layers - 1);
}

std::int64_t headOf(const InspectData& data) {
    return std::clamp<std::int64_t>(data.choices.head, -1, data.run->spec.heads - 1);
}

QString whereText(const InspectChoices& choices) {
    const QString layer = choices.layer < 0 ? u"mean over layers"_s : u"layer %1"_s.arg(choices.layer);
    if (choices.head >= 0) {
        const QString where = u"%1, head %2"_s.arg(layer).arg(choices.head);
        return choices.headReason.isEmpty() ? where : u"%1 (%2)"_s.arg(where, choices.headReason);
    }
    return choices.layer < 0 ? u"mean over layers and heads"_s : u"%1, mean over heads"_s.arg(layer);
}

std::function<std::optional<FigureView::Readout>(QPointF)> cellReadout(
    FigureMap map, std::function<std::optional<FigureView::Readout>(int row, int column, double value)> describe) {
    return [map = std::move(map), describe = std::move(describe)](QPointF place) {
        const int column = static_cast<int>(std::lround(place.x()));
        const int row = static_cast<int>(std::lround(place.y()));
        if (column < 0 || column >= map.columns || row < 0 || row >= map.rows) {
            return std::optional<FigureView::Readout>();
        }
        return describe(row, column,
                        static_cast<double>(map.values[static_cast<qsizetype>(row) * map.columns + column]));
    };
}

void addTimeCursor(Figure& figure, double at, const Snapshot& snapshot) {
    figure.verticalLines.push_back(
        {at, u"step %1"_s.arg(groupedText(snapshot.iteration)), {Ink::Kind::accent}, kTimeHandle});
}

FigureCurve inspectCurve(const QString& label, const QString& quantity, Ink ink, QList<double> x, QList<double> y) {
    FigureCurve curve;
    curve.label = label;
    curve.quantity = quantity;
    curve.ink = ink;
    curve.x = std::move(x);
    curve.y = std::move(y);
    return curve;
}

FigureCurve ghostCurve(FigureCurve curve, const InsideRun& ghost) {
    curve.quantity = curve.label.isEmpty() ? ghost.name : u"%1, %2"_s.arg(curve.label, ghost.name);
    curve.label.clear();
    curve.companion = true;
    return curve;
}

}  // namespace ropelab::ui
