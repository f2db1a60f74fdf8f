#include "ui/inspect/probe_work.h"

#include <algorithm>
#include <numeric>

#include "core/experiment/checkpoint.h"
#include "core/spec/error.h"
#include "ui/inspect/course_figures.h"
#include "ui/inspect/probe_figures.h"

namespace ropelab::ui {
namespace {

// Enough to tell changes of a hundredth of a nat, few enough to answer at once.
constexpr std::int64_t kSymbols = 4096;
constexpr std::int64_t kBeyondSymbols = 16384;  // the tail of a long window has few others
constexpr std::int64_t kMostWindows = 32;
constexpr std::int64_t kWindowsALag = 4;

struct Asked {
    std::unique_ptr<Model> model;
    std::int64_t iteration = 0;
};

Asked open(Engine& engine, const InsideRun& run) {
    const auto checkpoint = read_checkpoint(run.checkpoint);
    if (!checkpoint) {
        throw BadInput(
            "This run has no checkpoint yet, so its model cannot be asked; it is written when a run ends or "
            "is paused.");
    }
    return {model_of(engine, *checkpoint), checkpoint->iteration};
}

ProbeRequest readingRequest(const InsideRun& run, std::int64_t length, std::int64_t symbols,
                            const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    const auto corpus = open_corpus(run.spec, dataDir);
    if (corpus->vocabulary.to_text() != run.vocabulary) {
        throw BadInput("The data \"" + run.spec.data + "\" has other symbols than when this run was trained.");
    }
    ProbeRequest request;
    request.windows =
        spaced_windows(corpus->validation, length, std::clamp<std::int64_t>(symbols / length, 4, kMostWindows));
    request.retrieval = retrieval_text(corpus->validation, length, kWindowsALag);
    request.vectors = false;
    request.attention = false;
    request.cancelled = cancelled;
    return request;
}

std::shared_ptr<const ProbeResult> ask(Model& model, const ProbeRequest& request) {
    return std::make_shared<const ProbeResult>(model.probe(request));
}

void knock(ProbeRequest& request, KnockOut::Kind kind, std::int64_t first, std::int64_t last) {
    auto& pairs = kind == KnockOut::Kind::stop ? request.stopped_pairs : request.removed_pairs;
    pairs.clear();
    for (std::int64_t pair = first; pair <= last; ++pair) pairs.push_back(pair);
}

}  // namespace

ProbeRequest textRequest(const InsideRun& run, const QString& text, std::optional<int> pair) {
    if (run.vocabulary.empty()) throw BadInput("This run has not started, so it knows no symbols yet.");
    std::vector<std::int32_t> tokens = Vocabulary::from_text(run.vocabulary).encode(text.toStdString());
    const std::int64_t most = run.spec.learns_positions() ? std::min(longestText, run.spec.context) : longestText;
    if (std::ssize(tokens) > most) tokens.resize(static_cast<std::size_t>(most));
    if (tokens.size() < 2) throw BadInput("The text has fewer than two symbols; type more, so that one can look back.");
    ProbeRequest request;
    request.windows = window_of(tokens);
    request.map_size = request.windows.length;
    if (pair && *pair < run.pairs()) request.map_pair = *pair;
    return request;
}

TextAnswer askText(Engine& engine, const InsideRun& run, const QString& text, std::optional<int> pair,
                   const Cancelled& cancelled) {
    ProbeRequest request = textRequest(run, text, pair);
    request.cancelled = cancelled;
    const Asked asked = open(engine, run);
    return {asked.iteration, ask(*asked.model, request)};
}

KnockOutResult askKnockOut(Engine& engine, const InsideRun& run, const KnockOut& knockOut,
                           const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    const Asked asked = open(engine, run);
    ProbeRequest request = readingRequest(run, run.spec.context, kSymbols, dataDir, cancelled);
    KnockOutResult result{knockOut, asked.iteration, ask(*asked.model, request), {}};
    knock(request, knockOut.kind, knockOut.first, knockOut.last);
    result.without = ask(*asked.model, request);
    return result;
}

KnockOutCurve askKnockOutCurve(Engine& engine, const InsideRun& run, KnockOut::Kind kind,
                               const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    const Asked asked = open(engine, run);
    ProbeRequest request = readingRequest(run, run.spec.context, kSymbols, dataDir, cancelled);
    KnockOutCurve curve;
    curve.kind = kind;
    curve.iteration = asked.iteration;
    const std::int64_t pairs = run.pairs();
    for (std::int64_t count = 0; count <= pairs && !cancelled(); ++count) {
        curve.count.append(static_cast<double>(count));
        knock(request, kind, 0, count - 1);
        const auto fast = ask(*asked.model, request);
        // Both ends meet where nothing or all is knocked out.
        const bool same = count == 0 || count == pairs;
        if (!same) knock(request, kind, pairs - count, pairs - 1);
        const auto slow = same ? fast : ask(*asked.model, request);
        curve.fastLoss.append(fast->loss);
        curve.slowLoss.append(slow->loss);
        curve.fastAccuracy.append(100 * meanAccuracy(*fast));
        curve.slowAccuracy.append(100 * meanAccuracy(*slow));
    }
    return curve;
}

BeyondResult askBeyond(Engine& engine, const InsideRun& run, std::int64_t factor, const std::filesystem::path& dataDir,
                       const Cancelled& cancelled) {
    if (run.spec.learns_positions()) {
        throw BadInput("This run learned a vector for each of its " + std::to_string(run.spec.context) +
                       " positions, so there is nothing to read beyond them with.");
    }
    if (!run.spec.rotates()) {
        throw BadInput("This run has no positions that could be scaled; pick one that rotates.");
    }
    const Asked asked = open(engine, run);
    ProbeRequest request = readingRequest(run, run.spec.context * factor, kBeyondSymbols, dataDir, cancelled);
    BeyondResult result{factor, asked.iteration, {}};
    for (const ScalingMethod method : beyondMethods()) {
        if (cancelled()) break;
        request.scaling = Scaling{.method = method, .factor = static_cast<double>(factor)};
        result.entries.push_back({method, ask(*asked.model, request)});
    }
    return result;
}

}  // namespace ropelab::ui
