#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/run/runner.h"

namespace ropelab::ui {

/// Works on a background thread. Not while a sweep trains: only one thread at a time may call the engine.
class SweepMeter : public QObject {
    Q_OBJECT

 public:
    explicit SweepMeter(Runner::EngineSource engine, QObject* parent = nullptr);
    ~SweepMeter() override;

    /// Emits measured() for each cohort, then ended(). Must not be called while a measurement is active.
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
