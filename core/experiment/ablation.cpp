#include "core/experiment/ablation.h"

#include <charconv>
#include <limits>
#include <string>

#include "core/experiment/probing.h"
#include "core/spec/error.h"
#include "core/spec/selection.h"

namespace ropelab {

namespace {

// Enough tokens to resolve a change of 0.01 nats, and few enough for an immediate result.
constexpr std::int64_t tested_tokens = 4096;

std::shared_ptr<const ProbeResult> evaluate(Model& model, const ProbeRequest& request) {
    return std::make_shared<const ProbeResult>(model.probe(request));
}

}  // namespace

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
                           std::to_string(count) + " pairs, so it can name 1 to " + std::to_string(count) +
                           " from an end, such as \"" + (fast ? "fast" : "slow") + "1\".");
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
    const bool freezes = ablation.kind == Ablation::Kind::stop;
    request.frozen_pairs = freezes ? ablation.pairs : std::vector<std::int64_t>();
    request.ablated_pairs = freezes ? std::vector<std::int64_t>() : ablation.pairs;
}

AblationResult measure_ablation(Engine& engine, const Checkpoint& checkpoint, const Ablation& ablation,
                                const std::filesystem::path& data_dir, const std::function<bool()>& cancelled) {
    const auto corpus = corpus_of(checkpoint, data_dir);
    ProbeRequest request = loss_request(corpus->validation, checkpoint.spec.context, tested_tokens);
    request.cancelled = cancelled;
    const auto model = model_of(engine, checkpoint);
    AblationResult result{ablation, checkpoint.iteration, evaluate(*model, request), {}};
    apply_ablation(request, ablation);
    result.without = evaluate(*model, request);
    return result;
}

AblationCurve measure_ablation_curve(Engine& engine, const Checkpoint& checkpoint, Ablation::Kind kind,
                                     const std::filesystem::path& data_dir, const std::function<bool()>& cancelled) {
    const auto corpus = corpus_of(checkpoint, data_dir);
    ProbeRequest request = loss_request(corpus->validation, checkpoint.spec.context, tested_tokens);
    request.cancelled = cancelled;
    const auto model = model_of(engine, checkpoint);
    AblationCurve curve;
    curve.kind = kind;
    curve.iteration = checkpoint.iteration;
    const std::int64_t pairs = checkpoint.spec.head_dim() / 2;
    for (std::int64_t count = 0; count <= pairs && !(cancelled && cancelled()); ++count) {
        apply_ablation(request, pair_range(kind, 0, count - 1));
        const auto fast = evaluate(*model, request);
        // Both curves are equal if no pair or every pair is ablated.
        const bool same = count == 0 || count == pairs;
        if (!same) apply_ablation(request, pair_range(kind, pairs - count, pairs - 1));
        const auto slow = same ? fast : evaluate(*model, request);
        curve.fast_loss.push_back(fast->loss);
        curve.slow_loss.push_back(slow->loss);
        curve.fast_accuracy.push_back(retrieval_accuracy(*fast));
        curve.slow_accuracy.push_back(retrieval_accuracy(*slow));
    }
    return curve;
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

}  // namespace ropelab
