#pragma once

#include <QStringList>
#include <span>

#include "ui/plot/figure_view.h"
#include "ui/results/results_picture.h"

namespace ropelab::ui {

/// A figure of the Results room.
struct ResultsFigure {
    /// What else it is made from besides the table.
    enum class Reads { table, evaluations, steps, texts };

    const char* name;  // "loss-by-theta", as the terminal and the settings call it
    QString title;     // "loss against θ"
    QString why;       // what it answers
    Reads reads;
    ResultsPicture (*make)(const ResultsData& data);
};

/// All of them, in the order of the chooser. The first one shows what any lab has.
std::span<const ResultsFigure> resultsFigures();
QStringList resultsFigureNames();
/// Null for an unknown name.
const ResultsFigure* findResultsFigure(const QString& name);

/// The spot that is meant at a place: the nearest in units of the axes' lengths; the nearest column where x has names.
/// Null without spots or far from all.
const Spot* spotNear(const ResultsPicture& picture, QPointF place);
/// What the crosshair says there.
std::optional<FigureView::Readout> readoutAt(const ResultsPicture& picture, QPointF place);

}  // namespace ropelab::ui
