#pragma once

#include "ui/figure/figure.h"

namespace ropelab::ui {

/// The columns are named "A · …" and "B · …". If the first columns have the same name and increase, they become one
/// column and rows with the same value are joined; each number that both tables have is followed by "B / A · …"
/// (`asRatio`) or "B − A · …".
FigureTable comparedTable(const FigureTable& a, const FigureTable& b, bool asRatio);

/// Named curves over their common x; empty if they have no common x.
FigureTable tableOfCurves(const Figure& figure);

}  // namespace ropelab::ui
