#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/sweep/stored_run.h"
#include "core/lecture/quantity_table.h"
#include "core/reproduce/sheets/published.h"
#include "core/reproduce/sheet_lab.h"
#include "core/rope/context.h"
#include "core/rope/logit.h"
#include "core/spec/aliases.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "core/spec/numbers.h"
#include "core/stats/descriptive.h"
#include "core/store/lab_file.h"

// Quantities of the course: differences of logits, properties of a scaling, values that follow from the printed numbers of
// a paper, and named measurements of runs.

namespace ropelab {

namespace {

constexpr double baseline_theta = 10000;

nlohmann::json logit_shift(const QuantityInput& input) {
    const auto query = random_query(1, input.setup.head_dim);
    const auto key = random_key(1, input.setup.head_dim);
    const auto logit_at = [&](std::int64_t m, std::int64_t n) {
        return split_logit(query, key, m, n, input.frequencies, input.setup.partial, input.setup.pairing).total;
    };
    const std::int64_t m = input.arguments.whole("m");
    const std::int64_t n = input.arguments.whole("n");
    const std::int64_t by = input.arguments.whole("by");
    return logit_at(m + by, n + by) - logit_at(m, n);
}

nlohmann::json ntk_base(const QuantityInput& input) {
    const ScalingMethod method = input.setup.scaling.method;
    const auto& frequencies = input.frequencies.inverse_frequencies;
    if (method != ScalingMethod::none && method != ScalingMethod::ntk && method != ScalingMethod::dynamic) {
        throw BadInput("ntk_base needs a setup with scaling=ntk, scaling=dynamic or without scaling.");
    }
    if (frequencies.size() < 2) throw BadInput("ntk_base needs a setup with at least two pairs.");
    // ω_1 = base^(−2/d), so that the base follows from the second pair.
    const int dimension =
        input.setup.partial == Partial::slice ? input.frequencies.rotary_dim : input.setup.head_dim;
    return std::pow(frequencies[1], -0.5 * dimension);
}

nlohmann::json unchanged_pairs(const QuantityInput& input) {
    const auto plain = frequencies(plain_settings(input.setup)).inverse_frequencies;
    const auto& now = input.frequencies.inverse_frequencies;
    std::int64_t count = 0;
    for (std::size_t pair = 0; pair < plain.size(); ++pair) count += plain[pair] > 0 && now[pair] == plain[pair];
    return count;
}

/// Returns the row of a table of the theta paper with the theta of the arguments.
const nlohmann::json& theta_row(const QuantityInput& input, const nlohmann::json& table) {
    const double theta = input.arguments.number("theta");
    try {
        return row_of_theta(table, theta);
    } catch (const std::out_of_range&) {
        throw BadInput("The theta paper has no row with theta = " + number_text(theta) +
                       "; it has 500, 1000, 5000, 10000, 20000 and 50000.");
    }
}

/// Returns the theta paper's losses on the data set of the arguments.
const nlohmann::json& loss_table(const QuantityInput& input) {
    const std::string& data = input.arguments.text("data");
    const nlohmann::json& tables = theta_paper().at("table_2");
    if (!tables.contains(data)) {
        throw BadInput("The theta paper has no data set \"" + data + "\"; it has tinyshakespeare, enwik8 and text8.");
    }
    return tables.at(data);
}

Sample printed_loss(const nlohmann::json& row) {
    return published_sample(row.at("best_validation_loss"), theta_paper().at("n").get<std::int64_t>());
}

nlohmann::json published_improvement(const QuantityInput& input) {
    const nlohmann::json& table = loss_table(input);
    return improvement_of(printed_loss(theta_row(input, table)).mean,
                          printed_loss(row_of_theta(table, baseline_theta)).mean)
        .percent;
}

nlohmann::json published_p_value(const QuantityInput& input) {
    const nlohmann::json& table = loss_table(input);
    const Sample sample = printed_loss(theta_row(input, table));
    const Sample baseline = printed_loss(row_of_theta(table, baseline_theta));
    const std::string& name = input.arguments.text("test");
    if (name != "student" && name != "welch") {
        throw BadInput("The test \"" + name + "\" must be student or welch.");
    }
    const auto test = name == "student" ? student_t_test(sample, baseline) : welch_t_test(sample, baseline);
    return test ? finite_or_null(test->p) : nlohmann::json(nullptr);
}

nlohmann::json published_slowdown(const QuantityInput& input) {
    const nlohmann::json& table = theta_paper().at("table_3");
    const auto speed = [](const nlohmann::json& row) {
        return row.at("generated_tokens_per_second").at("mean").get<double>();
    };
    return speed(row_of_theta(table, baseline_theta)) / speed(theta_row(input, table));
}

nlohmann::json published_perplexity(const QuantityInput& input) {
    const std::string& model = input.arguments.text("config");
    const double percent = input.arguments.number("percent");
    const bool is_large = model == "llama-8b";
    if (!is_large && model != "llama-1b") throw BadInput("The model \"" + model + "\" must be llama-1b or llama-8b.");
    const std::string config =
        is_large ? "Llama-3.1-8B x FW x Seq. Len. 2048" : "Llama-3.2-1B x FW x Seq. Len. 2048";
    const std::string begin = number_text(percent) + "% RoPE";
    for (const nlohmann::json& row : partial_rope_paper().at("lambada_perplexity")) {
        if (row.at("config") == config && row.at("rope").get<std::string>().starts_with(begin)) {
            return row.at("openai").at("mean");
        }
    }
    throw BadInput("The partial-RoPE paper has no perplexity of " + model + " with " + number_text(percent) +
                   " % rotated.");
}

bool has_settings(const RunSpec& spec, const RunFilter& filter) {
    return std::all_of(filter.begin(), filter.end(), [&](const auto& wanted) {
        const Key& setting = key(current_name(Alias::Kind::key, wanted.first));
        RunSpec other = spec;
        setting.set(other, parse_value(setting, current_value(setting.name, wanted.second), spec));
        return setting.get(other) == setting.get(spec);
    });
}

nlohmann::json measurement(const QuantityInput& input) {
    const std::string& name = input.arguments.text("name");
    std::vector<double> values;
    for (const RunRecord& run : input.lab->runs()) {
        if (!has_settings(stored_spec(run), input.arguments.filter())) continue;
        const auto measured = input.lab->measurements(run.id);
        if (const auto found = measured.find(name); found != measured.end()) values.push_back(found->second);
    }
    if (values.empty()) throw BadInput("No run with these settings has a measurement \"" + name + "\".");
    return finite_or_null(describe(values).mean);
}

nlohmann::json prediction_count(const QuantityInput& input) {
    std::size_t count = 0;
    for (const StoredSheet& stored : stored_predictions(*input.lab)) count += stored.plan.predictions.size();
    return count;
}

}  // namespace

std::vector<Quantity> course_quantities() {
    return {
        {{"logit_shift", "(m, n, by)", "",
          "Change of logit(m, n) if both tokens move `by` positions; 0 except for rounding."},
         logit_shift},
        {{"negative_share", "(L)", "", "Share of the causal pairs of positions below L with B(Δ) < 0."},
         [](const QuantityInput& input) -> nlohmann::json {
             return negative_fraction(input.frequencies, input.setup.head_dim, input.arguments.whole("L"));
         }},
        {{"table_saving", "", "",
          "Size of the cos/sin table of the fully rotated head divided by that of the setup; none if nothing rotates."},
         [](const QuantityInput& input) {
             return finite_or_null(static_cast<double>(input.setup.head_dim) / input.frequencies.rotary_dim);
         }},
        {{"ntk_base", "", "θ", "Base whose frequencies the setup has after NTK-aware scaling."}, ntk_base},
        {{"unchanged_pairs", "", "pairs", "Number of rotated pairs whose frequency the scaling does not change."},
         unchanged_pairs},
        {{"published_improvement", "(data, theta)", "%",
          "Improvement over theta = 10000 that follows from the losses in table 2 of the theta paper."},
         published_improvement, true},
        {{"published_p_value", "(data, theta, test)", "",
          "p of Student's or Welch's t test (student, welch) against theta = 10000, from the means and standard "
          "deviations in table 2 of the theta paper."},
         published_p_value, true},
        {{"published_slowdown", "(theta)", "",
          "Generation speed at theta = 10000 divided by that at theta, from table 3 of the theta paper."},
         published_slowdown, true},
        {{"published_perplexity", "(config, percent)", "",
          "Perplexity on LAMBADA (OpenAI) in table 4 of the partial-RoPE paper: llama-1b or llama-8b, trained on FineWeb "
          "with 2,048 tokens, with this percentage rotated."},
         published_perplexity, true},
        {{"measurement", "(name; setting=value, …)", "as measured",
          "Mean of a named measurement over the runs with these settings, such as operations_per_generated_token.", true},
         measurement},
        {{"predictions", "", "predictions", "Number of predictions that the lab stores for its sweeps.", true},
         prediction_count},
    };
}

}  // namespace ropelab
