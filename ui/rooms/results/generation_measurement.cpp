#include "ui/rooms/results/generation_measurement.h"

#include <QPushButton>
#include <QVBoxLayout>

#include "core/reproduce/rules/measuring.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/rooms/results/results_picture.h"
#include "ui/session/engine_work.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

GenerationMeasurement::GenerationMeasurement(RunAccess access, QWidget* parent)
    : QWidget(parent),
      m_access(std::move(access)),
      m_button(new QPushButton(this)),
      m_words(makeText(u"Progress of measuring the generation speed"_s, this)) {
    auto* column = scaledColumn(this, 4, {0, 8, 0, 0});
    m_button->setFocusPolicy(Qt::TabFocus);
    m_button->setToolTip(
        u"Measures how many tokens per second each trained model generates: %1 Runs whose speed is already measured "
        "are skipped. The command ropelab-cli results --measure-generation measures the same speeds."_s.arg(
            text(generation_words(sweep_generation))));
    connect(m_button, &QPushButton::clicked, this, &GenerationMeasurement::toggle);
    column->addWidget(m_button);
    column->addWidget(m_words);
    connect(&m_access.lab, &LabDocument::opened, this, [this] { stop({}); });
    connect(&m_access.session, &SweepSession::started, this, [this] {
        // Training at the same time would falsify the speeds.
        if (m_isMeasuring)
            stop(
                u"The measurement of the generation speed stopped because a sweep trains; speeds measured so far are "
                "saved."_s);
    });
    setWords({});
}

void GenerationMeasurement::toggle() {
    if (m_isMeasuring)
        return stop(u"The measurement of the generation speed was stopped; speeds measured so far are saved."_s);
    if (const QString words = refusal(); !words.isEmpty()) return setWords(words);
    start();
}

QString GenerationMeasurement::refusal() const {
    if (!m_access.lab.hasFile()) return u"This lab has no trained runs whose generation speed could be measured."_s;
    if (m_access.session.isActive()) {
        return u"A sweep is training. The generation speed can be measured after the sweep has ended, because "
               "training at the same time would slow the generation down."_s;
    }
    if (m_access.lab.isReadOnly())
        return u"This lab file is open read-only; save it under another name to measure its runs."_s;
    return {};
}

void GenerationMeasurement::start() {
    const std::optional<std::int64_t> experiment =
        m_experiment == ResultsChoices::kAllExperiments ? std::nullopt : std::optional(m_experiment);
    m_runs = std::ssize(runs_without_generation_speed(*m_access.lab.file(), sweep_generation, experiment));
    if (m_runs == 0) {
        return setWords(
            u"The generation speed of every finished run is already measured. Reproductions of papers measure the "
            "generation speed with settings of their own."_s);
    }
    m_done = 0;
    m_isMeasuring = true;
    setWords({});
    EngineLock& engineLock = m_access.engineLock;
    engineLock.released();
    m_work.start([this, experiment, path = m_access.lab.path(),
                  &engineLock](const Cancelled& cancelled) -> std::function<void()> {
        const auto progress = [this, &cancelled](std::int64_t done) {
            if (cancelled()) return;
            QMetaObject::invokeMethod(
                this,
                [this, done] {
                    if (!m_isMeasuring) return;
                    m_done = done;
                    setWords({});
                },
                Qt::QueuedConnection);
        };
        const auto outcome = withEngine<bool>(engineLock, cancelled, [&](Engine& engine, const Cancelled& ends) {
            const auto lockedEngine = [&engine]() -> Engine& { return engine; };
            const auto file = LabFile::open(toPath(path));
            return measure_generations(*file, sweep_generation, experiment, lockedEngine, ends, progress);
        });
        return [this, problem = outcome.problem, interrupted = outcome.interrupted] { finish(problem, interrupted); };
    });
}

void GenerationMeasurement::stop(const QString& words) {
    const bool wasMeasuring = m_isMeasuring;
    m_work.cancel();
    m_isMeasuring = false;
    setWords(words);
    if (wasMeasuring) emit measured();
}

void GenerationMeasurement::finish(const QString& problem, bool interrupted) {
    m_isMeasuring = false;
    if (!problem.isEmpty()) {
        setWords(u"Measuring failed: %1"_s.arg(problem));
    } else if (interrupted) {
        setWords(
            u"The measurement of the generation speed stopped because a sweep trains; speeds measured so far are "
            "saved."_s);
    } else {
        setWords(u"The generation speed of %1 was measured."_s.arg(countText(m_runs, u"run"_s)));
    }
    emit measured();
}

void GenerationMeasurement::setWords(const QString& words) {
    m_button->setText(m_isMeasuring ? u"Stop measuring"_s : u"Measure generation speed"_s);
    m_words->setText(m_isMeasuring ? u"Measuring the generation speed: %1 of %2 runs."_s.arg(m_done).arg(m_runs)
                                   : words);
    m_words->setVisible(!m_words->text().isEmpty());
}

}  // namespace ropelab::ui

#include "moc_generation_measurement.cpp"
