// The partial-RoPE paper's section 5: loss spikes of models without positions.
#include "core/experiment/sheets/building.h"
#include "core/experiment/sheets/measuring.h"
#include "core/experiment/sheets/published.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr const char* loss = "final_validation_loss";
constexpr double margin = 0.01;

// A ladder of learning rates, one a tenth of the next: what the lowest decays to, then those that are compared.
struct Rates {
    std::string lowest, slow, usual, fast;

    const std::string& below(const std::string& rate) const {
        return rate == fast ? usual : rate == usual ? slow : lowest;
    }
};

// How the models of one block are trained, at every scale.
struct Arm {
    std::string block;
    std::string context, batch;
    Rates rates;
    int head_dim;
    bool paper;
    /// The paper's studies of seeds and rates are of the parallel block; of the sequential one their rows are shown.
    bool is_parallel;
};

GroupKeys setting(const Arm& arm, const std::string& fraction, const std::string& rate, bool qk_norm) {
    return {{"block", arm.block},
            {"key_value_heads", arm.is_parallel ? "0" : "1"},
            {"context", arm.context},
            {"batch", arm.batch},
            {"fraction", fraction},
            {"learning_rate", rate},
            {"final_learning_rate", arm.rates.below(rate)},
            {"qk_norm", qk_norm ? "true" : "false"}};
}

json keys_of(const GroupKeys& group, int head_dim) {
    return {{"block", group.at("block")},
            {"context", parse_number(group.at("context"))},
            {"fraction", parse_fraction(group.at("fraction"), head_dim)},
            {"learning_rate", parse_number(group.at("learning_rate"))},
            {"qk_norm", group.at("qk_norm") == "true"}};
}

void add_arm(SheetPlan& plan, std::vector<std::map<std::string, std::string>>& runs, const Arm& arm) {
    const Rates& rates = arm.rates;
    const GroupKeys nope = setting(arm, "0", rates.usual, false);
    const GroupKeys slow = setting(arm, "0", rates.slow, false);
    const GroupKeys fast = setting(arm, "0", rates.fast, false);
    const GroupKeys normed = setting(arm, "0", rates.usual, true);
    const GroupKeys fast_normed = setting(arm, "0", rates.fast, true);
    const GroupKeys little = setting(arm, "2 ch", rates.usual, false);
    const GroupKeys fast_little = setting(arm, "2 ch", rates.fast, false);
    const GroupKeys tenth = setting(arm, "10 %", rates.usual, false);
    for (const GroupKeys& group : {nope, slow, fast, normed, fast_normed, little, fast_little, tenth}) {
        runs.push_back(group);
    }
    using Kind = VerdictRule::Kind;
    const auto show = [&](const char* measure, const GroupKeys& group) {
        plan.rows.push_back(shown_row(keys_of(group, arm.head_dim), measure, group));
    };
    const auto add = [&](const char* claim, const char* measure, const GroupKeys& group, const GroupKeys& baseline,
                         Kind kind, int direction) {
        json keys = keys_of(group, arm.head_dim);
        keys["against"] = "fraction " + baseline.at("fraction") + " at " + baseline.at("learning_rate") +
                          (baseline.at("qk_norm") == "true" ? " with QK-Norm" : "");
        plan.rows.push_back(compared_row(claim, std::move(keys), measure, group, baseline,
                                         rule_of(kind, direction, margin, std::string(claim) + ", " + measure)));
    };
    add(arm.is_parallel ? "spikes" : "sequential-spikes", spiked, nope, tenth, Kind::events, +1);
    if (!arm.paper) {
        plan.rows.back().out_of_reach =
            "The paper sees these spikes after tens of billions of tokens in models of a billion parameters: it takes "
            "such runs.";
    }
    add("qk-norm-removes", spiked, normed, nope, Kind::events, -1);
    add("qk-norm-band", loss, normed, tenth, Kind::difference, +1);
    add("little-prevents", spiked, little, nope, Kind::events, -1);
    if (arm.is_parallel) {
        // At the usual rate the loss of a run that diverged is no measure: QK-Norm keeps all else as it is.
        add("low-rate", loss, slow, normed, Kind::difference, +1);
        add("high-rate", spiked_early, fast, nope, Kind::events, +1);
    } else {
        show(loss, slow);
        show(spiked_early, fast);
    }
    // Not the paper's rate; but at it smaller models spike, so that there is something to remove.
    if (arm.is_parallel && !arm.paper) {
        add("qk-norm-removes", spiked, fast_normed, fast, Kind::events, -1);
        add("little-prevents", spiked, fast_little, fast, Kind::events, -1);
    } else {
        for (const GroupKeys& group : {fast, fast_normed, fast_little}) show(spiked, group);
    }
    for (const GroupKeys& group : {nope, tenth}) show(loss, group);
}

}  // namespace

SheetPlan plan_nope_spikes(const SheetRequest& request) {
    const bool paper = request.scale == SheetScale::paper;
    SheetPlan plan = begin_plan("nope-spikes", request, partial_rope_paper(), 10);
    plan.claims = {
        {"spikes", "Without positions the loss of parallel blocks spikes at the usual learning rate, with every seed."},
        {"sequential-spikes", "Without positions the loss of sequential blocks spikes at four times the context."},
        {"qk-norm-removes", "QK-Norm removes the spikes."},
        {"qk-norm-band", "With QK-Norm a model without positions ends in the higher band."},
        {"little-prevents", "A little rotation (two channels) prevents the spikes."},
        {"low-rate",
         "At a tenth of the learning rate parallel blocks without positions converge to a higher loss than at the "
         "usual one, where QK-Norm keeps them from diverging."},
        {"high-rate",
         "At ten times the learning rate parallel blocks without positions diverge early: more often within the first "
         "fifth of the training than at the usual one."}};
    const auto texts = texts_for({"enwik8"}, request, plan.notes);
    plan.notes.push_back(
        "A run counts as spiked where its smoothed training loss (weight 0.9) rises by more than 0.5 nats over its "
        "lowest before, after the warm-up, or where it diverges; as spiked early where that happens within the first "
        "fifth of its steps. One that failed for another reason counts as neither.");
    plan.notes.push_back(
        "The paper studies seeds and learning rates of parallel blocks; rows of sequential ones at other rates are "
        "shown, not judged.");
    Rates rates{"1e-5", "1e-4", "1e-3", "1e-2"};
    int head_dim = 64;
    std::int64_t context = 128, batch = 8;
    if (paper) {
        rates = {"3e-6", "3e-5", "3e-4", "3e-3"};
        head_dim = 256;
        context = 2048;
        batch = 4096;
        set_all(plan.experiment, {{"layers", {"16"}},
                                  {"heads", {"8"}},
                                  {"width", {"2048"}},
                                  {"iterations", {"11920"}},
                                  {"warmup", {"596"}},
                                  {"beta2", {"0.95"}},
                                  {"evaluate_every", {"500"}},
                                  {"evaluation", {"sampled"}},
                                  {"evaluation_batches", {"2"}}});
        plan.notes.push_back(
            "Both blocks in Pythia-1B's shape, the sequential one at context 8,192 with as many symbols a step. The "
            "learning rate 3e-4 is ours.");
    } else {
        const bool smoke = request.scale == SheetScale::smoke;
        set_all(plan.experiment, smoke ? smoke_shape() : laptop_shape());
        set_all(plan.experiment, {{"heads", {"2"}},
                                  {"width", {"128"}},
                                  {"context", {}},
                                  {"batch", {}},
                                  {"learning_rate", {}},
                                  {"final_learning_rate", {}}});
        if (smoke) {
            context = 32;
            batch = 4;
        } else {
            plan.experiment.set("iterations", {"500"});
        }
    }
    set_all(plan.experiment, {{"data", {texts.front().data}}, {"symbols", {"bytes"}}});
    std::vector<std::map<std::string, std::string>> runs;
    add_arm(plan, runs, {"pythia", std::to_string(context), std::to_string(batch), rates, head_dim, paper, true});
    add_arm(plan, runs,
            {"llama", std::to_string(4 * context), std::to_string(batch / 4), rates, head_dim, paper, false});
    plan.experiment.set_explicit_runs(std::move(runs));
    return plan;
}

}  // namespace ropelab
