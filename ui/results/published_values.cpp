#include "ui/results/published_values.h"

#include <numbers>
#include <set>

#include "core/data/known_sets.h"
#include "core/experiment/sheets/published.h"
#include "core/spec/error.h"

namespace ropelab::ui {

namespace {

bool isHereAsAWhole(const std::string& data, const std::filesystem::path& dataDir) {
    const KnownSet* set = find_known_set(data);
    if (!set) return false;
    try {
        const auto found = find_on_disk(*set, dataDir);
        // Runs of a text that is not here now were trained where it was; nobody knows how much of it.
        return found && found->bytes == set->bytes;
    } catch (const BadInput&) {
        return false;
    }
}

}  // namespace

std::vector<PublishedValue> publishedValues(const std::vector<ResultsRun>& runs, const std::filesystem::path& dataDir) {
    std::set<std::string> texts;
    for (const ResultsRun& run : runs) texts.insert(run.spec.data);
    std::vector<PublishedValue> values;
    const nlohmann::json& paper = theta_paper();
    const QString source = QObject::tr("theta paper, table 2");
    for (const auto& [data, rows] : paper.at("table_2").items()) {
        if (!texts.contains(data) || !isHereAsAWhole(data, dataDir)) continue;
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
