#include "core/lecture/class/answer_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/results/results_cells.h"

namespace ropelab {

namespace {

std::string group_name(const AnswerRecord& answer) {
    return answer.group.empty() ? answer.created.substr(0, 4) : answer.group;
}

bool asks_the_same(const AnsweredQuestion& question, const AnswerRecord& answer) {
    return question.lecture == answer.lecture && question.scene == answer.scene &&
           question.question == answer.question && question.kind == answer.kind;
}

// Over people; NaN if there are none.
double median_distance(const AnswerGroup& group) {
    std::vector<double> distances;
    for (const AnswerRecord& answer : group.answers) {
        if (std::isfinite(answer.distance)) {
            distances.insert(distances.end(), static_cast<std::size_t>(answer.people), answer.distance);
        }
    }
    if (distances.empty()) return AnswerRecord{}.distance;
    std::sort(distances.begin(), distances.end());
    const std::size_t middle = distances.size() / 2;
    return distances.size() % 2 == 1 ? distances[middle] : (distances[middle - 1] + distances[middle]) / 2;
}

std::string answer_percent(double share) {
    return std::to_string(std::lround(100 * share)) + " %";
}

std::string distance_text(double distance) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.4g", distance);
    return short_number(parse_number(digits.data()));
}

std::string line_of(const AnswerGroup& group) {
    std::string line =
        "  " + group.name + ": " + std::to_string(group.right) + " of " + std::to_string(group.people) + " right (" +
        answer_percent(static_cast<double>(group.right) / static_cast<double>(group.people)) + ", 95 % interval " +
        answer_percent(group.right_interval.low) + " to " + answer_percent(group.right_interval.high) + ")";
    if (const double distance = median_distance(group); std::isfinite(distance)) {
        line += ", median distance " + distance_text(distance);
        const auto unit = parse_bounded(group.answers.back().details).value("unit", std::string());
        if (!unit.empty()) line += " " + unit;
    }
    return line + "\n";
}

nlohmann::json answer_json(const AnswerRecord& answer) {
    return {{"given", parse_bounded(answer.given)},
            {"right", answer.right},
            {"distance", json_number(answer.distance)},
            {"people", answer.people},
            {"created", answer.created}};
}

nlohmann::json group_json(const AnswerGroup& group) {
    return {{"group", group.name},
            {"people", group.people},
            {"right", group.right},
            {"right_interval", {group.right_interval.low, group.right_interval.high}},
            {"answers", json_list(group.answers, answer_json)}};
}

nlohmann::json question_json(const AnsweredQuestion& question) {
    return {{"number", question.number},
            {"lecture", question.lecture},
            {"scene", question.scene},
            {"question", question.question},
            {"kind", question.kind},
            {"truth", parse_bounded(question.truth)},
            {"groups", json_list(question.groups, group_json)}};
}

}  // namespace

std::int64_t AnswerGroup::people_who_gave(const std::string& given) const {
    std::int64_t count = 0;
    for (const AnswerRecord& answer : answers) count += answer.given == given ? answer.people : 0;
    return count;
}

std::vector<std::string> AnsweredQuestion::choices() const {
    std::vector<std::string> result;
    const auto add = [&](const nlohmann::json& choice) {
        if (!choice.is_string()) return;
        const std::string text = choice.get<std::string>();
        if (std::find(result.begin(), result.end(), text) == result.end()) result.push_back(text);
    };
    const nlohmann::json described = parse_bounded(details);
    if (described.contains("choices")) {
        for (const nlohmann::json& choice : described["choices"]) add(choice);
    }
    for (const AnswerGroup& group : groups) {
        for (const AnswerRecord& answer : group.answers) add(parse_bounded(answer.given));
    }
    return result;
}

std::vector<AnsweredQuestion> answered_questions(const std::vector<AnswerRecord>& answers) {
    std::vector<AnsweredQuestion> result;
    for (const AnswerRecord& answer : answers) {
        auto question = std::find_if(result.begin(), result.end(),
                                     [&](const AnsweredQuestion& known) { return asks_the_same(known, answer); });
        if (question == result.end()) {
            const int number = static_cast<int>(result.size()) + 1;
            result.push_back({number, answer.lecture, answer.scene, answer.question, answer.kind, {}, {}, {}});
            question = std::prev(result.end());
        }
        question->truth = answer.truth;
        question->details = answer.details;
        const std::string name = group_name(answer);
        auto group = std::find_if(question->groups.begin(), question->groups.end(),
                                  [&](const AnswerGroup& known) { return known.name == name; });
        if (group == question->groups.end()) {
            question->groups.push_back({name, {}, 0, 0, {}});
            group = std::prev(question->groups.end());
        }
        group->answers.push_back(answer);
        group->people += answer.people;
        group->right += answer.right ? answer.people : 0;
    }
    for (AnsweredQuestion& question : result) {
        for (AnswerGroup& group : question.groups) group.right_interval = clopper_pearson(group.right, group.people);
    }
    return result;
}

std::string answers_text(const std::vector<AnsweredQuestion>& questions) {
    if (questions.empty()) return "The lab file stores no answers to questions of lectures.\n";
    std::string text;
    for (const AnsweredQuestion& question : questions) {
        text += std::to_string(question.number) + ". " + question.question + " (" + question.lecture + ", " +
                question.scene + ")\n";
        for (const AnswerGroup& group : question.groups) text += line_of(group);
    }
    return text;
}

std::string answers_csv(const std::vector<AnsweredQuestion>& questions) {
    Table table{Table::columns_of({"lecture", "scene", "question", "kind", "group", "given", "truth", "right",
                                   "distance", "people", "created"},
                                  "l"),
                {}};
    for (const AnsweredQuestion& question : questions) {
        for (const AnswerGroup& group : question.groups) {
            for (const AnswerRecord& answer : group.answers) {
                table.rows.push_back({question.lecture, question.scene, question.question, question.kind, group.name,
                                      answer.given, answer.truth, answer.right ? "true" : "false",
                                      csv_number(answer.distance), std::to_string(answer.people), answer.created});
            }
        }
    }
    return table.csv();
}

nlohmann::json answers_json(const std::vector<AnsweredQuestion>& questions) {
    return {{"questions", json_list(questions, question_json)}};
}

}  // namespace ropelab
