#pragma once

#include <QList>
#include <QString>

namespace ropelab::ui {

struct Ticks {
    QList<double> at;
    QList<QString> labels;  // one for each of `at`
    QList<double> minor;    // marks without labels
};

/// About `about` round numbers (1, 2 or 5 times a power of ten), at least two. A logarithmic axis of less than a decade
/// has the marks of a linear axis, because it may contain no power of ten. With `whole`, only whole numbers have marks,
/// and there are fewer than two if the range contains fewer.
Ticks ticksOf(double minimum, double maximum, bool logarithmic, int about, bool whole = false);

/// Four significant digits and at most three decimals, with groups of thousands ("1,240") and powers of ten for very
/// small or large numbers ("6.00×10⁻⁴"). Does not depend on the locale.
QString readableNumber(double value);
/// "1,240". A number that is not whole is formatted by readableNumber.
QString readableCount(double value);
/// "10,000", "3.125".
QString markText(double value);

}  // namespace ropelab::ui
