#include "ui/lecture/course/course_progress.h"

#include <QObject>
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/data/json_text.h"
#include "core/lecture/answer.h"
#include "ui/common/format.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

using Grade = CourseProgress::Grade;

QString gradeWords(Grade grade) {
    switch (grade) {
        case Grade::understood:
            return u"✓ understood"_s;
        case Grade::withHelp:
            return u"✓ understood with help"_s;
        case Grade::shown:
            return u"✗ not yet understood (the answer was shown)"_s;
        case Grade::wrong:
            return u"✗ not yet understood"_s;
        case Grade::unanswered:
            break;
    }
    return u"not answered"_s;
}

struct GradeCount {
    int questions = 0;
    int understood = 0;
    int withHelp = 0;

    void add(Grade grade) {
        ++questions;
        understood += grade == Grade::understood;
        withHelp += grade == Grade::withHelp;
    }
};

QString countWords(const GradeCount& count) {
    return u"You understood %1 of %2 questions, %3 of them with help."_s.arg(count.understood + count.withHelp)
        .arg(count.questions)
        .arg(count.withHelp);
}

}  // namespace

std::vector<const LectureQuestion*> questionsOf(const LectureScene& scene) {
    std::vector<const LectureQuestion*> questions;
    for (const LectureStep& step : scene.steps) {
        if (step.ask) questions.push_back(&*step.ask);
    }
    return questions;
}

/// The questions that were answered wrongly at least once, with the answer and what it shows to be misunderstood.
static QString mistakesOf(const std::vector<Lecture>& lectures, const CourseProgress& progress) {
    QString rows;
    for (std::size_t l = 0; l < lectures.size(); ++l) {
        for (std::size_t s = 0; s < lectures[l].scenes.size(); ++s) {
            const LectureScene& scene = lectures[l].scenes[s];
            for (const LectureQuestion* question : questionsOf(scene)) {
                const auto result = progress.result(lectures[l], scene, *question);
                if (!result || result->mistake.isEmpty()) continue;
                const auto given = parse_bounded(result->mistake.toStdString(), nullptr, false);
                // The points of a drawn curve say nothing in a list.
                const QString answer = given.is_string()   ? text(given.get<std::string>())
                                       : given.is_number() ? result->mistake
                                                           : u"a curve"_s;
                QString why = text(misunderstood(*question, result->mistake.toStdString()));
                if (why.isEmpty()) why = text(question->hint);
                rows += u"<li><a href=\"scene:%1/%2\">%3</a><br>Your answer: %4<br>%5</li>"_s.arg(l).arg(s).arg(
                    text(question->text).toHtmlEscaped(), answer.toHtmlEscaped(), why.toHtmlEscaped());
            }
        }
    }
    return rows.isEmpty() ? rows : u"<h3>%1</h3><ul>%2</ul>"_s.arg(u"Your mistakes"_s, rows);
}

QString courseSummary(const std::vector<Lecture>& lectures, const CourseProgress& progress) {
    GradeCount all;
    QString parts;
    for (std::size_t l = 0; l < lectures.size(); ++l) {
        const Lecture& lecture = lectures[l];
        GradeCount count;
        QString rows;
        for (std::size_t s = 0; s < lecture.scenes.size(); ++s) {
            const LectureScene& scene = lecture.scenes[s];
            QString grades;
            for (const LectureQuestion* question : questionsOf(scene)) {
                const Grade grade = progress.grade(lecture, scene, *question);
                count.add(grade);
                all.add(grade);
                grades += u"<li>%1: %2</li>"_s.arg(gradeWords(grade), text(question->text).toHtmlEscaped());
            }
            if (grades.isEmpty()) continue;
            rows += u"<p><a href=\"scene:%1/%2\">%3</a></p><ul>%4</ul>"_s.arg(l).arg(s).arg(
                text(scene.title).toHtmlEscaped(), grades);
        }
        parts += u"<h3>%1</h3><p>%2</p>%3"_s.arg(text(lecture.title).toHtmlEscaped(), countWords(count), rows);
    }
    return u"<h2>%1</h2><p>%2</p>"_s.arg(u"What you understood"_s, countWords(all)) + mistakesOf(lectures, progress) +
           parts;
}

QString courseIntroduction(const std::vector<Lecture>& lectures) {
    QString parts;
    double minutes = 0;
    const bool hasFiles =
        std::any_of(lectures.begin(), lectures.end(), [](const Lecture& l) { return !l.file.empty(); });
    const QString about =
        hasFiles ? u"The course teaches what RoPE rotates, what the base θ and the rotated fraction change, and what "
                   "experiments decide."_s
                 : u"<b>The lectures of the course were not found.</b> They come with the program in the folder "
                   "share/ropelab/lectures beside its folder bin. Without them, the course has one part."_s;
    for (std::size_t l = 0; l < lectures.size(); ++l) {
        const Lecture& lecture = lectures[l];
        std::ptrdiff_t questions = 0;
        for (const LectureScene& scene : lecture.scenes) questions += std::ssize(questionsOf(scene));
        minutes += lecture.minutes;
        parts += u"<li><a href=\"scene:%1/0\">%2</a>: %3, %4, about %5 min</li>"_s.arg(l).arg(
            text(lecture.title).toHtmlEscaped(), countText(std::ssize(lecture.scenes), u"scene"_s),
            countText(questions, u"question"_s), readableCount(lecture.minutes));
    }
    return u"<h2>Course: rotary position embeddings</h2><p>%1</p><ol>%2</ol><p>Each scene is a page of the program, as "
           u"in a lecture, with a sentence below it and questions beside it. Where a page shows controls, you can "
           u"move them. All parts take about %3. You can stop at every step and resume there "
           u"later.</p><h3>Questions</h3><p>You answer with a choice, with a number that you find in the picture,"
           u" or by drawing a curve. After a wrong answer you can try again, ask for a hint or show the answer. A"
           u" right first answer counts as understood, and after a hint or a wrong answer as understood with help. Your"
           u" answers are stored on this computer only.</p><p><i>Next</i> begins the first part. <i>End course</i> "
           u"shows the menus, your own rotary "
           u"setup and your lab file again.</p>"_s.arg(about, parts, durationText(60 * minutes));
}

QString sceneMark(const Lecture& lecture, const LectureScene& scene, const CourseProgress& progress) {
    GradeCount count;
    bool isAnswered = false;
    for (const LectureQuestion* question : questionsOf(scene)) {
        const Grade grade = progress.grade(lecture, scene, *question);
        isAnswered = isAnswered || grade != Grade::unanswered;
        count.add(grade);
    }
    if (!isAnswered) return {};
    const int known = count.understood + count.withHelp;
    if (count.understood == count.questions) return u"✓ understood"_s;
    if (known == count.questions) return u"✓ understood with help"_s;
    return u"%1 of %2 understood"_s.arg(known).arg(count.questions);
}

}  // namespace ropelab::ui
