#include "ui/rooms/memory/cache_measurement.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <system_error>

#include "core/run/checkpoint.h"
#include "core/run/probing.h"
#include "core/spec/error.h"
#include "ui/common/fields.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/session/engine_lock.h"
#include "ui/session/engine_work.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_document.h"
#include "ui/session/run_store.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {

namespace {

constexpr std::int64_t kMeasuredTokens = 16;
constexpr RunId kOfSweep = 0;

struct CacheAnswer {
    RunSpec spec;
    bench::MeasuredCache measured;
};

}  // namespace

QString measuredCacheSentence(const QString& name, const RunSpec& spec, const bench::MeasuredCache& measured) {
    const QString tokens = countText(measured.tokens, QObject::tr("token"));
    const QString rope =
        measured.formula.rope > 0
            ? QObject::tr(" RoPE cache by formula 31: %1 bytes.").arg(groupedText(measured.formula.rope))
            : QString();
    if (measured.formula.kv == 0) {
        return QObject::tr(
                   "%1 generated %2 without a KV cache, because operations = eager recomputes the context for "
                   "each token.%3")
            .arg(name, tokens, rope);
    }
    return QObject::tr(
               "KV cache of %1 while it generated %2: %3 bytes (%4), counted by the cache. Formulas 32, 44 and "
               "46: %5 bytes for a context of %6 tokens in float32.%7")
        .arg(name, tokens, groupedText(measured.kv), binarySize(measured.kv), groupedText(measured.formula.kv),
             groupedText(spec.context), rope);
}

CacheMeasurement::CacheMeasurement(RunAccess access, const ExperimentModel& experiment, QWidget* parent)
    : QWidget(parent),
      m_access(std::move(access)),
      m_experiment(experiment),
      m_choice(makeChoice(tr("Model whose KV cache is measured"), this)),
      m_button(new QPushButton(tr("Measure KV cache"), this)),
      m_words(makeNote(this)) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    column->addWidget(makeHeading(tr("Measured KV cache"), this));
    m_choice->setToolTip(
        tr("Selects the model: a run of the lab with a checkpoint, or the settings of the sweep in the Train room (its "
           "first run) with random weights."));
    column->addWidget(m_choice);
    m_button->setFocusPolicy(Qt::TabFocus);
    m_button->setToolTip(
        tr("Generates %1 with the model, counts the bytes of its KV cache, and compares them with the formula. The "
           "cache allocates the slots of the whole context with the first token. ropelab-cli sample --json and "
           "ropelab-cli bench --part generation print the same numbers.")
            .arg(countText(kMeasuredTokens, tr("token"))));
    column->addWidget(m_button, 0, Qt::AlignLeft);
    m_words->setAccessibleName(tr("Bytes of the measured KV cache"));
    m_words->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    RunSpec longest;
    longest.context = 131072;
    constexpr std::int64_t size = 1LL << 40;
    keepTexts(m_words,
              {measuredCacheSentence(tr("the sweep's first run"), longest, {kMeasuredTokens, size, {size, size}})});
    column->addWidget(m_words);
    connect(m_button, &QPushButton::clicked, this, &CacheMeasurement::measure);
    connect(&m_access.runs, &RunStore::reloaded, this, &CacheMeasurement::renewChoice);
    connect(&m_access.session, &SweepSession::ended, this, &CacheMeasurement::renewChoice);
    connect(m_choice, &QComboBox::currentIndexChanged, this, [this] {
        m_job.cancel();
        m_words->clear();
    });
    connect(&m_job, &LatestJob::runningChanged, this, [this](bool running) { m_button->setEnabled(!running); });
    renewChoice();
}

QString CacheMeasurement::words() const {
    return m_words->text();
}

void CacheMeasurement::renewChoice() {
    QList<QPair<QString, QVariant>> entries = {{tr("settings of the sweep"), QVariant::fromValue<qint64>(kOfSweep)}};
    for (const RunView& run : m_access.runs.runs()) {
        if (run.record.state == RunState::waiting) continue;
        entries.append({run.name, QVariant::fromValue<qint64>(run.record.id)});
    }
    refillChoice(m_choice, entries, m_choice->currentData());
}

QString CacheMeasurement::refusal() const {
    if (m_access.session.isActive())
        return tr("Training uses the engine exclusively. Measure the KV cache after it has ended.");
    if (m_access.meter.isActive()) {
        return tr(
            "The cost of a sweep is being measured, which uses the engine exclusively. Measure the KV cache "
            "after it.");
    }
    return {};
}

void CacheMeasurement::measure() {
    if (const QString why = refusal(); !why.isEmpty()) return m_words->setText(why);
    const RunId id = m_choice->currentData().toLongLong();
    const RunView* run = m_access.runs.find(id);
    const LabFile* lab = m_access.lab.file();
    std::filesystem::path checkpoint;
    RunSpec sweep;
    QString name = tr("the sweep's first run");
    if (run && lab) {
        const RunCheckpoint place = checkpointOfRun(*lab, run->record);
        checkpoint = place.path;
        name = run->name;
        std::error_code error;
        if (!std::filesystem::exists(checkpoint, error)) {
            return m_words->setText(QString::fromStdString(whyNoCheckpoint(place)));
        }
    } else {
        try {
            sweep = m_experiment.value().expand().front();
        } catch (const BadInput& error) {
            return m_words->setText(QString::fromStdString(error.what()));
        }
    }
    m_words->setText(tr("Measuring …"));
    const auto work = [checkpoint, sweep](Engine& engine, const Cancelled& ends) {
        CacheAnswer answer{sweep, {}};
        std::optional<bench::MeasuredCache> measured;
        if (checkpoint.empty()) {
            measured = bench::measure_cache(engine, sweep, kMeasuredTokens, ends);
        } else {
            const auto read = read_checkpoint(checkpoint);
            if (!read) throw BadInput("There is no checkpoint " + checkpoint.string() + ".");
            answer.spec = read->spec;
            measured = bench::measure_cache(*model_of(engine, *read), read->spec, kMeasuredTokens, ends);
        }
        answer.measured = measured.value_or(bench::MeasuredCache{});  // an interrupted measurement has no answer
        return answer;
    };
    EngineLock& engineLock = m_access.engineLock;
    engineLock.released();
    m_job.start([this, &engineLock, work, name](const Cancelled& cancelled) -> std::function<void()> {
        auto outcome = withEngine<CacheAnswer>(engineLock, cancelled, work);
        return [this, name, outcome = std::move(outcome)] {
            if (outcome.answer) {
                m_words->setText(measuredCacheSentence(name, outcome.answer->spec, outcome.answer->measured));
            } else if (outcome.interrupted) {
                m_words->setText(
                    tr("The measurement was interrupted because other work needed the engine. Start it again."));
            } else {
                m_words->setText(outcome.problem);
            }
        };
    });
}

}  // namespace ropelab::ui
