#include "core/engine/model/torch_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/engine/device/accelerator.h"
#include "core/engine/model/cached_decoder.h"
#include "core/engine/model/token_decoder.h"
#include "core/engine/operations/clear_errors.h"
#include "core/engine/operations/fused.h"
#include "core/engine/operations/operations.h"
#include "core/plan/kernels.h"
#include "core/spec/error.h"
#include "core/spec/random_stream.h"

namespace ropelab {

namespace {

// From softmax(logits / temperature), restricted to the top_k largest logits. Number `index` of the stream decides.
std::int32_t sample(const torch::Tensor& logits, const Generation& options, const RandomStream& stream,
                    std::int64_t index) {
    const torch::Tensor host = logits.to(torch::kCPU, torch::kFloat32).contiguous();
    const std::span<const float> scores(host.data_ptr<float>(), static_cast<std::size_t>(host.numel()));
    std::vector<std::int32_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
    if (options.temperature == 0) return order.front();
    if (options.top_k > 0 && options.top_k < static_cast<std::int64_t>(order.size()))
        order.resize(static_cast<std::size_t>(options.top_k));

    std::vector<double> weights;
    double total = 0;
    for (std::int32_t token : order) {
        weights.push_back(std::exp((scores[token] - scores[order.front()]) / options.temperature));
        total += weights.back();
    }
    double left = stream.uniform(static_cast<std::uint64_t>(index), 0) * total;
    for (std::size_t i = 0; i < order.size(); ++i) {
        left -= weights[i];
        if (left < 0) return order[i];
    }
    return order.back();
}

}  // namespace

TorchModel::TorchModel(const RunSpec& spec, Layout layout, const torch::Tensor& row, Precision precision)
    : spec_(spec),
      weights_(std::move(layout), row.detach().clone().unsqueeze(0)),
      decoder_(spec),
      precision_(precision),
      terms_(terms_of(spec.context)) {}

PositionSource TorchModel::terms_of(std::int64_t positions) const {
    return {{&spec_, 1}, positions, weights_.flat().device(), {}, &weights_};
}

torch::Tensor TorchModel::tokens_tensor(std::span<const std::int32_t> tokens) const {
    const auto vocabulary = weights_.layout().at("embedding.weight").shape.front();
    for (std::int32_t token : tokens) {
        if (token < 0 || token >= vocabulary) {
            throw BadInput("Token " + std::to_string(token) + " is outside the model's vocabulary of " +
                           std::to_string(vocabulary) + ".");
        }
    }
    return torch::tensor(c10::ArrayRef<std::int32_t>(tokens.data(), tokens.size()), torch::kInt64)
        .view({1, 1, -1})
        .to(weights_.flat().device());
}

std::vector<float> TorchModel::logits(std::span<const std::int32_t> tokens) {
    return with_clear_errors([&] { return computed_logits(tokens); });
}

std::vector<std::int32_t> TorchModel::generate(std::span<const std::int32_t> prompt, const Generation& options) {
    return with_clear_errors([&] {
        cache_bytes_ = 0;
        return generated(prompt, options);
    });
}

double TorchModel::whole_loss(std::span<const std::int32_t> tokens) {
    return with_clear_errors([&] { return computed_whole_loss(tokens); });
}

std::vector<float> TorchModel::computed_logits(std::span<const std::int32_t> tokens) const {
    const torch::NoGradGuard no_gradients;
    const auto count = static_cast<std::int64_t>(tokens.size());
    if (count == 0 || count > spec_.context) {
        throw BadInput(std::to_string(count) + " tokens were given, but this model accepts between 1 and " +
                       std::to_string(spec_.context) + ".");
    }
    const torch::Tensor result = decoder_.logits(weights_, tokens_tensor(tokens), terms_.at(0, count), precision_)
                                     .to(torch::kCPU, torch::kFloat32)
                                     .contiguous();
    return {result.data_ptr<float>(), result.data_ptr<float>() + result.numel()};
}

torch::Tensor TorchModel::last_logits(std::span<const std::int32_t> tokens) const {
    const auto count = static_cast<std::int64_t>(tokens.size());
    return decoder_.logits(weights_, tokens_tensor(tokens), terms_.at(0, count), precision_)[0][-1];
}

void TorchModel::check_generation(std::span<const std::int32_t> prompt, const Generation& options) const {
    if (prompt.empty()) throw BadInput("The prompt is empty; give at least one token to continue.");
    if (!(options.temperature >= 0)) throw BadInput("The temperature must be 0 or more.");
    tokens_tensor(prompt);  // throws for tokens outside the vocabulary
    if (options.mode != Generation::Mode::rolling) return;
    if (!spec_.has_relative_positions()) {
        throw BadInput(
            "The generation mode \"rolling\" requires RoPE or another encoding of distances, without learned "
            "positions; "
            "use \"recompute\" for this model.");
    }
}

bool TorchModel::uses_token_decoder() const {
    return weights_.flat().is_cpu() && !decoder_.eager() && !is_accelerated(torch::kCPU) &&
           token_kernels_support(spec_);
}

/// The decoders cannot forget a text, so each text gets a new one.
class TorchModel::CachedPredictor : public TokenPredictor {
 public:
    explicit CachedPredictor(const TorchModel& model) : model_(model) {}

    std::vector<float> next(std::int32_t token) override {
        return with_clear_errors([&] { return computed_next(token); });
    }
    void restart() override {
        on_cpu_.reset();
        cached_.reset();
        position_ = 0;
    }

 private:
    std::vector<float> computed_next(std::int32_t token) {
        const torch::NoGradGuard no_gradients;
        if (position_ == model_.spec_.context) {
            throw BadInput("A text of this model has at most " + std::to_string(position_) + " tokens.");
        }
        const torch::Tensor tokens = model_.tokens_tensor({&token, 1});  // throws for a token outside the vocabulary
        torch::Tensor logits;
        if (model_.uses_token_decoder()) {
            if (!on_cpu_) on_cpu_.emplace(model_.spec_, model_.weights_, model_.precision_);
            logits = on_cpu_->next(token, position_);
        } else if (!cached_) {
            cached_.emplace(model_.spec_, model_.decoder_, model_.weights_, model_.terms_, model_.precision_);
            logits = cached_->begin(tokens);
        } else {
            logits = cached_->next(token, position_);
        }
        ++position_;
        logits = logits.to(torch::kCPU, torch::kFloat32).contiguous();
        return {logits.data_ptr<float>(), logits.data_ptr<float>() + logits.numel()};
    }

    const TorchModel& model_;
    std::optional<TokenDecoder> on_cpu_;
    std::optional<CachedDecoder> cached_;
    std::int64_t position_ = 0;
};

std::unique_ptr<TokenPredictor> TorchModel::predictor() {
    return std::make_unique<CachedPredictor>(*this);
}

std::vector<std::int32_t> TorchModel::generated(std::span<const std::int32_t> prompt, const Generation& options) {
    const torch::NoGradGuard no_gradients;
    check_generation(prompt, options);
    const bool rolling = options.mode == Generation::Mode::rolling;
    const auto context = static_cast<std::size_t>(spec_.context);
    std::vector<std::int32_t> text(prompt.end() - static_cast<std::ptrdiff_t>(std::min(prompt.size(), context)),
                                   prompt.end());
    std::vector<std::int32_t> result;
    const RandomStream stream(options.seed, "sample");

    // An eager model uses no cache, except in the mode `rolling`, which requires one.
    const bool uses_cache = !decoder_.eager() || rolling;
    std::optional<TokenDecoder> on_cpu;   // matrix-vector products
    std::optional<CachedDecoder> cached;  // the decoder's operations
    torch::Tensor logits;
    if (!uses_cache) {
        logits = last_logits(text);
    } else if (uses_token_decoder()) {
        on_cpu.emplace(spec_, weights_, precision_);
        for (std::size_t i = 0; i < text.size(); ++i) logits = on_cpu->next(text[i], static_cast<std::int64_t>(i));
    } else {
        const std::int64_t last = std::ssize(text) + options.length;
        cached.emplace(spec_, decoder_, weights_, rolling && last > spec_.context ? terms_of(last) : terms_,
                       precision_);
        logits = cached->begin(tokens_tensor(text));
    }
    while (static_cast<std::int64_t>(result.size()) < options.length) {
        const std::int32_t token = sample(logits, options, stream, static_cast<std::int64_t>(result.size()));
        result.push_back(token);
        text.push_back(token);
        if (options.on_token && !options.on_token(token)) break;
        if (static_cast<std::int64_t>(result.size()) == options.length) break;

        if (uses_cache && (text.size() <= context || rolling)) {
            const std::int64_t position = std::ssize(text) - 1;
            logits = on_cpu ? on_cpu->next(token, position) : cached->next(token, position);
        } else {
            logits = last_logits(std::span(text).last(std::min(text.size(), context)));
        }
    }
    cache_bytes_ = on_cpu ? on_cpu->cache_bytes() : cached ? cached->cache_bytes() : 0;
    return result;
}

double TorchModel::computed_whole_loss(std::span<const std::int32_t> tokens) const {
    const auto sequences = whole_windows(tokens.size(), spec_.context);
    if (sequences.empty()) {
        throw BadInput("The text has " + std::to_string(tokens.size()) +
                       " tokens, but one sequence of the context's length requires " +
                       std::to_string(spec_.context + 1) + ".");
    }
    return mean_losses(decoder_, weights_, terms_, precision_, tokens, spec_.context, {sequences}).front();
}

std::vector<std::int64_t> whole_windows(std::size_t tokens, std::int64_t context) {
    std::vector<std::int64_t> starts;
    for (std::int64_t start = 0; start + context + 1 <= static_cast<std::int64_t>(tokens); start += context)
        starts.push_back(start);
    return starts;
}

std::vector<double> mean_losses(const Decoder& decoder, const Parameters& weights, const PositionSource& terms,
                                Precision precision, const TokenText& tokens, std::int64_t context,
                                const std::vector<std::vector<std::int64_t>>& starts,
                                const std::function<bool()>& cancelled) {
    const torch::NoGradGuard no_gradients;
    const EagerGuard eager_guard(decoder.eager());
    const auto runs = static_cast<std::int64_t>(starts.size());
    const auto sequences = static_cast<std::int64_t>(starts.front().size());
    // The batch size depends on the context only, because the order of the sums must not depend on the cohort.
    const std::int64_t batch_size = std::clamp<std::int64_t>(8192 / context, 1, 256);
    std::vector<double> sums(starts.size(), 0.0);
    for (std::int64_t first = 0; first < sequences; first += batch_size) {
        if (cancelled && cancelled()) return {};
        const std::int64_t count = std::min(batch_size, sequences - first);
        torch::Tensor x = torch::empty({runs, count, context}, torch::kInt64);
        torch::Tensor y = torch::empty({runs, count * context}, torch::kInt64);
        auto* inputs = x.data_ptr<std::int64_t>();
        auto* targets = y.data_ptr<std::int64_t>();
        for (std::int64_t run = 0; run < runs; ++run) {
            for (std::int64_t sequence = 0; sequence < count; ++sequence) {
                const std::int64_t start = starts[run][first + sequence];
                tokens.copy_sequence(start, context, inputs, targets);
            }
        }
        const auto device = weights.flat().device();
        const torch::Tensor losses =
            token_losses(decoder.logits(weights, x.to(device), terms.at(0, context), precision), y.to(device));
        for (std::int64_t run = 0; run < runs; ++run) {
            sums[run] += losses.select(0, run).to(torch::kFloat64).sum().item<double>();
        }
    }
    for (double& sum : sums) sum /= static_cast<double>(sequences * context);
    return sums;
}

}  // namespace ropelab
