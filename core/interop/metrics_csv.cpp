#include "core/interop/metrics_csv.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "core/experiment/experiment.h"
#include "core/results/results_table.h"
#include "core/spec/error.h"
#include "core/store/output_file.h"
#include "core/sweep/stored_run.h"
#include "core/table/table.h"

namespace ropelab {

namespace {

// A common beginning, then iteration, quantity and value.
class Lines {
 public:
    explicit Lines(std::string beginning) : beginning_(std::move(beginning)) {}

    void add(std::int64_t iteration, const char* quantity, double value) {
        text_ += beginning_ + std::to_string(iteration) + "," + quantity + "," +
                 (std::isfinite(value) ? number_text(value) : "") + "\r\n";
        ++count_;
    }
    std::string text() && { return std::move(text_); }
    std::int64_t count() const { return count_; }

 private:
    std::string beginning_;
    std::string text_;
    std::int64_t count_ = 0;
};

void add_measurements(Lines& lines, const RunRecord& run, const RunMetrics& metrics,
                      const std::map<std::string, double>& measurements) {
    const auto& steps = metrics.steps;
    for (std::size_t i = 0; i < steps.iteration.size(); ++i) {
        lines.add(steps.iteration[i], "training_loss", steps.training_loss[i]);
        lines.add(steps.iteration[i], "gradient_norm", steps.gradient_norm[i]);
        lines.add(steps.iteration[i], "learning_rate", steps.learning_rate[i]);
    }
    const auto& evaluations = metrics.evaluations;
    for (std::size_t i = 0; i < evaluations.iteration.size(); ++i) {
        lines.add(evaluations.iteration[i], "evaluated_training_loss", evaluations.training_loss[i]);
        lines.add(evaluations.iteration[i], "validation_loss", evaluations.validation_loss[i]);
    }
    if (!run.summary) return;
    const RunSummary& summary = *run.summary;
    if (summary.whole_validation_loss) {
        lines.add(summary.iterations, "whole_validation_loss", *summary.whole_validation_loss);
    }
    if (summary.test_loss) lines.add(summary.iterations, "test_loss", *summary.test_loss);
    lines.add(summary.iterations, "seconds", summary.seconds);
    lines.add(summary.iterations, "tokens_per_second", summary.tokens_per_second);
    for (const auto& [name, value] : measurements) lines.add(summary.iterations, ("measured_" + name).c_str(), value);
}

std::vector<std::string> differing_keys(const std::vector<nlohmann::json>& settings,
                                        const std::vector<RunRecord>& runs) {
    std::vector<ResultRun> compared;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        compared.push_back({settings[i], runs[i].name, runs[i].summary, runs[i].state});
    }
    std::vector<std::string> keys = results_table(compared).swept;
    const auto other_seed = [&](const nlohmann::json& run) { return run["seed"] != settings.front()["seed"]; };
    if (std::any_of(settings.begin(), settings.end(), other_seed)) keys.emplace_back("seed");
    return keys;
}

}  // namespace

MetricsCsv write_metrics_csv(const LabFile& lab, const std::vector<RunRecord>& runs, const std::filesystem::path& file,
                             bool replace) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) {
        throw BadInput(file.string() + " is a folder; name a file for the table.");
    }
    if (!replace && would_replace(file)) {
        throw BadInput("The file " + file.string() +
                       " exists already; add --force to replace it, or name another file.");
    }
    std::vector<nlohmann::json> settings;
    for (const RunRecord& run : runs) {
        nlohmann::json stored = stored_settings(run);
        settings.push_back(to_json(run_spec_from_json(stored)));
        settings.back().update(stored);  // preserves settings of a newer version of the program
    }
    MetricsCsv written;
    if (!runs.empty()) written.keys = differing_keys(settings, runs);

    std::vector<std::string> parts = {"run,name"};
    for (const std::string& key : written.keys) parts.front() += "," + csv_field(key);
    for (const std::string_view name : condition_names) parts.front() += ",chosen_" + std::string(name);
    parts.front() += ",iteration,quantity,value\r\n";
    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::string beginning = std::to_string(runs[i].id) + "," + csv_field(runs[i].name) + ",";
        for (const std::string& key : written.keys) {
            const auto value = settings[i].find(key);
            beginning += (value == settings[i].end() ? "" : csv_field(setting_text(*value))) + ",";
        }
        for (const std::string_view name : condition_names) {
            beginning += (runs[i].conditions ? csv_field(condition_of(*runs[i].conditions, name)) : "") + ",";
        }
        Lines lines(std::move(beginning));
        add_measurements(lines, runs[i], lab.metrics(runs[i].id), lab.measurements(runs[i].id));
        written.rows += lines.count();
        parts.push_back(std::move(lines).text());
    }
    std::vector<std::span<const std::byte>> bytes;
    bytes.reserve(parts.size());
    for (const std::string& part : parts) bytes.push_back(std::as_bytes(std::span(part)));
    write_output(file, bytes);
    return written;
}

}  // namespace ropelab
