#pragma once

#include <QStringList>
#include <span>

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

/// A kind of figure that the Inspect room offers.
struct InspectFigure {
    /// Data from which a figure is made: snapshots alone, or a result that the run's model has to compute.
    enum class Input { snapshots, text, ablation, ablationCurve, beyond, fineTuning, dataSet, bits };
    /// Controls of the panel that affect a figure. `layerAndHead`: any layer and head or their means. `oneLayer`: a
    /// single layer and any head. `rows`: heat map whose rows are layers or the heads of one layer. `pairRows`: heat
    /// map as `rows`, with pairs or wavelengths on the x axis.
    enum class Controls { none, layerAndHead, oneLayer, rows, pairRows };

    const char* name;  // "logit-contribution": the name on the command line and in the settings
    QString group;     // heading in the list of figures
    QString title;
    QString why;  // explanation with the formula, for the tooltip
    Input input;
    Controls controls;
    /// Returns the figure for these data.
    InspectPicture (*make)(const InspectData& data);
};

/// Returns all figures of the Inspect room, in the order of its list.
std::span<const InspectFigure> inspectFigures();
/// Returns the names of all figures of the Inspect room, in the order of inspectFigures().
QStringList inspectFigureNames();
/// Returns the figure of the Inspect room with this name, or nullptr if there is none.
const InspectFigure* findInspectFigure(const QString& name);
/// Returns the current name of a figure; `name` may be that of an earlier version (core/spec/aliases.h).
QString currentFigureName(const QString& name);

}  // namespace ropelab::ui
