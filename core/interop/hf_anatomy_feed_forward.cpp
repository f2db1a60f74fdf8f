#include "core/interop/hf_anatomy_parts.h"

namespace ropelab {

namespace {

// Returns the end of a product's formula: " + b_up", or "" without a bias.
std::string bias_term(const std::string& index, bool has_bias) {
    return has_bias ? " + b_" + index : "";
}

// Adds two matrices and the activation between them: from C to `width`, twice if it is gated, and back.
void add_hf_dense(std::vector<AnatomyStage>& stages, const HfFacts& facts, HfCount width, const std::string& id,
                  const std::string& name, const std::string& symbol) {
    const HfSizes& n = facts.n;
    const bool gated = facts.decoder && facts.decoder->gated;
    const bool has_bias = facts.decoder && facts.decoder->mlp_bias;
    const bool known = facts.decoder.has_value();
    const std::string input = facts.mlp_input();
    const HfCount rows = gated ? product_of({2, width}) : width;
    AnatomyStage up =
        hf_stage(id + "up", name + " up", gated ? "(B, T, 2" + symbol + ")" : "(B, T, " + symbol + ")", {1, n.T, rows},
                 !known  ? "unknown"
                 : gated ? "[G U] = " + input + "·W_gu^⊤" + bias_term("gu", has_bias)
                         : "U = " + input + "·W_up^⊤" + bias_term("up", has_bias));
    set_matrix(up, rows, n.C, has_bias);
    AnatomyStage activation = hf_stage(id + "activation", "Activation", "(B, T, " + symbol + ")", {1, n.T, width},
                                       !known  ? "unknown"
                                       : gated ? "Z = f(G) ⊙ U"
                                               : "Z = f(U)");
    activation.kind = facts.activation;
    AnatomyStage down = hf_stage(id + "down", name + " down", "(B, T, C)", {1, n.T, n.C},
                                 known ? "Y = Z·W_down^⊤" + bias_term("down", has_bias) : "unknown");
    set_matrix(down, n.C, width, has_bias);
    stages.insert(stages.end(), {up, activation, down});
}

// Adds a matrix of each expert. A token is multiplied by those of its experts.
void add_hf_expert_matrix(std::vector<AnatomyStage>& stages, const HfFacts& facts, AnatomyStage stage, HfCount rows,
                          HfCount columns) {
    const HfSizes& n = facts.n;
    set_matrix(stage, rows, columns, facts.decoder->expert_bias);
    if (stage.parameters && n.E && n.k) {
        stage.kind = stages::experts_per_token_text(*n.k, *n.E);
        stage.inactive_parameters = (*n.E - *n.k) * *stage.parameters;
        stage.parameters = *n.E * *stage.parameters;
        stage.operations = *stage.operations * static_cast<double>(*n.k);
    } else {
        stage.parameters.reset();
        stage.operations.reset();
    }
    stages.push_back(std::move(stage));
}

// All model types with experts in the table have gated ones.
void add_hf_experts(std::vector<AnatomyStage>& stages, const HfFacts& facts) {
    const HfSizes& n = facts.n;
    const std::string input = facts.mlp_input();
    AnatomyStage router = hf_stage("mlp.router", "Router", "(B, T, E)", {1, n.T, n.E},
                                   "r = " + input + "·W_r^⊤" + bias_term("r", facts.decoder->expert_bias));
    set_matrix(router, n.E, n.C, facts.has_router_bias);
    stages.push_back(std::move(router));
    stages.push_back(hf_stage("mlp.gates", "Gates of the experts", "(B, T, k)", {1, n.T, n.k}, facts.expert_choice));
    const HfCount rows = product_of({2, n.H_e});
    add_hf_expert_matrix(
        stages, facts,
        hf_stage("mlp.up", "Experts up", "(B, T, k, 2H_e)", {1, n.T, n.k, rows},
                 "[G U]_i = " + input + "·W_{gu,i}^⊤" + bias_term("{gu,i}", facts.decoder->expert_bias)),
        rows, n.C);
    AnatomyStage activation =
        hf_stage("mlp.activation", "Activation", "(B, T, k, H_e)", {1, n.T, n.k, n.H_e}, "Z = f(G) ⊙ U");
    activation.kind = facts.activation;
    stages.push_back(std::move(activation));
    add_hf_expert_matrix(stages, facts,
                         hf_stage("mlp.down", "Experts down", "(B, T, k, C)", {1, n.T, n.k, n.C},
                                  "Y_i = Z_i·W_{down,i}^⊤" + bias_term("{down,i}", facts.decoder->expert_bias)),
                         n.C, n.H_e);
    AnatomyStage mixture = stages::stage_with(stages::words::mixture);
    shape_stage(mixture, {1, n.T, n.C});
    if (n.H_s != 0 && (n.H_s || facts.decoder->experts == HfExperts::after_dense)) {
        add_hf_dense(stages, facts, n.H_s, "mlp.shared_", "Shared expert", "H_s");
        if (facts.decoder->gates_shared_expert) {
            AnatomyStage gate = hf_stage("mlp.shared_gate", "Gate of the shared expert", "(B, T, 1)", {1, n.T, 1},
                                         "g_s = σ(" + input + "·w_s)");
            set_matrix(gate, 1, n.C, false);
            stages.push_back(std::move(gate));
        }
        mixture.formula += facts.decoder->gates_shared_expert ? " + g_s·Y_s" : " + Y_s";
    }
    stages.push_back(std::move(mixture));
}

}  // namespace

void add_hf_feed_forward(std::vector<AnatomyStage>& stages, const HfFacts& facts, const HfLayer& layer) {
    if (layer.has_experts) {
        add_hf_experts(stages, facts);
    } else {
        add_hf_dense(stages, facts, facts.decoder ? facts.n.H : std::nullopt, "mlp.", "MLP", "H");
    }
}

}  // namespace ropelab
