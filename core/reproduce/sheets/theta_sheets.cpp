#include "core/reproduce/published/published.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/rules/predictions.h"
#include "core/reproduce/sheets/building.h"
#include "core/results/results_cells.h"

namespace ropelab {

// theta-table-2 and theta-table-3 test tables 2 and 3 of Huang et al. 2025 (figures 1 and 2 plot table 2).

namespace {

using nlohmann::json;

constexpr std::int64_t usual_seeds = 10;
constexpr std::int64_t paper_seeds = 3;  // as in the paper's protocol
// Margins are half of the smallest difference that the paper prints for a claim, so that no printed difference lies
// within them: 0.07 % of the best validation loss (table 2, θ = 500 on Tiny Shakespeare), 2.07 % of the final
// validation loss and 3.90 % of the final training loss (table 3, θ = 20,000 and θ = 500).
constexpr double best_loss_margin = 0.00035;
constexpr double final_loss_margin = 0.01;
constexpr const char* rotated = "learned+rope";  // the paper's models learn positions and rotate
// The control has no position encoding at all. Learned positions alone are no control: with them the paper's code
// template prints a best validation loss of 1.4655 on Tiny Shakespeare, which is lower than that of all six bases.
constexpr const char* without_positions = "none";

void set_shape(SheetPlan& plan, std::string_view at_laptop = "") {
    if (plan.scale != SheetScale::paper) return set_small_shape(plan, at_laptop);
    const Experiment& published = preset("theta-paper").experiment;
    for (const Key& known : keys()) {
        if (published.is_set(known.name) && known.name != "seed" && known.name != "data" && known.name != "theta") {
            plan.experiment.set(known.name, published.values(known.name));
        }
    }
}

SheetPlan begin(const char* name, const SheetRequest& request) {
    const bool paper = request.scale == SheetScale::paper;
    SheetPlan plan = begin_plan(name, request, theta_paper(), paper ? paper_seeds : usual_seeds);
    set_shape(plan);
    plan.experiment.set("position", {});
    std::vector<std::map<std::string, std::string>> runs;
    for (const std::string& theta : theta_paper_bases()) runs.push_back({{"theta", theta}, {"position", rotated}});
    runs.push_back({{"position", without_positions}});
    plan.experiment.set_explicit_runs(std::move(runs));
    plan.notes.push_back(
        "The control of the losses (the group that must be worse if the test works) is the same model without any "
        "position encoding. A row requires the control only if its two losses do not differ significantly. The paper's "
        "table 2 prints 15 losses of other bases: the ten on enwik8 and text8 differ significantly from the loss of θ "
        "= 10,000 (Welch's test, Holm's correction), and the five on Tiny Shakespeare do not. The paper prints no loss "
        "without position encoding. Times and speeds have no control, because their rules claim a range of the ratio "
        "and not equality.");
    plan.notes.push_back(
        "Each difference that the paper prints is larger than the margin of its row, so that equivalence within the "
        "margin cannot refute a claim that is true at the printed size. The smallest printed difference of the best "
        "validation loss is 0.07 % (θ = 500 on Tiny Shakespeare), and its margin is 0.035 %, which ten seeds rarely "
        "resolve. A row with less evidence stays undecided, and a significant difference in the other direction "
        "refutes it.");
    plan.notes.push_back(
        "The paper's own test, a two-tailed t test of the means without correction, is repeated on the runs of this "
        "lab (p, Student) and on the printed numbers. It does not enter the verdict.");
    const bool smoke = request.scale == SheetScale::smoke;
    plan.writing.samples = smoke ? 1 : 10;  // as in the paper's protocol
    plan.writing.length = smoke ? 20 : 500;
    return plan;
}

GroupKeys group_of(const std::string& data, const std::string& theta) {
    return {{"data", data}, {"theta", theta}, {"position", rotated}};
}

// A row per base, against θ = 10,000. `table` is null if the paper's numbers are not comparable.
void add_rows(SheetPlan& plan, const SheetData& set, const std::string& measure, const std::string& claim,
              const VerdictRule& rule, const json& table) {
    const auto n = theta_paper().at("n").get<std::int64_t>();
    const std::size_t first = plan.rows.size();
    for (const std::string& theta : theta_paper_bases()) {
        const double number = parse_number(theta);
        const json keys = {{"data", set.data}, {"asked", set.requested}, {"theta", number}};
        PlannedRow row = theta == "10000" ? shown_row(keys, measure, group_of(set.data, theta))
                                          : compared_row(claim, keys, measure, group_of(set.data, theta),
                                                         group_of(set.data, "10000"), rule);
        if (row.rule && rule.kind == VerdictRule::Kind::difference) {
            row.control = GroupKeys{{"data", set.data}, {"position", without_positions}};
        }
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
    mark_untestable(plan, set, first);
}

std::vector<GroupKeys> groups_but(const std::string& data, const std::string& left_out) {
    std::vector<GroupKeys> groups;
    for (const std::string& theta : theta_paper_bases()) {
        if (theta != left_out) groups.push_back(group_of(data, theta));
    }
    return groups;
}

void predict(SheetPlan& plan, const std::vector<SheetData>& sets) {
    const RunSpec first = plan.experiment.expand().front();
    predict_for_bases(plan, {{"data", sets.front().data}, {"position", rotated}}, theta_paper_bases(), first.head_dim(),
                      first.context, "",
                      "The paper's models also have learned position embeddings, which end with the training context, "
                      "so they have no loss at longer contexts.",
                      first.learns_positions() ? bound_with_learned_positions : "");
    const std::string theory = "claims of Huang et al. 2025";
    for (const SheetData& set : sets) {
        if (!set.missing.empty()) continue;  // the paper says nothing about the substitute
        plan.predictions.push_back(
            prediction_of_order(theory, "θ = 10000 has the highest loss of the six bases on " + set.data + ".",
                                "best_validation_loss", groups_but(set.data, "10000"), {group_of(set.data, "10000")}));
        const std::string best = set.requested == "enwik8" ? "50000" : "5000";
        plan.predictions.push_back(
            prediction_of_order(theory, "θ = " + best + " has the lowest loss of the six bases on " + set.data + ".",
                                "best_validation_loss", {group_of(set.data, best)}, groups_but(set.data, best)));
    }
}

std::vector<std::string> data_of(const std::vector<SheetData>& sets) {
    std::vector<std::string> names;
    for (const SheetData& set : sets) names.push_back(set.data);
    return names;
}

}  // namespace

SheetPlan plan_theta_table_2(const SheetRequest& request) {
    SheetPlan plan = begin("theta-table-2", request);
    plan.claims = {
        {"lower-loss", "Every θ other than 10,000 has a lower best validation loss than θ = 10,000, on each data set."},
        {"slower-writing",
         "Generation with every θ other than 10,000 is about half as fast as with θ = 10,000 (0.4 to 0.6 of its "
         "speed; the paper's table prints 0.42 to 0.55)."}};
    const auto sets = data_for({"tinyshakespeare", "enwik8", "text8"}, request, plan);
    plan.experiment.set("data", data_of(sets));
    const json& table = theta_paper().at("table_2");
    for (const SheetData& set : sets) {
        const json published = set.whole ? table.at(set.requested) : json();
        add_rows(plan, set, "best_validation_loss", "lower-loss",
                 difference_rule(-1, best_loss_margin, "loss, all texts"), published);
    }
    for (const SheetData& set : sets) {
        const json published = set.whole ? table.at(set.requested) : json();
        add_rows(plan, set, generated_per_second, "slower-writing", size_rule(half_low, half_high, "speed, all texts"),
                 published);
    }
    add_power_note(plan);
    predict(plan, sets);
    return plan;
}

SheetPlan plan_theta_table_3(const SheetRequest& request) {
    SheetPlan plan = begin("theta-table-3", request);
    plan.claims = {
        {"lower-loss", "Every θ other than 10,000 has a lower best validation loss than θ = 10,000."},
        {"lower-training-loss", "Every θ other than 10,000 has a lower final training loss than θ = 10,000."},
        {"higher-final-loss",
         "Every θ other than 10,000 has a higher final validation loss than θ = 10,000 (as in the paper's table)."},
        {"longer-training",
         "Training takes about 11 % longer with every θ other than 10,000 than with θ = 10,000 (6 to 16 %; the paper's "
         "table prints 10.8 to 11.9 %)."},
        {"slower-writing",
         "Generation with every θ other than 10,000 is about half as fast as with θ = 10,000 (0.4 to 0.6 of its "
         "speed; the paper's table prints 0.55)."}};
    const auto sets = data_for({"tinyshakespeare"}, request, plan);
    plan.experiment.set("data", data_of(sets));
    plan.sequential = true;
    plan.notes.push_back(order_note);
    const json table = sets.front().whole ? theta_paper().at("table_3") : json();
    const auto add = [&](const std::string& measure, const char* claim, const VerdictRule& rule) {
        add_rows(plan, sets.front(), measure, claim, rule, table);
    };
    const auto direction = [&](const std::string& measure, int sign, double margin) {
        return difference_rule(sign, margin, measure);
    };
    add("best_validation_loss", "lower-loss", direction("best_validation_loss", -1, best_loss_margin));
    add("final_training_loss", "lower-training-loss", direction("final_training_loss", -1, final_loss_margin));
    add("final_validation_loss", "higher-final-loss", direction("final_validation_loss", +1, final_loss_margin));
    add("seconds", "longer-training", size_rule(eleven_percent_low, eleven_percent_high, "seconds"));
    add(generated_per_second, "slower-writing", size_rule(half_low, half_high, generated_per_second));
    add_power_note(plan);
    predict(plan, sets);
    return plan;
}

// theta-speed tests possible causes of "half the speed" in Huang et al. 2025: learned positions, rotation, base.

namespace {

constexpr double slowdown_margin = 0.05;
constexpr const char* data_set = "synthetic";  // the text does not affect the speed

// `usual` is the default; `eager` and rope_cache false are what plain programs do.
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

// Implementation keys only if they differ from `usual`.
json shown_keys(const GroupKeys& group) {
    json keys = {{"position", group.at("position")}};
    if (group.contains("theta")) keys["theta"] = parse_number(group.at("theta"));
    if (group.at("operations") != usual.operations) keys["operations"] = group.at("operations");
    if (group.at("rope_cache") != usual.rope_cache) keys["rope_cache"] = group.at("rope_cache") == "true";
    return keys;
}

// Rotate q and k, in every implementation.
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
std::vector<GroupKeys> groups_without_rotation() {
    return {position_group("learned"), position_group("learned", eager)};
}

std::vector<GroupKeys> groups_of_other_bases(const Implementation& implementation) {
    std::vector<GroupKeys> groups;
    for (const std::string& theta : theta_paper_bases()) {
        if (theta != "10000") groups.push_back(theta_group(theta, implementation));
    }
    return groups;
}

// The paper's hypotheses on the computation of frequencies, cos and sin, which a table would hide.
void add_recomputing_rows(SheetPlan& plan, const std::string& measure, int slower) {
    const VerdictRule rule = difference_rule(slower, slowdown_margin, "eager without a table, " + measure);
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
    const VerdictRule slower_by_rotation = difference_rule(slower, slowdown_margin, "rotation, " + measure);
    for (const GroupKeys& group : groups_with_rotation()) {
        json keys = shown_keys(group);
        keys["against"] = "learned";
        plan.rows.push_back(compared_row("cause", std::move(keys), measure, group,
                                         position_group("learned", {group.at("operations").c_str(), usual.rope_cache}),
                                         slower_by_rotation));
    }
    add_recomputing_rows(plan, measure, slower);
}

std::string template_words() {
    const json& table = theta_paper().at("table_3");
    const json& plain = theta_paper().at("template");
    std::string words =
        "Published losses and times of θ = 10,000, of the other bases, and of the code template from which the paper "
        "started "
        "(its run 0, without rotation):";
    const auto add = [&](const std::string& measure, const char* name, int decimals) {
        const auto [low, high] = range_of_other_bases(table, measure);
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
           ". Among these values of θ = 10,000, only the final training loss is nearer to the template's value than to "
           "the value of any other base; these numbers do not show why.";
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
    set_shape(plan, "iterations=100");
    if (paper) {
        set_all(plan.experiment, "position= iterations=1000");
        plan.notes.push_back(
            "Runs train for 1,000 of the paper's 5,000 iterations, because the speed does not depend on the number of "
            "iterations.");
    }
    plan.notes.push_back(
        "The base θ only changes the entries of the cos/sin table, so that the expected ratio of the speeds at any two "
        "bases is 1.00.");
    plan.notes.push_back(order_note);
    plan.notes.push_back(
        "By default this program looks up cos and sin in a table and fuses operations. The paper's code computes cos "
        "and sin at every call, operation by operation; the settings rope_cache=false and operations=eager compute "
        "them in this way. Eager operations also generate without a KV cache. A row that ends in \"against learned\" "
        "compares rotation with learned positions alone, both computed in the same way.");
    plan.notes.push_back(
        "An operation computes or copies numbers and is about one kernel on a device: LibTorch's operations and this "
        "program's own kernels are counted. Operations are counted when they are started individually, not when a CUDA "
        "graph launches them together.");
    plan.notes.push_back(
        theta_paper().at("template").at("source").get<std::string>() +
        ": the numbers of this code template are shown next to the runs with learned positions alone.");
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

// The sheet encodings trains the position encodings of table 1 of the theta paper, Huang et al. 2025. The table has no
// losses, so the claims of this sheet are questions of this program.

namespace {

constexpr const char* no_encoding = "none";
constexpr const char* reference_encoding = "sinusoidal";  // the oldest one, and absolute
// The control shows that positions help these models, where a group's encoding does not.
constexpr const char* control_encoding = "rope";
constexpr double encoding_loss_margin = 0.005;
// Relevant part of the increase of the loss at four times the context, which is a small number itself.
constexpr double rise_margin = 0.05;
constexpr std::int64_t encoding_seeds = 10;
constexpr std::int64_t encoding_paper_seeds = 3;  // as in the paper's protocol

// Shown beside the table, which does not name them.
const std::vector<std::string>& further_encodings() {
    static const std::vector<std::string> all = {"alibi", "t5", no_encoding};
    return all;
}

GroupKeys group_with(const std::string& position, const std::string& steps) {
    return {{"position", position}, {"iterations", steps}};
}

// Table row's own words beside the encoding.
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

void add_length(SheetPlan& plan, const std::string& data, const std::string& steps) {
    const char* const loss = "best_validation_loss";
    const std::string after = ", " + steps + " steps";
    const VerdictRule lower = difference_rule(-1, encoding_loss_margin, loss + after);
    const VerdictRule less = difference_rule(-1, rise_margin, extension_rise + after);
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
        {"positions-help",
         "Each position encoding of the paper's table 1 gives a lower best validation loss than no position "
         "encoding, " +
             lengths_words(lengths) + " (a question of this program; the paper's table has no losses)."},
        {"relative-extends",
         "At four times the training context, the loss of each relative encoding of the paper's table 1 increases less "
         "than the loss of sinusoidal embeddings, " +
             lengths_words(lengths) + " (a question of this program; the paper does not evaluate longer contexts)."}};
    const auto sets = data_for({"tinyshakespeare"}, request, plan);
    const std::string data = sets.front().data;
    plan.notes.push_back(
        "Table 1 of Huang et al. lists six position encodings with their type and main hyperparameter, and says in "
        "words how much the tuning and the efficiency of each have been studied. The table prints no losses and no "
        "speeds, so no published number is compared here, and no claim of the paper is tested. ALiBi, T5's bias and no "
        "encoding are not in the table and are shown beside it.");
    plan.notes.push_back(
        "The hyperparameters have their defaults: relative_clip for Shaw's clipping distance, theta for RoPE, "
        "xpos_scale_base for xPos. Transformer-XL's recurrence over segments is not part of its encoding, so this "
        "reproduction trains none.");
    plan.notes.push_back(
        "Losses at longer contexts are measured without further training. Learned position embeddings have no such "
        "losses, because they end with the training context.");
    plan.notes.push_back(lengths_note);
    plan.notes.push_back(untuned_note);
    set_shape(plan, "context=128 batch=8 evaluate_every=200");
    if (!paper) {
        plan.notes.push_back(
            "Models of this scale have one attention head, and ALiBi's only slope is then 2⁻⁸ = 1/256: the attention "
            "logits of neighbouring keys differ by 0.004. So ALiBi is nearly a model without positions here; its "
            "losses say little about ALiBi with more heads.");
    }
    set_all(plan.experiment, "position= iterations=");
    plan.experiment.set("data", {data});
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
