#include "ui/lecture/lecture_words.h"

#include <QCoreApplication>
#include <QStringList>
#include <cmath>

#include "core/base/numbers.h"
#include "core/lecture/quantities/quantity.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"
#include "ui/lecture/stage.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

QString quantityValueText(const nlohmann::json& value) {
    if (value.is_number()) return readableCount(value.get<double>());
    if (value.is_string()) return text(value.get<std::string>());
    if (value.is_boolean()) return value.get<bool>() ? u"yes"_s : u"no"_s;
    if (!value.is_array() || value.empty()) return u"none"_s;
    QStringList parts;
    for (const nlohmann::json& each : value) {
        const bool isInterval = each.is_array() && each.size() == 2 && each[0].is_number() && each[1].is_number();
        parts << (isInterval ? u"%1 to %2"_s.arg(quantityValueText(each[0]), quantityValueText(each[1]))
                             : quantityValueText(each));
    }
    return parts.join(u", "_s);
}

QString filledText(const std::string& words, LectureStage& stage) {
    if (words.find("{{") == std::string::npos) return text(words);
    return text(with_quantities(words, {stage.setups(), stage.lab()}));
}

QString unitOf(const std::string& expression) {
    std::string name = expression.substr(0, expression.find('('));
    if (name.starts_with("B.")) name.erase(0, 2);
    for (const QuantityDescription& known : quantities()) {
        if (known.name == trimmed(name)) return text(known.unit);
    }
    return {};
}

QString stepWords(const LectureStep& step) {
    if (step.ask) return u"Question: %1"_s.arg(text(step.ask->text));
    if (!step.say.empty()) return text(step.say);
    QStringList changes;
    for (const LectureChange& change : step.set) changes << text(change.key) + u" = "_s + text(change.value);
    if (!changes.isEmpty()) return changes.join(u", "_s);
    return step.point.empty() ? u"The next step changes nothing on the screen."_s
                              : u"Points at %1."_s.arg(text(step.point));
}

QString clockText(double seconds) {
    const long long whole = std::llround(std::abs(seconds));
    return u"%1%2:%3"_s.arg(seconds <= -0.5 ? QString(QChar(0x2212)) : QString())
        .arg(whole / 60)
        .arg(whole % 60, 2, 10, QLatin1Char('0'));
}

}  // namespace ropelab::ui
