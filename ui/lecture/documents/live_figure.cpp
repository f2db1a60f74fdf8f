#include "ui/lecture/documents/live_figure.h"

#include <QJsonArray>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/rope/logit.h"
#include "ui/common/text.h"
#include "ui/shell/room.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

struct LiveForm {
    QString figure;
    bool hasVectors;
    QStringList controls;
};

const std::vector<LiveForm>& liveForms() {
    static const std::vector<LiveForm> forms = {
        {u"spectrum"_s, false, {u"theta"_s, u"fraction"_s, u"context"_s, u"pair"_s}},
        {u"context-bound"_s, false, {u"theta"_s, u"fraction"_s, u"context"_s}},
        {u"decay-bound"_s, false, {u"theta"_s, u"fraction"_s}},
        {u"aim"_s, true, {u"theta"_s, u"fraction"_s, u"distance"_s}},
        {u"dials"_s, true, {u"theta"_s, u"fraction"_s, u"m"_s, u"n"_s, u"play"_s}},
        {u"logit-split"_s, true, {u"theta"_s, u"fraction"_s, u"m"_s, u"n"_s, u"pair"_s, u"play"_s}}};
    return forms;
}

QJsonArray numbersOf(const std::vector<double>& numbers) {
    QJsonArray result;
    for (const double number : numbers) result.append(number);
    return result;
}

QJsonObject axisOf(const Axis& axis, const Range& range) {
    return {{u"label"_s, axis.title()},
            {u"min"_s, range.minimum},
            {u"max"_s, range.maximum},
            {u"log"_s, axis.logarithmic},
            {u"fixed"_s, std::isfinite(axis.minimum) && std::isfinite(axis.maximum)}};
}

/// q and k in the canonical layout, as the room samples them; returns false for those of a run, of a built head or of
/// a hand.
bool addVectors(QJsonObject& live, const RotarySetup& setup, Room& room) {
    if (room.control(u"norm"_s).toString() != "none"_L1) return false;
    const QString kind = room.control(u"vectors"_s).toString();
    const qint64 seed = room.control(u"seed"_s).toLongLong();
    live.insert(u"query"_s, numbersOf(random_query(seed, setup.head_dim)));
    if (kind == "random"_L1) live.insert(u"key"_s, numbersOf(random_key(seed, setup.head_dim)));
    live.insert(u"aimed"_s, kind == "aimed"_L1);
    return kind == "random"_L1 || kind == "equal"_L1 || kind == "aimed"_L1;
}

}  // namespace

QStringList liveFigureNames() {
    QStringList names;
    for (const LiveForm& form : liveForms()) names << form.figure;
    return names;
}

QJsonObject liveFigure(const Figure& figure, const ComparedSetups& setups, Room& room,
                       const std::vector<std::string>& names) {
    const RotarySetup& setup = setups.a;
    const auto& forms = liveForms();
    const auto form =
        std::find_if(forms.begin(), forms.end(), [&](const LiveForm& each) { return each.figure == figure.name; });
    if (form == forms.end() || setups.b || setup.scaling.method != ScalingMethod::none) return {};
    QJsonArray sliders;
    for (const std::string& name : names) {
        if (form->controls.contains(text(name))) sliders.append(text(name));
    }
    if (sliders.isEmpty()) return {};
    QJsonObject live{
        {u"figure"_s, figure.name},
        {u"sliders"_s, sliders},
        {u"setup"_s, QJsonObject{{u"theta"_s, setup.theta},
                                 {u"headDim"_s, setup.head_dim},
                                 {u"fraction"_s, setup.fraction},
                                 {u"partial"_s, setup.partial == Partial::slice ? u"slice"_s : u"truncate"_s},
                                 {u"context"_s, static_cast<qint64>(setup.context)}}},
        {u"x"_s, axisOf(figure.x, xRange(figure))},
        {u"y"_s, axisOf(figure.y, yRange(figure))}};
    for (const QString& name : {u"m"_s, u"n"_s, u"pair"_s, u"distance"_s}) {
        live.insert(name, room.control(name).toDouble());
    }
    if (form->hasVectors && !addVectors(live, setup, room)) return {};
    if (figure.name == "aim"_L1 && !live[u"aimed"_s].toBool()) return {};
    return live;
}

}  // namespace ropelab::ui
