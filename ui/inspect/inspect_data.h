#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/experiment/beyond.h"
#include "core/experiment/knock_out.h"
#include "core/spec/probe.h"
#include "ui/figure/figure.h"
#include "ui/inspect/inside_run.h"
#include "ui/plot/figure_view.h"

namespace ropelab::ui {

/// What a person chose to see of a run's inside.
struct InspectChoices {
    std::int64_t layer = -1;    // −1: the mean over layers; in maps, all of them as rows
    std::int64_t head = -1;     // −1: the mean over heads
    bool headsAsRows = false;   // maps: the heads of one layer in place of the layers
    bool difference = false;    // maps: the run minus the second one
    bool byWavelength = false;  // x by wavelength in place of the pair's number
    std::optional<int> pair;    // lit
    int symbol = -1;            // the picked query of the attention map; −1: the last
    std::int64_t lag = 10;      // tokens between query and key, of the dials
};

/// All that the figures of the Inspect room are made from.
struct InspectData {
    std::shared_ptr<const InsideRun> run;
    std::shared_ptr<const InsideRun> ghost;  // the second run; null for none
    std::int64_t iteration = 0;              // the time cursor
    InspectChoices choices;
    /// A text that was typed, as the run reads it, in place of the snapshot's own in attention figures.
    std::shared_ptr<const ProbeResult> text;
    std::int64_t textIteration = 0;
    bool textWhileTraining = false;  // read after `textIteration` or some steps later
    std::optional<int> textPair;     // whose part of the logit was asked for with it
    bool textAsked = false;          // one was typed, so `text` is here or on its way
    std::optional<int> askedPair;    // whose part is asked for with the text that was typed last
    std::optional<KnockOutResult> knockOut;
    std::optional<KnockOutCurve> knockOutCurve;
    std::optional<BeyondResult> beyond;
    /// Before and after each fine-tuning of the run, one a method and length, the newest last.
    std::vector<BeyondResult> fineTunings;
    /// Of the fine-tunings, what the panel shows.
    FineTuning fineTuning;
    /// Why what was asked of the model is not there: on its way, no checkpoint …
    QString problem;

    const Snapshot* snapshot() const { return run ? run->at(iteration) : nullptr; }
    const Snapshot* ghostSnapshot() const { return ghost ? ghost->at(iteration) : nullptr; }
};

/// What a run's model is asked, where a figure is made from its answer.
struct ModelQuestions {
    QString text;             // typed; "" for none
    KnockOut knockOut;        // how, and the pairs
    std::int64_t factor = 4;  // times the context
};

/// A figure, and what it says and lights where one points.
struct InspectPicture {
    Figure figure;
    std::function<std::optional<FigureView::Readout>(QPointF)> readout = {};
    std::function<std::optional<int>(QPointF)> pairAt = {};
    /// The same of a drawing, in pixels of its rectangle.
    std::function<std::optional<int>(QPointF, const QRectF&, const FigureStyle&)> drawnPairAt = {};
    /// The query of an attention map.
    std::function<std::optional<int>(QPointF)> symbolAt = {};
    /// The layer and head of a grid of heads, in shares of the drawing's rectangle.
    std::function<std::optional<std::pair<int, int>>(QPointF)> headAt = {};
};

// Parts that the figures share.

/// A figure of that name which says where it comes from.
Figure inspectFigure(const InspectData& data, const char* name);
/// The same with words in the middle: no run, no snapshots (and why), or what else is missing.
InspectPicture withoutNumbers(const InspectData& data, const char* name, const QString& words = {});
/// Why a run has no snapshots; "" where it has.
QString whyNoSnapshots(const InspectData& data);

/// λ of each pair in tokens; infinity for one that does not turn.
std::vector<double> wavelengthsOf(const RunSpec& spec);
/// "20.3 tokens", "does not turn".
QString pairWavelengthText(double wavelength);
/// "layer 1, head 0", "layer 1, mean over heads", "mean over layers and heads".
QString whereText(const InspectChoices& choices);
/// The choice, within what this run has.
std::int64_t layerOf(const InspectData& data);
std::int64_t headOf(const InspectData& data);

FigureCurve inspectCurve(const QString& label, const QString& quantity, Ink ink, QList<double> x, QList<double> y);
/// Faint, as the second run is drawn.
FigureCurve ghostCurve(FigureCurve curve, const InsideRun& ghost);

}  // namespace ropelab::ui
