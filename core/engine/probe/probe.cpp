#include "core/engine/probe/probe.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/engine/model/torch_model.h"
#include "core/engine/operations/clear_errors.h"
#include "core/engine/operations/fused.h"
#include "core/engine/operations/own_passes.h"
#include "core/engine/parts/routing.h"
#include "core/engine/probe/attention_probe.h"

namespace ropelab {

namespace {

constexpr std::int64_t most_map_numbers = std::int64_t{1} << 26;

// Standard deviation / √n from the sum of squares; 0 if n < 2.
double standard_error(double mean, double squares, std::int64_t count) {
    if (count < 2) return 0;
    const auto n = static_cast<double>(count);
    return std::sqrt(std::max(0.0, squares - n * mean * mean) / (n * (n - 1)));
}

// (sequences, length). Targets of −1 have loss 0.
struct BatchResult {
    std::int64_t first = 0;  // index of the first sequence
    std::int64_t sequences = 0;
    torch::Tensor losses;   // float64, on the CPU
    torch::Tensor correct;  // bool, on the CPU
};

class LossSums {
 public:
    // `keeps_sequences`: whether to keep the losses of each sequence.
    LossSums(const ProbeSequences& sequences, bool keeps_sequences)
        : sequences_(sequences),
          keeps_sequences_(keeps_sequences),
          by_position_(torch::zeros({sequences.length}, torch::kFloat64)),
          squares_(torch::zeros({sequences.length}, torch::kFloat64)) {}

    // Batches must come in the order of the sequences.
    void add(const BatchResult& batch) {
        by_position_ += batch.losses.sum(0);
        squares_ += batch.losses.square().sum(0);
        const torch::Tensor means = batch.losses.mean(1);
        mean_sum_ += means.sum().item<double>();
        mean_square_sum_ += means.square().sum().item<double>();
        if (!keeps_sequences_) return;
        const torch::Tensor rows = batch.losses.contiguous();
        const torch::Tensor correct = batch.correct.contiguous();
        const std::int64_t first = batch.first * sequences_.length;
        for (std::int64_t i = 0; i < rows.numel(); ++i) {
            const bool known = sequences_.targets[static_cast<std::size_t>(first + i)] >= 0;
            constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
            kept_.push_back(known ? static_cast<float>(rows.data_ptr<double>()[i]) : unknown);
            correct_.push_back(known ? static_cast<float>(correct.data_ptr<bool>()[i]) : unknown);
        }
    }

    // Means, their standard errors and, if they were kept, the losses of each sequence.
    void write(ProbeResult& result) const {
        std::vector<std::int64_t> known(static_cast<std::size_t>(sequences_.length), 0);
        for (std::size_t i = 0; i < sequences_.targets.size(); ++i) {
            if (sequences_.targets[i] >= 0) ++known[i % known.size()];
        }
        double total = 0;
        std::int64_t all = 0;
        for (std::size_t i = 0; i < known.size(); ++i) {
            const double sum = by_position_[static_cast<std::int64_t>(i)].item<double>();
            total += sum;
            all += known[i];
            result.loss_by_position.push_back(sum / static_cast<double>(known[i]));  // NaN without a known target
        }
        result.loss = total / static_cast<double>(all);
        if (all == 0) result.loss_by_position.clear();
        if (keeps_sequences_) {
            result.sequence_losses = {{sequences_.count(), sequences_.length}, kept_};
            result.sequence_correct = {result.sequence_losses.shape, correct_};
        }

        const std::int64_t count = sequences_.count();
        if (count < 2 || all != count * sequences_.length) return;
        for (std::size_t i = 0; i < known.size(); ++i) {
            const double squares = squares_[static_cast<std::int64_t>(i)].item<double>();
            result.loss_by_position_error.push_back(standard_error(result.loss_by_position[i], squares, count));
        }
        result.loss_error = standard_error(mean_sum_ / static_cast<double>(count), mean_square_sum_, count);
    }

 private:
    const ProbeSequences& sequences_;
    bool keeps_sequences_;
    torch::Tensor by_position_, squares_;        // (length) float64
    double mean_sum_ = 0, mean_square_sum_ = 0;  // of the mean losses of the sequences
    std::vector<float> kept_, correct_;          // (sequences, length)
};

class RetrievalSums {
 public:
    explicit RetrievalSums(const RetrievalTest& test) : test_(test) {}

    void add(const BatchResult& batch) {
        for (std::int64_t sequence = 0; sequence < batch.sequences; ++sequence) {
            const std::int64_t lag = test_.lags[static_cast<std::size_t>(batch.first + sequence)];
            auto& [point, count] = lags_[lag];
            point.lag = lag;
            point.tokens += test_.marked;
            ++count;
            const std::int64_t copy = test_.sequences.length - test_.marked;
            const auto sum = [&](const torch::Tensor& x, std::int64_t begin, double& sums, double& squares) {
                const double more = x[sequence].narrow(0, begin, test_.marked).sum().item<double>();
                const double mean = more / static_cast<double>(test_.marked);
                sums += more;
                squares += mean * mean;
                return mean;
            };
            const double copied = sum(batch.correct, copy, point.accuracy, point.accuracy_error);
            sum(batch.losses, copy, point.loss, point.loss_error);
            const double first = sum(batch.correct, copy - lag, point.first_accuracy, point.first_accuracy_error);
            sum(batch.losses, copy - lag, point.first_loss, point.first_loss_error);
            point.gain_error += (copied - first) * (copied - first);
        }
    }

    std::vector<RetrievalPoint> points() const {
        std::vector<RetrievalPoint> result;
        for (const auto& [lag, sums] : lags_) {
            RetrievalPoint point = sums.sums;
            point.sequences = sums.count;
            const auto tokens = static_cast<double>(point.tokens);
            for (const auto& [mean, error] :
                 {std::pair(&point.accuracy, &point.accuracy_error), std::pair(&point.loss, &point.loss_error),
                  std::pair(&point.first_accuracy, &point.first_accuracy_error),
                  std::pair(&point.first_loss, &point.first_loss_error)}) {
                *mean /= tokens;
                *error = standard_error(*mean, *error, sums.count);
            }
            point.gain_error = standard_error(point.gain(), point.gain_error, sums.count);
            result.push_back(point);
        }
        return result;
    }

 private:
    struct Lag {
        RetrievalPoint sums;     // sums over tokens; the error members are sums of the squares of the sequences' means
        std::int64_t count = 0;  // number of sequences
    };
    const RetrievalTest& test_;
    std::map<std::int64_t, Lag> lags_;
};

class ExpertSums {
 public:
    /// `experts`: those of a layer.
    ExpertSums(std::size_t layers, const Experts& experts, const ProbeSequences& sequences)
        : experts_(experts), sequences_(sequences) {
        for (const std::int32_t token : sequences.tokens) column_of_.emplace(token, 0);
        std::int64_t column = 0;
        for (auto& [token, place] : column_of_) place = column++;
        counts_.resize(layers * static_cast<std::size_t>(experts.E.value_or(0)) * column_of_.size());
        balance_.resize(layers);
        dropped_.resize(layers);
        choices_.resize(layers);
    }

    // Its first sequence is `first`. The record has one run.
    void add(const ExpertRecord& record, std::int64_t first) {
        const auto first_token = static_cast<std::size_t>(first * sequences_.length);
        const auto columns = static_cast<std::int64_t>(column_of_.size());
        for (const ExpertLayer& entry : record.layers) {
            const auto layer = static_cast<std::size_t>(entry.layer);
            const Routing& routing = entry.routing.front();
            const auto choices = static_cast<double>(routing.choices());
            balance_[layer] += choices * entry.balance.item<double>();
            choices_[layer] += choices;
            for (std::size_t choice = 0; choice < routing.expert.size(); ++choice) {
                const std::size_t token = first_token + choice / static_cast<std::size_t>(routing.per_token);
                const std::int64_t column = column_of_.at(sequences_.tokens[token]);
                const std::int64_t row = entry.layer * routing.experts + routing.expert[choice];
                counts_[static_cast<std::size_t>(row * columns + column)] += 1;
            }
            const auto tokens = static_cast<std::int64_t>(routing.expert.size()) / routing.per_token;
            const std::int64_t capacity =
                expert_capacity_of(experts_.capacity, tokens, routing.experts, routing.per_token);
            if (capacity == 0) continue;
            for (const std::int64_t count : routing.counts) {
                dropped_[layer] += static_cast<double>(std::max<std::int64_t>(0, count - capacity));
            }
        }
    }

    // expert_tokens, expert_shares, expert_balance and expert_dropped.
    void write(ProbeResult& result) const {
        for (const auto& [token, column] : column_of_) result.expert_tokens.push_back(token);
        const auto columns = static_cast<std::int64_t>(column_of_.size());
        const std::int64_t experts = experts_.E.value_or(0);
        result.expert_shares.shape = {std::ssize(choices_), experts, columns};
        result.expert_balance.shape = {std::ssize(choices_), 1};
        result.expert_dropped.shape = {std::ssize(choices_), 1};
        const auto per_layer = static_cast<std::size_t>(experts * columns);
        for (std::size_t layer = 0; layer < choices_.size(); ++layer) {
            const auto share = [&](double sum) {
                return static_cast<float>(choices_[layer] > 0 ? sum / choices_[layer] : 0.0);
            };
            for (std::size_t i = 0; i < per_layer; ++i) {
                result.expert_shares.values.push_back(share(counts_[layer * per_layer + i]));
            }
            result.expert_balance.values.push_back(share(balance_[layer]));
            result.expert_dropped.values.push_back(share(dropped_[layer]));
        }
    }

 private:
    const Experts experts_;
    const ProbeSequences& sequences_;
    std::map<std::int32_t, std::int64_t> column_of_;  // of each distinct token
    std::vector<double> counts_;                      // layers × experts × tokens: choices
    std::vector<double> balance_;                     // per layer: sum of the loss times the number of choices
    std::vector<double> dropped_;                     // per layer: choices beyond the capacity
    std::vector<double> choices_;                     // per layer
};

void check_windows(const ProbedModel& model, const ProbeSequences& sequences) {
    const std::int64_t context = model.plan.sizes.T;
    if (sequences.length < 1 || sequences.tokens.empty() ||
        std::ssize(sequences.tokens) != sequences.count() * sequences.length ||
        sequences.targets.size() != sequences.tokens.size()) {
        throw BadInput("The sequences to evaluate have " + std::to_string(sequences.tokens.size()) + " tokens and " +
                       std::to_string(sequences.targets.size()) + " target tokens, but each sequence requires " +
                       std::to_string(sequences.length) + " of each, and at least 1.");
    }
    if (model.plan.embedding.positions == Embedding::Positions::learned && sequences.length > context) {
        throw BadInput("This model has learned positions for " + std::to_string(context) +
                       " tokens only, so it cannot process sequences of " + std::to_string(sequences.length) + ".");
    }
    check_tokens(model.weights.layout(), sequences.tokens);
    check_tokens(model.weights.layout(), sequences.targets, true);
}

void check_pair(const ModelPlan& plan, std::int64_t pair) {
    const std::int64_t pairs = plan.layers.front().query_channels() / 2;
    if (pair < 0 || pair >= pairs) {
        throw BadInput("Pair " + std::to_string(pair) + " does not exist: a head of this model has the pairs 0 to " +
                       std::to_string(pairs - 1) + ".");
    }
}

void check_replaced(const ModelPlan& plan, const ReplacedHead& replaced) {
    const auto layers = std::ssize(plan.layers);
    const std::int64_t heads = plan.layers.front().heads();
    const std::int64_t channels = plan.layers.front().query_channels();
    const std::string where = "layer " + std::to_string(replaced.layer) + ", head " + std::to_string(replaced.head);
    if (replaced.layer < 0 || replaced.layer >= layers || replaced.head < 0 || replaced.head >= heads) {
        throw BadInput("A query and a key were given for " + where + ", but this model has the layers 0 to " +
                       std::to_string(layers - 1) + " with the heads 0 to " + std::to_string(heads - 1) + ".");
    }
    if (!plan.layers[static_cast<std::size_t>(replaced.layer)].scores()) {
        throw BadInput("A query and a key were given for " + where +
                       ", but this layer is a gated DeltaNet layer, which has no attention weights to replace.");
    }
    for (const auto* vector : {&replaced.query, &replaced.key}) {
        const bool is_finite =
            std::all_of(vector->begin(), vector->end(), [](double value) { return std::isfinite(value); });
        if (std::ssize(*vector) == channels && is_finite) continue;
        throw BadInput("The query and the key for " + where + " need " + std::to_string(channels) +
                       " finite numbers each, the head dimension of this model.");
    }
}

void check_request(const ProbedModel& model, const ProbeRequest& request) {
    const ModelPlan& plan = model.plan;
    check_windows(model, request.sequences);
    if (request.attention && request.sequences.length < 2)
        throw BadInput("The sequences have 1 token, but measuring attention requires at least 2 tokens per sequence.");
    for (const std::int64_t pair : request.frozen_pairs) check_pair(plan, pair);
    for (const std::int64_t pair : request.ablated_pairs) check_pair(plan, pair);
    for (const std::int64_t pair : request.mean_ablated_pairs) check_pair(plan, pair);
    for (const ReplacedHead& replaced : request.replaced_heads) check_replaced(plan, replaced);
    if (request.map_pair >= 0) check_pair(plan, request.map_pair);
    if (request.vectors_at >= request.sequences.length) {
        throw BadInput("The query and key vectors at position " + std::to_string(request.vectors_at) +
                       " were requested, but the sequences have " + std::to_string(request.sequences.length) +
                       " tokens.");
    }
    if (request.map_size < 0 || request.map_size > request.sequences.length ||
        std::ssize(plan.layers) * plan.layers.front().heads() * request.map_size * request.map_size >
            most_map_numbers) {
        throw BadInput("Attention maps of " + std::to_string(request.map_size) +
                       " tokens were requested, but they must not exceed the sequence length or " +
                       std::to_string(most_map_numbers) + " attention weights over all layers and heads.");
    }
    if (request.scaling.method != ScalingMethod::none && !plan.rotary()) {
        throw BadInput("This model has no RoPE, so the scaling " + std::string(word_of(request.scaling.method)) +
                       " does not apply; remove the scaling.");
    }
    const RetrievalTest& retrieval = request.retrieval;
    if (retrieval.lags.empty()) return;
    check_windows(model, retrieval.sequences);
    const std::int64_t longest = *std::max_element(retrieval.lags.begin(), retrieval.lags.end());
    const std::int64_t shortest = *std::min_element(retrieval.lags.begin(), retrieval.lags.end());
    if (std::ssize(retrieval.lags) != retrieval.sequences.count() || retrieval.marked < 1 || shortest < 1 ||
        retrieval.marked + longest > retrieval.sequences.length) {
        throw BadInput(
            "The retrieval test requires one distance of at least 1 token per sequence, and sequences in which a "
            "passage of " +
            std::to_string(retrieval.marked) + " tokens is repeated " + std::to_string(longest) +
            " tokens after its first occurrence.");
    }
}

// For sequences of this length, with the request's scaling.
PositionTerms terms_of(const ProbedModel& model, const ProbeRequest& request, std::int64_t length,
                       std::span<const std::int64_t> frozen_pairs) {
    const ModelPlan plan = model.plan.changed(request.scaling, length, frozen_pairs);
    return position_terms({&plan, 1}, length, model.weights.flat().device(), &model.weights);
}

torch::Tensor to_tensor(const std::vector<std::int32_t>& numbers, std::int64_t first, std::int64_t count,
                        torch::Device device) {
    return torch::tensor(c10::ArrayRef<std::int32_t>(numbers.data() + first, static_cast<std::size_t>(count)),
                         torch::kInt64)
        .to(device);
}

// Losses (float64; 0 for targets of −1) and whether the target has the largest logit, on the CPU.
std::pair<torch::Tensor, torch::Tensor> of_targets(const ProbedModel& model, const torch::Tensor& rows,
                                                   const torch::Tensor& targets) {
    std::vector<torch::Tensor> losses, correct;
    model.decoder.each_logits(
        model.weights, rows, model.precision, [&](std::int64_t first, const torch::Tensor& logits) {
            const torch::Tensor ids = targets.narrow(1, first, logits.size(1));
            losses.push_back((token_losses(logits, ids.clamp_min(0)).to(torch::kFloat64) * ids.ge(0)).to(torch::kCPU));
            correct.push_back(logits.argmax(-1).eq(ids).to(torch::kCPU));
        });
    return {torch::cat(losses, 1), torch::cat(correct, 1)};
}

/// Calls `handle` with each batch's result, in order. Returns false if the request was cancelled. With `hook_measures`,
/// whose sums need all batches in order, several threads compute a batch together; else each computes batches that fit
/// into its cache (is_evaluated_in_pieces).
template <typename Take>
bool evaluate_batches(const ProbedModel& model, const ProbeRequest& request, const ProbeSequences& sequences,
                      const PositionTerms& terms, AttentionHook* hook, bool hook_measures, const Take& handle,
                      ExpertSums* experts = nullptr) {
    const auto device = model.weights.flat().device();
    const std::int64_t length = sequences.length;
    const bool in_pieces =
        !hook_measures && length <= rows_of_evaluations && is_evaluated_in_pieces(model.decoder, model.weights);
    // Equal pieces, because products of fewer rows are not those of the faster kernel (linear).
    const std::int64_t pieces = std::max<std::int64_t>(1, sequences.count() * length / rows_of_evaluations);
    const std::int64_t batch_size =
        in_pieces ? (sequences.count() + pieces - 1) / pieces : std::clamp<std::int64_t>(8192 / length, 1, 256);
    const auto evaluated = [&](std::int64_t first) {
        const std::int64_t count = std::min(batch_size, sequences.count() - first);
        const torch::Tensor x =
            to_tensor(sequences.tokens, first * length, count * length, device).view({1, count, length});
        const torch::Tensor targets =
            to_tensor(sequences.targets, first * length, count * length, device).view({1, count * length});
        ExpertRecord record;
        const torch::Tensor rows = model.decoder.last_rows(model.weights, x, terms, model.precision,
                                                           {.hook = hook, .experts = experts ? &record : nullptr});
        if (experts) experts->add(record, first);
        const auto [losses, correct] = of_targets(model, rows, targets);
        return BatchResult{first, count, losses.view({count, length}), correct.view({count, length})};
    };
    const std::int64_t batches = (sequences.count() + batch_size - 1) / batch_size;
    const std::int64_t threads = in_pieces && batches >= at::get_num_threads() ? at::get_num_threads() : 1;
    const std::int64_t at_once = in_pieces ? 4 * threads : 1;
    for (std::int64_t begin = 0; begin < batches; begin += at_once) {
        if (request.cancelled && request.cancelled()) return false;
        std::vector<BatchResult> results(static_cast<std::size_t>(std::min(batches - begin, at_once)));
        std::atomic<std::size_t> next = 0;
        at::parallel_for(0, std::min(threads, std::ssize(results)), 1, [&](std::int64_t, std::int64_t) {
            const torch::NoGradGuard no_gradients_here;
            for (std::size_t i = next++; i < results.size(); i = next++)
                results[i] = evaluated((begin + static_cast<std::int64_t>(i)) * batch_size);
        });
        for (const BatchResult& result : results) handle(result);
    }
    return true;
}

// From the tables' second row, which contains the angles of one step; no angle exceeds π.
ProbeArray frequencies_of(const ModelPlan& plan, const LayerTables& tables) {
    ProbeArray result;
    const Rotary& rotary = *plan.rotary();
    const LayerPlan& shape = plan.layers.front();
    const std::int64_t heads = rotary.shift == Rotary::Shift::head ? shape.heads() : 1;
    for (const RotaryTables& layer : tables.layers) {
        const torch::Tensor step = layer.defined() ? torch::atan2(layer.sine.select(2, 1), layer.cosine.select(2, 1))
                                                   : torch::zeros({1, 1, 1, std::ssize(rotary.pairs)});
        const torch::Tensor all_pairs = torch::constant_pad_nd(step, {0, shape.query_channels() / 2 - step.size(3)});
        const torch::Tensor rows = all_pairs.expand({1, 1, heads, -1}).to(torch::kCPU).contiguous();
        result.shape = {std::ssize(tables.layers), heads, rows.size(3)};
        result.values.insert(result.values.end(), rows.data_ptr<float>(), rows.data_ptr<float>() + rows.numel());
    }
    return result;
}

}  // namespace

ProbeResult probe(const ProbedModel& model, const ProbeRequest& request) {
    const torch::NoGradGuard no_gradients;
    check_request(model, request);
    const bool has_hook_measurements =
        request.vectors || request.attention || request.map_size > 0 || request.vectors_at >= 0;

    ProbeResult result;
    result.sequences = request.sequences.count();
    result.length = request.sequences.length;
    const PositionTerms terms = terms_of(model, request, result.length, request.frozen_pairs);
    if (model.plan.theta_varies() && result.length > 1) result.frequencies = frequencies_of(model.plan, terms.tables);
    const bool takes_means = !request.mean_ablated_pairs.empty();
    std::shared_ptr<const KnownMeans> known = model.known_means ? *model.known_means : nullptr;
    if (takes_means && !(known && known->fit(request))) {
        const auto measured = std::make_shared<KnownMeans>(
            KnownMeans{request.sequences, request.scaling, PairMeans(std::ssize(model.plan.layers))});
        if (!evaluate_batches(model, request, request.sequences, terms_of(model, request, result.length, {}),
                              &measured->means, true, [](const BatchResult&) {})) {
            return {};
        }
        known = measured;
        if (model.known_means) *model.known_means = known;
    }
    AttentionProbe attention_probe(model.plan, request, terms.tables, takes_means ? &known->means : nullptr);
    const bool changes_attention = takes_means || !request.ablated_pairs.empty() || !request.replaced_heads.empty();
    LossSums losses(request.sequences, request.sequence_losses);
    std::optional<ExpertSums> experts;
    for (const LayerPlan& layer : model.plan.layers) {
        const auto* of_layer = std::get_if<Experts>(&layer.feed_forward);
        if (of_layer && !experts) experts.emplace(model.plan.layers.size(), *of_layer, request.sequences);
    }
    const bool done = evaluate_batches(
        model, request, request.sequences, terms,
        has_hook_measurements || changes_attention ? &attention_probe : nullptr, has_hook_measurements,
        [&](const BatchResult& batch) { losses.add(batch); }, experts ? &*experts : nullptr);
    if (!done) return {};
    losses.write(result);
    if (experts) experts->write(result);
    if (has_hook_measurements) attention_probe.write(result);
    const auto map = request.sequences.tokens.begin();
    result.map_tokens.assign(map, map + request.map_size);

    if (!request.retrieval.lags.empty()) {
        attention_probe.stop_measuring();
        const ProbeSequences& sequences = request.retrieval.sequences;
        const PositionTerms retrieval_terms = sequences.length == result.length
                                                  ? terms
                                                  : terms_of(model, request, sequences.length, request.frozen_pairs);
        RetrievalSums sums(request.retrieval);
        if (!evaluate_batches(model, request, sequences, retrieval_terms,
                              changes_attention ? &attention_probe : nullptr, false,
                              [&](const BatchResult& batch) { sums.add(batch); })) {
            return {};
        }
        result.retrieval = sums.points();
    }
    return result;
}

ProbeResult TorchModel::probe(const ProbeRequest& request) {
    return with_clear_errors([&] {
        return ropelab::probe({plan(), decoder_, weights_, precision_, &known_means_}, request);
    });
}

}  // namespace ropelab
