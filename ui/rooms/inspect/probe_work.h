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

/// The most tokens of a typed text that are used; the rest is cut off.
inline constexpr std::int64_t kMaxTextTokens = 128;

/// Reads the checkpoint of a run. Throws BadInput if there is none.
Checkpoint checkpointOf(const InsideRun& run);

/// Returns the probe request for a typed text: attention maps of the whole text, and the logit term of `pair` if there
/// is one. Throws BadInput if a character is not in the run's vocabulary, and if the text has fewer than two tokens.
ProbeRequest textRequest(const InsideRun& run, const QString& text, std::optional<int> pair);

/// The probe result for a typed text.
struct TextAnswer {
    std::int64_t iteration = 0;
    std::shared_ptr<const ProbeResult> result;
    std::optional<int> pair = {};  // the requested pair
    bool whileTraining = false;    // computed during training, at `iteration` or some steps later
};
/// Computes the attention weights of a run's checkpoint in a typed text, and the logit term of `pair`.
TextAnswer probeText(Engine& engine, const InsideRun& run, const QString& text, std::optional<int> pair,
                     const Cancelled& cancelled);

/// Computes the losses and the retrieval accuracy of a run's checkpoint with and without an ablation.
AblationResult probeAblation(Engine& engine, const InsideRun& run, const Ablation& ablation,
                             const std::filesystem::path& dataDir, const Cancelled& cancelled);
/// Computes the losses and the retrieval accuracy of a run's checkpoint against the number of ablated pairs.
AblationCurve probeAblationCurve(Engine& engine, const InsideRun& run, Ablation::Kind kind,
                                 const std::filesystem::path& dataDir, const Cancelled& cancelled);
/// Computes the losses and the retrieval accuracy of a run's checkpoint at `factor` times the context, with every
/// scaling method. Throws BadInput for runs with learned positions, which end at the context, and for runs without
/// RoPE.
ExtrapolationResult probeExtrapolation(Engine& engine, const InsideRun& run, std::int64_t factor,
                                       const std::filesystem::path& dataDir, const Cancelled& cancelled);
/// Returns why a copy of the run cannot be fine-tuned with these settings; "" if it can.
QString whyNoFineTuning(const InsideRun& run, const FineTuning& how);
/// Fine-tunes a copy of the run and returns the losses before and after; the run and its checkpoint do not change.
/// `goesOn` is called with the number of completed steps; fine-tuning stops if it returns false.
ExtrapolationResult fineTuneCopy(Engine& engine, const InsideRun& run, const FineTuning& how,
                                 const std::filesystem::path& dataDir, const std::function<bool(std::int64_t)>& goesOn);

/// Computes the data that a figure with this input needs besides snapshots, and stores them in `data`. The engine is
/// loaded only if it is needed.
void computeInput(InspectData& data, InspectFigure::Input input, const ModelInputs& inputs,
                  const Runner::EngineSource& engine, const std::filesystem::path& dataDir, const Cancelled& cancelled);

}  // namespace ropelab::ui
