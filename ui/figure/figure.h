#pragma once

#include <QJsonObject>
#include <QList>
#include <QString>
#include <limits>
#include <vector>

namespace ropelab::ui {

/// What a colour stands for; the painter takes it from its theme.
struct Ink {
    enum class Kind { data, text, quiet, accent } kind = Kind::data;
    int index = 0;  // of the run, for `data`

    static Ink data(int index) { return {Kind::data, index}; }
    bool operator==(const Ink&) const = default;
};

/// One axis. A range end that is NaN is found from the curves, bands and lines.
struct Axis {
    QString label;
    QString unit;  // "" where it has none
    bool logarithmic = false;
    double minimum = std::numeric_limits<double>::quiet_NaN();
    double maximum = std::numeric_limits<double>::quiet_NaN();

    /// "validation loss (nats)".
    QString title() const;
};

/// One curve in the axes' units. x does not decrease; a NaN or infinite y is a gap, and so is a y ≤ 0 on a logarithmic
/// axis (it stays in the data).
struct FigureCurve {
    QString label;     // at the line's end; "" for none
    QString quantity;  // what y is, for the data's columns: "validation loss"
    Ink ink;
    QList<double> x;
    QList<double> y;
    /// The same before smoothing, drawn faintly underneath; as long as y, or empty.
    QList<double> raw;
    /// Drawn thinner and dashed, without an end label: the training loss under the validation loss.
    bool companion = false;
    enum class Emphasis { normal, picked, dimmed } emphasis = Emphasis::normal;
};

/// A line at one x or one y, with its words.
struct FigureLine {
    double at = 0;
    QString label;
};

/// The space between two curves, such as mean ± standard deviation.
struct FigureBand {
    QString label;
    Ink ink;
    QList<double> x;
    QList<double> lower;
    QList<double> upper;
};

/// A plot as data: what is drawn, in which units, and what it was made from. It has no title; captions have those.
struct Figure {
    /// Names the file and the document; not painted.
    QString name;
    /// One sentence that sums it up, for screen readers and documents.
    QString summary;
    /// A quiet line above the axes, such as a key to line styles; "" for none.
    QString note;
    /// Words in the middle of the axes while there is nothing to draw.
    QString placeholder;
    Axis x;
    Axis y;
    std::vector<FigureCurve> curves;
    std::vector<FigureBand> bands;
    std::vector<FigureLine> verticalLines;
    std::vector<FigureLine> horizontalLines;
    /// What the figure was made from (the experiment, smoothing, unit …); goes into every file.
    QJsonObject settings;
};

/// Smallest and largest finite value to be drawn (positive ones only, on a logarithmic axis), widened by a small
/// margin; explicit ends of the axis win. Without any value: 0 to 1 (logarithmic: 0.1 to 10).
struct Range {
    double minimum = 0;
    double maximum = 1;
};
Range xRange(const Figure& figure);
Range yRange(const Figure& figure);

}  // namespace ropelab::ui
