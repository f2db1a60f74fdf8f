#include "ui/session/rotary_model.h"

#include <QCoreApplication>
#include <QUndoStack>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/numbers.h"
#include "ui/common/format.h"
#include "ui/common/text.h"
#include "ui/session/undo_step.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

/// The consecutive steps of a drag have the same name and are merged into one.
class RotaryStep : public UndoStep {
 public:
    RotaryStep(RotaryModel& model, const QString& what, RotaryModel::State to, bool mayMerge)
        : UndoStep(what),
          m_model(model),
          m_from(model.state()),
          m_to(std::move(to)),
          m_mayMerge(mayMerge),
          m_roomsBefore(model.captureRooms()) {}

    void undo() override {
        m_model.m_mayMerge = false;
        m_model.m_stepsPairs = false;
        m_roomsAfter = m_model.captureRooms();
        m_model.setState(m_from);
        m_roomsBefore();
    }
    void redo() override {
        m_model.setState(m_to);
        if (m_roomsAfter) m_roomsAfter();
    }
    const RotaryModel::State& from() const { return m_from; }
    QString values(bool undone) const override {
        return undone ? rotaryChanges(m_to, m_from) : rotaryChanges(m_from, m_to);
    }
    int id() const override { return 0x526F; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* later = static_cast<const RotaryStep*>(other);
        if (!later->m_mayMerge || later->text() != text()) {
            return false;
        }
        m_to = later->m_to;
        return true;
    }

 private:
    RotaryModel& m_model;
    RotaryModel::State m_from;
    RotaryModel::State m_to;
    bool m_mayMerge;
    RotaryModel::Restore m_roomsBefore;
    RotaryModel::Restore m_roomsAfter;  // empty until the step is undone
};

RotaryModel::RotaryModel(QUndoStack& undo, QObject* parent) : QObject(parent), m_undo(&undo) {
    computeFrequencies();
}

RotaryModel::Restore RotaryModel::captureRooms() const {
    std::vector<Restore> rooms;
    for (const Keeper& keeper : m_keepers) {
        if (keeper.room) rooms.push_back(keeper.capture());
    }
    return [rooms = std::move(rooms)] {
        for (const Restore& restore : rooms) restore();
    };
}

void RotaryModel::setUndoStack(QUndoStack& undo) {
    m_undo = &undo;
    m_mayMerge = false;
    m_stepsPairs = false;
}

void RotaryModel::show(const State& state) {
    check(state.setup);
    if (state.other) check(state.other->setup);
    m_mayMerge = false;
    setState(state);
}

void RotaryModel::change(const QString& what, const RotarySetup& setup) {
    change(what, setup, m_shape);
}

void RotaryModel::changeCustom(const QString& what, const RotarySetup& setup) {
    ModelShape shape = m_shape;
    shape.name.clear();
    change(what, setup, shape);
}

void RotaryModel::change(const QString& what, const RotarySetup& setup, const ModelShape& shape) {
    if (setup == m_setup && shape == m_shape) {
        return;
    }
    check(setup);
    State next = state();
    next.setup = setup;
    next.shape = shape;
    push(what, next, std::exchange(m_mayMerge, true));
}

void RotaryModel::endDrag() {
    if (std::exchange(m_mayMerge, false)) emit dragEnded();
}

void RotaryModel::changeBoth(const QString& what, const ComparedSetups& setups) {
    if (!setups.b) return changeCustom(what, setups.a);
    ModelShape shape = m_shape;
    shape.name.clear();
    check(setups.a);
    check(*setups.b);
    pushAlone(what, {setups.a, shape, m_picked, ShapedSetup{*setups.b, shape}, false});
}

ComparedSetups RotaryModel::setups() const {
    const auto b = setupB();
    return {setupA().setup, b ? std::optional(b->setup) : std::nullopt};
}

void RotaryModel::compareWith(const QString& what, const ShapedSetup& other) {
    check(other.setup);
    State next = state();
    next.other = other;
    pushAlone(what, next);
}

void RotaryModel::endComparison() {
    if (m_other) pushAlone(u"end the comparison"_s, {m_setup, m_shape, m_picked, std::nullopt, false});
}

void RotaryModel::swapSetups() {
    if (m_other) pushAlone(u"swap setups A and B"_s, exchanged(m_editsB));
}

void RotaryModel::edit(bool b) {
    if (m_other && b != m_editsB) pushAlone(b ? u"edit setup B"_s : u"edit setup A"_s, exchanged(b));
}

RotaryModel::State RotaryModel::exchanged(bool editsB) const {
    return {m_other->setup, m_other->shape, m_picked, ShapedSetup{m_setup, m_shape}, editsB};
}

std::vector<RotaryModel::Earlier> RotaryModel::earlierSetups(std::size_t most) const {
    std::vector<Earlier> found;
    const auto isKnown = [&](const ShapedSetup& setup) {
        return setup == ShapedSetup{m_setup, m_shape} || m_other == setup ||
               std::any_of(found.begin(), found.end(), [&](const Earlier& each) { return each.setup == setup; });
    };
    const auto add = [&](const QUndoCommand& command) {
        const auto* step = dynamic_cast<const RotaryStep*>(&command);
        if (!step || found.size() >= most) return;
        const ShapedSetup setup{step->from().setup, step->from().shape};
        if (!isKnown(setup)) found.push_back({step->text(), setup});
    };
    for (int i = m_undo->index() - 1; i >= 0; --i) {
        const QUndoCommand* command = m_undo->command(i);
        for (int child = command->childCount() - 1; child >= 0; --child) add(*command->child(child));
        add(*command);
    }
    return found;
}

void RotaryModel::pushAlone(const QString& what, const State& to) {
    endDrag();
    push(what, to, false);
}

void RotaryModel::push(const QString& what, const State& to, bool mayMerge) {
    m_isPushing = true;
    m_undo->push(new RotaryStep(*this, what, to, mayMerge));
    m_isPushing = false;
}

void RotaryModel::computeFrequencies() {
    m_frequencies = ropelab::frequencies(frequency_settings(m_setup));
    m_plain = ropelab::frequencies(plain_settings(m_setup));
    m_otherFrequencies = m_other ? ropelab::frequencies(frequency_settings(m_other->setup)) : Frequencies{};
}

void RotaryModel::setState(const State& state) {
    const bool isPickOnly =
        state.setup == m_setup && state.shape == m_shape && state.other == m_other && state.editsB == m_editsB;
    const std::optional<int> before = m_picked;
    m_setup = state.setup;
    m_shape = state.shape;
    m_other = state.other;
    m_editsB = state.editsB;
    m_picked = state.picked;
    if (!isPickOnly) {
        computeFrequencies();
        if (m_picked && *m_picked >= pairs()) {
            m_picked.reset();
        }
        m_hovered.reset();
        emit changed();
    }
    if (m_picked == before) {
        return;
    }
    if (!m_isPushing) {
        emit pickRestored();
    }
    emit pairHighlighted();
}

void RotaryModel::pickPair(std::optional<int> pair, bool steps) {
    if (pair && (*pair < 0 || *pair >= pairs())) {
        pair.reset();
    }
    if (pair != m_picked) {
        State next = state();
        next.picked = pair;
        push(u"highlight pair"_s, next, steps && m_stepsPairs);
        m_stepsPairs = steps;
        m_mayMerge = false;
    }
}

void RotaryModel::hoverPair(std::optional<int> pair) {
    if (pair && (*pair < 0 || *pair >= pairs())) {
        pair.reset();
    }
    if (pair != m_hovered) {
        m_hovered = pair;
        emit pairHighlighted();
    }
}

namespace {

QString shortNumber(double value) {
    return QString::fromStdString(short_number(value));
}

QString fractionPercent(double fraction) {
    return QString::fromStdString(number_text(std::round(fraction * 1e4) / 100)) + u" %"_s;
}

QString pairName(const std::optional<int>& pair) {
    return pair ? QString::number(*pair) : u"none"_s;
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
        std::int64_t AttentionSizes::*member;
    };
    constexpr std::array<Field, 8> fields = {{{"layers", &AttentionSizes::layers},
                                              {"heads of the KV cache", &AttentionSizes::heads},
                                              {"KV heads", &AttentionSizes::kv_heads},
                                              {"head dimension of the KV cache", &AttentionSizes::head_dim},
                                              {"MLA latent channels", &AttentionSizes::latent_dim},
                                              {"MLA rotary channels", &AttentionSizes::latent_rope_dim},
                                              {"sliding window", &AttentionSizes::window},
                                              {"global layers", &AttentionSizes::global_layers}}};
    for (const Field& field : fields) {
        if (from.sizes.*field.member == to.sizes.*field.member) continue;
        differences.append({QString::fromUtf8(field.name), groupedText(from.sizes.*field.member),
                            groupedText(to.sizes.*field.member), false});
    }
}

Differences differencesOf(const ShapedSetup& from, const ShapedSetup& to) {
    const RotarySetup& a = from.setup;
    const RotarySetup& b = to.setup;
    Differences differences;
    const auto add = [&](const char* name, const auto& before, const auto& after, const auto& show,
                         bool isWord = false) {
        if (before != after) differences.append({QString::fromUtf8(name), show(before), show(after), isWord});
    };
    const auto whole = [](auto value) { return groupedText(static_cast<std::int64_t>(value)); };
    add("θ", a.theta, b.theta, shortNumber);
    add("fraction", a.fraction, b.fraction, fractionPercent);
    add("head dimension", a.head_dim, b.head_dim, whole);
    add("context", a.context, b.context, whole);
    add(
        "partial rotation", a.partial, b.partial,
        [](Partial value) { return value == Partial::slice ? u"slice"_s : u"truncate"_s; }, true);
    add(
        "pairing", a.pairing, b.pairing,
        [](Pairing value) { return value == Pairing::half ? u"half"_s : u"interleaved"_s; }, true);
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

QString scalingTitle(ScalingMethod method) {
    return text(scaling_names().at(static_cast<std::size_t>(method)).title);
}

QString rotaryChanges(const RotaryModel::State& from, const RotaryModel::State& to) {
    if (from.other != to.other || from.editsB != to.editsB) return {};
    QStringList changes;
    for (const Difference& each : differencesOf({from.setup, from.shape}, {to.setup, to.shape})) {
        changes << changedValue(each.name, each.from, each.to);
    }
    if (from.picked != to.picked) {
        changes << changedValue(u"highlighted pair"_s, pairName(from.picked), pairName(to.picked));
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
        const QString name = each.isWord ? u"%1"_s : each.name + u" = %1"_s;
        namesA << name.arg(each.from);
        namesB << name.arg(each.to);
    }
    return {namesA.join(u", "_s), namesB.join(u", "_s)};
}

}  // namespace ropelab::ui

#include "moc_rotary_model.cpp"
