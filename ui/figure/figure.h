#pragma once

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

class QPainter;
class QRectF;

namespace ropelab::ui {

struct FigureStyle;

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

    static Ink data(int index, int shade = 0) { return {Kind::data, index, shade}; }
    bool operator==(const Ink&) const = default;
};

/// If an end of the range is NaN, it is computed from the curves, bands and lines.
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
    /// Values increase downwards, so that the minimum is at the top; only for a linear y axis.
    bool downwards = false;
    /// The axis counts something, such as pairs: only whole numbers have tick marks. Only for a linear axis.
    bool whole = false;

    /// The rows or columns of a heat map, numbered from 0 or with these names.
    static Axis cells(const QString& label, qsizetype count, const QStringList& names = {}) {
        Axis axis{label, {}};
        axis.minimum = -0.5;
        axis.maximum = static_cast<double>(count) - 0.5;
        axis.categories = names;
        return axis;
    }
    /// "validation loss (nats)".
    QString title() const;
};

/// `number` of each item, as the x or y of a curve or the column of a table.
template <typename Items, typename Number>
QList<double> numbersOf(const Items& items, Number number) {
    QList<double> numbers;
    for (const auto& item : items) numbers.append(static_cast<double>(std::invoke(number, item)));
    return numbers;
}

/// x must not decrease. A NaN or infinite y is a gap, and so is y ≤ 0 on a logarithmic axis; exported data contain such
/// values.
struct FigureCurve {
    /// Label at the end of the line, or beside a single point; "" for none. The label of a point is omitted if there is
    /// no space for it and the point is not picked.
    QString label;
    QString quantity;  // name of y in exported data: "validation loss"
    Ink ink;
    QList<double> x;
    QList<double> y;
    /// y before smoothing, drawn faintly behind the curve; the same length as y, or empty.
    QList<double> raw;
    /// A secondary curve, such as the training loss beside the validation loss: thinner and, unless it is solid,
    /// dashed, without an end label; the label of a point is in a quiet colour.
    bool companion = false;
    /// A secondary curve has an end label.
    bool isNamed = false;
    enum class Emphasis { normal, picked, dimmed } emphasis = Emphasis::normal;
    /// Bars start at 0, or at the lower end of a logarithmic axis.
    enum class Shape { line, points, bars } shape = Shape::line;
    /// In typographic points.
    double pointPt = 3.6;
    /// Never dashed, as the bar of an error; its place says whose it is.
    bool solid = false;
    /// Error bar of a single point in y, so that the point is drawn smaller than its bar.
    std::optional<Range> bar = std::nullopt;
    /// A line with few points has a dot at each point; false if the points are not measurements.
    bool dots = true;
    /// Number of the dash pattern instead of that of the ink; −1 for none. Set on paper for lines that look the same.
    int dash = -1;
};

struct FigureLine {
    double at = 0;
    QString label;
    Ink ink = {Ink::Kind::quiet};
    /// Name of the line in signals when the user drags it; "" if it cannot be dragged.
    QString handle = {};
    /// A horizontal line has its label to the right of the axes instead of inside.
    bool labelAtEnd = false;
    /// The legend has its label. Set on paper where the label would cover data.
    bool isInLegend = false;
};

/// Heat map behind the curves, on linear axes. Row 0 is at the bottom, or at the top if the y axis points downwards.
struct FigureMap {
    QString label;  // name of the values: "cosine"
    QString unit;
    int columns = 0;
    int rows = 0;
    QList<float> values;  // rows × columns, row-major; a NaN cell is blank
    // In the axes' units: centre of the first cell and distance between the centres of neighbouring cells.
    double xFirst = 0;
    double xStep = 1;
    double yFirst = 0;
    double yStep = 1;
    /// Colour scale: perceptually uniform for magnitudes, two hues around 0 for signed values, cyclic for angles.
    enum class Scale { magnitude, diverging, cyclic } scale = Scale::magnitude;
    // NaN: the range of the values (symmetric around 0 for `diverging`).
    double minimum = std::numeric_limits<double>::quiet_NaN();
    double maximum = std::numeric_limits<double>::quiet_NaN();

    /// What blank cells and the axes beside the map mean ("not in the table"); they are then grey, with an entry in a
    /// legend below the axes. "" if they have the colour of the background.
    QString blankLabel = {};
    /// Names of the values 0, 1 … of a map without other values: a legend below the axes replaces the colour bar.
    QStringList classes = {};

    /// Above the colour bar: "logit contribution (%)".
    QString title() const;
    Range range() const;
};

/// Columns of numbers. Shorter columns are filled up with empty cells.
struct FigureTable {
    QStringList names;
    QList<QList<double>> columns;
    /// Columns of text in front of the numbers. They say what each row describes.
    QList<std::pair<QString, QStringList>> words = {};

    /// Has its columns even if no row is added.
    static FigureTable of(const QStringList& names) { return {names, QList<QList<double>>(names.size())}; }
    void addRow(std::initializer_list<double> numbers) {
        columns.resize(static_cast<qsizetype>(numbers.size()));
        auto column = columns.begin();
        for (const double number : numbers) (column++)->append(number);
    }
};

/// Paints into a rectangle, in the painter's units (FigureStyle::units converts points), on any device, and not
/// outside.
using FigureDrawing = std::function<void(QPainter&, const QRectF&, const FigureStyle&)>;

/// Area between two curves, such as mean ± standard deviation.
struct FigureBand {
    QString label;
    Ink ink;
    QList<double> x;
    QList<double> lower;
    QList<double> upper;

    /// Does nothing where there is no interval (NaN).
    void add(double at, double low, double high) {
        if (!std::isfinite(low) || !std::isfinite(high)) return;
        x.append(at);
        lower.append(low);
        upper.append(high);
    }
};

/// What a figure was made from, so that it can be computed again.
struct FigureOrigin {
    /// Flags of the command line that compute the figure, without dashes: "figure" with its name, "setup", "unit" … A
    /// flag that is repeated has a list of values. Empty if the command line cannot compute the figure.
    QJsonObject flags = {};
    /// The lab of the runs: "path", "experiments" (objects with id, name, created), "runs" (ids) and "precision"
    /// (number of runs by precision). Empty for a figure without runs.
    QJsonObject lab = {};
    /// Choices of the window that the command line has no flags for, such as "smoothing" of training curves, "picked"
    /// of the results, or "choices" of the page Inspect (an InspectRequest).
    QJsonObject view = {};
};

/// A plot as data. It has no title, because papers have captions.
struct Figure {
    /// Name of the exported file and document; not painted.
    QString name;
    /// One sentence, for screen readers and exported documents.
    QString summary;
    /// Beside the y axis's title, or below the axes if there is no space. Example: the meaning of line styles.
    QString note;
    /// Follows the note where numbers are drawn beside the labels of the curves' ends: at what x they are.
    QString valuesNote = {};
    /// A legend below the axes explains the points, bars and secondary lines that have a label; other lines have their
    /// label at the end. A legend has at least two entries.
    bool hasLegend = false;
    /// The legend also has the labels that otherwise are at the ends of lines. Set on paper where they are long.
    bool hasNamesBelow = false;
    /// In the middle of the axes if there is nothing to draw.
    QString emptyText;
    Axis x;
    Axis y;
    std::vector<FigureCurve> curves;
    std::vector<FigureBand> bands;
    std::vector<FigureLine> verticalLines;
    std::vector<FigureLine> horizontalLines;
    std::optional<FigureMap> map;
    /// Instead of axes and curves, for dials, a helix or a matrix.
    FigureDrawing drawing;
    /// In the painter's units: the height at which the drawing fills this width; empty if any height is sufficient.
    std::function<double(double width, const FigureStyle& style)> drawingHeight;
    /// Exported data instead of the curves, if not empty.
    FigureTable table;
    /// Painted side by side instead of axes and curves, each below its panelTitle.
    std::vector<Figure> panels;
    /// Panels per row; 0: all panels are in one row.
    int panelColumns = 0;
    /// Title where this figure is a panel of another one.
    QString panelTitle;
    /// Height in mm at which texts do not overlap, which exports use by default; 0 if any height is sufficient.
    double heightMm = 0;
    /// Settings from which the figure was made (experiment, smoothing, unit …); every exported file contains them.
    QJsonObject settings;
    FigureOrigin origin = {};
};

bool isEmpty(const Figure& figure);

/// A panel whose curves are all grey: they say what is known before there are numbers of its quantity.
bool isPlaceholder(const Figure& panel);

/// The map has a blank label and shows blank cells or axes beside the map.
bool hasLabelledBlank(const Figure& figure);

/// The smallest and largest finite value (positive values only on a logarithmic axis), with a small margin. Ends that
/// the axis defines take precedence. Without any value the range is 0 to 1 (logarithmic: 0.1 to 10).
Range xRange(const Figure& figure);
Range yRange(const Figure& figure);

}  // namespace ropelab::ui
