#pragma once

#include <QStringList>
#include <span>

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

struct InspectFigure {
    /// A figure is made from snapshots alone, or from a result that the run's model has to compute.
    enum class Input { snapshots, text, ablation, ablationCurve, beyond, fineTuning, dataSet, bits };
    /// Controls of the panel that affect a figure. `layerAndHead`: any layer and head or their means. `oneLayer`: a
    /// single layer and any head. `layer`: any layer or all. `rows`: heat map whose rows are layers or the heads of one
    /// layer. `pairRows`: as `rows`, with pairs or wavelengths on the x axis.
    enum class Controls { none, layer, layerAndHead, oneLayer, rows, pairRows };

    const char* name;  // "logit-contribution": the name on the command line and in the settings
    QString group;     // heading in the list of figures
    QString title;
    QString why;  // explanation with the formula, for the tooltip
    Input input;
    Controls controls;
    InspectPicture (*make)(const InspectData& data);
};

/// In the order of the room's list.
std::span<const InspectFigure> inspectFigures();
QStringList inspectFigureNames();
const InspectFigure* findInspectFigure(const QString& name);
/// `name` may be that of an earlier version (core/spec/aliases.h).
QString currentFigureName(const QString& name);

}  // namespace ropelab::ui
