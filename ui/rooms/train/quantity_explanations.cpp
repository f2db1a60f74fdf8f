#include "ui/rooms/train/quantity_explanations.h"

#include <QCoreApplication>
#include <cmath>
#include <numbers>

#include "core/data/synthetic/language.h"
#include "ui/common/format.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

namespace {

QString tr(const char* words) {
    return QCoreApplication::translate("QuantityWhys", words);
}

QString joinLines(const QStringList& all) {
    QStringList lines = all;
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

QString currentLossText(std::optional<double> nats) {
    if (!nats || !std::isfinite(*nats)) return {};
    return tr("L = %1 nats = %2 bits per token; perplexity e^L = %3")
        .arg(readableNumber(*nats), readableNumber(*nats / std::numbers::ln2), readableNumber(std::exp(*nats)));
}

QString batchText(const RunSpec& run) {
    return tr("%1 sequences of %2 tokens").arg(groupedText(run.batch), groupedText(run.context));
}

QString validationText(const RunSpec& run) {
    return run.evaluation == Evaluation::whole
               ? tr("N is the number of tokens in all sequences of the validation split.")
               : tr("N is the number of tokens in %1 random batches of the validation split; a batch has %2.")
                     .arg(groupedText(run.evaluation_batches), batchText(run));
}

}  // namespace

QString quantityExplanation(Quantity quantity, const RunSpec& run, std::optional<double> now) {
    const QString loss = tr("L = −(1/N) Σ ln p(next token | the tokens before it in its sequence)");
    switch (quantity) {
        case Quantity::validation_loss:
            return joinLines({loss, validationText(run), currentLossText(now),
                              find_language(run.data)
                                  ? tr("The dashed line is the entropy floor of the whole split: the "
                                       "loss of the best possible predictor on all sequences of "
                                       "the validation split.")
                                  : QString(),
                              find_language(run.data) && run.evaluation == Evaluation::sampled
                                  ? tr("This run is evaluated on sampled sequences, so its loss can be below the floor "
                                       "by chance.")
                                  : QString(),
                              tr("Shannon 1948, formula 35")});
        case Quantity::training_loss:
            return joinLines({loss,
                              tr("N is the number of tokens in the batch of the step, %1. The weights are those before "
                                 "the step's update.")
                                  .arg(batchText(run)),
                              currentLossText(now), tr("Shannon 1948, formula 35")});
        case Quantity::learning_rate: {
            const std::int64_t end = run.decay_iterations > 0 ? run.decay_iterations : run.iterations;
            return joinLines({tr("The learning rate η rises linearly to η_max within w warmup steps, then falls as "
                                 "(1 + cos πs)/2, with s from 0 to 1, to η_min at step T."),
                              tr("η_max = %1, w = %2, η_min = %3, T = %4")
                                  .arg(readableNumber(run.learning_rate), groupedText(run.warmup),
                                       readableNumber(run.final_learning_rate), groupedText(end)),
                              tr("This is the learning rate schedule of nanoGPT.")});
        }
        case Quantity::gradient_norm:
            return joinLines(
                {tr("‖g‖ = √(Σ g²) is the norm of the gradient over all parameters, before clipping."),
                 run.clip > 0 ? tr("If ‖g‖ exceeds c = %1, the optimizer uses g·c/‖g‖.").arg(readableNumber(run.clip))
                              : tr("The gradient is not clipped (clip = 0)."),
                 tr("Pascanu et al. 2013")});
        case Quantity::tokens_per_second:
            break;
    }
    return tr("Tokens per second: the tokens of a step, %1, divided by the duration of the step. The runs of a cohort "
              "share the machine, so the plot shows an equal part of the cohort's speed for each run.")
        .arg(batchText(run));
}

QString rooflineExplanation(double multiply, double copy) {
    constexpr double giga = 1e9;
    return joinLines(
        {tr("operations per second ≤ min(P, B·I)"),
         tr("I is the arithmetic intensity, the operations of a step per byte that it moves. Left of the ridge point "
            "memory "
            "bandwidth limits the speed, right of it arithmetic does."),
         multiply > 0 && copy > 0
             ? tr("P = %1 GFLOP/s (float32 matrix products) and B = %2 GB/s (memory copies), both measured on this "
                  "machine")
                   .arg(readableNumber(multiply / giga), readableNumber(copy / giga))
             : QString(),
         tr("Williams, Waterman, Patterson 2009")});
}

}  // namespace ropelab::ui
