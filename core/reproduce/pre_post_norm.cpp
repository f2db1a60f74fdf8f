// The sheet pre-post-norm tests Xiong et al. 2020: gradients by layer at initialization, and the need for warm-up, with
// norms before and after the branches.
#include "core/reproduce/building.h"
#include "core/reproduce/measuring.h"
#include "core/reproduce/published.h"

namespace ropelab {

namespace {

// Differences of norms of gradients below 10 % are not relevant; those of losses as in the other sheets.
constexpr double gradient_margin = 0.1;
constexpr double warmup_loss_margin = 0.01;

GroupKeys norm_group(const char* place, const std::string& warmup, const char* position = "rope") {
    return {{"norm_position", place}, {"warmup", warmup}, {"position", position}};
}

nlohmann::json norm_keys(const GroupKeys& group) {
    return {{"norm_position", group.at("norm_position")},
            {"warmup", parse_number(group.at("warmup"))},
            {"position", group.at("position")}};
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
        "norm; "
        "the ratio is its norm in the last block divided by that in the first. All models start with Xavier "
        "initialization, as the paper's do.");
    plan.notes.push_back(
        "The paper trains encoder-decoder models to translate; these models are decoders with RoPE that predict the "
        "next "
        "byte. It uses Adam; these runs use AdamW with weight decay.");
    std::string warmup = "100";
    if (request.scale == SheetScale::paper) {
        warmup = "4000";
        set_all(plan.experiment, {{"layers", {"6"}},
                                  {"heads", {"4"}},
                                  {"width", {"512"}},
                                  {"mlp_width", {"1024"}},
                                  {"context", {"256"}},
                                  {"batch", {"16"}},
                                  {"iterations", {"40000"}},
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
        if (smoke) warmup = "2";
        set_all(plan.experiment, smoke ? smoke_shape() : laptop_shape());
        set_all(plan.experiment, {{"layers", {smoke ? "2" : "8"}}});
        if (!smoke) set_all(plan.experiment, {{"context", {"128"}}, {"batch", {"8"}}, {"iterations", {"600"}}});
        set_all(plan.experiment, {{"warmup", {}}});
    }
    set_all(plan.experiment, {{"data", {sets.front().data}}, {"tokenizer", {"bytes"}}, {"initialization", {"xavier"}}});

    const GroupKeys pre = norm_group("pre", warmup);
    const GroupKeys post = norm_group("post", warmup);
    const GroupKeys pre_at_once = norm_group("pre", "0");
    const GroupKeys post_at_once = norm_group("post", "0");
    const GroupKeys without_positions = norm_group("pre", warmup, "none");
    plan.experiment.set_explicit_runs({pre, post, pre_at_once, post_at_once, without_positions});

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
    plan.rows.back().control = without_positions;
    // Models with post-norm that learn less than models without positions cannot show what warm-up changes.
    plan.rows.back().control_reference = post;
    add("pre-needs-none", loss, pre_at_once, pre,
        rule_of(Kind::equivalence, 0, warmup_loss_margin, "warm-up of pre-norm"));
    plan.rows.back().control = without_positions;
    for (const GroupKeys& group : {pre, post, pre_at_once, post_at_once, without_positions}) {
        plan.rows.push_back(shown_row(norm_keys(group), loss, group));
    }
    mark_untestable(plan, sets.front());
    add_power_note(plan);
    return plan;
}

}  // namespace ropelab
