#include "core/reproduce/published/published.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <stdexcept>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/experiment/experiment.h"
#include "core/reproduce/published/embedded_published.h"
#include "core/reproduce/rules/sheet_row.h"
#include "core/results/results_cells.h"
#include "core/results/results_table.h"
#include "core/rope/frequencies.h"
#include "core/settings/keys.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

const nlohmann::json& theta_paper() {
    static const nlohmann::json json = parse_bounded(embedded::theta_paper);
    return json;
}

const nlohmann::json& partial_rope_paper() {
    static const nlohmann::json json = parse_bounded(embedded::partial_rope_paper);
    return json;
}

const nlohmann::json& post() {
    static const nlohmann::json json = parse_bounded(embedded::post);
    return json;
}

const nlohmann::json& pre_post_norm_paper() {
    static const nlohmann::json json = parse_bounded(embedded::pre_post_norm);
    return json;
}

const nlohmann::json& glu_variants() {
    static const nlohmann::json json = parse_bounded(embedded::glu_variants);
    return json;
}

const nlohmann::json& recent_sheets() {
    static const nlohmann::json json = parse_bounded(embedded::recent_sheets).at("sheets");
    return json;
}

const nlohmann::json& row_of_theta(const nlohmann::json& table, double theta) {
    for (const nlohmann::json& row : table) {
        if (row.at("theta").get<double>() == theta) return row;
    }
    throw std::out_of_range("The tables of Huang et al. 2025 do not contain this base θ.");
}

PublishedRange range_of_other_bases(const nlohmann::json& table, const std::string& measure) {
    PublishedRange range;
    for (const nlohmann::json& row : table) {
        if (row.at("theta") == 10000) continue;
        const auto mean = row.at(measure).at("mean").get<double>();
        range = {std::min(range.low, mean), std::max(range.high, mean)};
    }
    return range;
}

Sample published_sample(const nlohmann::json& value, std::int64_t n) {
    if (value.is_number()) return {n, value.get<double>(), std::numeric_limits<double>::quiet_NaN()};
    return {n, value.at("mean").get<double>(), value.at("std").get<double>()};
}

LetterBits letter_bits(double p_a) {
    if (!(p_a > 0 && p_a < 1)) {
        throw BadInput("A letter of probability " + number_text(p_a) +
                       " has no code length; the probability must be between 0 and 1.");
    }
    LetterBits bits{-std::log2(p_a), -std::log2(1 - p_a)};
    bits.average = p_a * bits.a + (1 - p_a) * bits.b;
    return bits;
}

PrintedLetterBits printed_letter_bits() {
    const nlohmann::json& example = post().at("example");
    const auto number = [&](const char* key) { return example.at(key).get<double>(); };
    return {number("p_a"), {number("bits_a"), number("bits_b"), number("bits_on_average")}};
}

namespace {

using nlohmann::json;

constexpr double half_digit = 0.00005;  // half a unit of the last digit of losses
constexpr double half_hundredth = 0.005;

double mean_of(const json& value) {
    return value.at("mean").get<double>();
}

std::string theta_text(const json& row) {
    return "θ = " + number_text(row.at("theta").get<double>());
}

void check_improvements(const json& table, const std::string& where, std::vector<PaperCheck>& checks) {
    const double baseline = mean_of(row_of_theta(table, 10000).at("best_validation_loss"));
    for (const json& row : table) {
        if (row.at("theta") == 10000) continue;
        const auto [percent, rounding] = improvement_of(mean_of(row.at("best_validation_loss")), baseline);
        const auto printed = row.at("improvement_percent").get<double>();
        checks.push_back({"improvement of the best validation loss with " + theta_text(row) + " on " + where,
                          fixed_text(printed, 2) + " %", fixed_text(percent, 2) + " %",
                          std::abs(printed - percent) <= rounding});
    }
}

// Smallest of Student's and Welch's over samples that round to these; `lower` has the lower mean.
double least_p(Sample lower, Sample higher) {
    lower.mean -= half_digit;
    higher.mean += half_digit;
    for (Sample* sample : {&lower, &higher}) sample->standard_deviation -= half_digit;
    return std::min(student_t_test(lower, higher)->p, welch_t_test(lower, higher)->p);
}

void check_significance(const json& paper, std::vector<PaperCheck>& checks) {
    const json& table = paper.at("table_2").at("tinyshakespeare");
    const auto n = paper.at("n").get<std::int64_t>();
    const Sample best = published_sample(row_of_theta(table, 5000).at("best_validation_loss"), n);
    const Sample baseline = published_sample(row_of_theta(table, 10000).at("best_validation_loss"), n);
    const auto student = student_t_test(best, baseline);
    const auto welch = welch_t_test(best, baseline);
    const auto below = paper.at("statements").at("p_of_theta_5000_on_tinyshakespeare_below").get<double>();
    checks.push_back({"p value of θ = 5000 against θ = 10000 on tinyshakespeare", "p < " + number_text(below),
                      "p = " + p_text(student->p) + " (Student), " + p_text(welch->p) + " (Welch)",
                      least_p(best, baseline) < below});
}

void check_speeds(const json& paper, std::vector<PaperCheck>& checks) {
    PublishedRange all;
    for (const auto& [name, table] : paper.at("table_2").items()) {
        const auto [low, high] = range_of_other_bases(table, "generated_tokens_per_second");
        all = {std::min(all.low, low), std::max(all.high, high)};
    }
    const json& range = paper.at("statements").at("speed_of_other_thetas");
    const double from = range[0].get<double>(), to = range[1].get<double>();
    checks.push_back({"generation speed [tokens per second] of every θ but 10000, across all data sets",
                      number_text(from) + " to " + number_text(to),
                      number_text(all.low) + " to " + number_text(all.high),
                      all.low >= from - 0.5 && all.high <= to + 0.5});  // whole numbers are printed
}

// "A slowdown factor of ~1.8× on all data sets" has one decimal, and the speeds of table 2 no decimals.
void check_slowdowns(const json& paper, std::vector<PaperCheck>& checks) {
    const auto printed = paper.at("statements").at("slowdown_on_all_texts").get<double>();
    for (const auto& [name, table] : paper.at("table_2").items()) {
        const double baseline = mean_of(row_of_theta(table, 10000).at("generated_tokens_per_second"));
        const auto [slowest, fastest] = range_of_other_bases(table, "generated_tokens_per_second");
        const double low = baseline / fastest, high = baseline / slowest;
        checks.push_back({"slowdown of generation with every θ but 10000 on " + name,
                          "about " + fixed_text(printed, 1) + " times",
                          fixed_text(low, 2) + " to " + fixed_text(high, 2) + " times",
                          std::abs(low - printed) <= 0.05 && std::abs(high - printed) <= 0.05});
    }
}

// "Lower θ (500, 1,000) also show improvements of ~2.0 %" on enwik8.
void check_lower_thetas(const json& paper, std::vector<PaperCheck>& checks) {
    const json& table = paper.at("table_2").at("enwik8");
    const double baseline = mean_of(row_of_theta(table, 10000).at("best_validation_loss"));
    const auto printed = paper.at("statements").at("improvement_of_lower_thetas_on_enwik8_percent").get<double>();
    std::string words;
    bool agrees = true;
    for (const double theta : {500.0, 1000.0}) {
        const Improvement own =
            improvement_of(mean_of(row_of_theta(table, theta).at("best_validation_loss")), baseline);
        words += (words.empty() ? "" : " and ") + fixed_text(own.percent, 2) + " %";
        agrees = agrees && std::abs(own.percent - printed) <= 0.05 + own.rounding;
    }
    checks.push_back({"improvements of the best validation loss with θ = 500 and θ = 1000 on enwik8",
                      "about " + fixed_text(printed, 1) + " %", words, agrees});
}

// Statements about RoPE: the middle of the range of bases, the dimension d in the frequencies, and a cited model.
void check_background(const json& paper, std::vector<PaperCheck>& checks) {
    const json& statements = paper.at("statements");
    const json& table = paper.at("table_2").at("tinyshakespeare");
    const double low = table.front().at("theta").get<double>(), high = table.back().at("theta").get<double>();
    const double middle = std::sqrt(low * high);
    const auto midpoint = statements.at("midpoint").get<double>();
    checks.push_back({"natural midpoint of the bases " + number_text(low) + " to " + number_text(high),
                      "θ = " + number_text(midpoint),
                      "θ = " + number_text(std::round(middle)) + " (geometric mean; the frequencies are powers of θ)",
                      std::abs(midpoint / middle - 1) < 0.1});
    const json& d = statements.at("d_of_frequencies");
    checks.push_back(
        {"meaning of d in the frequencies θ^(−2i/d)", d[0].get<std::string>(), d[1].get<std::string>(), d[0] == d[1]});
    checks.push_back({"models that the paper cites as using RoPE", statements.at("bloom").get<std::string>(),
                      "BLOOM has ALiBi and no RoPE (its model card and config.json)", false});
}

double rounding_of_equal_losses(double baseline) {
    return 100 * 2 * half_digit / baseline + 2 * half_hundredth;
}

void check_equal_losses(const json& paper, std::vector<PaperCheck>& checks) {
    for (const auto& [name, table] : paper.at("table_2").items()) {
        const double baseline = mean_of(row_of_theta(table, 10000).at("best_validation_loss"));
        std::map<double, std::set<double>> gains;  // improvements by printed loss
        std::map<double, int> bases;
        for (const json& row : table) {
            const double loss = mean_of(row.at("best_validation_loss"));
            gains[loss].insert(row.at("improvement_percent").get<double>());
            ++bases[loss];
        }
        for (const auto& [loss, printed] : gains) {
            if (bases[loss] < 2) continue;
            // Losses that are printed alike differ by up to one unit of the last digit, and both gains are rounded.
            const double rounding = rounding_of_equal_losses(baseline);
            const std::string words = joined(printed, " and ", [](double gain) { return fixed_text(gain, 2) + " %"; });
            checks.push_back(
                {"equal best validation losses at " + std::to_string(bases[loss]) + " bases on " + name + " (" +
                     fixed_text(loss, 4) + ")",
                 "improvements of " + words,
                 "equal losses have equal improvements, up to " + fixed_text(rounding, 3) + " % by rounding",
                 *printed.rbegin() - *printed.begin() <= rounding});
        }
    }
}

void check_table_3(const json& paper, std::vector<PaperCheck>& checks) {
    const json& table = paper.at("table_3");
    const json& baseline = row_of_theta(table, 10000);
    for (const json& row : table) {
        const double increase = 100 * (mean_of(row.at("seconds")) / mean_of(baseline.at("seconds")) - 1);
        const auto printed = row.at("increase_percent").get<double>();
        checks.push_back({"increase in training time with " + theta_text(row), fixed_text(printed, 1) + " %",
                          fixed_text(increase, 1) + " %", std::abs(printed - increase) <= 0.1});
        const double slowdown =
            mean_of(baseline.at("generated_tokens_per_second")) / mean_of(row.at("generated_tokens_per_second"));
        const auto printed_value = row.at("slowdown").get<double>();
        checks.push_back({"slowdown of generation with " + theta_text(row), fixed_text(printed_value, 2) + " times",
                          fixed_text(slowdown, 2) + " times", std::abs(printed_value - slowdown) <= 0.011});
    }
}

// A U-shaped curve has one extremum. The check lists the extrema of the printed losses.
void check_shape(const json& paper, std::vector<PaperCheck>& checks) {
    const json& table = paper.at("table_2").at("tinyshakespeare");
    std::vector<std::string> extrema;
    for (std::size_t i = 1; i + 1 < table.size(); ++i) {
        const double previous = mean_of(table[i - 1].at("best_validation_loss"));
        const double current = mean_of(table[i].at("best_validation_loss"));
        const double next = mean_of(table[i + 1].at("best_validation_loss"));
        if (current < previous && current < next) extrema.push_back("a minimum at " + theta_text(table[i]));
        if (current > previous && current > next) extrema.push_back("a maximum at " + theta_text(table[i]));
    }
    checks.push_back({"shape of the loss over θ on tinyshakespeare",
                      paper.at("statements").at("shape").get<std::string>() + " (one extremum)", joined(extrema),
                      extrema.size() == 1});
}

std::vector<PaperCheck> theta_checks() {
    const json& paper = theta_paper();
    std::vector<PaperCheck> checks;
    for (const auto& [name, table] : paper.at("table_2").items()) check_improvements(table, name, checks);
    check_equal_losses(paper, checks);
    check_significance(paper, checks);
    check_shape(paper, checks);
    check_speeds(paper, checks);
    check_slowdowns(paper, checks);
    check_lower_thetas(paper, checks);
    check_table_3(paper, checks);
    check_background(paper, checks);
    return checks;
}

// The accuracy rounds to the printed one, with two decimals. The evaluation harness divides by n − 1.
bool is_binomial_error(double accuracy, double error, int n) {
    double low = 1, high = 0;
    for (const double rounding : {-half_hundredth, 0.0, half_hundredth}) {
        const double p = std::clamp(accuracy + rounding, 0.0, 1.0);
        const double own = std::sqrt(p * (1 - p) / (n - 1));
        low = std::min(low, own);
        high = std::max(high, own);
    }
    return low <= error + half_hundredth && high >= error - half_hundredth;
}

// Table 3: standard errors against the number of questions, and accuracies against the numbers of correct answers that
// the paper's repository publishes for three benchmarks.
void check_benchmarks(const json& paper, std::vector<PaperCheck>& checks) {
    const json& benchmarks = paper.at("benchmarks");
    const json& rows = paper.at("benchmark_accuracy");
    const std::string all = std::to_string(rows.size());
    for (std::size_t i = 0; i < benchmarks.size(); ++i) {
        const auto name = benchmarks[i].at("name").get<std::string>();
        const auto n = benchmarks[i].at("questions").get<int>();
        std::size_t binomial = 0, equal = 0;
        bool is_published = false;
        for (const json& row : rows) {
            const double accuracy = row.at("accuracy")[i].get<double>();
            binomial += is_binomial_error(accuracy, row.at("stderr")[i].get<double>(), n) ? 1 : 0;
            const json& outputs = row.at("correct_in_outputs");
            if (!outputs.contains(name)) continue;
            is_published = true;
            const double recomputed = outputs.at(name).get<double>() / n;
            equal += std::abs(recomputed - accuracy) <= half_hundredth + 1e-9 ? 1 : 0;
        }
        checks.push_back({"standard errors of " + name + " in Table 3", all + " standard errors",
                          std::to_string(binomial) + " of " + all + " equal the binomial standard error for " +
                              std::to_string(n) + " questions, within rounding",
                          binomial == rows.size()});
        if (!is_published) continue;
        checks.push_back({"accuracies on " + name + " in Table 3", all + " accuracies",
                          std::to_string(equal) + " of " + all + " agree with the published evaluation outputs",
                          equal == rows.size()});
    }
}

std::vector<PaperCheck> partial_checks() {
    const json& paper = partial_rope_paper();
    std::vector<PaperCheck> checks;
    for (const json& model : paper.at("table_1")) {
        const auto name = model.at("model").get<std::string>();
        const auto head = model.at("head_dim").get<int>();
        for (const json& rotated : model.at("rotated")) {
            const auto fraction = rotated.at("fraction").get<double>();
            const auto channels = rotated.at("channels").get<int>();
            const int rounded = rotary_dim(head, fraction);
            checks.push_back({"rotated channels of " + name + " at " + percent_text(fraction) + " %",
                              std::to_string(channels), std::to_string(rounded), channels == rounded});
            if (fraction != 0.1) continue;
            const double saving = static_cast<double>(head) / channels;
            checks.push_back({"reduction of the RoPE cache of " + name + " at 10 %",
                              "up to " + number_text(paper.at("cache_saving").get<double>()) + " times",
                              fixed_text(saving, 2) + " times",
                              saving <= paper.at("cache_saving").get<double>() + 0.5});  // a whole number is printed
        }
    }
    for (const json& row : paper.at("lambada_perplexity")) {
        const double mean = (mean_of(row.at("openai")) + mean_of(row.at("standard"))) / 2;
        const double printed = mean_of(row.at("both"));
        checks.push_back({"mean LAMBADA perplexity of " + row.at("config").get<std::string>() + ", " +
                              row.at("rope").get<std::string>(),
                          fixed_text(printed, 2), fixed_text(mean, 2), std::abs(mean - printed) <= 0.011});
    }
    check_benchmarks(paper, checks);
    const json& wording = paper.at("wording");
    checks.push_back({"effect of better data on the loss", "abstract: " + wording.at("abstract").get<std::string>(),
                      "RQ2: " + wording.at("research_question_2").get<std::string>(), false});
    return checks;
}

std::vector<PaperCheck> post_checks() {
    const PrintedLetterBits printed = printed_letter_bits();
    const LetterBits bits = letter_bits(printed.p_a);
    std::vector<PaperCheck> checks;
    const auto check = [&](const std::string& what, double printed_value, double recomputed) {
        checks.push_back({what, number_text(printed_value) + " bits", fixed_text(recomputed, 3) + " bits",
                          std::abs(printed_value - recomputed) <= 0.005});
    };
    check("code length of the letter A at p(A) = 0.9", printed.bits.a, bits.a);
    check("code length of the letter B at p(B) = 0.1", printed.bits.b, bits.b);
    check("mean code length per letter", printed.bits.average, bits.average);
    return checks;
}

std::vector<PaperCheck> glu_checks() {
    const json& table = glu_variants();
    const auto whole = [&](const char* key) { return table.at(key).get<std::int64_t>(); };
    const std::int64_t plain = 2 * whole("width") * whole("hidden_width");
    const std::int64_t gated = 3 * whole("width") * whole("gated_hidden_width");
    std::vector<PaperCheck> checks = {{"weights of a gated network with two thirds of the hidden width",
                                       "as many as in a network without a gate",
                                       std::to_string(gated) + " and " + std::to_string(plain), gated == plain}};
    for (const auto& [steps, words] : {std::pair{"steps_65536", "65,536"}, std::pair{"steps_524288", "524,288"}}) {
        std::vector<std::pair<double, std::string>> order;
        for (const json& row : table.at("log_perplexity")) {
            const json& value = row.at(steps);
            order.emplace_back(value.is_number() ? value.get<double>() : mean_of(value),
                               row.at("feed_forward").get<std::string>());
        }
        std::sort(order.begin(), order.end());
        checks.push_back({"lowest log-perplexities after " + std::string(words) + " steps", "geglu and swiglu",
                          order[0].second + " and " + order[1].second,
                          order[0].second == "geglu" && order[1].second == "swiglu"});
    }
    return checks;
}

}  // namespace

Improvement improvement_of(double mean, double baseline) {
    return {100 * (baseline - mean) / baseline, 100 * 2 * half_digit / baseline + half_hundredth};
}

std::vector<PaperCheck> paper_checks(const std::string& sheet) {
    if (sheet.starts_with("theta-")) return theta_checks();
    if (sheet == "partial-bands" || sheet == "nope-spikes") return partial_checks();
    if (sheet == "bpc") return post_checks();
    if (sheet == "glu-variants") return glu_checks();
    return {};
}

namespace {

// First setting of model or training in which a run differs from the paper's; "" if there is none. θ is the paper's
// sweep, and the size of a micro-batch does not change the result.
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

// "" if the values can be compared.
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
    for (const RunRecord& record : records) {
        if (!is_imported(record)) runs.push_back({stored_spec(record), record.state, record.text});
    }
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
