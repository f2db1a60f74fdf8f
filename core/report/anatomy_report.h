#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
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

enum class AnatomyFormat { text, csv, latex, markdown };
/// Parses "text", "csv", "latex" or "markdown". Throws BadInput for any other word.
AnatomyFormat anatomy_format(std::string_view word);

std::string known_number(const std::optional<std::int64_t>& number);
/// Returns a number of parameters, with that of the parameters that process a token if it is another one: "1,240 (310
/// active)".
std::string known_parameters(const std::optional<std::int64_t>& parameters, const std::optional<std::int64_t>& active);
/// Returns a number of operations, rounded to a whole number, or "unknown".
std::string known_operations(const std::optional<double>& operations);

/// Returns the stages of a model as a table with a row of totals. Numbers of a stage in a layer are those of one layer.
/// A last column has the times if they were measured.
std::string anatomy_table(const AnatomyModel& model, AnatomyFormat format);
/// Returns the stages of a model, its sizes, totals and remarks as JSON; unknown numbers are null. Measured times have
/// members of their own, also layer by layer.
nlohmann::json anatomy_json(const AnatomyModel& model);

}  // namespace ropelab
