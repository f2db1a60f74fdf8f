#pragma once

#include <QString>
#include <filesystem>
#include <functional>

#include "core/run/probing.h"
#include "core/run/runner.h"
#include "core/rope/context.h"
#include "ui/rooms/inspect/inspect_figures.h"

namespace ropelab::ui {

// Computations with the model of a run's checkpoint. They can take long, so call them outside the window's thread. They
// throw BadInput, with one sentence, if there is no checkpoint or the model does not support the computation. If
// `cancelled` returns true, the result is incomplete and must be discarded.

/// The rest of a typed text is cut off.
inline constexpr std::int64_t kMaxTextTokens = 128;

Checkpoint checkpointOf(const InsideRun& run);

/// Requests attention maps of the whole text, and the logit term of `pair` if there is one. Throws BadInput if a
/// character is not in the run's vocabulary, and if the text has fewer than two tokens.
ProbeRequest textRequest(const InsideRun& run, const QString& text, std::optional<int> pair);

struct TextAnswer {
    std::int64_t iteration = 0;
    std::shared_ptr<const ProbeResult> result;
    std::optional<int> pair = {};  // the requested pair
    bool whileTraining = false;    // computed during training, at `iteration` or some steps later
};
TextAnswer probeText(Engine& engine, const InsideRun& run, const QString& text, std::optional<int> pair,
                     const Cancelled& cancelled);

AblationResult probeAblation(Engine& engine, const InsideRun& run, const Ablation& ablation,
                             const std::filesystem::path& dataDir, const Cancelled& cancelled);
AblationCurve probeAblationCurve(Engine& engine, const InsideRun& run, Ablation::Kind kind,
                                 const std::filesystem::path& dataDir, const Cancelled& cancelled);
/// Evaluates every scaling method at `factor` times the context. Throws BadInput for runs with learned positions, which
/// end at the context, and for runs without RoPE.
ExtrapolationResult probeExtrapolation(Engine& engine, const InsideRun& run, std::int64_t factor,
                                       const std::filesystem::path& dataDir, const Cancelled& cancelled);
/// "" if a copy of the run can be fine-tuned.
QString whyNoFineTuning(const InsideRun& run, const FineTuning& how);
/// Returns the losses before and after; the run and its checkpoint do not change. `goesOn` is called with the number of
/// completed steps; fine-tuning stops if it returns false.
ExtrapolationResult fineTuneCopy(Engine& engine, const InsideRun& run, const FineTuning& how,
                                 const std::filesystem::path& dataDir, const std::function<bool(std::int64_t)>& goesOn);

/// Stores in `data` what a figure with this input needs besides snapshots. The engine is loaded only if it is needed.
void computeInput(InspectData& data, InspectFigure::Input input, const ModelInputs& inputs,
                  const Runner::EngineSource& engine, const std::filesystem::path& dataDir, const Cancelled& cancelled);

}  // namespace ropelab::ui
