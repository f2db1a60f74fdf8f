#include "core/report/anatomy_model.h"

#include <sstream>
#include <utility>
#include <vector>

#include "core/data/corpus.h"
#include "core/experiment/experiment.h"
#include "core/forecast/likely_vocabulary.h"
#include "core/interop/hf_anatomy.h"
#include "core/interop/hf_config.h"
#include "core/interop/model_table.h"
#include "core/run/checkpoint.h"
#include "core/spec/keys.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

// Splits "layers=4 block=llama" into names and values. A word without "=" belongs to the value before it.
std::vector<std::pair<std::string, std::string>> assignments_in(std::string_view settings) {
    std::vector<std::pair<std::string, std::string>> result;
    std::istringstream words{std::string(settings)};
    for (std::string word; words >> word;) {
        const std::size_t sign = word.find('=');
        if (sign != std::string::npos) {
            result.emplace_back(word.substr(0, sign), word.substr(sign + 1));
        } else if (!result.empty()) {
            result.back().second += " " + word;
        } else {
            throw BadInput("The settings begin with \"" + word + "\", but a setting is written as layers=4.");
        }
    }
    return result;
}

// Settings of a model that change neither shapes nor counts, and whose values may be lists.
bool is_without_stage(std::string_view key) {
    return key == "pairs" || key == "rotated_layers";
}

}  // namespace

AnatomyModel model_of_settings(const RunSpec& spec, std::int64_t vocabulary, std::string name) {
    if (vocabulary < 0 || vocabulary > 1 << 24) {
        throw BadInput("The vocabulary has " + std::to_string(vocabulary) +
                       " tokens, but it must have 1 to 16777216; 0 means that of the data set.");
    }
    AnatomyModel model;
    model.spec = spec;
    model.vocabulary = vocabulary == 0 ? likely_vocabulary(spec) : vocabulary;
    model.anatomy = anatomy_of(spec, model.vocabulary);
    model.name = std::move(name);
    return model;
}

AnatomyModel model_of_text(std::string_view settings, std::int64_t vocabulary) {
    Experiment experiment("anatomy");
    for (const auto& [name, value] : assignments_in(settings)) {
        if (experiment.is_set(name)) throw BadInput("The setting " + name + " is given twice; give it once.");
        experiment.set(name, {value});
    }
    return model_of_settings(experiment.expand().front(), vocabulary, "settings");
}

AnatomyModel model_of_run(const LabFile& lab, RunId run) {
    const RunRecord record = lab.run(run);
    const RunSpec spec = stored_spec(record);
    std::int64_t vocabulary = 0;
    if (const auto head = read_checkpoint_head(lab.checkpoint_path(run))) {
        vocabulary = Vocabulary::from_text(head->vocabulary).size();
    }
    return model_of_settings(spec, vocabulary, "run " + std::to_string(run));
}

AnatomyModel model_of_name(std::string_view name) {
    const KnownModel& known = known_model(name);
    return {known.name, std::nullopt, 0, hf_anatomy(known.config)};
}

AnatomyModel model_of_config(const std::filesystem::path& file) {
    const std::filesystem::path config = std::filesystem::is_directory(file) ? file / "config.json" : file;
    const std::filesystem::path folder = std::filesystem::absolute(config).parent_path().filename();
    const bool is_config = config.filename() == "config.json" && !folder.empty();
    return {is_config ? folder.string() : config.filename().string(), std::nullopt, 0,
            hf_anatomy(load_model_config(config))};
}

std::string anatomy_settings(const RunSpec& spec) {
    const RunSpec defaults;
    std::string text;
    for (const Key& key : keys()) {
        const bool is_part =
            key.group == "model" || key.name == "batch" || key.name == "micro_batch" || key.name == "operations";
        if (!is_part || is_without_stage(key.name) || key.get(spec) == key.get(defaults)) continue;
        text += (text.empty() ? "" : " ") + std::string(key.name) + "=" + to_text(key.get(spec));
    }
    return text;
}

}  // namespace ropelab
