#include "ui/session/sweep_session.h"

#include <QThread>

#include "core/sweep/lab_plan.h"

namespace ropelab::ui {

SweepMeter::SweepMeter(Runner::EngineSource engine, QObject* parent) : QObject(parent), m_engine(std::move(engine)) {}

SweepMeter::~SweepMeter() = default;

void SweepMeter::measure(std::vector<std::vector<RunSpec>> cohorts, const std::filesystem::path& dataDir) {
    Q_ASSERT(!isActive());
    // Both callbacks run on the runner's thread, so they only post a call to the GUI thread.
    m_runner = std::make_unique<Runner>(m_engine, [this](const Event& event) {
        if (!std::holds_alternative<event::SweepEnded>(event)) return;
        QMetaObject::invokeMethod(
            this,
            [this] {
                m_runner->join();  // does not block: the thread ends after this last event
                m_runner.reset();
                emit ended();
            },
            Qt::QueuedConnection);
    });
    m_runner->measure(std::move(cohorts), dataDir, [this](const Measurement& measurement) {
        QMetaObject::invokeMethod(
            this, [this, measurement] { emit measured(measurement); }, Qt::QueuedConnection);
    });
    emit started();
}

namespace {

constexpr int kDrainIntervalMs = 33;

}  // namespace

SweepSession::SweepSession(Runner::EngineSource engine, QObject* parent)
    : QObject(parent), m_engine(std::move(engine)) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(kDrainIntervalMs);
    connect(&m_timer, &QTimer::timeout, this, &SweepSession::drain);
}

SweepSession::~SweepSession() = default;

void SweepSession::start(Plan plan, const std::filesystem::path& lab) {
    Q_ASSERT(m_state == State::idle);
    m_runner.reset();
    auto recorder = std::make_unique<LabRecorder>(lab);
    ropelab::connect(plan, lab, *recorder);
    m_recorder = std::move(recorder);
    m_lab = lab;
    // The hint runs on the training thread, so it only posts a call to the GUI thread.
    m_queue = std::make_shared<EventQueue>([this] {
        QMetaObject::invokeMethod(
            this,
            [this] {
                if (!m_timer.isActive()) m_timer.start();
            },
            Qt::QueuedConnection);
    });
    m_progress.reset();
    m_conditions.reset();
    m_trouble.clear();
    m_unfinished.clear();
    for (const PlannedRun& run : plan.runs) m_unfinished.insert(run.id);

    plan.on_discard_after = [cut = plan.on_discard_after, queue = m_queue](RunId run, std::int64_t iteration) {
        cut(run, iteration);
        queue->push(DiscardAfter{run, iteration});
    };
    m_runner = std::make_unique<Runner>(m_engine, [recorder = m_recorder.get(), queue = m_queue](const Event& event) {
        recorder->record(event);
        queue->push(event);
    });
    m_runner->start(std::move(plan));
    setState(State::running);
    emit started();
}

void SweepSession::pause() {
    if (m_state != State::running) return;
    m_runner->pause();
    setState(State::paused);
}

void SweepSession::resume() {
    if (m_state != State::paused) return;
    m_runner->resume();
    setState(State::running);
}

void SweepSession::stop() {
    if (m_state != State::running && m_state != State::paused) return;
    m_runner->stop();
    setState(State::stopping);
}

bool SweepSession::moveWaiting(std::int64_t cohort, std::size_t place) {
    const bool moved = m_runner && m_runner->move_waiting(cohort, place);
    emit queueChanged();
    return moved;
}

bool SweepSession::removeWaiting(std::int64_t cohort) {
    const std::vector<WaitingCohort> before = waiting();
    const bool removed = m_runner && m_runner->remove_waiting(cohort);
    for (const WaitingCohort& entry : before) {
        if (!removed || entry.id != cohort) continue;
        for (const RunId run : entry.runs) m_unfinished.erase(run);
    }
    emit queueChanged();
    return removed;
}

bool SweepSession::append(const std::vector<PlannedRun>& runs) {
    if (!m_runner) return false;
    std::vector<RunId> ids;
    for (const PlannedRun& run : runs) ids.push_back(run.id);
    LabFile::open(m_lab)->claim(ids);
    if (!m_runner->append(runs)) return false;
    for (const PlannedRun& run : runs) m_unfinished.insert(run.id);
    emit queueChanged();
    return true;
}

void SweepSession::drain() {
    Q_ASSERT(QThread::currentThread() == thread());
    const std::vector<Delivery> deliveries = m_queue->drain();
    if (deliveries.empty()) return;
    std::optional<event::SweepEnded> end;
    bool begun = false;
    for (const Delivery& delivery : deliveries) {
        const auto* event = std::get_if<Event>(&delivery);
        if (!event) continue;
        if (const auto* progress = std::get_if<event::Progress>(event)) m_progress = *progress;
        if (const auto* cohort = std::get_if<event::CohortStarted>(event)) {
            m_conditions = cohort->conditions;
            begun = true;
        }
        if (const auto* run = std::get_if<event::RunEnded>(event)) m_unfinished.erase(run->run);
        if (const auto* last = std::get_if<event::SweepEnded>(event)) end = *last;
    }
    emit delivered(deliveries);
    if (begun) emit queueChanged();
    const QString troubleNow = QString::fromStdString(m_recorder->trouble());
    if (troubleNow != m_trouble) {
        m_trouble = troubleNow;
        if (!m_recorder->lost()) emit trouble(m_trouble);
    }
    if (m_recorder->lost()) stop();
    if (end) finish(*end);
}

void SweepSession::finish(const event::SweepEnded& end) {
    m_runner->join();  // does not block: the thread ends after this last event
    setState(State::stopping);
    // Closing can take seconds because writing to a full disk is retried, so it runs on a background thread.
    m_closing.start([this, end](const Cancelled&) -> std::function<void()> {
        return [this, end, lost = m_recorder->close()] {
            m_unfinished.clear();
            m_runner.reset();
            m_recorder.reset();
            setState(State::idle);
            emit queueChanged();
            if (lost.empty()) return emit ended(end.state, QString::fromStdString(end.message));
            emit ended(RunState::failed, QString::fromStdString(lost));
        };
    });
}

void SweepSession::setState(State state) {
    if (m_state == state) return;
    m_state = state;
    emit stateChanged();
}

}  // namespace ropelab::ui

#include "moc_sweep_session.cpp"
