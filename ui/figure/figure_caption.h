#pragma once

#include <QString>

#include "ui/figure/figure.h"

namespace ropelab::ui {

/// Separated by "; " outside of brackets.
QStringList noteParts(const QString& note);

/// For a paper: quantities with units, number of runs or seeds, meaning of bars and bands, and settings.
QString captionOf(const Figure& figure);

}  // namespace ropelab::ui
