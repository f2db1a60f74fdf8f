#include "ui/inspect/inspect_figures.h"

#include <QObject>

#include "ui/inspect/attention_figures.h"
#include "ui/inspect/course_figures.h"
#include "ui/inspect/moment_figures.h"
#include "ui/inspect/pair_dials.h"
#include "ui/inspect/probe_figures.h"
#include "ui/inspect/spectrum_maps.h"

namespace ropelab::ui {

std::span<const InspectFigure> inspectFigures() {
    using Reads = InspectFigure::Reads;
    using Heeds = InspectFigure::Heeds;
    const auto tr = [](const char* text) { return QObject::tr(text); };
    static const QString spectra = tr("Spectra");
    static const QString training = tr("Over training");
    static const QString moment = tr("At the cursor");
    static const QString attention = tr("Attention");
    static const QString knockOut = tr("Knock-out");
    static const QString beyond = tr("Beyond the window");
    static const std::vector<InspectFigure> figures = {
        {"logit-share", spectra, tr("logit share"),
         tr("How much of the logits' variation each pair makes: Cov(pair's part, logit) / Var(logit). Formula 8"),
         Reads::snapshots, Heeds::pairMap, shareSpectrum},
        {"query-spectrum", spectra, tr("query usage"),
         tr("The mean norm of each pair's two numbers in the queries. Barbero et al. 2024, formula 33"),
         Reads::snapshots, Heeds::pairMap, querySpectrum},
        {"key-spectrum", spectra, tr("key usage"),
         tr("The mean norm of each pair's two numbers in the keys. Barbero et al. 2024, formula 33"), Reads::snapshots,
         Heeds::pairMap, keySpectrum},
        {"value-spectrum", spectra, tr("value usage"),
         tr("The same for values, where pairs mean nothing: the control. Barbero et al. 2024, formula 33"),
         Reads::snapshots, Heeds::pairMap, valueSpectrum},
        {"query-channels", spectra, tr("massive query values"),
         tr("The norm of each query channel over a window. Jin et al. 2025, formula 34"), Reads::snapshots, Heeds::map,
         queryChannels},
        {"key-channels", spectra, tr("massive key values"),
         tr("The norm of each key channel over a window. Jin et al. 2025, formula 34"), Reads::snapshots, Heeds::map,
         keyChannels},
        {"pair-dials", spectra, tr("dials"),
         tr("How far a lag turns each pair (θ·Δ), with hands as long as the pair is used. "
            "Barbero et al. 2024, formula 33"),
         Reads::snapshots, Heeds::oneLayer, pairDials},
        {"share-course", training, tr("logit share of pairs"),
         tr("When the run learned to read the pairs that it reads most, and the lit one. Formula 8"), Reads::snapshots,
         Heeds::where, shareCourse},
        {"attention-entropy", training, tr("entropy of attention"), tr("How spread out attention is, in nats."),
         Reads::snapshots, Heeds::where, entropyCourse},
        {"attention-sink", training, tr("attention on the first symbol"),
         tr("The share that goes to the window's first symbol: a sink."), Reads::snapshots, Heeds::where, sinkCourse},
        {"retrieval-course", training, tr("retrieval"), tr("How many marked copies are told at each lag."),
         Reads::snapshots, Heeds::nothing, retrievalCourse},
        {"theta-course", training, tr("theta that moves"),
         tr("Where a trained or scheduled theta stands: θ = g^(−d/2i) of the slowest pair i that turns. Formula 3"),
         Reads::snapshots, Heeds::where, thetaCourse},
        {"inspect-loss", training, tr("validation loss with the cursor"), tr("The time axis of this room."),
         Reads::snapshots, Heeds::nothing, lossCourse},
        {"loss-by-position", moment, tr("loss by position"),
         tr("What a longer past is worth: the loss of each position of a window."), Reads::snapshots, Heeds::nothing,
         lossByPosition},
        {"retrieval-accuracy", moment, tr("retrieval by distance"),
         tr("Copies told at each lag: what the context bound is about. Men et al. 2024, formula 12"), Reads::snapshots,
         Heeds::nothing, retrievalAccuracy},
        {"retrieval-loss", moment, tr("loss on copies by distance"), tr("The loss of copied symbols at each lag."),
         Reads::snapshots, Heeds::nothing, retrievalLoss},
        {"logit-by-distance", moment, tr("logit by distance"), tr("The mean logit between symbols so far apart."),
         Reads::snapshots, Heeds::where, logitByDistance},
        {"attention-heads", attention, tr("all heads"), tr("Who reads whom, in every head; pick one."), Reads::text,
         Heeds::where, attentionGrid},
        {"attention-map", attention, tr("one head"), tr("Who reads whom: point at a query, and the text is shaded."),
         Reads::text, Heeds::where, attentionMap},
        {"pair-logits", attention, tr("the lit pair's part"),
         tr("What the lit pair alone adds to each logit of a typed text. Formula 7"), Reads::text, Heeds::where,
         pairLogits},
        {"attention-by-distance", attention, tr("attention by distance"),
         tr("The mean share of attention at each distance."), Reads::text, Heeds::oneLayer, attentionByDistance},
        {"attention-spectrum", attention, tr("spectrum of attention"),
         tr("The Fourier spectrum of attention by distance, beside the wavelengths of RoPE's pairs."), Reads::text,
         Heeds::oneLayer, attentionSpectrum},
        {"knock-out-loss", knockOut, tr("loss without pairs"),
         tr("Loss by position with pairs stopped (frequency 0: content stays) or removed from the logit."),
         Reads::knockOut, Heeds::nothing, knockOutLoss},
        {"knock-out-retrieval", knockOut, tr("retrieval without pairs"),
         tr("Copies told at each lag with pairs stopped or removed."), Reads::knockOut, Heeds::nothing,
         knockOutRetrieval},
        {"knock-out-curve", knockOut, tr("loss from both ends"),
         tr("Loss as ever more pairs are knocked out, from the fast and from the slow end."), Reads::knockOutCurve,
         Heeds::nothing, knockOutCurve},
        {"knock-out-retrieval-curve", knockOut, tr("retrieval from both ends"),
         tr("Copies told as ever more pairs are knocked out."), Reads::knockOutCurve, Heeds::nothing,
         knockOutRetrievalCurve},
        {"beyond-loss", beyond, tr("loss beyond the context"),
         tr("Loss by position up to 2, 4 or 8 times the context with five scalings. "
            "Formulas 18 to 20, 22 and 23"),
         Reads::beyond, Heeds::nothing, beyondLoss},
        {"beyond-retrieval", beyond, tr("retrieval beyond the context"),
         tr("Copies told at lags inside and beyond the context with five scalings. Formulas 18 to 20, 22 and 23"),
         Reads::beyond, Heeds::nothing, beyondRetrieval},
        {"fine-tuned-loss", beyond, tr("loss after fine-tuning"),
         tr("Loss by position beyond the context before and after a few more steps of training there. "
            "Formulas 18 to 20, 22 and 23"),
         Reads::fineTuning, Heeds::nothing, fineTunedLoss},
    };
    return figures;
}

QStringList inspectFigureNames() {
    QStringList names;
    for (const InspectFigure& figure : inspectFigures()) names << QLatin1String(figure.name);
    return names;
}

const InspectFigure* findInspectFigure(const QString& name) {
    for (const InspectFigure& figure : inspectFigures()) {
        if (name == QLatin1String(figure.name)) return &figure;
    }
    return nullptr;
}

}  // namespace ropelab::ui
