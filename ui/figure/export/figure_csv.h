#pragma once

#include <QByteArray>

#include "ui/figure/figure.h"

namespace ropelab::ui {

/// CSV (RFC 4180): comment lines with "#", then one column for x and one per curve (two for a curve with raw values).
/// Cells without a finite value are empty.
QByteArray figureCsv(const Figure& figure);

}  // namespace ropelab::ui
