#pragma once

#include <QStringList>
#include <span>

#include "ui/inspect/inspect_data.h"

namespace ropelab::ui {

/// A figure of the Inspect room.
struct InspectFigure {
    /// What it is made from besides snapshots: an answer of the run's model.
    enum class Reads { snapshots, text, knockOut, knockOutCurve, beyond, fineTuning };

    const char* name;  // "logit-share", as the terminal and the settings call it
    QString group;     // heading in the chooser
    QString title;
    QString why;  // what it answers, with its formula
    Reads reads;
    InspectPicture (*make)(const InspectData& data);
};

/// All of them, in the order of the chooser.
std::span<const InspectFigure> inspectFigures();
QStringList inspectFigureNames();
/// Null for an unknown name.
const InspectFigure* findInspectFigure(const QString& name);

}  // namespace ropelab::ui
