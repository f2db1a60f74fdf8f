#include "ui/rooms/rotation/vectors_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/run/probing.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

VectorsPanel::VectorsPanel(QWidget* parent) : QWidget(parent) {
    auto* column = scaledColumn(this, 8);
    column->addWidget(makeHeading(u"Query and key"_s, this));

    auto* row = scaledRow(nullptr, 8);
    const auto make = [&](const QString& text, const QString& tip, VectorSource source) {
        auto* button = new QToolButton(this);
        button->setText(text);
        button->setCheckable(true);
        button->setProperty("chip", true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setToolTip(tip);
        button->setAccessibleName(u"Query and key: %1"_s.arg(text));
        connect(button, &QToolButton::clicked, this, [this, source] { emit chosen(source); });
        row->addWidget(button);
        m_buttons.insert(source, button);
    };
    make(u"random"_s, u"Samples q and k independently from a normal distribution of mean 0 and standard deviation 1."_s,
         VectorSource::random);
    make(u"equal"_s, u"Sets k = q before rotation: the logit is largest at distance 0."_s, VectorSource::equal);
    make(u"aimed"_s,
         u"Sets k to q rotated by r positions: the logit is largest at the distance r, which the page Aim sets "
         "(formula 17 of the guide)."_s,
         VectorSource::aimed);
    row->addStretch(1);
    column->addLayout(row);
    m_sample = new QPushButton(u"Resample q and k"_s, this);
    m_sample->setToolTip(u"Samples q and k with the next random seed."_s);
    column->addWidget(m_sample, 0, Qt::AlignLeft);
    m_text = makeNote(this);
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    keepLines(m_text, 4);
    column->addWidget(m_text);
    connect(m_sample, &QPushButton::clicked, this, &VectorsPanel::sampleRequested);
}

void VectorsPanel::show(const RotationState& state) {
    for (const auto& [source, button] : m_buttons.asKeyValueRange()) button->setChecked(state.source == source);
    const QString text =
        state.source == VectorSource::handEdited
            ? u"q and k were edited by hand: an arrow of the enlarged pair was dragged."_s
            : u"Source of q and k: %1. To edit q and k by hand, drag an arrow of the enlarged pair."_s.arg(
                  vectorsText(state));
    if (text != m_text->text()) {
        m_text->setText(text);
    }
}

namespace {

constexpr int kMostTokens = 512;  // of the text

QList<FormRow> vectorRows() {
    const WholeRow token{0, kMostTokens - 1};
    return {
        {"run", u"run"_s, u"Run or opened model"_s,
         u"A trained run, or a model that was opened (File > Open model …), whose queries and keys are loaded."_s,
         ChoiceRow()},
        {"layer", u"layer"_s, {}, u"The layer, counted from 0."_s, WholeRow()},
        {"head", u"head"_s, {}, u"The query head, counted from 0."_s, WholeRow()},
        {"text", u"text"_s, u"Text of the query and key"_s,
         u"The model processes this text. In the first layer, a vector depends only on its own token; in later layers "
         "also on the tokens before it."_s,
         TextRow()},
        {"query", u"q token"_s, {}, u"The token of the text whose query is loaded, counted from 0."_s, token},
        {"key", u"k token"_s, {}, u"The token of the text whose key is loaded, counted from 0."_s, token},
    };
}

}  // namespace

RunVectors::RunVectors(RunAccess access, QWidget* parent)
    : QWidget(parent),
      m_access(std::move(access)),
      m_load(new QPushButton(u"Load q and k"_s, this)),
      m_text(makeNote(this)) {
    auto* column = scaledColumn(this, 8);
    m_form.addSection(column, u"Query and key of a model"_s, vectorRows());
    m_form.setValue("text", u"the cat sat on the mat"_s);
    m_form.setValue("query", 4);
    m_form.setValue("key", 1);
    column->addWidget(m_load, 0, Qt::AlignLeft);
    column->addWidget(m_text);
    connect(m_load, &QPushButton::clicked, this, &RunVectors::load);
    connect(m_form.field<QLineEdit>("text"), &QLineEdit::returnPressed, this, &RunVectors::load);
    m_chooser = new RunChooser(m_access, m_form, "run", RunChooser::First::widest, this);
    connect(m_chooser, &RunChooser::renewed, this, &RunVectors::fitRuns);
    connect(m_form.field<QComboBox>("run"), &QComboBox::currentIndexChanged, this, &RunVectors::fitFields);
    m_chooser->renew();
}

void RunVectors::fitRuns() {
    const bool any = !m_chooser->isEmpty();
    for (const FormRow& row : vectorRows()) m_form.setEnabled(row.id, any);
    m_load->setEnabled(any);
    fitFields();
    m_problem.clear();
    m_text->setText(
        any ? u"Loads the query and the key before rotation. The RoPE setup becomes that of the layer, and the "
              "positions those of the tokens."_s
            : u"No trained run or opened model is available. Train a sweep, open a lab file, or open a model "
              "to load its queries and keys."_s);
}

void RunVectors::fitFields() {
    const std::optional<EvaluatedRun> run = m_chooser->chosen();
    const bool isRun = run && !run->model;
    constexpr int unknown = 4096;  // of a model, which load() reads
    m_form.field<QSpinBox>("layer")->setMaximum(isRun ? static_cast<int>(run->spec.layers) - 1 : unknown);
    m_form.field<QSpinBox>("head")->setMaximum(isRun ? static_cast<int>(run->spec.heads) - 1 : unknown);
}

void RunVectors::load() {
    const std::optional<EvaluatedRun> run = m_chooser->chosen();
    if (!run) return;
    m_problem = whyEngineIsBusy(m_access);
    if (!m_problem.isEmpty()) return m_text->setText(m_problem);
    struct Loaded {
        RotarySetup setup;
        HeadVectors vectors;
        QString query;
        QString key;
    };
    const std::int64_t layer = m_form.value("layer").toLongLong();
    const std::int64_t head = m_form.value("head").toLongLong();
    const std::int64_t m = m_form.value("query").toLongLong();
    const std::int64_t n = m_form.value("key").toLongLong();
    const auto work = [read = checkpointReader(m_access, *run), layer, head, m, n,
                       text = m_form.value("text").toString().toStdString()](Engine& engine, const Cancelled&) {
        const Checkpoint checkpoint = read();
        const Vocabulary vocabulary = Vocabulary::from_text(checkpoint.vocabulary);
        std::vector<std::int32_t> tokens = vocabulary.encode(text);
        tokens.resize(std::min<std::size_t>(tokens.size(), kMostTokens));
        const ModelPlan plan = plan_of(checkpoint);
        const auto model = model_for(engine, checkpoint, std::max<std::int64_t>(std::ssize(tokens), 1));
        Loaded result{setup_of_layer(plan, layer), head_vectors(*model, plan, layer, head, tokens, m, n), {}, {}};
        const auto textOf = [&](std::int64_t at) {
            return QString::fromStdString(vocabulary.bytes_of(tokens[static_cast<std::size_t>(at)]));
        };
        result.query = textOf(m);
        result.key = textOf(n);
        return result;
    };
    const QString origin = u"%1, layer %2, head %3"_s.arg(run->name).arg(layer).arg(head);
    startWithEngine<Loaded>(m_job, m_access.engineLock, work, [this, origin, m, n](const Outcome<Loaded>& outcome) {
        m_problem = outcome.interrupted ? whyEngineIsBusy(m_access) : outcome.problem;
        if (!outcome.answer) return m_text->setText(m_problem);
        const auto& [setup, vectors, query, key] = *outcome.answer;
        const QString words =
            u"%1, q of token %2 “%3”, k of token %4 “%5”"_s.arg(origin).arg(m).arg(query).arg(n).arg(key);
        m_text->setText(words);
        emit loaded(setup, vectors, words);
    });
}

}  // namespace ropelab::ui

#include "moc_vectors_panel.cpp"
