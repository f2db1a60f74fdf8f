#include "core/reproduce/published/published.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/sheets/building.h"

namespace ropelab {

// bpc tests the post, Brahmachary 2025: bits per character of 12 blocks on enwik8, with and without RoPE.

SheetPlan plan_bpc(const SheetRequest& request) {
    SheetPlan plan = begin_plan("bpc", request, post(), 10);
    plan.claims = {
        {"fewer-bits", "A model with RoPE needs fewer bits per character than a model with learned positions."}};
    const auto sets = data_for({"enwik8"}, request, plan);
    const std::string data = sets.front().data;
    if (request.scale == SheetScale::paper) {
        // 12 layers with 12·552² weights each: 43.9 million.
        set_all(plan.experiment,
                "layers=12 heads=12 width=552 context=256 batch=64 dropout=0.1 iterations=20000 warmup=500 "
                "learning_rate=6e-4 final_learning_rate=6e-5 evaluate_every=1000 evaluation=sampled "
                "evaluation_batches=200");
        plan.notes.push_back(
            "Brahmachary's post gives 12 blocks and about 44 million parameters. 12 heads, width 552, context 256 and "
            "the training settings are this program's choice.");
    } else {
        set_small_shape(plan, "layers=12 context=128");
        if (request.scale == SheetScale::laptop) {
            plan.notes.push_back(
                "The model has the 12 blocks of Brahmachary's post, at width 64 (0.6 million parameters). All other "
                "settings are this program's choice.");
        }
    }
    plan.notes.push_back(
        "The data flow that Brahmachary's post prints has biases in every linear layer and an output matrix of its own "
        "with a bias: 16 · 205 + 205 = 3,485 parameters at its width 16. The models of this reproduction have no "
        "biases, and their output matrix is the token embedding. The settings bias=true, tied_head=false and "
        "head_bias=true give the post's layers in a sweep of your own. The post prints no bits per character; the "
        "margin of 0.5 % is this program's choice.");
    plan.experiment.set("data", {data});
    plan.experiment.set_explicit_runs(
        {{{"position", "learned"}}, {{"position", "rope"}}, {{"position", "learned+rope"}}, {{"position", "none"}}});

    const std::string measure = "bits_per_character";
    const auto group = [](const char* position) { return GroupKeys{{"position", position}}; };
    const auto keys = [&](const char* position) { return nlohmann::json{{"data", data}, {"position", position}}; };
    const VerdictRule rule = difference_rule(-1, 0.005, measure);
    plan.rows.push_back(shown_row(keys("learned"), measure, group("learned")));
    for (const char* position : {"rope", "learned+rope"}) {
        plan.rows.push_back(
            compared_row("fewer-bits", keys(position), measure, group(position), group("learned"), rule));
        plan.rows.back().control = group("none");
    }
    plan.rows.push_back(shown_row(keys("none"), measure, group("none")));
    mark_untestable(plan, sets.front());
    add_power_note(plan);
    return plan;
}

// pre-post-norm tests Xiong et al. 2020: gradients by layer at initialization, and the need for warm-up.

namespace {

// Differences of norms of gradients below 10 % are not relevant; those of losses as in the other sheets.
constexpr double gradient_margin = 0.1;
constexpr double warmup_loss_margin = 0.01;

GroupKeys norm_group(const char* place, const std::string& warmup, std::int64_t steps) {
    return {{"norm_position", place}, {"warmup", warmup}, {"iterations", std::to_string(steps)}};
}

nlohmann::json norm_keys(const GroupKeys& group) {
    return {{"norm_position", group.at("norm_position")}, {"warmup", parse_number(group.at("warmup"))}};
}

}  // namespace

SheetPlan plan_pre_post_norm(const SheetRequest& request) {
    SheetPlan plan = begin_plan("pre-post-norm", request, pre_post_norm_paper(), 10);
    plan.claims = {
        {"large-at-the-end",
         "At initialization the gradient of the last block's MLP is larger with norms after the branches (post) than "
         "with norms before them (pre)."},
        {"ratio-of-blocks",
         "At initialization the gradient of the last block's MLP, divided by that of the first block's, is larger with "
         "post-norm than with pre-norm."},
        {"post-needs-warmup", "With post-norm, training without warm-up ends at a higher loss than with warm-up."},
        {"pre-needs-none",
         "With pre-norm, training without warm-up ends at the same loss as with warm-up, within 1 %."}};
    const auto sets = data_for({"enwik8"}, request, plan);
    plan.notes.push_back(
        "Gradients are those of the first training step, before clipping, over all weights of a block's MLP and of its "
        "normalization layer; the ratio is the gradient's norm in the last block divided by its norm in the first "
        "block. All models start with Xavier initialization, as the paper's models do.");
    plan.notes.push_back(
        "Xiong et al. train encoder-decoder models to translate; the models of this reproduction are decoders with "
        "RoPE that predict the next byte. The paper uses Adam; these runs use AdamW with weight decay.");
    plan.notes.push_back(
        "A control is a group that must be worse if the test works. For the claim \"post-norm needs warm-up\" the "
        "control is post-norm with warm-up and half of the steps: only if this control ends at a higher loss would an "
        "effect of lost training be visible. For the claim \"pre-norm needs no warm-up\" the control is post-norm "
        "without warm-up: only if this control ends at a higher loss than post-norm with warm-up does warm-up matter. "
        "The paper prints no losses; the margin of 1 % is this program's choice.");
    std::string warmup = "100";
    std::int64_t steps = 600;
    if (request.scale == SheetScale::paper) {
        warmup = "4000";
        steps = 40000;
        set_all(plan.experiment,
                "layers=6 heads=4 width=512 mlp_width=1024 context=256 batch=16 learning_rate=1e-3 "
                "final_learning_rate=1e-4 beta2=0.98 evaluate_every=2000 evaluation=sampled "
                "evaluation_batches=200");
        plan.notes.push_back(
            "Layers, width, heads, 4,096 tokens per step, learning rate and warm-up are those of Xiong et al. for "
            "IWSLT14; the cosine decay and the number of steps are this program's choice.");
    } else {
        const bool smoke = request.scale == SheetScale::smoke;
        if (smoke) {
            warmup = "2";
            steps = 8;
        }
        set_small_shape(plan, "layers=8 context=128 batch=8");
        if (smoke) plan.experiment.set("layers", {"2"});
        set_all(plan.experiment, "warmup= iterations=");
    }
    plan.experiment.set("data", {sets.front().data});
    set_all(plan.experiment, "tokenizer=bytes initialization=xavier");

    const GroupKeys pre = norm_group("pre", warmup, steps);
    const GroupKeys post = norm_group("post", warmup, steps);
    const GroupKeys pre_at_once = norm_group("pre", "0", steps);
    const GroupKeys post_at_once = norm_group("post", "0", steps);
    const GroupKeys post_half = norm_group("post", warmup, steps / 2);
    plan.experiment.set_explicit_runs({pre, post, pre_at_once, post_at_once, post_half});

    using Kind = VerdictRule::Kind;
    const auto add = [&](const char* claim, const char* measure, const GroupKeys& group, const GroupKeys& baseline,
                         const VerdictRule& rule) {
        plan.rows.push_back(compared_row(claim, norm_keys(group), measure, group, baseline, rule));
    };
    add("large-at-the-end", first_gradient_at_end, post, pre,
        difference_rule(+1, gradient_margin, first_gradient_at_end));
    add("ratio-of-blocks", first_gradient_ratio, post, pre, difference_rule(+1, gradient_margin, first_gradient_ratio));
    const char* loss = "final_validation_loss";
    add("post-needs-warmup", loss, post_at_once, post, difference_rule(+1, warmup_loss_margin, "warm-up of post-norm"));
    plan.rows.back().control = post_half;
    plan.rows.back().control_reference = post;
    plan.rows.back().control_shows = half_is_enough;
    add("pre-needs-none", loss, pre_at_once, pre,
        rule_of(Kind::equivalence, 0, warmup_loss_margin, "warm-up of pre-norm"));
    plan.rows.back().control = post_at_once;
    plan.rows.back().control_reference = post;
    plan.rows.back().control_shows = "warm-up does not matter to these models";
    for (const GroupKeys& group : {pre, post, pre_at_once, post_at_once, post_half}) {
        nlohmann::json keys = norm_keys(group);
        if (group == post_half) keys["iterations"] = steps / 2;
        plan.rows.push_back(shown_row(std::move(keys), loss, group));
    }
    mark_untestable(plan, sets.front());
    add_power_note(plan);
    return plan;
}

// glu-variants tests Shazeer 2020: gated networks against networks of as many weights without a gate.

namespace {

using nlohmann::json;

constexpr const char* glu_measure = "final_validation_loss";
// The smallest published advantage of a gated network over ReLU is 0.75 % (GLU, 1.982 against 1.997), and the smallest
// of GEGLU or SwiGLU over another gated one 0.46 % (SwiGLU, 1.944 against 1.953). Half of the latter is relevant.
constexpr double glu_margin = 0.0025;

// 0 is the default width, with which all networks have equally many weights.
GroupKeys glu_network(const std::string& feed_forward, const std::string& steps, const std::string& hidden = "0") {
    return {{"feed_forward", feed_forward}, {"mlp_width", hidden}, {"iterations", steps}};
}

// Log-perplexity after 65,536 steps. The number of runs is not printed, so that its deviation cannot be used.
Sample published_perplexity(const std::string& feed_forward) {
    for (const json& row : glu_variants().at("log_perplexity")) {
        if (row.at("feed_forward") == feed_forward) {
            return published_sample(row.at("steps_65536").at("mean"), 1);
        }
    }
    throw std::out_of_range("The table of feed-forward networks does not contain " + feed_forward + ".");
}

// After one length of training. `quarter`: hidden width of the control.
void add_networks(SheetPlan& plan, const std::string& data, const std::string& steps, const std::string& quarter) {
    const auto keys = [&](const std::string& kind) {
        return json{{"data", data}, {"feed_forward", kind}, {"iterations", parse_number(steps)}};
    };
    const auto add = [&](const char* claim, const std::string& kind, const std::string& against) {
        json compared = keys(kind);
        compared["against"] = against;
        PlannedRow row =
            compared_row(claim, std::move(compared), glu_measure, glu_network(kind, steps), glu_network(against, steps),
                         difference_rule(-1, glu_margin, std::string(claim) + ", " + steps + " steps"));
        row.control = glu_network("relu", steps, quarter);
        row.control_reference = glu_network("relu", steps);
        row.control_shows = "the feed-forward network matters little to these models";
        row.paper = published_perplexity(kind);
        row.paper_baseline = published_perplexity(against);
        plan.rows.push_back(std::move(row));
    };
    for (const char* kind : {"relu", "gelu", "swish"}) {
        PlannedRow row = shown_row(keys(kind), glu_measure, glu_network(kind, steps));
        row.paper = published_perplexity(kind);
        plan.rows.push_back(std::move(row));
    }
    for (const char* kind : {"glu", "bilinear", "reglu", "geglu", "swiglu"}) add("gated-lower", kind, "relu");
    for (const char* kind : {"geglu", "swiglu"}) {
        for (const char* against : {"glu", "bilinear", "reglu"}) add("geglu-swiglu-lowest", kind, against);
    }
    json narrow = keys("relu");
    narrow["mlp_width"] = parse_number(quarter);
    plan.rows.push_back(shown_row(std::move(narrow), glu_measure, glu_network("relu", steps, quarter)));
}

}  // namespace

SheetPlan plan_glu_variants(const SheetRequest& request) {
    SheetPlan plan = begin_plan("glu-variants", request, glu_variants(), 10);
    const auto lengths = training_lengths(request.scale, 65536);
    plan.claims = {{"gated-lower",
                    "A gated feed-forward network (GLU, bilinear, ReGLU, GEGLU or SwiGLU) has a lower loss than a "
                    "network with ReLU and equally many weights, " +
                        lengths_words(lengths) + "."},
                   {"geglu-swiglu-lowest",
                    "GEGLU and SwiGLU have a lower loss than the other gated networks (GLU, bilinear, "
                    "ReGLU), " +
                        lengths_words(lengths) + "."}};
    const bool paper = request.scale == SheetScale::paper;
    const auto sets = data_for({paper ? "enwik8" : "tinyshakespeare"}, request, plan);
    plan.notes.push_back(
        "The published numbers are log-perplexities of T5 base, an encoder and decoder, which fills in spans of text: "
        "nats per subword token. This reproduction trains decoders that predict the next character. The sizes of the "
        "losses and of their differences are not comparable, and no rule compares them; only the signs of the "
        "differences and the order of the networks are compared.");
    plan.notes.push_back(lengths_note);
    plan.notes.push_back(untuned_note);
    plan.notes.push_back(
        "The control (a group that must be worse if the test works) is a network with ReLU and a quarter of the hidden "
        "width. If it does not have a higher loss than the one with ReLU and the whole width, the feed-forward network "
        "matters too little in these models for equal losses to be evidence.");
    if (paper) {
        set_all(plan.experiment,
                "layers=12 heads=12 width=768 context=512 batch=128 micro_batch=16 warmup=2000 "
                "learning_rate=3e-4 final_learning_rate=3e-5 evaluate_every=4096 evaluation=sampled "
                "evaluation_batches=50");
        plan.notes.push_back(
            "The model has the width 768, 12 layers and hidden widths of 3,072 and 2,048 as T5 base has in its "
            "decoder. All training settings but the number of steps are this program's choice.");
    } else {
        set_small_shape(plan, "context=128 batch=8 evaluate_every=200");
        // Hidden widths 384 and 256: all networks have equally many weights.
        set_all(plan.experiment, "heads=2 width=96");
    }
    plan.experiment.set("data", {sets.front().data});
    plan.experiment.set("iterations", {});
    // A hidden width of four times the width is the default of a network without a gate.
    const std::string quarter = plan.experiment.values("width").front();
    std::vector<std::map<std::string, std::string>> runs;
    for (const std::string& steps : lengths) {
        for (const json& row : glu_variants().at("log_perplexity")) {
            runs.push_back(glu_network(row.at("feed_forward").get<std::string>(), steps));
        }
        runs.push_back(glu_network("relu", steps, quarter));
    }
    plan.experiment.set_explicit_runs(std::move(runs));
    for (const std::string& steps : lengths) add_networks(plan, sets.front().data, steps, quarter);
    mark_untestable(plan, sets.front());
    add_power_note(plan);
    return plan;
}

}  // namespace ropelab
