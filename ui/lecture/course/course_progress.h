#pragma once

#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

#include "core/lecture/lecture.h"
#include "core/store/lab_file.h"

namespace ropelab::ui {

class Settings;

/// Answers and place of a student, stored in the settings file of the user and nowhere else.
class CourseProgress {
 public:
    /// The settings must outlive this object.
    explicit CourseProgress(Settings& settings);

    struct Result {
        bool right = false;   // the last answer was right
        int attempts = 0;     // number of answers
        bool hinted = false;  // the hint was shown before an answer
        bool shown = false;   // the right answer was shown before a right answer was given
        QString mistake;      // the last wrong answer, as AnswerRecord::given; "" if there was none
        bool operator==(const Result&) const = default;
    };
    enum class Grade { unanswered, wrong, shown, withHelp, understood };

    /// Nullopt if the question was not answered.
    std::optional<Result> result(const Lecture& lecture, const LectureScene& scene,
                                 const LectureQuestion& question) const;
    /// `understood` is a right first answer without hint, `withHelp` a later or hinted right answer, `shown` one that
    /// follows the right answer on screen.
    Grade grade(const Lecture& lecture, const LectureScene& scene, const LectureQuestion& question) const;
    void addAnswer(const Lecture& lecture, const LectureScene& scene, const LectureQuestion& question,
                   const AnswerRecord& answer, bool hinted);
    /// The right answer, or what follows the question in its scene, is on screen.
    void addShown(const Lecture& lecture, const LectureScene& scene, const LectureQuestion& question);

    struct Place {
        QString lecture;  // title
        QString scene;    // id
        int step = -1;
    };
    Place place() const;
    void setPlace(const Place& place);

    void reset();

 private:
    void setResult(const QString& key, const Result& result);
    void store();

    Settings& m_settings;
    QJsonObject m_answers;
    QJsonObject m_place;
};

/// In the order of the steps.
std::vector<const LectureQuestion*> questionsOf(const LectureScene& scene);

/// HTML: what the course teaches, how long it takes and how questions work, and whether the lectures of the program are
/// missing. Links as in courseSummary().
QString courseIntroduction(const std::vector<Lecture>& lectures);
/// HTML. Links have the form "scene:LECTURE/SCENE" with numbers from 0.
QString courseSummary(const std::vector<Lecture>& lectures, const CourseProgress& progress);

/// "✓ understood", "2 of 3"; "" for a scene without questions or answers.
QString sceneMark(const Lecture& lecture, const LectureScene& scene, const CourseProgress& progress);

}  // namespace ropelab::ui
