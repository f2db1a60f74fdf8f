#include "core/model/torch_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/model/cached_decoder.h"
#include "core/model/clear_errors.h"
#include "core/model/fused.h"
#include "core/model/fused_device.h"
#include "core/model/operations.h"
#include "core/model/token_decoder.h"
#include "core/spec/error.h"
#include "core/spec/random_stream.h"

namespace ropelab {

namespace {

// Draws from softmax(logits / temperature), restricted to the top_k largest; number `index` of the stream decides.
std::int32_t draw(const torch::Tensor& logits, const Generation& how, const RandomStream& stream, std::int64_t index) {
    const torch::Tensor host = logits.to(torch::kCPU, torch::kFloat32).contiguous();
    const std::span<const float> scores(host.data_ptr<float>(), static_cast<std::size_t>(host.numel()));
    std::vector<std::int32_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
    if (how.temperature == 0) return order.front();
    if (how.top_k > 0 && how.top_k < static_cast<std::int64_t>(order.size()))
        order.resize(static_cast<std::size_t>(how.top_k));

    std::vector<double> weights;
    double total = 0;
    for (std::int32_t token : order) {
        weights.push_back(std::exp((scores[token] - scores[order.front()]) / how.temperature));
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

std::vector<std::int32_t> TorchModel::generate(std::span<const std::int32_t> prompt, const Generation& how) {
    return with_clear_errors([&] { return generated(prompt, how); });
}

double TorchModel::whole_loss(std::span<const std::int32_t> tokens) {
    return with_clear_errors([&] { return computed_whole_loss(tokens); });
}

std::vector<float> TorchModel::computed_logits(std::span<const std::int32_t> tokens) const {
    const torch::NoGradGuard no_gradients;
    const auto count = static_cast<std::int64_t>(tokens.size());
    if (count == 0 || count > spec_.context) {
        throw BadInput(std::to_string(count) + " tokens were given, but this model reads between 1 and " +
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

void TorchModel::check_generation(std::span<const std::int32_t> prompt, const Generation& how) const {
    if (prompt.empty()) throw BadInput("The prompt is empty; give at least one token to continue.");
    if (!(how.temperature >= 0)) throw BadInput("The temperature must be 0 or more.");
    tokens_tensor(prompt);  // refuses tokens that the model does not know
    if (how.mode != Generation::Mode::rolling) return;
    const bool relative = spec_.position == Position::rope || spec_.position == Position::alibi;
    if (!relative) {
        throw BadInput(
            "Generation mode \"rolling\" needs RoPE or ALiBi without learned positions; use \"recompute\" for this "
            "model.");
    }
}

std::vector<std::int32_t> TorchModel::generated(std::span<const std::int32_t> prompt, const Generation& how) const {
    const torch::NoGradGuard no_gradients;
    check_generation(prompt, how);
    const bool rolling = how.mode == Generation::Mode::rolling;
    const auto context = static_cast<std::size_t>(spec_.context);
    std::vector<std::int32_t> text(prompt.end() - static_cast<std::ptrdiff_t>(std::min(prompt.size(), context)),
                                   prompt.end());
    std::vector<std::int32_t> result;
    const RandomStream stream(how.seed, "sample");

    // An eager model has no cache, unless the mode is made of one.
    const bool caches = !decoder_.eager() || rolling;
    std::optional<TokenDecoder> on_cpu;      // by products of matrices with one vector
    std::optional<CachedDecoder> elsewhere;  // by the decoder's own operations
    torch::Tensor logits;
    if (!caches) {
        logits = last_logits(text);
    } else if (weights_.flat().is_cpu() && !decoder_.eager() && !has_device_kernels(torch::kCPU)) {
        on_cpu.emplace(spec_, weights_, precision_);
        for (std::size_t i = 0; i < text.size(); ++i) logits = on_cpu->read(text[i], static_cast<std::int64_t>(i));
    } else {
        const std::int64_t last = std::ssize(text) + how.length;
        elsewhere.emplace(spec_, decoder_, weights_, rolling && last > spec_.context ? terms_of(last) : terms_,
                          precision_);
        logits = elsewhere->begin(tokens_tensor(text));
    }
    while (static_cast<std::int64_t>(result.size()) < how.length) {
        const std::int32_t token = draw(logits, how, stream, static_cast<std::int64_t>(result.size()));
        result.push_back(token);
        text.push_back(token);
        if (how.on_token && !how.on_token(token)) break;
        if (static_cast<std::int64_t>(result.size()) == how.length) break;

        if (caches && (text.size() <= context || rolling)) {
            const std::int64_t position = std::ssize(text) - 1;
            logits = on_cpu ? on_cpu->read(token, position) : elsewhere->next(token, position);
        } else {
            logits = last_logits(std::span(text).last(std::min(text.size(), context)));
        }
    }
    return result;
}

double TorchModel::computed_whole_loss(std::span<const std::int32_t> tokens) const {
    const auto windows = whole_windows(tokens.size(), spec_.context);
    if (windows.empty()) {
        throw BadInput("The text has " + std::to_string(tokens.size()) +
                       " symbols, but one window of the context needs " + std::to_string(spec_.context + 1) + ".");
    }
    return mean_losses(decoder_, weights_, terms_, precision_, tokens, spec_.context, {windows}).front();
}

std::vector<std::int64_t> whole_windows(std::size_t tokens, std::int64_t context) {
    std::vector<std::int64_t> starts;
    for (std::int64_t start = 0; start + context + 1 <= static_cast<std::int64_t>(tokens); start += context)
        starts.push_back(start);
    return starts;
}

std::vector<double> mean_losses(const Decoder& decoder, const Parameters& weights, const PositionSource& terms,
                                Precision precision, std::span<const std::int32_t> tokens, std::int64_t context,
                                const std::vector<std::vector<std::int64_t>>& starts,
                                const std::function<bool()>& cancelled) {
    const torch::NoGradGuard no_gradients;
    const EagerGuard as_asked(decoder.eager());
    const auto runs = static_cast<std::int64_t>(starts.size());
    const auto windows = static_cast<std::int64_t>(starts.front().size());
    // The batch depends on the context only: the order in which losses are added must not depend on cohort mates.
    const std::int64_t at_once = std::clamp<std::int64_t>(8192 / context, 1, 256);
    std::vector<double> sums(starts.size(), 0.0);
    for (std::int64_t first = 0; first < windows; first += at_once) {
        if (cancelled && cancelled()) return {};
        const std::int64_t count = std::min(at_once, windows - first);
        torch::Tensor x = torch::empty({runs, count, context}, torch::kInt64);
        torch::Tensor y = torch::empty({runs, count * context}, torch::kInt64);
        auto* inputs = x.data_ptr<std::int64_t>();
        auto* targets = y.data_ptr<std::int64_t>();
        for (std::int64_t run = 0; run < runs; ++run) {
            for (std::int64_t window = 0; window < count; ++window) {
                const std::int32_t* source = tokens.data() + starts[run][first + window];
                inputs = std::copy(source, source + context, inputs);
                targets = std::copy(source + 1, source + context + 1, targets);
            }
        }
        const auto device = weights.flat().device();
        const torch::Tensor losses =
            token_losses(decoder.logits(weights, x.to(device), terms.at(0, context), precision), y.to(device));
        for (std::int64_t run = 0; run < runs; ++run) {
            sums[run] += losses.select(0, run).to(torch::kFloat64).sum().item<double>();
        }
    }
    for (double& sum : sums) sum /= static_cast<double>(windows * context);
    return sums;
}

}  // namespace ropelab
