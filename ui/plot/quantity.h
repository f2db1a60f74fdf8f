#pragma once

#include <QString>
#include <span>

namespace ropelab::ui {

/// What is measured of a run while it trains.
enum class Quantity { validation_loss, training_loss, learning_rate, gradient_norm, tokens_per_second };

/// All of them, in the order in which people meet them.
std::span<const Quantity> quantities();
/// "validation loss".
QString nameOf(Quantity quantity);
/// "nats" for the losses; "" for the others, which have none or say it in their name.
QString unitOf(Quantity quantity);
/// Losses follow the plot's loss unit and show the floor.
bool isLoss(Quantity quantity);

}  // namespace ropelab::ui
