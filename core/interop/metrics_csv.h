#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/store/lab_file.h"

namespace ropelab {

struct MetricsCsv {
    std::vector<std::string> keys;  // settings that differ between the runs (seed included), which are columns
    std::int64_t rows = 0;
};

/// One number per line (RFC 4180, C locale, full precision; a number that is not finite is an empty field):
///
/// run, name, each setting that differs, chosen_precision, chosen_device, chosen_kernels, iteration, quantity, value
///
/// Quantities: training_loss, gradient_norm and learning_rate of each step; evaluated_training_loss and validation_loss
/// of each evaluation; whole_validation_loss, test_loss, seconds and tokens_per_second once per run, at its last
/// iteration, if it has ended; with them what was measured after training, as measured_NAME. Losses are in nats per
/// token. The file is written atomically. Throws BadInput if it exists and `replace` is false, or if it cannot be
/// written.
MetricsCsv write_metrics_csv(const LabFile& lab, const std::vector<RunRecord>& runs, const std::filesystem::path& file,
                             bool replace);

}  // namespace ropelab
