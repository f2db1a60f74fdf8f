#include "core/forecast/time_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/processor.h"
#include "core/contract/probe.h"
#include "core/data/corpus.h"
#include "core/data/json_text.h"
#include "core/data/text_source.h"
#include "core/forecast/likely_data.h"
#include "core/plan/step_cost.h"
#include "core/store/output_file.h"

namespace ropelab {

namespace {

constexpr std::int64_t probed_sequences = 8;  // about the number of sequences of a probe
constexpr double checkpoint_bytes = 12;       // per parameter: weight and two moments

// The whole validation split or evaluation_batches of it, and evaluation_batches of the training split.
double evaluated_tokens(const RunSpec& spec, double validation) {
    const auto batches = static_cast<double>(spec.evaluation_batches * spec.batch * spec.context);
    return spec.evaluation == Evaluation::whole ? validation + batches : 2.0 * batches;
}

// Operations=eager needs extra passes over memory besides the matrix products, so the factor falls with the width.
// Measured on two cores: 1.5 at width 64, 1.2 and 1.35 at 128, 1.1 at 384.
double slowdown(const RunSpec& spec) {
    return spec.operations == Operations::fused ? 1.0 : 1.0 + 32.0 / static_cast<double>(spec.width);
}

std::size_t index_of(TimedPart part) {
    return static_cast<std::size_t>(part);
}

// 1 for an empty list.
double median_or_one(std::vector<double> values) {
    if (values.empty()) return 1;
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

double evaluation_operations(const RunSpec& spec, double tokens) {
    constexpr double gain = 3;  // speed of evaluation relative to training, measured on two cores at widths 64 and 128
    return forward_operations(spec, likely_vocabulary(spec)) * tokens / gain;
}

double operations_per_step(const RunSpec& spec) {
    const std::int64_t split =
        find_language(spec.data) ? split_sizes(spec.data_length, spec.split).validation : unknown_validation_tokens;
    return training_operations(spec, likely_vocabulary(spec)) +
           evaluation_operations(spec, evaluated_tokens(spec, static_cast<double>(split))) /
               static_cast<double>(spec.evaluate_every);
}

double tokens_to_generate(const RunSpec& spec, std::int64_t length, bool rolling) {
    const auto context = static_cast<double>(spec.context);
    const auto all = static_cast<double>(length);
    const double within = std::min(context, all);
    if (spec.operations == Operations::eager) return within * within / 2 + (all - within) * context;
    return rolling ? all : within + (all - within) * context;
}

CohortWork cohort_work(const RunSpec& spec, std::int64_t runs, std::int64_t from, double validation,
                       bool loads_engine) {
    const auto members = static_cast<double>(runs);
    const std::int64_t vocabulary = likely_vocabulary(spec);
    const auto steps = static_cast<double>(std::max<std::int64_t>(0, spec.iterations - from));
    const double evaluations = 1 + std::floor(steps / static_cast<double>(spec.evaluate_every));
    const double forward = forward_operations(spec, vocabulary) * slowdown(spec);
    const double step = members * training_operations(spec, vocabulary) * slowdown(spec);
    // The test split of 90/5/5 is as long as the validation split.
    const double last = (spec.evaluation == Evaluation::whole ? 0.0 : validation) +
                        (spec.split == Split::ninety_five_five ? validation : 0.0);
    const double samples = spec.sample_length > 0 ? evaluations : 0;
    const auto probes = static_cast<double>(number_of_probes(spec, from));
    const double sampled = samples * static_cast<double>(spec.sample_length);
    CohortWork work;
    const auto part = [&work](TimedPart which) -> PartWork& { return work[index_of(which)]; };
    part(TimedPart::start) = {1, loads_engine ? 1.0 : 0.0, step};
    part(TimedPart::steps) = {steps, steps * members, steps * step};
    part(TimedPart::evaluations) = {
        evaluations, evaluations * members,
        members * slowdown(spec) *
            evaluation_operations(spec, evaluations * evaluated_tokens(spec, validation) + last)};
    part(TimedPart::samples) = {samples, sampled, samples * tokens_to_generate(spec, spec.sample_length) * forward};
    part(TimedPart::probes) = {probes, probes * members,
                               probes * members * forward * static_cast<double>(probed_sequences * spec.context)};
    part(TimedPart::checkpoints) = {
        evaluations, evaluations * members,
        evaluations * members * checkpoint_bytes * static_cast<double>(parameter_count(spec, vocabulary))};
    return work;
}

double default_speed(const RunSpec& spec) {
    constexpr double on_device = 1e14;
    // Measured speed per core with models of width 64: 29e9 with AVX2, and 40e9 to 63e9 with bfloat16 instructions.
    constexpr double per_core = 25e9;
    constexpr double per_core_bfloat16 = 40e9;
    if (spec.device == Device::cuda) return on_device;
    const bool uses_bfloat16 = spec.precision != Precision::float32 && processor_multiplies_bfloat16();
    return (uses_bfloat16 ? per_core_bfloat16 : per_core) * std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
}

TimeModel::TimeModel(std::vector<TimedCohort> cohorts) {
    std::map<TimeKey, std::vector<const TimedCohort*>> by_key;
    for (const TimedCohort& cohort : cohorts) {
        by_key[cohort.key].push_back(&cohort);
        const PartWork& steps = cohort.work[index_of(TimedPart::steps)];
        if (cohort.chose_precision && steps.items > 0) {
            automatic_precisions_[steps.operations / steps.items] = cohort.key.precision;
        }
        automatic_device_ = cohort.key.device;
    }
    for (const auto& [key, members] : by_key) {
        Fit fit = defaults(key);
        for (std::size_t part = 0; part < timed_part_count; ++part) fit[part] = fitted(members, part, fit[part]);
        fits_[key] = fit;
    }
}

TimeModel TimeModel::at_speed(double operations_per_second) {
    TimeModel model;
    model.speed_ = operations_per_second;
    return model;
}

std::span<const DevicePeak> device_peaks() {
    static constexpr auto all = std::to_array<DevicePeak>({
        {"A100", 312e12, "https://www.nvidia.com/en-us/data-center/a100/"},
        {"H100", 989e12, "https://www.nvidia.com/en-us/data-center/h100/ (SXM)"},
        {"H100-PCIe", 756e12, "https://www.nvidia.com/en-us/data-center/h100/"},
        {"H200", 989e12, "https://www.nvidia.com/en-us/data-center/h200/"},
        {"B200", 2250e12, "https://nvdam.widen.net/s/wwnsxrhm2w/blackwell-datasheet-3384703"},
        {"L40S", 362e12, "https://resources.nvidia.com/en-us-l40s/l40s-datasheet-28413"},
        {"MI300X", 1300e12, "https://www.amd.com/en/products/accelerators/instinct/mi300/mi300x.html"},
    });
    return all;
}

TimeModel TimeModel::of_device(const std::string& text) {
    double speed = 0;
    std::string words = " trillion operations per second";
    try {
        speed = parse_number(text);
    } catch (const BadInput&) {
        const DevicePeak& device = item_named(device_peaks(), text, "device");
        speed = peak_share * device.operations;
        words += ", " + number_text(100 * peak_share) + " % of the peak of " + std::string(device.name);
    }
    if (!(speed >= 1e6 && speed <= 1e21)) {
        throw BadInput("The device speed is " + text +
                       ", but it must be between 1e6 and 1e21 floating-point operations per second.");
    }
    TimeModel model = at_speed(speed);
    model.place_ = "at " + number_text(std::round(speed / 1e10) / 100) + words;
    return model;
}

std::string TimeModel::duration(double seconds) const {
    return speed_ > 0 ? duration_text(seconds) : expected_duration(seconds);
}

double TimeModel::seconds(const TimeKey& key, TimedPart part, const PartWork& work) const {
    if (speed_ > 0) {
        const bool counts = part == TimedPart::steps || part == TimedPart::evaluations;
        return counts ? work.operations / speed_ : 0;
    }
    const auto found = fits_.find(key);
    const Fit fit = found == fits_.end() ? defaults(key) : found->second;
    const auto& [per_call, per_item, per_operation] = fit[index_of(part)];
    return per_call * work.calls + per_item * work.items + per_operation * work.operations;
}

double TimeModel::seconds(const TimeKey& key, const CohortWork& work) const {
    double total = 0;
    for (std::size_t part = 0; part < timed_part_count; ++part) {
        total += seconds(key, static_cast<TimedPart>(part), work[part]);
    }
    return total;
}

TimeKey time_key(const RunSpec& spec, std::string device, std::string precision) {
    return {processor_name(), std::move(device), std::move(precision), spec.threads,
            spec.operations == Operations::eager};
}

TimeKey TimeModel::key_of(const RunSpec& spec) const {
    TimeKey key = time_key(spec, "cpu", "float32");
    if (spec.device == Device::cuda || (spec.device == Device::automatic && automatic_device_ == "cuda")) {
        key.device = "cuda";
    }
    const double operations = training_operations(spec, likely_vocabulary(spec));
    const bool rounds = spec.precision == Precision::automatic
                            ? (automatic_precisions_.empty() ? key.device == "cuda" || processor_multiplies_bfloat16()
                                                             : automatic_precision(operations) == "bfloat16")
                            : spec.precision == Precision::bfloat16;
    if (rounds) key.precision = "bfloat16";
    return key;
}

const std::string& TimeModel::automatic_precision(double operations) const {
    const auto above = automatic_precisions_.lower_bound(operations);
    if (above == automatic_precisions_.end()) return std::prev(above)->second;
    if (above == automatic_precisions_.begin()) return above->second;
    const auto below = std::prev(above);
    return operations * operations < below->first * above->first ? below->second : above->second;
}

// Measured on two cores with AVX-512; the speed scales with the number of cores.
TimeModel::Fit TimeModel::defaults(const TimeKey& key) {
    RunSpec spec;
    spec.device = key.device == "cuda" ? Device::cuda : Device::cpu;
    spec.precision = key.precision == "bfloat16" ? Precision::bfloat16 : Precision::float32;
    const double per_operation = 1 / default_speed(spec);
    Fit fit{};
    fit[index_of(TimedPart::start)] = {0.05, 1.0, 6 * per_operation};
    fit[index_of(TimedPart::steps)] = {4e-4, 1e-4, per_operation};
    fit[index_of(TimedPart::evaluations)] = {1e-3, 5e-4, per_operation};
    fit[index_of(TimedPart::samples)] = {2e-3, 2e-5, per_operation};
    fit[index_of(TimedPart::probes)] = {2e-3, 4e-3, per_operation};
    fit[index_of(TimedPart::checkpoints)] = {2e-3, 4e-3, 1e-9};
    fit[index_of(TimedPart::measuring)] = {3e-2, 2e-5, per_operation};
    return fit;
}

TimeModel::Coefficients TimeModel::fitted(const std::vector<const TimedCohort*>& cohorts, std::size_t part,
                                          Coefficients prior) {
    constexpr double pull = 0.02;      // weight of the prior proportions, in observations
    constexpr double tolerated = 0.2;  // relative error from which an observation counts less
    constexpr int rounds = 8;
    constexpr int sweeps = 200;
    constexpr double least_share = 0.02;  // of a cohort's time: shorter parts need not be predicted well
    struct Row {
        Coefficients x{};  // predicted share of each coefficient, relative to the measured time
        double y = 1;
        double weight = 1;
    };
    std::vector<Row> rows;
    std::vector<double> ratios;
    for (const TimedCohort* cohort : cohorts) {
        const PartWork& work = cohort->work[part];
        if (work.calls + work.items + work.operations <= 0) continue;
        double total = 0;
        for (const double seconds : cohort->seconds) total += seconds;
        const double measured = cohort->seconds[part];
        const double scale = std::max({measured, least_share * total, 1e-6});
        Row& row = rows.emplace_back();
        row.x = {prior[0] * work.calls / scale, prior[1] * work.items / scale, prior[2] * work.operations / scale};
        row.y = measured / scale;
        const double expected = row.x[0] + row.x[1] + row.x[2];
        if (row.y > 0 && expected > 0) ratios.push_back(row.y / expected);
    }
    if (rows.empty()) return prior;
    // The factors of the prior coefficients; all are pulled to the median ratio of measured to default time.
    const double common = median_or_one(ratios);
    Coefficients factor = {common, common, common};
    for (int round = 0; round < rounds; ++round) {
        // Sums over the rows, so that the sweeps, for which the window waits, cost the same for any number of rows.
        std::array<Coefficients, std::tuple_size_v<Coefficients>> xx{};
        Coefficients xy{};
        for (const Row& row : rows) {
            for (std::size_t j = 0; j < factor.size(); ++j) {
                xy[j] += row.weight * row.x[j] * row.y;
                for (std::size_t k = 0; k < factor.size(); ++k) xx[j][k] += row.weight * row.x[j] * row.x[k];
            }
        }
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            for (std::size_t j = 0; j < factor.size(); ++j) {
                double numerator = pull * common / (common * common) + xy[j];
                for (std::size_t k = 0; k < factor.size(); ++k) numerator -= k == j ? 0 : xx[j][k] * factor[k];
                factor[j] = std::max(0.0, numerator / (pull / (common * common) + xx[j][j]));
            }
        }
        for (Row& row : rows) {
            double error = -row.y;
            for (std::size_t k = 0; k < factor.size(); ++k) error += row.x[k] * factor[k];
            row.weight = std::abs(error) <= tolerated ? 1 : tolerated / std::abs(error);
        }
    }
    for (std::size_t j = 0; j < prior.size(); ++j) prior[j] *= factor[j];
    return prior;
}

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t recent_sweeps = 12;  // forecasts of which the range of the next is made
constexpr std::size_t fewest_for_range = 3;
constexpr std::size_t fewest_without_ends = 6;
constexpr std::size_t most_lines = 400;  // of a file; older ones are dropped
constexpr std::array<const char*, timed_part_count> timed_part_words = {
    "start", "steps", "evaluations", "samples", "probes", "checkpoints", "measuring"};

// The file of this process, and the model learned from it.
struct Learned {
    std::mutex mutex;
    fs::path file;
    fs::file_time_type time{};
    std::uintmax_t size = 0;
    std::shared_ptr<const TimeModel> model = std::make_shared<const TimeModel>();
    std::vector<Forecast> sweeps;
};
Learned& learned() {
    static Learned state;
    return state;
}

json to_json_line(const TimedCohort& cohort) {
    json line = {{"processor", cohort.key.processor}, {"device", cohort.key.device},
                 {"precision", cohort.key.precision}, {"threads", cohort.key.threads},
                 {"eager", cohort.key.eager},         {"chose_precision", cohort.chose_precision}};
    for (std::size_t part = 0; part < timed_part_count; ++part) {
        const PartWork& work = cohort.work[part];
        line[timed_part_words[part]] = {work.calls, work.items, work.operations, cohort.seconds[part]};
    }
    return line;
}

// Throws json::exception for an unreadable line.
void add_line(TimeRecords& records, const json& line) {
    if (line.contains("predicted")) {
        const Forecast forecast = {line.at("predicted").get<double>(), line.at("measured").get<double>()};
        if (forecast.measured > 0) records.sweeps.push_back(forecast);
        return;
    }
    TimedCohort cohort;
    cohort.key = {line.at("processor").get<std::string>(), line.at("device").get<std::string>(),
                  line.at("precision").get<std::string>(), line.at("threads").get<std::int64_t>(),
                  line.value("eager", false)};
    cohort.chose_precision = line.at("chose_precision").get<bool>();
    for (std::size_t part = 0; part < timed_part_count; ++part) {
        const auto numbers = line.at(timed_part_words[part]).get<std::array<double, 4>>();
        cohort.work[part] = {numbers[0], numbers[1], numbers[2]};
        cohort.seconds[part] = numbers[3];
    }
    records.cohorts.push_back(std::move(cohort));
}

std::vector<std::string> lines_of_file(const fs::path& file) {
    std::ifstream stream(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
    return lines;
}

void shorten(const fs::path& file) {
    const std::vector<std::string> lines = lines_of_file(file);
    if (lines.size() < 2 * most_lines) return;
    std::string text;
    for (std::size_t i = lines.size() - most_lines; i < lines.size(); ++i) text += lines[i] + '\n';
    write_output(file, text);
}

void append(const json& line) {
    const fs::path file = times_file();
    if (file.empty()) return;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    // One write per line, so that lines of programs that end at the same time do not mix.
    const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    {
        std::ofstream stream(file, std::ios::app | std::ios::binary);
        stream.rdbuf()->sputn(text.data(), std::ssize(text));
    }
    try {
        shorten(file);
    } catch (const std::exception&) {  // a longer file is no reason to stop
    }
}

std::string percent_words(double part) {
    return number_text(std::round(100 * part)) + " %";
}

}  // namespace

fs::path user_times_file() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return value ? fs::path(value) : fs::path();
    };
    if (const fs::path data = variable("XDG_DATA_HOME"); data.is_absolute()) return data / "ropelab" / "times.jsonl";
    const fs::path home = variable("HOME");
    return home.empty() ? fs::path() : home / ".local" / "share" / "ropelab" / "times.jsonl";
}

void use_times_file(const fs::path& file) {
    Learned& state = learned();
    const std::lock_guard lock(state.mutex);
    state.file = file;
    state.size = 0;
    state.time = {};
    state.model = std::make_shared<const TimeModel>();
    state.sweeps.clear();
}

fs::path times_file() {
    Learned& state = learned();
    const std::lock_guard lock(state.mutex);
    return state.file;
}

TimeRecords read_times(const fs::path& file) {
    TimeRecords records;
    for (const std::string& line : lines_of_file(file)) {
        try {
            add_line(records, parse_bounded(line));
        } catch (const json::exception&) {  // of a newer version, or cut off by a full disk
        }
    }
    return records;
}

void store_time(const TimedCohort& cohort) {
    append(to_json_line(cohort));
}

void store_time(const Forecast& forecast) {
    append({{"predicted", forecast.predicted}, {"measured", forecast.measured}});
}

std::shared_ptr<const TimeModel> machine_time_model() {
    Learned& state = learned();
    const std::lock_guard lock(state.mutex);
    std::error_code error;
    const auto size = state.file.empty() ? 0 : fs::file_size(state.file, error);
    if (state.file.empty() || error) return state.model;
    const auto time = fs::last_write_time(state.file, error);
    if (error || (size == state.size && time == state.time)) return state.model;
    state.size = size;
    state.time = time;
    TimeRecords records = read_times(state.file);
    state.model = std::make_shared<const TimeModel>(std::move(records.cohorts));
    state.sweeps = std::move(records.sweeps);
    return state.model;
}

std::array<double, 2> time_range(double seconds, const std::vector<Forecast>& sweeps) {
    if (sweeps.size() < fewest_for_range) return {seconds / 2, seconds * 2};
    std::vector<double> factors;
    for (std::size_t i = sweeps.size() - std::min(sweeps.size(), recent_sweeps); i < sweeps.size(); ++i)
        factors.push_back(sweeps[i].measured / sweeps[i].predicted);
    std::sort(factors.begin(), factors.end());
    // One sweep beside other programs, or on an idle machine, does not widen the range for the next twelve.
    const std::size_t outliers = factors.size() < fewest_without_ends ? 0 : 1;
    return {std::min(1.0, factors[outliers]) * seconds,
            std::max(1.0, factors[factors.size() - 1 - outliers]) * seconds};
}

std::string expected_duration(double seconds) {
    machine_time_model();  // reads the file again if it has changed
    Learned& state = learned();
    const std::lock_guard lock(state.mutex);
    const auto [low, high] = time_range(seconds, state.sweeps);
    const std::string first = duration_text(low);
    const std::string last = duration_text(high);
    return first == last ? first : first + " to " + last;
}

std::vector<double> forecast_errors(const std::vector<Forecast>& sweeps, std::size_t most) {
    std::vector<double> errors;
    const std::size_t first = sweeps.size() > most ? sweeps.size() - most : 0;
    for (std::size_t i = first; i < sweeps.size(); ++i) {
        errors.push_back(std::abs(sweeps[i].predicted - sweeps[i].measured) / sweeps[i].measured);
    }
    return errors;
}

std::string forecast_words(const std::vector<Forecast>& sweeps) {
    std::vector<double> errors = forecast_errors(sweeps);
    if (errors.empty()) return {};
    std::sort(errors.begin(), errors.end());
    const std::size_t n = errors.size();
    const double median = n % 2 == 1 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2;
    const std::string last = n == 1 ? "last sweep" : "last " + std::to_string(n) + " sweeps";
    return "Estimated training times of the " + last + ": median error " + percent_words(median) + ", largest " +
           percent_words(errors.back()) + ".";
}

}  // namespace ropelab
