#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/contract/engine.h"
#include "core/contract/event.h"
#include "core/contract/named_tensor.h"
#include "core/data/corpus.h"
#include "core/data/text_source.h"
#include "core/plan/model_plan.h"
#include "core/settings/run_spec.h"

namespace ropelab {

/// A model that others trained. Its weights stay where they are.
struct ExternalModel {
    ModelPlan plan;  // for sequences of its context
    std::shared_ptr<const Corpus> corpus;
    /// With the frequencies of sequences of `tokens` tokens.
    std::function<std::shared_ptr<Model>(Engine& engine, std::int64_t tokens)> load;
};

/// `spec` of an external model has only the sizes of its plan: context, layers, heads. Ask plan_of() for the rest.
struct Checkpoint {
    RunSpec spec;
    std::string vocabulary;  // the text of Vocabulary::to_text()
    RunConditions conditions;
    std::int64_t iteration = 0;
    /// −1 before the first one.
    std::int64_t evaluated = -1;
    RunSummary summary;
    std::vector<NamedTensor> state;
    /// nullopt in files of older versions of RoPE Lab.
    std::optional<TextMark> text = std::nullopt;
    /// A stop cut the sample of the last evaluation, so that the resumed run generates it.
    bool sample_is_cut = false;
    std::shared_ptr<const ExternalModel> external = nullptr;  // null for a run
};

/// The checkpoint file of a run, and what is known of the run. What is unknown ("", nullopt, −1) is not compared.
struct RunCheckpoint {
    std::filesystem::path path;
    RunSpec spec;
    std::string name = {};                        // of the run, for messages
    std::string vocabulary = {};                  // as Checkpoint::vocabulary
    std::optional<TextMark> text = std::nullopt;  // with which the run began
    std::int64_t recorded = -1;                   // last step with metrics; a checkpoint is never ahead of them
    std::int64_t finished = -1;                   // step of the checkpoint of a finished run
    bool is_written = false;                      // the run finished, or was stopped after a step
    std::shared_ptr<const ExternalModel> external = nullptr;  // then there is no file
};

/// Atomic; a safetensors file with the state as tensors and all else as metadata. BadInput if it cannot be written.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
/// nullopt if the file does not exist. Throws BadInput if it cannot be read. For a file that belongs to no run.
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& path);
/// Also throws BadInput, naming what differs, if it is the checkpoint of another run: settings, data, vocabulary, step.
std::optional<Checkpoint> read_checkpoint(const RunCheckpoint& run);
/// Without tensors (`state` is empty); otherwise as read_checkpoint().
std::optional<Checkpoint> read_checkpoint_head(const RunCheckpoint& run);

}  // namespace ropelab
