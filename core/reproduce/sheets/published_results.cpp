#include "core/reproduce/sheets/published_results.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/experiment/experiment.h"
#include "core/reproduce/sheet_cells.h"
#include "core/reproduce/sheets/published.h"
#include "core/results/results_table.h"
#include "core/spec/keys.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

// Returns the first setting of the model or the training in which a run differs from the paper's, in words; "" if there
// is none. θ is the paper's sweep, and the size of a micro-batch does not change the result.
std::string model_difference(const RunSpec& spec) {
    static const RunSpec paper = preset("theta-paper").experiment.expand().front();
    for (const Key& key : keys()) {
        const bool counts = (key.group == "model" || key.group == "training") && key.name != "theta" &&
                            key.name != "theta_end" && key.name != "seed" && key.name != "micro_batch";
        if (counts && key.get(spec) != key.get(paper)) {
            return setting_title(std::string(key.name)) + " is " + to_text(key.get(spec)) + ", the paper's is " +
                   to_text(key.get(paper));
        }
    }
    return {};
}

// Returns why the published values of a data set cannot be compared with these runs; "" if they can.
std::string reason_against(const std::string& data, std::span<const ComparableRun> runs) {
    for (const ComparableRun& run : runs) {
        if (run.spec.data != data || run.state == RunState::waiting) continue;
        if (!run.text || !is_whole_known_set(*run.text)) return "a run did not train on the whole data set";
    }
    for (const ComparableRun& run : runs) {
        if (run.spec.data != data || run.state == RunState::waiting || !run.spec.rotates()) continue;
        const std::string difference = model_difference(run.spec);
        if (!difference.empty()) return "the model or its training differs (" + difference + ")";
    }
    return {};
}

}  // namespace

PublishedResults published_results(std::span<const ComparableRun> runs) {
    PublishedResults results;
    const nlohmann::json& paper = theta_paper();
    const std::string source = "Huang et al. 2025, table 2";
    for (const auto& [data, rows] : paper.at("table_2").items()) {
        if (std::none_of(runs.begin(), runs.end(), [&data = data](const ComparableRun& run) {
                return run.spec.data == data && run.state != RunState::waiting;
            })) {
            continue;
        }
        if (const std::string reason = reason_against(data, runs); !reason.empty()) {
            results.omitted.push_back("Published values for " + data + " are left out: " + reason + ".");
            continue;
        }
        for (const nlohmann::json& row : rows) {
            const Sample nats = published_sample(row.at("best_validation_loss"), paper.at("n").get<std::int64_t>());
            const double theta = row.at("theta").get<double>();
            results.values.push_back({source, data, "theta", theta, "best_validation_loss", nats});
            const Sample bits{nats.n, nats.mean / std::numbers::ln2, nats.standard_deviation / std::numbers::ln2};
            results.values.push_back({source, data, "theta", theta, "bits_per_character", bits});
        }
    }
    return results;
}

std::string published_text(std::span<const RunRecord> records) {
    std::vector<ComparableRun> runs;
    for (const RunRecord& record : records) runs.push_back({stored_spec(record), record.state, record.text});
    const PublishedResults results = published_results(runs);
    std::string text;
    for (const PublishedValue& value : results.values) {
        if (value.measure != "best_validation_loss") continue;
        text += "Published (" + value.source + "), " + value.data + ", " + setting_title(value.key) + " = " +
                setting_words(value.key, value.at) + ": " + sample_text(value.sample) +
                " nats, n = " + std::to_string(value.sample.n) + ".\n";
    }
    for (const std::string& sentence : results.omitted) text += sentence + '\n';
    return text;
}

}  // namespace ropelab
