#pragma once

#include <QString>
#include <filesystem>
#include <functional>

#include "core/experiment/probing.h"
#include "core/experiment/runner.h"
#include "core/rope/context.h"
#include "ui/inspect/inspect_figures.h"

namespace ropelab::ui {

// Questions to a run's checkpoint. Each takes as long as the model takes, so it runs beside the window's thread; each
// throws BadInput, one sentence, where there is no checkpoint or the model cannot be asked that. A cancelled one
// returns numbers that nobody reads.

/// A text of at most so many symbols is read; what is longer is cut.
inline constexpr std::int64_t longestText = 128;

/// How a typed text is read: attention maps of all of it, the pair's part where one is lit. Throws BadInput for a
/// symbol that the run has not learned, and for a text of less than two.
ProbeRequest textRequest(const InsideRun& run, const QString& text, std::optional<int> pair);

struct TextAnswer {
    std::int64_t iteration = 0;
    std::shared_ptr<const ProbeResult> result;
    std::optional<int> pair = {};  // as asked
    bool whileTraining = false;    // some steps after `iteration`, perhaps
};
TextAnswer askText(Engine& engine, const InsideRun& run, const QString& text, std::optional<int> pair,
                   const Cancelled& cancelled);

KnockOutResult askKnockOut(Engine& engine, const InsideRun& run, const KnockOut& knockOut,
                           const std::filesystem::path& dataDir, const Cancelled& cancelled);
KnockOutCurve askKnockOutCurve(Engine& engine, const InsideRun& run, KnockOut::Kind kind,
                               const std::filesystem::path& dataDir, const Cancelled& cancelled);
/// Every method at `factor` times the context. Throws BadInput for learned positions, which end at the context, and
/// for runs that do not rotate.
BeyondResult askBeyond(Engine& engine, const InsideRun& run, std::int64_t factor, const std::filesystem::path& dataDir,
                       const Cancelled& cancelled);
/// Why no copy of the run can be trained on so; "" where one can.
QString whyNoFineTuning(const InsideRun& run, const FineTuning& how);
/// Before and after fine-tuning; the run and its checkpoint stay as they are. `goesOn` is told the steps done.
BeyondResult askFineTuning(Engine& engine, const InsideRun& run, const FineTuning& how,
                           const std::filesystem::path& dataDir, const std::function<bool(std::int64_t)>& goesOn);

/// Puts into the data what a figure that reads this is made from besides snapshots. The engine is opened only where it
/// is needed.
void askModel(InspectData& data, InspectFigure::Reads reads, const ModelQuestions& questions,
              const Runner::EngineSource& engine, const std::filesystem::path& dataDir, const Cancelled& cancelled);

}  // namespace ropelab::ui
