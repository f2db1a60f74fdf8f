#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/experiment/runner.h"

namespace ropelab::ui {

/// Measures what cohorts cost on this machine, on a runner's thread; what it finds comes on the window's thread. Not
/// while a sweep trains: the engine is called from one thread at a time.
class SweepMeter : public QObject {
    Q_OBJECT

 public:
    explicit SweepMeter(Runner::EngineSource engine, QObject* parent = nullptr);
    ~SweepMeter() override;

    /// Lets each cohort take a few steps; ended() follows. Not while it is active.
    void measure(std::vector<std::vector<RunSpec>> cohorts, const std::filesystem::path& dataDir);
    /// Between two steps; ended() follows.
    void stop();
    bool isActive() const { return m_runner != nullptr; }

 signals:
    void started();
    void measured(const ropelab::Measurement& measurement);
    void ended();

 private:
    Runner::EngineSource m_engine;
    std::unique_ptr<Runner> m_runner;
};

}  // namespace ropelab::ui
