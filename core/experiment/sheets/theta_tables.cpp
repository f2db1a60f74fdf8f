// The theta paper's tables 2 and 3 (and its figures 1 and 2, which plot table 2).
#include "core/experiment/sheets/building.h"
#include "core/experiment/sheets/measuring.h"
#include "core/experiment/sheets/predictions.h"
#include "core/experiment/sheets/published.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr std::int64_t usual_seeds = 10;
constexpr std::int64_t paper_seeds = 3;  // its protocol, to the letter
// Half of the smallest improvement that the paper calls significant (0.5 %).
constexpr double loss_margin = 0.0025;
// The paper's differences are 11 % of training time and 45 % of speed.
constexpr double speed_margin = 0.05;

SheetPlan begin(const char* name, const SheetRequest& request) {
    const bool paper = request.scale == SheetScale::paper;
    SheetPlan plan = begin_plan(name, request, theta_paper(), paper ? paper_seeds : usual_seeds);
    if (paper) {
        set_all(plan.experiment, theta_paper_shape());
    } else {
        set_all(plan.experiment, request.scale == SheetScale::smoke ? smoke_shape() : laptop_shape());
        plan.experiment.set("position", {"learned+rope"});
    }
    plan.experiment.set("theta", theta_paper_bases());
    plan.writing.samples = paper ? 10 : request.scale == SheetScale::laptop ? 3 : 1;
    plan.writing.length = paper ? 500 : request.scale == SheetScale::laptop ? 200 : 20;
    return plan;
}

GroupKeys group_of(const std::string& data, const std::string& theta) {
    return {{"data", data}, {"theta", theta}};
}

// A measure at every base against θ = 10,000; `table` is the paper's, null where nothing may be set beside ours.
void add_rows(SheetPlan& plan, const SheetText& text, const std::string& measure, const std::string& claim,
              const VerdictRule& how, const json& table) {
    const auto n = theta_paper().at("n").get<std::int64_t>();
    for (const std::string& theta : theta_paper_bases()) {
        const double number = parse_number(theta);
        const json keys = {{"data", text.data}, {"asked", text.asked}, {"theta", number}};
        PlannedRow row = theta == "10000" ? shown_row(keys, measure, group_of(text.data, theta))
                                          : compared_row(claim, keys, measure, group_of(text.data, theta),
                                                         group_of(text.data, "10000"), how);
        if (!table.is_null()) {
            const json& published = row_of_theta(table, number);
            row.paper = published_sample(published.at(measure), n);
            row.paper_baseline = published_sample(row_of_theta(table, 10000).at(measure), n);
            if (measure == "best_validation_loss") {
                row.paper_printed = -published.at("improvement_percent").get<double>();
            }
        }
        plan.rows.push_back(std::move(row));
    }
}

std::vector<GroupKeys> groups_but(const std::string& data, const std::string& left_out) {
    std::vector<GroupKeys> groups;
    for (const std::string& theta : theta_paper_bases()) {
        if (theta != left_out) groups.push_back(group_of(data, theta));
    }
    return groups;
}

void predict(SheetPlan& plan, const std::vector<SheetText>& texts) {
    const RunSpec first = plan.experiment.expand().front();
    predict_for_bases(plan, {{"data", texts.front().data}}, theta_paper_bases(), first.head_dim(), first.context, "",
                      "The paper's models also learn positions, which end with the context: there is no loss beyond.");
    const std::string theory = "the theta paper's own claims";
    for (const SheetText& text : texts) {
        plan.predictions.push_back(prediction_of_order(
            theory, "θ = 10000 has the highest loss of the six bases on " + text.data + ".", "best_validation_loss",
            groups_but(text.data, "10000"), {group_of(text.data, "10000")}));
        const std::string best = text.asked == "enwik8" ? "50000" : "5000";
        plan.predictions.push_back(
            prediction_of_order(theory, "θ = " + best + " has the lowest loss of the six bases on " + text.data + ".",
                                "best_validation_loss", {group_of(text.data, best)}, groups_but(text.data, best)));
    }
}

std::vector<std::string> data_of(const std::vector<SheetText>& texts) {
    std::vector<std::string> names;
    for (const SheetText& text : texts) names.push_back(text.data);
    return names;
}

}  // namespace

SheetPlan plan_theta_table_2(const SheetRequest& request) {
    SheetPlan plan = begin("theta-table-2", request);
    plan.claims = {
        {"lower-loss", "Every θ other than 10,000 reaches a lower best validation loss than θ = 10,000, on each text."},
        {"slower-writing", "Every θ other than 10,000 writes at about half the speed of θ = 10,000."}};
    const auto texts = texts_for({"tinyshakespeare", "enwik8", "text8"}, request, plan.notes);
    plan.experiment.set("data", data_of(texts));
    const json& table = theta_paper().at("table_2");
    for (const SheetText& text : texts) {
        const json published = text.whole ? table.at(text.asked) : json();
        add_rows(plan, text, "best_validation_loss", "lower-loss",
                 rule_of(VerdictRule::Kind::difference, -1, loss_margin, "loss, all texts"), published);
    }
    for (const SheetText& text : texts) {
        const json published = text.whole ? table.at(text.asked) : json();
        add_rows(plan, text, written_per_second, "slower-writing",
                 rule_of(VerdictRule::Kind::difference, -1, speed_margin, "speed, all texts"), published);
    }
    predict(plan, texts);
    return plan;
}

SheetPlan plan_theta_table_3(const SheetRequest& request) {
    SheetPlan plan = begin("theta-table-3", request);
    plan.claims = {
        {"lower-loss", "Every θ other than 10,000 reaches a lower best validation loss than θ = 10,000."},
        {"lower-training-loss", "Every θ other than 10,000 ends at a lower training loss."},
        {"higher-final-loss", "Every θ other than 10,000 ends at a higher validation loss (as the table prints it)."},
        {"longer-training", "Every θ other than 10,000 takes about 11 % longer to train."},
        {"slower-writing", "Every θ other than 10,000 writes at about half the speed."}};
    const auto texts = texts_for({"tinyshakespeare"}, request, plan.notes);
    plan.experiment.set("data", data_of(texts));
    plan.one_by_one = true;
    const json table = texts.front().whole ? theta_paper().at("table_3") : json();
    const auto add = [&](const std::string& measure, const char* claim, int direction, double margin) {
        add_rows(plan, texts.front(), measure, claim,
                 rule_of(VerdictRule::Kind::difference, direction, margin, measure), table);
    };
    add("best_validation_loss", "lower-loss", -1, loss_margin);
    add("final_training_loss", "lower-training-loss", -1, loss_margin);
    add("final_validation_loss", "higher-final-loss", +1, loss_margin);
    add("seconds", "longer-training", +1, speed_margin);
    add(written_per_second, "slower-writing", -1, speed_margin);
    predict(plan, texts);
    return plan;
}

}  // namespace ropelab
