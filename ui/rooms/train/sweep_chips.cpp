#include "ui/rooms/train/sweep_chips.h"

#include <QObject>
#include <algorithm>

#include "core/rope/frequencies.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "ui/common/choice_words.h"
#include "ui/common/setting_words.h"

namespace ropelab::ui {

namespace {

// Checks the range, but not whether the value fits the other settings.
Value checked(const char* name, const QString& typed) {
    const Key& entry = key(name);
    RunSpec scratch;
    Value value = parse_value(entry, typed.toStdString(), scratch);
    entry.set(scratch, value);
    return value;
}

QString text(const Value& value) {
    return QString::fromStdString(to_text(value));
}

}  // namespace

QString parseTheta(const QString& typed) {
    return text(checked("theta", typed));
}

QString showTheta(const QString& value) {
    return QString::fromStdString(short_number(parse_number(value.toStdString())));
}

QString parseFraction(const QString& typed) {
    if (typed.endsWith(QStringLiteral("ch"))) {
        // The number of channels of a head depends on the model, so the upper limit is checked with the experiment.
        double channels = 0;
        try {
            channels = parse_number(typed.chopped(2).trimmed().toStdString());
        } catch (const BadInput&) {
            checked("fraction", typed);  // throws the sentence that says how to write a fraction
        }
        if (channels < 0 || channels != static_cast<int>(channels) || static_cast<int>(channels) % 2 != 0) {
            throw BadInput("RoPE rotates channels in pairs, so the number of channels must be even, like 6 ch; got \"" +
                           typed.toStdString() + "\".");
        }
        return QStringLiteral("%1 ch").arg(static_cast<int>(channels));
    }
    return text(checked("fraction", typed));
}

QString showFraction(const QString& value) {
    if (value.endsWith(QStringLiteral("ch"))) return value;
    const double fraction =
        parse_number(value.endsWith(QLatin1Char('%')) ? parseFraction(value).toStdString() : value.toStdString());
    return QString::fromStdString(percent_text(fraction)) + QStringLiteral(" %");
}

QString parseSeed(const QString& typed) {
    return text(checked("seed", typed));
}

QStringList explicitRunLabels(const Experiment& experiment) {
    QStringList labels;
    for (const auto& run : experiment.explicit_runs()) {
        QStringList parts;
        for (const Key& each : keys()) {
            const auto found = run.find(std::string(each.name));
            if (found == run.end()) continue;
            const auto& [name, value] = *found;
            const QString shown = QString::fromStdString(value);
            if (name == "theta") {
                parts << QStringLiteral("θ ") + showTheta(shown);
            } else if (name == "fraction") {
                parts << (parse_value(key("fraction"), value, RunSpec{}) == Value(0.0) ? QObject::tr("RoPE 0 %")
                                                                                       : showFraction(shown));
            } else if (name == "position") {
                parts << choiceTitle(name, value);
            } else {
                parts << QString::fromStdString(name).replace(QLatin1Char('_'), QLatin1Char(' ')) + QLatin1Char(' ') +
                             fieldText(name, shown);
            }
        }
        labels << (parts.isEmpty() ? QObject::tr("settings below") : parts.join(QStringLiteral(", ")));
    }
    return labels;
}

void removeExplicitRun(Experiment& experiment, std::size_t index) {
    auto runs = experiment.explicit_runs();
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(index));
    experiment.set_explicit_runs(std::move(runs));
}

QString zipText(const std::vector<std::string>& zip) {
    QStringList names;
    for (const std::string& name : zip) names << QString::fromStdString(name);
    return names.join(QStringLiteral(", "));
}

bool isSetByRuns(const Experiment& experiment, const char* key) {
    const auto& runs = experiment.explicit_runs();
    return std::any_of(runs.begin(), runs.end(), [key](const auto& run) { return run.contains(key); });
}

void setSwept(Experiment& experiment, const char* key, const QStringList& values) {
    if (!isSetByRuns(experiment, key)) {
        std::vector<std::string> texts;
        for (const QString& value : values) texts.push_back(value.toStdString());
        return experiment.set(key, std::move(texts));
    }
    auto runs = experiment.explicit_runs();
    for (const QString& value : values) {
        auto added = *std::find_if(runs.rbegin(), runs.rend(), [key](const auto& run) { return run.contains(key); });
        added[key] = value.toStdString();
        if (std::find(runs.begin(), runs.end(), added) != runs.end()) {
            throw BadInput("The run with " + assignments_text(added) + " is already in the list.");
        }
        runs.push_back(std::move(added));
    }
    experiment.set_explicit_runs(std::move(runs));
}

}  // namespace ropelab::ui
