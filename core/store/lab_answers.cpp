// Answers to questions of lectures.
#include <array>
#include <nlohmann/json.hpp>
#include <random>

#include "core/data/json_text.h"
#include "core/spec/error.h"
#include "core/store/lab_database.h"

namespace ropelab {

namespace {

// Returns 32 random hexadecimal digits.
std::string random_name() {
    constexpr std::string_view digits = "0123456789abcdef";
    static thread_local std::random_device device;
    std::string name;
    for (int word = 0; word < 4; ++word) {
        unsigned bits = device();
        for (int digit = 0; digit < 8; ++digit, bits >>= 4U) name += digits[bits & 15U];
    }
    return name;
}

void check_answer(const AnswerRecord& answer) {
    if (answer.kind != "choice" && answer.kind != "number" && answer.kind != "curve") {
        throw BadInput("The kind of an answer is choice, number or curve, not \"" + answer.kind + "\".");
    }
    if (answer.people < 1) {
        throw BadInput("An answer was given by at least one person, not by " + std::to_string(answer.people) + ".");
    }
    for (const std::string& text : {answer.given, answer.truth, answer.details}) {
        if (parse_bounded(text, nullptr, false).is_discarded())
            throw BadInput("The answer \"" + text + "\" is no JSON text.");
    }
}

}  // namespace

void LabFile::add_answers(std::span<const AnswerRecord> answers) {
    for (const AnswerRecord& answer : answers) check_answer(answer);
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    for (const AnswerRecord& answer : answers) {
        database
            .query(
                "INSERT OR IGNORE INTO answer (name, lecture, scene, question, kind, given, truth, details, is_right, "
                "distance, people, created, group_name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                "coalesce(nullif(?, ''), strftime('%Y-%m-%dT%H:%M:%SZ', 'now')), ?)")
            .with(answer.id.empty() ? random_name() : answer.id, answer.lecture, answer.scene, answer.question,
                  answer.kind, answer.given, answer.truth, answer.details, std::int64_t{answer.right}, answer.distance,
                  answer.people, answer.created, answer.group)
            .run();
    }
    transaction.commit();
}

void LabFile::delete_answers(std::span<const std::string> ids) {
    const sqlite::Connection& database = database_->connection;
    sqlite::Transaction transaction(database);
    for (const std::string& id : ids) database.query("DELETE FROM answer WHERE name = ?").with(id).run();
    transaction.commit();
}

std::vector<AnswerRecord> LabFile::answers() const {
    std::vector<AnswerRecord> result;
    sqlite::Query row = database_->connection.query(
        "SELECT name, lecture, scene, question, kind, given, truth, details, is_right, distance, people, created, "
        "group_name FROM answer ORDER BY created, id");
    while (row.next()) {
        AnswerRecord answer;
        answer.id = row.text(0);
        answer.lecture = row.text(1);
        answer.scene = row.text(2);
        answer.question = row.text(3);
        answer.kind = row.text(4);
        answer.given = row.text(5);
        answer.truth = row.text(6);
        answer.details = row.text(7);
        answer.right = row.integer(8) != 0;
        answer.distance = row.real(9);
        answer.people = row.integer(10);
        answer.created = row.text(11);
        answer.group = row.text(12);
        result.push_back(std::move(answer));
    }
    return result;
}

}  // namespace ropelab
