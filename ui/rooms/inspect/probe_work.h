#pragma once

#include <QString>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/contract/engine.h"
#include "core/rope/context.h"
#include "core/run/probing.h"
#include "core/run/runner.h"
#include "core/store/lab_file.h"
#include "ui/probes/inside_run.h"
#include "ui/probes/inspect_data.h"
#include "ui/rooms/inspect/inspect_figures.h"

namespace ropelab::ui {

class JobFields;

// Computations for the figures of a run's data set. They take seconds, so call them outside the window's thread. They
// throw BadInput, with one sentence, if the data set or the checkpoint is missing. If `cancelled` returns true, the
// result is incomplete and must be discarded.

inline constexpr std::int64_t kMaxCountedTokens = 500'000;
/// Tokens of the excerpt, and the most tokens of a typed text.
inline constexpr std::int64_t kExcerptTokens = 600;
/// In tokens.
inline constexpr std::int64_t kMaxInformationDistance = 5000;

TextStatistics textStatistics(const InsideRun& run, const std::filesystem::path& dataDir, const Cancelled& cancelled);

/// "" selects the excerpt of the validation split.
PaintedText paintedText(Engine& engine, const InsideRun& run, const QString& text, const std::filesystem::path& dataDir,
                        const Cancelled& cancelled);

// Computations with the model of a run's checkpoint. They can take long, so call them outside the window's thread. They
// throw BadInput, with one sentence, if there is no checkpoint or the model does not support the computation. If
// `cancelled` returns true, the result is incomplete and must be discarded.

/// The rest of a typed text is cut off.
inline constexpr std::int64_t kMaxTextTokens = 128;

Checkpoint checkpointOf(const InsideRun& run);

/// Requests attention maps of the whole text, and the logit term of `pair` if there is one. Throws BadInput if a
/// character is not in the run's vocabulary, and if the text has fewer than two tokens.
ProbeRequest textRequest(const InsideRun& run, const QString& text, std::optional<int> pair);

/// "" if a copy of the run can be fine-tuned.
QString whyNoFineTuning(const InsideRun& run, const FineTuning& how);
/// The losses beyond the context that the lab stores of the run, at the length of `data.fineTuning`.
void fillStored(InspectData& data);
/// Of the need, so that nothing has to be computed.
bool isStored(const InspectNeed& need, const InspectData& data);
/// Without a window: stores in `data` what a figure needs besides snapshots; a null need is none. `engine` is called
/// only if it is needed.
void computeNeed(InspectData& data, const InspectNeed* need, const ModelInputs& inputs,
                 const Runner::EngineSource& engine, const std::filesystem::path& dataDir, const Cancelled& cancelled);

/// What figures of this room show of a lab, as the window, the command line, an exported figure and a replay say it.
struct InspectRequest {
    RunId run = 0;                // 0: the lab's first run
    QString model = {};           // path of a model that others trained, instead of a run; "" for none
    QString modelText = {};       // the text on which it is measured: a file or a data set; "": the program's guide
    RunId beside = 0;             // the second run, which is compared with the first; 0: none
    std::int64_t iteration = -1;  // −1: the newest snapshot; a replay shows all
    InspectChoices choices = {};
    ModelInputs modelInputs = {};
    QJsonObject flags = {};  // as InspectData::flags
};
/// The key of FigureOrigin::view whose object has these fields.
inline const QString kRecordedChoices = QStringLiteral("choices");
/// The fields of a replay, and of the choices of a figure that the window exported (FigureOrigin::view), which is of
/// one step.
void visitFields(JobFields& fields, InspectRequest& request);

/// The runs with the choices, without the results that a model has to compute. Throws BadInput, with `what` before the
/// choice ("--"), if the lab lacks a run or the run the layer or the head.
InspectData dataOf(const LabFile* lab, const InspectRequest& request, const std::filesystem::path& dataDir,
                   const std::string& what);
/// −1 (all, or none) exists.
void checkExists(const std::string& what, const char* choice, std::int64_t chosen, std::int64_t count);

/// The runs of the figure and their lab.
FigureOrigin inspectOrigin(const LabFile* lab, const InspectData& data);
/// With its origin. Runs the checkpoint's model if the figure needs it. Throws BadInput, with a sentence on what is
/// missing, if the figure would be empty.
Figure inspectFigureOf(const LabFile* lab, const Runner::EngineSource& engine, const std::filesystem::path& dataDir,
                       const InspectFigure& figure, const InspectRequest& request);

namespace need {

/// The snapshot of an opened model: what training would have stored, on the beginning of its text.
extern const InspectNeed opened;
extern const InspectNeed text;
extern const InspectNeed ablation;
extern const InspectNeed ablationCurve;
extern const InspectNeed beyond;
extern const InspectNeed fineTuning;
extern const InspectNeed statistics;
extern const InspectNeed bits;

}  // namespace need
}  // namespace ropelab::ui
