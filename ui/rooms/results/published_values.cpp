#include "ui/rooms/results/published_values.h"

#include <map>
#include <numbers>

#include "core/reproduce/published.h"

namespace ropelab::ui {

namespace {

/// Returns for each data set, by name, whether all runs that have begun trained on the whole of it.
std::map<std::string, bool> wholeDataSets(const std::vector<ResultsRun>& runs) {
    std::map<std::string, bool> isWhole;
    for (const ResultsRun& run : runs) {
        if (run.state == RunState::waiting) continue;
        const auto entry = isWhole.try_emplace(run.spec.data, true).first;
        entry->second = entry->second && run.text && is_whole_known_set(*run.text);
    }
    return isWhole;
}

}  // namespace

std::vector<PublishedValue> publishedValues(const std::vector<ResultsRun>& runs) {
    const std::map<std::string, bool> isWhole = wholeDataSets(runs);
    std::vector<PublishedValue> values;
    const nlohmann::json& paper = theta_paper();
    const QString source = QObject::tr("Huang et al. 2025, table 2");
    for (const auto& [data, rows] : paper.at("table_2").items()) {
        const auto text = isWhole.find(data);
        if (text == isWhole.end() || !text->second) continue;
        for (const nlohmann::json& row : rows) {
            const Sample nats = published_sample(row.at("best_validation_loss"), paper.at("n").get<std::int64_t>());
            const double theta = row.at("theta").get<double>();
            values.push_back({source, data, "theta", theta, "best_validation_loss", nats});
            const Sample bits{nats.n, nats.mean / std::numbers::ln2, nats.standard_deviation / std::numbers::ln2};
            values.push_back({source, data, "theta", theta, "bits_per_character", bits});
        }
    }
    return values;
}

}  // namespace ropelab::ui
