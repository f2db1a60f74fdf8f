#include "ui/plot/quantity.h"

#include <numbers>

namespace ropelab::ui {

using namespace Qt::StringLiterals;

QStringList lossUnitWords() {
    return {u"nats"_s, u"bits"_s, u"bits-per-byte"_s};
}

LossUnit lossUnit(const QString& word) {
    if (word == "bits"_L1) {
        return {u"bits per token"_s, 1 / std::numbers::ln2};
    }
    if (word == "bits-per-byte"_L1) {
        return {u"bits per byte"_s, 1 / std::numbers::ln2, true};
    }
    return {unitOf(Quantity::validation_loss)};
}

QString nameOf(Quantity quantity) {
    switch (quantity) {
        case Quantity::validation_loss:
            return u"validation loss"_s;
        case Quantity::training_loss:
            return u"training loss"_s;
        case Quantity::learning_rate:
            return u"learning rate"_s;
        case Quantity::gradient_norm:
            return u"gradient norm"_s;
        case Quantity::tokens_per_second:
            break;
    }
    return u"tokens per second"_s;
}

QString unitOf(Quantity quantity) {
    if (isLoss(quantity)) {
        return u"nats"_s;
    }
    return QString();
}

bool isLoss(Quantity quantity) {
    return quantity == Quantity::validation_loss || quantity == Quantity::training_loss;
}

}  // namespace ropelab::ui
