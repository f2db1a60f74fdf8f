#pragma once

#include <QString>
#include <functional>
#include <optional>

#include "ui/figure/compared_figure.h"
#include "ui/plot/figure_view.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

// Figures, texts and readouts that show two rotary setups, A and B.

ComparedNames comparedNames(const ShapedSetup& a, const ShapedSetup& b, bool editsB = false);

/// The setting "setup" is the line of text of both setups.
Figure comparedFigure(const Figure& figureA, const Figure& figureB, const ShapedSetup& a, const ShapedSetup& b,
                      bool editsB = false);

/// "A 4,711 · B 85,133".
QString letteredValues(const QString& a, const QString& b);
/// "A: …" and "B: …" in lines of their own. Equal texts are returned once.
QString letteredSentences(const QString& a, const QString& b);
/// "longest wavelength: B / A = 39.8"; "" if the quotient is not finite.
QString quotientText(const QString& quantity, double a, double b);

/// Rows of the same label have both values. The place of the crosshair is that of `a`, or of `b` if `a` is empty.
std::optional<FigureView::Readout> letteredReadout(const std::optional<FigureView::Readout>& a,
                                                   const std::optional<FigureView::Readout>& b);

}  // namespace ropelab::ui
