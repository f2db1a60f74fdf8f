#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/experiment/beyond.h"
#include "core/experiment/knock_out.h"
#include "core/spec/event.h"

namespace ropelab::terminal {

// Questions to a run's checkpoint that take several readings: `probe --knock-outs` and `probe --beyond`. They ask what
// the Inspect room asks, show progress, and write text or JSON. Throw BadInput, and std::runtime_error where a signal
// came.

struct AskedRun {
    RunId run = 0;
    Checkpoint checkpoint;
    std::filesystem::path data_dir;
    bool json = false;
};

/// Loss and retrieval as ever more pairs are knocked out, from both ends.
void show_knock_outs(const AskedRun& asked, KnockOut::Kind kind);

/// Readings at `factor` times the context; every method where none is named. `steps` of fine-tuning with each of them,
/// if any, give a reading after it too.
struct AskedBeyond {
    std::int64_t factor = 4;
    std::optional<ScalingMethod> method;
    std::optional<std::int64_t> windows;  // as read_beyond has them
    std::optional<std::int64_t> steps;
    double learning_rate = 0;  // 0: a tenth of the run's
};
void show_beyond(const AskedRun& asked, const AskedBeyond& how);

/// The keys that both write, as the help shows them.
extern const char* const reading_keys;

}  // namespace ropelab::terminal
