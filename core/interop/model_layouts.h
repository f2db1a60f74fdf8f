#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/model_plan.h"

namespace ropelab {

/// A model of the program in the form of a model type of Hugging Face.
struct PublishedLayout {
    std::string title;  // "Llama"
    nlohmann::json config;
    nlohmann::json gguf;  // metadata of a GGUF file, without the name of the architecture in their names
    ModelPlan plan;       // of the config
};

/// The layout whose config resolves to the run's plan: GPT-2, GPT-NeoX, Llama, Qwen 3 or Gemma 2. Throws BadInput, with
/// the parts that the nearest layout does not have, if there is none.
PublishedLayout published_layout(const ModelPlan& run);

/// Titles of the stages in which a model of a file computes something else than the run, with frequencies up to the
/// relative `tolerance`. Biases and positions that only the file has are zeros, norms may be centred on zero in one of
/// both, and the factor of the file's embedding goes into its weights.
std::vector<std::string> different_stages(const ModelPlan& run, const ModelPlan& file, double tolerance);

}  // namespace ropelab
