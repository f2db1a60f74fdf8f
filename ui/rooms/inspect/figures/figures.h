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

/// The attention weights of one query: one row of an attention map, with the text's tokens.
struct AttentionRow {
    QStringList tokens;
    std::vector<double> weights;  // one per token; 0 after the query
    int query = -1;               // index of the query in `tokens`; −1 if there is no attention map
};
/// `query` −1 selects the query of InspectChoices.
AttentionRow attentionRow(const InspectData& data, int query);

/// Selects one layer and head for attention maps. kAutomaticHead selects the head with the largest rotary logit
/// contribution (sum over all pairs, without the unrotated channels) in the run's newest snapshot, in the selected
/// layer or in any layer. It is the same head at every step. Without such contributions, as in a run without RoPE, it
/// is the head with the lowest entropy of its attention weights. For a run without snapshots, the result for the typed
/// text is used. Without any such result and for any other choice the data stay unchanged.
InspectData withOneHead(InspectData data);

// Figures of quantities over training. A second run is drawn faintly behind the first. The time cursor is a vertical
// line that can be dragged (its handle is "time").

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

/// In tokens.
QList<double> lagsOf(const ProbeResult& result);
/// In percent, one per lag.
QList<double> accuraciesOf(const ProbeResult& result);

/// One dial per pair, for one layer and head at the cursor. The angle of the hand q is the rotation of the query
/// relative to the key at the selected lag Δ (g·Δ). The lengths of the hands are the mean query and key norms of the
/// pair (F33), relative to the largest norm in any snapshot of both runs, so that steps and runs are comparable.
InspectPicture pairDials(const InspectData& data);

/// One line per fine-tuning at the selected length, with the mean losses inside and beyond the training context.
QStringList fineTunedNumbers(const InspectData& data);

QString methodTitle(ScalingMethod method);
/// Means over blocks of positions reduce the noise of few sequences. x is the middle of a block.
FigureCurve blockMeans(const std::vector<double>& lossByPosition, const QString& label, Ink ink);

QString checkpointNote(const InspectData& data, std::int64_t iteration);
FigureCurve dashedCurve(FigureCurve curve);

/// Says why a result that the model has to compute is missing, or that it is being computed.
InspectPicture withoutAnswer(const InspectData& data, const char* name, const QString& computing);

}  // namespace ropelab::ui
