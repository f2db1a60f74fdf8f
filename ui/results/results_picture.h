#pragma once

#include <QPointF>
#include <span>
#include <utility>
#include <vector>

#include "core/stats/mutual_information.h"
#include "core/store/lab_file.h"
#include "ui/figure/figure.h"
#include "ui/results/results_source.h"

namespace ropelab::ui {

/// How much the symbols of one of the lab's texts tell of each other.
struct TextInformation {
    QString name;        // "Tiny Shakespeare"
    int colorIndex = 0;  // of its first run, or the next that no text before has
    QString problem;     // why there are no numbers; "" where there are
    MutualInformation information;
};

/// A number that a paper prints for one value of a key.
struct PublishedValue {
    QString source;       // "RoPE θ paper, table 2"
    std::string data;     // the known set that it was measured on: "tinyshakespeare"
    std::string key;      // "theta"
    double at = 0;        // the key's value
    std::string measure;  // "best_validation_loss"
    Sample sample;
};

/// All that the figures of the Results room are made from.
struct ResultsData {
    Results results;
    std::vector<ResultsRun> runs;  // as Results::runs
    int picked = -1;               // a group's index, or −1
    std::vector<TextInformation> texts;
    std::vector<PublishedValue> published;

    const ResultsTable& table() const { return results.table; }
    const Measure& measure() const { return measures()[table().compared]; }
    /// The first run of a group, for keys that are equal in all of them.
    const ResultsRun& exampleOf(const ResultGroup& group) const { return runs[group.members.front()]; }
    /// Nats, or bits where those are compared.
    bool inBits() const { return measure().name == "bits_per_character"; }
};

/// A place of a figure that has something to say.
struct Spot {
    QPointF at;
    QString title;
    QList<std::pair<QString, QString>> rows = {};
    int group = -1;  // picked by a click; −1 for none
};

/// A figure and what it says where one points. Without spots the curves speak for themselves.
struct ResultsPicture {
    Figure figure;
    std::vector<Spot> spots;
};

// Parts that the figures share.

using Emphasis = FigureCurve::Emphasis;

/// Of a group, where one is picked.
Emphasis emphasisOf(const ResultsData& data, std::size_t group);
/// The wanted colour (of a first run), or the next that none of the `taken` has, with dashes that none has either: the
/// palette's colours come again after a few runs, and first runs that stand a palette apart would all look alike.
int colorBeside(std::span<const int> taken, int wanted);
FigureCurve stroke(QList<double> x, QList<double> y, Ink ink, Emphasis emphasis = Emphasis::normal);
FigureCurve dot(double x, double y, double sizePt, Ink ink, Emphasis emphasis = Emphasis::normal);
/// A bar from low to high at x, with caps of half the width `cap` (in the axis's units, or as a factor on a logarithmic
/// axis); nothing where an end is not finite.
void addErrorBar(Figure& figure, double x, double low, double high, double cap, Ink ink,
                 Emphasis emphasis = Emphasis::normal);
/// The mean as a large point, and about a curve of names for the data's columns.
inline constexpr double meanPt = 7;
inline constexpr double seedPt = 3.6;

/// Runs of a group that failed, as by diverging, or whose number of the compared measure is not finite.
int divergedRuns(const ResultsData& data, const ResultGroup& group);
/// Red points at the axes' upper end for groups with such runs, at `x[i]` for group i (NaN: not drawn), with a spot and
/// a note. Call it last: it looks where the upper end is.
void addDiverged(ResultsPicture& picture, const ResultsData& data, const QList<double>& x);
void addNote(Figure& figure, const QString& words);
/// Says of which keys the short labels of groups are the values.
void addLabelNote(Figure& figure, const ResultsTable& table);

/// Room at both ends of the x axis so that points are not cut.
void padX(Figure& figure, const QList<double>& x);

/// What a spot says of a group: seeds, mean, deviation, interval, diverged runs.
Spot groupSpot(const ResultsData& data, std::size_t group, QPointF at);
/// "1.4662 nats".
QString valueText(const Measure& measure, double value);

/// A figure of that name with the table's settings, without axes.
Figure emptyFigure(const ResultsData& data, const char* name);
/// One row a group: swept keys, n, mean, deviation, interval, diverged.
FigureTable groupColumns(const ResultsData& data);
/// The swept keys of these groups, a row each, as words in front of the table's numbers.
void addKeys(FigureTable& rows, const ResultsTable& table, std::span<const std::size_t> groups);

}  // namespace ropelab::ui
