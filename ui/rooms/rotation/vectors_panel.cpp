#include "ui/rooms/rotation/vectors_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/base/error.h"
#include "core/run/probing.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/rooms/rotation/rotation_text.h"
#include "ui/session/engine_work.h"
#include "ui/session/lab_document.h"
#include "ui/session/run_store.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

Checkpoint checkpointOf(const RunCheckpoint& run) {
    auto checkpoint = read_checkpoint(run);
    if (!checkpoint) {
        throw BadInput("This run has no checkpoint file beside the lab file. Resume the run to write a checkpoint.");
    }
    return std::move(*checkpoint);
}

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

RunVectors::RunVectors(RunAccess access, QWidget* parent)
    : QWidget(parent),
      m_access(std::move(access)),
      m_runs(new QComboBox(this)),
      m_head(new QSpinBox(this)),
      m_query(new QLineEdit(u"a"_s, this)),
      m_key(new QLineEdit(u"t"_s, this)),
      m_load(new QPushButton(u"Load q and k"_s, this)),
      m_text(makeNote(this)) {
    auto* grid = new QGridLayout(this);
    scaleLayout(grid, {0, 0, 0, 0}, 8);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    grid->addWidget(makeHeading(u"Query and key of a trained run"_s, this), 0, 0, 1, 4);
    const auto add = [&](const QString& name, QWidget* field, int row, int column, int span) {
        auto* label = new QLabel(name, this);
        label->setBuddy(field);
        field->setAccessibleName(name);
        grid->addWidget(label, row, column);
        grid->addWidget(field, row, column + 1, 1, span);
    };
    m_runs->setMinimumContentsLength(8);
    m_runs->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    add(u"run"_s, m_runs, 1, 0, 3);
    add(u"head"_s, m_head, 2, 0, 3);
    add(u"q token"_s, m_query, 3, 0, 1);
    add(u"k token"_s, m_key, 3, 2, 1);
    m_query->setToolTip(u"The token whose query vector q is copied from the run's model."_s);
    m_key->setToolTip(u"The token whose key vector k is copied from the run's model."_s);
    grid->addWidget(m_load, 4, 0, 1, 4, Qt::AlignLeft);
    grid->addWidget(m_text, 5, 0, 1, 4);

    connect(m_load, &QPushButton::clicked, this, &RunVectors::load);
    connect(m_query, &QLineEdit::returnPressed, this, &RunVectors::load);
    connect(m_key, &QLineEdit::returnPressed, this, &RunVectors::load);
    connect(&m_access.runs, &RunStore::reloaded, this, &RunVectors::renewRuns);
    connect(&m_access.session, &SweepSession::ended, this, &RunVectors::renewRuns);
    connect(m_runs, &QComboBox::currentIndexChanged, this, [this] {
        const RunView* run = m_access.runs.find(m_runs->currentData().toLongLong());
        m_head->setRange(0, run ? static_cast<int>(run->spec.heads) - 1 : 0);
    });
    renewRuns();
}

void RunVectors::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    renewRuns();
}

void RunVectors::renewRuns() {
    const QVariant previous = m_runs->currentData();
    m_runs->clear();
    int widest = 0;  // the first run that rotates the largest part of its heads
    double most = 0;
    for (const RunView& run : m_access.runs.runs()) {
        if (!run.last) continue;  // without a checkpoint, before its first evaluation
        if (run.spec.rotates() && run.spec.fraction > most) {
            most = run.spec.fraction;
            widest = m_runs->count();
        }
        m_runs->addItem(run.name, QVariant::fromValue(run.record.id));
    }
    const int before = m_runs->findData(previous);
    m_runs->setCurrentIndex(before >= 0 ? before : widest);
    const bool any = m_runs->count() > 0;
    for (QWidget* each : QWidgetList{m_runs, m_head, m_query, m_key, m_load}) {
        each->setEnabled(any);
    }
    m_problem.clear();
    m_text->setText(
        any ? u"Loads q and k of the run's first layer, where they depend only on the token. The current RoPE setup "
              "changes to that of the run."_s
            : u"No trained run is available. Train a sweep or open a lab file to load queries and keys of its runs."_s);
}

void RunVectors::load() {
    const LabFile* lab = m_access.lab.file();
    const RunView* run = m_access.runs.find(m_runs->currentData().toLongLong());
    if (!lab || !run) return;
    if (m_access.session.isActive() || m_access.meter.isActive()) {
        m_problem =
            u"The engine, which evaluates models, is busy with a sweep. Load q and k after the sweep has "
            "ended."_s;
        m_text->setText(m_problem);
        return;
    }
    const QString origin =
        u"%1, head %2, q of “%3”, k of “%4”"_s.arg(run->name).arg(m_head->value()).arg(m_query->text(), m_key->text());
    using Loaded = std::pair<RotarySetup, HeadVectors>;
    const auto work = [file = checkpointOfRun(*lab, run->record.id), head = m_head->value(),
                       query = m_query->text().toStdString(),
                       key = m_key->text().toStdString()](Engine& engine, const Cancelled&) {
        const Checkpoint checkpoint = checkpointOf(file);
        return Loaded(setup_of(checkpoint.spec),
                      head_vectors(*model_of(engine, checkpoint), checkpoint, head, query, key));
    };
    startWithEngine<Loaded>(m_job, m_access.engineLock, work, [this, origin](const Outcome<Loaded>& outcome) {
        m_problem =
            outcome.interrupted
                ? u"A sweep has started and uses the engine, which evaluates models. Load q and k after the sweep has "
                  "ended."_s
                : outcome.problem;
        m_text->setText(outcome.answer ? origin : m_problem);
        if (outcome.answer) emit loaded(outcome.answer->first, outcome.answer->second, origin);
    });
}

}  // namespace ropelab::ui
