#include "core/engine/model/torch_model.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/random_stream.h"
#include "core/engine/attention/cpu.h"
#include "core/engine/device/accelerator.h"
#include "core/engine/model/cached_decoder.h"
#include "core/engine/model/token_decoder.h"
#include "core/engine/operations/clear_errors.h"
#include "core/engine/operations/fused.h"
#include "core/engine/operations/operations.h"
#include "core/engine/operations/own_passes.h"
#include "core/plan/kernels.h"

namespace ropelab {

namespace {

std::vector<float> numbers_of(const torch::Tensor& numbers) {
    const torch::Tensor host = numbers.to(torch::kCPU, torch::kFloat32).contiguous();
    return {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()};
}

// From softmax(logits / temperature), restricted to the top_k largest logits. Number `index` of the stream decides.
std::int32_t sample(std::span<const float> scores, const Generation& options, const RandomStream& stream,
                    std::int64_t index) {
    if (!std::all_of(scores.begin(), scores.end(), [](float score) { return std::isfinite(score); })) {
        throw BadInput(
            "The output logits of the model are not finite, because the run has diverged, so the model generates no "
            "text; choose another run.");
    }
    if (options.temperature == 0)
        return static_cast<std::int32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    std::vector<std::int32_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    const auto is_before = [&](auto a, auto b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; };
    if (options.top_k > 0 && options.top_k < std::ssize(order)) {
        std::nth_element(order.begin(), order.begin() + options.top_k, order.end(), is_before);
        order.resize(static_cast<std::size_t>(options.top_k));
    }
    const float largest = *std::max_element(scores.begin(), scores.end());
    const auto weight_of = [&](std::int32_t token) {
        return std::exp((scores[token] - largest) / options.temperature);
    };
    double total = 0;
    for (const std::int32_t token : order) total += weight_of(token);
    double left = stream.uniform(static_cast<std::uint64_t>(index), 0) * total;
    // From the most probable token on; few of a large vocabulary are needed, so that sorting all would take longer.
    const auto is_after = [&](auto a, auto b) { return is_before(b, a); };
    std::make_heap(order.begin(), order.end(), is_after);
    for (auto end = order.end();; --end) {
        left -= weight_of(order.front());
        if (left < 0 || end - order.begin() == 1) return order.front();
        std::pop_heap(order.begin(), end, is_after);
    }
}

// While a token of a small model takes less than about a millisecond: its threads would wait for one another, on a
// busy machine for longer than they compute.
class FewThreads {
 public:
    explicit FewThreads(double operations_per_token) : before_(at::get_num_threads()) {
        constexpr double few = 1.5e8;
        if (operations_per_token < few) at::set_num_threads(1);
    }
    ~FewThreads() {
        if (at::get_num_threads() != before_) at::set_num_threads(before_);
    }
    FewThreads(const FewThreads&) = delete;
    FewThreads& operator=(const FewThreads&) = delete;

 private:
    int before_;
};

}  // namespace

TorchModel::TorchModel(const ModelPlan& plan, Layout layout, const torch::Tensor& row, Precision precision)
    : TorchModel(plan, Parameters(std::move(layout), row.detach().unsqueeze(0)), precision) {}

TorchModel::TorchModel(const ModelPlan& plan, Parameters weights, Precision precision)
    : decoder_(plan), weights_(std::move(weights)), precision_(precision), terms_(terms_of(plan.sizes.T)) {}

PositionSource TorchModel::terms_of(std::int64_t positions) const {
    return {{&plan(), 1}, positions, weights_.flat().device(), &weights_};
}

torch::Tensor TorchModel::tokens_tensor(std::span<const std::int32_t> tokens) const {
    check_tokens(weights_.layout(), tokens);
    return torch::tensor(c10::ArrayRef<std::int32_t>(tokens.data(), tokens.size()), torch::kInt64)
        .view({1, 1, -1})
        .to(weights_.flat().device());
}

std::vector<float> TorchModel::logits(std::span<const std::int32_t> tokens) {
    return with_clear_errors([&] {
        const torch::NoGradGuard no_gradients;
        const auto count = static_cast<std::int64_t>(tokens.size());
        if (count == 0 || count > plan().sizes.T) {
            throw BadInput(std::to_string(count) + " tokens were given, but this model accepts between 1 and " +
                           std::to_string(plan().sizes.T) + ".");
        }
        return numbers_of(decoder_.logits(weights_, tokens_tensor(tokens), terms_.at(0, count), precision_));
    });
}

std::vector<std::int32_t> TorchModel::generate(std::span<const std::int32_t> prompt, const Generation& options) {
    return with_clear_errors([&] {
        cache_bytes_ = 0;
        return generated(prompt, options, 1).front();
    });
}

std::vector<std::vector<std::int32_t>> TorchModel::generate_streams(std::span<const std::int32_t> prompt,
                                                                    const Generation& options, std::int64_t count) {
    if (!has_token_kernels()) return Model::generate_streams(prompt, options, count);
    return with_clear_errors([&] {
        cache_bytes_ = 0;
        return generated(prompt, options, count);
    });
}

double TorchModel::whole_loss(std::span<const std::int32_t> tokens) {
    return with_clear_errors([&] {
        const auto sequences = whole_windows(tokens.size(), plan().sizes.T);
        if (sequences.empty()) {
            throw BadInput("The text has " + std::to_string(tokens.size()) +
                           " tokens, but one sequence of the context's length requires " +
                           std::to_string(plan().sizes.T + 1) + ".");
        }
        const EvaluatedRuns runs{weights_, terms_};
        return mean_losses(decoder_, {&runs, 1}, precision_, tokens, plan().sizes.T, {sequences}).front();
    });
}

torch::Tensor TorchModel::last_logits(std::span<const std::int32_t> tokens) const {
    const auto count = static_cast<std::int64_t>(tokens.size());
    const torch::Tensor rows = decoder_.last_rows(weights_, tokens_tensor(tokens), terms_.at(0, count), precision_);
    return decoder_.next_logits(weights_, rows, precision_);
}

void TorchModel::check_generation(std::span<const std::int32_t> prompt, const Generation& options) const {
    if (prompt.empty()) throw BadInput("The prompt is empty; give at least one token to continue.");
    if (!(options.temperature >= 0)) throw BadInput("The temperature must be 0 or more.");
    tokens_tensor(prompt);  // throws for tokens outside the vocabulary
    if (options.mode != Generation::Mode::rolling) return;
    if (!plan().has_relative_positions()) {
        throw BadInput(
            "The generation mode \"rolling\" requires RoPE or another encoding of distances, without learned "
            "positions; use \"recompute\" for this model.");
    }
}

bool TorchModel::has_token_kernels() const {
    return weights_.flat().is_cpu() && !plan().is_eager && !is_accelerated(torch::kCPU) &&
           token_kernels_support(plan());
}

/// A text that grows by one token at a time, by the fastest decoder that supports the model. It cannot shrink.
class TorchModel::GrowingText {
 public:
    /// Of at most `positions` tokens.
    GrowingText(const TorchModel& model, std::int64_t positions) : model_(model) {
        const ModelPlan& plan = model.plan();
        if (model.has_token_kernels()) {
            by_kernels_.emplace_back(plan, model.weights_, model.precision_);
        } else {
            by_operations_.emplace(model.decoder_, model.weights_,
                                   positions > plan.sizes.T ? model.terms_of(positions) : model.terms_,
                                   model.precision_);
        }
    }

    /// Logits after these tokens: (vocabulary), valid until the next call.
    torch::Tensor begin(std::span<const std::int32_t> tokens) {
        if (by_operations_) {
            tokens_ = std::ssize(tokens);
            return by_operations_->begin(model_.tokens_tensor(tokens));
        }
        if (std::ssize(tokens) >= least_prefill) {
            tokens_ = std::ssize(tokens);
            return by_kernels_.front().begin(model_.decoder_, model_.tokens_tensor(tokens));
        }
        torch::Tensor logits;
        for (const std::int32_t token : tokens) logits = by_kernels_.front().next(token, tokens_++);
        return logits;
    }
    /// The text so far begins `count` texts, which grow together; makes the logits invalid. Only with token kernels,
    /// and only once.
    void split(std::int64_t count) {
        if (count == 1) return;
        // Threads with texts of their own wait for one another once per token, those that divide the rows of matrices
        // at each product; but each reads all weights. With 16 texts of the theta paper's model on two cores, the
        // former are 1.3 × as fast in int8 (11 MB), and the latter 1.15 × in bfloat16 and 1.2 × in float32.
        constexpr std::int64_t texts_per_thread = 4;  // that are multiplied together
        constexpr std::int64_t cached_bytes = std::int64_t{1} << 24;
        const TokenDecoder text = std::move(by_kernels_.front());
        const std::int64_t threads = at::get_num_threads();
        const bool divides_texts = count >= texts_per_thread * threads && text.weight_bytes() <= cached_bytes;
        const std::int64_t groups = divides_texts ? threads : 1;
        by_kernels_.clear();
        for (std::int64_t group = 0; group < groups; ++group)
            by_kernels_.push_back(text.with_streams((count + group) / groups));
    }
    /// (texts, vocabulary), after one more token of each text; valid until the next call.
    torch::Tensor next(std::span<const std::int32_t> tokens) {
        const std::int64_t position = tokens_++;
        if (by_operations_) return by_operations_->next(tokens.front(), position).unsqueeze(0);
        if (by_kernels_.size() == 1) return by_kernels_.front().next(tokens, position);
        std::vector<std::span<const std::int32_t>> of_groups;
        for (const TokenDecoder& group : by_kernels_) {
            of_groups.push_back(tokens.first(static_cast<std::size_t>(group.streams())));
            tokens = tokens.subspan(of_groups.back().size());
        }
        std::vector<torch::Tensor> logits(by_kernels_.size());
        at::parallel_for(0, std::ssize(by_kernels_), 1, [&](std::int64_t first, std::int64_t last) {
            const torch::NoGradGuard no_gradients_here;
            for (auto group = static_cast<std::size_t>(first); std::cmp_less(group, last); ++group)
                logits[group] = by_kernels_[group].next(of_groups[group], position);
        });
        return torch::cat(logits);
    }
    std::int64_t tokens() const { return tokens_; }
    std::int64_t cache_bytes() const {
        if (by_operations_) return by_operations_->cache_bytes();
        std::int64_t bytes = 0;
        for (const TokenDecoder& group : by_kernels_) bytes += group.cache_bytes();
        return bytes;
    }

 private:
    const TorchModel& model_;
    std::vector<TokenDecoder> by_kernels_;  // of neighbouring texts, one per thread or one in all
    std::optional<CachedDecoder> by_operations_;
    std::int64_t tokens_ = 0;
};

class TorchModel::Predictor : public TokenPredictor {
 public:
    explicit Predictor(const TorchModel& model) : model_(model) {}

    std::vector<float> next(std::int32_t token) override {
        return with_clear_errors([&] {
            const torch::NoGradGuard no_gradients;
            const std::int64_t most = model_.plan().sizes.T;
            if (text_ && text_->tokens() == most) {
                throw BadInput("The text has reached the context length of this model, " + std::to_string(most) +
                               " tokens.");
            }
            check_tokens(model_.weights_.layout(), {&token, 1});
            if (text_) return numbers_of(text_->next({&token, 1})[0]);
            text_.emplace(model_, most);
            return numbers_of(text_->begin({&token, 1}));
        });
    }
    void restart() override { text_.reset(); }

 private:
    const TorchModel& model_;
    std::optional<GrowingText> text_;
};

std::unique_ptr<TokenPredictor> TorchModel::predictor() {
    return std::make_unique<Predictor>(*this);
}

std::vector<std::vector<std::int32_t>> TorchModel::generated(std::span<const std::int32_t> prompt,
                                                             const Generation& options, std::int64_t count) {
    const torch::NoGradGuard no_gradients;
    check_generation(prompt, options);
    const FewThreads threads(2.0 * static_cast<double>(weights_.layout().total * plan().sizes.T));
    const bool rolling = options.mode == Generation::Mode::rolling;
    const auto context = static_cast<std::size_t>(plan().sizes.T);
    const auto begin = prompt.end() - static_cast<std::ptrdiff_t>(std::min(prompt.size(), context));
    std::vector<std::vector<std::int32_t>> texts(static_cast<std::size_t>(count), {begin, prompt.end()});
    std::vector<std::vector<std::int32_t>> results(texts.size());
    std::vector<RandomStream> streams;
    for (std::int64_t i = 0; i < count; ++i) streams.emplace_back(options.seed + i, "sample");

    // An eager model uses no cache, except in the mode `rolling`, which requires one.
    const bool uses_cache = !decoder_.eager() || rolling;
    std::optional<GrowingText> cached;
    torch::Tensor logits;  // (1, vocabulary) after the prompt, then (count, vocabulary)
    if (uses_cache) {
        const std::int64_t last = std::ssize(texts.front()) + options.length;
        cached.emplace(*this, rolling && last > plan().sizes.T ? last : plan().sizes.T);
        logits = cached->begin(texts.front()).unsqueeze(0).clone();  // which split() would make invalid
        cached->split(count);
    } else {
        logits = last_logits(texts.front()).unsqueeze(0);
    }
    std::vector<std::int32_t> tokens(texts.size());
    for (std::int64_t index = 0; index < options.length; ++index) {
        const torch::Tensor host = logits.to(torch::kCPU, torch::kFloat32).contiguous();
        at::parallel_for(0, count, 1, [&](std::int64_t first, std::int64_t end) {
            for (std::int64_t i = first; i < end; ++i) {
                const float* scores = host.data_ptr<float>() + std::min(i, host.size(0) - 1) * host.size(1);
                tokens[static_cast<std::size_t>(i)] = sample({scores, static_cast<std::size_t>(host.size(1))}, options,
                                                             streams[static_cast<std::size_t>(i)], index);
            }
        });
        bool goes_on = index + 1 < options.length;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            results[i].push_back(tokens[i]);
            texts[i].push_back(tokens[i]);
            if (options.on_token && !options.on_token(tokens[i])) goes_on = false;
        }
        if (!goes_on) break;
        if (uses_cache && (texts.front().size() <= context || rolling)) {
            logits = cached->next(tokens);
            continue;
        }
        std::vector<torch::Tensor> rows;
        for (const std::vector<std::int32_t>& text : texts)
            rows.push_back(last_logits(std::span(text).last(std::min(text.size(), context))));
        logits = torch::stack(rows);
    }
    if (cached) cache_bytes_ = cached->cache_bytes();
    return results;
}

void check_tokens(const Layout& layout, std::span<const std::int32_t> tokens, bool may_be_unknown) {
    const auto vocabulary = layout.at("embedding.weight").shape.front();
    for (const std::int32_t token : tokens) {
        if (token >= (may_be_unknown ? -1 : 0) && token < vocabulary) continue;
        throw BadInput("Token " + std::to_string(token) + " is outside the model's vocabulary of " +
                       std::to_string(vocabulary) + ".");
    }
}

TokenBatch token_batch(const TokenText& tokens, const std::vector<std::vector<std::int64_t>>& starts,
                       std::int64_t first, std::int64_t count, std::int64_t context, torch::Device device) {
    const std::int64_t runs = std::ssize(starts);
    TokenBatch result{torch::empty({runs, count, context}, torch::kInt64),
                      torch::empty({runs, count * context}, torch::kInt64)};
    auto* inputs = result.x.data_ptr<std::int64_t>();
    auto* targets = result.y.data_ptr<std::int64_t>();
    for (const std::vector<std::int64_t>& of_run : starts) {
        for (std::int64_t i = first; i < first + count; ++i) tokens.copy_sequence(of_run[i], context, inputs, targets);
    }
    return {result.x.to(device), result.y.to(device)};
}

std::vector<std::int64_t> whole_windows(std::size_t tokens, std::int64_t context) {
    std::vector<std::int64_t> starts;
    for (std::int64_t start = 0; start + context + 1 <= static_cast<std::int64_t>(tokens); start += context)
        starts.push_back(start);
    return starts;
}

bool is_evaluated_in_pieces(const Decoder& decoder, const Parameters& weights) {
    // The capacity of experts is that of all tokens of a batch.
    const auto has_experts = [](const LayerPlan& layer) { return std::holds_alternative<Experts>(layer.feed_forward); };
    return has_own_passes(weights.flat()) && !decoder.eager() &&
           std::ranges::none_of(decoder.plan().layers, has_experts);
}

std::vector<double> mean_losses(const Decoder& decoder, std::span<const EvaluatedRuns> batches, Precision precision,
                                const TokenText& tokens, std::int64_t context,
                                const std::vector<std::vector<std::int64_t>>& starts,
                                const std::function<bool()>& cancelled) {
    const torch::NoGradGuard no_gradients;
    const EagerGuard eager_guard(decoder.eager());
    const torch::Tensor& flat = batches.front().weights.flat();
    const std::int64_t sequences = std::ssize(starts.front());
    // Sums and pieces depend on the context only, because the order of the sums must not depend on cohort or threads.
    const std::int64_t summed = std::clamp<std::int64_t>(8192 / context, 1, 256);
    const bool in_pieces = is_evaluated_in_pieces(decoder, batches.front().weights);
    const std::int64_t piece = in_pieces ? std::min(summed, (rows_of_evaluations + context - 1) / context) : summed;
    const std::int64_t pieces = (summed + piece - 1) / piece * std::ssize(batches);  // of each sum
    const std::int64_t threads = in_pieces ? at::get_num_threads() : 1;
    const std::int64_t at_once = summed * (threads > 1 ? (4 * threads + pieces - 1) / pieces : 1);

    std::vector<double> sums(starts.size(), 0.0);
    for (std::int64_t first = 0; first < sequences; first += at_once) {
        if (cancelled && cancelled()) return {};
        const std::int64_t end = std::min(sequences, first + at_once);
        const torch::Tensor losses = torch::empty({std::ssize(starts), (end - first) * context}, flat.options());
        const std::int64_t count = (end - first + summed - 1) / summed * pieces;
        std::atomic<std::int64_t> next = 0;
        at::parallel_for(0, std::min(threads, count), 1, [&](std::int64_t, std::int64_t) {
            const torch::NoGradGuard no_gradients_here;
            for (std::int64_t at = next++; at < count; at = next++) {
                const auto& [weights, terms] = batches[static_cast<std::size_t>(at % std::ssize(batches))];
                const std::int64_t run = at % std::ssize(batches) * weights.runs();
                const std::int64_t sum_end = std::min(end, first + (at / pieces + 1) * summed);
                const std::int64_t begin = first + at / pieces * summed + at % pieces / std::ssize(batches) * piece;
                if (begin >= sum_end) continue;
                const std::int64_t size = std::min(piece, sum_end - begin);
                const std::vector own(starts.begin() + run, starts.begin() + run + weights.runs());
                const TokenBatch batch = token_batch(tokens, own, begin, size, context, flat.device());
                const torch::Tensor rows = decoder.last_rows(weights, batch.x, terms.at(0, context), precision);
                const torch::Tensor to =
                    losses.narrow(0, run, weights.runs()).narrow(1, (begin - first) * context, size * context);
                decoder.each_logits(weights, rows, precision, [&](std::int64_t row, const torch::Tensor& logits) {
                    to.narrow(1, row, logits.size(1))
                        .copy_(token_losses(logits, batch.y.narrow(1, row, logits.size(1))));
                });
            }
        });
        std::vector<torch::Tensor> of_sums;
        for (const torch::Tensor& part : losses.split(summed * context, 1)) {
            for (const torch::Tensor& of_run : part.unbind(0)) of_sums.push_back(of_run.to(torch::kFloat64).sum());
        }
        const torch::Tensor host = torch::stack(of_sums).to(torch::kCPU);  // one copy from a device for all runs
        for (std::size_t i = 0; i < of_sums.size(); ++i) sums[i % sums.size()] += host.data_ptr<double>()[i];
    }
    for (double& sum : sums) sum /= static_cast<double>(sequences * context);
    return sums;
}

}  // namespace ropelab
