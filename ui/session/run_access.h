#pragma once

#include <filesystem>

namespace ropelab::ui {

class EngineLock;
class LabDocument;
class RunStore;
class SweepMeter;
class SweepSession;

/// For a view that evaluates the checkpoints of the open lab's runs while nothing trains.
struct RunAccess {
    LabDocument& lab;
    RunStore& runs;
    SweepSession& session;
    SweepMeter& meter;
    EngineLock& engineLock;
    std::filesystem::path dataDir;
};

}  // namespace ropelab::ui
