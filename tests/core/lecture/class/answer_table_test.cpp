#include "core/lecture/class/answer_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ropelab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

AnswerRecord choice_of(const std::string& given, std::int64_t people, const std::string& group,
                       const std::string& created = "2026-03-01T10:00:00Z") {
    AnswerRecord answer;
    answer.lecture = "Clocks";
    answer.scene = "hands";
    answer.question = "Which hand is slowest?";
    answer.kind = "choice";
    answer.given = nlohmann::json(given).dump();
    answer.truth = "\"the last\"";
    answer.details = R"({"choices":["the first","the last"]})";
    answer.right = given == "the last";
    answer.people = people;
    answer.group = group;
    answer.created = created;
    return answer;
}

TEST(AnsweredQuestions, CountsPeopleByGroup) {
    const auto questions = answered_questions({choice_of("the first", 6, "2025"), choice_of("the last", 2, "2025"),
                                               choice_of("the last", 9, "2026"), choice_of("the middle", 1, "2026")});
    ASSERT_EQ(questions.size(), 1U);
    ASSERT_EQ(questions[0].groups.size(), 2U);
    EXPECT_EQ(questions[0].groups[0].people, 8);
    EXPECT_EQ(questions[0].groups[0].right, 2);
    EXPECT_EQ(questions[0].groups[0].people_who_gave("\"the first\""), 6);
    EXPECT_EQ(questions[0].groups[1].right, 9);
    // The exact interval of 2 of 8.
    EXPECT_NEAR(questions[0].groups[0].right_interval.low, 0.0319, 1e-3);
    EXPECT_NEAR(questions[0].groups[0].right_interval.high, 0.6509, 1e-3);
    EXPECT_THAT(questions[0].choices(), ElementsAre("the first", "the last", "the middle"));
}

TEST(AnsweredQuestions, WithoutAGroupTheYearIsItsName) {
    const auto questions = answered_questions({choice_of("the last", 1, "", "2025-03-01T10:00:00Z"),
                                               choice_of("the last", 1, "", "2026-03-01T10:00:00Z"),
                                               choice_of("the last", 1, "", "2026-04-01T10:00:00Z")});
    ASSERT_EQ(questions.size(), 1U);
    ASSERT_EQ(questions[0].groups.size(), 2U);
    EXPECT_EQ(questions[0].groups[0].name, "2025");
    EXPECT_EQ(questions[0].groups[1].people, 2);
}

TEST(AnswerTables, SayTheSameInThreeForms) {
    AnswerRecord number = choice_of("", 3, "2026");
    number.question = "How long?";
    number.kind = "number";
    number.given = "50000.0";
    number.truth = "47117.0";
    number.details = R"({"unit":"tokens","tolerance":1.0})";
    number.right = false;
    number.distance = 2883;
    const auto questions = answered_questions({choice_of("the last", 2, "2026"), number});
    EXPECT_THAT(answers_text(questions), HasSubstr("2026: 2 of 2 right (100 %, 95 % interval 16 % to 100 %)"));
    EXPECT_THAT(answers_text(questions), HasSubstr("0 of 3 right"));
    EXPECT_THAT(answers_text(questions), HasSubstr("median distance 2.883k tokens"));
    EXPECT_THAT(answers_csv(questions), HasSubstr("Clocks,hands,How long?,number,2026,50000.0,47117.0,false,2883,3,"));
    const nlohmann::json json = answers_json(questions);
    EXPECT_EQ(json["questions"][0]["groups"][0]["right"], 2);
    EXPECT_EQ(json["questions"][0]["truth"], "the last");
    EXPECT_EQ(json["questions"][1]["groups"][0]["answers"][0]["given"], 50000.0);
    EXPECT_TRUE(json["questions"][0]["groups"][0]["answers"][0]["distance"].is_null());
    EXPECT_EQ(answers_text({}), "The lab file stores no answers to questions of lectures.\n");
}

}  // namespace
}  // namespace ropelab
