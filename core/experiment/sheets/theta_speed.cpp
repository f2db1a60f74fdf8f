// Where the theta paper's "half the speed" comes from: learned positions, rotation, or the base.
#include "core/experiment/sheets/building.h"
#include "core/experiment/sheets/measuring.h"
#include "core/experiment/sheets/published.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr double margin = 0.05;
constexpr const char* text = "generated";  // what is read does not change the speed

VerdictRule rule(VerdictRule::Kind kind, int direction, std::string family) {
    VerdictRule result;
    result.kind = kind;
    result.direction = direction;
    result.margin = margin;
    result.family = std::move(family);
    return result;
}

GroupKeys of_position(const char* position) {
    return {{"position", position}};
}
GroupKeys of_theta(const std::string& theta) {
    return {{"position", "learned+rope"}, {"theta", theta}};
}

PlannedRow unreachable(const char* what, const char* measure, const char* needs) {
    PlannedRow row;
    row.claim = "cause";
    row.keys = {{"position", what}};
    row.measure = measure;
    row.out_of_reach = needs;
    return row;
}

void add_rows(SheetPlan& plan, const std::string& measure, const char* claim, int slower) {
    const json& table = theta_paper().at("table_3");
    const json& plain = theta_paper().at("template");
    const auto n = theta_paper().at("n").get<std::int64_t>();
    const GroupKeys baseline = of_theta("10000");
    const Sample paper_baseline = published_sample(row_of_theta(table, 10000).at(measure), n);
    for (const std::string& theta : theta_paper_bases()) {
        const json keys = {{"position", "learned+rope"}, {"theta", parse_number(theta)}};
        PlannedRow row = theta == "10000" ? shown_row(keys, measure, baseline)
                                          : compared_row(claim, keys, measure, of_theta(theta), baseline,
                                                         rule(VerdictRule::Kind::difference, slower, measure));
        row.paper = published_sample(row_of_theta(table, parse_number(theta)).at(measure), n);
        row.paper_baseline = paper_baseline;
        plan.rows.push_back(std::move(row));
    }
    // Rotation itself against its absence: what would look like "every other θ" were the baseline a model without.
    PlannedRow learned = shown_row({{"position", "learned"}}, measure, of_position("learned"));
    learned.paper = published_sample(plain.at(measure), plain.at("n").get<std::int64_t>());
    plan.rows.push_back(std::move(learned));
    const std::string family = "rotation, " + measure;
    plan.rows.push_back(compared_row("cause", {{"position", "learned+rope"}, {"theta", 10000}, {"against", "learned"}},
                                     measure, baseline, of_position("learned"),
                                     rule(VerdictRule::Kind::difference, slower, family)));
    plan.rows.push_back(compared_row("cause", {{"position", "rope"}, {"theta", 10000}, {"against", "learned"}}, measure,
                                     of_position("rope"), of_position("learned"),
                                     rule(VerdictRule::Kind::difference, slower, family)));
    plan.rows.push_back(unreachable(
        "rope, cos and sin at every call", measure.c_str(),
        "It takes a model that computes cos and sin at every call; this engine reads them from one table."));
    plan.rows.push_back(unreachable(
        "op by op", measure.c_str(),
        "It takes an eager model, batch 1, no cache, whose kernels are counted one by one; this engine fuses them."));
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
    plan.notes.push_back(theta_paper().at("template").at("source").get<std::string>() +
                         ": set beside the runs with learned positions alone.");
    plan.experiment.set("data", {text});
    std::vector<std::map<std::string, std::string>> runs = {{{"position", "learned"}}, {{"position", "rope"}}};
    for (const std::string& theta : theta_paper_bases()) runs.push_back(of_theta(theta));
    plan.experiment.set_explicit_runs(std::move(runs));
    plan.one_by_one = true;
    plan.writing.samples = paper ? 10 : smoke ? 1 : 5;
    plan.writing.length = smoke ? 20 : 500;
    add_rows(plan, "seconds", "longer-training", +1);
    add_rows(plan, written_per_second, "slower-writing", -1);
    return plan;
}

}  // namespace ropelab
