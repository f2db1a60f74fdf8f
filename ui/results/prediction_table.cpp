#include "ui/results/prediction_table.h"

#include <algorithm>

#include "core/stats/results_cells.h"
#include "ui/window/format.h"
#include "ui/window/text.h"

namespace ropelab::ui {

namespace {

using Outcome = ScoredPrediction::Outcome;
using Tone = WordTable::Tone;

}  // namespace

WordTable::Content predictionTable(std::span<const ScoredPrediction> predictions) {
    WordTable::Content content;
    content.columns = {
        {QObject::tr("outcome"), QObject::tr("Scored on the means of the groups; the reason is on hover."), true},
        {QObject::tr("by luck"),
         QObject::tr("The chance of being right by luck: every order of the groups being as likely, or each as likely "
                     "to fail in retrieval as not.")},
        {QObject::tr("theory"), {}, true},
        {QObject::tr("speaks of"), QObject::tr("The quantity that the theory is about."), true},
        {QObject::tr("what it says"), {}, true},
        {QObject::tr("what came"), {}, true}};
    for (const ScoredPrediction& each : predictions) {
        const Tone tone = each.outcome == Outcome::right   ? Tone::success
                          : each.outcome == Outcome::wrong ? Tone::error
                                                           : Tone::quiet;
        const Prediction& prediction = each.prediction;
        content.rows.push_back({{text(to_string(each.outcome)), text(each.words), tone},
                                {QObject::tr("%1 %").arg(text(rough_text(100 * prediction.chance)))},
                                {text(prediction.theory), text(prediction.theory)},
                                {text(prediction.quantity).replace(QLatin1Char('_'), QLatin1Char(' '))},
                                {text(prediction.words), text(prediction.words)},
                                {text(each.words), text(each.words)}});
    }
    return content;
}

QString scoreWords(std::span<const ScoredPrediction> predictions) {
    if (predictions.empty()) return {};
    QStringList parts;
    for (const Outcome outcome : {Outcome::right, Outcome::wrong, Outcome::unmeasured}) {
        const auto count = std::count_if(predictions.begin(), predictions.end(),
                                         [outcome](const ScoredPrediction& each) { return each.outcome == outcome; });
        if (count > 0) parts << QStringLiteral("%1 %2").arg(count).arg(text(to_string(outcome)));
    }
    return QObject::tr("%1: %2.").arg(countText(std::ssize(predictions), QObject::tr("prediction")),
                                      parts.join(QStringLiteral(", ")));
}

WordList* makePredictionList(const QString& nothing, QWidget* parent) {
    return new WordList(QObject::tr("Prediction ledger"),
                        QObject::tr("Written down before the first run, for the quantity that each theory speaks of, "
                                    "and kept unchanged in the lab. A prediction whose quantity is not measured is not "
                                    "scored."),
                        nothing, parent);
}

}  // namespace ropelab::ui
