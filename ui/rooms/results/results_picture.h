#pragma once

#include <QPointF>
#include <span>
#include <utility>
#include <vector>

#include "core/reproduce/sheets/published.h"
#include "core/stats/token_statistics.h"
#include "core/store/lab_file.h"
#include "ui/figure/figure.h"
#include "ui/rooms/results/results_source.h"

namespace ropelab::ui {

/// The mutual information of tokens by distance, for one data set of the lab.
struct TextInformation {
    QString name;        // "Tiny Shakespeare"
    int colorIndex = 0;  // colour index of its first run, or the next one that no earlier data set has
    QString problem;     // why there is no information; "" if there is
    MutualInformation information;
};

/// The data from which the figures of the Results room are made.
struct ResultsData {
    Results results;
    std::vector<ResultsRun> runs;  // in the order of Results::runs
    int picked = -1;               // index of the selected group, or −1
    std::vector<TextInformation> texts;
    std::vector<PublishedValue> published;
    /// Index of the group that chooses the runs of the figure "loss-fit" if no group is selected.
    std::optional<std::size_t> fitLike = {};
    QStringList omitted;  // why published values are left out, one sentence per data set

    /// Returns the results table.
    const ResultsTable& table() const { return results.table; }
    /// Returns the compared measure.
    const Measure& measure() const { return measures()[table().compared]; }
    /// Returns the first run of a group, for settings that are equal in all runs of the group.
    const ResultsRun& exampleOf(const ResultGroup& group) const { return runs[group.members.front()]; }
    /// Returns whether losses are shown in bits; otherwise they are shown in nats.
    bool inBits() const { return measure().name == "bits_per_character"; }
};

/// A place of a figure with a readout that appears when the mouse pointer is near.
struct Spot {
    QPointF at;
    QString title;
    QList<std::pair<QString, QString>> rows = {};
    int group = -1;  // the group that a click selects; −1 for none
};

/// A figure and the readouts at its places. Without spots the crosshair reads the curves.
struct ResultsPicture {
    Figure figure;
    std::vector<Spot> spots;
};

// Helpers that several figures use.

using Emphasis = FigureCurve::Emphasis;

/// Returns the emphasis of a group: `picked` if it is the selected group.
Emphasis emphasisOf(const ResultsData& data, std::size_t group);
/// Returns `wanted`, the colour index of a first run, or the next index whose colour and dashes differ from those of
/// all `taken` ones. The palette repeats after a few runs, so different indices can have equal colours.
int distinctColor(std::span<const int> taken, int wanted);
/// Returns the indices of the groups in the order of the values of their settings, for legends: θ 2,000 before 10,000.
std::vector<std::size_t> groupsInOrder(const ResultsTable& table);
/// Returns the inks of curves through several groups each, given the first group of each curve: a single curve is grey,
/// because its points have the colours of their settings; several curves have different colours, as have their points.
std::vector<Ink> seriesInks(const ResultsData& data, std::span<const std::size_t> firstGroups);
/// Returns a line through the points (x[i], y[i]).
FigureCurve stroke(QList<double> x, QList<double> y, Ink ink, Emphasis emphasis = Emphasis::normal);
/// Returns a single point with a diameter of `sizePt` points (1/72 inch).
FigureCurve dot(double x, double y, double sizePt, Ink ink, Emphasis emphasis = Emphasis::normal);
/// Returns dot() with an error bar from `low` to `high`: the point is drawn smaller than the bar. The bar itself is
/// added by addErrorBar().
FigureCurve dotWithBar(double x, double y, double low, double high, double sizePt, Ink ink,
                       Emphasis emphasis = Emphasis::normal);
/// Returns the note `bars` on error bars, and that groups of one seed have no interval if there are such groups.
QString barsNote(const ResultsTable& table, const QString& bars);
/// Adds a vertical bar from `low` to `high` at x. `cap` is half the width of its caps in the x axis's unit, or a factor
/// on a logarithmic axis. Adds nothing if an end is not finite.
void addErrorBar(Figure& figure, double x, double low, double high, double cap, Ink ink,
                 Emphasis emphasis = Emphasis::normal);
/// Diameters of the points for means and for single seeds, in points (1/72 inch).
inline constexpr double kMeanPt = 7;
inline constexpr double kSeedPt = 3.6;

/// Returns the number of a group's runs that failed (e.g. diverged) or whose compared measure is not finite.
int divergedRuns(const ResultsData& data, const ResultGroup& group);
/// Adds a red point at the top of the figure for each group with diverged or failed runs, with a spot, and a note. The
/// point of group i is at `x[i]`; NaN omits it. Call this last, since it uses the final range of the y axis.
void addDiverged(ResultsPicture& picture, const ResultsData& data, const QList<double>& x);
/// Appends words to the figure's note, separated by a semicolon.
void addNote(Figure& figure, const QString& words);
/// Adds a note that names the settings whose values the groups' short labels show.
void addLabelNote(Figure& figure, const ResultsTable& table);

/// Extends the x axis beyond the values `x` at both ends, so that points are not cut off.
void padX(Figure& figure, const QList<double>& x);

/// Places the points of `count` curves with equal x side by side, so that error bars do not cover each other. Without
/// groups of several seeds there are no error bars, and all points are at their x. Requires the range of the x axis;
/// `places` are the x values of all points.
class SideBySide {
 public:
    SideBySide(const Figure& figure, const ResultsTable& table, QList<double> places, std::size_t count);
    /// Returns where a point of a curve at x is drawn; x itself if there is one curve or no error bar.
    double at(double x, std::size_t curve) const;
    /// Extends the x axis to the first and the last point, and notes that points are side by side.
    void apply(Figure& figure) const;

 private:
    bool m_logarithmic;
    QList<double> m_ends;  // smallest and largest x
    double m_middle;       // of the curves' indices
    double m_step = 0;     // distance of two curves; on a logarithmic axis, of the logarithms
};

/// Returns a spot with a group's mean, standard deviation, confidence interval, seeds and number of diverged runs.
Spot groupSpot(const ResultsData& data, std::size_t group, QPointF at);
/// Returns a value of the measure with its unit, as "1.4662 nats".
QString valueText(const Measure& measure, double value);

/// Returns an empty figure with this name and the table as its settings; it has no axes yet.
Figure emptyFigure(const ResultsData& data, const char* name);
/// Returns a table for export with one row per group: names if the user gave any, swept settings, n, mean, standard
/// deviation, 95 % interval, and number of diverged or failed runs.
FigureTable groupColumns(const ResultsData& data);
/// Adds columns for the names, if the user gave any, and for the swept settings to `rows`; row i shows the values of
/// the group with index `groups[i]`.
void addKeys(FigureTable& rows, const ResultsTable& table, std::span<const std::size_t> groups);

}  // namespace ropelab::ui
