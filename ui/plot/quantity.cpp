#include "ui/plot/quantity.h"

#include <QCoreApplication>
#include <numbers>

namespace ropelab::ui {

QStringList lossUnitWords() {
    return {QStringLiteral("nats"), QStringLiteral("bits"), QStringLiteral("bits-per-byte")};
}

LossUnit lossUnit(const QString& word) {
    if (word == QLatin1String("bits")) {
        return {QCoreApplication::translate("Quantity", "bits per token"), 1 / std::numbers::ln2};
    }
    if (word == QLatin1String("bits-per-byte")) {
        return {QCoreApplication::translate("Quantity", "bits per byte"), 1 / std::numbers::ln2, true};
    }
    return {unitOf(Quantity::validation_loss)};
}

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
