#include "ui/window/figure_rooms.h"

#include <algorithm>
#include <span>

#include "ui/lecture/answers_figure.h"
#include "ui/rooms/anatomy/activation_figure.h"
#include "ui/rooms/anatomy/anatomy_figure.h"
#include "ui/rooms/cache/cache_figures.h"
#include "ui/rooms/context/context_figures.h"
#include "ui/rooms/inspect/inspect_figures.h"
#include "ui/rooms/memory/memory_figures.h"
#include "ui/rooms/reproduce/forest_figure.h"
#include "ui/rooms/results/results_figures.h"
#include "ui/rooms/rotation/rotation_figures.h"
#include "ui/rooms/spectrum/encoding_figures.h"
#include "ui/rooms/spectrum/spectrum_figures.h"
#include "ui/window/launch_options.h"

namespace ropelab::ui {

FigureRoom roomOfFigure(const QString& name) {
    if (name == QLatin1String(kForestPlot)) return {QStringLiteral("reproduce"), QStringLiteral("effects")};
    if (name == QLatin1String(kAnatomyFigure)) return {QStringLiteral("anatomy"), QStringLiteral("stages")};
    if (name == QLatin1String(kActivationFigure)) return {QStringLiteral("anatomy"), QStringLiteral("stages")};
    if (name == QLatin1String(kComparedAnatomyFigure)) return {QStringLiteral("anatomy"), name};
    if (name == QLatin1String(kAnswersFigure)) return {QStringLiteral("results"), {}};
    if (findResultsFigure(name)) return {QStringLiteral("results"), name};
    if (findInspectFigure(name)) return {QStringLiteral("inspect"), name};
    if (labFigureNames().contains(name)) return {QStringLiteral("train"), {}};

    // Parts of the rotary rooms whose names differ from those of their figures.
    struct Part {
        const char* figure;
        const char* part;
    };
    static constexpr Part parts[] = {{"logit-split", "logit"},
                                     {"rotation-matrix", "matrix"},
                                     {"helix", "helix"},
                                     {"aim", "aim"},
                                     {"token-rotation", "tokens"},
                                     {"circuit-attention", "circuit"},
                                     {"circuit-distance", "circuit"},
                                     {"context-bound", "bound"},
                                     {"feasible-bases", "bases"},
                                     {"decay-bound", "decay"},
                                     {"random-logits", "random"},
                                     {"spectrum", "frequencies"},
                                     {"scalings", "frequencies"}};
    const auto known = std::find_if(std::begin(parts), std::end(parts),
                                    [&](const Part& part) { return name == QLatin1String(part.figure); });
    const auto isIn = [&](const auto& figures) {
        return std::any_of(figures.begin(), figures.end(),
                           [&](const auto& figure) { return name == QLatin1String(figure.name); });
    };
    FigureRoom result;
    if (known != std::end(parts)) result.part = QLatin1String(known->part);
    if (isIn(encodingFigures())) result = {QStringLiteral("spectrum"), name};
    if (isIn(rotationFigures())) result.room = QStringLiteral("rotation");
    if (isIn(spectrumFigures())) result.room = QStringLiteral("spectrum");
    if (isIn(cacheFigures())) result.room = QStringLiteral("table");
    if (isIn(contextFigures())) result.room = QStringLiteral("context");
    if (isIn(memoryFigures())) result.room = QStringLiteral("memory");
    return result;
}

}  // namespace ropelab::ui
