#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/plan/anatomy.h"
#include "core/spec/engine.h"

namespace ropelab {

/// Measures how long the stages of the model with these settings take on this machine: forward passes of
/// `sequences_per_pass` sequences of `context` random tokens, with the weights before the first training step. Empty if
/// `cancelled` returned true. Throws BadInput if the settings contradict each other or the model needs more memory than
/// this machine has.
StageTimes measure_stages(Engine& engine, const RunSpec& spec, std::int64_t vocabulary,
                          const std::function<bool()>& cancelled = {});

/// Adds measured times to the stages of the same model: means over the layers of each section.
void add_times(Anatomy& anatomy, const StageTimes& times);

/// Returns a time in milliseconds, without the unit: "0.012", "3.450", "12.34", "1234".
std::string milliseconds_text(double seconds);
/// Returns the measured time of a stage in milliseconds, or the stages whose time contains it: "3.450", "in Attention
/// scores". "" if it was not measured.
std::string stage_time(const AnatomyStage& stage);
/// Returns two sentences on how the times of an anatomy were measured; none if they were not.
std::vector<std::string> times_remarks(const Anatomy& anatomy);

}  // namespace ropelab
