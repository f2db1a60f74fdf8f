#include "ui/rooms/inspect/probe_work.h"

#include <algorithm>

#include "core/run/checkpoint.h"
#include "core/spec/error.h"
#include "ui/common/text.h"
#include "ui/rooms/inspect/data_work.h"
#include "ui/session/run_checkpoint.h"

namespace ropelab::ui {
namespace {

std::string noCheckpoint(const InsideRun& run) {
    return whyNoCheckpoint({run.checkpoint, run.wroteCheckpoint});
}

}  // namespace

Checkpoint checkpointOf(const InsideRun& run) {
    auto checkpoint = read_checkpoint(run.checkpoint);
    if (!checkpoint) throw BadInput(noCheckpoint(run));
    return std::move(*checkpoint);
}

ProbeRequest textRequest(const InsideRun& run, const QString& text, std::optional<int> pair) {
    if (run.vocabulary.empty()) throw BadInput("This run has not started, so it has no vocabulary yet.");
    std::vector<std::int32_t> tokens = Vocabulary::from_text(run.vocabulary).encode(text.toStdString());
    const std::int64_t most = run.spec.learns_positions() ? std::min(kMaxTextTokens, run.spec.context) : kMaxTextTokens;
    if (std::ssize(tokens) > most) tokens.resize(static_cast<std::size_t>(most));
    if (tokens.size() < 2)
        throw BadInput(
            "The text has fewer than two tokens; type more text, so that a token can attend to an earlier one.");
    ProbeRequest request;
    request.sequences = sequence_of(tokens);
    request.map_size = request.sequences.length;
    if (pair && *pair < run.pairs()) request.map_pair = *pair;
    return request;
}

TextAnswer probeText(Engine& engine, const InsideRun& run, const QString& text, std::optional<int> pair,
                     const Cancelled& cancelled) {
    ProbeRequest request = textRequest(run, text, pair);
    request.cancelled = cancelled;
    const Checkpoint checkpoint = checkpointOf(run);
    auto result = std::make_shared<const ProbeResult>(model_of(engine, checkpoint)->probe(request));
    return {checkpoint.iteration, std::move(result), pair};
}

AblationResult probeAblation(Engine& engine, const InsideRun& run, const Ablation& ablation,
                             const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    return measure_ablation(engine, checkpointOf(run), ablation, dataDir, cancelled);
}

AblationCurve probeAblationCurve(Engine& engine, const InsideRun& run, Ablation::Kind kind,
                                 const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    return measure_ablation_curve(engine, checkpointOf(run), kind, dataDir, cancelled);
}

ExtrapolationResult probeExtrapolation(Engine& engine, const InsideRun& run, std::int64_t factor,
                                       const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    return evaluate_extrapolation(engine, checkpointOf(run), factor, extrapolation_methods_of(run.spec), dataDir,
                                  cancelled);
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

ExtrapolationResult fineTuneCopy(Engine& engine, const InsideRun& run, const FineTuning& how,
                                 const std::filesystem::path& dataDir,
                                 const std::function<bool(std::int64_t)>& goesOn) {
    return fine_tune_extrapolation(engine, checkpointOf(run), how, dataDir, goesOn);
}

void computeInput(InspectData& data, InspectFigure::Input input, const ModelInputs& inputs,
                  const Runner::EngineSource& engine, const std::filesystem::path& dataDir,
                  const Cancelled& cancelled) {
    switch (input) {
        case InspectFigure::Input::snapshots:
            return;
        case InspectFigure::Input::text: {
            if (inputs.text.isEmpty()) return;
            const TextAnswer answer = probeText(engine(), *data.run, inputs.text, data.choices.pair, cancelled);
            data.text = answer.result;
            data.textIteration = answer.iteration;
            data.textPair = answer.pair;
            return;
        }
        case InspectFigure::Input::ablation:
            data.ablation = probeAblation(engine(), *data.run, inputs.ablation, dataDir, cancelled);
            return;
        case InspectFigure::Input::ablationCurve:
            data.ablationCurve = probeAblationCurve(engine(), *data.run, inputs.ablation.kind, dataDir, cancelled);
            return;
        case InspectFigure::Input::beyond:
            data.beyond = probeExtrapolation(engine(), *data.run, inputs.factor, dataDir, cancelled);
            return;
        case InspectFigure::Input::fineTuning: {
            const auto goesOn = [&cancelled](std::int64_t) { return !cancelled(); };
            data.fineTunings = {fineTuneCopy(engine(), *data.run, data.fineTuning, dataDir, goesOn)};
            return;
        }
        case InspectFigure::Input::dataSet:
            data.statistics = std::make_shared<const TextStatistics>(textStatistics(*data.run, dataDir, cancelled));
            return;
        case InspectFigure::Input::bits:
            data.painted =
                std::make_shared<const PaintedText>(paintedText(engine(), *data.run, inputs.text, dataDir, cancelled));
            return;
    }
}

}  // namespace ropelab::ui
