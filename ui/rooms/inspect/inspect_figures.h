#pragma once

#include <QStringList>
#include <span>
#include <vector>

#include "ui/figures/figure_entry.h"
#include "ui/probes/inspect_data.h"
#include "ui/rooms/inspect/inspect_need.h"

namespace ropelab::ui {

namespace option {

inline constexpr FigureOption pair{"pair",
                                   FigureOption::Kind::whole,
                                   "The index of the rotary pair, from 0 (highest "
                                   "frequency).",
                                   "number",
                                   "0",
                                   0,
                                   1e6};

}  // namespace option

/// Headings in the list of figures, in its order.
enum class InspectGroup { spectra, training, moment, experts, attention, ablation, extrapolation, data };
QString titleOf(InspectGroup group);

struct InspectFigure {
    /// Controls of the panel that affect a figure. `layerAndHead`: any layer and head or their means. `oneLayer`: a
    /// single layer and any head. `oneHead`: a single layer and a single head. `layer`: any layer or all. `rows`: heat
    /// map whose rows are layers or the heads of one layer. `pairRows`: as `rows`, with pairs or wavelengths on the x
    /// axis.
    enum class Controls { none, layer, layerAndHead, oneLayer, oneHead, rows, pairRows };

    const char* name;  // "logit-contribution": the name on the command line and in the settings
    InspectGroup group;
    QString title;
    QString why;                        // explanation with the formula, for the tooltip
    const InspectNeed* need = nullptr;  // besides snapshots
    Controls controls = Controls::none;
    InspectPicture (*make)(const InspectData& data);
    std::vector<const FigureOption*> options = {};          // that only this figure has; InspectData::flags
    void (*check)(const FigureRequest& request) = nullptr;  // as FigureEntry::check

    bool hasRows() const { return controls == Controls::rows || controls == Controls::pairRows; }
};
using InspectFigures = std::vector<InspectFigure>;

/// In the order of the room's list: those of all files figures/<topic>_figures.cpp, whose functions <topic>Figures()
/// the build lists.
std::span<const InspectFigure> inspectFigures();
/// What the figure shows of the data; a course over training of fewer than two snapshots is a sentence.
InspectPicture inspectPicture(const InspectFigure& figure, const InspectData& data);
/// As the command line requests them.
FigureEntries inspectEntries();
QStringList inspectFigureNames();
const InspectFigure* findInspectFigure(const QString& name);

}  // namespace ropelab::ui
