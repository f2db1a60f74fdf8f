#include "core/experiment/sheets/ledger.h"

#include "core/experiment/sheets/measuring.h"
#include "core/experiment/sheets/report.h"

namespace ropelab {

std::vector<Ledger> ledgers_of(const LabFile& lab) {
    std::vector<Ledger> result;
    for (StoredSheet& stored : stored_predictions(lab)) {
        const std::vector<SheetRun> runs = sheet_runs(lab, stored.experiment);
        Ledger& ledger = result.emplace_back();
        ledger.predictions = score(stored.plan, runs);
        ledger.unmeasured = unmeasured_runs(stored.plan, runs);
        ledger.stored = std::move(stored);
    }
    return result;
}

std::string ledgers_text(std::span<const Ledger> ledgers, const std::string& how_to_measure) {
    std::string text;
    for (const Ledger& ledger : ledgers) {
        text += predictions_text(ledger.predictions);
        if (ledger.unmeasured > 0) text += "  " + how_to_measure + '\n';
    }
    return text;
}

nlohmann::json ledgers_json(std::span<const Ledger> ledgers) {
    nlohmann::json result = nlohmann::json::array();
    for (const Ledger& ledger : ledgers) {
        for (nlohmann::json& scored : predictions_json(ledger.stored.plan, ledger.predictions)) {
            scored["experiment"] = ledger.stored.experiment;
            result.push_back(std::move(scored));
        }
    }
    return result;
}

}  // namespace ropelab
