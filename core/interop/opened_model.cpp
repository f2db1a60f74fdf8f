#include "core/interop/opened_model.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/interop/config/hf_anatomy.h"
#include "core/interop/config/hf_config.h"
#include "core/interop/config/hf_facts.h"
#include "core/interop/config/hf_reader.h"
#include "core/interop/gguf_model.h"
#include "core/interop/tensor_names.h"
#include "core/machine/process_memory.h"
#include "core/plan/layout.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string compiled_prefix = "_orig_mod.";  // of the names of modules that torch.compile has wrapped

// Rows of the file's tensor become columns.
void read_transposed(const WeightFiles::Entry& entry, const SourceRows& part, std::int64_t columns,
                     std::span<float> to) {
    std::vector<float> row(static_cast<std::size_t>(part.file_rows));
    for (std::int64_t column = 0; column < columns; ++column) {
        entry.file->read(entry.tensor, column * part.file_rows, row);
        for (std::int64_t i = 0; i < part.rows; ++i)
            to[static_cast<std::size_t>(i * columns + column)] = row[static_cast<std::size_t>(part.row_in_file(i))];
    }
}

void read_rows(const WeightFiles::Entry& entry, const SourceRows& part, std::int64_t columns, std::span<float> to) {
    for (std::int64_t first = 0; first < part.rows;) {  // rows that follow each other in the file are read together
        std::int64_t end = first + 1;
        while (end < part.rows && part.row_in_file(end) == part.row_in_file(end - 1) + 1) ++end;
        const auto offset = static_cast<std::size_t>(first * columns);
        const auto count = static_cast<std::size_t>((end - first) * columns);
        entry.file->read(entry.tensor, part.row_in_file(first) * columns, to.subspan(offset, count));
        first = end;
    }
}

fs::path config_file(const fs::path& folder) {
    std::error_code error;
    const bool is_nanogpt = !fs::exists(folder / "config.json", error) && fs::exists(folder / "model_args.json", error);
    return folder / (is_nanogpt ? "model_args.json" : "config.json");
}

// The params.json of Meta and Mistral as the config.json of the same model. What it leaves out follows from the
// tensors, or is what the models of Meta have.
json config_of_params(const json& params, const WeightFiles& files) {
    static const std::set<std::string> known = {"dim",
                                                "n_layers",
                                                "n_heads",
                                                "n_kv_heads",
                                                "head_dim",
                                                "hidden_dim",
                                                "norm_eps",
                                                "rope_theta",
                                                "vocab_size",
                                                "use_scaled_rope",
                                                "rope_scaling_factor",
                                                "sliding_window",
                                                "multiple_of",
                                                "max_seq_len",
                                                "max_batch_size",
                                                "ffn_dim_multiplier",
                                                "tied_embeddings"};
    if (!params.is_object()) throw BadInput("The params.json of the model is not a JSON object, as it must be.");
    for (const auto& [key, value] : params.items()) {
        if (!known.contains(key) && !value.is_null() && value != false)
            throw BadInput("The params.json of the model sets " + quoted_name(key) + ", which is not supported.");
    }
    const auto rows = [&](const char* name) {
        const WeightFiles::Entry* entry = files.find(name);
        if (!entry || entry->tensor.shape.empty())
            throw BadInput("The weights lack the tensor " + quoted_name(name) + ", which a params.json requires.");
        return entry->tensor.shape.front();
    };
    const auto value = [&](const char* key, const json& otherwise) {
        const json found = params.value(key, json());
        return found.is_null() ? otherwise : found;
    };
    const json theta = value("rope_theta", 10000.0);
    const json epsilon = value("norm_eps", 1e-5);
    const bool is_scaled = value("use_scaled_rope", false) == true;
    const bool is_recent = theta.is_number() && theta >= 500'000;  // Llama 3
    const int context = is_scaled ? 131'072 : is_recent ? 8192 : epsilon.is_number() && epsilon < 1e-5 ? 2048 : 4096;
    json config = {{"hidden_size", value("dim", json())},
                   {"num_hidden_layers", value("n_layers", json())},
                   {"num_attention_heads", value("n_heads", json())},
                   {"num_key_value_heads", value("n_kv_heads", value("n_heads", json()))},
                   {"intermediate_size", rows("layers.0.feed_forward.w1.weight")},
                   {"vocab_size", rows("tok_embeddings.weight")},
                   {"rms_norm_eps", epsilon},
                   {"rope_theta", theta},
                   {"max_position_embeddings", value("max_seq_len", context)},
                   {"tie_word_embeddings", value("tied_embeddings", files.find("output.weight") == nullptr)},
                   {"hidden_act", "silu"}};
    config["model_type"] = value("sliding_window", json()).is_null() ? "llama" : "mistral";
    for (const char* key : {"sliding_window", "head_dim"}) {
        if (params.contains(key)) config[key] = params.at(key);
    }
    if (is_scaled)
        config["rope_scaling"] = {{"rope_type", "llama3"},
                                  {"factor", value("rope_scaling_factor", 8.0)},
                                  {"low_freq_factor", 1.0},
                                  {"high_freq_factor", 4.0},
                                  {"original_max_position_embeddings", 8192}};
    return config;
}

}  // namespace

namespace {

// A name of a model hub is no path.
const fs::path& existing(const fs::path& path) {
    std::error_code error;
    if (fs::exists(path, error)) return path;
    throw BadInput("There is no file or folder " + path.string() +
                   "; models are not downloaded, so name a folder with config.json and weights, or a file of weights.");
}

}  // namespace

OpenedModel::OpenedModel(const fs::path& path) : path_(existing(path)), files_(std::make_unique<WeightFiles>(path)) {
    std::error_code error;
    const bool is_folder = fs::is_directory(path, error);
    const fs::path absolute = fs::absolute(is_folder ? path / "config.json" : path);
    name_ = files_->gguf() ? absolute.stem().string() : absolute.parent_path().filename().string();
    const fs::path folder = absolute.parent_path();
    has_params_ = !files_->gguf() && files_->find("tok_embeddings.weight") && fs::exists(folder / "params.json", error);
    config_ = files_->gguf() ? gguf_config(*files_)
              : has_params_  ? config_of_params(load_model_config(folder / "params.json"), *files_)
                             : load_model_config(config_file(folder));
    ModelPlan whole = plan();
    const std::string type = text_model(config_).value("model_type", "");
    if (!whole.tensor_names) {
        throw BadInput(
            "The weights of this model cannot be read, because the program does not know the names of the "
            "tensors of the model type " +
            quoted_name(type) + ".");
    }
    if (const std::string unknown = hf_facts(config_).unknown; !unknown.empty()) {
        throw BadInput("The weights of this model cannot be read, because its config sets " + unknown +
                       ", which the program does not compute.");
    }
    if (!whole.anatomy().totals().parameters || whole.layers.empty()) {
        throw BadInput(
            "The weights of this model cannot be read, because its config does not define all sizes and parts "
            "of the model, such as vocab_size.");
    }
    prefix_ = whole.tensor_names->prefix;
    context_ = whole.sizes.T;
    if (whole.head.is_tied && has_other_head(*whole.tensor_names)) {
        text_model(config_)["tie_word_embeddings"] = false;
        whole = plan();
    }
    check_tensors(whole);
}

ModelPlan OpenedModel::plan(std::int64_t tokens, std::optional<double> theta) const {
    ModelPlan plan = hf_plan(config_, tokens);
    if (files_->gguf()) adapt_to_gguf(plan, *files_->gguf()->get<std::string>("general.architecture"));
    if (has_params_) {
        plan.tensor_names = hf_tensor_names("params.json");
        rotate_neighbours(plan);
    }
    if (!theta) return plan;
    for (LayerPlan& layer : plan.layers) {
        Rotary* rotary = layer.rotary();
        if (!rotary) continue;
        FrequencySettings settings = rotary->settings;
        settings.theta = *theta;
        rotary->set_frequencies(settings);
    }
    return plan;
}

const WeightFiles::Entry* OpenedModel::find(const std::string& name) const {
    const WeightFiles::Entry* entry = files_->find(name);
    if (!entry) entry = files_->find(compiled_prefix + name);
    if (entry || prefix_.empty() || !name.starts_with(prefix_)) return entry;
    return files_->find(name.substr(prefix_.size()));
}

bool OpenedModel::has_other_head(const TensorNames& names) const {
    if (files_->gguf()) return false;  // its config is tied if it has no output layer
    const auto entry = [&](const char* part) { return find(names.names.at(part).parts.front() + ".weight"); };
    const WeightFiles::Entry *head = entry("head"), *embedding = entry("embedding");
    if (!head || !embedding || head->tensor.shape != embedding->tensor.shape) return false;
    constexpr std::int64_t piece = 1 << 18;
    std::vector<float> of_head(piece), of_embedding(piece);
    for (std::int64_t first = 0; first < head->tensor.count; first += piece) {
        const auto count = static_cast<std::size_t>(std::min(piece, head->tensor.count - first));
        of_head.resize(count);
        of_embedding.resize(count);
        head->file->read(head->tensor, first, of_head);
        embedding->file->read(embedding->tensor, first, of_embedding);
        if (of_head != of_embedding) return true;
    }
    return false;
}

void OpenedModel::check_tensors(const ModelPlan& plan) {
    const Layout layout = layout_of(plan);
    parameters_ = layout.total;
    const std::string where = "The weights of " + path_.string();
    const std::string required = files_->gguf() ? "its metadata and other tensors require" : "the config requires";
    std::set<std::string> used;
    for (const Parameter& parameter : layout.parameters) {
        for (const SourceRows& part : parameter.source.parts) {
            const WeightFiles::Entry* entry = find(part.name);
            if (!entry)
                throw BadInput(where + " lack the tensor " + quoted_name(part.name) + ", which " + required + ".");
            const std::vector<std::int64_t> shape = shape_in_file(parameter, part);
            if (entry->tensor.shape != shape) {
                throw BadInput("The tensor " + quoted_name(part.name) + " of " + path_.string() + " has the shape " +
                               shape_text(entry->tensor.shape) + ", but " + required + " " + shape_text(shape) + ".");
            }
            used.insert(entry->tensor.name);
        }
    }
    const TensorNames& names = *plan.tensor_names;
    const auto is_ignored = [&](const std::string& name) {
        const std::string head = names.names.at("head").parts.front() + ".weight";
        const bool is_tied_head = plan.head.is_tied && (name == head || name == compiled_prefix + head);
        return is_tied_head || used.contains(name) ||
               std::ranges::any_of(names.unused, [&](const std::string& end) { return name.ends_with(end); });
    };
    std::int64_t others = 0;
    std::string first;
    for (const auto& [name, entry] : files_->tensors()) {
        if (is_ignored(name)) continue;
        if (++others == 1) first = name;
    }
    if (others == 0) return;
    const std::string more = others > 1 ? " and " + std::to_string(others - 1) + " more" : "";
    throw BadInput(where + " have the tensor " + quoted_name(first) + more +
                   ", which a model of this config does not have; the config and the weights must be of one model.");
}

void OpenedModel::read(const Parameter& parameter, std::span<float> to) const {
    const std::int64_t columns = columns_of(parameter);
    std::size_t done = 0;
    for (const SourceRows& part : parameter.source.parts) {
        const WeightFiles::Entry& entry = *find(part.name);
        const std::span<float> rows = to.subspan(done, static_cast<std::size_t>(part.rows * columns));
        if (parameter.source.is_transposed) {
            read_transposed(entry, part, columns, rows);
        } else {
            read_rows(entry, part, columns, rows);
        }
        if (!std::ranges::all_of(rows, [](float number) { return std::isfinite(number); }))
            throw BadInput("The tensor " + quoted_name(part.name) + " of " + path_.string() +
                           " has numbers that are not finite, so the model cannot be computed.");
        done += rows.size();
    }
}

std::int64_t OpenedModel::bytes_of_weights(const ModelPlan& plan, Precision precision) {
    constexpr std::int64_t usual = sizeof(float), half = 2;
    std::int64_t bytes = 0;
    for (const Parameter& parameter : layout_of(plan).parameters) {
        const bool is_matrix = parameter.shape.size() > 1;
        bytes += is_matrix && precision == Precision::int8
                     ? parameter.size + usual * parameter.shape.front()
                     : parameter.size * (is_matrix && precision == Precision::bfloat16 ? half : usual);
    }
    return bytes;
}

std::unique_ptr<Model> OpenedModel::load(Engine& engine, const ModelPlan& plan, Precision precision) const {
    const std::int64_t bytes = bytes_of_weights(plan, precision);
    const std::int64_t available = available_memory();
    if (available > 0 && bytes > available) {
        throw BadInput("The weights of " + path_.string() + " need " + bytes_text(bytes) + " in " +
                       precision_names[static_cast<std::size_t>(precision)] + ", but only " + bytes_text(available) +
                       " of memory are free; close other programs or choose a smaller model.");
    }
    return engine.load_model(plan, [this](const Parameter& parameter, std::span<float> to) { read(parameter, to); },
                             {Device::automatic, precision});
}

Vocabulary OpenedModel::vocabulary() const {
    if (const GgufHeader* header = files_->gguf())
        return Vocabulary::of_subwords(gguf_tokenizer(*header, "The tokenizer of " + path_.string()));
    std::error_code error;
    const fs::path folder = fs::is_directory(path_, error) ? path_ : path_.parent_path();
    for (const char* file : {"tokenizer.json", "tokenizer.model"}) {
        if (fs::exists(folder / file, error)) return Vocabulary::of_subwords(subwords_of_file(folder / file));
    }
    throw BadInput(folder.string() +
                   " has no tokenizer.json and no tokenizer.model, so the program cannot split a text into the model's "
                   "tokens; copy the model's tokenizer into the folder.");
}

bool names_model_file(const std::string& text) {
    std::error_code error;
    return fs::exists(text, error) || text.find('/') != std::string::npos;
}

}  // namespace ropelab
