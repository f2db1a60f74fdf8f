#include "core/contract/probe.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "core/base/aliases.h"
#include "core/base/error.h"

namespace ropelab {

namespace {

using Array = ProbeArray ProbeResult::*;

/// Array of a result: its name in a lab, and a letter per dimension. Equal letters are equal lengths in all arrays:
/// layers, heads, key-value heads, pairs, pairs of values, channels, distances, size of a map, experts, tokens. "F" is
/// 1 or the number of heads, a digit is itself, and "L+" is one more than "L".
struct ArrayPart {
    const char* name;
    Array member;
    std::string_view dimensions;
};

constexpr ArrayPart arrays[] = {
    {"frequencies", &ProbeResult::frequencies, "LFP"},
    {"norm.query", &ProbeResult::query_usage, "LHP"},
    {"norm.key", &ProbeResult::key_usage, "LKP"},
    {"norm.value", &ProbeResult::value_usage, "LKV"},
    {"massive.query", &ProbeResult::query_massive, "LHC"},
    {"massive.key", &ProbeResult::key_massive, "LKC"},
    {"stream.rms", &ProbeResult::stream_rms, "L+"},
    {"stream.largest", &ProbeResult::stream_largest, "L+"},
    {"gradient_norm", &ProbeResult::gradient_norm, "L2"},
    {"update_ratio", &ProbeResult::update_ratio, "L2"},
    {"accumulated_update", &ProbeResult::accumulated_update, "L2"},
    {"logit_contribution", &ProbeResult::logit_contribution, "LHP+"},
    {"weighted_logit_contribution", &ProbeResult::weighted_logit_contribution, "LHP+"},
    {"logit_by_distance", &ProbeResult::logit_by_distance, "LHD"},
    {"attention_by_distance", &ProbeResult::attention_by_distance, "LHD"},
    {"entropy", &ProbeResult::entropy, "LH"},
    {"sink", &ProbeResult::sink, "LH"},
    {"attention", &ProbeResult::attention, "LHSS"},
    {"pair_logits", &ProbeResult::pair_logits, "LHSS"},
    {"expert_shares", &ProbeResult::expert_shares, "LET"},
    {"expert_balance", &ProbeResult::expert_balance, "L1"},
    {"expert_dropped", &ProbeResult::expert_dropped, "L1"},
    {"error.logit_contribution", &ProbeResult::logit_contribution_error, "LHP+"},
    {"error.logit_by_distance", &ProbeResult::logit_by_distance_error, "LHD"},
    {"error.attention_by_distance", &ProbeResult::attention_by_distance_error, "LHD"},
    {"error.entropy", &ProbeResult::entropy_error, "LH"},
    {"error.sink", &ProbeResult::sink_error, "LH"},
};

constexpr std::int64_t retrieval_columns = 6;
constexpr std::size_t retrieval_error_columns = 6;

template <typename Numbers>
NamedTensor row_of(const char* name, const Numbers& numbers) {
    NamedTensor part{name, {std::ssize(numbers)}, {}};
    for (const auto number : numbers) part.values.push_back(static_cast<float>(number));
    return part;
}

/// The rounding of NaN or of a number beyond 2^53 would be undefined.
std::int64_t whole(float number) {
    if (!(std::abs(number) < 9e15F))
        throw BadInput("A count in a stored measurement (snapshot) is not a valid number; the lab file is damaged.");
    return static_cast<std::int64_t>(std::llround(number));
}

/// Number of sequences and standard errors of each lag. Earlier versions do not have this tensor.
NamedTensor retrieval_errors(const std::vector<RetrievalPoint>& points) {
    NamedTensor part{"error.retrieval", {std::ssize(points), retrieval_error_columns}, {}};
    for (const RetrievalPoint& point : points) {
        for (const double number : {static_cast<double>(point.sequences), point.accuracy_error, point.loss_error,
                                    point.first_accuracy_error, point.first_loss_error, point.gain_error}) {
            part.values.push_back(static_cast<float>(number));
        }
    }
    return part;
}

/// Ignores a tensor of a different number of lags.
void set_retrieval_errors(std::vector<RetrievalPoint>& points, std::span<const float> values) {
    if (values.size() != points.size() * retrieval_error_columns) return;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto row = values.subspan(i * retrieval_error_columns, retrieval_error_columns);
        points[i].sequences = whole(row[0]);
        points[i].accuracy_error = static_cast<double>(row[1]);
        points[i].loss_error = static_cast<double>(row[2]);
        points[i].first_accuracy_error = static_cast<double>(row[3]);
        points[i].first_loss_error = static_cast<double>(row[4]);
        points[i].gain_error = static_cast<double>(row[5]);
    }
}

/// First distance of each group, followed by `count`, the end of the last group.
std::vector<std::int64_t> groups(std::int64_t count, std::int64_t max_distances) {
    const std::int64_t single = max_distances / 2;
    const double growth = std::pow(static_cast<double>(count) / static_cast<double>(single),
                                   1.0 / static_cast<double>(max_distances - single));
    std::vector<std::int64_t> starts;
    for (std::int64_t i = 0; i <= single; ++i) starts.push_back(i);
    for (std::int64_t i = 1; i < max_distances - single; ++i) {
        const auto start = std::llround(static_cast<double>(single) * std::pow(growth, static_cast<double>(i)));
        if (start > starts.back() && start < count) starts.push_back(start);
    }
    starts.push_back(count);
    return starts;
}

/// Means per group. A distance Δ has the weight `length − Δ`, its number of query-key pairs in a sequence.
ProbeArray grouped(const ProbeArray& curves, const std::vector<std::int64_t>& starts, std::int64_t length) {
    if (curves.empty()) return curves;
    const std::int64_t count = curves.shape.back();
    const std::int64_t group_count = std::ssize(starts) - 1;
    ProbeArray result{curves.shape, {}};
    result.shape.back() = group_count;
    for (std::int64_t row = 0; row < std::ssize(curves.values) / count; ++row) {
        for (std::int64_t group = 0; group < group_count; ++group) {
            double sum = 0;
            double weight = 0;
            for (std::int64_t distance = starts[group]; distance < starts[group + 1]; ++distance) {
                const auto pairs = static_cast<double>(length - distance);
                sum += pairs * curves.values[static_cast<std::size_t>(row * count + distance)];
                weight += pairs;
            }
            result.values.push_back(static_cast<float>(sum / weight));
        }
    }
    return result;
}

void clear_contradictory_experts(ProbeResult& result) {
    const auto is_column = [&](const ProbeArray& array) {
        return array.empty() || array.shape == std::vector<std::int64_t>{result.expert_shares.shape.front(), 1};
    };
    const ProbeArray& shares = result.expert_shares;
    if (shares.shape.size() == 3 && shares.shape.back() == std::ssize(result.expert_tokens) &&
        is_column(result.expert_balance) && is_column(result.expert_dropped)) {
        return;
    }
    result.expert_tokens.clear();
    result.expert_shares = result.expert_balance = result.expert_dropped = {};
}

/// Throws BadInput for contradictory shapes, as in a damaged file.
void check_shapes(const ProbeResult& result) {
    std::map<char, std::int64_t> lengths = {{'1', 1}, {'2', 2}};
    if (!result.distances.empty()) lengths['D'] = std::ssize(result.distances);
    if (!result.map_tokens.empty()) lengths['S'] = std::ssize(result.map_tokens);
    for (const auto& [name, member, dimensions] : arrays) {
        const std::vector<std::int64_t>& shape = (result.*member).shape;
        if (shape.empty()) continue;
        bool fits = true;
        std::size_t at = 0;
        for (const char letter : dimensions) {
            if (letter == '+') continue;
            fits = fits && at < shape.size();
            if (!fits) break;
            const bool one_more = dimensions.find(std::string{letter, '+'}) != std::string_view::npos;
            const std::int64_t length = shape[at++] - (one_more ? 1 : 0);
            if (letter == 'F' && length == 1) continue;
            fits = lengths.try_emplace(letter == 'F' ? 'H' : letter, length).first->second == length;
        }
        if (!fits || at != shape.size()) {
            throw BadInput("In a stored measurement (snapshot), the shape of the part \"" + std::string(name) +
                           "\" contradicts the other parts; the lab file is damaged.");
        }
    }
}

}  // namespace

std::span<const float> ProbeArray::row(std::int64_t first, std::int64_t second) const {
    std::int64_t size = 1;
    for (std::size_t i = 2; i < shape.size(); ++i) size *= shape[i];
    return std::span(values).subspan(static_cast<std::size_t>((first * shape.at(1) + second) * size),
                                     static_cast<std::size_t>(size));
}

double RetrievalPoint::gain_standard_error() const {
    if (sequences > 1) return gain_error;
    const double variance = accuracy * (1 - accuracy) + first_accuracy * (1 - first_accuracy);
    return tokens > 0 ? std::sqrt(variance / static_cast<double>(tokens)) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<NamedTensor> parts_of(const ProbeResult& result) {
    std::vector<NamedTensor> parts;
    if (result.sequences == 0) return parts;
    parts.push_back(row_of("sequences", std::vector<std::int64_t>{result.sequences, result.length}));
    for (const auto& [name, member, dimensions] : arrays) {
        const ProbeArray& array = result.*member;
        if (!array.empty()) parts.push_back({name, array.shape, array.values});
    }
    if (!result.distances.empty()) parts.push_back(row_of("distances", result.distances));
    if (!result.map_tokens.empty()) parts.push_back(row_of("map_tokens", result.map_tokens));
    if (!result.expert_tokens.empty()) parts.push_back(row_of("expert_tokens", result.expert_tokens));
    if (!result.loss_by_position.empty()) parts.push_back(row_of("loss_by_position", result.loss_by_position));
    parts.push_back(row_of("loss", std::vector<double>{result.loss}));
    if (!result.loss_by_position_error.empty()) {
        parts.push_back(row_of("error.loss_by_position", result.loss_by_position_error));
        parts.push_back(row_of("error.loss", std::vector<double>{result.loss_error}));
    }
    if (!result.retrieval.empty()) {
        NamedTensor points{"retrieval", {std::ssize(result.retrieval), retrieval_columns}, {}};
        for (const RetrievalPoint& point : result.retrieval) {
            for (const double number : {static_cast<double>(point.lag), static_cast<double>(point.tokens),
                                        point.accuracy, point.loss, point.first_accuracy, point.first_loss}) {
                points.values.push_back(static_cast<float>(number));
            }
        }
        parts.push_back(std::move(points));
        parts.push_back(retrieval_errors(result.retrieval));
    }
    return parts;
}

ProbeResult probe_result_of(std::span<const NamedTensor> parts) {
    ProbeResult result;
    result.loss = std::numeric_limits<double>::quiet_NaN();
    std::span<const float> errors_of_retrieval;
    for (const NamedTensor& part : parts) {
        const auto& values = part.values;
        const std::string_view part_name = current_name(Alias::Kind::snapshot, part.name);
        for (const auto& [name, member, dimensions] : arrays) {
            if (part_name == name) result.*member = {part.shape, values};
        }
        if (part_name == "sequences" && values.size() == 2) {
            result.sequences = whole(values[0]);
            result.length = whole(values[1]);
        } else if (part_name == "distances") {
            for (const float distance : values) result.distances.push_back(whole(distance));
        } else if (part_name == "map_tokens") {
            for (const float token : values) result.map_tokens.push_back(static_cast<std::int32_t>(whole(token)));
        } else if (part_name == "expert_tokens") {
            for (const float token : values) result.expert_tokens.push_back(static_cast<std::int32_t>(whole(token)));
        } else if (part_name == "loss_by_position") {
            result.loss_by_position.assign(values.begin(), values.end());
        } else if (part_name == "error.loss_by_position") {
            result.loss_by_position_error.assign(values.begin(), values.end());
        } else if (part_name == "error.loss" && !values.empty()) {
            result.loss_error = values[0];
        } else if (part_name == "error.retrieval") {
            errors_of_retrieval = values;
        } else if (part_name == "loss" && !values.empty()) {
            result.loss = values[0];
        } else if (part_name == "retrieval") {
            for (std::size_t i = 0; i + retrieval_columns <= values.size(); i += retrieval_columns) {
                result.retrieval.push_back({whole(values[i]), whole(values[i + 1]), values[i + 2], values[i + 3],
                                            values[i + 4], values[i + 5]});
            }
        }
    }
    set_retrieval_errors(result.retrieval, errors_of_retrieval);
    clear_contradictory_experts(result);
    check_shapes(result);
    return result;
}

ProbeResult compacted(ProbeResult result, std::int64_t max_distances) {
    const std::int64_t count = std::ssize(result.distances);
    if (count <= max_distances || max_distances < 2) return result;
    const auto starts = groups(count, max_distances);
    result.logit_by_distance = grouped(result.logit_by_distance, starts, result.length);
    result.attention_by_distance = grouped(result.attention_by_distance, starts, result.length);
    result.logit_by_distance_error = grouped(result.logit_by_distance_error, starts, result.length);
    result.attention_by_distance_error = grouped(result.attention_by_distance_error, starts, result.length);
    result.distances.clear();
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) result.distances.push_back((starts[i] + starts[i + 1] - 1) / 2);
    return result;
}

namespace {

constexpr std::int64_t most_snapshots = 100;  // per run, at evaluations

std::int64_t rounded_up(std::int64_t number, std::int64_t divisor) {
    return (number + divisor - 1) / divisor;
}

}  // namespace

bool probes_at(const RunSpec& spec, std::int64_t iteration) {
    if (spec.probe_every == 0) return false;
    if (iteration >= spec.iterations) return true;
    if (iteration % spec.evaluate_every != 0)
        return iteration < spec.evaluate_every && std::has_single_bit(static_cast<std::uint64_t>(iteration));
    const std::int64_t evaluations = rounded_up(spec.iterations, spec.evaluate_every);
    const std::int64_t step = std::max(spec.probe_every, rounded_up(evaluations, most_snapshots));
    return iteration / spec.evaluate_every % step == 0;
}

std::int64_t number_of_probes(const RunSpec& spec, std::int64_t from) {
    if (spec.probe_every == 0) return 0;
    std::int64_t count = 1;  // after the last step
    if (from == 0 && spec.iterations > 0) ++count;
    for (std::int64_t step = 1; step < std::min(spec.evaluate_every, spec.iterations); step *= 2) {
        count += step >= from ? 1 : 0;
    }
    const std::int64_t evaluations = rounded_up(spec.iterations, spec.evaluate_every);
    const std::int64_t interval =
        spec.evaluate_every * std::max(spec.probe_every, rounded_up(evaluations, most_snapshots));
    return count + (spec.iterations - 1) / interval - (std::max<std::int64_t>(from, 1) - 1) / interval;
}

std::optional<std::int64_t> next_probe(const RunSpec& spec, std::int64_t iteration) {
    if (spec.probe_every == 0 || iteration >= spec.iterations) return std::nullopt;
    std::int64_t next = iteration + 1;
    while (!probes_at(spec, next)) {
        const std::int64_t power = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(next)));
        const std::int64_t evaluation = (next / spec.evaluate_every + 1) * spec.evaluate_every;
        next = std::min(next < spec.evaluate_every ? std::min(power, evaluation) : evaluation, spec.iterations);
    }
    return next;
}

bool probes_are_expensive(double probing, double training) {
    return probing > 5.0 && probing > 0.04 * training;
}

}  // namespace ropelab
