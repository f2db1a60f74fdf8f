#include "ui/common/prediction_table.h"

#include <algorithm>

#include "core/reproduce/rules/evaluate.h"
#include "core/results/results_cells.h"
#include "ui/common/format.h"
#include "ui/common/text.h"

namespace ropelab::ui {

namespace {

using Outcome = ScoredPrediction::Outcome;
using Tone = TextTable::Tone;

/// "4 predictions: 2 right, 1 wrong, 1 not scored."; "" if there are no predictions.
QString scoreWords(std::span<const ScoredPrediction> predictions) {
    if (predictions.empty()) return {};
    QStringList parts;
    for (const Outcome outcome : {Outcome::right, Outcome::wrong, Outcome::undecided, Outcome::unmeasured}) {
        const auto count = std::count_if(predictions.begin(), predictions.end(),
                                         [outcome](const ScoredPrediction& each) { return each.outcome == outcome; });
        if (count > 0) parts << QStringLiteral("%1 %2").arg(count).arg(text(to_string(outcome)));
    }
    return QObject::tr("%1: %2.").arg(countText(std::ssize(predictions), QObject::tr("prediction")),
                                      parts.join(QStringLiteral(", ")));
}

}  // namespace

TextTable::Content predictionTable(std::span<const ScoredPrediction> predictions) {
    TextTable::Content content;
    content.columns = {
        {QObject::tr("outcome"),
         QObject::tr(
             "The outcome is decided by a test of the groups' means; the tooltip of a cell states the values and the "
             "test."),
         true},
        {QObject::tr("chance level"),
         QObject::tr(
             "The chance level is the probability that the prediction is right by chance; the tooltip of a cell "
             "states the null model. A prediction with a chance level of 1 is not scored.")},
        {QObject::tr("theory"), {}, true},
        {QObject::tr("quantity"), QObject::tr("The theory predicts this measured quantity."), true},
        {QObject::tr("prediction"), {}, true},
        {QObject::tr("measured result"), {}, true}};
    for (const ScoredPrediction& each : predictions) {
        const Tone tone = each.outcome == Outcome::right   ? Tone::success
                          : each.outcome == Outcome::wrong ? Tone::error
                                                           : Tone::quiet;
        const Prediction& prediction = each.prediction;
        const QString stated = text(prediction.words + " " + null_model_words(prediction));
        content.rows.push_back(
            {{text(to_string(each.outcome)), text(each.words), tone},
             {QObject::tr("%1 %").arg(text(rough_text(100 * each.chance))), text(null_model_words(prediction))},
             {text(prediction.theory), text(prediction.theory)},
             {text(prediction.quantity).replace(QLatin1Char('_'), QLatin1Char(' '))},
             {stated, stated},
             {text(each.words), text(each.words)}});
    }
    return content;
}

QString predictionWords(std::span<const ScoredPrediction> predictions) {
    const Calibration calibration = calibration_of(predictions);
    const QString words = scoreWords(predictions);
    return calibration.scored > 0 ? words + QLatin1Char(' ') + text(calibration_words(calibration)) : words;
}

TextList* makePredictionList(const QString& nothing, QWidget* parent) {
    return new TextList(QObject::tr("Predictions"),
                        QObject::tr("The predictions are preregistered: the lab stored them before the first run and "
                                    "never changes them. A prediction is not scored until its quantity is measured."),
                        nothing, parent);
}

}  // namespace ropelab::ui
