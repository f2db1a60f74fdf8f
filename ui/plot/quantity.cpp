#include "ui/plot/quantity.h"

#include <QCoreApplication>

namespace ropelab::ui {

QString nameOf(Quantity quantity) {
    const auto text = [](const char* name) { return QCoreApplication::translate("Quantity", name); };
    switch (quantity) {
        case Quantity::validation_loss:
            return text("validation loss");
        case Quantity::training_loss:
            return text("training loss");
        case Quantity::learning_rate:
            return text("learning rate");
        case Quantity::gradient_norm:
            return text("gradient norm");
        case Quantity::tokens_per_second:
            break;
    }
    return text("tokens per second");
}

QString unitOf(Quantity quantity) {
    if (isLoss(quantity)) {
        return QStringLiteral("nats");
    }
    return QString();
}

bool isLoss(Quantity quantity) {
    return quantity == Quantity::validation_loss || quantity == Quantity::training_loss;
}

}  // namespace ropelab::ui
