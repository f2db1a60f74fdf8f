// The sheet nope-spikes tests section 5 of the partial-RoPE paper, Khan et al.: loss spikes of models without position
// encoding.
#include "core/reproduce/sheets/building.h"
#include "core/reproduce/sheets/corpus_check.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/sheets/published.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr const char* loss = "final_validation_loss";
constexpr double spike_loss_margin = 0.01;
constexpr double every_seed = 0.7;  // "with every seed": the exact lower bound of the event probability is above this
constexpr double few_spikes = 0.3;  // "removes", "prevents": the exact upper bound is below this
// "More often": a probability that is higher by 30 percentage points or more. If all runs or no runs of both groups
// spike, twelve seeds show that the difference is smaller: the exact p is 2·0.7^12 = 0.028.
constexpr double more_spikes = 0.3;
// Ten runs of ten show a probability above 0.7 (0.7^10 = 0.028). Twelve runs without an event show one below 0.3 also
// at the first step of Holm's correction over three rows (3·0.7^12 = 0.042).
constexpr std::int64_t spike_seeds = 12;

// Learning rates in steps of a factor of ten: `lowest` is a final learning rate only, the others are compared.
struct Rates {
    std::string lowest, slow, usual, fast;

    // Returns the next lower learning rate, to which a schedule that starts at `rate` decays.
    const std::string& below(const std::string& rate) const {
        return rate == fast ? usual : rate == usual ? slow : lowest;
    }
};

// Training settings of the models with one type of block, at every scale.
struct BlockSettings {
    GroupKeys model;  // shape, context, batch and data of all runs
    std::int64_t steps;
    Rates rates;
    int head_dim;
    bool paper;
    /// The paper studies seeds and learning rates of the parallel block only; for the sequential block these rows are
    /// shown without a verdict.
    bool is_parallel;
};

GroupKeys setting(const BlockSettings& arm, const std::string& fraction, const std::string& rate, bool qk_norm) {
    GroupKeys group = arm.model;
    group.merge(GroupKeys{{"iterations", std::to_string(arm.steps)},
                          {"fraction", fraction},
                          {"learning_rate", rate},
                          {"final_learning_rate", arm.rates.below(rate)},
                          {"qk_norm", qk_norm ? "true" : "false"}});
    return group;
}

json keys_of(const GroupKeys& group, int head_dim) {
    return {{"block", group.at("block")},
            {"context", parse_number(group.at("context"))},
            {"fraction", parse_fraction(group.at("fraction"), head_dim)},
            {"learning_rate", parse_number(group.at("learning_rate"))},
            {"qk_norm", group.at("qk_norm") == "true"}};
}

void add_arm(SheetPlan& plan, std::vector<std::map<std::string, std::string>>& runs, const SheetData& set,
             BlockSettings arm) {
    arm.model["data"] = set.data;
    const Rates& rates = arm.rates;
    const GroupKeys nope = setting(arm, "0", rates.usual, false);
    const GroupKeys slow = setting(arm, "0", rates.slow, false);
    const GroupKeys fast = setting(arm, "0", rates.fast, false);
    const GroupKeys normalized = setting(arm, "0", rates.usual, true);
    const GroupKeys fast_normalized = setting(arm, "0", rates.fast, true);
    const GroupKeys little = setting(arm, "2 ch", rates.usual, false);
    const GroupKeys fast_little = setting(arm, "2 ch", rates.fast, false);
    const GroupKeys tenth = setting(arm, "10 %", rates.usual, false);
    for (const GroupKeys& group : {nope, slow, fast, normalized, fast_normalized, little, fast_little, tenth}) {
        runs.push_back(group);
    }
    GroupKeys half = normalized;  // control of the row of the low learning rate
    half["iterations"] = std::to_string(arm.steps / 2);
    if (arm.is_parallel) runs.push_back(half);
    const std::size_t first = plan.rows.size();
    const auto show = [&](const char* measure, const GroupKeys& group) {
        plan.rows.push_back(shown_row(keys_of(group, arm.head_dim), measure, group));
    };
    using Kind = VerdictRule::Kind;
    const auto add = [&](const char* claim, const char* measure, const GroupKeys& group, const GroupKeys& baseline,
                         const VerdictRule& rule) {
        json keys = keys_of(group, arm.head_dim);
        keys["against"] = "fraction " + baseline.at("fraction") + " at " + baseline.at("learning_rate") +
                          (baseline.at("qk_norm") == "true" ? " with QK-Norm" : "");
        plan.rows.push_back(compared_row(claim, std::move(keys), measure, group, baseline, rule));
        plan.rows.back().rule->family = std::string(claim) + ", " + measure;
    };
    const VerdictRule more_events = rule_of(Kind::events, +1, more_spikes, "");
    const VerdictRule few_events = proportion_rule(-1, few_spikes, "");
    const VerdictRule higher = rule_of(Kind::difference, +1, spike_loss_margin, "");
    if (arm.is_parallel) {
        add("spikes", spiked, nope, tenth, proportion_rule(+1, every_seed, ""));
    } else {
        add("sequential-spikes", spiked, nope, tenth, more_events);
    }
    if (!arm.paper) {
        plan.rows.back().out_of_reach =
            "The paper observes these spikes after tens of billions of tokens in models with a billion parameters; a "
            "test requires such runs.";
    }
    add("qk-norm-removes", spiked, normalized, nope, few_events);
    add("qk-norm-band", loss, normalized, tenth, higher);
    plan.rows.back().control = normalized;
    add("little-prevents", spiked, little, nope, few_events);
    if (arm.is_parallel) {
        // With the usual learning rate the loss of a diverged run is no measure; QK-Norm prevents the divergence and
        // changes nothing else.
        add("low-rate", loss, slow, normalized, higher);
        // If half of the training were enough, a learning rate that slows the training down would change nothing.
        plan.rows.back().control = half;
        plan.rows.back().control_reference = normalized;
        plan.rows.back().control_shows = half_is_enough;
        add("high-rate", spiked_early, fast, nope, more_events);
    } else {
        show(loss, slow);
        show(spiked_early, fast);
    }
    // The paper does not use this learning rate, but smaller models spike at it, so that there are spikes to remove.
    if (arm.is_parallel && !arm.paper) {
        add("qk-norm-removes", spiked, fast_normalized, fast, few_events);
        add("little-prevents", spiked, fast_little, fast, few_events);
    } else {
        for (const GroupKeys& group : {fast, fast_normalized, fast_little}) show(spiked, group);
    }
    for (const GroupKeys& group : {nope, tenth}) show(loss, group);
    mark_untestable(plan, set, first);
}

}  // namespace

SheetPlan plan_nope_spikes(const SheetRequest& request) {
    const bool paper = request.scale == SheetScale::paper;
    SheetPlan plan = begin_plan("nope-spikes", request, partial_rope_paper(), spike_seeds);
    plan.claims = {
        {"spikes",
         "Without position encoding the training loss of parallel blocks spikes at the usual learning rate, with every "
         "seed, and more often than with RoPE on 10 % of the channels."},
        {"sequential-spikes",
         "Without position encoding the training loss of sequential blocks spikes more often at four times the context "
         "than with RoPE on 10 % of the channels; a probability that is higher by less than 30 percentage points "
         "counts as equal."},
        {"qk-norm-removes",
         "QK-Norm removes the loss spikes of models without position encoding: fewer than 30 % of the runs spike."},
        {"qk-norm-band",
         "With QK-Norm a model without position encoding has a higher loss than a model with RoPE on 10 % of the "
         "channels."},
        {"little-prevents", "Rotation of two channels prevents the loss spikes: fewer than 30 % of the runs spike."},
        {"low-rate",
         "Without position encoding parallel blocks converge to a higher loss at a tenth of the usual learning rate "
         "than at the usual one, where QK-Norm prevents divergence."},
        {"high-rate",
         "Without position encoding parallel blocks spike or diverge early at ten times the usual learning rate: more "
         "often within the first fifth of the training than at the usual one; a probability that is higher by less "
         "than 30 percentage points counts as equal."}};
    const auto sets = paper ? corpora_for({"fineweb", "fineweb-edu"}, 4096.0 * 2048 * 11920, request, plan.notes)
                            : data_for({"enwik8"}, request, plan.notes);
    plan.notes.push_back(
        "A run has a spike if it diverges, or if after the warm-up its smoothed training loss (weight 0.9) rises more "
        "than 0.5 nats per token above its previous minimum. A spike is early within the first fifth of the run's "
        "steps. A run that failed for another reason counts neither with nor without a spike.");
    plan.notes.push_back(
        "The paper studies seeds and learning rates of parallel blocks only. Rows of sequential blocks at other "
        "learning rates are shown without a verdict.");
    plan.notes.push_back(
        "QK-Norm normalizes each head, as in the paper's runs (appendix B), not the whole projection as GPT-NeoX does "
        "by default.");
    Rates rates{"1e-5", "1e-4", "1e-3", "1e-2"};
    int head_dim = 64;
    std::int64_t context = 128, batch = 8, steps = 500;
    if (paper) {
        rates = {"3e-6", "3e-5", "3e-4", "3e-3"};
        head_dim = 256;
        context = 2048;
        batch = 4096;
        steps = 11920;
        set_all(plan.experiment, {{"layers", {"16"}},
                                  {"width", {"2048"}},
                                  {"warmup", {"596"}},
                                  {"beta2", {"0.95"}},
                                  {"evaluate_every", {"500"}},
                                  {"evaluation", {"sampled"}},
                                  {"evaluation_batches", {"2"}}});
        plan.notes.push_back(
            "The parallel model has the shape of Pythia-1B (8 heads of 256 channels, biases, an output matrix of its "
            "own) and trains on FineWeb-Edu, the sequential one that of Llama-3.2-1B (32 heads of 64 channels, 8 key "
            "and value heads, no biases, a tied output matrix), with a context of 8,192 tokens and as many tokens per "
            "step, on FineWeb. The paper does not give the learning rate 3e-4; it is this program's choice.");
        plan.notes.push_back(micro_batch_note);
        if (sets.size() < 2) plan.notes.push_back("The parallel models train on FineWeb instead of FineWeb-Edu.");
    } else {
        const bool smoke = request.scale == SheetScale::smoke;
        set_all(plan.experiment, smoke ? smoke_shape() : laptop_shape());
        set_all(plan.experiment, {{"heads", {}},
                                  {"width", {"128"}},
                                  {"iterations", {}},
                                  {"context", {}},
                                  {"batch", {}},
                                  {"learning_rate", {}},
                                  {"final_learning_rate", {}}});
        if (smoke) {
            steps = 8;
            context = 32;
            batch = 4;
        }
        plan.notes.push_back(
            "Both blocks train on the same text here; the paper's parallel models train on FineWeb-Edu, the sequential "
            "ones on FineWeb. The paper prints no losses; the margin of 1 % is this program's choice.");
    }
    plan.experiment.set("tokenizer", {"bytes"});
    GroupKeys parallel = {{"block", "pythia"}, {"heads", paper ? "8" : "2"}, {"key_value_heads", "0"},
                          {"mlp_width", "0"},  {"tied_head", "false"},       {"bias", "true"},
                          {"micro_batch", "0"}};
    GroupKeys sequential = {{"block", "llama"},    {"heads", "2"},    {"key_value_heads", "1"}, {"mlp_width", "0"},
                            {"tied_head", "true"}, {"bias", "false"}, {"micro_batch", "0"}};
    if (paper) {
        parallel["micro_batch"] = "64";
        sequential["heads"] = "32";
        sequential["key_value_heads"] = "8";
        sequential["mlp_width"] = "8192";
        sequential["micro_batch"] = "16";
    }
    parallel["context"] = std::to_string(context);
    parallel["batch"] = std::to_string(batch);
    sequential["context"] = std::to_string(4 * context);
    sequential["batch"] = std::to_string(batch / 4);
    std::vector<std::map<std::string, std::string>> runs;
    add_arm(plan, runs, paper ? sets.back() : sets.front(), {parallel, steps, rates, head_dim, paper, true});
    add_arm(plan, runs, sets.front(), {sequential, steps, rates, paper ? 64 : head_dim, paper, false});
    plan.experiment.set_explicit_runs(std::move(runs));
    return plan;
}

}  // namespace ropelab
