#pragma once

#include <QString>

namespace ropelab::ui {

/// What is measured of a run while it trains.
enum class Quantity { validation_loss, training_loss, learning_rate, gradient_norm, tokens_per_second };

/// "validation loss".
QString nameOf(Quantity quantity);
/// "nats" for the losses; "" for the others, which have none or say it in their name.
QString unitOf(Quantity quantity);
/// Losses follow the plot's loss unit and show the floor.
bool isLoss(Quantity quantity);

}  // namespace ropelab::ui
