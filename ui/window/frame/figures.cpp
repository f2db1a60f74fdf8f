#include "ui/window/frame/figures.h"

#include <algorithm>
#include <array>

#include "ui/lecture/questions/answers_figure.h"
#include "ui/models/model_figures.h"
#include "ui/rooms/anatomy/anatomy_figure.h"
#include "ui/rooms/cache/cache_figures.h"
#include "ui/rooms/context/context_figures.h"
#include "ui/rooms/inspect/inspect_figures.h"
#include "ui/rooms/memory/memory_figures.h"
#include "ui/rooms/reproduce/forest_figure.h"
#include "ui/rooms/results/results_figures.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rooms/spectrum/spectrum_figures.h"
#include "ui/rooms/train/figures/training_figures.h"

namespace ropelab::ui {

namespace {

struct RotaryFigures {
    const char* room;
    std::span<const RotaryFigure> figures;
};

std::array<RotaryFigures, 7> rotaryRooms() {
    return {{{"rotation", rotationFigures()},
             {"spectrum", spectrumFigures()},
             {"spectrum", encodingFigures()},
             {"table", cacheFigures()},
             {"context", contextFigures()},
             {"memory", memoryFigures()},
             {"", modelFigures()}}};
}

}  // namespace

const FigureEntries& figureEntries() {
    static const FigureEntries all = [] {
        FigureEntries entries;
        const auto add = [&](FigureEntries more) { std::move(more.begin(), more.end(), std::back_inserter(entries)); };
        add(trainingEntries());
        add(resultsEntries());
        add(answersEntries());
        add(inspectEntries());
        add(reproduceEntries());
        for (const RotaryFigures& some : rotaryRooms()) add(rotaryEntries(some.room, some.figures));
        add(anatomyEntries());
        return entries;
    }();
    return all;
}

const FigureEntry* findFigure(const QString& name) {
    return findFigure(figureEntries(), name);
}

const std::vector<RotaryFigure>& rotaryFigures() {
    static const std::vector<RotaryFigure> all = [] {
        std::vector<RotaryFigure> figures;
        for (const RotaryFigures& some : rotaryRooms()) {
            figures.insert(figures.end(), some.figures.begin(), some.figures.end());
        }
        return figures;
    }();
    return all;
}

const RotaryFigure* findRotaryFigure(const QString& name) {
    const auto& all = rotaryFigures();
    const QString current = currentFigureName(name);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const RotaryFigure& figure) { return current == QLatin1String(figure.name); });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace ropelab::ui
