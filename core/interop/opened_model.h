#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/contract/engine.h"
#include "core/data/tokenizer/vocabulary.h"
#include "core/plan/model_plan.h"
#include "core/weights/weight_files.h"

namespace ropelab {

/// A model that others trained: its config and tokenizer, and its weights, which are read when an engine loads them.
class OpenedModel {
 public:
    /// A folder with config.json (or nanoGPT's model_args as config.json or model_args.json) and safetensors, or
    /// params.json and consolidated.safetensors, a safetensors file beside such a file, or a GGUF file. Throws
    /// BadInput, with the reason, if the config or the files are invalid, or the plan of the config does not say which
    /// tensors it has, or the files lack one, or have one of another shape or one that the model does not use.
    explicit OpenedModel(const std::filesystem::path& path);

    const std::string& name() const { return name_; }  // of its folder or file
    const std::filesystem::path& path() const { return path_; }
    const nlohmann::json& config() const { return config_; }
    const WeightFiles& files() const { return *files_; }
    /// For sequences of at most `tokens` tokens, whose frequencies are those of this length; 0: the context of the
    /// config. With `theta` instead of the model's own base, if one is given. Throws BadInput for more tokens than
    /// learned positions.
    ModelPlan plan(std::int64_t tokens = 0, std::optional<double> theta = {}) const;
    std::int64_t context() const { return context_; }
    std::int64_t parameters() const { return parameters_; }
    /// Of the weights in memory on the CPU. In bfloat16 the vectors (norms, biases) stay float32; weights are converted
    /// while they are read, so that loading needs hardly more.
    static std::int64_t bytes_of_weights(const ModelPlan& plan, Precision precision);

    /// With a plan that plan() returned or one with other frequencies. Throws BadInput if the weights do not fit into
    /// the free memory, if a number of them is not finite, and as Engine::load_model does.
    std::unique_ptr<Model> load(Engine& engine, const ModelPlan& plan, Precision precision = Precision::float32) const;
    /// Throws BadInput if the model has no tokenizer, or one that the program does not read.
    Vocabulary vocabulary() const;

 private:
    /// Whether the files have an output layer with other numbers than the embedding. Where the config ties both,
    /// transformers 5.24.0 then computes with it.
    bool has_other_head(const TensorNames& names) const;
    void check_tensors(const ModelPlan& plan);
    void read(const Parameter& parameter, std::span<float> to) const;
    const WeightFiles::Entry* find(const std::string& name) const;

    std::filesystem::path path_;
    std::string name_;
    nlohmann::json config_;
    std::unique_ptr<WeightFiles> files_;
    bool has_params_ = false;  // with the settings and names of Meta and Mistral
    std::string prefix_;       // of TensorNames
    std::int64_t context_ = 0;
    std::int64_t parameters_ = 0;
};

/// True for the path of a folder or file, false for the name of a known model.
bool names_model_file(const std::string& text);

}  // namespace ropelab
