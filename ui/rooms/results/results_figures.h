#pragma once

#include <QStringList>
#include <span>

#include "ui/plot/figure_view.h"
#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

struct ResultsFigure {
    enum class Input { table, evaluations, steps, texts, measurements };

    const char* name;  // "loss-by-theta": the name on the command line and in the settings
    QString title;     // "loss against θ"
    QString why;       // the question that it answers, for the tooltip
    Input input;
    ResultsPicture (*make)(const ResultsData& data);
};

/// In the order of the room's list. The first figure works for any lab with results.
std::span<const ResultsFigure> resultsFigures();
QStringList resultsFigureNames();
const ResultsFigure* findResultsFigure(const QString& name);

/// The nearest spot; `place` is in axis coordinates. Distances are relative to the axes' lengths; on an x axis with
/// categories the spot must be in the place's column. nullptr if no spot is near.
const Spot* spotNear(const ResultsPicture& picture, QPointF place);
std::optional<FigureView::Readout> readoutAt(const ResultsPicture& picture, QPointF place);

}  // namespace ropelab::ui
