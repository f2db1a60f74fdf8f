#pragma once

#include <QString>
#include <QStringList>

namespace ropelab::ui {

enum class Quantity { validation_loss, training_loss, learning_rate, gradient_norm, tokens_per_second };

struct LossUnit {
    QString name;            // as the axis shows it, for example "bits per byte"
    double perNat = 1;       // units in one nat
    bool isPerByte = false;  // losses are divided by the mean number of bytes per token (formula 35)

    /// Converts nats per token; NaN if the unit is per byte and the bytes per token are unknown.
    double factor(double bytesPerToken) const { return isPerByte ? perNat / bytesPerToken : perNat; }
};
/// In settings and on the command line: "nats" and "bits" (per token), and "bits-per-byte".
QStringList lossUnitWords();
/// Nats for an unknown word.
LossUnit lossUnit(const QString& word);

/// "validation loss".
QString nameOf(Quantity quantity);
/// "nats" for losses; "" for quantities without a unit and for those whose name contains it.
QString unitOf(Quantity quantity);
/// Losses use the loss unit of the plot and can have an entropy floor.
bool isLoss(Quantity quantity);

}  // namespace ropelab::ui
