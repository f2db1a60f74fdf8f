#include <utility>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/reproduce/rules/sheet.h"
#include "core/results/results_cells.h"
#include "core/sweep/lab_plan.h"

namespace ropelab {

namespace {

using nlohmann::json;

json sample_json(const std::optional<Sample>& sample) {
    if (!sample) return {};
    return {{"mean", json_number(sample->mean)}, {"std", json_number(sample->standard_deviation)}, {"n", sample->n}};
}
std::optional<Sample> sample_from(const json& value) {
    if (value.is_null()) return std::nullopt;
    return Sample{value.at("n").get<std::int64_t>(), number_or_nan(value.at("mean")), number_or_nan(value.at("std"))};
}

constexpr std::pair<VerdictRule::Kind, const char*> kind_words[] = {{VerdictRule::Kind::difference, "difference"},
                                                                    {VerdictRule::Kind::equivalence, "equivalence"},
                                                                    {VerdictRule::Kind::events, "events"},
                                                                    {VerdictRule::Kind::size, "size"},
                                                                    {VerdictRule::Kind::proportion, "proportion"}};
const char* kind_word(VerdictRule::Kind kind) {
    for (const auto& [known, word] : kind_words) {
        if (known == kind) return word;
    }
    return "";
}
VerdictRule::Kind kind_of(const std::string& word) {
    for (const auto& [kind, known] : kind_words) {
        if (known == word) return kind;
    }
    throw BadInput("\"" + word +
                   "\" is not a kind of rule; it must be difference, equivalence, events, size or proportion.");
}

std::vector<GroupKeys> current_groups(std::vector<GroupKeys> groups) {
    for (GroupKeys& group : groups) group = current_settings(group);
    return groups;
}

json rule_json(const PlannedRow& row) {
    const auto& rule = row.rule;
    if (!rule) return {};
    return {{"kind", kind_word(rule->kind)},
            {"direction", rule->direction},
            {"margin", rule->margin},
            {"test", to_string(rule->test)},
            {"alpha", rule->alpha},
            {"power", rule->power},
            {"family", rule->family},
            {"low", rule->low},
            {"high", rule->high},
            {"bound", rule->bound},
            {"version", rule->version},
            {"words", rule_words(row)}};
}
std::optional<VerdictRule> rule_from(const json& value) {
    if (value.is_null()) return std::nullopt;
    VerdictRule rule;
    rule.kind = kind_of(value.at("kind").get<std::string>());
    rule.direction = value.at("direction").get<int>();
    rule.margin = value.at("margin").get<double>();
    const auto test = test_kind(value.at("test").get<std::string>());
    if (!test)
        throw BadInput(
            "The test of a claim's rule is \"auto\", but a reproduced experiment must name it: student, welch or "
            "paired.");
    rule.test = *test;
    rule.alpha = value.at("alpha").get<double>();
    rule.power = value.at("power").get<double>();
    rule.family = value.at("family").get<std::string>();
    rule.low = value.value("low", 0.0);  // version 1 stored none of these
    rule.high = value.value("high", 0.0);
    rule.bound = value.value("bound", 0.0);
    rule.version = value.value("version", 1);
    return rule;
}

json probes_json(const std::vector<GroupProbe>& probes) {
    return json_list(probes, [](const GroupProbe& probe) -> json {
        return {{"group", probe.group},
                {"label", probe.label},
                {"near_lag", probe.near_lag},
                {"near_bound", probe.near_bound},
                {"far_lag", probe.far_lag},
                {"far_bound", probe.far_bound},
                {"control_lag", probe.control_lag},
                {"control_bound", probe.control_bound}};
    });
}
// Labs of earlier versions have no probes, or probes without a control lag.
std::vector<GroupProbe> probes_from(const json& rule) {
    std::vector<GroupProbe> result;
    const json probes = rule.value("probes", json::array());
    for (const json& entry : probes) {
        result.push_back({current_settings(entry.at("group").get<GroupKeys>()), entry.at("label").get<std::string>(),
                          entry.at("near_lag").get<std::int64_t>(), entry.at("near_bound").get<double>(),
                          entry.at("far_lag").get<std::int64_t>(), entry.at("far_bound").get<double>(),
                          entry.value("control_lag", std::int64_t{0}), entry.value("control_bound", 0.0)});
    }
    return result;
}

json retrieval_json(const std::optional<RetrievalRule>& rule) {
    if (!rule) return {};
    return {{"shortest_lag", rule->shortest_lag}, {"longest_lag", rule->longest_lag},    {"kept", rule->kept},
            {"least_gain", rule->least_gain},     {"probes", probes_json(rule->probes)}, {"version", rule->version},
            {"words", rule_words(*rule)}};
}
std::optional<RetrievalRule> retrieval_from(const json& prediction) {
    const auto found = prediction.find("retrieval");
    if (found == prediction.end() || found->is_null()) return std::nullopt;  // absent in labs of older versions
    std::vector<GroupProbe> probes = probes_from(*found);
    const int unwritten = probes.empty() ? 1 : 2;  // versions 1 and 2 stored no version
    return RetrievalRule{found->at("shortest_lag").get<std::int64_t>(),
                         found->at("longest_lag").get<std::int64_t>(),
                         found->at("kept").get<double>(),
                         found->at("least_gain").get<double>(),
                         std::move(probes),
                         found->value("version", unwritten)};
}

json planned_row_json(const PlannedRow& row) {
    return {{"claim", row.claim},
            {"keys", row.keys},
            {"measure", row.measure},
            {"group", row.group},
            {"baseline", or_null(row.baseline)},
            {"baseline_others", row.baseline_others},
            {"control", or_null(row.control)},
            {"control_reference", or_null(row.control_reference)},
            {"control_shows", row.control_shows},
            {"rule", rule_json(row)},
            {"paper", sample_json(row.paper)},
            {"paper_baseline", sample_json(row.paper_baseline)},
            {"paper_printed", or_null(row.paper_printed)},
            {"out_of_reach", row.out_of_reach},
            {"tuned", row.tuned}};
}
PlannedRow row_from(const json& value) {
    PlannedRow row;
    row.claim = value.at("claim").get<std::string>();
    row.keys = current_settings(value.at("keys"));
    row.measure = current_name(Alias::Kind::measurement, value.at("measure").get<std::string>());
    row.group = current_settings(value.at("group").get<GroupKeys>());
    if (!value.at("baseline").is_null()) row.baseline = current_settings(value.at("baseline").get<GroupKeys>());
    row.baseline_others = current_groups(value.value("baseline_others", std::vector<GroupKeys>{}));  // since version 3
    if (!value.at("control").is_null()) row.control = current_settings(value.at("control").get<GroupKeys>());
    if (const json reference = value.value("control_reference", json()); !reference.is_null()) {
        row.control_reference = current_settings(reference.get<GroupKeys>());
    }
    row.control_shows = value.value("control_shows", row.control_shows);  // since version 4
    row.rule = rule_from(value.at("rule"));
    row.paper = sample_from(value.at("paper"));
    row.paper_baseline = sample_from(value.at("paper_baseline"));
    if (!value.at("paper_printed").is_null()) row.paper_printed = value.at("paper_printed").get<double>();
    row.out_of_reach = value.at("out_of_reach").get<std::string>();
    row.tuned = value.value("tuned", false);
    return row;
}

}  // namespace

json to_json(const SheetPlan& plan) {
    return {{"sheet", plan.sheet},
            {"title", plan.title},
            {"source", plan.source},
            {"scale", to_string(plan.scale)},
            {"claims", plan.claims},
            {"notes", plan.notes},
            {"rows", json_list(plan.rows, planned_row_json)},
            {sequential_field, plan.sequential},
            {"writing", plan.writing},
            {"extensions", plan.extensions},
            {"retrieval_windows", plan.retrieval_windows}};
}

json predictions_json(const SheetPlan& plan) {
    return json_list(plan.predictions, [](const Prediction& prediction) -> json {
        return {{"theory", prediction.theory},
                {"words", prediction.words},
                {"quantity", prediction.quantity},
                {"measure", prediction.measure},
                {"low", prediction.low},
                {"high", prediction.high},
                {"chance", prediction.chance},
                {"null_model", null_model_words(prediction)},
                {"retrieval", retrieval_json(prediction.retrieval)},
                {"unmeasured", prediction.unmeasured},
                {"order_rule", prediction.order_rule}};
    });
}

std::vector<Prediction> predictions_from_json(const json& predictions) {
    try {
        std::vector<Prediction> result;
        for (const json& entry : predictions) {
            Prediction& prediction = result.emplace_back();
            prediction.theory = entry.at("theory").get<std::string>();
            prediction.words = entry.at("words").get<std::string>();
            prediction.quantity = entry.at("quantity").get<std::string>();
            prediction.measure = current_name(Alias::Kind::measurement, entry.at("measure").get<std::string>());
            prediction.low = current_groups(entry.at("low").get<std::vector<GroupKeys>>());
            prediction.high = current_groups(entry.at("high").get<std::vector<GroupKeys>>());
            prediction.chance = entry.at("chance").get<double>();
            prediction.retrieval = retrieval_from(entry);
            prediction.unmeasured = entry.at("unmeasured").get<std::string>();
            prediction.order_rule = entry.value("order_rule", 1);
        }
        return result;
    } catch (const json::exception&) {
        throw BadInput("The predictions stored in this lab file are malformed; the file is damaged.");
    }
}

SheetPlan sheet_plan_from_json(const json& sheet, const json& predictions, const json& experiment) {
    try {
        SheetPlan plan;
        plan.sheet = sheet.at("sheet").get<std::string>();
        plan.title = sheet.at("title").get<std::string>();
        plan.source = sheet.at("source").get<std::string>();
        plan.scale = sheet_scale(sheet.at("scale").get<std::string>());
        sheet.at("claims").get_to(plan.claims);
        plan.notes = sheet.at("notes").get<std::vector<std::string>>();
        for (const json& row : sheet.at("rows")) plan.rows.push_back(row_from(row));
        plan.sequential = sheet.at(sequential_field).get<bool>();
        sheet.at("writing").get_to(plan.writing);
        plan.extensions = sheet.at("extensions").get<std::vector<std::int64_t>>();
        plan.retrieval_windows = sheet.value("retrieval_windows", std::int64_t{0});
        plan.predictions = predictions_from_json(predictions);
        plan.experiment = Experiment::from_json(experiment);
        return plan;
    } catch (const json::exception&) {
        throw BadInput("The reproduction stored in this lab file is malformed; the file is damaged.");
    }
}

}  // namespace ropelab
