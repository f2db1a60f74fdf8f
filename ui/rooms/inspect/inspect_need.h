#pragma once

#include <filesystem>
#include <functional>

#include "core/contract/engine.h"
#include "core/rope/context.h"
#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

/// Stores a result in the data of a figure.
using InspectFill = std::function<void(InspectData&)>;

struct InspectWork {
    Engine* engine;  // null for a need that does not use it
    std::filesystem::path dataDir;
    Cancelled cancelled;  // if it returns true, the result is incomplete and must be discarded
    std::function<void(const InspectFill&)> report = {};  // of parts that are ready before the whole; may be null
};

/// What a figure of the Inspect room shows besides snapshots, and how that is computed from a run. ModelAnswers asks
/// for it in the window, on another thread and with cancellation; computeNeed() asks for it at once.
struct InspectNeed {
    /// Fields of the panel that change the result.
    enum Fields : unsigned {
        noField = 0,
        textField = 1,
        ablationField = 2,
        pairsField = 4,
        lengthField = 8,
        fineTuningField = 16
    };

    unsigned fields = noField;
    bool usesEngine = true;
    /// False for what training did not make: it cannot be replayed, and the user starts it with a button.
    bool isOfTraining = true;
    /// Null: it is computed for all inputs.
    bool (*wants)(const ModelInputs& inputs) = nullptr;
    /// Distinguishes requests of one run; null: there is only one.
    QString (*key)(const InsideRun& run, const ModelInputs& inputs) = nullptr;
    /// Throws BadInput, with one sentence on what is missing.
    InspectFill (*compute)(const InspectWork& work, const InsideRun& run, const ModelInputs& inputs);
    /// Notes in the data that the result was asked for; may be null.
    void (*asked)(InspectData& data, const ModelInputs& inputs) = nullptr;
    /// If a probe gives the result, a run in training is probed instead of its checkpoint.
    ProbeRequest (*probe)(const InsideRun& run, const ModelInputs& inputs) = nullptr;
    InspectFill (*fillProbe)(const InsideRun& run, const ModelInputs& inputs, ProbeResult result,
                             std::int64_t iteration) = nullptr;

    bool isAsked(const ModelInputs& inputs) const { return !wants || wants(inputs); }
};

}  // namespace ropelab::ui
