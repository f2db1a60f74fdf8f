#include "core/interop/metrics_csv.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string_view>

#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/results/results_table.h"
#include "core/store/imported.h"
#include "core/store/output_file.h"
#include "core/sweep/stored_run.h"
#include "core/table/table.h"

namespace ropelab {

namespace {

// A common beginning, then iteration, quantity and value.
class Lines {
 public:
    explicit Lines(std::string beginning) : beginning_(std::move(beginning)) {}

    void add(std::int64_t iteration, std::string_view quantity, double value) {
        text_.append(beginning_).append(std::to_string(iteration)).append(",").append(quantity).append(",");
        if (std::isfinite(value)) text_ += number_text(value);
        text_ += "\r\n";
        ++count_;
    }
    const std::string& text() const { return text_; }
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
    for (const auto& [name, value] : measurements) lines.add(summary.iterations, "measured_" + name, value);
}

// With the default of each setting that the run lacks; preserves settings of a newer version of the program.
nlohmann::json complete_settings(const RunRecord& run) {
    const nlohmann::json stored = stored_settings(run);
    if (is_imported(run)) return stored;
    nlohmann::json settings = to_json(run_spec_from_json(stored));
    for (const auto& [key, value] : stored.items()) {
        if (!value.is_null()) settings[key] = value;
    }
    return settings;
}

// Only one run's settings are in memory at a time.
std::vector<std::string> differing_keys(const std::vector<RunRecord>& runs) {
    std::set<std::string> differing;
    const nlohmann::json first = complete_settings(runs.front());
    for (const RunRecord& run : runs) {
        const nlohmann::json other = complete_settings(run);
        for (const nlohmann::json* each : {&first, &other}) {
            for (const auto& [key, value] : each->items()) {
                if (first.value(key, nlohmann::json()) != other.value(key, nlohmann::json())) differing.insert(key);
            }
        }
    }
    const bool has_seeds = differing.erase("seed") > 0;
    if (std::ranges::any_of(runs, is_imported)) differing.insert(imported_setting);
    std::vector<std::string> keys = in_order_of_keys(std::move(differing));
    if (has_seeds) keys.emplace_back("seed");
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
    MetricsCsv written;
    if (!runs.empty()) written.keys = differing_keys(runs);
    OutputFile output(file);
    const auto write = [&output](const std::string& text) { output.write(std::as_bytes(std::span(text))); };
    std::string heading = "run,name";
    for (const std::string& key : written.keys) heading += "," + csv_field(key);
    for (const std::string_view name : condition_names) heading += ",chosen_" + std::string(name);
    write(heading + ",iteration,quantity,value\r\n");
    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::string beginning = std::to_string(runs[i].id) + "," + csv_field(runs[i].name) + ",";
        const nlohmann::json settings = complete_settings(runs[i]);
        for (const std::string& key : written.keys) {
            const auto value = settings.find(key);
            beginning += (value == settings.end() || value->is_null() ? "" : csv_field(setting_text(*value))) + ",";
        }
        for (const std::string_view name : condition_names) {
            beginning += (runs[i].conditions ? csv_field(condition_of(*runs[i].conditions, name)) : "") + ",";
        }
        Lines lines(std::move(beginning));
        add_measurements(lines, runs[i], lab.metrics(runs[i].id), lab.measurements(runs[i].id));
        written.rows += lines.count();
        write(lines.text());
    }
    output.commit();
    return written;
}

}  // namespace ropelab
