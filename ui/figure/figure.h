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

/// The two ends of an axis or of a colour scale.
struct Range {
    double minimum = 0;
    double maximum = 1;
};

/// Meaning of a colour; the theme defines the colour itself.
struct Ink {
    enum class Kind {
        data,
        text,
        quiet,
        accent,
        success,
        error,
        query,
        key,
        rotated,
        unrotated,
        compared
    } kind = Kind::data;
    int index = 0;  // index of the setting (colour and dash pattern), for `data`
    int shade = 0;  // shade of the colour, which distinguishes the seeds of a setting; 0: the colour itself

    /// Ink with this index, such as that of a setting.
    static Ink data(int index, int shade = 0) { return {Kind::data, index, shade}; }
    bool operator==(const Ink&) const = default;
};

/// One axis. If an end of its range is NaN, it is computed from the curves, bands and lines.
struct Axis {
    QString label;
    QString unit;  // "" for none
    bool logarithmic = false;
    double minimum = std::numeric_limits<double>::quiet_NaN();
    double maximum = std::numeric_limits<double>::quiet_NaN();
    /// Names at 0, 1, 2 … that replace the numbers of the axis, if not empty.
    QStringList categories = {};
    /// Values of the tick marks instead of round numbers, if not empty. Labels that do not fit are omitted.
    QList<double> marks = {};
    /// True if values increase downwards, so that the minimum is at the top; only for a linear y axis.
    bool downwards = false;
    /// True if the axis counts something, such as pairs: only whole numbers have tick marks. Only for a linear axis.
    bool whole = false;

    /// Label and unit: "validation loss (nats)".
    QString title() const;
};

/// One curve in the axes' units. x must not decrease. A NaN or infinite y is a gap, and so is y ≤ 0 on a logarithmic
/// axis; exported data contain such values.
struct FigureCurve {
    /// Label at the end of the line, or beside a single point; "" for none. The label of a point is omitted if there is
    /// no space for it and the point is not picked.
    QString label;
    QString quantity;  // name of y in exported data: "validation loss"
    Ink ink;
    QList<double> x;
    QList<double> y;
    /// Values of y before smoothing, drawn faintly behind the curve; the same length as y, or empty.
    QList<double> raw;
    /// True for a secondary curve, such as the training loss beside the validation loss. It is drawn thinner and,
    /// unless it is solid, dashed, without an end label; the label of a point is drawn in a quiet colour.
    bool companion = false;
    /// True if a secondary curve has an end label.
    bool isNamed = false;
    enum class Emphasis { normal, picked, dimmed } emphasis = Emphasis::normal;
    /// Bars start at 0, or at the lower end of a logarithmic axis.
    enum class Shape { line, points, bars } shape = Shape::line;
    /// Diameter of a point, in typographic points.
    double pointPt = 3.6;
    /// True if the line is never dashed, as the bar of an error; its place says whose it is.
    bool solid = false;
    /// Ends of the error bar of a single point in y, so that the point is drawn smaller than its bar; nullopt if it has
    /// none.
    std::optional<Range> bar = std::nullopt;
    /// True if a line with few points has a dot at each point; false if the points are not measurements.
    bool dots = true;
};

/// A straight line at one x or one y, with a label.
struct FigureLine {
    double at = 0;
    QString label;
    Ink ink = {Ink::Kind::quiet};
    /// Name of the line in signals when the user drags it; "" if it cannot be dragged.
    QString handle = {};
    /// The label of a horizontal line is to the right of the axes instead of inside.
    bool labelAtEnd = false;
};

/// Values on a grid, drawn as coloured cells behind the curves, on linear axes (a heat map). Row 0 is at the bottom, or
/// at the top if the y axis points downwards.
struct FigureMap {
    QString label;  // name of the values: "cosine"
    QString unit;
    int columns = 0;
    int rows = 0;
    QList<float> values;  // rows × columns, row-major; a NaN cell is blank
    // Centre of the first cell and distance between the centres of neighbouring cells, in the axes' units.
    double xFirst = 0;
    double xStep = 1;
    double yFirst = 0;
    double yStep = 1;
    /// Colour scale: perceptually uniform for magnitudes, two hues around 0 for signed values, cyclic for angles.
    enum class Scale { magnitude, diverging, cyclic } scale = Scale::magnitude;
    // Ends of the colour scale; NaN: the range of the values (symmetric around 0 for `diverging`).
    double minimum = std::numeric_limits<double>::quiet_NaN();
    double maximum = std::numeric_limits<double>::quiet_NaN();

    /// What blank cells and the axes beside the map mean: "no channel". They are then grey, with an entry in a legend
    /// below the axes; "" if they have the colour of the background.
    QString blankLabel = {};

    /// Label and unit, drawn above the colour bar: "logit contribution (%)".
    QString title() const;
    /// Ends of the colour scale.
    Range range() const;
};

/// Table of a figure's numbers by column. Shorter columns are filled up with empty cells.
struct FigureTable {
    QStringList names;
    QList<QList<double>> columns;
    /// Columns of text with their names, in front of the numbers. They say what each row describes.
    QList<std::pair<QString, QStringList>> words = {};
};

/// Function that paints a drawing into a rectangle, in the painter's units (FigureStyle::units converts points). It
/// works for any device and must not paint outside the rectangle.
using FigureDrawing = std::function<void(QPainter&, const QRectF&, const FigureStyle&)>;

/// The filled area between two curves, such as mean ± standard deviation.
struct FigureBand {
    QString label;
    Ink ink;
    QList<double> x;
    QList<double> lower;
    QList<double> upper;
};

/// What a figure was made from, so that it can be computed again.
struct FigureOrigin {
    /// Flags of the command line that compute the figure, without dashes: "figure" with its name, "setup", "unit" … A
    /// flag that is repeated has a list of values. Empty if the command line cannot compute the figure.
    QJsonObject flags = {};
    /// The lab of the runs: "path", "experiments" (objects with id, name, created), "runs" (ids) and
    /// "precision" (number of runs by precision). Empty for a figure without runs.
    QJsonObject lab = {};
    /// Choices of the window that the command line has no flags for, such as "smoothing" of training curves, "picked"
    /// of the results, or "replay" of the Inspect room (a ReplayJob). Empty for figures of the command line.
    QJsonObject view = {};
};

/// A plot as data: its curves, axes and units, and the settings from which it was made. A figure has no title, because
/// papers have captions.
struct Figure {
    /// Name of the exported file and document; it is not painted.
    QString name;
    /// One sentence that sums up the figure, for screen readers and exported documents.
    QString summary;
    /// Note in a quiet colour beside the y axis's title, or below the axes if there is no space; "" for none. Example:
    /// the meaning of line styles.
    QString note;
    /// True if a legend below the axes explains the points, bars and secondary lines that have a label. Other lines
    /// have their label at the end. A legend has at least two entries.
    bool hasLegend = false;
    /// Text in the middle of the axes if there is nothing to draw.
    QString emptyText;
    Axis x;
    Axis y;
    std::vector<FigureCurve> curves;
    std::vector<FigureBand> bands;
    std::vector<FigureLine> verticalLines;
    std::vector<FigureLine> horizontalLines;
    std::optional<FigureMap> map;
    /// Drawing instead of axes and curves, for figures that are not plots: dials, a helix, a matrix.
    FigureDrawing drawing;
    /// Exported data instead of the curves, if not empty.
    FigureTable table;
    /// Figures that are painted side by side instead of axes and curves; each one has its panelTitle above it.
    std::vector<Figure> panels;
    /// Number of panels per row; 0: all panels are in one row.
    int panelColumns = 0;
    /// Title of the figure where it is a panel of another one.
    QString panelTitle;
    /// Height in millimetres at which the texts of the figure do not overlap, as for a plot with many rows; 0 if any
    /// height is sufficient. Exports use it unless the user chooses a height.
    double heightMm = 0;
    /// Settings from which the figure was made (experiment, smoothing, unit …); every exported file contains them.
    QJsonObject settings;
    /// What the figure was made from; every exported file contains it.
    FigureOrigin origin = {};
};

/// Returns whether the figure has nothing to draw.
bool isEmpty(const Figure& figure);

/// Returns whether the figure has a map with a blank label and shows blank cells, or axes beside the map.
bool hasLabelledBlank(const Figure& figure);

/// Range of an axis: the smallest and largest finite value (positive values only on a logarithmic axis), with a small
/// margin. Ends that the axis defines take precedence. Without any value the range is 0 to 1 (logarithmic: 0.1 to 10).
Range xRange(const Figure& figure);
Range yRange(const Figure& figure);

}  // namespace ropelab::ui
