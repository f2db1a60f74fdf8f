#pragma once

#include <QPointF>
#include <QVariant>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/reproduce/published/published.h"
#include "core/results/results_table.h"
#include "core/results/run_selection.h"
#include "core/stats/token_statistics.h"
#include "core/store/lab_file.h"
#include "ui/figure/figure.h"
#include "ui/session/run_store.h"

namespace ropelab::ui {

struct ResultsChoices {
    static constexpr std::int64_t kLatestExperiment = RunSelection::latest_experiment;
    static constexpr std::int64_t kAllExperiments = RunSelection::all_experiments;

    std::int64_t experiment = kLatestExperiment;  // or the id of an experiment
    std::set<RunId> excluded = {};                // runs that the user excluded
    ResultsOptions options;                       // `unfinished` also includes running runs, with their latest losses

    RunSelection selection() const {
        return {experiment, options.unfinished, excluded, options.split_by, options.margin};
    }
    bool sameRuns(const ResultsChoices& other) const {
        return experiment == other.experiment && options.baseline == other.options.baseline;
    }
};

struct Results {
    ResultsTable table;       // in the order of settings (sort_by_settings): θ 2,000 before 10,000
    std::vector<RunId> runs;  // runs[i] has index i in the groups' `members` and `counted`
    std::int64_t experiment = ResultsChoices::kLatestExperiment;  // id of the runs' experiment, or kAllExperiments
    /// Why the chosen baseline is not one of these groups, so that the default baseline is used; "" if it is.
    std::string baselineProblem;
    QString words;  // which runs count (selection_words)

    std::vector<Ink> inks = {};          // inks[i] is the ink of runs[i], as in every room
    std::vector<Verdict> verdicts = {};  // of each group: verdict_of() takes long for thousands
    /// Names and settings of the groups among which a baseline is chosen; empty if there are fewer than two groups.
    QList<QPair<QString, QVariant>> baselines = {};

    /// `group` is one of the table.
    const Verdict& verdictOf(const ResultGroup& group) const { return verdicts[&group - table.groups.data()]; }

    /// The colour of the group's setting, as in every room.
    Ink inkOf(const ResultGroup& group) const;
    /// `index` is one of a group's `members` or `counted`.
    RunId runAt(std::size_t index) const { return runs[index]; }
};

struct ResultsRun {
    RunId id = 0;
    QString name;
    RunSpec spec;
    RunState state = RunState::waiting;
    Ink ink;                       // as in every room
    bool imported = false;         // another program trained it: `spec` has only what was recognized
    std::optional<TextMark> text;  // identifies the data set that the run was trained on
    // Filled only for figures that need them.
    RunMetrics::Evaluations evaluations;
    std::shared_ptr<const RunMetrics::Steps> steps;  // nullptr if not loaded
    std::map<std::string, double> measurements;      // measured after training, by name (LabFile::measurements)
};

/// What a table of results is made from, copied from the store, so that another thread can make it.
struct ChosenRuns {
    SelectedRuns selected;
    std::size_t experiments = 0;  // number of experiments with runs, and of runs, in the lab
    std::size_t inLab = 0;
    std::vector<ResultRun> runs = {};  // without their settings
    std::vector<std::pair<std::shared_ptr<const nlohmann::json>, std::int64_t>> settings = {};  // changed, and the seed
    Results results = {};  // without the table and what follows from it
};
/// Uses the data that the window has in memory. Reads no file, except the measurements of the runs if `measured` is
/// given, the lab's file; throws BadInput if it cannot be read.
ChosenRuns chosenRuns(const RunStore& store, const ResultsChoices& choices, const LabFile* measured = nullptr);
Results resultsOf(ChosenRuns chosen, const ResultsOptions& options);
Results resultsOf(const RunStore& store, const ResultsChoices& choices, const LabFile* measured = nullptr);
/// In the order of Results::runs, without their steps.
std::vector<ResultsRun> runsOf(const RunStore& store, const Results& results, bool withEvaluations);

/// By distance, for one data set of the lab.
struct TextInformation {
    std::string key;     // textKey() of its runs
    QString name;        // "Tiny Shakespeare"
    int colorIndex = 0;  // colour index of its first run, or the next one that no earlier data set has
    QString problem;     // why there is no information; "" if there is
    MutualInformation information;
};

struct ResultsData {
    Results results;
    std::vector<ResultsRun> runs;  // in the order of Results::runs
    int picked = -1;               // index of the selected group, or −1
    std::vector<TextInformation> texts;
    std::vector<PublishedValue> published;
    /// The group that chooses the runs of the figure "loss-fit" if no group is selected.
    std::optional<std::size_t> fitLike = {};
    bool isRecorded = true;  // the figure's settings contain the table, which exports need
    QStringList omitted;     // why published values are left out, one sentence per data set

    const ResultsTable& table() const { return results.table; }
    const Measure& measure() const { return measures()[table().compared]; }
    /// The first run of a group, for settings that are equal in all runs of the group.
    const ResultsRun& exampleOf(const ResultGroup& group) const { return runs[group.members.front()]; }
    bool inBits() const { return measure().name == "bits_per_character"; }
};

/// A place of a figure with a readout that appears when the mouse pointer is near.
struct Spot {
    QPointF at;
    QString title;
    QList<std::pair<QString, QString>> rows = {};
    int group = -1;  // the group that a click selects; −1 for none
};

/// Without spots the crosshair reads the curves.
struct ResultsPicture {
    Figure figure;
    std::vector<Spot> spots;
};

// Helpers that several figures use.

using Emphasis = FigureCurve::Emphasis;

Emphasis emphasisOf(const ResultsData& data, std::size_t group);
/// `wanted`, the colour index of a first run, or the next index whose colour and dashes differ from those of all
/// `taken` ones. The palette repeats after a few runs, so different indices can have equal colours.
int distinctColor(std::span<const int> taken, int wanted);
/// Inks of curves through several groups each: a single curve is grey, because its points have the colours of their
/// settings; several curves have different colours, as have their points.
std::vector<Ink> seriesInks(const ResultsData& data, std::span<const std::size_t> firstGroups);
FigureCurve stroke(QList<double> x, QList<double> y, Ink ink, Emphasis emphasis = Emphasis::normal);
/// `sizePt` is the diameter in points (1/72 inch).
FigureCurve dot(double x, double y, double sizePt, Ink ink, Emphasis emphasis = Emphasis::normal);
/// A dot that is smaller than its error bar, which addErrorBar() adds.
FigureCurve dotWithBar(double x, double y, double low, double high, double sizePt, Ink ink,
                       Emphasis emphasis = Emphasis::normal);
/// `cap` is half the width of the bar's caps in the x axis's unit, or a factor on a logarithmic axis. Adds nothing if
/// an end is not finite.
void addErrorBar(Figure& figure, double x, double low, double high, double cap, Ink ink,
                 Emphasis emphasis = Emphasis::normal);
/// Diameters of the points for means and for single seeds, in points (1/72 inch).
inline constexpr double kMeanPt = 7;
inline constexpr double kSeedPt = 3.6;

/// Runs of a group that have no value of the compared measure.
struct RunsWithoutValue {
    std::int64_t failed = 0;     // diverged or failed
    std::int64_t undefined = 0;  // trained, but the measure is not finite, such as the test loss without a test split

    std::int64_t count() const { return failed + undefined; }
    RunsWithoutValue& operator+=(const RunsWithoutValue& other);
};
RunsWithoutValue runsWithoutValue(const ResultsTable& table, const ResultGroup& group);
/// Adds a red point at the top of the figure for each group with such runs, with a spot, and a note. The point of
/// group i is at `x[i]`; NaN omits it. Call this last, since it uses the final range of the y axis.
void addWithoutValue(ResultsPicture& picture, const ResultsData& data, const QList<double>& x);
/// Joins the curves and points of many groups that look the same, as thousands of them take seconds to paint.
void joinAlike(Figure& figure);
void addNote(Figure& figure, const QString& words);
/// Says that losses per token cannot be compared, if the groups have different tokenizers.
void addTokenizerNote(Figure& figure, const ResultsTable& table);
/// Names the settings whose values the groups' short labels show.
void addLabelNote(Figure& figure, const ResultsTable& table);

/// Extends the x axis beyond `x` at both ends, so that points are not cut off.
void padX(Figure& figure, const QList<double>& x);

/// Places the points of `count` curves with equal x side by side, so that error bars do not cover each other. Without
/// groups of several seeds there are no error bars, and all points are at their x. Requires the range of the x axis;
/// `places` are the x values of all points.
class SideBySide {
 public:
    SideBySide(const Figure& figure, const ResultsTable& table, QList<double> places, std::size_t count);
    /// x itself if there is one curve or no error bar.
    double at(double x, std::size_t curve) const;
    /// Extends the x axis to the first and the last point, and notes that points are side by side.
    void apply(Figure& figure) const;

 private:
    bool m_logarithmic;
    QList<double> m_ends;  // smallest and largest x
    double m_middle;       // of the curves' indices
    double m_step = 0;     // distance of two curves; on a logarithmic axis, of the logarithms
};

Spot groupSpot(const ResultsData& data, std::size_t group, QPointF at);
QString valueText(const ResultsTable& table, const Measure& measure, double value);

/// Shows only why there is nothing to draw: `why`, or if "" the figure's text for that.
ResultsPicture withoutNumbers(ResultsPicture picture, const QString& why = {});

/// How many values of each group a figure shows; 0 for a group that it does not show.
struct ShownValues {
    std::vector<std::int64_t> counts;
    QString unit = QStringLiteral("seed");
    bool haveBars = false;  // of any group
    bool lackBars = false;  // a group of several values has no bar

    /// Of a group with `n` values, whose error bar begins at `low` if that is finite: the interval of a stopping rule
    /// has no bounds after few seeds.
    void addBar(double low, std::int64_t n);
};
/// Of the compared measure, with the confidence intervals of the means.
ShownValues shownMeans(const ResultsTable& table);
/// The caption then names only these groups and numbers.
void setShown(Figure& figure, const ShownValues& shown);
/// "" for losses of imported runs.
QString measureUnit(const ResultsTable& table, const Measure& measure);
/// The test of the table's verdicts: the stopping rule's if there is one.
QString testTitle(const ResultsTable& table);
/// "95 % confidence interval", which after a stopping rule holds at all looks together.
QString intervalTitle(const ResultsTable& table);
/// `bars`, or `points` where none is drawn, and which groups have no interval because they have too few values.
/// Requires the bars of all groups.
QString barsNote(const ShownValues& shown, const QString& bars, const QString& points = {});

/// Has the table as its settings, and no axes yet.
Figure emptyFigure(const ResultsData& data, const char* name);
/// One row per group: names if the user gave any, swept settings, n, mean, standard deviation, 95 % interval, and
/// numbers of runs without a value.
FigureTable groupColumns(const ResultsData& data);
/// Columns for the drawn bars, which are "bar, low (of)" and "bar, high (of)": verifyFigure() knows them by "bar, ".
void addBars(FigureTable& table, const QString& of, const QList<double>& low, const QList<double>& high);
/// Adds columns for the names, if the user gave any, and for the swept settings; row i shows the group with index
/// `groups[i]`.
void addKeys(FigureTable& rows, const ResultsTable& table, std::span<const std::size_t> groups);

}  // namespace ropelab::ui
