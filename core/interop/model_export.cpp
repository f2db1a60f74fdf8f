#include "core/interop/model_export.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/data/tokenizer/vocabulary.h"
#include "core/interop/config/hf_anatomy.h"
#include "core/interop/gguf_model.h"
#include "core/interop/model_layouts.h"
#include "core/interop/tensor_names.h"
#include "core/plan/layout.h"
#include "core/settings/keys.h"
#include "core/store/output_file.h"
#include "core/weights/safetensors.h"
#include "core/weights/weight_files.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The inverse of what OpenedModel reads.
class ExportedWeights {
 public:
    ExportedWeights(const Checkpoint& checkpoint, const ModelPlan& run, const ModelPlan& file)
        : run_(layout_of(run)), file_(layout_of(file)), is_tied_(file.head.is_tied) {
        for (const NamedTensor& tensor : checkpoint.state) values_[tensor.name] = &tensor;
        if (run.embedding.positions == Embedding::Positions::none)
            factor_ = static_cast<float>(run.embedding.factor / file.embedding.factor);
    }

    std::vector<NamedTensor> tensors() const {
        std::map<std::string, NamedTensor> tensors;
        for (const Parameter& parameter : file_.parameters) put(parameter, tensors);
        std::vector<NamedTensor> result;
        for (auto& [name, tensor] : tensors) result.push_back(std::move(tensor));
        return result;
    }
    std::int64_t parameters() const { return file_.total; }

 private:
    // In the file's form; zeros for what only the file has.
    std::vector<float> numbers(const Parameter& parameter) const {
        std::vector<float> result(static_cast<std::size_t>(parameter.size));
        if (!run_.contains(parameter.name)) return result;
        const auto found = values_.find("model." + parameter.name);
        if (found == values_.end() || std::ssize(found->second->values) != parameter.size)
            throw BadInput("The checkpoint has no weights " + parameter.name + " of the size of the run's model.");
        // The head of a tied embedding is multiplied by what the embedding is divided by.
        const bool is_final_norm = is_tied_ && parameter.name == "final_norm.weight";
        const float factor = parameter.name == "embedding.weight" ? factor_ : is_final_norm ? 1 / factor_ : 1.0F;
        // Weights of norms may be relative to 1, at which they start.
        const bool is_norm = parameter.name.ends_with("norm.weight");
        const auto own = static_cast<float>(is_norm ? 1 - run_.at(parameter.name).deviation : 0);
        const auto its = static_cast<float>(is_norm ? 1 - parameter.deviation : 0);
        std::ranges::transform(found->second->values, result.begin(), [&](float number) {
            return factor == 1 && own == its ? number : (number + own) * factor - its;
        });
        return result;
    }

    void put(const Parameter& parameter, std::map<std::string, NamedTensor>& tensors) const {
        const std::vector<float> from = numbers(parameter);
        const std::int64_t columns = columns_of(parameter);
        std::int64_t done = 0;
        for (const SourceRows& part : parameter.source.parts) {
            NamedTensor& to = tensors[part.name];
            if (to.name.empty()) {
                to = {part.name, shape_in_file(parameter, part), {}};
                to.values.resize(static_cast<std::size_t>(part.file_rows * columns));
            }
            for (std::int64_t i = 0; i < part.rows; ++i, ++done) {
                const std::int64_t row = part.row_in_file(i);
                for (std::int64_t column = 0; column < columns; ++column) {
                    const bool is_transposed = parameter.source.is_transposed;
                    to.values[static_cast<std::size_t>(is_transposed ? column * part.file_rows + row
                                                                     : row * columns + column)] =
                        from[static_cast<std::size_t>(done * columns + column)];
                }
            }
        }
    }

    Layout run_;
    Layout file_;
    bool is_tied_;
    std::map<std::string, const NamedTensor*> values_ = {};
    float factor_ = 1;  // of the embedding
};

struct Prepared {
    ModelPlan run;
    PublishedLayout layout;
    json tokenizer;
};

Prepared prepared_model(const ExportedRun& run) {
    const Vocabulary vocabulary = Vocabulary::from_text(run.checkpoint.vocabulary);
    Prepared result = {.run = plan_of(run.checkpoint.spec, vocabulary.size()), .layout = {}, .tokenizer = {}};
    result.layout = published_layout(result.run);
    result.tokenizer = tokenizer_json(run.checkpoint.vocabulary);
    return result;
}

// A name beside the target until commit(); the destructor removes what was not committed.
class HiddenPath {
 public:
    explicit HiddenPath(const fs::path& target) : target_(target), path_(temporary_beside(target)) {}
    ~HiddenPath() {
        std::error_code error;
        fs::remove_all(path_, error);
    }
    HiddenPath(const HiddenPath&) = delete;
    HiddenPath& operator=(const HiddenPath&) = delete;

    const fs::path& path() const { return path_; }
    void commit() {
        std::error_code error;
        fs::rename(path_, target_, error);
        if (error) throw_file_error(target_.string(), "written", error.value());
        sync(target_.has_parent_path() ? target_.parent_path() : fs::path("."));
    }

 private:
    fs::path target_;
    fs::path path_;
};

std::string loss_text(double loss) {
    return std::isfinite(loss) ? number_text(loss) : "not measured";
}

std::string model_card(const ExportedRun& run, const PublishedLayout& layout, std::int64_t parameters) {
    const Checkpoint& checkpoint = run.checkpoint;
    const RunSummary& summary = checkpoint.summary;
    const auto& text = checkpoint.text;
    std::string card = "---\nlibrary_name: transformers\npipeline_tag: text-generation\ntags:\n- rope-lab\n---\n\n# ";
    card += (run.name.empty() ? "A run of RoPE Lab" : run.name) + "\n\nA model with " + grouped(parameters) +
            " parameters in the layout of " + layout.title + ", trained by RoPE Lab " + run.version +
            " and exported from its checkpoint at step " + grouped(checkpoint.iteration) + ".\n\n| | |\n|---|---|\n";
    const auto row = [&](const char* name, const std::string& value) {
        card += "| " + std::string(name) + " | " + value + " |\n";
    };
    if (!run.lab.empty()) row("lab file", run.lab);
    row("data", text ? text->name + ", " + grouped(text->bytes) + " bytes" : checkpoint.spec.data);
    if (text) row("SHA-256 of the data", text->sha256);
    row("tokens of the vocabulary", grouped(layout.plan.sizes.V.value()));
    row("context", grouped(checkpoint.spec.context) + " tokens");
    row("validation loss", loss_text(summary.final_validation_loss) + " nats per token");
    row("lowest validation loss",
        loss_text(summary.best_validation_loss) + " nats per token, at step " + grouped(summary.best_iteration));
    row("training loss", loss_text(summary.final_training_loss) + " nats per token");
    row("trained in", checkpoint.conditions.precision + " on " + checkpoint.conditions.device);
    card += "\n## Settings that differ from the defaults of RoPE Lab\n\n| setting | value |\n|---|---|\n";
    const RunSpec defaults;
    for (const Key& key : keys()) {
        const Value value = key.get(checkpoint.spec);
        if (value != key.get(defaults)) row(std::string(key.name).c_str(), to_text(value));
    }
    return card;
}

}  // namespace

std::optional<ExportedModel> export_hugging_face(const ExportedRun& run, const fs::path& folder,
                                                 const std::function<bool()>& cancelled) {
    const fs::path target = without_links(folder.has_filename() ? folder : folder.parent_path());
    std::error_code error;
    if (fs::exists(target, error) && !(fs::is_directory(target, error) && fs::is_empty(target, error)))
        throw BadInput(folder.string() + " exists already; name a new folder or an empty one.");
    const auto [plan, layout, tokenizer] = prepared_model(run);
    const ExportedWeights weights(run.checkpoint, plan, layout.plan);
    HiddenPath hidden(target);
    fs::create_directories(hidden.path(), error);
    if (error) throw_file_error(folder.string(), "written", error.value());
    const auto write = [&](const char* name, const std::string& text) { write_output(hidden.path() / name, text); };
    const auto write_json = [&](const char* name, const json& value) {
        write(name, value.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
    };
    write_safetensors(hidden.path() / "model.safetensors",
                      {.tensors = weights.tensors(), .metadata = {{"format", "pt"}}});
    if (cancelled && cancelled()) return std::nullopt;
    write_json("config.json", layout.config);
    write_json("generation_config.json", {{"do_sample", false}, {"max_length", plan.sizes.T}});
    write_json("tokenizer.json", tokenizer);
    write_json("tokenizer_config.json", {{"tokenizer_class", "PreTrainedTokenizerFast"},
                                         {"model_max_length", plan.sizes.T},
                                         {"clean_up_tokenization_spaces", false},
                                         {"model_input_names", {"input_ids", "attention_mask"}}});
    write("README.md", model_card(run, layout, weights.parameters()));
    if (cancelled && cancelled()) return std::nullopt;
    hidden.commit();
    return ExportedModel{layout.title, weights.parameters(), folder};
}

namespace {

using Entries = std::vector<std::pair<std::string, GgufEntry>>;

Entries gguf_entries(const ExportedRun& run, const Prepared& prepared, const std::string& architecture) {
    Entries entries = {
        {"general.architecture", architecture},
        {"general.type", std::string("model")},
        {"general.name", run.name.empty() ? std::string("RoPE Lab run") : run.name},
        {"general.description", "Trained by RoPE Lab " + run.version + " on " + run.checkpoint.spec.data},
        {"general.file_type", std::uint32_t{1}},  // mostly F16
        {"general.quantization_version", std::uint32_t{2}}};
    for (const auto& [key, value] : prepared.layout.gguf.items()) {
        GgufEntry entry = value.is_number_float() ? GgufEntry(value.get<float>()) : value.get<std::uint32_t>();
        if (value.is_boolean()) entry = value.get<bool>();
        entries.emplace_back(architecture + "." + key, std::move(entry));
    }
    const json& config = prepared.layout.config;
    const json activation = config.value("activation_function", config.value("hidden_act", json()));
    if (activation == "gelu" || activation == "gelu_new")
        entries.emplace_back(gguf_activation_key, activation.get<std::string>());
    const std::int64_t vocabulary = *prepared.run.sizes.V;
    for (auto& entry : gguf_tokenizer_entries(prepared.tokenizer, vocabulary)) entries.push_back(std::move(entry));
    return entries;
}

}  // namespace

std::optional<ExportedModel> export_gguf(const ExportedRun& run, const fs::path& file, bool replaces,
                                         const std::function<bool()>& cancelled) {
    const fs::path target = without_links(file);
    std::error_code error;
    if (fs::exists(target, error) && !(replaces && fs::is_regular_file(target, error)))
        throw BadInput(file.string() + " exists already; add --force to overwrite it, or name another file.");
    const Prepared prepared = prepared_model(run);
    const std::string architecture = gguf_architecture(prepared.layout.config.at("model_type").get<std::string>());
    ModelPlan plan = prepared.layout.plan;
    adapt_to_gguf(plan, architecture);
    const ExportedWeights weights(run.checkpoint, prepared.run, plan);
    GgufContent content = {.metadata = gguf_entries(run, prepared, architecture), .tensors = weights.tensors()};
    for (const NamedTensor& tensor : content.tensors) {
        if (tensor.shape.size() > 1 && tensor.name != "position_embd.weight") content.halves.insert(tensor.name);
    }
    if (cancelled && cancelled()) return std::nullopt;
    HiddenPath hidden(target);
    write_gguf(hidden.path(), content);
    // What this architecture does not say, its reader assumes.
    ModelPlan read = hf_plan(gguf_config(WeightFiles(hidden.path())));
    adapt_to_gguf(read, architecture);
    constexpr double float_rounding = 1e-7;
    const std::vector<std::string> lost = different_stages(prepared.run, read, float_rounding);
    if (!lost.empty()) {
        throw BadInput("This run has no counterpart in GGUF, whose architecture " + architecture +
                       " does not have: " + joined(lost, "; ") + "; export the run with --hugging-face.");
    }
    if (cancelled && cancelled()) return std::nullopt;
    hidden.commit();
    return ExportedModel{prepared.layout.title, weights.parameters(), file};
}

}  // namespace ropelab
