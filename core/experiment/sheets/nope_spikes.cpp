// The partial-RoPE paper's section 5: loss spikes of models without positions.
#include "core/experiment/sheets/building.h"
#include "core/experiment/sheets/measuring.h"
#include "core/experiment/sheets/published.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr const char* loss = "final_validation_loss";

struct Setting {
    std::string name;
    GroupKeys keys;
};

VerdictRule rule(VerdictRule::Kind kind, int direction, const std::string& family) {
    VerdictRule result;
    result.kind = kind;
    result.direction = direction;
    result.margin = 0.01;
    result.family = family;
    return result;
}

GroupKeys setting(const std::string& block, const std::string& fraction, double rate, bool qk_norm) {
    return {{"block", block},
            {"key_value_heads", block == "llama" ? "1" : "0"},
            {"fraction", fraction},
            {"learning_rate", number_text(rate)},
            {"final_learning_rate", number_text(rate / 10)},
            {"qk_norm", qk_norm ? "true" : "false"}};
}

json keys_of(const GroupKeys& group, int head_dim) {
    return {{"block", group.at("block")},
            {"fraction", parse_fraction(group.at("fraction"), head_dim)},
            {"learning_rate", parse_number(group.at("learning_rate"))},
            {"qk_norm", group.at("qk_norm") == "true"}};
}

void add_block(SheetPlan& plan, std::vector<std::map<std::string, std::string>>& runs, const std::string& block,
               double rate, int head_dim, bool paper) {
    const GroupKeys nope = setting(block, "0", rate, false);
    const GroupKeys slow = setting(block, "0", rate / 10, false);
    const GroupKeys fast = setting(block, "0", rate * 10, false);
    const GroupKeys normed = setting(block, "0", rate, true);
    const GroupKeys fast_normed = setting(block, "0", rate * 10, true);
    const GroupKeys little = setting(block, "2 ch", rate, false);
    const GroupKeys fast_little = setting(block, "2 ch", rate * 10, false);
    const GroupKeys tenth = setting(block, "10 %", rate, false);
    for (const GroupKeys& group : {nope, slow, fast, normed, fast_normed, little, fast_little, tenth}) {
        runs.push_back(group);
    }
    const auto add = [&](const char* claim, const char* measure, const GroupKeys& group, const GroupKeys& baseline,
                         VerdictRule::Kind kind, int direction) {
        json keys = keys_of(group, head_dim);
        keys["against"] = "fraction " + baseline.at("fraction") + " at " + baseline.at("learning_rate");
        plan.rows.push_back(compared_row(claim, std::move(keys), measure, group, baseline,
                                         rule(kind, direction, std::string(claim) + ", " + measure)));
    };
    using Kind = VerdictRule::Kind;
    add("spikes", spiked, nope, tenth, Kind::events, +1);
    if (!paper) {
        plan.rows.back().out_of_reach =
            "The paper sees these spikes after tens of billions of tokens in models of a billion parameters: it takes "
            "such runs.";
    }
    add("low-rate", loss, slow, nope, Kind::difference, +1);
    add("high-rate", spiked, fast, nope, Kind::events, +1);
    add("qk-norm-removes", spiked, normed, nope, Kind::events, -1);
    add("qk-norm-removes", spiked, fast_normed, fast, Kind::events, -1);
    add("qk-norm-band", loss, normed, tenth, Kind::difference, +1);
    add("little-prevents", spiked, little, nope, Kind::events, -1);
    add("little-prevents", spiked, fast_little, fast, Kind::events, -1);
    for (const GroupKeys& group : {nope, tenth}) plan.rows.push_back(shown_row(keys_of(group, head_dim), loss, group));
}

}  // namespace

SheetPlan plan_nope_spikes(const SheetRequest& request) {
    const bool paper = request.scale == SheetScale::paper;
    SheetPlan plan = begin_plan("nope-spikes", request, partial_rope_paper(), 10);
    plan.claims = {{"spikes", "Without positions the loss spikes at the usual learning rate, with every seed."},
                   {"low-rate", "At a tenth of the learning rate training converges to a higher loss."},
                   {"high-rate", "At ten times the learning rate training diverges early."},
                   {"qk-norm-removes", "QK-Norm removes the spikes."},
                   {"qk-norm-band", "With QK-Norm a model without positions ends in the higher band."},
                   {"little-prevents", "A little rotation (two channels) prevents the spikes."}};
    const auto texts = texts_for({"enwik8"}, request, plan.notes);
    plan.notes.push_back(
        "A run counts as spiked where its training loss rises by more than 0.5 nats over the lowest "
        "smoothed loss (weight 0.9) before, after the warm-up, or where it diverges.");
    double rate = 1e-3;
    int head_dim = 64;
    if (paper) {
        rate = 3e-4;
        head_dim = 256;
        set_all(plan.experiment, {{"layers", {"16"}},
                                  {"heads", {"8"}},
                                  {"width", {"2048"}},
                                  {"context", {"2048"}},
                                  {"batch", {"4096"}},
                                  {"iterations", {"11920"}},
                                  {"warmup", {"596"}},
                                  {"beta2", {"0.95"}},
                                  {"evaluate_every", {"500"}},
                                  {"evaluation", {"sampled"}},
                                  {"evaluation_batches", {"2"}}});
        plan.notes.push_back("Both blocks in Pythia-1B's shape. The learning rate 3e-4 is ours.");
    } else {
        set_all(plan.experiment, request.scale == SheetScale::smoke ? smoke_shape() : laptop_shape());
        set_all(plan.experiment,
                {{"heads", {"2"}}, {"width", {"128"}}, {"learning_rate", {}}, {"final_learning_rate", {}}});
        if (request.scale == SheetScale::laptop) {
            set_all(plan.experiment, {{"context", {"128"}}, {"batch", {"8"}}, {"iterations", {"500"}}});
        }
    }
    set_all(plan.experiment, {{"data", {texts.front().data}}, {"symbols", {"bytes"}}});
    std::vector<std::map<std::string, std::string>> runs;
    for (const char* block : {"pythia", "llama"}) add_block(plan, runs, block, rate, head_dim, paper);
    plan.experiment.set_explicit_runs(std::move(runs));
    return plan;
}

}  // namespace ropelab
