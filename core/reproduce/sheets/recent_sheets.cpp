#include <set>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/reproduce/published/published.h"
#include "core/reproduce/sheets/building.h"

namespace ropelab {

using nlohmann::json;

// Sheets of 2025 and 2026, which are data: resources/published/recent.json. Their sources train models that no laptop
// trains, on texts that are not known here, so none has the scale "paper".

namespace {

constexpr std::int64_t recent_seeds = 10;

// One group after one length of training, "" for that of the scale.
GroupKeys group_of(const json& sheet, const std::string& name, const std::string& steps) {
    GroupKeys group = settings_in(sheet.at("groups").at(name).get<std::string>());
    if (!steps.empty()) group["iterations"] = steps;
    return group;
}

json keys_of(const std::string& data, const GroupKeys& group) {
    static const std::set<std::string> numbers = {"iterations", "theta", "context"};
    json keys = {{"data", data}};
    for (const auto& [key, value] : group) keys[key] = numbers.contains(key) ? json(parse_number(value)) : json(value);
    keys.erase("batch");  // follows from the context
    return keys;
}

PlannedRow row_of(const json& sheet, const json& row, const std::string& data, const std::string& steps) {
    const auto group = [&](const char* which) { return group_of(sheet, row.at(which).get<std::string>(), steps); };
    const auto claim = row.at("claim").get<std::string>();
    const int direction = row.at("direction").get<int>();
    using enum VerdictRule::Kind;
    PlannedRow result =
        compared_row(claim, keys_of(data, group("group")), row.value("measure", "final_validation_loss"),
                     group("group"), group("baseline"),
                     rule_of(direction == 0 ? equivalence : difference, direction, row.at("margin").get<double>(),
                             steps.empty() ? claim : claim + ", " + steps + " steps"));
    if (row.contains("control")) {
        result.control = group("control");
        result.control_reference = group("reference");
    }
    if (row.contains("paper")) {
        result.paper = published_sample(row.at("paper"), 1);
        result.paper_baseline = published_sample(row.at("paper_baseline"), 1);
    }
    return result;
}

SheetPlan plan_of_data(const json& sheet, const SheetRequest& request) {
    const auto name = sheet.at("name").get<std::string>();
    if (request.scale == SheetScale::paper) {
        throw BadInput("The sheet " + name +
                       " has no scale \"paper\", because the text and the training of its source are not known in "
                       "full; use the scale \"laptop\".");
    }
    SheetPlan plan = begin_plan(name.c_str(), request, sheet, recent_seeds);
    std::vector<std::string> lengths = {""};
    if (sheet.contains("lengths")) {
        lengths = sheet.at("lengths").at(to_string(request.scale)).get<std::vector<std::string>>();
        plan.notes.push_back(lengths_note);
        plan.notes.push_back(untuned_note);
    }
    plan.claims = sheet.at("claims").get<std::vector<Claim>>();
    for (Claim& claim : plan.claims) {
        const std::string place = "{lengths}";
        if (const auto at = claim.words.find(place); at != std::string::npos)
            claim.words.replace(at, place.size(), lengths_words(lengths));
    }
    for (const json& note : sheet.at("notes")) plan.notes.push_back(note.get<std::string>());
    const auto requested = sheet.at("data").get<std::string>();
    const SheetData set =
        requested.empty() ? SheetData{requested, requested, true, ""} : data_for({requested}, request, plan).front();
    set_small_shape(plan, sheet.at("laptop").get<std::string>());
    if (const auto settings = sheet.at("settings").get<std::string>(); !settings.empty())
        set_all(plan.experiment, settings);
    if (!set.data.empty()) plan.experiment.set("data", {set.data});
    plan.extensions = sheet.value("extensions", std::vector<std::int64_t>());

    std::vector<std::map<std::string, std::string>> runs;
    for (const std::string& steps : lengths) {
        for (const auto& [group, words] : sheet.at("groups").items()) runs.push_back(group_of(sheet, group, steps));
    }
    for (const auto& [key, value] : runs.front()) plan.experiment.set(key, {});
    std::set<std::string> measures;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        for (const json& row : sheet.at("rows")) {
            if (row.value("length", i) != i) continue;
            plan.rows.push_back(row_of(sheet, row, set.data, lengths[i]));
            measures.insert(plan.rows.back().measure);
        }
    }
    for (const std::string& measure : measures) {
        for (const GroupKeys& group : runs) {
            const auto shows = [&](const PlannedRow& row) { return row.measure == measure && row.group == group; };
            if (std::ranges::none_of(plan.rows, shows))
                plan.rows.push_back(shown_row(keys_of(set.data, group), measure, group));
        }
    }
    plan.experiment.set_explicit_runs(std::move(runs));
    mark_untestable(plan, set);
    add_power_note(plan);
    return plan;
}

}  // namespace

std::vector<Sheet> sheets_of_data() {
    std::vector<Sheet> result;
    for (const json& sheet : recent_sheets()) {
        result.push_back({sheet.at("name").get<std::string>(), sheet.at("title").get<std::string>(),
                          [&sheet](const SheetRequest& request) { return plan_of_data(sheet, request); }});
    }
    return result;
}

}  // namespace ropelab
