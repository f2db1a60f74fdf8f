#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/stats/proportion.h"
#include "core/store/lab_file.h"

namespace ropelab {

struct AnswerGroup {
    std::string name;  // name of the group; without one, the year of the answers
    std::vector<AnswerRecord> answers;
    std::int64_t people = 0;        // number of people who answered
    std::int64_t right = 0;         // number of them whose answer was right
    Interval right_interval{0, 1};  // 95 % Clopper–Pearson interval of the share of right answers

    /// `given`: a JSON text.
    std::int64_t people_who_gave(const std::string& given) const;
};

struct AnsweredQuestion {
    int number = 0;  // from 1, in the order of the first answers of the lab
    std::string lecture;
    std::string scene;
    std::string question;
    std::string kind;                 // as in AnswerRecord
    std::string truth;                // of the latest answer
    std::string details;              // of the latest answer
    std::vector<AnswerGroup> groups;  // in the order of their first answers

    /// Also choices of earlier versions that were given.
    std::vector<std::string> choices() const;
};

/// By lecture, scene, question and group, in the order of the first answer to each.
std::vector<AnsweredQuestion> answered_questions(const std::vector<AnswerRecord>& answers);

/// One line per question and group: people, right answers with 95 % interval, and median distance.
std::string answers_text(const std::vector<AnsweredQuestion>& questions);
/// One line per answer (RFC 4180).
std::string answers_csv(const std::vector<AnsweredQuestion>& questions);
/// {"questions": […]}.
nlohmann::json answers_json(const std::vector<AnsweredQuestion>& questions);

}  // namespace ropelab
