#pragma once

#include <QJsonObject>
#include <QString>
#include <optional>

#include "core/lecture/lecture.h"

namespace ropelab::ui {

class Settings;

/// What a student answered in the course, and where the student is. It is stored in the settings file of the user and
/// nowhere else.
class CourseProgress {
 public:
    /// Loads the progress. The settings must outlive this object.
    explicit CourseProgress(Settings& settings);

    /// Result of a question.
    struct Result {
        bool right = false;    // the last answer was right
        int attempts = 0;      // number of answers
        bool hinted = false;   // the hint was shown before an answer
        bool operator==(const Result&) const = default;
    };
    /// How well a question was understood.
    enum class Grade { unanswered, wrong, withHelp, understood };

    /// Returns the result of a question; nullopt if it was not answered.
    std::optional<Result> result(const Lecture& lecture, const LectureScene& scene,
                                 const LectureQuestion& question) const;
    /// Returns `understood` for a right first answer without hint, `withHelp` for a later or hinted right answer.
    Grade grade(const Lecture& lecture, const LectureScene& scene, const LectureQuestion& question) const;
    /// Stores one more answer to a question.
    void addAnswer(const Lecture& lecture, const LectureScene& scene, const LectureQuestion& question, bool right,
                   bool hinted);

    /// A place in the course.
    struct Place {
        QString lecture;  // title
        QString scene;    // id
        int step = -1;
    };
    Place place() const;
    void setPlace(const Place& place);

    /// Forgets all answers and the place.
    void reset();

 private:
    void store();

    Settings& m_settings;
    QJsonObject m_answers;
    QJsonObject m_place;
};

}  // namespace ropelab::ui
