#include "core/reproduce/published/published.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/rules/predictions.h"
#include "core/reproduce/sheets/building.h"

namespace ropelab {

// The sheet partial-bands tests RQ1 to RQ5 of the partial-RoPE paper, Khan et al. Each model shape changes one factor
// of a base setting and compares seven rotated fractions.

namespace {

using nlohmann::json;

// Margins, as fractions of the loss, follow from the paper's printed perplexities on LAMBADA (table 4, OpenAI's
// version), whose logarithms are losses in nats per word. The smallest gap between its two bands is 3.2 % (Llama-8B:
// ln 6.80 − ln 6.42 = 0.0575, of ln 6.11 = 1.810 with full rotation). A fraction belongs to a band if it is nearer to
// that band than to the other: half of the gap.
constexpr double band_gap = 0.032;
constexpr double band_margin = band_gap / 2;
// At the longest context the loss with 10 % is 1.0 % above the mean of 25 % to 100 % (ln 14.39 against the mean of
// ln 14.64, ln 14.15, ln 13.76 and ln 13.55). The rule compares the same quantities, seed by seed. "Slightly higher" is
// from half of that to the gap between the bands, because the paper says that this separation is smaller.
constexpr double slightly_low = 1.005, slightly_high = 1 + band_gap;
constexpr const char* measure = "final_validation_loss";  // the paper compares losses at the end of the training

// The base setting with one changed factor, which can be the context or the data set.
struct ModelShape {
    std::string name;
    GroupKeys keys;  // keys whose values differ from the base setting
};

const std::vector<std::string>& fractions() {
    static const std::vector<std::string> all = {"0", "2 ch", "10 %", "25 %", "50 %", "75 %", "1"};
    return all;
}
bool is_low(const std::string& fraction) {
    return fraction == "0" || fraction == "2 ch";
}

GroupKeys with_keys(GroupKeys keys, const GroupKeys& more) {
    for (const auto& [key, value] : more) keys[key] = value;
    return keys;
}

// Each group names all keys, so that no run belongs to two shapes. Llama-3.2-1B has no biases and a tied head.
GroupKeys base_keys(const SheetRequest& request, const std::string& data) {
    GroupKeys keys = settings_in(
        request.scale == SheetScale::paper
            ? "layers=16 heads=32 width=2048 context=2048 batch=4096 micro_batch=64 mlp_width=8192 key_value_heads=8"
        : request.scale == SheetScale::laptop
            ? "layers=2 heads=2 width=128 context=128 batch=4 micro_batch=0 mlp_width=0 key_value_heads=1"
            : "layers=1 heads=2 width=128 context=32 batch=4 micro_batch=0 mlp_width=0 key_value_heads=1");
    keys.merge(settings_in("block=llama tied_head=true bias=false"));
    keys["data"] = data;
    return keys;
}

std::vector<ModelShape> shapes_of(const SheetRequest& request, const GroupKeys& base,
                                  const std::vector<SheetData>& sets) {
    const auto longer = [&](double times) {
        // The batch size is divided, so that the number of tokens per step stays.
        const auto divided = [&](const char* key) { return number_text(parse_number(base.at(key)) / times); };
        return GroupKeys{{"context", number_text(times * parse_number(base.at("context")))},
                         {"batch", divided("batch")},
                         {"micro_batch", divided("micro_batch")}};
    };
    const bool paper = request.scale == SheetScale::paper;
    std::vector<ModelShape> shapes = {
        {"base", {}},
        {"context 0.5x", longer(0.5)},
        {"context 2x", longer(2)},
        {"context 4x", longer(4)},
        {"parallel block", settings_in("block=pythia mlp_width=0 key_value_heads=0 tied_head=false bias=true")}};
    if (paper) {
        // Pythia-1B has heads of 256 channels, and the paper trains it on FineWeb-Edu.
        shapes.back().keys["heads"] = "8";
        shapes.back().keys["data"] = sets.back().data;
        shapes.push_back({"larger model",
                          settings_in("layers=36 heads=32 width=4096 mlp_width=14336 tied_head=false micro_batch=4")});
    } else {
        shapes.push_back({"larger model", {{"layers", request.scale == SheetScale::smoke ? "2" : "4"}}});
    }
    if (sets.size() > 1) shapes.push_back({"cleaner text", {{"data", sets[1].data}}});
    return shapes;
}

json keys_of(const ModelShape& shape, const GroupKeys& all, const std::string& fraction) {
    const auto head_dim = static_cast<int>(parse_number(all.at("width")) / parse_number(all.at("heads")));
    return {{"model_shape", shape.name},
            {"fraction", parse_fraction(fraction, head_dim)},
            {"channels", rotary_dim(head_dim, parse_fraction(fraction, head_dim))},
            {"head_dim", head_dim},
            {"block", all.at("block")},
            {"data", all.at("data")},
            {"context", parse_number(all.at("context"))},
            {"layers", parse_number(all.at("layers"))}};
}

void add_shape_rows(SheetPlan& plan, const ModelShape& shape, const GroupKeys& all) {
    const auto group = [&](const char* fraction) { return with_keys(all, {{"fraction", fraction}}); };
    for (const std::string& fraction : fractions()) {
        const json keys = keys_of(shape, all, fraction);
        if (fraction == "1") {
            plan.rows.push_back(shown_row(keys, measure, group("1")));
        } else if (is_low(fraction)) {
            plan.rows.push_back(compared_row("two-bands", keys, measure, group(fraction.c_str()), group("1"),
                                             difference_rule(+1, band_margin, "bands, " + shape.name)));
            plan.rows.back().control = group("0");
        } else {
            plan.rows.push_back(
                compared_row("ten-percent", keys, measure, group(fraction.c_str()), group("1"),
                             rule_of(VerdictRule::Kind::equivalence, 0, band_margin, "equivalence, " + shape.name)));
            plan.rows.back().control = group("0");  // if NoPE does not differ from full RoPE, no fraction can
        }
    }
    // The gap between the bands: both fractions of the higher band against the lowest fraction of the other.
    for (const char* fraction : {"0", "2 ch"}) {
        json keys = keys_of(shape, all, fraction);
        keys["against"] = "10 %";
        plan.rows.push_back(compared_row("two-bands", keys, measure, group(fraction), group("10 %"),
                                         difference_rule(+1, band_margin, "gap, all model shapes")));
        plan.rows.back().control = group("0");
    }
    if (shape.name != "context 4x") return;
    json keys = keys_of(shape, all, "10 %");
    keys["against"] = "mean of 25 % to 100 %";
    plan.rows.push_back(compared_row("parting", keys, measure, group("10 %"), group("25 %"),
                                     size_rule(slightly_low, slightly_high, "parting")));
    plan.rows.back().baseline_others = {group("50 %"), group("75 %"), group("1")};
    plan.rows.back().rule->margin = band_margin;  // of the control
    plan.rows.back().control = group("0");
}

// `is_claimed`: the claims of the paper concern the data set, which is no substitute.
void predict(SheetPlan& plan, const GroupKeys& base, bool is_claimed) {
    const auto head_dim = static_cast<int>(parse_number(base.at("width")) / parse_number(base.at("heads")));
    const auto context = static_cast<std::int64_t>(parse_number(base.at("context")));
    predict_for_fractions(plan, base, fractions(), head_dim, context, extension_rise, "");
    if (!is_claimed) return;
    std::vector<GroupKeys> high, low;
    for (const std::string& fraction : fractions()) {
        (is_low(fraction) ? high : low).push_back(with_keys(base, {{"fraction", fraction}}));
    }
    plan.predictions.push_back(prediction_of_order("claims of Khan et al.",
                                                   "The losses form two bands: without rotation, or with two rotated "
                                                   "channels, the loss is higher than with 10 % or more of the "
                                                   "channels rotated (base model).",
                                                   measure, low, high));
}

// They show the paper's bands, but no run is compared with them.
void add_published(SheetPlan& plan) {
    const json& table = partial_rope_paper().at("lambada_perplexity");
    const auto perplexity = [](const json& row) { return published_sample(row.at("openai").at("mean"), 1); };
    for (const json& row : table) {
        PlannedRow shown =
            shown_row({{"published", row.at("config")}, {"rotated", row.at("rope")}}, "lambada_perplexity", {});
        shown.paper = perplexity(row);
        for (const json& full : table) {
            const bool is_full = full.at("config") == row.at("config") && full.at("rope") == "100% RoPE";
            if (!is_full || full == row) continue;
            shown.paper_baseline = perplexity(full);
            shown.baseline = GroupKeys{{"fraction", "1"}};
        }
        plan.rows.push_back(std::move(shown));
    }
    plan.notes.push_back(
        "The last table shows the published perplexities on LAMBADA (OpenAI's version; one run per setting) relative "
        "to full rotation. They belong to the paper's models and are per word; no run of this reproduction is compared "
        "with them.");
}

}  // namespace

SheetPlan plan_partial_bands(const SheetRequest& request) {
    SheetPlan plan = begin_plan("partial-bands", request, partial_rope_paper(), 10);
    plan.claims = {
        {"ten-percent",
         "Partial RoPE with 10 % of the channels or more reaches the same loss as full RoPE: within 1.6 %, half of the "
         "smallest gap between the paper's two bands of losses."},
        {"two-bands",
         "The losses form two bands: NoPE and RoPE with two rotated channels reach a higher loss than RoPE on 10 % of "
         "the channels and than full RoPE."},
        {"parting",
         "At the longest context the loss with 10 % of the channels is slightly higher than the mean of the losses "
         "with 25, 50, 75 and 100 %: by 0.5 to 3.2 %."}};
    const bool paper = request.scale == SheetScale::paper;
    const auto sets = paper ? corpora_for({"fineweb", "fineweb-edu"}, 4096.0 * 2048 * 11920, request, plan.notes)
                            : data_for({"enwik8", "text8"}, request, plan);
    plan.notes.push_back(
        "The margins follow from the paper's perplexities on LAMBADA, whose logarithms are losses: the smallest gap "
        "between its two bands is 3.2 % of the loss (Llama-8B: perplexity 6.80 with NoPE, 6.42 with 10 %), and at the "
        "longest context the loss with 10 % is 1.0 % above the mean of the larger fractions. The control of every row "
        "(the group that must be worse if the test works) is NoPE. The claims concern training losses; of the printed "
        "perplexities with 10 % to 75 %, 20 of 28 lie within 1.6 % of full rotation (by their logarithms). At the "
        "longest context, the logarithm of the perplexity with 10 % lies 1.0 % above the mean of the larger fractions "
        "in OpenAI's version of LAMBADA, and 3.1 % below this mean in the standard version. In OpenAI's version it "
        "also lies 0.6 % below the logarithm with 25 % alone.");
    plan.notes.push_back(std::string(paper
                                         ? "Bytes replace"
                                         : "enwik8 (with markup) and text8 (cleaned) replace FineWeb and FineWeb-Edu, "
                                           "and bytes replace") +
                         " the tokens of the Pythia tokenizer. The published losses belong to other " +
                         (paper ? "tokens." : "data sets."));
    if (paper) {
        set_all(plan.experiment,
                "iterations=11920 warmup=596 learning_rate=3e-4 final_learning_rate=3e-5 beta2=0.95 "
                "evaluate_every=500 evaluation=sampled evaluation_batches=2");
        plan.notes.push_back(
            "Each run trains on 100 billion tokens. The paper does not give the learning rate 3e-4 and AdamW's second "
            "beta 0.95; they are this program's choice. The base shape is that of Llama-3.2-1B (tied output matrix, no "
            "biases), the parallel block that of Pythia-1B (biases, an output matrix of its own), " +
            std::string(sets.size() > 1 ? "trained on FineWeb-Edu as in the paper"
                                        : "which the paper trains on FineWeb-Edu and this reproduction on FineWeb") +
            ", and the larger model that of Llama-3.1-8B with 36 layers (an output matrix of its own, no biases).");
        plan.notes.push_back(micro_batch_note);
    } else {
        set_small_shape(plan, "iterations=600");
    }
    set_all(plan.experiment, "layers= heads= width= context= batch= tokenizer=bytes");
    plan.experiment.set("fraction", fractions());

    const GroupKeys base = base_keys(request, sets.front().data);
    std::vector<std::map<std::string, std::string>> runs;
    for (const ModelShape& shape : shapes_of(request, base, sets)) {
        const GroupKeys all = with_keys(base, shape.keys);
        runs.push_back(all);
        const std::size_t first = plan.rows.size();
        add_shape_rows(plan, shape, all);
        mark_untestable(plan, all.at("data") == sets.front().data ? sets.front() : sets.back(), first);
    }
    plan.experiment.set_explicit_runs(std::move(runs));
    add_published(plan);
    plan.extensions = {1, 2, 4};
    predict(plan, base, sets.front().missing.empty());
    return plan;
}

// nope-spikes tests section 5 of Khan et al.: loss spikes of models without position encoding.

namespace {

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

    // A schedule that starts at `rate` decays to it.
    const std::string& below(const std::string& rate) const {
        return rate == fast ? usual : rate == usual ? slow : lowest;
    }
};

struct BlockSettings {
    GroupKeys model;  // shape, context, batch and data of all runs
    std::int64_t steps;
    Rates rates;
    int head_dim;
    bool paper;
    /// The paper studies the parallel block only; for the sequential block these rows are shown without a verdict.
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
    const auto show = [&](const char* quantity, const GroupKeys& group) {
        plan.rows.push_back(shown_row(keys_of(group, arm.head_dim), quantity, group));
    };
    using Kind = VerdictRule::Kind;
    const auto add = [&](const char* claim, const char* quantity, const GroupKeys& group, const GroupKeys& baseline,
                         const VerdictRule& rule) {
        json keys = keys_of(group, arm.head_dim);
        keys["against"] = "fraction " + baseline.at("fraction") + " at " + baseline.at("learning_rate") +
                          (baseline.at("qk_norm") == "true" ? " with QK-Norm" : "");
        plan.rows.push_back(compared_row(claim, std::move(keys), quantity, group, baseline, rule));
        plan.rows.back().rule->family = std::string(claim) + ", " + quantity;
    };
    const VerdictRule more_events = rule_of(Kind::events, +1, more_spikes, "");
    const VerdictRule few_events = proportion_rule(-1, few_spikes, "");
    const VerdictRule higher = difference_rule(+1, spike_loss_margin, "");
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
        // Usually the loss of a diverged run is no measure; QK-Norm prevents the divergence and changes nothing else.
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
    const bool smoke = request.scale == SheetScale::smoke;
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
                            : data_for({"enwik8"}, request, plan);
    plan.notes.push_back(
        "A run has a spike if it diverges, or if after the warm-up its smoothed training loss (weight 0.9) rises more "
        "than 0.5 nats per token above its previous minimum. A spike is early within the first fifth of the run's "
        "steps. A run that failed for another reason is counted neither as a run with a spike nor as a run without "
        "one.");
    plan.notes.push_back(
        "The paper studies seeds and learning rates of parallel blocks only. Rows of sequential blocks at other "
        "learning rates are shown without a verdict.");
    plan.notes.push_back(
        "QK-Norm normalizes each head, as in the paper's runs (appendix B), not the whole projection as GPT-NeoX does "
        "by default.");
    Rates rates{"1e-5", "1e-4", "1e-3", "1e-2"};
    int head_dim = 64;
    std::int64_t steps = smoke ? 8 : 500;
    if (paper) {
        rates = {"3e-6", "3e-5", "3e-4", "3e-3"};
        head_dim = 256;
        steps = 11920;
        set_all(plan.experiment,
                "layers=16 width=2048 warmup=596 beta2=0.95 evaluate_every=500 evaluation=sampled "
                "evaluation_batches=2");
        plan.notes.push_back(
            "The parallel model has the shape of Pythia-1B (8 heads of 256 channels, biases, an output matrix of its "
            "own) and trains on FineWeb-Edu. The sequential model has the shape of Llama-3.2-1B (32 heads of 64 "
            "channels, 8 key and value heads, no biases, a tied output matrix) and trains on FineWeb, with a context "
            "of 8,192 tokens and as many tokens per step. The paper does not give the learning rate 3e-4; it is this "
            "program's choice.");
        plan.notes.push_back(micro_batch_note);
        if (sets.size() < 2) plan.notes.push_back("The parallel models train on FineWeb instead of FineWeb-Edu.");
    } else {
        set_small_shape(plan);
        set_all(plan.experiment, "heads= width=128 iterations= context= batch= learning_rate= final_learning_rate=");
        plan.notes.push_back(
            "Models with parallel and with sequential blocks train on the same text here; the paper's parallel models "
            "train on FineWeb-Edu, the sequential ones on FineWeb. The paper prints no losses; the margin of 1 % is "
            "this program's choice.");
    }
    plan.experiment.set("tokenizer", {"bytes"});
    GroupKeys parallel = settings_in(paper   ? "heads=8 micro_batch=64 context=2048 batch=4096"
                                     : smoke ? "heads=2 micro_batch=0 context=32 batch=4"
                                             : "heads=2 micro_batch=0 context=128 batch=8");
    parallel.merge(settings_in("block=pythia key_value_heads=0 mlp_width=0 tied_head=false bias=true"));
    // four times the context, and as many tokens per step
    GroupKeys sequential =
        settings_in(paper   ? "heads=32 key_value_heads=8 mlp_width=8192 micro_batch=16 context=8192 batch=1024"
                    : smoke ? "heads=2 key_value_heads=1 mlp_width=0 micro_batch=0 context=128 batch=1"
                            : "heads=2 key_value_heads=1 mlp_width=0 micro_batch=0 context=512 batch=2");
    sequential.merge(settings_in("block=llama tied_head=true bias=false"));
    std::vector<std::map<std::string, std::string>> runs;
    add_arm(plan, runs, paper ? sets.back() : sets.front(), {parallel, steps, rates, head_dim, paper, true});
    add_arm(plan, runs, sets.front(), {sequential, steps, rates, paper ? 64 : head_dim, paper, false});
    plan.experiment.set_explicit_runs(std::move(runs));
    return plan;
}

}  // namespace ropelab
