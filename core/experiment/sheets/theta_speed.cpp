// Where the theta paper's "half the speed" comes from: learned positions, rotation, or the base.
#include "core/experiment/sheets/building.h"
#include "core/experiment/sheets/measuring.h"
#include "core/experiment/sheets/published.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr double margin = 0.05;
constexpr const char* text = "generated";  // what is read does not change the speed

// How the runs are calculated: the engine's own way, and those that plain programs take.
struct Way {
    const char* operations;
    const char* rope_cache;
};
constexpr Way usual = {"fused", "true"};
constexpr Way eager = {"eager", "true"};

GroupKeys of_position(const char* position, const Way& way = usual) {
    return {{"position", position}, {"operations", way.operations}, {"rope_cache", way.rope_cache}};
}
GroupKeys of_theta(const std::string& theta, const Way& way = usual) {
    GroupKeys group = of_position("learned+rope", way);
    group["theta"] = theta;
    return group;
}

// The keys that a reader sees: of the way only what is not usual.
json seen_keys(const GroupKeys& group) {
    json keys = {{"position", group.at("position")}};
    if (group.contains("theta")) keys["theta"] = parse_number(group.at("theta"));
    if (group.at("operations") != usual.operations) keys["operations"] = group.at("operations");
    if (group.at("rope_cache") != usual.rope_cache) keys["rope_cache"] = group.at("rope_cache") == "true";
    return keys;
}

// What rotates, in every way; then what does not.
std::vector<GroupKeys> rotating() {
    std::vector<GroupKeys> groups;
    for (const char* operations : {"fused", "eager"}) {
        for (const char* rope_cache : {"true", "false"}) {
            groups.push_back(of_theta("10000", {operations, rope_cache}));
            groups.push_back(of_position("rope", {operations, rope_cache}));
        }
    }
    return groups;
}
std::vector<GroupKeys> still() {
    return {of_position("learned"), of_position("learned", eager)};
}

void add_timed_rows(SheetPlan& plan, const std::string& measure, const char* claim, int slower) {
    const json& table = theta_paper().at("table_3");
    const json& plain = theta_paper().at("template");
    const auto n = theta_paper().at("n").get<std::int64_t>();
    const GroupKeys baseline = of_theta("10000");
    const Sample paper_baseline = published_sample(row_of_theta(table, 10000).at(measure), n);
    for (const std::string& theta : theta_paper_bases()) {
        const json keys = seen_keys(of_theta(theta));
        PlannedRow row = theta == "10000"
                             ? shown_row(keys, measure, baseline)
                             : compared_row(claim, keys, measure, of_theta(theta), baseline,
                                            rule_of(VerdictRule::Kind::difference, slower, margin, measure));
        row.paper = published_sample(row_of_theta(table, parse_number(theta)).at(measure), n);
        row.paper_baseline = paper_baseline;
        plan.rows.push_back(std::move(row));
    }
    // Rotation itself against its absence: what would look like "every other θ" were the baseline a model without.
    for (const GroupKeys& group : still()) {
        PlannedRow learned = shown_row(seen_keys(group), measure, group);
        learned.paper = published_sample(plain.at(measure), plain.at("n").get<std::int64_t>());
        plan.rows.push_back(std::move(learned));
    }
    const VerdictRule slower_by_rotation =
        rule_of(VerdictRule::Kind::difference, slower, margin, "rotation, " + measure);
    for (const GroupKeys& group : rotating()) {
        json keys = seen_keys(group);
        keys["against"] = "learned";
        plan.rows.push_back(compared_row("cause", std::move(keys), measure, group,
                                         of_position("learned", {group.at("operations").c_str(), usual.rope_cache}),
                                         slower_by_rotation));
    }
}

void add_counts(SheetPlan& plan) {
    std::vector<GroupKeys> groups = still();
    for (GroupKeys& group : rotating()) groups.push_back(std::move(group));
    for (const char* measure : {operations_of_step, operations_of_symbol}) {
        for (const GroupKeys& group : groups) plan.rows.push_back(shown_row(seen_keys(group), measure, group));
    }
}

}  // namespace

SheetPlan plan_theta_speed(const SheetRequest& request) {
    const bool paper = request.scale == SheetScale::paper;
    const bool smoke = request.scale == SheetScale::smoke;
    SheetPlan plan = begin_plan("theta-speed", request, theta_paper(), 10);
    plan.claims = {{"longer-training", "Every θ other than 10,000 takes about 11 % longer to train."},
                   {"slower-writing", "Every θ other than 10,000 writes at about half the speed."},
                   {"cause",
                    "What costs time is rotation itself, which the paper's baseline may have lacked: its "
                    "speed and losses resemble those of the template's run 0, which does not rotate."}};
    if (paper) {
        set_all(plan.experiment, theta_paper_shape());
        plan.experiment.set("position", {});
        plan.notes.push_back("1,000 of the 5,000 iterations: speed does not depend on how long is trained.");
        plan.experiment.set("iterations", {"1000"});
    } else {
        set_all(plan.experiment, smoke ? smoke_shape() : laptop_shape());
        if (!smoke) plan.experiment.set("iterations", {"100"});
    }
    plan.notes.push_back(
        "A base only fills a table, so that the expected ratio of any two is 1.00. Each run trains "
        "alone, seed by seed; a \"seed\" is a repetition of the measurement.");
    plan.notes.push_back(
        "The engine reads cos and sin from a table and fuses operations. The paper's code computes both at every call, "
        "operation by operation: rope_cache false and operations eager do the same here, the latter with no cache of "
        "keys and values when writing. Each rotating row \"against learned\" is compared with learned positions alone "
        "calculated the same way.");
    plan.notes.push_back(
        "Operations are those that calculate or copy numbers, one kernel each on a device or thereabouts: LibTorch's, "
        "and the engine's own passes. They are counted as they are started one by one, not as a graph replays them.");
    plan.notes.push_back(theta_paper().at("template").at("source").get<std::string>() +
                         ": set beside the runs with learned positions alone.");
    plan.experiment.set("data", {text});
    std::vector<GroupKeys> runs = still();
    for (GroupKeys& group : rotating()) runs.push_back(std::move(group));
    for (const std::string& theta : theta_paper_bases()) {
        if (theta != "10000") runs.push_back(of_theta(theta));
    }
    plan.experiment.set_explicit_runs(std::move(runs));
    plan.one_by_one = true;
    plan.writing.samples = paper ? 10 : smoke ? 1 : 5;
    plan.writing.length = smoke ? 20 : 500;
    add_timed_rows(plan, "seconds", "longer-training", +1);
    add_timed_rows(plan, written_per_second, "slower-writing", -1);
    add_counts(plan);
    return plan;
}

}  // namespace ropelab
