#include "ui/experiment/quantity_whys.h"

#include <QCoreApplication>
#include <cmath>
#include <numbers>

#include "core/data/generated/names.h"
#include "ui/figure/ticks.h"
#include "ui/window/format.h"

namespace ropelab::ui {

namespace {

QString tr(const char* words) {
    return QCoreApplication::translate("QuantityWhys", words);
}

QString lines(const QStringList& all) {
    QStringList said = all;
    said.removeAll(QString());
    return said.join(QLatin1Char('\n'));
}

QString lossNow(std::optional<double> nats) {
    if (!nats || !std::isfinite(*nats)) return {};
    return tr("L = %1 nats = %2 bits per character; perplexity e^L = %3")
        .arg(readableNumber(*nats), readableNumber(*nats / std::numbers::ln2), readableNumber(std::exp(*nats)));
}

QString batchOf(const RunSpec& run) {
    return tr("%1 windows of %2 symbols").arg(groupedText(run.batch), groupedText(run.context));
}

QString heldOut(const RunSpec& run) {
    return run.evaluation == Evaluation::whole
               ? tr("N: every window of the part of the text that is kept for validation, in order.")
               : tr("N: %1 random batches of %2 from the part of the text that is kept for validation.")
                     .arg(groupedText(run.evaluation_batches), batchOf(run));
}

}  // namespace

QString whyOfQuantity(Quantity quantity, const RunSpec& run, std::optional<double> now) {
    const QString loss = tr("L = −(1/N) Σ ln p(next symbol | those before it in its window)");
    switch (quantity) {
        case Quantity::validation_loss:
            return lines(
                {loss, heldOut(run), lossNow(now),
                 find_language(run.data)
                     ? tr("The dashed line is what the best possible predictor loses on the windows of validation.")
                     : QString(),
                 tr("Shannon 1948, formula 35")});
        case Quantity::training_loss:
            return lines({loss,
                          tr("N: the batch of the step, before the step changes the weights; %1.").arg(batchOf(run)),
                          lossNow(now), tr("Shannon 1948, formula 35")});
        case Quantity::learning_rate: {
            const std::int64_t end = run.decay_iterations > 0 ? run.decay_iterations : run.iterations;
            return lines({tr("η rises in a line to its highest within w steps, then falls as (1 + cos πs)/2, s from 0 "
                             "to 1, to its lowest at step T."),
                          tr("highest %1, w = %2, lowest %3, T = %4")
                              .arg(readableNumber(run.learning_rate), groupedText(run.warmup),
                                   readableNumber(run.final_learning_rate), groupedText(end)),
                          tr("nanoGPT's schedule")});
        }
        case Quantity::gradient_norm:
            return lines({tr("‖g‖ = √(Σ g²) over every number that the run trains, before it is clipped."),
                          run.clip > 0 ? tr("Above c = %1 the step takes g·c/‖g‖.").arg(readableNumber(run.clip))
                                       : tr("Nothing is clipped (clip = 0)."),
                          tr("Pascanu et al. 2013")});
        case Quantity::tokens_per_second:
            break;
    }
    return tr("Symbols of a step over its time: %1. Runs that train side by side share the machine, so each has its "
              "share of what all of them read.")
        .arg(batchOf(run));
}

QString whyOfRoofline(double multiply, double copy) {
    constexpr double giga = 1e9;
    return lines(
        {tr("operations a second ≤ min(P, B·I)"),
         tr("I: operations of a step for each byte that it moves. Left of the ridge memory limits the speed, right "
            "of it arithmetic."),
         multiply > 0 && copy > 0
             ? tr("P = %1 GFLOP/s, products of float32; B = %2 GB/s, copies; both measured on this machine")
                   .arg(readableNumber(multiply / giga), readableNumber(copy / giga))
             : QString(),
         tr("Williams, Waterman, Patterson 2009")});
}

}  // namespace ropelab::ui
