#pragma once

#include <QList>
#include <QString>

namespace ropelab::ui {

/// Where an axis is marked, and how.
struct Ticks {
    QList<double> at;
    QList<QString> labels;  // one for each of `at`
    QList<double> minor;
};

/// Round numbers (1, 2, 5 times a power of ten) within the range, about so many. A logarithmic axis of less than a
/// decade is marked like a linear one: powers of ten alone would leave it bare. At least two, closer together than
/// asked where the range has no two others.
Ticks ticksOf(double minimum, double maximum, bool logarithmic, int about);

/// A number to be read off a plot: four significant digits at most three decimals, thousands in groups ("1,240"),
/// powers of ten where it is very small or large ("6.00×10⁻⁴"). The same in every locale, and as wide as its
/// neighbours.
QString readableNumber(double value);
/// The same for a count: "1,240"; what is not whole is written as readableNumber does.
QString readableCount(double value);
/// The value of a setting at its mark on an axis: "10,000", "3.125".
QString markText(double value);

}  // namespace ropelab::ui
