#include "ui/inspect/probe_work.h"

#include <algorithm>

#include "core/experiment/checkpoint.h"
#include "core/spec/error.h"
#include "ui/window/paths.h"
#include "ui/window/text.h"

namespace ropelab::ui {
namespace {

std::string noCheckpoint(const InsideRun& run) {
    if (!run.wroteCheckpoint) {
        return "This run has no checkpoint yet, so its model cannot be asked; it is written when a run ends or is "
               "paused.";
    }
    return "This run's checkpoint is gone, so its model cannot be asked: it is not at " +
           fromPath(run.checkpoint).toStdString() + "; put it back there, or train the run again.";
}

Checkpoint checkpointOf(const InsideRun& run) {
    auto checkpoint = read_checkpoint(run.checkpoint);
    if (!checkpoint) throw BadInput(noCheckpoint(run));
    return std::move(*checkpoint);
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
    const Checkpoint checkpoint = checkpointOf(run);
    auto result = std::make_shared<const ProbeResult>(model_of(engine, checkpoint)->probe(request));
    return {checkpoint.iteration, std::move(result), pair};
}

KnockOutResult askKnockOut(Engine& engine, const InsideRun& run, const KnockOut& knockOut,
                           const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    return judge_knock_out(engine, checkpointOf(run), knockOut, dataDir, cancelled);
}

KnockOutCurve askKnockOutCurve(Engine& engine, const InsideRun& run, KnockOut::Kind kind,
                               const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    return judge_knock_outs(engine, checkpointOf(run), kind, dataDir, cancelled);
}

BeyondResult askBeyond(Engine& engine, const InsideRun& run, std::int64_t factor, const std::filesystem::path& dataDir,
                       const Cancelled& cancelled) {
    return read_beyond(engine, checkpointOf(run), factor, beyond_methods(), dataDir, cancelled);
}

QString whyNoFineTuning(const InsideRun& run, const FineTuning& how) {
    try {
        check_fine_tuning(run.spec, how);
    } catch (const BadInput& error) {
        return QString::fromUtf8(error.what());
    }
    std::error_code unreadable;
    return std::filesystem::exists(run.checkpoint, unreadable) ? QString() : text(noCheckpoint(run));
}

BeyondResult askFineTuning(Engine& engine, const InsideRun& run, const FineTuning& how,
                           const std::filesystem::path& dataDir, const std::function<bool(std::int64_t)>& goesOn) {
    return fine_tune_beyond(engine, checkpointOf(run), how, dataDir, goesOn);
}

void askModel(InspectData& data, InspectFigure::Reads reads, const ModelQuestions& questions,
              const Runner::EngineSource& engine, const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    switch (reads) {
        case InspectFigure::Reads::snapshots:
            return;
        case InspectFigure::Reads::text: {
            if (questions.text.isEmpty()) return;
            const TextAnswer answer = askText(engine(), *data.run, questions.text, data.choices.pair, cancelled);
            data.text = answer.result;
            data.textIteration = answer.iteration;
            data.textPair = answer.pair;
            return;
        }
        case InspectFigure::Reads::knockOut:
            data.knockOut = askKnockOut(engine(), *data.run, questions.knockOut, dataDir, cancelled);
            return;
        case InspectFigure::Reads::knockOutCurve:
            data.knockOutCurve = askKnockOutCurve(engine(), *data.run, questions.knockOut.kind, dataDir, cancelled);
            return;
        case InspectFigure::Reads::beyond:
            data.beyond = askBeyond(engine(), *data.run, questions.factor, dataDir, cancelled);
            return;
        case InspectFigure::Reads::fineTuning: {
            const auto goesOn = [&cancelled](std::int64_t) { return !cancelled(); };
            data.fineTunings = {askFineTuning(engine(), *data.run, data.fineTuning, dataDir, goesOn)};
            return;
        }
    }
}

}  // namespace ropelab::ui
