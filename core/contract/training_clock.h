#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ropelab {

/// The runs of a cohort share one clock, so their training times are one measurement.
struct TrainingClock {
    std::string session;      // names the sweep of a program: the load of the machine may differ between sessions
    std::int64_t cohort = 0;  // number of the cohort in its session
    /// Whether the run was a cohort of its own whose place among the settings was random (timing_order), so that a
    /// drift of the machine's speed does not align with a setting.
    bool random_order = false;
    bool operator==(const TrainingClock&) const = default;
};

/// "random 3 SESSION" or "cohort 3 SESSION".
std::string to_text(const TrainingClock& clock);
/// nullopt for a text that to_text() does not return, or an empty one (runs that resumed, labs of older versions).
std::optional<TrainingClock> training_clock(const std::string& text);

}  // namespace ropelab
