#include "core/forecast/time_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/forecast/estimate.h"
#include "core/forecast/likely_vocabulary.h"
#include "core/plan/step_cost.h"
#include "core/spec/processor.h"

namespace ropelab {

namespace {

std::size_t index_of(TimedPart part) {
    return static_cast<std::size_t>(part);
}

// Median of positive numbers; 1 for an empty list.
double median_or_one(std::vector<double> values) {
    if (values.empty()) return 1;
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

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

}  // namespace ropelab
