#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/store/lab_file.h"

namespace ropelab {

/// What metrics_csv wrote.
struct MetricsCsv {
    std::vector<std::string> keys;  // settings that differ between the runs, as columns; seed among them
    std::int64_t rows = 0;
};

/// Every measurement of some runs as one tidy table, one number a line (RFC 4180, C locale, full precision; a number
/// that was not finite is an empty field):
///
///   run, name, each setting that differs, iteration, quantity, value
///
/// Quantities: training_loss, gradient_norm and learning_rate of each step; evaluated_training_loss and validation_loss
/// of each evaluation; whole_validation_loss, seconds and tokens_per_second once, at a run's last iteration, where it
/// has ended. Losses in nats per symbol. Written atomically; where the file exists already and `replace` is false it is
/// refused. Throws BadInput.
MetricsCsv write_metrics_csv(const LabFile& lab, const std::vector<RunRecord>& runs, const std::filesystem::path& file,
                             bool replace);

}  // namespace ropelab
