#pragma once

#include <QStringList>
#include <span>

#include "ui/inspect/inspect_data.h"

namespace ropelab::ui {

/// A figure of the Inspect room.
struct InspectFigure {
    /// What it is made from besides snapshots: an answer of the run's model.
    enum class Reads { snapshots, text, knockOut, knockOutCurve, beyond, fineTuning };
    /// Which choices of layers and heads it heeds: any of both; `oneLayer`, which it needs, and any head; rows that are
    /// layers of any head or the heads of one layer, for `pairMap` along pairs or wavelengths.
    enum class Heeds { nothing, where, oneLayer, map, pairMap };

    const char* name;  // "logit-share", as the terminal and the settings call it
    QString group;     // heading in the chooser
    QString title;
    QString why;  // what it answers, with its formula
    Reads reads;
    Heeds heeds;
    InspectPicture (*make)(const InspectData& data);
};

/// All of them, in the order of the chooser.
std::span<const InspectFigure> inspectFigures();
QStringList inspectFigureNames();
/// Null for an unknown name.
const InspectFigure* findInspectFigure(const QString& name);

}  // namespace ropelab::ui
