// The sheet theta-speed tests the possible causes of "half the speed" in the theta paper, Huang et al. 2025: learned
// positions, rotation, and the base.
#include <algorithm>
#include <limits>

#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/sheets/building.h"
#include "core/reproduce/sheets/published.h"
#include "core/results/results_cells.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr double slowdown_margin = 0.05;
constexpr const char* data_set = "synthetic";  // the text does not affect the speed

// How the engine computes the runs. `usual` is the default; `eager` and rope_cache false are what plain programs do.
struct Implementation {
    const char* operations;
    const char* rope_cache;
};
constexpr Implementation usual = {"fused", "true"};
constexpr Implementation eager = {"eager", "true"};
constexpr Implementation recomputing = {"eager", "false"};  // computes cos and sin at every call, like the paper's code

GroupKeys position_group(const char* position, const Implementation& implementation = usual) {
    return {
        {"position", position}, {"operations", implementation.operations}, {"rope_cache", implementation.rope_cache}};
}
GroupKeys theta_group(const std::string& theta, const Implementation& implementation = usual) {
    GroupKeys group = position_group("learned+rope", implementation);
    group["theta"] = theta;
    return group;
}

// Returns the keys that a row shows: implementation keys only if they differ from `usual`.
json shown_keys(const GroupKeys& group) {
    json keys = {{"position", group.at("position")}};
    if (group.contains("theta")) keys["theta"] = parse_number(group.at("theta"));
    if (group.at("operations") != usual.operations) keys["operations"] = group.at("operations");
    if (group.at("rope_cache") != usual.rope_cache) keys["rope_cache"] = group.at("rope_cache") == "true";
    return keys;
}

// Returns the groups that rotate q and k, in every implementation.
std::vector<GroupKeys> groups_with_rotation() {
    std::vector<GroupKeys> groups;
    for (const char* operations : {"fused", "eager"}) {
        for (const char* rope_cache : {"true", "false"}) {
            groups.push_back(theta_group("10000", {operations, rope_cache}));
            groups.push_back(position_group("rope", {operations, rope_cache}));
        }
    }
    return groups;
}
// Returns the groups with learned positions only.
std::vector<GroupKeys> groups_without_rotation() {
    return {position_group("learned"), position_group("learned", eager)};
}

// Returns the groups of all bases but 10,000 in an implementation.
std::vector<GroupKeys> groups_of_other_bases(const Implementation& implementation) {
    std::vector<GroupKeys> groups;
    for (const std::string& theta : theta_paper_bases()) {
        if (theta != "10000") groups.push_back(theta_group(theta, implementation));
    }
    return groups;
}

// Adds the rows of the paper's hypotheses on the computation of frequencies, cos and sin, which a table would hide.
void add_recomputing_rows(SheetPlan& plan, const std::string& measure, int slower) {
    const VerdictRule rule =
        rule_of(VerdictRule::Kind::difference, slower, slowdown_margin, "eager without a table, " + measure);
    for (const GroupKeys& group : groups_of_other_bases(recomputing)) {
        plan.rows.push_back(compared_row("recomputed-tables", shown_keys(group), measure, group,
                                         theta_group("10000", recomputing), rule));
    }
}

// `claimed`: the paper's size of the effect of θ. `slower`: sign of a difference that means slower.
void add_timed_rows(SheetPlan& plan, const std::string& measure, const char* claim, const VerdictRule& claimed,
                    int slower) {
    const json& table = theta_paper().at("table_3");
    const json& plain = theta_paper().at("template");
    const auto n = theta_paper().at("n").get<std::int64_t>();
    const GroupKeys baseline = theta_group("10000");
    const Sample paper_baseline = published_sample(row_of_theta(table, 10000).at(measure), n);
    for (const std::string& theta : theta_paper_bases()) {
        const json keys = shown_keys(theta_group(theta));
        PlannedRow row = theta == "10000" ? shown_row(keys, measure, baseline)
                                          : compared_row(claim, keys, measure, theta_group(theta), baseline, claimed);
        row.paper = published_sample(row_of_theta(table, parse_number(theta)).at(measure), n);
        row.paper_baseline = paper_baseline;
        plan.rows.push_back(std::move(row));
    }
    // Comparison of models with and without rotation.
    for (const GroupKeys& group : groups_without_rotation()) {
        PlannedRow learned = shown_row(shown_keys(group), measure, group);
        learned.paper = published_sample(plain.at(measure), plain.at("n").get<std::int64_t>());
        plan.rows.push_back(std::move(learned));
    }
    const VerdictRule slower_by_rotation =
        rule_of(VerdictRule::Kind::difference, slower, slowdown_margin, "rotation, " + measure);
    for (const GroupKeys& group : groups_with_rotation()) {
        json keys = shown_keys(group);
        keys["against"] = "learned";
        plan.rows.push_back(compared_row("cause", std::move(keys), measure, group,
                                         position_group("learned", {group.at("operations").c_str(), usual.rope_cache}),
                                         slower_by_rotation));
    }
    add_recomputing_rows(plan, measure, slower);
}

// Returns the published numbers of the paper's baseline, its other bases and the template's run without rotation.
std::string template_words() {
    const json& table = theta_paper().at("table_3");
    const json& plain = theta_paper().at("template");
    std::string words =
        "Published numbers of θ = 10,000, of the other bases, and of run 0 of the paper's code template, which has no "
        "rotation:";
    const auto add = [&](const std::string& measure, const char* name, int decimals) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const json& row : table) {
            if (row.at("theta") == 10000) continue;
            const auto mean = row.at(measure).at("mean").get<double>();
            low = std::min(low, mean);
            high = std::max(high, mean);
        }
        const auto text = [&](double value) { return fixed_text(value, decimals); };
        words += std::string(words.ends_with(':') ? " " : "; ") + name + " " +
                 text(row_of_theta(table, 10000).at(measure).at("mean").get<double>()) + ", " + text(low) + " to " +
                 text(high) + ", " + text(plain.at(measure).get<double>());
    };
    add(generated_per_second, "tokens per second", 0);
    add("seconds", "seconds of training", 1);
    add("best_validation_loss", "best validation loss", 4);
    add("final_training_loss", "final training loss", 4);
    return words +
           ". Only the final training loss of θ = 10,000 is nearer to the template's than to that of any other "
           "base; these numbers do not show why.";
}

void add_counts(SheetPlan& plan) {
    std::vector<GroupKeys> groups = groups_without_rotation();
    for (GroupKeys& group : groups_with_rotation()) groups.push_back(std::move(group));
    for (GroupKeys& group : groups_of_other_bases(recomputing)) groups.push_back(std::move(group));
    for (const char* measure : {operations_per_training_step, operations_per_token}) {
        for (const GroupKeys& group : groups) plan.rows.push_back(shown_row(shown_keys(group), measure, group));
    }
}

}  // namespace

SheetPlan plan_theta_speed(const SheetRequest& request) {
    const bool paper = request.scale == SheetScale::paper;
    const bool smoke = request.scale == SheetScale::smoke;
    SheetPlan plan = begin_plan("theta-speed", request, theta_paper(), 10);
    plan.claims = {
        {"longer-training",
         "Training takes about 11 % longer with every θ other than 10,000 than with θ = 10,000 (6 to 16 %; the paper's "
         "table prints 10.8 to 11.9 %)."},
        {"slower-writing",
         "Generation with every θ other than 10,000 is about half as fast as with θ = 10,000 (0.4 to 0.6 of its "
         "speed; the paper's table prints 0.55)."},
        {"cause",
         "Rotation costs time: training takes longer and generation is slower with rotation than with learned "
         "positions alone, in the same implementation. (The paper does not make this claim.)"},
        {"recomputed-tables",
         "With eager operations and without a RoPE cache, training takes longer and generation is slower with every θ "
         "other than 10,000 than with θ = 10,000. (The paper's hypotheses 2 and 3 imply this: PyTorch may compute the "
         "frequencies on another code path, and cos and sin by a slower implementation, if θ is not 10,000.)"}};
    if (paper) {
        set_all(plan.experiment, theta_paper_shape());
        plan.experiment.set("position", {});
        plan.notes.push_back(
            "Runs train for 1,000 of the paper's 5,000 iterations, because the speed does not depend on the number of "
            "iterations.");
        plan.experiment.set("iterations", {"1000"});
    } else {
        set_all(plan.experiment, smoke ? smoke_shape() : laptop_shape());
        if (!smoke) plan.experiment.set("iterations", {"100"});
    }
    plan.notes.push_back(
        "The base only changes the entries of a table, so that the expected ratio of the speeds at any two bases is "
        "1.00.");
    plan.notes.push_back(order_note);
    plan.notes.push_back(
        "By default the engine looks up cos and sin in a table and fuses operations. The paper's code computes cos and "
        "sin at every call, operation by operation; the settings rope_cache false and operations eager do the same. "
        "Eager operations also generate without a KV cache. Each row with rotation \"against learned\" is compared "
        "with learned positions alone, computed with the same implementation.");
    plan.notes.push_back(
        "An operation is one that computes or copies numbers, about one kernel on a device: LibTorch's operations and "
        "the engine's own kernels. Operations are counted when they start one by one, not when a CUDA graph replays "
        "them.");
    plan.notes.push_back(theta_paper().at("template").at("source").get<std::string>() +
                         ": its numbers are shown next to the runs with learned positions alone.");
    plan.notes.push_back(template_words());
    plan.experiment.set("data", {data_set});
    std::vector<GroupKeys> runs = groups_without_rotation();
    for (GroupKeys& group : groups_with_rotation()) runs.push_back(std::move(group));
    for (const Implementation& implementation : {usual, recomputing}) {
        for (GroupKeys& group : groups_of_other_bases(implementation)) runs.push_back(std::move(group));
    }
    plan.experiment.set_explicit_runs(std::move(runs));
    plan.sequential = true;
    plan.writing.samples = smoke ? 1 : 10;  // as in the paper's protocol
    plan.writing.length = smoke ? 20 : 500;
    add_timed_rows(plan, "seconds", "longer-training", size_rule(eleven_percent_low, eleven_percent_high, "seconds"),
                   +1);
    add_timed_rows(plan, generated_per_second, "slower-writing", size_rule(half_low, half_high, generated_per_second),
                   -1);
    add_counts(plan);
    return plan;
}

}  // namespace ropelab
