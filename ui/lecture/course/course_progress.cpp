#include "ui/lecture/course/course_progress.h"

#include <QJsonDocument>

#include "ui/common/text.h"
#include "ui/session/settings.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr const char* kProgressKey = "course/progress";

/// A question that is worded anew counts as another one.
QString questionKey(const Lecture& lecture, const LectureScene& scene, const LectureQuestion& question) {
    return text(lecture.title) + QLatin1Char('/') + text(scene.id) + QLatin1Char('/') + text(question.text);
}

}  // namespace

CourseProgress::CourseProgress(Settings& settings) : m_settings(settings) {
    const QJsonObject stored = QJsonDocument::fromJson(settings.value(kProgressKey).toString().toUtf8()).object();
    m_answers = stored[u"answers"_s].toObject();
    m_place = stored[u"place"_s].toObject();
}

std::optional<CourseProgress::Result> CourseProgress::result(const Lecture& lecture, const LectureScene& scene,
                                                             const LectureQuestion& question) const {
    const auto found = m_answers.constFind(questionKey(lecture, scene, question));
    if (found == m_answers.constEnd()) return std::nullopt;
    const QJsonObject stored = found->toObject();
    return Result{stored[u"right"_s].toBool(), stored[u"attempts"_s].toInt(), stored[u"hinted"_s].toBool(),
                  stored[u"shown"_s].toBool(), stored[u"mistake"_s].toString()};
}

CourseProgress::Grade CourseProgress::grade(const Lecture& lecture, const LectureScene& scene,
                                            const LectureQuestion& question) const {
    const std::optional<Result> known = result(lecture, scene, question);
    if (!known || known->attempts == 0) return Grade::unanswered;
    if (!known->right) return Grade::wrong;
    if (known->shown) return Grade::shown;
    return known->attempts > 1 || known->hinted ? Grade::withHelp : Grade::understood;
}

void CourseProgress::addAnswer(const Lecture& lecture, const LectureScene& scene, const LectureQuestion& question,
                               const AnswerRecord& answer, bool hinted) {
    Result now = result(lecture, scene, question).value_or(Result{});
    // An answer that was right once stays right.
    if (now.right) return;
    now.right = answer.right;
    if (!answer.right) now.mistake = text(answer.given);
    now.hinted = now.hinted || hinted;
    ++now.attempts;
    setResult(questionKey(lecture, scene, question), now);
}

void CourseProgress::addShown(const Lecture& lecture, const LectureScene& scene, const LectureQuestion& question) {
    Result now = result(lecture, scene, question).value_or(Result{});
    if (now.right || now.shown) return;
    now.shown = true;
    setResult(questionKey(lecture, scene, question), now);
}

void CourseProgress::setResult(const QString& key, const Result& result) {
    m_answers[key] = QJsonObject{{u"right"_s, result.right},
                                 {u"attempts"_s, result.attempts},
                                 {u"hinted"_s, result.hinted},
                                 {u"shown"_s, result.shown},
                                 {u"mistake"_s, result.mistake}};
    store();
}

CourseProgress::Place CourseProgress::place() const {
    return {m_place[u"lecture"_s].toString(), m_place[u"scene"_s].toString(), m_place[u"step"_s].toInt(-1)};
}

void CourseProgress::setPlace(const Place& place) {
    const QJsonObject next = {{u"lecture"_s, place.lecture}, {u"scene"_s, place.scene}, {u"step"_s, place.step}};
    if (next == m_place) return;
    m_place = next;
    store();
}

void CourseProgress::reset() {
    m_answers = {};
    m_place = {};
    store();
}

void CourseProgress::store() {
    if (m_answers.isEmpty() && m_place.isEmpty()) return m_settings.setValue(kProgressKey, QString());
    const QJsonObject all = {{u"answers"_s, m_answers}, {u"place"_s, m_place}};
    m_settings.setValue(kProgressKey, QString::fromUtf8(QJsonDocument(all).toJson(QJsonDocument::Compact)));
}

}  // namespace ropelab::ui
