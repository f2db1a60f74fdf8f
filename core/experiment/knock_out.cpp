#include "core/experiment/knock_out.h"

#include <charconv>
#include <limits>
#include <string>

#include "core/experiment/probing.h"
#include "core/spec/error.h"
#include "core/spec/selection.h"

namespace ropelab {

namespace {

// Enough to tell changes of a hundredth of a nat, few enough to answer at once.
constexpr std::int64_t judged_symbols = 4096;

std::shared_ptr<const ProbeResult> read(Model& model, const ProbeRequest& request) {
    return std::make_shared<const ProbeResult>(model.probe(request));
}

}  // namespace

KnockOut pair_range(KnockOut::Kind kind, std::int64_t first, std::int64_t last) {
    KnockOut result{kind, {}};
    for (std::int64_t pair = first; pair <= last; ++pair) result.pairs.push_back(pair);
    return result;
}

std::vector<std::int64_t> parse_pairs(std::string_view text, std::int64_t count, std::string_view what) {
    const bool fast = text.starts_with("fast");
    if (fast || text.starts_with("slow")) {
        std::int64_t many = 0;
        const char* end = text.data() + text.size();
        if (std::from_chars(text.data() + 4, end, many).ptr != end || many < 1 || many > count) {
            throw BadInput(std::string(what) + " is \"" + std::string(text) + "\", but of " + std::to_string(count) +
                           " pairs it can name 1 to " + std::to_string(count) + " from an end, as \"" +
                           (fast ? "fast" : "slow") + "1\".");
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

void knock_out(ProbeRequest& request, const KnockOut& how) {
    const bool stops = how.kind == KnockOut::Kind::stop;
    request.stopped_pairs = stops ? how.pairs : std::vector<std::int64_t>();
    request.removed_pairs = stops ? std::vector<std::int64_t>() : how.pairs;
}

KnockOutResult judge_knock_out(Engine& engine, const Checkpoint& checkpoint, const KnockOut& how,
                               const std::filesystem::path& data_dir, const std::function<bool()>& cancelled) {
    const auto corpus = corpus_of(checkpoint, data_dir);
    ProbeRequest request = judging_request(corpus->validation, checkpoint.spec.context, judged_symbols);
    request.cancelled = cancelled;
    const auto model = model_of(engine, checkpoint);
    KnockOutResult result{how, checkpoint.iteration, read(*model, request), {}};
    knock_out(request, how);
    result.without = read(*model, request);
    return result;
}

KnockOutCurve judge_knock_outs(Engine& engine, const Checkpoint& checkpoint, KnockOut::Kind kind,
                               const std::filesystem::path& data_dir, const std::function<bool()>& cancelled) {
    const auto corpus = corpus_of(checkpoint, data_dir);
    ProbeRequest request = judging_request(corpus->validation, checkpoint.spec.context, judged_symbols);
    request.cancelled = cancelled;
    const auto model = model_of(engine, checkpoint);
    KnockOutCurve curve;
    curve.kind = kind;
    curve.iteration = checkpoint.iteration;
    const std::int64_t pairs = checkpoint.spec.head_dim() / 2;
    for (std::int64_t count = 0; count <= pairs && !(cancelled && cancelled()); ++count) {
        knock_out(request, pair_range(kind, 0, count - 1));
        const auto fast = read(*model, request);
        // Both ends meet where nothing or all is knocked out.
        const bool same = count == 0 || count == pairs;
        if (!same) knock_out(request, pair_range(kind, pairs - count, pairs - 1));
        const auto slow = same ? fast : read(*model, request);
        curve.fast_loss.push_back(fast->loss);
        curve.slow_loss.push_back(slow->loss);
        curve.fast_accuracy.push_back(retrieval_accuracy(*fast));
        curve.slow_accuracy.push_back(retrieval_accuracy(*slow));
    }
    return curve;
}

double retrieval_accuracy(const ProbeResult& result) {
    double right = 0;
    double symbols = 0;
    for (const RetrievalPoint& point : result.retrieval) {
        right += point.accuracy * static_cast<double>(point.symbols);
        symbols += static_cast<double>(point.symbols);
    }
    return symbols > 0 ? right / symbols : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ropelab
