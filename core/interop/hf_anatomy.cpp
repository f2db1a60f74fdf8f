#include "core/interop/hf_anatomy.h"

#include <algorithm>

#include "core/interop/hf_anatomy_parts.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr double most_parameters = 4e18;  // of all layers together; they fit into 64 bits

// Builds the stages of a model.
class HfStages {
 public:
    explicit HfStages(HfFacts facts) : facts_(std::move(facts)), n_(facts_.n) {}

    Anatomy anatomy() const {
        Anatomy result;
        result.sizes = sizes();
        result.sections.push_back({"", {}, embeddings()});
        for (AnatomySection& section : layer_kinds()) result.sections.push_back(std::move(section));
        result.sections.push_back({"", {}, head()});
        check_size(result);
        result.remarks = remarks(result.totals());
        return result;
    }

 private:
    std::vector<AnatomySize> sizes() const {
        const bool is_latent = facts_.is_latent;
        std::vector<AnatomySize> result = {
            {"B", "sequences per batch", 1},
            {"T", "tokens per sequence", n_.T},
            {"C", "width", n_.C},
            {"h", "heads", n_.h},
            {"h_kv", "key and value heads", n_.kv},
            {"D", is_latent ? "channels per head without rotation" : "channels per head", n_.D},
            {"H", "hidden width of the MLP", n_.H},
            {"V", "vocabulary", n_.V}};
        const auto add = [&](bool is_part, const char* symbol, const char* meaning, HfCount value) {
            if (is_part) result.push_back({symbol, meaning, value});
        };
        add(is_latent, "L", "width of the latent vector", n_.L);
        add(is_latent && n_.has_query_latent, "L_q", "width of the latent vector of the queries", n_.L_q);
        add(is_latent, "D_r", "rotary channels per head", n_.R);
        add(is_latent, "D_v", "channels of a value", n_.D_v);
        const bool has_experts = facts_.decoder && facts_.decoder->experts != HfExperts::none;
        add(has_experts, "E", "experts", n_.E);
        add(has_experts, "k", "experts per token", n_.k);
        add(has_experts, "H_e", "hidden width of an expert", n_.H_e);
        add(has_experts && n_.H_s.has_value(), "H_s", "hidden width of the shared expert", n_.H_s);
        const bool is_linear = n_.h_k.has_value();
        add(is_linear, "h_k", "key heads of the gated DeltaNet", n_.h_k);
        add(is_linear, "D_k", "channels of a key of the gated DeltaNet", n_.D_k);
        add(is_linear, "h_v", "value heads of the gated DeltaNet", n_.h_v);
        add(is_linear, "D_v", "channels of a value of the gated DeltaNet", n_.D_u);
        return result;
    }

    // Numbers of one norm of the residual stream.
    HfCount norm_size() const {
        if (!facts_.decoder) return std::nullopt;
        const int per_channel = facts_.decoder->norm == HfNorm::layer         ? 2
                                : facts_.decoder->norm == HfNorm::plain_layer ? 0
                                                                              : 1;
        return product_of({per_channel, n_.C});
    }

    // Returns the norm of a branch's output.
    AnatomyStage output_norm(const stages::NormWords& said) const { return norm(said.id, said.name, "Y", "Y"); }

    // Returns a norm that computes `output` from `input`.
    AnatomyStage norm(const std::string& id, const std::string& name, const std::string& input = "X",
                      const std::string& output = "H") const {
        AnatomyStage result = hf_stage(id, name, "(B, T, C)", {1, n_.T, n_.C}, "unknown");
        result.parameters = norm_size();
        result.kind = "unknown";
        if (!facts_.decoder) return result;
        const std::string scaled = output + " = (" + input + " − mean(" + input + "))/√(var(" + input + ") + ε)";
        switch (facts_.decoder->norm) {
            case HfNorm::rms:
                result.kind = "RMSNorm";
                result.formula = output + " = " + input + "/√(mean(" + input + "^2) + ε) ⊙ γ";
                break;
            case HfNorm::layer:
                result.kind = "LayerNorm";
                result.formula = scaled + " ⊙ γ + β";
                break;
            case HfNorm::layer_without_bias:
                result.kind = "LayerNorm without bias";
                result.formula = scaled + " ⊙ γ";
                break;
            case HfNorm::plain_layer:
                result.kind = "LayerNorm without parameters";
                result.formula = scaled;
                break;
        }
        return result;
    }

    bool is_masked() const { return facts_.decoder && facts_.decoder->is_masked; }

    std::vector<AnatomyStage> embeddings() const {
        std::vector<AnatomyStage> stages = {
            hf_stage("tokens", "Tokens", "(B, T)", {1, n_.T}, "x_t ∈ {0, …, V − 1}"),
            hf_stage("embedding", "Token embedding", "(B, T, C)", {1, n_.T, n_.C}, "X_t = E[x_t]")};
        stages.back().parameters = product_of({n_.V, n_.C});
        if (is_masked()) stages.push_back(norm("embedding_norm", "Norm of the embedding"));
        return stages;
    }

    std::vector<AnatomyStage> layer_stages(const HfLayer& layer) const {
        namespace words = ropelab::stages::words;
        std::vector<AnatomyStage> result;
        const int norms = facts_.decoder ? facts_.decoder->norms : 2;
        const bool before = !facts_.decoder || !facts_.decoder->normalizes_outputs;
        const bool after = !before || norms == 4;
        // The order of the branches of an unknown model type is unknown too; one sum adds both.
        const bool parallel = !facts_.decoder || facts_.decoder->parallel;
        const auto add_sum = [&](const char* branch) {
            AnatomyStage sum = stages::residual_sum(branch, parallel);
            if (!facts_.decoder) sum.kind = "unknown";
            shape_stage(sum, {1, n_.T, n_.C});
            result.push_back(std::move(sum));
        };
        if (before && layer.has_attention_norm) {
            result.push_back(
                norm(words::attention_norm.id, norms == 1 ? "Norm of the layer" : words::attention_norm.name));
        }
        add_hf_attention(result, facts_, layer);
        if (after) result.push_back(output_norm(words::attention_output_norm));
        if (!parallel) add_sum("attention");
        if (before && norms > 1) result.push_back(norm(words::mlp_norm.id, words::mlp_norm.name));
        add_hf_feed_forward(result, facts_, layer);
        if (after) result.push_back(output_norm(words::mlp_output_norm));
        add_sum("mlp");
        return result;
    }

    std::string title_of(const HfLayer& layer) const {
        std::string type = layer.type;
        std::replace(type.begin(), type.end(), '_', ' ');
        std::string title = type.empty() ? "Layer" : "Layer, " + type;
        if (facts_.decoder && facts_.decoder->experts != HfExperts::none) {
            title += layer.has_experts ? ", experts" : ", dense MLP";
        }
        if (!layer.rotates) title += ", without RoPE";
        return layer.has_attention_norm ? title : title + ", without its first norm";
    }

    // Returns one section per kind of layer.
    std::vector<AnatomySection> layer_kinds() const {
        std::vector<AnatomySection> sections;
        std::vector<HfLayer> kinds;
        for (std::size_t i = 0; i < facts_.layers.size(); ++i) {
            const HfLayer& layer = facts_.layers[i];
            const auto index = static_cast<std::int64_t>(i);
            const auto same = std::find(kinds.begin(), kinds.end(), layer);
            if (same != kinds.end()) {
                sections[static_cast<std::size_t>(same - kinds.begin())].layers.push_back(index);
            } else {
                kinds.push_back(layer);
                sections.push_back({title_of(layer), {index}, layer_stages(layer)});
            }
        }
        return sections;
    }

    std::vector<AnatomyStage> head() const {
        std::vector<AnatomyStage> stages = {norm("final_norm", "Final norm")};
        if (is_masked()) {
            AnatomyStage dense =
                hf_stage("head.dense", "Dense layer of the head", "(B, T, C)", {1, n_.T, n_.C}, "U = f(H·W^⊤)");
            dense.kind = facts_.activation;
            set_matrix(dense, n_.C, n_.C, false);
            stages.push_back(std::move(dense));
            stages.push_back(norm("head.norm", "Norm of the head"));
        }
        const bool has_bias = facts_.decoder && facts_.decoder->head_bias;
        AnatomyStage output = hf_stage("head", "Output head", "(B, T, V)", {1, n_.T, n_.V}, "logits = H·W_head^⊤");
        set_matrix(output, n_.V, n_.C, has_bias);
        if (!facts_.decoder) {
            output.parameters.reset();
        } else if (facts_.decoder->tied) {
            output.kind = "tied to the embedding";
            output.formula = "logits = H·E^⊤";
            output.parameters = has_bias ? n_.V : 0;
        }
        if (has_bias) output.formula += " + b";
        stages.push_back(std::move(output));
        return stages;
    }

    // Throws BadInput if the sums do not fit into 64 bits.
    static void check_size(const Anatomy& anatomy) {
        double parameters = 0;
        for (const AnatomySection& section : anatomy.sections) {
            for (const AnatomyStage& stage : section.stages) {
                parameters +=
                    static_cast<double>(section.repeats()) * static_cast<double>(stage.parameters.value_or(0));
            }
        }
        if (parameters > most_parameters) {
            throw BadInput("The model of the config has more than 4·10^18 parameters; check its sizes.");
        }
    }

    std::vector<std::string> remarks(const AnatomyTotals& totals) const {
        std::vector<std::string> result;
        if (!facts_.decoder) {
            result.emplace_back(
                "The norms, biases and feed-forwards of this model type are unknown; parameters of projections are "
                "those of their matrices.");
        }
        if (!n_.layers) result.emplace_back("The config does not define the number of layers.");
        if (facts_.global_heads) {
            result.push_back("Layers with full attention have " + std::to_string(facts_.global_heads->kv) +
                             " key and value heads of " + std::to_string(facts_.global_heads->D) + " channels.");
        }
        if (facts_.predicted_tokens > 0) {
            result.emplace_back("The layers that predict further tokens (MTP) are not listed.");
        }
        const auto local = std::find_if(facts_.layers.begin(), facts_.layers.end(),
                                        [&](const HfLayer& layer) { return facts_.has_window(layer); });
        if (!facts_.is_encoder && local != facts_.layers.end()) {
            result.push_back(stages::window_remark(facts_.model.cache->window, local->type == "chunked_attention"));
        }
        if (totals.state_bytes > 0) result.push_back(stages::state_remark(totals.state_bytes));
        if (!totals.parameters) {
            result.emplace_back(
                "There is no total of parameters, because the config does not define all sizes (often the vocabulary "
                "and the width of the MLP).");
        }
        return result;
    }

    HfFacts facts_;
    const HfSizes& n_;
};

}  // namespace

void shape_stage(AnatomyStage& stage, std::initializer_list<HfCount> shape) {
    stage.shape.clear();
    for (const HfCount& extent : shape) {
        if (!extent) {
            stage.shape.clear();
            return;
        }
        stage.shape.push_back(*extent);
    }
}

AnatomyStage hf_stage(const std::string& id, const std::string& name, const std::string& symbols,
                      std::initializer_list<HfCount> shape, const std::string& formula) {
    AnatomyStage stage;
    stage.id = id;
    stage.name = name;
    stage.symbols = symbols;
    stage.formula = formula;
    shape_stage(stage, shape);
    return stage;
}

void set_matrix(AnatomyStage& stage, HfCount rows, HfCount columns, bool has_bias) {
    stage.parameters.reset();
    stage.operations.reset();
    if (!rows || !columns) return;
    stage.parameters = *rows * *columns + (has_bias ? *rows : 0);
    stage.operations = 2.0 * static_cast<double>(*rows) * static_cast<double>(*columns);
}

Anatomy hf_anatomy(const json& config) {
    return HfStages(hf_facts(config)).anatomy();
}

}  // namespace ropelab
