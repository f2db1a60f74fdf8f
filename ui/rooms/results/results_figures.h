#pragma once

#include <QStringList>
#include <span>

#include "ui/plot/figure_view.h"
#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

/// A kind of figure that the Results room offers.
struct ResultsFigure {
    /// Data that a figure needs besides the table.
    enum class Input { table, evaluations, steps, texts, measurements };

    const char* name;  // "loss-by-theta": the name on the command line and in the settings
    QString title;     // "loss against θ"
    QString why;       // the question that it answers, for the tooltip
    Input input;
    /// Returns the figure for these data.
    ResultsPicture (*make)(const ResultsData& data);
};

/// Returns all figures of the Results room, in the order of its list. The first one works for any lab with results.
std::span<const ResultsFigure> resultsFigures();
/// Returns the names of all figures of the Results room, in the order of resultsFigures().
QStringList resultsFigureNames();
/// Returns the figure of the Results room with this name, or nullptr if there is none.
const ResultsFigure* findResultsFigure(const QString& name);

/// Returns the data point that is nearest to a position in the figure, given in axis coordinates. Distances are
/// relative to the axes' lengths; on an x axis with categories the spot must be in the place's column. Returns nullptr
/// if no spot is near.
const Spot* spotNear(const ResultsPicture& picture, QPointF place);
/// Returns the crosshair's readout at a place of the figure; nullopt if no spot is near.
std::optional<FigureView::Readout> readoutAt(const ResultsPicture& picture, QPointF place);

}  // namespace ropelab::ui
