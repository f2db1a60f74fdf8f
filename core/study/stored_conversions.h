#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/study/head_conversion.h"
#include "core/store/lab_file.h"

namespace ropelab {

// Conversions of heads that a lab file stores beside the converted runs.

/// A conversion of a run's heads in a lab.
struct StoredHeadConversion {
    RunId run = 0;
    std::string created;  // UTC, ISO 8601
    HeadConversionResult result;
};

/// Returns a conversion as JSON, as the command convert-heads prints it.
nlohmann::json head_conversion_json(const HeadConversionResult& result);

/// Stores a conversion of a run's heads in the lab. Throws BadInput if there is no such run or the lab cannot be
/// written.
void store_head_conversion(LabFile& lab, RunId run, const HeadConversionResult& result);
/// Returns the conversions of the lab's runs in the order of the runs, those of a run oldest first. Of the descriptions
/// of rises, they contain the mean, the ends of the interval and the number of sequences. Throws BadInput if a stored
/// text is damaged.
std::vector<StoredHeadConversion> stored_head_conversions(const LabFile& lab);

/// Returns one sentence on a conversion: heads, steps, losses in nats per token, and bytes of the KV cache.
std::string head_conversion_words(const HeadConversionResult& result);

}  // namespace ropelab
