#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/run/runner.h"

namespace ropelab::ui {

/// Time per step and memory of cohorts on this machine. Works on a background thread; signals are emitted on the GUI
/// thread. Must not be used while a sweep trains, because only one thread at a time may call the engine.
class SweepMeter : public QObject {
    Q_OBJECT

 public:
    explicit SweepMeter(Runner::EngineSource engine, QObject* parent = nullptr);
    ~SweepMeter() override;

    /// Trains each cohort for a few steps and emits measured() for each; ended() follows. Must not be called while a
    /// measurement is active.
    void measure(std::vector<std::vector<RunSpec>> cohorts, const std::filesystem::path& dataDir);
    /// Stops after the current step; ended() follows.
    void stop();
    bool isActive() const { return m_runner != nullptr; }

 signals:
    void started();
    void measured(const ropelab::Measurement& measurement);
    /// All cohorts are measured or stop() was called.
    void ended();

 private:
    Runner::EngineSource m_engine;
    std::unique_ptr<Runner> m_runner;
};

}  // namespace ropelab::ui
