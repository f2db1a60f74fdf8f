#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/plan/anatomy.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// A model whose stages are listed, from one of four sources.
struct AnatomyModel {
    std::string name;             // "Llama 3 8B"
    std::optional<RunSpec> spec;  // the settings; nullopt for a Hugging Face model
    std::int64_t vocabulary = 0;  // of `spec`
    Anatomy anatomy;
};

/// Returns the model of a run's settings. A vocabulary of 0 is replaced by that which the data set probably has
/// (likely_vocabulary). Throws BadInput if the settings contradict each other.
AnatomyModel model_of_settings(const RunSpec& spec, std::int64_t vocabulary = 0, std::string name = "");
/// Returns the model of settings that are written as "layers=4 block=llama"; other settings have their defaults. Throws
/// BadInput for an unknown setting or an invalid value.
AnatomyModel model_of_text(std::string_view settings, std::int64_t vocabulary = 0);
/// Returns the model of a run of a lab, with the vocabulary of its checkpoint if there is one. Throws BadInput if the
/// lab does not have the run or its settings are damaged.
AnatomyModel model_of_run(const LabFile& lab, RunId run);
/// Returns a model of the table of known models (known_model()). Throws BadInput if there is none of this name.
AnatomyModel model_of_name(std::string_view name);
/// Returns the model of a Hugging Face config.json, or of the folder that contains one. Throws BadInput if it cannot be
/// read.
AnatomyModel model_of_config(const std::filesystem::path& file);

/// Returns the settings that determine the stages of a run's model as the text that model_of_text() parses: those of
/// the group "model" and of the batch that differ from their defaults.
std::string anatomy_settings(const RunSpec& spec);

}  // namespace ropelab
