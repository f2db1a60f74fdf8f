#pragma once

#include <QJsonObject>
#include <QString>
#include <any>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/probe.h"
#include "core/stats/token_statistics.h"
#include "core/study/ablation.h"
#include "core/study/compression.h"
#include "core/study/extrapolation.h"
#include "ui/figure/figure.h"
#include "ui/plot/figure_view.h"
#include "ui/probes/inside_run.h"

namespace ropelab::ui {

/// From the first tokens of the training split.
struct TextStatistics {
    QString name;                            // of the data set
    std::string vocabulary;                  // as Vocabulary::to_text() returns it
    std::int64_t tokens = 0;                 // number of tokens that were counted
    bool isWhole = true;                     // false if the training split has more tokens
    std::vector<std::int64_t> counts;        // per token
    std::vector<std::int64_t> rankedTokens;  // counts in descending order
    std::vector<std::int64_t> rankedWords;   // counts of words in descending order; empty if tokens are words
    std::optional<ZipfFit> tokenFit;
    std::optional<ZipfFit> wordFit;
    MutualInformation information;
    std::optional<ShuffledInformation> shuffled;  // the same estimate for the shuffled text
    std::vector<std::int32_t> excerpt;            // the first tokens of the validation split
};

/// Bits of each token under a run's model.
struct PaintedText {
    std::int64_t iteration = 0;  // of the checkpoint
    QString source;              // "first 600 tokens of the validation split" or "typed text"
    std::string vocabulary;
    std::vector<std::int32_t> tokens;
    TextBits bits;
    Description perByte;
    Description perCharacter;  // NaN if the text has no whole characters
    double totalBits = 0;
    std::int64_t bytes = 0;  // of the text
};

/// Each figure chooses: attention maps show one head (withOneHead()), the other figures the mean over heads.
inline constexpr std::int64_t kAutomaticHead = -2;

/// Of heat maps; `sorted`: all heads in the order of their strongest pair in the newest snapshot.
enum class InspectRows { layers, headsOfLayer, allHeads, sorted };

struct InspectChoices {
    std::int64_t layer = -1;  // −1: the mean over layers; heat maps then show one row per layer
    std::int64_t head = -1;   // −1: the mean over heads; or kAutomaticHead
    InspectRows rows = InspectRows::layers;
    bool difference = false;    // heat maps and attention maps: the run minus the second run
    bool byWavelength = false;  // heat maps: the x axis is the wavelength instead of the pair's index
    bool lollipops = false;     // spectra of few rows: a stem per pair over its wavelength instead of a heat map
    std::optional<int> pair;    // the highlighted pair
    int query = -1;             // index of the token whose attention is shown; −1: the last token
    std::int64_t lag = 10;      // distance between query and key in the figure of dials, in tokens
    QString headReason = {};    // why withOneHead() chose the head; "" if the user chose it
};

struct InspectNeed;

struct InspectData {
    std::shared_ptr<const InsideRun> run;
    std::shared_ptr<const InsideRun>
        ghost;                   // the second run, which is compared with the first; nullptr if there is none
    std::int64_t iteration = 0;  // the step of the time cursor
    InspectChoices choices;
    /// Result for a typed text; attention figures show it instead of the snapshot's own text.
    std::shared_ptr<const ProbeResult> text;
    std::int64_t textIteration = 0;
    bool textWhileTraining = false;    // computed during training, at step `textIteration` or some steps later
    std::optional<int> textPair;       // the pair whose logit term `text` contains
    bool textRequested = false;        // a text was typed, so `text` is present or being computed
    std::optional<int> requestedPair;  // the pair whose logit term was requested with the last typed text
    std::optional<AblationResult> ablation;
    std::optional<AblationCurve> ablationCurve;
    std::optional<ExtrapolationResult> beyond;
    /// Results before and after each fine-tuning, one per method and length, the newest last.
    std::vector<ExtrapolationResult> fineTunings;
    FineTuning fineTuning;
    std::shared_ptr<const TextStatistics> statistics;  // of the run's data set
    std::shared_ptr<const PaintedText> painted;        // the bits of a text under the run's checkpoint
    /// Results of figures that are alone in needing them, by InspectNeed.
    std::map<const InspectNeed*, std::any> results;
    QJsonObject flags;  // options that only this figure has (InspectFigure::options), as on the command line
    /// Why a result that the model has to compute is missing, such as a missing checkpoint; "" if none is.
    QString problem;

    /// At the time cursor; null if there is none.
    const Snapshot* snapshot() const { return run ? run->snapshotAt(iteration) : nullptr; }
    /// Second run's snapshot at the time cursor; null if there is none.
    const Snapshot* ghostSnapshot() const { return ghost ? ghost->snapshotAt(iteration) : nullptr; }
};

struct ModelInputs {
    QString text = {};             // a typed text; "" if there is none
    Ablation ablation = {};        // the kind of ablation and its pairs
    std::int64_t factor = 4;       // length of the sequences as a multiple of the context
    std::optional<int> pair = {};  // whose logit term is computed for the text
    FineTuning fineTuning = {};
};

/// A figure, and what the mouse selects in it. Positions are in axis coordinates.
struct InspectPicture {
    Figure figure;
    /// What the figure shows, for the line above it; "" for none.
    QString sentence = {};
    std::function<std::optional<FigureView::Readout>(QPointF)> readout = {};
    std::function<std::optional<int>(QPointF)> pairAt = {};
    /// For a figure without axes; the position is in pixels of its rectangle.
    std::function<std::optional<int>(QPointF, const QRectF&, const FigureStyle&)> drawnPairAt = {};
    std::function<std::optional<int>(QPointF)> tokenAt = {};
    /// Layer and head in the grid of heads; the position is relative to the drawing's size (0 to 1).
    std::function<std::optional<std::pair<int, int>>(QPointF)> headAt = {};
    /// For a figure without axes, in pixels; "" for none.
    std::function<QString(QPointF, const QRectF&, const FigureStyle&)> drawnToolTipAt = {};
};

/// The settings describe the run, the snapshot and the selected layer and head.
Figure inspectFigure(const InspectData& data, const char* name, Axis x = {}, Axis y = {});
/// Shows only `words`, or the reason why there are no snapshots or values.
InspectPicture withoutNumbers(const InspectData& data, const char* name, const QString& words = {});
/// "" if the run has snapshots.
QString whyNoSnapshots(const InspectData& data);

/// λ of each pair in tokens; infinity for a pair that is not rotated.
std::vector<double> wavelengthsOf(const ModelPlan& plan);
bool rotatesPairs(const ModelPlan& plan);
/// "20.3 tokens" or "not rotated".
QString pairWavelengthText(double wavelength);
/// "layer 1, head 0" or "mean over layers and heads", with the reason if the head was chosen automatically.
QString whereText(const InspectChoices& choices);
/// At most the run's last layer; −1 for the mean.
std::int64_t layerOf(const InspectData& data);
/// At most the run's last head; −1 for the mean.
std::int64_t headOf(const InspectData& data);

/// Calls `describe` with the row, the column and the value of the cell under the mouse.
std::function<std::optional<FigureView::Readout>(QPointF)> cellReadout(
    FigureMap map, std::function<std::optional<FigureView::Readout>(int row, int column, double value)> describe);
/// The line at the step of the time cursor, which can be dragged.
void addTimeCursor(Figure& figure, double at, const Snapshot& snapshot);

FigureCurve inspectCurve(const QString& label, const QString& quantity, Ink ink, QList<double> x = {},
                         QList<double> y = {});
/// Has the faint style of the second run and its name.
FigureCurve ghostCurve(FigureCurve curve, const InsideRun& ghost);

}  // namespace ropelab::ui
