#include "ui/rooms/rotation/circuit_page.h"

#include <QComboBox>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "core/base/error.h"
#include "core/rope/attention/circuit.h"
#include "core/study/head_vectors.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/controls/flow_layout.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/rotation_pages.h"
#include "ui/rooms/rotation/vectors_panel.h"
#include "ui/session/engine_work.h"
#include "ui/session/lab_document.h"
#include "ui/session/run_store.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

bool haveSameHead(const RotationScene& a, const RotationScene& b) {
    return a.setup == b.setup && a.state.query == b.state.query && a.state.key == b.state.key;
}

bool hasFrequenciesOf(const RotarySetup& setup, const RotarySetup& run) {
    return setup.head_dim == run.head_dim && setup.scaling.method == ScalingMethod::none &&
           frequencies(frequency_settings(setup)).inverse_frequencies ==
               frequencies(frequency_settings(run)).inverse_frequencies;
}

QString rangeText(const Description& rise) {
    if (std::isnan(rise.confidence_low)) return {};
    return u" (95 % interval %1 to %2)"_s.arg(readableNumber(rise.confidence_low),
                                              readableNumber(rise.confidence_high));
}

QString lossSentence(const QString& place, const CircuitLoss& loss) {
    return u"%1: the validation loss changes from %2 to %3 nats per token, by %4%5, measured on %6 of %7."_s.arg(
        place, lossText(loss.before), lossText(loss.after), readableNumber(loss.after - loss.before),
        rangeText(loss.rise), countText(loss.sequences, u"sequence"_s), countText(loss.length, u"token"_s));
}

constexpr double kMostNorm = 20;
constexpr double kHalfTurn = 180;  // degrees

struct HeadButton {
    std::int64_t distance;
    const char* text;
    const char* tip;
};
constexpr HeadButton kHeadButtons[] = {
    {1, "previous token",
     "Builds a previous-token head: the phase of each pair i is φᵢ = −ωᵢ, minus its frequency, so its term of the "
     "logit is largest at distance 1 (formula 17 of the guide)."},
    {0, "same token",
     "Builds a diagonal head: the phases of all pairs are 0, so each token attends most to "
     "itself."},
    {3, "three back",
     "Builds a head that attends to the token three positions before: the phase of each pair i is φᵢ = −3ωᵢ, with its "
     "frequency ωᵢ (formula 17 of the guide)."}};

SliderRow normSlider() {
    return {.maximum = kMostNorm,
            .snap = [](double value) { return std::round(value * 10) / 10; },
            .text = [](double value) { return readableNumber(value); }};
}

QList<FormRow> headRows() {
    return {{"scale",
             u"largest norm"_s,
             {},
             u"Scales q and k so that the norm of their largest pair has the value of this field. The logits grow with "
             "the square of the norm, which makes the attention sharper, as a lower softmax temperature does."_s,
             normSlider()},
            {"fast-pairs",
             u"pairs with a norm"_s,
             {},
             u"Builds the head again with a norm in this many of the fastest pairs only; the norms of the slow pairs "
             "become 0, so that their terms leave the logit."_s,
             WholeRow{0, 0}}};
}

QList<FormRow> pairRows() {
    return {{"norm",
             u"norm ‖qᵢ‖ = ‖kᵢ‖"_s,
             {},
             u"Sets the norms of q and k in the pair i that is shown enlarged, ‖qᵢ‖ = ‖kᵢ‖: the amplitude of the "
             "pair's term of the logit is ‖qᵢ‖ ‖kᵢ‖/√d (formula 7 of the guide)."_s,
             normSlider()},
            {"phase",
             u"phase φᵢ"_s,
             {},
             u"Sets the angle φᵢ from k to q before rotation in the pair i that is shown enlarged: the pair's term of "
             "the logit is largest at distances Δ where φᵢ + Δωᵢ is a multiple of 360° (formula 7 of the guide)."_s,
             SliderRow{.unit = u"°"_s,
                       .minimum = -kHalfTurn,
                       .maximum = kHalfTurn,
                       .snap = [](double value) { return std::round(value); },
                       .text = [](double value) { return readableNumber(value); }}}};
}

/// Text that is being typed stays, because a value that the field shows already is not set.
void showValue(Form& form, std::string_view id, double value) {
    if (form.value(id) != value) form.showValue(id, value);
}

}  // namespace

CircuitRuns::CircuitRuns(RunAccess access, QWidget* parent)
    : QWidget(parent),
      m_access(std::move(access)),
      m_runs(makeChoice(u"Run in whose model a head is replaced"_s, this)),
      m_layer(new QSpinBox(this)),
      m_head(new QSpinBox(this)),
      m_measure(new QPushButton(u"Put head into model"_s, this)),
      m_find(new QPushButton(u"Find similar head"_s, this)),
      m_text(makeNote(this)) {
    auto* grid = new QGridLayout(this);
    scaleLayout(grid, {0, 0, 0, 0}, 8);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    grid->addWidget(makeHeading(u"Built head in a trained model"_s, this), 0, 0, 1, 4);
    const auto add = [&](const QString& title, QWidget* field, const QString& name, int row, int column, int span) {
        auto* label = new QLabel(title, this);
        label->setBuddy(field);
        field->setAccessibleName(name);
        grid->addWidget(label, row, column);
        grid->addWidget(field, row, column + 1, 1, span);
    };
    add(u"run"_s, m_runs, u"Run in whose model a head is replaced"_s, 1, 0, 3);
    add(u"layer"_s, m_layer, u"Layer of the replaced head"_s, 2, 0, 1);
    add(u"head"_s, m_head, u"Head that is replaced by the head built on this page"_s, 2, 2, 1);
    m_measure->setToolTip(
        u"Replaces the query and the key of the chosen head of the run, at every token, by q and k of the head that "
        "is built on this page, and measures the validation loss before and after. The value vectors stay those of "
        "the run's model. The current RoPE setup changes to that of the run."_s);
    m_find->setToolTip(
        u"Finds the head in the last snapshot of the run that is most similar to the head built on this page. The "
        "similarity is the cosine similarity of the mean attention weights by distance."_s);
    grid->addWidget(m_measure, 3, 0, 1, 4, Qt::AlignLeft);
    grid->addWidget(m_find, 4, 0, 1, 4, Qt::AlignLeft);
    grid->addWidget(m_text, 5, 0, 1, 4);
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_text->setAccessibleName(u"Result of the head built on this page in the trained model"_s);

    connect(m_measure, &QPushButton::clicked, this, &CircuitRuns::measure);
    connect(m_find, &QPushButton::clicked, this, &CircuitRuns::find);
    connect(&m_access.runs, &RunStore::reloaded, this, &CircuitRuns::renewRuns);
    connect(&m_access.session, &SweepSession::ended, this, &CircuitRuns::renewRuns);
    connect(m_runs, &QComboBox::currentIndexChanged, this, &CircuitRuns::renewPlaces);
    renewRuns();
}

void CircuitRuns::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    renewRuns();
}

void CircuitRuns::renewRuns() {
    QList<QPair<QString, QVariant>> entries;
    for (const RunView& run : m_access.runs.runs()) {
        // A run has no checkpoint before its first evaluation.
        if (run.last) entries.append({QString::fromStdString(run.record.name), QVariant::fromValue(run.record.id)});
    }
    refillChoice(m_runs, entries, m_runs->currentData());
    for (QWidget* each : QWidgetList{m_runs, m_layer, m_head, m_measure, m_find}) {
        each->setEnabled(!entries.isEmpty());
    }
    const QString before = m_about;
    m_about = entries.isEmpty()
                  ? u"No trained run is available. Train a sweep or open a lab file to put the head built on this "
                    "page into a trained model."_s
                  : u"Put the head that is built on this page into a layer of the run's model to see how the "
                    "validation loss changes."_s;
    if (m_text->text().isEmpty() || m_text->text() == before) m_text->setText(m_about);
    renewPlaces();
}

void CircuitRuns::renewPlaces() {
    const RunView* run = m_access.runs.find(m_runs->currentData().toLongLong());
    m_layer->setRange(0, run ? static_cast<int>(run->spec.layers) - 1 : 0);
    m_head->setRange(0, run ? static_cast<int>(run->spec.heads) - 1 : 0);
}

void CircuitRuns::say(const QString& text) {
    m_text->setText(text);
}

void CircuitRuns::show(const RotationScene& scene) {
    const bool isNew = m_scene && !haveSameHead(*m_scene, scene);
    m_scene = scene;
    if (!isNew) return;
    m_job.cancel();
    say(m_about);
    if (m_similar) {
        m_similar.reset();
        emit similarChanged();
    }
}

void CircuitRuns::measure() {
    const LabFile* lab = m_access.lab.file();
    const RunView* run = m_access.runs.find(m_runs->currentData().toLongLong());
    if (!lab || !run || !m_scene) return;
    if (m_access.session.isActive() || m_access.meter.isActive())
        return say(
            u"The engine, which evaluates models, is busy with a sweep. Put the head into the model after the "
            "sweep has ended."_s);
    const RotarySetup own = setup_of(run->spec);
    if (!hasFrequenciesOf(m_scene->setup, own)) {
        if (m_scene->setup.head_dim != own.head_dim && m_scene->state.source != VectorSource::aimed) {
            return say(
                u"The head built on this page has %1 pairs, but the heads of this run have %2. Choose the head "
                "“previous token”, “same token” or “three back”, or build a head with head_dim=%3."_s
                    .arg(m_scene->setup.head_dim / 2)
                    .arg(own.head_dim / 2)
                    .arg(own.head_dim));
        }
        emit setupNeeded(own);
    }
    ReplacedHead replaced;
    try {
        replaced = replaced_head(run->spec, m_layer->value(), m_head->value(),
                                 {m_scene->state.query, m_scene->state.key}, m_scene->setup);
    } catch (const BadInput& error) {
        return say(QString::fromUtf8(error.what()));
    }
    const QString place =
        u"%1, layer %2, head %3"_s.arg(QString::fromStdString(run->record.name)).arg(replaced.layer).arg(replaced.head);
    say(u"Measuring the validation loss with the head built on this page …"_s);
    const auto work = [replaced = std::move(replaced), file = checkpointOfRun(*lab, run->record.id),
                       dataDir = m_access.dataDir](Engine& engine, const Cancelled& ends) {
        return measure_circuit(engine, readCheckpoint(file), replaced, dataDir, ends);
    };
    startWithEngine<CircuitLoss>(m_job, m_access.engineLock, work, [this, place](const Outcome<CircuitLoss>& outcome) {
        if (!outcome.problem.isEmpty()) return say(outcome.problem);
        const bool isMeasured = outcome.answer && outcome.answer->sequences > 0;
        say(isMeasured
                ? lossSentence(place, *outcome.answer)
                : u"A sweep uses the engine, which evaluates models. Put the head into the model after the sweep has ended."_s);
    });
}

void CircuitRuns::find() {
    const LabFile* lab = m_access.lab.file();
    const RunView* run = m_access.runs.find(m_runs->currentData().toLongLong());
    if (!lab || !run || !m_scene) return;
    m_job.cancel();
    m_similar.reset();
    const std::vector<std::int64_t> steps = lab->snapshots(run->record.id);
    const std::optional<ProbeResult> probe = steps.empty() ? std::nullopt : lab->snapshot(run->record.id, steps.back());
    if (!probe || probe->attention_by_distance.empty()) {
        say(u"This run has no snapshot with attention weights. Train a run with snapshots (probe_every) first."_s);
        return emit similarChanged();
    }
    const std::vector<double> logits = m_scene->logits(probe->length);
    const std::vector<HeadSimilarity> heads = similar_heads(*probe, logits);
    const HeadSimilarity& best = heads.front();
    const std::vector<double> built = circuit_attention_by_distance(logits, probe->length);
    TrainedHead found;
    found.name =
        u"%1, layer %2, head %3"_s.arg(QString::fromStdString(run->record.name)).arg(best.layer).arg(best.head);
    found.similarity = best.similarity;
    found.length = probe->length;
    for (std::size_t i = 0; i < probe->distances.size(); ++i) {
        found.distances.append(static_cast<double>(probe->distances[i]));
        found.trained.append(best.attention[i]);
        found.built.append(built[static_cast<std::size_t>(probe->distances[i])]);
    }
    QString sentence =
        u"Most similar head: layer %1, head %2; its mean attention weights by distance have a cosine similarity of "
        "%3 to those of the head built on this page (step %4, sequences of %5)."_s.arg(best.layer)
            .arg(best.head)
            .arg(readableNumber(best.similarity), groupedText(steps.back()), countText(probe->length, u"token"_s));
    if (heads.size() > 1) {
        sentence +=
            u" The second most similar head is layer %1, head %2, with a cosine similarity of %3."_s.arg(heads[1].layer)
                .arg(heads[1].head)
                .arg(readableNumber(heads[1].similarity));
    }
    m_similar = std::move(found);
    say(sentence);
    emit similarChanged();
}

CircuitPage::CircuitPage(QWidget* attention, const QWidgetList& distances, const RunAccess& access, QWidget* fields,
                         QWidget* parent)
    : QWidget(parent) {
    auto* row = scaledRow(this, 12);
    row->addWidget(attention, 3);
    auto* right = scaledColumn(nullptr, 8);
    for (QWidget* each : distances) right->addWidget(each, 1);
    row->addLayout(right, 1);
    makeFields(fields);
    m_runs = new CircuitRuns(access, fields);
    fields->layout()->addWidget(m_runs);
    fields->layout()->addWidget(m_sentence);  // last, because its height changes
}

void CircuitPage::makeFields(QWidget* fields) {
    auto* column = static_cast<QVBoxLayout*>(fields->layout());
    column->addWidget(makeHeading(u"Built head"_s, fields));
    auto* headRow = new QWidget(fields);
    auto* heads = new FlowLayout(headRow);  // wraps to two lines
    scaleLayout(heads, {0, 0, 0, 0}, 4);
    for (std::size_t i = 0; i < std::size(kHeadButtons); ++i) {
        auto* button = new QToolButton(headRow);
        button->setText(QString::fromUtf8(kHeadButtons[i].text));
        button->setToolTip(QString::fromUtf8(kHeadButtons[i].tip));
        button->setAccessibleName(u"Build a head: %1"_s.arg(button->text()));
        button->setProperty("chip", true);
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QToolButton::clicked, this, [this, i] { emit headRequested(kHeadButtons[i].distance); });
        heads->addWidget(button);
        m_heads[i] = button;
    }
    column->addWidget(headRow);
    m_sentence = makeNote(fields);
    m_sentence->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_text = makeTextField(fields);
    connect(m_text, &QLineEdit::textEdited, this, &CircuitPage::textEdited);
    connect(m_text, &QLineEdit::editingFinished, this, &CircuitPage::finished);
    column->addWidget(m_text);
    m_form.add(column, headRows());
    m_pairTitle = makeHeading(u"Pair %1"_s.arg(0), fields);
    column->addWidget(m_pairTitle);
    m_form.add(column, pairRows());
    connect(&m_form, &Form::changed, this, [this](std::string_view id) {
        if (id == "scale") return emit scaled(m_form.value(id).toDouble());
        if (id == "fast-pairs") return emit fastPairsRequested(m_form.value(id).toInt());
        emit pairEdited(m_form.value("norm").toDouble(),
                        m_form.value("phase").toDouble() * std::numbers::pi / kHalfTurn);
    });
    connect(&m_form, &Form::finished, this, &CircuitPage::finished);
}

void CircuitPage::show(const RotationScene& scene, const QString& sentence) {
    const auto pair = scene.enlargedPair();
    for (QToolButton* each : m_heads) each->setEnabled(pair.has_value());
    for (const char* field : {"scale", "fast-pairs", "norm", "phase"}) m_form.setEnabled(field, pair.has_value());
    if (pair) {
        m_pairTitle->setText(u"Pair %1"_s.arg(*pair).toUpper());
        showValue(m_form, "scale", std::min(kMostNorm, scene.largestNorm()));
        auto* fast = m_form.field<QSpinBox>("fast-pairs");
        const QSignalBlocker blocker(fast);
        fast->setMaximum(static_cast<int>(scene.pairs.size()));
        showValue(m_form, "fast-pairs", scene.pairsWithNorm());
        showValue(m_form, "norm", std::min(kMostNorm, scene.pairNorm(*pair)));
        showValue(m_form, "phase", scene.term(*pair).phase * kHalfTurn / std::numbers::pi);
    }
    const QString text = QString::fromStdString(scene.state.text);
    if (m_text->text() != text) {
        m_text->setText(text);
        m_text->setCursorPosition(0);  // a narrow field shows the beginning
    }
    if (m_sentence->text() != sentence) m_sentence->setText(sentence);
    m_runs->show(scene);
}

QToolButton* CircuitPage::headButton(std::int64_t distance) const {
    for (std::size_t i = 0; i < std::size(kHeadButtons); ++i) {
        if (kHeadButtons[i].distance == distance) return m_heads[i];
    }
    return nullptr;
}

}  // namespace ropelab::ui

#include "moc_circuit_page.cpp"
