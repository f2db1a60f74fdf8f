#pragma once

#include <QString>
#include <QStringList>

namespace ropelab::ui {

/// A quantity that is measured while a run trains.
enum class Quantity { validation_loss, training_loss, learning_rate, gradient_norm, tokens_per_second };

/// Unit of losses in plots and tables.
struct LossUnit {
    QString name;            // as the axis shows it, for example "bits per byte"
    double perNat = 1;       // units in one nat
    bool isPerByte = false;  // losses are divided by the mean number of bytes per token (formula 35)

    /// Returns the factor that converts nats per token of a run to this unit; NaN if the unit is per byte and the bytes
    /// per token are unknown.
    double factor(double bytesPerToken) const { return isPerByte ? perNat / bytesPerToken : perNat; }
};
/// Returns the words that name units of losses in settings and on the command line: "nats" and "bits" (per token), and
/// "bits-per-byte".
QStringList lossUnitWords();
/// Returns the unit that one of these words names; nats for any other word.
LossUnit lossUnit(const QString& word);

/// Returns the name of a quantity, for example "validation loss".
QString nameOf(Quantity quantity);
/// Returns "nats" for losses. Returns an empty text for quantities without a unit and for those whose name contains it.
QString unitOf(Quantity quantity);
/// Returns whether a quantity is a loss. Losses use the loss unit of the plot and can have an entropy floor.
bool isLoss(Quantity quantity);

}  // namespace ropelab::ui
