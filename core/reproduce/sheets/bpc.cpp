// The sheet bpc tests the post, Brahmachary 2025: bits per character of a 12-block model on enwik8, with and without
// RoPE.
#include "core/reproduce/sheets/building.h"
#include "core/reproduce/sheets/published.h"

namespace ropelab {

SheetPlan plan_bpc(const SheetRequest& request) {
    SheetPlan plan = begin_plan("bpc", request, post(), 10);
    plan.claims = {
        {"fewer-bits", "A model with RoPE needs fewer bits per character than a model with learned positions."}};
    const auto sets = data_for({"enwik8"}, request, plan.notes);
    const std::string data = sets.front().data;
    if (request.scale == SheetScale::paper) {
        // 12 layers with 12·552² weights each: 43.9 million.
        set_all(plan.experiment, {{"layers", {"12"}},
                                  {"heads", {"12"}},
                                  {"width", {"552"}},
                                  {"context", {"256"}},
                                  {"batch", {"64"}},
                                  {"dropout", {"0.1"}},
                                  {"iterations", {"20000"}},
                                  {"warmup", {"500"}},
                                  {"learning_rate", {"6e-4"}},
                                  {"final_learning_rate", {"6e-5"}},
                                  {"evaluate_every", {"1000"}},
                                  {"evaluation", {"sampled"}},
                                  {"evaluation_batches", {"200"}}});
        plan.notes.push_back(
            "The post gives 12 blocks and about 44 million parameters. 12 heads, width 552, context 256 and the "
            "training settings are this program's choice.");
    } else {
        set_all(plan.experiment, request.scale == SheetScale::smoke ? smoke_shape() : laptop_shape());
        if (request.scale == SheetScale::laptop) {
            set_all(plan.experiment, {{"layers", {"12"}}, {"context", {"128"}}});
            plan.notes.push_back(
                "The model has the post's 12 blocks, at width 64 (0.6 million parameters). All other settings are this "
                "program's choice.");
        }
    }
    plan.notes.push_back(
        "The data flow that the post prints has biases in every linear layer and an output matrix of its own with a "
        "bias: 16 · 205 + 205 = 3,485 parameters at its width 16. The models of this sheet have no biases, and their "
        "output matrix is the token embedding. The settings bias=true, tied_head=false and head_bias=true give the "
        "post's layers in a sweep of your own. The post prints no bits per character; the margin "
        "of 0.5 % is this program's choice.");
    plan.experiment.set("data", {data});
    plan.experiment.set_explicit_runs(
        {{{"position", "learned"}}, {{"position", "rope"}}, {{"position", "learned+rope"}}, {{"position", "none"}}});

    const std::string measure = "bits_per_character";
    const auto group = [](const char* position) { return GroupKeys{{"position", position}}; };
    const auto keys = [&](const char* position) { return nlohmann::json{{"data", data}, {"position", position}}; };
    const VerdictRule rule = rule_of(VerdictRule::Kind::difference, -1, 0.005, measure);
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

}  // namespace ropelab
