#pragma once

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

class QPainter;
class QRectF;

namespace ropelab::ui {

struct FigureStyle;

/// Two ends.
struct Range {
    double minimum = 0;
    double maximum = 1;
};

/// What a colour stands for; the painter takes it from its theme.
struct Ink {
    enum class Kind { data, text, quiet, accent, success, error, query, key, rotated, unrotated } kind = Kind::data;
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
    /// Not empty: these names stand at 0, 1, 2 … in place of numbers.
    QStringList categories = {};
    /// Not empty: marked at these values, as far as their labels have room, in place of round numbers.
    QList<double> marks = {};

    /// "validation loss (nats)".
    QString title() const;
};

/// One curve in the axes' units. x does not decrease; a NaN or infinite y is a gap, and so is a y ≤ 0 on a logarithmic
/// axis (it stays in the data).
struct FigureCurve {
    QString label;     // at the line's end, or beside a single point; "" for none
    QString quantity;  // what y is, for the data's columns: "validation loss"
    Ink ink;
    QList<double> x;
    QList<double> y;
    /// The same before smoothing, drawn faintly underneath; as long as y, or empty.
    QList<double> raw;
    /// Drawn thinner and dashed, without an end label: the training loss under the validation loss.
    bool companion = false;
    /// A companion that has its label at its end all the same.
    bool isNamed = false;
    enum class Emphasis { normal, picked, dimmed } emphasis = Emphasis::normal;
    /// `bars` stand on 0, or on the axis's lower end where it is logarithmic.
    enum class Shape { line, points, bars } shape = Shape::line;
    /// Diameter of a point in points.
    double pointPt = 3.6;
    /// Whether a line has a dot at each of its points where they are few; false for strokes that are no measurements.
    bool dots = true;
};

/// A line at one x or one y, with its words.
struct FigureLine {
    double at = 0;
    QString label;
    Ink ink = {Ink::Kind::quiet};
    /// Not empty: it can be dragged on screen, and is called so when it is.
    QString handle = {};
    /// A line across has its words right of the axes, where no other line's can be taken for them.
    bool wordsAtEnd = false;
};

/// Values on a grid, drawn as coloured cells under the curves, on linear axes. Row 0 is the lowest.
struct FigureMap {
    QString label;  // what the values are: "cosine"
    QString unit;
    int columns = 0;
    int rows = 0;
    QList<float> values;  // rows × columns, row-major; NaN is left blank
    // The centre of the first cell and the distance between centres, in the axes' units.
    double xFirst = 0;
    double xStep = 1;
    double yFirst = 0;
    double yStep = 1;
    /// Perceptually even for magnitudes, two hues about 0 for signed values, a closed circle for angles.
    enum class Scale { magnitude, diverging, cyclic } scale = Scale::magnitude;
    // Ends of the colours; NaN: the values' own (for `diverging` symmetric about 0).
    double minimum = std::numeric_limits<double>::quiet_NaN();
    double maximum = std::numeric_limits<double>::quiet_NaN();

    /// "logit share (%)", over the key.
    QString title() const;
    Range range() const;
};

/// Numbers behind a drawing, column by column; a shorter column ends in empty cells.
struct FigureTable {
    QStringList names;
    QList<QList<double>> columns;
    /// Columns of words with their names, which stand in front: what a row is of.
    QList<std::pair<QString, QStringList>> words = {};
};

/// Paints into a rectangle of the painter's units, FigureStyle::units of which make points; any device. What it draws
/// stays inside.
using FigureDrawing = std::function<void(QPainter&, const QRectF&, const FigureStyle&)>;

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
    /// Quiet words beside the y axis's title, or beneath the axes where they have no room there, such as a key to line
    /// styles; "" for none.
    QString note;
    /// Words in the middle of the axes while there is nothing to draw.
    QString emptyText;
    Axis x;
    Axis y;
    std::vector<FigureCurve> curves;
    std::vector<FigureBand> bands;
    std::vector<FigureLine> verticalLines;
    std::vector<FigureLine> horizontalLines;
    std::optional<FigureMap> map;
    /// In place of axes and curves, for pictures that are no plot: dials, a helix, a matrix.
    FigureDrawing drawing;
    /// Not empty: the figure's data in place of its curves.
    FigureTable table;
    /// What the figure was made from (the experiment, smoothing, unit …); goes into every file.
    QJsonObject settings;
};

/// Whether there is nothing to draw.
bool isEmpty(const Figure& figure);

/// Smallest and largest finite value to be drawn (positive ones only, on a logarithmic axis), widened by a small
/// margin; explicit ends of the axis win. Without any value: 0 to 1 (logarithmic: 0.1 to 10).
Range xRange(const Figure& figure);
Range yRange(const Figure& figure);

}  // namespace ropelab::ui
