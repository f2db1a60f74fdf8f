#include "core/model/probe.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "core/model/clear_errors.h"
#include "core/model/fused.h"
#include "core/model/probe_attention.h"
#include "core/model/torch_model.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

constexpr std::int64_t most_map_numbers = std::int64_t{1} << 26;

void check_windows(const ProbedModel& model, const ProbeWindows& windows) {
    const RunSpec& spec = model.spec;
    if (windows.length < 1 || windows.tokens.empty() ||
        std::ssize(windows.tokens) != windows.count() * windows.length ||
        windows.targets.size() != windows.tokens.size()) {
        throw BadInput("The windows to look into have " + std::to_string(windows.tokens.size()) + " symbols and " +
                       std::to_string(windows.targets.size()) + " targets, but each window needs " +
                       std::to_string(windows.length) + " of both, 1 at least.");
    }
    if (spec.learns_positions() && windows.length > spec.context) {
        throw BadInput("This model learned positions for " + std::to_string(spec.context) +
                       " symbols and has none beyond, so it cannot read windows of " + std::to_string(windows.length) +
                       ".");
    }
    const auto vocabulary = model.weights.layout().at("embedding.weight").shape.front();
    for (const auto* tokens : {&windows.tokens, &windows.targets}) {
        const std::int32_t least = tokens == &windows.tokens ? 0 : -1;
        for (const std::int32_t token : *tokens) {
            if (token >= least && token < vocabulary) continue;
            throw BadInput("Token " + std::to_string(token) + " is outside the model's vocabulary of " +
                           std::to_string(vocabulary) + ".");
        }
    }
}

void check_pair(const RunSpec& spec, std::int64_t pair) {
    const std::int64_t pairs = spec.head_dim() / 2;
    if (pair < 0 || pair >= pairs) {
        throw BadInput("Pair " + std::to_string(pair) + " is not there: a head of this model has pairs 0 to " +
                       std::to_string(pairs - 1) + ".");
    }
}

void check_request(const ProbedModel& model, const ProbeRequest& request) {
    const RunSpec& spec = model.spec;
    check_windows(model, request.windows);
    if (request.attention && request.windows.length < 2)
        throw BadInput("The windows have 1 symbol, but looking into attention needs 2 or more.");
    for (const std::int64_t pair : request.stopped_pairs) check_pair(spec, pair);
    for (const std::int64_t pair : request.removed_pairs) check_pair(spec, pair);
    if (request.map_pair >= 0) check_pair(spec, request.map_pair);
    if (request.vectors_at >= request.windows.length) {
        throw BadInput("The vectors at position " + std::to_string(request.vectors_at) +
                       " were asked for, but the windows have " + std::to_string(request.windows.length) + " tokens.");
    }
    if (request.map_size < 0 || request.map_size > request.windows.length ||
        spec.layers * spec.heads * request.map_size * request.map_size > most_map_numbers) {
        throw BadInput("Maps of " + std::to_string(request.map_size) +
                       " symbols were asked for, but they must fit into the window and into " +
                       std::to_string(most_map_numbers) + " numbers over all heads.");
    }
    if (request.scaling.method != ScalingMethod::none && !spec.rotates()) {
        throw BadInput("This model does not rotate, so the scaling " + std::string(word_of(request.scaling.method)) +
                       " has nothing to change; leave it out.");
    }
    const RetrievalText& retrieval = request.retrieval;
    if (retrieval.lags.empty()) return;
    check_windows(model, retrieval.windows);
    const std::int64_t longest = *std::max_element(retrieval.lags.begin(), retrieval.lags.end());
    const std::int64_t shortest = *std::min_element(retrieval.lags.begin(), retrieval.lags.end());
    if (std::ssize(retrieval.lags) != retrieval.windows.count() || retrieval.marked < 1 || shortest < 1 ||
        retrieval.marked + longest > retrieval.windows.length) {
        throw BadInput(
            "The text of copies needs one lag of 1 or more for each window, and windows that hold a copy of " +
            std::to_string(retrieval.marked) + " symbols " + std::to_string(longest) + " after the first.");
    }
}

TableChanges changes_of(const ProbeRequest& request) {
    return {request.scaling, request.stopped_pairs};
}

torch::Tensor to_tensor(const std::vector<std::int32_t>& numbers, std::int64_t first, std::int64_t count,
                        torch::Device device) {
    return torch::tensor(c10::ArrayRef<std::int32_t>(numbers.data() + first, static_cast<std::size_t>(count)),
                         torch::kInt64)
        .to(device);
}

/// What one batch of windows gave; rows of windows × length. Targets that are −1 have loss 0.
struct Judged {
    std::int64_t first = 0;  // window
    std::int64_t windows = 0;
    torch::Tensor losses;   // float64, on the CPU
    torch::Tensor correct;  // bool, on the CPU
};

/// Reads windows batch after batch; false where the request was cancelled.
template <typename Take>
bool read(const ProbedModel& model, const ProbeRequest& request, const ProbeWindows& windows,
          const PositionTerms& terms, AttentionHook* hook, const Take& take) {
    const auto device = model.weights.flat().device();
    const std::int64_t length = windows.length;
    const std::int64_t at_once = std::clamp<std::int64_t>(8192 / length, 1, 256);
    for (std::int64_t first = 0; first < windows.count(); first += at_once) {
        if (request.cancelled && request.cancelled()) return false;
        const std::int64_t count = std::min(at_once, windows.count() - first);
        const torch::Tensor x =
            to_tensor(windows.tokens, first * length, count * length, device).view({1, count, length});
        const torch::Tensor targets =
            to_tensor(windows.targets, first * length, count * length, device).view({1, count * length});
        const torch::Tensor logits = model.decoder.logits(model.weights, x, terms, model.precision, {}, nullptr, hook);
        const torch::Tensor known = targets.ge(0);
        const torch::Tensor losses = token_losses(logits, targets.clamp_min(0)).to(torch::kFloat64) * known;
        const torch::Tensor correct = logits.argmax(-1).eq(targets);
        take(Judged{first, count, losses.view({count, length}).to(torch::kCPU),
                    correct.view({count, length}).to(torch::kCPU)});
    }
    return true;
}

/// Adds up the losses by position.
void add_losses(const ProbeWindows& windows, const torch::Tensor& sums, ProbeResult& result) {
    std::vector<std::int64_t> known(static_cast<std::size_t>(windows.length), 0);
    for (std::size_t i = 0; i < windows.targets.size(); ++i) {
        if (windows.targets[i] >= 0) ++known[i % known.size()];
    }
    double total = 0;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < known.size(); ++i) {
        const double sum = sums[static_cast<std::int64_t>(i)].item<double>();
        total += sum;
        all += known[i];
        result.loss_by_position.push_back(sum / static_cast<double>(known[i]));  // NaN without any
    }
    result.loss = total / static_cast<double>(all);
    if (all == 0) result.loss_by_position.clear();
}

/// Where the copies stand, and where they stood first.
void add_copies(const RetrievalText& text, const Judged& judged, std::map<std::int64_t, RetrievalPoint>& points) {
    for (std::int64_t window = 0; window < judged.windows; ++window) {
        const std::int64_t lag = text.lags[static_cast<std::size_t>(judged.first + window)];
        RetrievalPoint& point = points[lag];
        point.lag = lag;
        point.symbols += text.marked;
        const std::int64_t copy = text.windows.length - text.marked;
        const auto sum = [&](const torch::Tensor& x, std::int64_t begin) {
            return x[window].narrow(0, begin, text.marked).sum().item<double>();
        };
        point.accuracy += sum(judged.correct, copy);
        point.loss += sum(judged.losses, copy);
        point.first_accuracy += sum(judged.correct, copy - lag);
        point.first_loss += sum(judged.losses, copy - lag);
    }
}

// From the tables' second row, which holds the angles of one step; none is beyond half a turn.
ProbeArray frequencies_of(const RunSpec& spec, const LayerTables& tables) {
    ProbeArray result;
    for (const RotaryTables& layer : tables.layers) {
        const torch::Tensor step = layer.defined() ? torch::atan2(layer.sine.select(2, 1), layer.cosine.select(2, 1))
                                                   : torch::zeros({1, 1, 1, spec.head_dim() / 2});
        const std::int64_t heads = spec.theta_training == ThetaTraining::head ? spec.heads : 1;
        const torch::Tensor rows = step.expand({1, 1, heads, -1}).to(torch::kCPU).contiguous();
        result.shape = {spec.layers, heads, rows.size(3)};
        result.values.insert(result.values.end(), rows.data_ptr<float>(), rows.data_ptr<float>() + rows.numel());
    }
    return result;
}

}  // namespace

ProbeResult probe(const ProbedModel& model, const ProbeRequest& request) {
    const torch::NoGradGuard no_gradients;
    check_request(model, request);
    const auto device = model.weights.flat().device();
    const TableChanges changes = changes_of(request);
    const bool looks = request.vectors || request.attention || request.map_size > 0 || request.vectors_at >= 0;

    ProbeResult result;
    result.windows = request.windows.count();
    result.length = request.windows.length;
    const PositionTerms terms = position_terms({&model.spec, 1}, result.length, device, changes, &model.weights);
    if (model.spec.theta_moves() && result.length > 1) result.frequencies = frequencies_of(model.spec, terms.tables);
    AttentionProbe inside(model.spec, request, terms.tables);
    const bool changes_attention = !request.removed_pairs.empty();
    torch::Tensor by_position = torch::zeros({result.length}, torch::kFloat64);
    const bool done = read(model, request, request.windows, terms, looks || changes_attention ? &inside : nullptr,
                           [&](const Judged& judged) { by_position += judged.losses.sum(0); });
    if (!done) return {};
    add_losses(request.windows, by_position, result);
    if (looks) inside.write(result);
    const auto map = request.windows.tokens.begin();
    result.map_tokens.assign(map, map + request.map_size);

    if (!request.retrieval.lags.empty()) {
        inside.stop_measuring();
        const ProbeWindows& windows = request.retrieval.windows;
        const PositionTerms their_terms =
            windows.length == result.length
                ? terms
                : position_terms({&model.spec, 1}, windows.length, device, changes, &model.weights);
        std::map<std::int64_t, RetrievalPoint> points;
        if (!read(model, request, windows, their_terms, changes_attention ? &inside : nullptr,
                  [&](const Judged& judged) { add_copies(request.retrieval, judged, points); })) {
            return {};
        }
        for (auto& [lag, point] : points) {
            const auto symbols = static_cast<double>(point.symbols);
            for (double* sum : {&point.accuracy, &point.loss, &point.first_accuracy, &point.first_loss})
                *sum /= symbols;
            result.retrieval.push_back(point);
        }
    }
    return result;
}

ProbeResult TorchModel::probe(const ProbeRequest& request) {
    return with_clear_errors([&] { return ropelab::probe({spec_, decoder_, weights_, precision_}, request); });
}

}  // namespace ropelab
