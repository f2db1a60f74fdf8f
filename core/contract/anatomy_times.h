#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/contract/engine.h"
#include "core/plan/anatomy.h"

namespace ropelab {

/// Forward passes of `sequences_per_pass` sequences of `context` random tokens, with the weights before the first
/// training step. Empty if cancelled. Throws BadInput for contradicting settings or a model beyond this machine's
/// memory.
StageTimes measure_stages(Engine& engine, const RunSpec& spec, std::int64_t vocabulary,
                          const std::function<bool()>& cancelled = {});

/// Means over the layers of each section of the same model.
void add_times(Anatomy& anatomy, const StageTimes& times);

/// Without the unit: "0.012", "3.450", "12.34", "1234".
std::string milliseconds_text(double seconds);
/// Milliseconds, or the stages whose time contains it: "3.450", "in Attention scores"; "" if not measured.
std::string stage_time(const AnatomyStage& stage);
/// Two sentences; none if times were not measured.
std::vector<std::string> times_remarks(const Anatomy& anatomy);

}  // namespace ropelab
