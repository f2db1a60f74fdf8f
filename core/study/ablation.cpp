#include "core/study/ablation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"
#include "core/base/random_stream.h"
#include "core/base/selection.h"
#include "core/run/probing.h"

namespace ropelab {

namespace {

constexpr std::uint64_t random_orders = 200;
constexpr double relative_tolerance = 0.2;
constexpr double absolute_tolerance = 0.01;  // of the variance of the logits

using PairSet = std::vector<std::int64_t>;

/// Fisher and Yates.
PairSet in_random_order(PairSet pairs, const RandomStream& stream, std::uint64_t draw) {
    for (std::size_t left = pairs.size(); left > 1; --left)
        std::swap(pairs[left - 1], pairs[stream.below(left, draw, left)]);
    return pairs;
}

/// At least one pair; the total contribution is nearest to `target`. In ascending order.
PairSet nearest_start(std::span<const double> contributions, const PairSet& pairs, double target) {
    double sum = 0;
    double least = 0;
    std::size_t size = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        sum += contributions[static_cast<std::size_t>(pairs[i])];
        const double difference = std::abs(sum - target);
        if (size > 0 && difference >= least) continue;
        least = difference;
        size = i + 1;
    }
    PairSet result(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(size));
    std::sort(result.begin(), result.end());
    return result;
}

// Enough tokens to resolve a change of 0.01 nats, and few enough for an immediate result.
constexpr std::int64_t ablation_tokens = 4096;

constexpr std::string_view kind_words[] = {"freeze", "ablate", "mean"};  // in the order of Ablation::Kind

class AblationMeter {
 public:
    AblationMeter(Model& model, const ModelPlan& plan, ProbeRequest request, Ablation::Kind kind)
        : model_(model), request_(std::move(request)), kind_(kind) {
        apply_ablation(request_, {});
        const std::vector<double> frequencies = probed_frequencies(plan, request_);
        for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
            // Freezing a pair that does not rotate changes nothing.
            const bool is_effective = kind != Ablation::Kind::stop || frequencies[pair] > 0;
            (is_effective ? effective_ : ineffective_).push_back(static_cast<std::int64_t>(pair));
        }
    }

    bool cancelled() const { return request_.cancelled && request_.cancelled(); }

    /// Curves and controls often ablate the same pairs, above all where few of them rotate.
    std::shared_ptr<const ProbeResult> with(PairSet pairs) {
        std::erase_if(pairs, [&](std::int64_t pair) { return std::ranges::count(ineffective_, pair) > 0; });
        std::shared_ptr<const ProbeResult>& result = results_[pairs];
        if (result) return result;
        apply_ablation(request_, {kind_, pairs});
        return result = std::make_shared<const ProbeResult>(model_.probe(request_));
    }

    /// None if the measurement was cancelled.
    AblationControls controls_of(const std::vector<std::int64_t>& pairs, std::int64_t count) {
        AblationControls result;
        if (count < 1 || pairs.empty()) return result;
        if (contributions_.empty()) contributions_ = pair_contributions(measure_contributions());
        if (contributions_.empty()) return result;
        std::vector<std::int64_t> ablated;
        for (const std::int64_t pair : pairs) {
            if (std::find(effective_.begin(), effective_.end(), pair) != effective_.end()) ablated.push_back(pair);
        }
        result.contribution = total_contribution(contributions_, ablated);
        for (const auto& set : control_pairs(contributions_, effective_, ablated, count)) {
            if (cancelled()) return {};
            result.draws.push_back({set, total_contribution(contributions_, set), with(set)});
        }
        return result;
    }

 private:
    ProbeResult measure_contributions() const {
        ProbeRequest request = request_;
        apply_ablation(request, {});
        request.attention = request.splits_unrotated = true;
        request.retrieval = {};
        return model_.probe(request);
    }

    Model& model_;
    ProbeRequest request_;
    Ablation::Kind kind_;
    PairSet effective_;  // pairs whose ablation can change the model
    PairSet ineffective_;
    std::map<PairSet, std::shared_ptr<const ProbeResult>> results_;  // by the effective pairs
    std::vector<double> contributions_;
};

ProbeRequest tested_request(const Checkpoint& checkpoint, const std::filesystem::path& data_dir,
                            const std::function<bool()>& cancelled) {
    ProbeRequest request =
        loss_request(corpus_of(checkpoint, data_dir)->validation, evaluated_length(checkpoint), ablation_tokens);
    request.cancelled = cancelled;
    return request;
}

/// Empty if they were not measured.
std::vector<double> sequence_means(const ProbeResult& result) {
    std::vector<double> means;
    const ProbeArray& losses = result.sequence_losses;
    if (losses.empty()) return means;
    const auto length = static_cast<std::size_t>(losses.shape[1]);
    for (std::size_t first = 0; first < losses.values.size(); first += length) {
        double sum = 0;
        for (std::size_t i = 0; i < length; ++i) sum += static_cast<double>(losses.values[first + i]);
        means.push_back(sum / static_cast<double>(length));
    }
    return means;
}

}  // namespace

std::vector<double> pair_contributions(const ProbeResult& result) {
    const ProbeArray& array = result.logit_contribution;
    if (array.empty()) return {};
    const auto columns = static_cast<std::size_t>(array.shape.back());
    std::vector<std::size_t> rows;  // without those of gated DeltaNet layers, which have no logits
    for (std::size_t row = 0; row < array.values.size() / columns; ++row) {
        if (!std::isnan(array.values[row * columns])) rows.push_back(row);
    }
    std::vector<double> means(columns - 1, 0.0);
    for (const std::size_t row : rows) {
        for (std::size_t pair = 0; pair < means.size(); ++pair)
            means[pair] += static_cast<double>(array.values[row * columns + pair]) / static_cast<double>(rows.size());
    }
    return means;
}

double total_contribution(std::span<const double> contributions, std::span<const std::int64_t> pairs) {
    double sum = 0;
    for (const std::int64_t pair : pairs) sum += contributions[static_cast<std::size_t>(pair)];
    return sum;
}

std::vector<std::vector<std::int64_t>> control_pairs(std::span<const double> contributions,
                                                     std::span<const std::int64_t> others,
                                                     std::span<const std::int64_t> ablated, std::int64_t count) {
    PairSet candidates;
    for (const std::int64_t pair : others) {
        if (std::find(ablated.begin(), ablated.end(), pair) == ablated.end()) candidates.push_back(pair);
    }
    if (ablated.empty() || candidates.empty()) return {};
    const double target = total_contribution(contributions, ablated);
    const double tolerance = std::max(relative_tolerance * std::abs(target), absolute_tolerance);

    const RandomStream stream(1, "ablation-controls");
    std::map<PairSet, double> differences;
    for (std::uint64_t draw = 0; draw < random_orders; ++draw) {
        PairSet set = nearest_start(contributions, in_random_order(candidates, stream, draw), target);
        const double difference = std::abs(total_contribution(contributions, set) - target);
        if (difference <= tolerance) differences.emplace(std::move(set), difference);
    }
    std::vector<std::pair<double, PairSet>> ordered;
    for (const auto& [set, difference] : differences) ordered.emplace_back(difference, set);
    std::sort(ordered.begin(), ordered.end());
    std::vector<PairSet> result;
    for (const auto& [difference, set] : ordered) {
        if (std::ssize(result) < count) result.push_back(set);
    }
    return result;
}

std::string_view word_of(Ablation::Kind kind) {
    return kind_words[static_cast<std::size_t>(kind)];
}

Ablation::Kind parse_ablation_kind(std::string_view word, std::string_view what) {
    const std::string_view asked = current_name(Alias::Kind::ablation, word);
    for (std::size_t i = 0; i < std::size(kind_words); ++i) {
        if (asked == kind_words[i]) return static_cast<Ablation::Kind>(i);
    }
    throw BadInput(std::string(what) + " is \"" + std::string(word) + "\"" + hint(word, kind_words));
}

Ablation pair_range(Ablation::Kind kind, std::int64_t first, std::int64_t last) {
    Ablation result{kind, {}};
    for (std::int64_t pair = first; pair <= last; ++pair) result.pairs.push_back(pair);
    return result;
}

std::vector<std::int64_t> parse_pairs(std::string_view text, std::int64_t count, std::string_view what) {
    const bool fast = text.starts_with("fast");
    if (fast || text.starts_with("slow")) {
        std::int64_t many = 0;
        const char* end = text.data() + text.size();
        if (std::from_chars(text.data() + 4, end, many).ptr != end || many < 1 || many > count) {
            throw BadInput(std::string(what) + " is \"" + std::string(text) + "\", but a head has " +
                           std::to_string(count) + " pairs, so the number of pairs must be from 1 to " +
                           std::to_string(count) + ", such as \"" + (fast ? "fast" : "slow") + "1\".");
        }
        return pair_range({}, fast ? 0 : count - many, fast ? many - 1 : count - 1).pairs;
    }
    std::vector<std::int64_t> pairs;
    const auto chosen = selection(text, count, what);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i]) pairs.push_back(static_cast<std::int64_t>(i));
    }
    return pairs;
}

void apply_ablation(ProbeRequest& request, const Ablation& ablation) {
    const auto pairs_if = [&](Ablation::Kind kind) {
        return ablation.kind == kind ? ablation.pairs : std::vector<std::int64_t>();
    };
    request.frozen_pairs = pairs_if(Ablation::Kind::stop);
    request.ablated_pairs = pairs_if(Ablation::Kind::remove);
    request.mean_ablated_pairs = pairs_if(Ablation::Kind::mean);
}

AblationResult measure_ablation(Engine& engine, const Checkpoint& checkpoint, const Ablation& ablation,
                                const std::filesystem::path& data_dir, const std::function<bool()>& cancelled,
                                std::int64_t controls) {
    const ProbeRequest request = tested_request(checkpoint, data_dir, cancelled);
    const auto model = model_of(engine, checkpoint);
    const ModelPlan plan = plan_of(checkpoint);
    AblationMeter meter(*model, plan, request, ablation.kind);
    AblationResult result{ablation, checkpoint.iteration, meter.with({}), meter.with(ablation.pairs), {}};
    if (!meter.cancelled()) result.controls = meter.controls_of(ablation.pairs, controls);
    return result;
}

AblationCurve measure_ablation_curve(Engine& engine, const Checkpoint& checkpoint, Ablation::Kind kind,
                                     const std::filesystem::path& data_dir, const std::function<bool()>& cancelled,
                                     std::int64_t controls) {
    const ProbeRequest request = tested_request(checkpoint, data_dir, cancelled);
    const auto model = model_of(engine, checkpoint);
    const ModelPlan plan = plan_of(checkpoint);
    AblationMeter meter(*model, plan, request, kind);
    AblationCurve curve;
    curve.kind = kind;
    curve.iteration = checkpoint.iteration;
    const std::int64_t pairs = pairs_of(plan);
    std::shared_ptr<const ProbeResult> whole;
    for (std::int64_t count = 0; count <= pairs && !meter.cancelled(); ++count) {
        const Ablation fastest = pair_range(kind, 0, count - 1);
        const Ablation slowest = pair_range(kind, pairs - count, pairs - 1);
        // Both curves are equal if no pair or every pair is ablated.
        const bool same = count == 0 || count == pairs;
        const auto fast = meter.with(fastest.pairs);
        const auto slow = same ? fast : meter.with(slowest.pairs);
        if (count == 0) whole = fast;
        curve.fast_loss.push_back(fast->loss);
        curve.slow_loss.push_back(slow->loss);
        curve.fast_accuracy.push_back(retrieval_accuracy(*fast));
        curve.slow_accuracy.push_back(retrieval_accuracy(*slow));
        curve.fast_rise.push_back(loss_rise(*whole, *fast));
        curve.slow_rise.push_back(loss_rise(*whole, *slow));
        curve.fast_accuracy_interval.push_back(retrieval_interval(*fast));
        curve.slow_accuracy_interval.push_back(retrieval_interval(*slow));
        curve.fast_controls.push_back(same ? AblationControls() : meter.controls_of(fastest.pairs, controls));
        curve.slow_controls.push_back(same ? AblationControls() : meter.controls_of(slowest.pairs, controls));
    }
    if (!whole) return curve;
    curve.sequences = whole->sequences;
    curve.length = whole->length;
    curve.retrieval_sequences = retrieval_sequences(*whole);
    return curve;
}

AblationControls measure_controls(Model& model, const ModelPlan& plan, const ProbeRequest& request,
                                  const Ablation& ablation, std::int64_t count) {
    return AblationMeter(model, plan, request, ablation.kind).controls_of(ablation.pairs, count);
}

Description loss_rise(const ProbeResult& whole, const ProbeResult& without) {
    const std::vector<double> before = sequence_means(whole);
    const std::vector<double> after = sequence_means(without);
    if (before.size() != after.size()) return {};
    std::vector<double> differences;
    for (std::size_t i = 0; i < before.size(); ++i) differences.push_back(after[i] - before[i]);
    return describe(differences);
}

nlohmann::json rise_json(const Description& rise) {
    return {{"mean", rise.mean}, {"low", rise.confidence_low}, {"high", rise.confidence_high}, {"sequences", rise.n}};
}

double retrieval_accuracy(const ProbeResult& result) {
    double recalled = 0;
    double tokens = 0;
    for (const RetrievalPoint& point : result.retrieval) {
        recalled += point.accuracy * static_cast<double>(point.tokens);
        tokens += static_cast<double>(point.tokens);
    }
    return tokens > 0 ? recalled / tokens : std::numeric_limits<double>::quiet_NaN();
}

Interval retrieval_interval(const ProbeResult& result) {
    double tokens = 0;
    double squares = 0;
    std::int64_t degrees = 0;
    for (const RetrievalPoint& point : result.retrieval) {
        tokens += static_cast<double>(point.tokens);
        const double error = point.accuracy_error * static_cast<double>(point.tokens);
        squares += error * error;
        degrees += std::max<std::int64_t>(0, point.sequences - 1);
    }
    if (degrees < 1) return {};
    return share_interval(retrieval_accuracy(result), std::sqrt(squares) / tokens, degrees);
}

std::int64_t retrieval_sequences(const ProbeResult& result) {
    std::int64_t sequences = 0;
    for (const RetrievalPoint& point : result.retrieval) sequences += point.sequences;
    return sequences;
}

}  // namespace ropelab
