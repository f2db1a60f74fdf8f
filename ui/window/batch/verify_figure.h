#pragma once

#include <QStringList>

#include "ui/figure/export/figure_record.h"
#include "ui/window/batch/launch_options.h"

namespace ropelab::ui {

/// Largest difference of equal values, relative to the largest absolute value of their column: results of trained
/// models depend on the machine in their last digits.
inline constexpr double kFigureTolerance = 1e-6;

/// `lab` is the path of the lab of its runs, or "". Throws BadInput if the command line cannot compute the figure.
Figure recomputedFigure(const FigureRecord& record, const QString& lab, const std::filesystem::path& dataDir);

/// One sentence for each column and each setting that differs; empty if they agree.
QStringList figureDifferences(const FigureRecord& record, const Figure& figure);

/// Computes and draws the figures of LaunchOptions::verified again and prints what differs, as text or as JSON. Returns
/// 0 if nothing differs, 1 if data or picture differ, and 2 if the data are the same but the picture cannot be checked.
/// Throws BadInput if the file is no figure or cannot be computed again.
int verifyFigure(const LaunchOptions& options);

}  // namespace ropelab::ui
