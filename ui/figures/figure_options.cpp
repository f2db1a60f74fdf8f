#include "ui/figures/figure_options.h"

#include <QJsonArray>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/rope/rotary_setup.h"
#include "ui/plot/quantity.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

double numberOf(const QString& flag, const QString& typed, double least, double most) {
    const std::string name = "--" + flag.toStdString();
    const std::string range = number_text(least) + " to " + number_text(most);
    double value = 0;
    try {
        value = parse_number(typed.toStdString());
    } catch (const BadInput&) {
        throw BadInput(name + " requires a number from " + range + "; got \"" + typed.toStdString() + "\".");
    }
    if (!(value >= least && value <= most)) {
        throw BadInput(name + " is " + typed.toStdString() + ", but it must be from " + range + ".");
    }
    return value;
}

std::int64_t wholeOf(const QString& flag, const QString& typed, double least, double most) {
    const double value = numberOf(flag, typed, least, most);
    if (value == std::floor(value)) return static_cast<std::int64_t>(value);
    throw BadInput("--" + flag.toStdString() + " is " + number_text(value) + ", but it must be a whole number.");
}

QStringList wordsOf(const FigureOption& option) {
    return QString::fromLatin1(option.words).split(QLatin1Char('|'));
}

void checkValue(const FigureOption& option, const QJsonValue& value) {
    using Kind = FigureOption::Kind;
    const QString name = QLatin1String(option.name);
    const auto refuse = [&](const char* right) {
        throw BadInput("--" + std::string(option.name) + " requires " + right + ".");
    };
    if (option.kind == Kind::flag) {
        if (value != QJsonValue(true)) refuse("no value");
    } else if (option.kind == Kind::list) {
        const QJsonArray values = value.isString() ? QJsonArray{value} : value.toArray();
        if (values.isEmpty()) refuse("a value");
        for (const auto& each : values) {
            if (!each.isString()) refuse("texts");
            if (option.check) option.check(each.toString());
        }
    } else if (!value.isString()) {
        refuse("one value");
    } else if (option.kind == Kind::number) {
        numberOf(name, value.toString(), option.least, option.most);
    } else if (option.kind == Kind::whole) {
        wholeOf(name, value.toString(), option.least, option.most);
    } else if (option.kind == Kind::choice) {
        const QStringList words = wordsOf(option);
        if (words.contains(value.toString())) return;
        throw BadInput("--" + std::string(option.name) + " is \"" + value.toString().toStdString() +
                       "\", but it must be " + words.join(u" or "_s).toStdString() + ".");
    } else if (option.check) {
        option.check(value.toString());
    }
}

namespace option {

void checkSetup(const QString& typed) {
    parse_setups(typed.toStdString());
}

void checkLossUnit(const QString& typed) {
    if (lossUnitWords().contains(typed)) return;
    throw BadInput("--unit is \"" + typed.toStdString() + "\", but it must be nats, bits or bits-per-byte.");
}

}  // namespace option
}  // namespace ropelab::ui
