// The sheet pre-post-norm tests Xiong et al. 2020: gradients by layer at initialization, and the need for warm-up, with
// norms before and after the branches.
#include "core/reproduce/sheets/building.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/sheets/published.h"

namespace ropelab {

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
    const auto sets = data_for({"enwik8"}, request, plan.notes);
    plan.notes.push_back(
        "The gradient is that of the first training step, before clipping, of all weights of a block's MLP and its "
        "norm; the ratio is its norm in the last block divided by that in the first. All models start with Xavier "
        "initialization, as the paper's do.");
    plan.notes.push_back(
        "The paper trains encoder-decoder models to translate; these models are decoders with RoPE that predict the "
        "next byte. It uses Adam; these runs use AdamW with weight decay.");
    plan.notes.push_back(
        "The control of \"post-norm needs warm-up\" is post-norm with warm-up and half of the steps: only if that ends "
        "at a higher loss would lost training be visible. The control of \"pre-norm needs none\" is post-norm without "
        "warm-up: only where that ends at a higher loss than with warm-up does warm-up matter. The paper prints no "
        "losses; the margin of 1 % is this program's choice.");
    std::string warmup = "100";
    std::int64_t steps = 600;
    if (request.scale == SheetScale::paper) {
        warmup = "4000";
        steps = 40000;
        set_all(plan.experiment, {{"layers", {"6"}},
                                  {"heads", {"4"}},
                                  {"width", {"512"}},
                                  {"mlp_width", {"1024"}},
                                  {"context", {"256"}},
                                  {"batch", {"16"}},
                                  {"learning_rate", {"1e-3"}},
                                  {"final_learning_rate", {"1e-4"}},
                                  {"beta2", {"0.98"}},
                                  {"evaluate_every", {"2000"}},
                                  {"evaluation", {"sampled"}},
                                  {"evaluation_batches", {"200"}}});
        plan.notes.push_back(
            "Layers, width, heads, 4,096 tokens per step, learning rate and warm-up are the paper's for IWSLT14; the "
            "cosine decay and the number of steps are this program's choice.");
    } else {
        const bool smoke = request.scale == SheetScale::smoke;
        if (smoke) {
            warmup = "2";
            steps = 8;
        }
        set_all(plan.experiment, smoke ? smoke_shape() : laptop_shape());
        set_all(plan.experiment, {{"layers", {smoke ? "2" : "8"}}});
        if (!smoke) set_all(plan.experiment, {{"context", {"128"}}, {"batch", {"8"}}});
        set_all(plan.experiment, {{"warmup", {}}, {"iterations", {}}});
    }
    set_all(plan.experiment, {{"data", {sets.front().data}}, {"tokenizer", {"bytes"}}, {"initialization", {"xavier"}}});

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
        rule_of(Kind::difference, +1, gradient_margin, first_gradient_at_end));
    add("ratio-of-blocks", first_gradient_ratio, post, pre,
        rule_of(Kind::difference, +1, gradient_margin, first_gradient_ratio));
    const char* loss = "final_validation_loss";
    add("post-needs-warmup", loss, post_at_once, post,
        rule_of(Kind::difference, +1, warmup_loss_margin, "warm-up of post-norm"));
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

}  // namespace ropelab
