// The sheet encodings trains the position encodings of table 1 of the theta paper, Huang et al. 2025. The table has no
// losses, so the claims of this sheet are questions of this program.
#include "core/reproduce/sheets/building.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/sheets/published.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr const char* no_encoding = "none";
constexpr const char* reference_encoding = "sinusoidal";  // the oldest one, and absolute
// The control shows that positions help these models, where a group's encoding does not.
constexpr const char* control_encoding = "rope";
constexpr double encoding_loss_margin = 0.005;
// Relevant part of the increase of the loss at four times the context, which is a small number itself.
constexpr double rise_margin = 0.05;
constexpr std::int64_t encoding_seeds = 10;
constexpr std::int64_t encoding_paper_seeds = 3;  // as in the paper's protocol

// Encodings that the table does not name, shown beside it.
const std::vector<std::string>& further_encodings() {
    static const std::vector<std::string> all = {"alibi", "t5", no_encoding};
    return all;
}

GroupKeys group_with(const std::string& position, const std::string& steps) {
    return {{"position", position}, {"iterations", steps}};
}

// Shows a table row's own words beside the encoding.
json keys_with(const std::string& data, const json& row, const std::string& steps) {
    return {{"data", data},
            {"position", row.at("position")},
            {"type", row.at("type")},
            {"hyperparameter", row.at("hyperparameter")},
            {"iterations", parse_number(steps)}};
}

// A model with learned embeddings has no positions beyond its context.
bool extends(const std::string& position) {
    return position != "learned";
}

// Adds the rows that compare the models after one length of training.
void add_length(SheetPlan& plan, const std::string& data, const std::string& steps) {
    const char* const loss = "best_validation_loss";
    const std::string after = ", " + steps + " steps";
    const VerdictRule lower = rule_of(VerdictRule::Kind::difference, -1, encoding_loss_margin, loss + after);
    const VerdictRule less = rule_of(VerdictRule::Kind::difference, -1, rise_margin, extension_rise + after);
    for (const json& row : theta_paper().at("table_1")) {
        plan.rows.push_back(compared_row("positions-help", keys_with(data, row, steps), loss,
                                         group_with(row.at("position").get<std::string>(), steps),
                                         group_with(no_encoding, steps), lower));
        plan.rows.back().control = group_with(no_encoding, steps);
        plan.rows.back().control_reference = group_with(control_encoding, steps);
    }
    const auto show = [&](const char* measure, const std::string& position) {
        plan.rows.push_back(shown_row({{"data", data}, {"position", position}, {"iterations", parse_number(steps)}},
                                      measure, group_with(position, steps)));
    };
    for (const std::string& position : further_encodings()) show(loss, position);
    for (const json& row : theta_paper().at("table_1")) {
        const auto position = row.at("position").get<std::string>();
        if (!extends(position) || position == reference_encoding) continue;
        plan.rows.push_back(compared_row("relative-extends", keys_with(data, row, steps), extension_rise,
                                         group_with(position, steps), group_with(reference_encoding, steps), less));
    }
    show(extension_rise, reference_encoding);
    for (const std::string& position : further_encodings()) show(extension_rise, position);
}

}  // namespace

SheetPlan plan_encodings(const SheetRequest& request) {
    const bool paper = request.scale == SheetScale::paper;
    SheetPlan plan = begin_plan("encodings", request, theta_paper(), paper ? encoding_paper_seeds : encoding_seeds);
    const auto lengths = training_lengths(request.scale, 5000);
    plan.claims = {
        {"positions-help", "Each encoding of the table gives a lower best validation loss than no position encoding, " +
                               lengths_words(lengths) +
                               " (a question of this program; the paper's table has no losses)."},
        {"relative-extends",
         "At four times the training context, the loss of each relative encoding of the table increases less than that "
         "of sinusoidal embeddings, " +
             lengths_words(lengths) + " (a question of this program; the paper does not evaluate longer contexts)."}};
    const auto sets = data_for({"tinyshakespeare"}, request, plan.notes);
    const std::string data = sets.front().data;
    plan.notes.push_back(
        "Table 1 of the paper lists six encodings with their type and main hyperparameter, and "
        "says in words how much its tuning and its efficiency have been studied. It prints no losses and no speeds, so "
        "no published number is compared here, and no claim of the paper "
        "is tested. ALiBi, T5's bias and no encoding are not in the table and are shown beside it.");
    plan.notes.push_back(
        "The hyperparameters have their defaults: relative_clip for Shaw's clipping distance, theta for RoPE, "
        "xpos_scale_base for xPos. Transformer-XL's recurrence over segments is not part of its encoding, so this "
        "sheet trains none.");
    plan.notes.push_back(
        "Losses at longer contexts are measured without further training. Learned embeddings have none, because they "
        "end with the context.");
    plan.notes.push_back(lengths_note);
    if (paper) {
        set_all(plan.experiment, theta_paper_shape());
    } else {
        set_all(plan.experiment, request.scale == SheetScale::smoke ? smoke_shape() : laptop_shape());
        if (request.scale == SheetScale::laptop) {
            set_all(plan.experiment, {{"context", {"128"}}, {"batch", {"8"}}, {"evaluate_every", {"200"}}});
        }
    }
    set_all(plan.experiment, {{"position", {}}, {"iterations", {}}, {"data", {data}}});
    std::vector<std::map<std::string, std::string>> runs;
    for (const std::string& steps : lengths) {
        for (const json& row : theta_paper().at("table_1"))
            runs.push_back(group_with(row.at("position").get<std::string>(), steps));
        for (const std::string& position : further_encodings()) runs.push_back(group_with(position, steps));
    }
    plan.experiment.set_explicit_runs(std::move(runs));
    plan.extensions = {1, 2, 4};

    for (const std::string& steps : lengths) add_length(plan, data, steps);
    mark_untestable(plan, sets.front());
    add_power_note(plan);
    return plan;
}

}  // namespace ropelab
