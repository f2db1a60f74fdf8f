#include "ui/experiment/sweep_meter.h"

#include <utility>

namespace ropelab::ui {

SweepMeter::SweepMeter(Runner::EngineSource engine, QObject* parent) : QObject(parent), m_engine(std::move(engine)) {}

SweepMeter::~SweepMeter() = default;

void SweepMeter::measure(std::vector<std::vector<RunSpec>> cohorts, const std::filesystem::path& dataDir) {
    Q_ASSERT(!isActive());
    // Both are called on the runner's thread: they only post a call.
    m_runner = std::make_unique<Runner>(m_engine, [this](const Event& event) {
        if (!std::holds_alternative<event::SweepEnded>(event)) return;
        QMetaObject::invokeMethod(
            this,
            [this] {
                m_runner->join();  // its last event has been sent: this does not wait
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
