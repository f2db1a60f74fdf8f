#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/experiment/sheets/sheet_lab.h"

namespace ropelab {

/// What theories predicted of a sweep that is no sheet, and how its runs score that by now.
struct Ledger {
    StoredSheet stored;  // predictions alone
    std::vector<ScoredPrediction> predictions;
    std::int64_t unmeasured = 0;  // runs that have ended and lack what the predictions speak of
};
/// Of a lab's sweeps, in their order; without those on which no theory said anything.
std::vector<Ledger> ledgers_of(const LabFile& lab);

/// As predictions_text has them, one ledger after another. `how_to_measure`: a sentence below a ledger with runs that
/// are still to be measured.
std::string ledgers_text(std::span<const Ledger> ledgers, const std::string& how_to_measure);
/// As predictions_json has them in one list, each with its `experiment`.
nlohmann::json ledgers_json(std::span<const Ledger> ledgers);

}  // namespace ropelab
