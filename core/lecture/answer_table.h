#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/stats/proportion.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// The answers of one group to one question.
struct AnswerGroup {
    std::string name;  // name of the group; without one, the year of the answers
    std::vector<AnswerRecord> answers;
    std::int64_t people = 0;        // number of people who answered
    std::int64_t right = 0;         // number of them whose answer was right
    Interval right_interval{0, 1};  // 95 % Clopper–Pearson interval of the share of right answers

    /// Returns how many people gave this answer, a JSON text.
    std::int64_t people_who_gave(const std::string& given) const;
};

/// A question of a lecture with its answers, by group.
struct AnsweredQuestion {
    int number = 0;  // from 1, in the order of the first answers of the lab
    std::string lecture;
    std::string scene;
    std::string question;
    std::string kind;                 // as in AnswerRecord
    std::string truth;                // of the latest answer
    std::string details;              // of the latest answer
    std::vector<AnswerGroup> groups;  // in the order of their first answers

    /// Returns the choices of a question of kind "choice", including choices of earlier versions that were given.
    std::vector<std::string> choices() const;
};

/// Groups answers by lecture, scene, question and group, in the order of the first answer to each.
std::vector<AnsweredQuestion> answered_questions(const std::vector<AnswerRecord>& answers);

/// Returns a text table with one line per question and group: people, right answers with their 95 % interval, and the
/// median distance of numbers and curves.
std::string answers_text(const std::vector<AnsweredQuestion>& questions);
/// Returns a CSV table with one line per answer (RFC 4180).
std::string answers_csv(const std::vector<AnsweredQuestion>& questions);
/// Returns all questions, groups and answers as a JSON object {"questions": […]}.
nlohmann::json answers_json(const std::vector<AnsweredQuestion>& questions);

}  // namespace ropelab
