#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/engine.h"
#include "core/run/checkpoint.h"
#include "core/stats/descriptive.h"
#include "core/store/lab_file.h"

namespace ropelab {

// Fewer key and value heads (Ainslie et al. 2023): the heads of each group are replaced by their mean (formula 47), and
// a copy of the run is trained for a small part of its steps.

struct HeadConversion {
    std::int64_t key_value_heads = 1;
    /// Training steps after the conversion as a fraction of the run's iterations, at least one; 0: none.
    double fraction = 0.05;
    /// Constant; 0 means a tenth of the run's.
    double learning_rate = 0;

    bool operator==(const HeadConversion&) const = default;
};

std::int64_t steps_of(const HeadConversion& conversion, const RunSpec& spec);

/// Means of groups of neighbouring heads (formula 47). The optimizer's first moments are summed, as the gradients of a
/// shared head are, and its second moments are summed and multiplied by the number of heads of a group, which bounds
/// the square of that sum. Throws BadInput if the run has multi-head latent attention, or if `key_value_heads` is not a
/// smaller divisor of the run's number of key and value heads.
Checkpoint with_pooled_heads(const Checkpoint& checkpoint, std::int64_t key_value_heads);

/// Losses on the same validation sequences, in nats per token.
struct HeadConversionResult {
    HeadConversion conversion;
    std::int64_t heads_before = 0;  // key and value heads of the run
    std::int64_t iteration = 0;     // step of the checkpoint
    std::int64_t steps = 0;         // training steps after the conversion
    std::int64_t sequences = 0;     // evaluated sequences, of the context's length
    double loss_before = 0;
    double loss_pooled = 0;   // after the conversion, before further training
    double loss_trained = 0;  // after the training steps; equal to loss_pooled without any
    /// After the same steps at the same learning rate without conversion; NaN without steps, and in older labs.
    double loss_continued = Description::unknown;
    Description pooled_rise;  // rises of the loss over loss_before, paired by sequence
    Description trained_rise;
    Description continued_rise;     // rise of loss_trained over loss_continued; n = 0 if that is unknown
    std::int64_t cache_before = 0;  // bytes (formula 32)
    std::int64_t cache_after = 0;
};

/// Trains a converted copy; the run and its file do not change. Precision, threads and the order of batches are those
/// of the run. The run itself is trained as long for comparison. `should_continue` is called with the number of
/// finished steps of both; if it returns false, the result is nullopt. Throws BadInput like with_pooled_heads, for
/// settings out of range, and if the data is missing or the loss is no longer finite.
std::optional<HeadConversionResult> convert_heads(Engine& engine, const Checkpoint& checkpoint,
                                                  const HeadConversion& conversion,
                                                  const std::filesystem::path& data_dir,
                                                  const std::function<bool(std::int64_t done)>& should_continue,
                                                  Checkpoint* converted = nullptr);

struct StoredHeadConversion {
    RunId run = 0;
    std::string created;  // UTC, ISO 8601
    HeadConversionResult result;
};

nlohmann::json head_conversion_json(const HeadConversionResult& result);

/// Throws BadInput if there is no such run or the lab cannot be written.
void store_head_conversion(LabFile& lab, RunId run, const HeadConversionResult& result);
/// In the order of the runs, those of a run oldest first. Of the descriptions of rises, they contain the mean, the ends
/// of the interval and the number of sequences. Throws BadInput if a stored text is damaged.
std::vector<StoredHeadConversion> stored_head_conversions(const LabFile& lab);

/// One sentence.
std::string head_conversion_words(const HeadConversionResult& result);

}  // namespace ropelab
