#include "ui/session/sweep_meter.h"

#include <utility>

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

void SweepMeter::stop() {
    if (m_runner) m_runner->stop();
}

}  // namespace ropelab::ui
