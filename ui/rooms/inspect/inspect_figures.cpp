#include "ui/rooms/inspect/inspect_figures.h"

#include <QObject>

#include "core/spec/aliases.h"
#include "ui/probes/spectrum_maps.h"
#include "ui/rooms/inspect/figures/figures.h"

namespace ropelab::ui {

std::span<const InspectFigure> inspectFigures() {
    using Input = InspectFigure::Input;
    using Controls = InspectFigure::Controls;
    const auto tr = [](const char* text) { return QObject::tr(text); };
    static const QString spectra = tr("Spectra");
    static const QString training = tr("Over training");
    static const QString moment = tr("At the selected step");
    static const QString experts = tr("Experts");
    static const QString attention = tr("Attention");
    static const QString ablation = tr("Ablation");
    static const QString extrapolation = tr("Length extrapolation");
    static const QString dataSet = tr("Data");
    static const std::vector<InspectFigure> figures = {
        {"logit-contribution", spectra, tr("logit contribution"),
         tr("Shows each pair's contribution to the variance of the logits: Cov(pair's term, logit) / Var(logit). "
            "Every key counts equally, also keys with an attention weight near 0. Formula 8"),
         Input::snapshots, Controls::pairRows, contributionSpectrum},
        {"weighted-logit-contribution", spectra, tr("logit contribution, weighted by attention"),
         tr("Shows each pair's contribution to the variance of the logits under the attention weights: keys with an "
            "attention weight near 0 hardly count. Formula 8, weighted"),
         Input::snapshots, Controls::pairRows, weightedContributionSpectrum},
        {"query-spectrum", spectra, tr("query norm by frequency"),
         tr("Shows the mean norm of each pair's two channels in the queries. A large norm does not show that the "
            "model uses the pair. Barbero et al. 2024, formula 33"),
         Input::snapshots, Controls::pairRows, querySpectrum},
        {"key-spectrum", spectra, tr("key norm by frequency"),
         tr("Shows the mean norm of each pair's two channels in the keys. A large norm does not show that the "
            "model uses the pair. Barbero et al. 2024, formula 33"),
         Input::snapshots, Controls::pairRows, keySpectrum},
        {"value-spectrum", spectra, tr("value norm by frequency"),
         tr("Shows the mean norm of the same channels in the values. Values are not rotated, so this is a control. "
            "A large norm does not show that the model uses the pair. Barbero et al. 2024, formula 33"),
         Input::snapshots, Controls::pairRows, valueSpectrum},
        {"query-channels", spectra, tr("massive query values"),
         tr("Shows the norm of each query channel over the positions of a sequence. Jin et al. 2025, formula 34"),
         Input::snapshots, Controls::rows, queryChannels},
        {"key-channels", spectra, tr("massive key values"),
         tr("Shows the norm of each key channel over the positions of a sequence. Jin et al. 2025, formula 34"),
         Input::snapshots, Controls::rows, keyChannels},
        {"pair-dials", spectra, tr("rotation dials"),
         tr("Shows by which angle each pair is rotated at the selected lag Δ. The lengths of the hands are the query "
            "and key norms of the pair. Barbero et al. 2024, formula 33"),
         Input::snapshots, Controls::oneLayer, pairDials},
        {"logit-contribution-over-training", training, tr("largest logit contributions"),
         tr("Shows the largest logit contributions at the cursor and that of the highlighted pair, over training. "
            "Every key counts equally, also keys with an attention weight near 0. Formula 8"),
         Input::snapshots, Controls::layerAndHead, contributionsOverTraining},
        {"attention-entropy", training, tr("attention entropy"),
         tr("Shows the mean entropy of the attention weights of a query in nats; it is large if attention is spread "
            "out."),
         Input::snapshots, Controls::layerAndHead, entropyCourse},
        {"attention-sink", training, tr("attention sink"),
         tr("Shows the mean attention weight of the first token of a sequence."), Input::snapshots,
         Controls::layerAndHead, sinkCourse},
        {"retrieval-over-training", training, tr("retrieval accuracy"),
         tr("Shows the percentage of copied tokens that the model predicts, by their distance to the original (lag)."),
         Input::snapshots, Controls::none, retrievalCourse},
        {"theta-over-training", training, tr("trained or scheduled theta"),
         tr("Shows the value of a theta that changes during training: θ = g^(−d/2i) for the slowest rotated pair i. "
            "Formula 3"),
         Input::snapshots, Controls::layerAndHead, thetaCourse},
        {"gradient-norm-over-training", training, tr("gradient norm by layer"),
         tr("Shows the norm of the gradient, before clipping, of the weights of attention and MLP of each layer at the "
            "training step before each snapshot. Formula 56"),
         Input::snapshots, Controls::none, gradientNormMap},
        {"update-ratio-over-training", training, tr("update-to-weight ratio by layer"),
         tr("Shows the norm of the change that a training step makes to the weights of attention and MLP of each "
            "layer, "
            "divided by the norm of these weights. Formula 56"),
         Input::snapshots, Controls::none, updateRatioMap},
        {"residual-stream-over-training", training, tr("residual stream by layer"),
         tr("Shows the root mean square of the residual stream before each layer and after the last one. Formula 56"),
         Input::snapshots, Controls::none, residualStreamMap},
        {"massive-activations-over-training", training, tr("massive activations by layer"),
         tr("Shows the largest magnitude of a single number in the residual stream before each layer and after the "
            "last "
            "one. Sun et al. 2024, formula 56"),
         Input::snapshots, Controls::none, massiveActivationMap},
        {"inspect-loss", training, tr("validation loss"),
         tr("Shows the validation loss over training; a line marks the step that the other figures show."),
         Input::snapshots, Controls::none, lossCourse},
        {"loss-by-position", moment, tr("loss by position"),
         tr("Shows the validation loss at each position of a sequence: later positions have a longer context."),
         Input::snapshots, Controls::none, lossByPosition},
        {"retrieval-accuracy", moment, tr("retrieval by distance"),
         tr("Shows the percentage of copied tokens that the model predicts, by lag. The context bound predicts "
            "the lags at which it drops. Men et al. 2024, formula 12"),
         Input::snapshots, Controls::none, retrievalAccuracy},
        {"retrieval-gain", moment, tr("retrieval gain and context bound"),
         tr("Shows the accuracy on copied tokens minus the accuracy on their first occurrence, by the attended "
            "distance (lag − 1), with a 95 % interval; B(Δ) as a percentage of B(0), and the mean logit by distance, "
            "centred and scaled. The last snapshot has the densest grid. Men et al. 2024, formulas 12 and 13"),
         Input::snapshots, Controls::none, retrievalGain},
        {"retrieval-loss", moment, tr("loss on copied tokens by distance"),
         tr("Shows the loss of copied tokens by their distance to the original (lag)."), Input::snapshots,
         Controls::none, retrievalLoss},
        {"gradient-norm-by-layer", moment, tr("gradient norm against the layer"),
         tr("Shows the norm of the gradient of attention and MLP against the layer. At step 1 it is the gradient at "
            "initialization. Xiong et al. 2020, formula 56"),
         Input::snapshots, Controls::none, gradientNormByLayer},
        {"updates-by-layer", moment, tr("updates against the layer"),
         tr("Shows the change of the weights of attention and MLP against the layer, divided by their norm: that of "
            "the "
            "last training step, and that since initialization. Formula 56"),
         Input::snapshots, Controls::none, updatesByLayer},
        {"residual-stream-by-layer", moment, tr("residual stream against the layer"),
         tr("Shows the root mean square and the largest magnitude of the residual stream against the layer. Formula "
            "56"),
         Input::snapshots, Controls::none, residualStreamByLayer},
        {"logit-by-distance", moment, tr("logit by distance"),
         tr("Shows the mean attention logit by the distance between query and key."), Input::snapshots,
         Controls::layerAndHead, logitByDistance},
        {"expert-load", experts, tr("load of each expert over training"),
         tr("Shows the share of the tokens' choices that go to each expert of a mixture of experts, at every snapshot. "
            "Shazeer et al. 2017, formula 49"),
         Input::snapshots, Controls::layer, expertLoad},
        {"expert-load-by-class", experts, tr("load by class of tokens"),
         tr("Shows the share of the letters, digits, white space, punctuation and other tokens that is "
            "routed to each expert. Formula 49"),
         Input::snapshots, Controls::layer, expertLoadByClass},
        {"expert-tokens", experts, tr("tokens of each expert"),
         tr("Shows the tokens that are routed to each expert most often; the labels of the rows list the "
            "first five. Formula 49"),
         Input::snapshots, Controls::layer, expertTokens},
        {"expert-balance", experts, tr("load-balancing loss"),
         tr("Shows the load-balancing loss of each layer over training; it is 1 if all experts have equal "
            "loads. Fedus et al. 2022, formula 50"),
         Input::snapshots, Controls::layer, expertBalance},
        {"expert-dropped", experts, tr("choices beyond the capacity"),
         tr("Shows the share of the tokens' choices that the capacity of the experts would drop in training. "
            "Formula 51"),
         Input::snapshots, Controls::layer, expertDropped},
        {"attention-heads", attention, tr("all heads"),
         tr("Shows the attention weights of every head; click a head to select it."), Input::text,
         Controls::layerAndHead, attentionGrid},
        {"attention-map", attention, tr("one head"),
         tr("Shows the attention weights of one head. Point at a query to shade the text by its weights."), Input::text,
         Controls::layerAndHead, attentionMap},
        {"pair-logits", attention, tr("logit term of a pair"),
         tr("Shows the term that the highlighted pair adds to each logit of a typed text. Formula 7"), Input::text,
         Controls::layerAndHead, pairLogits},
        {"attention-by-distance", attention, tr("attention by distance"),
         tr("Shows the mean attention weight at each distance between query and key."), Input::text, Controls::oneLayer,
         attentionByDistance},
        {"attention-spectrum", attention, tr("Fourier spectrum of attention"),
         tr("Shows the Fourier spectrum of the attention weight by distance, with the wavelengths of RoPE's pairs."),
         Input::text, Controls::oneLayer, attentionSpectrum},
        {"ablation-loss", ablation, tr("loss after ablation"),
         tr("Shows the loss by position after pairs are frozen (frequency 0), removed from the logit, or mean-ablated "
            "(query and key replaced by their means), beside random other pairs with the same logit contribution. "
            "Formula 8"),
         Input::ablation, Controls::none, ablationLoss},
        {"ablation-retrieval", ablation, tr("retrieval after ablation"),
         tr("Shows the retrieval accuracy by lag after pairs are frozen, removed or mean-ablated, beside random other "
            "pairs with the same logit contribution. Formula 8"),
         Input::ablation, Controls::none, ablationRetrieval},
        {"ablation-curve", ablation, tr("loss by number of ablated pairs"),
         tr("Shows the loss against the number of ablated pairs, starting with the fastest or with the slowest pair, "
            "beside random other pairs with the same logit contribution. Formula 8"),
         Input::ablationCurve, Controls::none, ablationCurve},
        {"ablation-retrieval-curve", ablation, tr("retrieval by number of ablated pairs"),
         tr("Shows the retrieval accuracy against the number of ablated pairs, starting with the fastest or the "
            "slowest, beside random other pairs with the same logit contribution. Formula 8"),
         Input::ablationCurve, Controls::none, ablationRetrievalCurve},
        {"extrapolation-loss", extrapolation, tr("loss beyond the context"),
         tr("Shows the loss by position at 2, 4 or 8 times the training context: of a run with RoPE without and "
            "with seven scaling methods (the factors of LongRoPE are searched for), of another run with its own "
            "position encoding. Formulas 18 to 24"),
         Input::beyond, Controls::none, extrapolationLoss},
        {"extrapolation-retrieval", extrapolation, tr("retrieval beyond the context"),
         tr("Shows the retrieval accuracy at lags inside and beyond the training context, for a run with RoPE "
            "without and with seven scaling methods. Formulas 18 to 24"),
         Input::beyond, Controls::none, extrapolationRetrieval},
        {"fine-tuned-loss", extrapolation, tr("loss after fine-tuning"),
         tr("Shows the loss by position beyond the training context before and after a short fine-tuning at that "
            "length. Formulas 18 to 24"),
         Input::fineTuning, Controls::none, fineTunedLoss},
        {"data-bits", dataSet, tr("bits on the text"),
         tr("Paints a text by the bits that each token costs under the run's model, −log₂ p: letters that the model "
            "predicts well are pale. The sum of the bits is the size that an arithmetic coder reaches; ropelab-cli "
            "compress writes such a file. Formulas 35 and 59"),
         Input::bits, Controls::none, dataBits},
        {"data-tokens", dataSet, tr("tokens of the text"),
         tr("Shows the start of the validation split with its tokens marked. Point at a token to see its number and "
            "its count."),
         Input::dataSet, Controls::none, dataTokens},
        {"data-frequencies", dataSet, tr("token frequencies"),
         tr("Shows the frequencies of the most frequent tokens of the training split."), Input::dataSet, Controls::none,
         dataFrequencies},
        {"data-zipf", dataSet, tr("frequency by rank"),
         tr("Shows the frequencies of tokens and of words by rank with the fit of Zipf's law. Formula 57"),
         Input::dataSet, Controls::none, dataZipf},
        {"data-mutual-information", dataSet, tr("mutual information by distance"),
         tr("Shows the mutual information of two tokens by their distance, beside that of shuffled tokens, "
            "which is due to chance. Formula 58"),
         Input::dataSet, Controls::none, dataInformation},
    };
    return figures;
}

QStringList inspectFigureNames() {
    QStringList names;
    for (const InspectFigure& figure : inspectFigures()) names << QLatin1String(figure.name);
    return names;
}

QString currentFigureName(const QString& name) {
    return QString::fromStdString(std::string(current_name(Alias::Kind::figure, name.toStdString())));
}

const InspectFigure* findInspectFigure(const QString& name) {
    for (const InspectFigure& figure : inspectFigures()) {
        if (name == QLatin1String(figure.name)) return &figure;
    }
    return nullptr;
}

}  // namespace ropelab::ui
