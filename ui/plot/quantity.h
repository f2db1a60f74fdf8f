#pragma once

#include <QString>

namespace ropelab::ui {

/// A quantity that is measured while a run trains.
enum class Quantity { validation_loss, training_loss, learning_rate, gradient_norm, tokens_per_second };

/// Returns the name of a quantity, for example "validation loss".
QString nameOf(Quantity quantity);
/// Returns "nats" for losses. Returns an empty text for quantities without a unit and for those whose name contains it.
QString unitOf(Quantity quantity);
/// Returns whether a quantity is a loss. Losses use the loss unit of the plot and can have an entropy floor.
bool isLoss(Quantity quantity);

}  // namespace ropelab::ui
