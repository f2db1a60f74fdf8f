#pragma once

#include <QColor>
#include <QList>
#include <QRectF>
#include <QStringList>
#include <deque>
#include <functional>

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

/// Caches the end of a colour or length scale over all snapshots of two runs, because every frame of a replay needs it,
/// and computing it takes as long as painting a figure.
class ScaleCache {
 public:
    /// Runs are compared by identity, because a run object never changes.
    double get(const InspectData& data, const std::vector<std::int64_t>& choices,
               const std::function<double()>& compute) {
        for (const Entry& each : m_entries) {
            if (isSame(each.run, data.run) && isSame(each.ghost, data.ghost) && each.choices == choices)
                return each.value;
        }
        m_entries.push_front({data.run, data.ghost, choices, compute()});
        if (m_entries.size() > kMaxEntries) m_entries.pop_back();
        return m_entries.front().value;
    }

 private:
    // The address of a deleted run can be reused for another one.
    static bool isSame(const std::weak_ptr<const InsideRun>& cached, const std::shared_ptr<const InsideRun>& run) {
        return !cached.owner_before(run) && !run.owner_before(cached);
    }

    static constexpr std::size_t kMaxEntries = 4;  // for two figures side by side and for previous choices
    struct Entry {
        std::weak_ptr<const InsideRun> run;
        std::weak_ptr<const InsideRun> ghost;
        std::vector<std::int64_t> choices;
        double value = 0;
    };
    std::deque<Entry> m_entries;
};

// Figures of a run's checkpoint with pairs ablated. Each shows the controls beside the ablation
// (core/study/ablation_control.h), or says that there are none.

InspectPicture ablationLoss(const InspectData& data);
InspectPicture ablationRetrieval(const InspectData& data);
InspectPicture ablationCurve(const InspectData& data);
InspectPicture ablationRetrievalCurve(const InspectData& data);

/// As "pairs 0–3 frozen".
QString ablationText(const Ablation& ablation);

// Difference of the attention weights of two runs (first minus second), token by token. Both runs' snapshots must
// contain attention maps of the same text.

/// "" if the difference can be shown.
QString whyNoAttentionDifference(const InspectData& data);
/// Layers × heads × map_size × map_size, from −1 to 1. Requires that whyNoAttentionDifference() returns "".
ProbeArray attentionDifference(const InspectData& data);
/// The maximum over all layers, heads and steps makes the colours of all steps comparable. Requires that
/// whyNoAttentionDifference() returns "".
double largestAttentionDifference(const InspectData& data);
/// As largestAttentionDifference(), but in the selected layer and head only, or in their mean.
double largestChosenDifference(const InspectData& data);
/// "step 50: run − second run", or "step 50 of run − step 40 of second run" if the steps differ. The step comes first
/// because a long note is cut off at its end.
QString attentionDifferenceNote(const InspectData& data);

// Figures of attention weights. They show the typed text if there is one, else the text of the snapshot.

InspectPicture attentionGrid(const InspectData& data);
/// x is the key, y the query, with query 0 at the top.
InspectPicture attentionMap(const InspectData& data);
/// The term of one pair in each logit (F7); requires a typed text.
InspectPicture pairLogits(const InspectData& data);
/// One curve per head of the selected layer.
InspectPicture attentionByDistance(const InspectData& data);
/// Fourier spectrum of the mean attention weight by distance, with lines at the wavelengths of RoPE's pairs.
InspectPicture attentionSpectrum(const InspectData& data);

/// The attention weights of one query: one row of an attention map, with the text's tokens.
struct AttentionRow {
    QStringList tokens;
    std::vector<double> weights;  // one per token; 0 after the query
    int query = -1;               // index of the query in `tokens`; −1 if there is no attention map
};
/// `query` −1 selects the query of InspectChoices.
AttentionRow attentionRow(const InspectData& data, int query);

struct AttentionSource {
    const ProbeResult* result = nullptr;
    std::int64_t iteration = 0;
};
/// The result for the typed text if there is one, else that of the snapshot at the cursor.
AttentionSource attentionSource(const InspectData& data);
/// As "step 50: run, typed text".
QString stepNote(const InspectData& data, const AttentionSource& source);

/// Selects one layer and head for attention maps. kAutomaticHead selects the head with the largest rotary logit
/// contribution (sum over all pairs, without the unrotated channels) in the run's newest snapshot, in the selected
/// layer or in any layer. It is the same head at every step. Without such contributions, as in a run without RoPE, it
/// is the head with the lowest entropy of its attention weights. For a run without snapshots, the result for the typed
/// text is used. Without any such result and for any other choice the data stay unchanged.
InspectData withOneHead(InspectData data);

std::vector<double> mapOf(const ProbeArray& array, const InspectData& data);
/// Positions along a side of the maps in an array of layers × heads × positions × positions; 0 for another shape.
int sideOf(const ProbeArray& array);

// Figures of quantities over training. A second run is drawn faintly behind the first. The time cursor is a vertical
// line that can be dragged (its handle is "time").

/// The logit contribution (F8) of the five parts with the largest contribution at the cursor, and of the highlighted
/// pair. A part is a pair or all channels that are not rotated.
InspectPicture contributionsOverTraining(const InspectData& data);
/// One curve per layer, or per head of the selected layer.
InspectPicture entropyCourse(const InspectData& data);
/// The mean attention weight of the first token (attention sink), one curve per layer, or per head of the selected
/// layer.
InspectPicture sinkCourse(const InspectData& data);
InspectPicture retrievalCourse(const InspectData& data);
/// For runs in which theta is trained or scheduled. If every frequency is trained separately, the curves are the
/// wavelengths of one layer's pairs.
InspectPicture thetaCourse(const InspectData& data);
InspectPicture lossCourse(const InspectData& data);

/// The x axis is the step of the whole training.
Figure overTraining(const InspectData& data, const char* name, Axis y);
/// A number of each of the run's snapshots. Snapshots for which `number` returns nothing are left out.
FigureCurve courseOf(const InsideRun& run, const QString& label, const QString& quantity, Ink ink,
                     const std::function<std::optional<double>(const ProbeResult&)>& number);

struct HeadLine {
    QString label;
    std::int64_t layer;
    std::int64_t head;  // −1: the mean over heads
};
/// One entry per layer, or per head of the selected layer.
std::vector<HeadLine> headLines(const InspectData& data);

// Figures of a run's data set, and of the bits that its tokens cost under the run's model.

/// An excerpt of the validation split with alternating backgrounds of its tokens.
InspectPicture dataTokens(const InspectData& data);
InspectPicture dataFrequencies(const InspectData& data);
/// Frequencies by rank with the fits of Zipf's law (formula 57).
InspectPicture dataZipf(const InspectData& data);
/// By distance, with that of the shuffled text (formula 58).
InspectPicture dataInformation(const InspectData& data);
/// A text whose tokens are painted by their bits under the run's model (formulas 35 and 59).
InspectPicture dataBits(const InspectData& data);

/// A token that is a line end ends its line.
struct TokenLayout {
    double fontPt = 0;     // size of the letters
    QList<QRectF> places;  // of the tokens that fit into the rectangle
};
/// Uses the largest letters, from 11 down to 6 pt, with which all visibleTokens() fit; at 6 pt the rest is omitted.
TokenLayout layoutTokens(const QStringList& tokens, const QRectF& rect, const FigureStyle& style);

/// The paper's colour for 0 bits, and the full tint for `most` bits or more. Text on it has a contrast of at least
/// 4.5:1.
QColor bitsColor(double bits, double most, const Theme& theme);

// Figures of mixtures of experts (formulas 49 to 51), measured on the probe's sequences. Without a selected layer they
// show all layers with experts.

/// The share of each expert, one column per snapshot.
InspectPicture expertLoad(const InspectData& data);
/// The share that each expert has of each class of tokens, at the time cursor.
InspectPicture expertLoadByClass(const InspectData& data);
/// The tokens that are routed to each expert most often, at the time cursor. Row labels contain the first tokens as
/// text.
InspectPicture expertTokens(const InspectData& data);
/// The load-balancing loss over training, one curve per layer.
InspectPicture expertBalance(const InspectData& data);
/// The share of choices beyond the capacity over training, one curve per layer.
InspectPicture expertDropped(const InspectData& data);

// Figures of the measurements by layer (formula 56). Heat maps have one column per snapshot and one row per layer, or
// per attention and MLP of each layer; curves show one snapshot against the layer.

/// As common logarithms.
InspectPicture gradientNormMap(const InspectData& data);
/// As common logarithms.
InspectPicture updateRatioMap(const InspectData& data);
/// The root mean square.
InspectPicture residualStreamMap(const InspectData& data);
/// The largest magnitude in the residual stream (massive activations).
InspectPicture massiveActivationMap(const InspectData& data);

InspectPicture gradientNormByLayer(const InspectData& data);
/// The relative update of the last step, and accumulated since initialization.
InspectPicture updatesByLayer(const InspectData& data);
InspectPicture residualStreamByLayer(const InspectData& data);

// Figures of the snapshot at the time cursor, against position or distance. The first snapshot is drawn dashed.

InspectPicture lossByPosition(const InspectData& data);
/// By lag, with the baseline accuracy.
InspectPicture retrievalAccuracy(const InspectData& data);
/// The loss on copied tokens by lag, with the baseline loss.
InspectPicture retrievalLoss(const InspectData& data);
/// The mean logit, one curve per layer, or per head of the selected layer.
InspectPicture logitByDistance(const InspectData& data);

/// In tokens.
QList<double> lagsOf(const ProbeResult& result);
/// In percent, one per lag.
QList<double> accuraciesOf(const ProbeResult& result);
/// The losses on copied tokens in nats, one per lag.
QList<double> lossesOf(const ProbeResult& result);

/// One dial per pair, for one layer and head at the cursor. The angle of the hand q is the rotation of the query
/// relative to the key at the selected lag Δ (g·Δ). The lengths of the hands are the mean query and key norms of the
/// pair (F33), relative to the largest norm in any snapshot of both runs, so that steps and runs are comparable.
InspectPicture pairDials(const InspectData& data);

// Figures of length extrapolation, which a run's checkpoint has to compute.

/// By position, one curve per scaling method, or one for a run without RoPE.
InspectPicture extrapolationLoss(const InspectData& data);
/// At lags inside and beyond the training context, one curve per scaling method.
InspectPicture extrapolationRetrieval(const InspectData& data);

/// By position before and after fine-tuning at the selected length, two curves per scaling method.
InspectPicture fineTunedLoss(const InspectData& data);
/// One line per fine-tuning at the selected length, with the mean losses inside and beyond the training context.
QStringList fineTunedNumbers(const InspectData& data);

QString methodTitle(ScalingMethod method);
/// Means over blocks of positions reduce the noise of few sequences. x is the middle of a block.
FigureCurve blockMeans(const std::vector<double>& lossByPosition, const QString& label, Ink ink);

QString checkpointNote(const InspectData& data, std::int64_t iteration);
FigureCurve dashedCurve(FigureCurve curve);

/// The retrieval gain at the time cursor by attended distance (lag − 1), with its 95 % interval over the sequences. The
/// same axis shows the context bound B(Δ) of the run's frequencies as a percentage of B(0), and the run's own mean
/// logit by distance, centred and as a percentage of its largest deviation. The gains of the lab's other seeds of this
/// run (their newest snapshots) and of the second run are drawn with their own intervals.
InspectPicture retrievalGain(const InspectData& data);

}  // namespace ropelab::ui
