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

struct AnatomyModel {
    std::string name;             // "Llama 3 8B"
    std::optional<RunSpec> spec;  // the settings; nullopt for a Hugging Face model
    std::int64_t vocabulary = 0;  // of `spec`
    Anatomy anatomy;
};

/// A vocabulary of 0 means likely_vocabulary. Throws BadInput if the settings contradict each other.
AnatomyModel model_of_settings(const RunSpec& spec, std::int64_t vocabulary = 0, std::string name = "");
/// "layers=4 block=llama", else defaults. Throws BadInput for an unknown setting or an invalid value.
AnatomyModel model_of_text(std::string_view settings, std::int64_t vocabulary = 0);
/// With its checkpoint's vocabulary, if any. Throws BadInput if the run is missing or its settings are damaged.
AnatomyModel model_of_run(const LabFile& lab, RunId run);
/// known_model(), or the model of a folder or file (OpenedModel), the last one of a folder of checkpoints. Throws
/// BadInput if there is none.
AnatomyModel model_of_name(std::string_view name);
/// A config.json of Hugging Face, or its folder. Throws BadInput if it cannot be read.
AnatomyModel model_of_config(const std::filesystem::path& file);

/// For model_of_text(): settings of the group "model" and of the batch that differ from their defaults.
std::string anatomy_settings(const RunSpec& spec);

enum class AnatomyFormat { text, csv, latex, markdown };
/// "text", "csv", "latex" or "markdown". Throws BadInput for any other word.
AnatomyFormat anatomy_format(const std::string& word);

std::string known_number(const std::optional<std::int64_t>& number);
/// "1,240 (310 active)"; the active ones process a token and are left out if they are all.
std::string known_parameters(const std::optional<std::int64_t>& parameters, const std::optional<std::int64_t>& active);
std::string known_operations(const std::optional<double>& operations);

/// With totals. Numbers of a stage are those of one layer. A last column has the times if they were measured.
std::string anatomy_table(const AnatomyModel& model, AnatomyFormat format);
/// Unknown numbers are null. Measured times have members of their own, also layer by layer.
nlohmann::json anatomy_json(const AnatomyModel& model);

}  // namespace ropelab
