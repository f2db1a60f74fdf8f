#include "ui/session/rotary_changes.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/spec/numbers.h"
#include "ui/common/format.h"
#include "ui/common/text.h"
#include "ui/session/undo_step.h"

namespace ropelab::ui {

namespace {

QString rotaryTr(const char* text) {
    return QCoreApplication::translate("RotaryChanges", text);
}

QString shortNumber(double value) {
    return QString::fromStdString(short_number(value));
}

QString fractionPercent(double fraction) {
    return QString::fromStdString(number_text(std::round(fraction * 1e4) / 100)) + QStringLiteral(" %");
}

QString pairName(const std::optional<int>& pair) {
    return pair ? QString::number(*pair) : rotaryTr("none");
}

QString scalingTitle(ScalingMethod method) {
    const auto& names = scaling_names();
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.method == method; });
    return found == names.end() ? QString() : text(found->title);
}

struct Difference {
    QString name;
    QString from;
    QString to;
    bool isWord = false;  // the values name themselves, such as "slice"
};
using Differences = QList<Difference>;

void addShapeChanges(Differences& differences, const ModelShape& from, const ModelShape& to) {
    struct Field {
        const char* name;
        std::int64_t CacheShape::*member;
    };
    constexpr std::array<Field, 8> fields = {{{"layers", &CacheShape::layers},
                                              {"heads of the KV cache", &CacheShape::heads},
                                              {"KV heads", &CacheShape::kv_heads},
                                              {"head dimension of the KV cache", &CacheShape::head_dim},
                                              {"MLA latent channels", &CacheShape::latent_dim},
                                              {"MLA rotary channels", &CacheShape::latent_rope_dim},
                                              {"sliding window", &CacheShape::window},
                                              {"global layers", &CacheShape::global_layers}}};
    for (const Field& field : fields) {
        if (from.cache.*field.member == to.cache.*field.member) continue;
        differences.append(
            {rotaryTr(field.name), groupedText(from.cache.*field.member), groupedText(to.cache.*field.member), false});
    }
}

Differences differencesOf(const ShapedSetup& from, const ShapedSetup& to) {
    const RotarySetup& a = from.setup;
    const RotarySetup& b = to.setup;
    Differences differences;
    const auto add = [&](const char* name, const auto& before, const auto& after, const auto& show,
                         bool isWord = false) {
        if (before != after) differences.append({rotaryTr(name), show(before), show(after), isWord});
    };
    const auto whole = [](auto value) { return groupedText(static_cast<std::int64_t>(value)); };
    add("θ", a.theta, b.theta, shortNumber);
    add("fraction", a.fraction, b.fraction, fractionPercent);
    add("head dimension", a.head_dim, b.head_dim, whole);
    add("context", a.context, b.context, whole);
    add(
        "partial rotation", a.partial, b.partial,
        [](Partial value) { return value == Partial::slice ? rotaryTr("slice") : rotaryTr("truncate"); }, true);
    add(
        "pairing", a.pairing, b.pairing,
        [](Pairing value) { return value == Pairing::half ? rotaryTr("half") : rotaryTr("interleaved"); }, true);
    add(
        "precision", a.precision, b.precision, [](NumberFormat value) { return text(word_of(value)); }, true);
    add("heads", a.heads, b.heads, whole);
    add("attention window", a.attention_window, b.attention_window, whole);
    add("scaling", a.scaling.method, b.scaling.method, scalingTitle);
    add("factor", a.scaling.factor, b.scaling.factor, shortNumber);
    add("training context", a.scaling.original_context, b.scaling.original_context, whole);
    add("β fast", a.scaling.beta_fast, b.scaling.beta_fast, shortNumber);
    add("β slow", a.scaling.beta_slow, b.scaling.beta_slow, shortNumber);
    add("low frequency factor", a.scaling.low_freq_factor, b.scaling.low_freq_factor, shortNumber);
    add("high frequency factor", a.scaling.high_freq_factor, b.scaling.high_freq_factor, shortNumber);
    addShapeChanges(differences, from.shape, to.shape);
    return differences;
}

}  // namespace

QString rotaryChanges(const RotaryModel::State& from, const RotaryModel::State& to) {
    if (from.other != to.other || from.editsB != to.editsB) return {};
    QStringList changes;
    for (const Difference& each : differencesOf({from.setup, from.shape}, {to.setup, to.shape})) {
        changes << changedValue(each.name, each.from, each.to);
    }
    if (from.picked != to.picked) {
        changes << changedValue(rotaryTr("picked pair"), pairName(from.picked), pairName(to.picked));
    }
    return changedValues(changes);
}

SetupNames setupNames(const ShapedSetup& a, const ShapedSetup& b) {
    constexpr qsizetype most = 2;
    const Differences differences = differencesOf(a, b);
    const QString& modelA = a.shape.name;
    const QString& modelB = b.shape.name;
    const bool haveModels = !modelA.isEmpty() && !modelB.isEmpty() && modelA != modelB;
    if (haveModels && (differences.isEmpty() || differences.size() > most)) return {modelA, modelB};
    QStringList namesA;
    QStringList namesB;
    for (const Difference& each : differences.first(std::min(most, differences.size()))) {
        const QString name = each.isWord ? QStringLiteral("%1") : each.name + QStringLiteral(" = %1");
        namesA << name.arg(each.from);
        namesB << name.arg(each.to);
    }
    return {namesA.join(QStringLiteral(", ")), namesB.join(QStringLiteral(", "))};
}

}  // namespace ropelab::ui
