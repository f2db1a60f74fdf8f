#include "ui/lecture/lecture_words.h"

#include <QCoreApplication>
#include <QStringList>
#include <cmath>

#include "core/lecture/quantity.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"
#include "ui/lecture/stage.h"

namespace ropelab::ui {

namespace {

QString wordsTr(const char* text) {
    return QCoreApplication::translate("LectureWords", text);
}

}  // namespace

QString quantityValueText(const nlohmann::json& value) {
    if (value.is_number()) return readableCount(value.get<double>());
    if (value.is_string()) return text(value.get<std::string>());
    if (value.is_boolean()) return value.get<bool>() ? wordsTr("yes") : wordsTr("no");
    if (!value.is_array() || value.empty()) return wordsTr("none");
    QStringList parts;
    for (const nlohmann::json& each : value) {
        const bool isInterval = each.is_array() && each.size() == 2 && each[0].is_number() && each[1].is_number();
        parts << (isInterval ? wordsTr("%1 to %2").arg(quantityValueText(each[0]), quantityValueText(each[1]))
                             : quantityValueText(each));
    }
    return parts.join(QStringLiteral(", "));
}

QString filledText(const std::string& words, LectureStage& stage) {
    if (words.find("{{") == std::string::npos) return text(words);
    return text(with_quantities(words, {stage.setups(), stage.lab()}));
}

QString stepWords(const LectureStep& step) {
    if (step.ask) return wordsTr("Question: %1").arg(text(step.ask->text));
    if (!step.say.empty()) return text(step.say);
    QStringList changes;
    for (const LectureChange& change : step.set)
        changes << text(change.key) + QStringLiteral(" = ") + text(change.value);
    if (!changes.isEmpty()) return changes.join(QStringLiteral(", "));
    return step.point.empty() ? wordsTr("The next step changes nothing that is seen.")
                              : wordsTr("Points at %1.").arg(text(step.point));
}

QString clockText(double seconds) {
    const long long whole = std::llround(std::abs(seconds));
    return QStringLiteral("%1%2:%3")
        .arg(seconds <= -0.5 ? QString(QChar(0x2212)) : QString())
        .arg(whole / 60)
        .arg(whole % 60, 2, 10, QLatin1Char('0'));
}

}  // namespace ropelab::ui
