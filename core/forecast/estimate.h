#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/forecast/time_model.h"
#include "core/settings/run_spec.h"

namespace ropelab {

struct Estimate {
    double seconds = 0;
    std::int64_t bytes = 0;       // peak resident memory, engine included; with device=cuda the device's memory
    std::int64_t parameters = 0;  // trainable parameters of the largest run
    int runs = 0;
    int cohorts = 0;
};
/// `model` gives the time. Data sets are also searched in `data_dir`. `loads_engine`: the sweep loads the engine if
/// this process has not loaded it yet.
Estimate estimate(const std::vector<RunSpec>& runs, const TimeModel& model = *machine_time_model(),
                  const std::filesystem::path& data_dir = {}, bool loads_engine = true);
/// From step `from` on. `validation`: tokens of the validation split. `loads_engine`: it is not loaded yet.
CohortWork cohort_work(const RunSpec& spec, std::int64_t runs, std::int64_t from, double validation, bool loads_engine);
/// Tokens that a model processes. With operations=eager each token needs the whole sequence, which grows up to the
/// context; otherwise a KV cache keeps it, until the text is longer than the context and, unless the generation is
/// `rolling`, each token needs the whole context again.
double tokens_to_generate(const RunSpec& spec, std::int64_t length, bool rolling = false);
/// Forward and backward, plus the evaluations spread over the steps (see evaluation_operations).
double operations_per_step(const RunSpec& spec);
/// Divided by 3: evaluations process many sequences at once, at which a CPU is about three times as fast.
double evaluation_operations(const RunSpec& spec, double tokens);
/// Floating-point operations per second of small models, overhead included; a cautious guess.
double default_speed(const RunSpec& spec);

}  // namespace ropelab
